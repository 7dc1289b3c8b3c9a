package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/photo"
)

// A reporter reports errors.
type reporter interface {
	Fail(err error)
	Failed() bool // reports whether it has reported any
}

// A reader finds and reads images.
type reader struct {
	reporter reporter
	ctx      context.Context // ends reading early
	stdin    io.Reader       // nil once it has been read
	memory   cli.ByteSize    // that may still be used
}

// load decodes an input, which may be drawn on. It fails if that takes more memory than
// there is, with extra bytes for each pixel. Otherwise it calls reserve, unless that is nil,
// with the number of bytes before it decodes.
func (r *reader) load(in input, draw bool, extra int64, reserve func(bytes int64) error) (photo.Photo, error) {
	f, err := r.open(in)
	if err != nil {
		return photo.Photo{}, report.Named(in.name, err)
	}
	defer f.Close()
	img, err := r.decode(f, draw, extra, reserve)
	if err != nil {
		return photo.Photo{}, report.Named(in.name, cmp.Or(f.broken, err))
	}
	return img, nil
}

// decode is load for an open file.
func (r *reader) decode(f *file, draw bool, extra int64, reserve func(bytes int64) error) (photo.Photo, error) {
	h, err := photo.ReadHeader(f)
	if err != nil {
		return photo.Photo{}, err
	}
	need := f.held + cli.Memory(h.Stored, h.PixelSize(draw)+extra)
	if err := cli.CheckMemory(h.Size(), need, r.memory); err != nil {
		return photo.Photo{}, err
	}
	if reserve != nil {
		if err := reserve(int64(need)); err != nil {
			return photo.Photo{}, err
		}
	}
	return h.Decode(f)
}

// A file is an open input. It fails to be read when its context is done.
type file struct {
	ctx context.Context
	photo.Source
	held   cli.ByteSize // of memory, for what has been read already
	broken error        // the error of reading, which package image may hide
}

// open opens an input.
func (r *reader) open(in input) (*file, error) {
	if in.data != nil {
		return r.hold(in.data), nil
	}
	if in.info.IsDir() {
		return nil, errors.New("a directory, not an image")
	}
	if err := r.readOnce(&in, func(int) {}); err != nil {
		return nil, err
	}
	if in.data != nil {
		return r.hold(in.data), nil
	}
	f, err := os.Open(in.name)
	if err != nil {
		return nil, report.Reason(err)
	}
	return &file{ctx: r.ctx, Source: f}, nil
}

// readOnce reads an input that can be read only once, such as a pipe, into memory, and calls
// hold with the number of bytes.
func (r *reader) readOnce(in *input, hold func(bytes int)) (err error) {
	if in.data != nil || in.info.IsDir() || in.info.Mode().IsRegular() {
		return nil
	}
	name := in.name
	in.data, err = r.readAll(func() (io.ReadCloser, error) { return os.Open(name) })
	hold(len(in.data))
	return err
}

// hold returns data as a file.
func (r *reader) hold(data []byte) *file {
	return &file{ctx: r.ctx, Source: bytes.NewReader(data), held: cli.ByteSize(len(data))}
}

func (f *file) Read(p []byte) (n int, err error) {
	if err = f.ctx.Err(); err == nil {
		n, err = f.Source.Read(p)
	}
	return n, f.note(err)
}

func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	if err = f.ctx.Err(); err == nil {
		n, err = f.Source.ReadAt(p, off)
	}
	return n, f.note(err)
}

// note keeps an error, and returns it.
func (f *file) note(err error) error {
	if err != nil && err != io.EOF {
		f.broken = report.Reason(err)
	}
	return err
}

// Close closes the file, if it is one.
func (f *file) Close() {
	if c, ok := f.Source.(io.Closer); ok {
		c.Close()
	}
}

// readAll opens and reads a file that is not regular. It fails when the context is done.
func (r *reader) readAll(open func() (io.ReadCloser, error)) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	done := make(chan content, 1)
	limit := r.memory
	go func() {
		f, err := open()
		if err != nil {
			done <- content{nil, err}
			return
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, int64(limit)))
		done <- content{data, err}
	}()
	select {
	case <-r.ctx.Done():
		return nil, r.ctx.Err()
	case c := <-done:
		if cli.ByteSize(len(c.data)) == limit {
			return nil, fmt.Errorf("it has %v or more, which is all the memory (-memory)", limit)
		}
		return c.data, report.Reason(c.err)
	}
}
