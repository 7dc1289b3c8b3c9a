package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/y4m"
)

// A source is a video that is read.
type source struct {
	*y4m.Reader
	io.Closer
	probe  *probe // of a video that ffmpeg decodes, or nil
	frames int    // about how many there are, or 0
}

// openSource opens a file or standard input as a video. Ffmpeg decodes a file that is no Y4M.
func (s *session) openSource(name string) (*source, error) {
	stream, in, err := s.reader.Stream(name)
	if err != nil {
		return nil, err
	}
	res := &source{Closer: stream}
	var from io.Reader = stream
	if f, ok := stream.(*os.File); ok && in.Info.Mode().IsRegular() {
		begin := make([]byte, len(y4m.Magic))
		n, err := f.ReadAt(begin, 0)
		if err != nil && err != io.EOF {
			f.Close()
			return nil, err
		}
		if !strings.HasPrefix(y4m.Magic, string(begin[:n])) {
			f.Close()
			d, err := s.decode(name, res)
			if err != nil {
				return nil, withoutFFmpeg(err, "to read a video that is not Y4M", "... | corners stabilize - OUT")
			}
			res.Closer, from = d, d
		}
	}
	if res.Reader, err = y4m.NewReader(from); err != nil {
		res.Close()
		return nil, err
	}
	if res.probe != nil {
		res.frames = res.probe.frames
	} else if in.Info != nil && in.Info.Mode().IsRegular() {
		res.frames = int(in.Info.Size() / int64(res.Header().FrameSize()+len("FRAME\n")))
	}
	return res, nil
}

// withoutFFmpeg returns an error; if it is that a program is missing, with what to do.
func withoutFFmpeg(err error, purpose, pipe string) error {
	if _, ok := errors.AsType[missingError](err); !ok {
		return err
	}
	return fmt.Errorf("%w, which corners needs %s; without it, use Y4M from or for another program: %s", err, purpose, pipe)
}

// A decoder is ffmpeg that decodes a video. Its failure is an error of reading.
type decoder struct {
	*process
	from *os.File
	any  bool // something has been read
}

// decode starts ffmpeg for a video, and keeps what ffprobe tells of it.
func (s *session) decode(name string, in *source) (*decoder, error) {
	p, err := s.processes.probe(name)
	if err != nil {
		return nil, err
	}
	in.probe = p
	pixels := y4mPixels(p.video["pix_fmt"])
	if pixels != p.video["pix_fmt"] {
		s.console.Note(name, "its pixels, %s, are converted to %s", p.video["pix_fmt"], pixels)
	}
	if p.varies {
		s.console.Note(name, "the time between its frames varies: they become %.4g a second, some twice or not at all", fraction(p.rate))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	filter := "setpts=PTS-STARTPTS"
	if p.isRGB() {
		filter += ",scale=out_color_matrix=bt709:out_range=tv"
	}
	q, err := s.processes.start("ffmpeg", []string{
		"-nostdin", "-v", s.verbosity(), "-i", "file:" + name, "-map", "0:" + p.video["index"],
		"-vf", filter, "-r", p.rate, "-pix_fmt", pixels, "-strict", "-1", "-f", "yuv4mpegpipe", "pipe:1",
	}, nil, w)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return &decoder{process: q, from: r}, nil
}

// verbosity is what ffmpeg is to say.
func (s *session) verbosity() string {
	if s.processes.show != nil {
		return "warning"
	}
	return "error"
}

func (d *decoder) Read(p []byte) (int, error) {
	n, err := d.from.Read(p)
	d.any = d.any || n > 0
	if err == io.EOF {
		if failed := d.wait(); failed != nil {
			err = failed
		} else if !d.any {
			err = errors.New("ffmpeg finds no frame in it")
		}
	}
	return n, err
}

// Close ends ffmpeg.
func (d *decoder) Close() error {
	err := d.from.Close()
	d.kill()
	return err
}

// y4mPixels returns the format of pixels that Y4M can have for those of a video.
func y4mPixels(format string) string {
	switch format {
	case "yuvj420p", "yuvj422p", "yuvj444p":
		return format
	}
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(format, p) })
	}
	pixels := "yuv444p"
	switch {
	case has("gray", "mono") || strings.HasPrefix(format, "ya"):
		pixels = "gray"
	case has("411", "410"):
		return "yuv411p"
	case has("420", "nv12", "nv21", "p010", "p012", "p016"):
		pixels = "yuv420p"
	case has("422", "nv16", "nv20", "p210", "p212", "p216"):
		pixels = "yuv422p"
	}
	deep, ok := strings.CutSuffix(format, "le")
	if !ok {
		if deep, ok = strings.CutSuffix(format, "be"); !ok {
			return pixels
		}
	}
	bits := strings.TrimLeft(deep[len(strings.TrimRight(deep, "0123456789")):], "0")
	if !holds("9 10 12 14", bits) || pixels+bits == "gray14" {
		bits = "16"
	}
	return pixels + bits + "le"
}

