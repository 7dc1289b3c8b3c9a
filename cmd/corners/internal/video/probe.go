package video

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A probe is what ffprobe tells of a file: the values of the streams and of the file, by their
// names.
type probe struct {
	streams []map[string]string
	format  map[string]string
	video   map[string]string // the stream that is stabilized
	rate    string            // its frames in a second, a fraction
	varies  bool              // the time between them
	frames  int               // about how many there are, or 0
	late    float64           // where the video begins, in seconds, rounded up to frames
	others  float64           // by how much that is later than it should be

	passthrough string // the option of ffmpeg that keeps times of frames
}

// probed are the values that are asked for.
const probed = "stream=index,codec_type,codec_name,codec_tag_string,pix_fmt,field_order,color_range,color_space," +
	"color_transfer,color_primaries,chroma_location,time_base,r_frame_rate,avg_frame_rate,nb_frames,duration,start_time" +
	":stream_disposition=attached_pic:stream_tags=language,title,handler_name,timecode" +
	":format=start_time,duration:format_tags"

// probe asks ffprobe about a file.
func (f *FFmpeg) probe(name string) (*probe, error) {
	var p *probe
	err := f.ask(name, []string{"-show_program_version", "-show_entries", probed, "-of", "flat"}, func(r io.Reader) error {
		text, err := io.ReadAll(r)
		if err == nil {
			p, err = parseProbe(string(text))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var times []int64
	err = f.ask(name, []string{"-select_streams", p.video["index"], "-show_entries", "packet=pts,flags", "-of", "csv=p=0"}, func(r io.Reader) (err error) {
		times, err = parseTimes(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := p.findRate(times); err != nil {
		return nil, err
	}
	p.findBegin()
	return p, nil
}

// ask runs ffprobe with arguments on a file, and calls read with what it writes.
func (f *FFmpeg) ask(name string, args []string, read func(r io.Reader) error) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	q, err := f.start("ffprobe", append(append([]string{"-v", "error"}, args...), "file:"+name), nil, w)
	w.Close()
	if err != nil {
		return err
	}
	err = read(r)
	io.Copy(io.Discard, r) // the rest, or ffprobe would wait
	return cmp.Or(q.wait(), err)
}

// parseTimes reads the times of packets and their flags, and returns the times at which frames are
// shown, from the first one to the last one. It returns nothing if some are not known. Packets of one
// time have one frame that is shown.
func parseTimes(r io.Reader) ([]int64, error) {
	var times []int64
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ",")
		if len(fields) < 2 || strings.Contains(fields[1], "D") { // of a frame that is not shown
			continue
		}
		time, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil { // N/A
			return nil, nil
		}
		times = append(times, time)
	}
	slices.Sort(times)
	return slices.Compact(times), lines.Err()
}

// parseProbe reads what ffprobe writes in its format flat, and chooses the video.
func parseProbe(text string) (*probe, error) {
	res := &probe{format: make(map[string]string), passthrough: "-fps_mode"}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		value = unquoted(value)
		if name, ok := strings.CutPrefix(key, "format."); ok {
			res.format[name] = value
		}
		if key == "program_version.version" && isOld(value) {
			res.passthrough = "-vsync"
		}
		rest, ok := strings.CutPrefix(key, "streams.stream.")
		number, name, _ := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(number); ok && err == nil && i >= 0 && i <= len(res.streams) {
			if i == len(res.streams) {
				res.streams = append(res.streams, make(map[string]string))
			}
			res.streams[i][name] = value
		}
	}
	for _, s := range res.streams {
		if res.video == nil && s["codec_type"] == "video" && s["disposition.attached_pic"] != "1" {
			res.video = s
		}
	}
	switch v := res.video; {
	case v == nil:
		return nil, errors.New("there is no video in it")
	case strings.Contains("tt bb tb bt", v["field_order"]) && v["field_order"] != "":
		return nil, fmt.Errorf("the video is interlaced (%s): deinterlace it before, as with ffmpeg -vf yadif", v["field_order"])
	}
	return res, nil
}

// isOld reports whether a version of ffmpeg is before 5.1. One without a number is made from the
// newest sources.
func isOld(version string) bool {
	major, rest, ok := strings.Cut(strings.TrimPrefix(version, "n"), ".")
	n, err := strconv.Atoi(major)
	return ok && err == nil && (n < 5 || n == 5 && strings.HasPrefix(rest, "0"))
}

// unquoted returns a value of the format flat.
func unquoted(value string) string {
	text, ok := strings.CutPrefix(value, `"`)
	if !ok {
		return value
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", "\\`", "`", `\$`, "$").Replace(strings.TrimSuffix(text, `"`))
}

// sameRate is by how much two rates differ at most, relatively, that are the same.
const sameRate = 1e-3

// steady is by how much the time of a frame may differ from that at a constant rate, as a share of the
// time between frames.
const steady = 0.25

// findRate finds how many frames a second has. Where that varies, it is the mean. It looks at the times
// of frames, if they are known, since the rates that ffprobe tells may be made up: those of files that
// do not state one.
func (p *probe) findRate(times []int64) error {
	real, mean := fraction(p.video["r_frame_rate"]), fraction(p.video["avg_frame_rate"])
	p.rate = p.video["r_frame_rate"]
	switch {
	case mean > 0 && real > 0 && math.Abs(real/mean-1) > sameRate:
		p.varies = true
		fallthrough
	case real == 0:
		p.rate = p.video["avg_frame_rate"]
	}
	if tick := fraction(p.video["time_base"]); tick > 0 && len(times) > 1 {
		p.frames = len(times)
		p.rate, p.varies = p.rateOf(times, tick)
	}
	rate := fraction(p.rate)
	if rate == 0 {
		return errors.New("its frame rate is not known")
	}
	if p.frames == 0 {
		p.frames, _ = strconv.Atoi(p.video["nb_frames"])
	}
	for _, duration := range []string{p.video["duration"], p.format["duration"]} {
		if seconds, err := strconv.ParseFloat(duration, 64); err == nil && p.frames == 0 {
			p.frames = int(min(math.Round(seconds*rate), math.MaxInt32))
		}
	}
	return nil
}

// rateOf returns which of the rates that ffprobe tells frames have at times, in units of a tick, or the
// mean if they have none of them.
func (p *probe) rateOf(times []int64, tick float64) (rate string, varies bool) {
	for _, name := range []string{"r_frame_rate", "avg_frame_rate"} {
		perTick := fraction(p.video[name]) * tick
		off := func(i int) float64 { return math.Abs(float64(times[i]-times[0])*perTick - float64(i)) }
		same := perTick > 0
		for i := range times {
			same = same && off(i) <= steady
		}
		if same {
			return p.video[name], false
		}
	}
	mean := float64(len(times)-1) / (float64(times[len(times)-1]-times[0]) * tick)
	unit := 1000.0
	if mean < 1 {
		unit = 1e6
	}
	return fmt.Sprintf("%.0f/%.0f", mean*unit, unit), true
}

// fraction returns a positive number that is written as a fraction, or 0.
func fraction(text string) float64 {
	above, below, _ := strings.Cut(text, "/")
	a, errA := strconv.ParseFloat(above, 64)
	b, errB := strconv.ParseFloat(below, 64)
	if errA != nil || errB != nil || !(a > 0 && b > 0) {
		return 0
	}
	return a / b
}

// findBegin finds by how much the video is to be moved to begin where it does. Since times of frames
// are multiples of the time between them, the rest of the file may have to be moved, too.
func (p *probe) findBegin() {
	rate := fraction(p.rate)
	begin := seconds(p.video["start_time"]) - seconds(p.format["start_time"])
	if begin*rate > sameRate {
		p.late = math.Ceil(begin*rate-sameRate) / rate
		p.others = max(0, p.late-begin)
	}
}

// seconds returns a time in seconds, or 0 where it is not known.
func seconds(text string) float64 {
	t, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return t
}
