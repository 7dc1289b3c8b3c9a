package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
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
		name := cfg.names[0]
		if files.IsImageName(name) && !strings.EqualFold(filepath.Ext(name), ".gif") {
			return nil, report.Usage(report.Named(name, errors.New("corners track needs two images or more, or a video")))
		}
		bytes := int64(trackBytes)
		if cfg.draw {
			bytes += 8
		}
		return openVideo(p, name, video.Use{Command: "corners track -"}, func(size image.Point) (cli.ByteSize, error) {
			return cli.Memory(size, bytes), fitsTrack(size)
		})
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

// openVideo opens a file or standard input as a video. What is done with frames of a size takes the
// memory that needs returns, unless it returns an error.
func openVideo(p *program, name string, use video.Use, needs func(size image.Point) (cli.ByteSize, error)) (*videoFrames, error) {
	source, err := p.ffmpeg.Open(p.reader, name, use)
	if err != nil {
		return nil, report.Named(name, report.Reason(err))
	}
	v := &videoFrames{in: source.Input, source: source}
	h := source.Header()
	size := image.Pt(h.Width, h.Height)
	need, err := needs(size)
	if err = cmp.Or(err, p.reader.Check(size, need+cli.ByteSize(len(v.frames)*h.FrameSize()))); err != nil {
		v.close()
		return nil, report.Named(name, err)
	}
	return v, nil
}

// read returns the next frame as next does.
func (v *videoFrames) read() (*y4m.Frame, error) {
	f := &v.frames[v.done%len(v.frames)]
	err := v.source.Read(f)
	if err == io.EOF {
		return nil, err
	}
	if err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("it ends in the middle of frame %d", v.done)
	}
	if err != nil {
		return nil, report.Named(v.in.Name, report.Reason(err))
	}
	v.done++
	return f, nil
}

// await is read, but does not wait for a frame longer than the context lasts. Then v is of no more use.
func (v *videoFrames) await(ctx context.Context) (*y4m.Frame, error) {
	type result struct {
		frame *y4m.Frame
		err   error
	}
	r, err := lifetime.Await(ctx, func() result {
		f, err := v.read()
		return result{f, err}
	})
	return r.frame, cmp.Or(err, r.err)
}

func (v *videoFrames) next() (frame, error) {
	f, err := v.read()
	if err != nil {
		return frame{}, err
	}
	return frame{stem: v.in.Stem() + "-tracks", gray: f.Gray(), seen: f.Image()}, nil
}

func (v *videoFrames) inputs() []files.Input { return []files.Input{v.in} }

func (v *videoFrames) close() { v.source.Close() }