// isRGB reports whether the pixels of the video are red, green and blue.
func (p *probe) isRGB() bool {
	f := p.video["pix_fmt"]
	return slices.ContainsFunc([]string{"rgb", "bgr", "gbr", "pal8"}, func(part string) bool { return strings.Contains(f, part) })
}

// colors returns the options of ffmpeg that tell what Y4M does not.
func (p *probe) colors() []string {
	v := p.video
	if p.isRGB() { // see decode
		v = map[string]string{"color_range": "tv", "color_space": "bt709", "color_transfer": v["color_transfer"], "color_primaries": v["color_primaries"]}
	}
	var args []string
	for _, c := range [][2]string{
		{"-color_range", "color_range"}, {"-colorspace", "color_space"}, {"-color_trc", "color_transfer"}, {"-color_primaries", "color_primaries"},
	} {
		if value := v[c[1]]; value != "" && value != "unknown" && value != "reserved" {
			args = append(args, c[0], value)
		}
	}
	place := v["chroma_location"]
	if place == "" {
		place = "unspecified"
	}
	return append(args, "-chroma_sample_location", place)
}

// isEncoded reports whether the name of a video is that of a format that ffmpeg writes.
func isEncoded(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return path != report.Stdio && ext != "" && ext != "." && ext != ".y4m"
}

// A container is a format of files that cannot hold everything.
type container struct {
	sound     string // the codecs that it can hold, or empty if it is not known
	subtitles string
	text      string // the codec of subtitles that others become, if they are text
	fonts     bool   // it can hold attachments
}

// Containers are known by the extensions of names.
var containers = map[string]container{
	".mp4":  {sound: "aac ac3 alac dts eac3 flac mp2 mp3 opus", subtitles: "mov_text dvd_subtitle", text: "mov_text"},
	".mov":  {sound: "aac ac3 alac eac3 mp3 pcm_alaw pcm_f32le pcm_mulaw pcm_s16be pcm_s16le pcm_s24be pcm_s24le pcm_s32be pcm_s32le pcm_u8", subtitles: "mov_text", text: "mov_text"},
	".webm": {sound: "opus vorbis", subtitles: "webvtt", text: "webvtt"},
	".mkv":  {subtitles: "ass dvb_subtitle dvd_subtitle hdmv_pgs_subtitle ssa subrip webvtt", text: "subrip", fonts: true},
}

// isText reports whether subtitles are text.
func isText(codec string) bool { return holds("ass mov_text ssa subrip text webvtt", codec) }

// holds reports whether a codec is in a list.
func holds(list, codec string) bool { return slices.Contains(strings.Fields(list), codec) }

// createVideo creates OUT. Ffmpeg encodes it where the extension of its name is not that of Y4M.
func (s *session) createVideo(cfg *stabilizeConfig, out *files.Outputs, in *source) (*files.Sink, error) {
	if info, err := os.Stat(cfg.out); !isEncoded(cfg.out) || err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return out.Create(cfg.out)
	}
	return out.CreateEncoded(cfg.out, func(draft string) (io.WriteCloser, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		q, err := s.processes.start("ffmpeg", s.encodeArgs(cfg, in.probe, draft), r, nil)
		r.Close()
		if err != nil {
			w.Close()
			return nil, withoutFFmpeg(err, "to write a video that is not Y4M", "corners stabilize IN - | ...")
		}
		return &encoder{q, w, draft, cfg.out}, nil
	})
}

