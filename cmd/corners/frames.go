package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
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
	inputs() []input
	close()
}

// openFrames returns the frames of a video, if that is what the command line names, or the images.
func (r *reader) openFrames(cfg trackConfig) (frameSource, error) {
	if len(cfg.names) == 1 && !isDir(cfg.names[0]) {
		return r.openVideo(cfg.names[0], cfg.draw)
	}
	images := &imageFrames{reader: r, draw: cfg.draw, all: r.findInputs(cfg.names)}
	if len(images.all) < 2 && !r.reporter.Failed() {
		return nil, report.Usage(fmt.Errorf("corners track needs two images or more, not %d", len(images.all)))
	}
	return images, nil
}

// imageFrames are the images of files.
type imageFrames struct {
	reader *reader
	draw   bool
	all    []input
	done   int
	size   image.Point
}

func (f *imageFrames) next() (frame, error) {
	if f.done == len(f.all) {
		return frame{}, io.EOF
	}
	in := f.all[f.done]
	img, err := f.reader.load(in, f.draw, trackBytes, nil)
	if err != nil {
		return frame{}, err
	}
	if f.done == 0 {
		f.size = img.Size()
	}
	f.done++
	if size := img.Size(); size != f.size {
		return frame{}, report.Named(in.name, fmt.Errorf("%d x %d pixels, but the first image has %d x %d", size.X, size.Y, f.size.X, f.size.Y))
	}
	res := frame{name: in.name, stem: in.stem() + "-tracks", gray: img.Gray()}
	if f.draw {
		res.seen = img.Upright()
	}
	return res, nil
}

func (f *imageFrames) inputs() []input { return f.all }

func (f *imageFrames) close() {}

// A video is the frames of a stream.
type video struct {
	in     input
	reader *y4m.Reader
	closer io.Closer
	frames [2]y4m.Frame
	done   int
}

// openVideo opens a file or standard input as a video.
func (r *reader) openVideo(name string, draw bool) (*video, error) {
	stream, in, err := r.openStream(name)
	if err != nil {
		return nil, report.Named(name, report.Reason(err))
	}
	v := &video{in: in, closer: stream}
	begin := make([]byte, len(y4m.Magic))
	n, err := io.ReadFull(stream, begin)
	if err == nil && string(begin) == y4m.Magic {
		v.reader, err = y4m.NewReader(io.MultiReader(bytes.NewReader(begin), stream))
	} else if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		err = report.Usage(errors.New("corners track needs two images or more, or a video in the format Y4M"))
		if n == 0 {
			err = errors.New("it is empty")
		}
	}
	if err == nil {
		h := v.reader.Header()
		size := image.Pt(h.Width, h.Height)
		need := cli.Memory(size, trackBytes)
		if draw {
			need = cli.Memory(size, trackBytes+8)
		}
		err = cli.CheckMemory(size, need+cli.ByteSize(len(v.frames)*h.FrameSize()), r.memory)
	}
	if err != nil {
		v.close()
		return nil, report.Named(name, report.Reason(err))
	}
	return v, nil
}

func (v *video) next() (frame, error) {
	f := &v.frames[v.done%len(v.frames)]
	err := v.reader.Read(f)
	if err == io.EOF {
		return frame{}, err
	}
	if err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("it ends in the middle of frame %d", v.done)
	}
	if err != nil {
		return frame{}, report.Named(v.in.name, report.Reason(err))
	}
	v.done++
	return frame{stem: v.in.stem() + "-tracks", gray: f.Gray(), seen: f.Image()}, nil
}

func (v *video) inputs() []input { return []input{v.in} }

func (v *video) close() { v.closer.Close() }
