package main

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/y4m"
)

// A frame is an image of a sequence.
type frame struct {
	name string // of the file, or empty for that of a video
	stem string // of the name of its picture
	gray *image.Gray
	seen image.Image // to draw on
}

// A frameSource is images of the same size, one after the other.
type frameSource interface {
	// next returns the next image, and io.EOF after the last one. The pixels of an image stay
	// as they are until next is called for the second time after that.
	next() (frame, error)
	inputs() []files.Input
	close()
}

// openFrames returns the frames of a video, if that is what the command line names, or the images.
func openFrames(p *program, cfg trackConfig) (frameSource, error) {
	if len(cfg.names) == 1 && !files.IsDir(cfg.names[0]) {
		return openVideo(p, cfg.names[0], cfg.draw)
	}
	images := &imageFrames{reader: p.reader, draw: cfg.draw, all: p.reader.Images(cfg.names)}
	if len(images.all) < 2 && !p.console.Failed() {
		return nil, report.Usage(fmt.Errorf("corners track needs two images or more, not %d", len(images.all)))
	}
	return images, nil
}

// fitsTrack returns an error if frames cannot have a size.
func fitsTrack(size image.Point) error { return limits.Harris.Check("corners track", size) }

// imageFrames are the images of files.
type imageFrames struct {
	reader *files.Reader
	draw   bool
	all    []files.Input
	done   int
	size   image.Point
}

func (f *imageFrames) next() (frame, error) {
	if f.done == len(f.all) {
		return frame{}, io.EOF
	}
	in := f.all[f.done]
	img, err := f.reader.Load(in, files.Purpose{Draw: f.draw, Bytes: trackBytes, Fits: fitsTrack})
	if err != nil {
		return frame{}, err
	}
	if f.done == 0 {
		f.size = img.Size()
	}
	f.done++
	if size := img.Size(); size != f.size {
		return frame{}, report.Named(in.Name, fmt.Errorf("%d x %d pixels, but the first image has %d x %d", size.X, size.Y, f.size.X, f.size.Y))
	}
	res := frame{name: in.Name, stem: in.Stem() + "-tracks", gray: img.Gray()}
	if f.draw {
		res.seen = img.Upright()
	}
	return res, nil
}

func (f *imageFrames) inputs() []files.Input { return f.all }

func (f *imageFrames) close() {}

// videoFrames are those of a video.
type videoFrames struct {
	in     files.Input
	source *video.Source
	frames [2]y4m.Frame
	done   int
}

// openVideo opens a file or standard input as a video.
func openVideo(p *program, name string, draw bool) (*videoFrames, error) {
	if files.IsImageName(name) && !strings.EqualFold(filepath.Ext(name), ".gif") {
		return nil, report.Usage(report.Named(name, errors.New("corners track needs two images or more, or a video")))
	}
	source, err := p.ffmpeg.Open(p.reader, name, video.Use{Command: "corners track -"})
	if err != nil {
		return nil, report.Named(name, report.Reason(err))
	}
	v := &videoFrames{in: source.Input, source: source}
	h := source.Header()
	size := image.Pt(h.Width, h.Height)
	need := cli.Memory(size, trackBytes)
	if draw {
		need = cli.Memory(size, trackBytes+8)
	}
	need += cli.ByteSize(len(v.frames) * h.FrameSize())
	if err := cmp.Or(fitsTrack(size), p.reader.Check(size, need)); err != nil {
		v.close()
		return nil, report.Named(name, err)
	}
	return v, nil
}

func (v *videoFrames) next() (frame, error) {
	f := &v.frames[v.done%len(v.frames)]
	err := v.source.Read(f)
	if err == io.EOF {
		return frame{}, err
	}
	if err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("it ends in the middle of frame %d", v.done)
	}
	if err != nil {
		return frame{}, report.Named(v.in.Name, report.Reason(err))
	}
	v.done++
	return frame{stem: v.in.Stem() + "-tracks", gray: f.Gray(), seen: f.Image()}, nil
}

func (v *videoFrames) inputs() []files.Input { return []files.Input{v.in} }

func (v *videoFrames) close() { v.source.Close() }