// An encoder is ffmpeg that encodes a video. Its failure is an error of writing.
type encoder struct {
	*process
	to          *os.File
	draft, path string // of the file
}

func (e *encoder) Write(p []byte) (int, error) {
	n, err := e.to.Write(p)
	if err != nil { // it reads no longer
		return n, cmp.Or(e.Close(), errors.New("ffmpeg ended before the video"))
	}
	return n, nil
}

// Close lets ffmpeg complete the file.
func (e *encoder) Close() error {
	e.to.Close()
	err := e.wait()
	if err != nil { // which may name the draft
		err = errors.New(strings.ReplaceAll(err.Error(), "file:"+e.draft, report.Printable(e.path)))
	}
	return err
}

// encodeArgs returns the arguments of ffmpeg for OUT, with all of IN that it can hold, which the
// probe tells, unless that is nil.
func (s *session) encodeArgs(cfg *stabilizeConfig, p *probe, draft string) []string {
	args := []string{"-nostdin", "-v", s.verbosity(), "-y"}
	if p != nil {
		args = append(p.offset(args, p.late), p.colors()...)
	}
	args = append(args, "-f", "yuv4mpegpipe", "-i", "pipe:0")
	if p != nil {
		args = append(p.offset(args, p.others), "-i", "file:"+cfg.in, "-map", "0:v")
		if p.late > 0 { // or else the first frame would be repeated
			args = append(args, p.passthrough, "passthrough")
		}
		ext := strings.ToLower(filepath.Ext(cfg.out))
		args = append(args, s.keep(cfg.in, ext, p)...)
		args = append(args, "-map_metadata", "1", "-map_chapters", "1")
		for _, tag := range []string{"language", "title", "handler_name", "timecode"} {
			if value := p.video["tags."+tag]; value != "" {
				args = append(args, "-metadata:s:v:0", tag+"="+value)
			}
		}
		for name := range p.format {
			if strings.HasPrefix(name, "tags.com_apple_quicktime_") && (ext == ".mp4" || ext == ".mov" || ext == ".m4v") {
				args = append(args, "-movflags", "use_metadata_tags") // which keeps them
				break
			}
		}
	}
	if cfg.encode == "" {
		args = append(args, "-crf", "18")
	}
	return append(append(args, strings.Fields(cfg.encode)...), "file:"+draft)
}

// offset appends the option of ffmpeg that moves an input to later.
func (p *probe) offset(args []string, seconds float64) []string {
	if seconds > 0 {
		args = append(args, "-itsoffset", strconv.FormatFloat(seconds, 'f', 6, 64))
	}
	return args
}

// keep returns the arguments of ffmpeg for the streams of IN beside the video. It tells which of
// them a file with an extension cannot hold.
func (s *session) keep(name, ext string, p *probe) []string {
	if ext == ".m4v" {
		ext = ".mp4"
	}
	c, known := containers[ext]
	var args []string
	counts := make(map[string]int)
	add := func(kind string, stream map[string]string, codec string) {
		args = append(args, "-map", "1:"+stream["index"])
		if codec != "" {
			args = append(args, fmt.Sprintf("-c:%s:%d", kind, counts[kind]), codec)
		}
		counts[kind]++
	}
	for _, stream := range p.streams {
		kind, codec := stream["codec_type"], stream["codec_name"]
		switch {
		case kind == "video" && stream["index"] == p.video["index"]:
		case kind == "audio" && (c.sound == "" || holds(c.sound, codec)):
			add("a", stream, "copy")
		case kind == "audio":
			s.console.Note(name, "sound in %s is encoded anew, which a %s file cannot hold", codec, ext)
			add("a", stream, "")
		case kind == "subtitle" && holds(c.subtitles, codec):
			add("s", stream, "copy")
		case kind == "subtitle" && isText(codec) && known:
			add("s", stream, c.text)
		case kind == "attachment" && c.fonts:
			add("t", stream, "copy")
		case kind == "data" && holds("tmcd text", stream["codec_tag_string"]): // a time code and chapters
		default:
			if codec == "" {
				codec = "an unknown format"
			}
			s.console.Note(name, "stream %s (%s, %s) is left out", stream["index"], kind, codec)
		}
	}
	return args
}
