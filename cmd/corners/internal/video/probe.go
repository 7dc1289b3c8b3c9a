package video

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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
	"color_transfer,color_primaries,chroma_location,r_frame_rate,avg_frame_rate,nb_frames,duration,start_time" +
	":stream_disposition=attached_pic:stream_tags=language,title,handler_name,timecode" +
	":format=start_time,duration:format_tags"

// probe asks ffprobe about a file.
func (f *FFmpeg) probe(name string) (*probe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	q, err := f.start("ffprobe", []string{"-v", "error", "-show_program_version", "-show_entries", probed, "-of", "flat", "file:" + name}, nil, w)
	w.Close()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err := q.wait(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return parseProbe(string(text))
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
	if err := res.findRate(); err != nil {
		return nil, err
	}
	res.findBegin()
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

// findRate finds how many frames a second has. Where that varies, it is the mean.
func (p *probe) findRate() error {
	real, mean := fraction(p.video["r_frame_rate"]), fraction(p.video["avg_frame_rate"])
	p.rate = p.video["r_frame_rate"]
	switch {
	case mean > 0 && real > 0 && math.Abs(real/mean-1) > sameRate:
		p.varies = true
		fallthrough
	case real == 0:
		p.rate = p.video["avg_frame_rate"]
	}
	rate := fraction(p.rate)
	if rate == 0 {
		return errors.New("its frame rate is not known")
	}
	p.frames, _ = strconv.Atoi(p.video["nb_frames"])
	for _, duration := range []string{p.video["duration"], p.format["duration"]} {
		if seconds, err := strconv.ParseFloat(duration, 64); err == nil && p.frames == 0 {
			p.frames = int(min(math.Round(seconds*rate), math.MaxInt32))
		}
	}
	return nil
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
