package video

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

// IsEncoded reports whether the name of a video is that of a format that ffmpeg writes.
func IsEncoded(path string) bool {
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

// Create creates a video of the frames of in, with what else in has. Ffmpeg encodes it, with
// arguments unless encode is empty, where the extension of its name is not that of Y4M.
func (f *FFmpeg) Create(out *files.Outputs, path string, in *Source, encode string) (*files.Sink, error) {
	if info, err := os.Stat(path); !IsEncoded(path) || err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return out.Create(path)
	}
	return out.CreateEncoded(path, func(draft string) (io.WriteCloser, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		q, err := f.start("ffmpeg", f.encodeArgs(in, path, encode, draft), r, nil)
		r.Close()
		if err != nil {
			w.Close()
			return nil, withoutFFmpeg(err, "to write a video that is not Y4M", in.pipe)
		}
		return &encoder{q, w, draft, path, evenSides(in.Header(), encode)}, nil
	})
}

// An encoder is ffmpeg that encodes a video. Its failure is an error of writing.
type encoder struct {
	*process
	to          *os.File
	draft, path string // of the file
	even        string // what to do if the encoder takes only even sides, or empty if they are even
}

// evenSides returns what to do for an encoder that takes only even sides, if some are not.
func evenSides(h y4m.Header, encode string) string {
	if h.Width%2+h.Height%2 == 0 {
		return ""
	}
	return fmt.Sprintf("it may take only even sides: try -encode %q", fmt.Sprintf("%s -vf crop=%d:%d", cmp.Or(encode, encoding), h.Width&^1, h.Height&^1))
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
		text := strings.ReplaceAll(err.Error(), "file:"+e.draft, report.Printable(e.path))
		if e.even != "" && strings.Contains(text, "width") {
			text += "; " + e.even
		}
		err = errors.New(text)
	}
	return err
}

// encoding is how ffmpeg encodes, unless arguments say so.
const encoding = "-crf 18"

// encodeArgs returns the arguments of ffmpeg for the video at path, with all of in that it can hold,
// as far as that has been probed.
func (f *FFmpeg) encodeArgs(in *Source, path, encode, draft string) []string {
	args := []string{"-nostdin", "-v", f.verbosity(), "-y"}
	p := in.probe
	if p != nil {
		args = append(p.offset(args, p.late), p.colors()...)
	}
	args = append(args, "-f", "yuv4mpegpipe", "-i", "pipe:0")
	if p != nil {
		args = append(p.offset(args, p.others), "-i", "file:"+in.Name, "-map", "0:v")
		if p.late > 0 { // or else the first frame would be repeated
			args = append(args, p.passthrough, "passthrough")
		}
		ext := strings.ToLower(filepath.Ext(path))
		args = append(args, f.keep(in.Name, ext, p)...)
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
	return append(append(args, strings.Fields(cmp.Or(encode, encoding))...), "file:"+draft)
}

// offset appends the option of ffmpeg that moves an input to later.
func (p *probe) offset(args []string, seconds float64) []string {
	if seconds > 0 {
		args = append(args, "-itsoffset", strconv.FormatFloat(seconds, 'f', 6, 64))
	}
	return args
}

// keep returns the arguments of ffmpeg for the streams of a video beside it. It tells which of
// them a file with an extension cannot hold.
func (f *FFmpeg) keep(name, ext string, p *probe) []string {
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
			f.Note(name, "sound in %s is encoded anew, which a %s file cannot hold", codec, ext)
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
			f.Note(name, "stream %s (%s, %s) is left out", stream["index"], kind, codec)
		}
	}
	return args
}
