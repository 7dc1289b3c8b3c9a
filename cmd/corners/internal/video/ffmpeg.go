// Package video reads and writes videos: Y4M as it is, and everything else by the programs ffmpeg and
// ffprobe. A Pipeline stabilizes what is between.
package video

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/y4m"
)

// An FFmpeg runs ffmpeg and ffprobe.
type FFmpeg struct {
	// Note says in a line what is done to a file otherwise than it may be expected.
	Note func(name, format string, args ...any)
	// Show is where what the programs say is shown, and how they are started, or nil.
	Show io.Writer

	processes processes
}

// Kill ends all programs. From then on there are none.
func (f *FFmpeg) Kill() { f.processes.kill() }

// start starts a program.
func (f *FFmpeg) start(name string, args []string, stdin, stdout *os.File) (*process, error) {
	return f.processes.start(name, args, stdin, stdout, f.Show)
}

// A Source is a video that is read.
type Source struct {
	*y4m.Reader
	io.Closer
	files.Input
	Frames int    // about how many there are, or 0
	probe  *probe // of a video that ffmpeg decodes, or nil
	pipe   string // Use.Writing
}

// A Use is how a video is used.
type Use struct {
	// Even makes frames of files that ffmpeg decodes evenly spaced in time, where some may be shown
	// twice or not at all. Otherwise they are those that there are.
	Even bool
	// Command is a command line that reads Y4M, and Writing one that writes it, for the message that
	// there is no ffmpeg. Writing may be empty if nothing is written.
	Command, Writing string
}

// Open opens a file or standard input as a video. Ffmpeg decodes a file that is no Y4M.
func (f *FFmpeg) Open(r *files.Reader, name string, use Use) (*Source, error) {
	stream, in, err := r.Stream(name)
	if err != nil {
		return nil, err
	}
	res := &Source{Closer: stream, Input: in, pipe: use.Writing}
	var from io.Reader = stream
	if file, ok := stream.(*os.File); ok && in.Info.Mode().IsRegular() {
		begin := make([]byte, len(y4m.Magic))
		n, err := file.ReadAt(begin, 0)
		if err != nil && err != io.EOF {
			file.Close()
			return nil, err
		}
		if !strings.HasPrefix(y4m.Magic, string(begin[:n])) {
			file.Close()
			d, err := f.decode(res, use)
			if err != nil {
				return nil, withoutFFmpeg(err, "to read a video that is not Y4M", "... | "+use.Command)
			}
			res.Closer, from = d, d
		}
	}
	stored := bufio.NewReader(from)
	_, err = stored.Peek(1)
	if err == io.EOF {
		err = errors.New("it is empty")
	}
	if err == nil {
		res.Reader, err = y4m.NewReader(stored)
	}
	if err != nil {
		res.Close()
		return nil, err
	}
	if res.probe != nil {
		res.Frames = res.probe.frames
	} else if in.Info != nil && in.Info.Mode().IsRegular() {
		res.Frames = int(in.Info.Size() / int64(res.Header().FrameSize()+len("FRAME\n")))
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
func (f *FFmpeg) decode(in *Source, use Use) (*decoder, error) {
	p, err := f.probe(in.Name)
	if err != nil {
		return nil, err
	}
	in.probe = p
	pixels := y4mPixels(p.video["pix_fmt"])
	if pixels != p.video["pix_fmt"] {
		f.Note(in.Name, "its pixels, %s, are converted to %s", p.video["pix_fmt"], pixels)
	}
	times := []string{p.passthrough, "passthrough"}
	if use.Even {
		times = []string{"-r", p.rate}
	}
	if use.Even && p.varies {
		f.Note(in.Name, "the time between its frames varies: they become %.4g a second, some twice or not at all", fraction(p.rate))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	filter := "setpts=PTS-STARTPTS"
	if p.isRGB() {
		filter += ",scale=out_color_matrix=bt709:out_range=tv"
	}
	q, err := f.start("ffmpeg", slices.Concat(
		[]string{"-nostdin", "-v", f.verbosity(), "-i", "file:" + in.Name, "-map", "0:" + p.video["index"], "-vf", filter},
		times, []string{"-pix_fmt", pixels, "-strict", "-1", "-f", "yuv4mpegpipe", "pipe:1"},
	), nil, w)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return &decoder{process: q, from: r}, nil
}

// verbosity is what ffmpeg is to say.
func (f *FFmpeg) verbosity() string {
	if f.Show != nil {
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
