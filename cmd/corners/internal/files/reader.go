// Package files has what the program reads and writes: images in files, folders and streams, decoded
// within a limit of memory, and outputs that are never half-written and never replace what is read.
package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/photo"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// A Reporter reports errors and what else is to be said.
type Reporter interface {
	Fail(err error)
	Failed() bool // reports whether it has reported any
	// Note says something of a file.
	Note(name, format string, args ...any)
}

// A Reader finds and reads images.
type Reader struct {
	reporter Reporter
	ctx      context.Context // ends reading early
	stdin    io.Reader       // nil once it has been read
	given    cli.ByteSize    // memory that may be used
	memory   cli.ByteSize    // that of it which may still be used
	stretch  bool            // images of 16 bits are made brighter
}

// NewReader returns a Reader that reports what it cannot find. It has no memory yet.
func NewReader(ctx context.Context, stdin io.Reader, reporter Reporter) *Reader {
	return &Reader{ctx: ctx, stdin: stdin, reporter: reporter}
}

// SetMemory sets how much memory may be used.
func (r *Reader) SetMemory(memory cli.ByteSize) { r.given, r.memory = memory, memory }

// Stretch makes images of 16 bits brighter, as far as there are bits that none of their samples has.
func (r *Reader) Stretch() { r.stretch = true }

// Memory returns how much memory may still be used.
func (r *Reader) Memory() cli.ByteSize { return r.memory }

// Reserve takes memory for as long as the program runs.
func (r *Reader) Reserve(memory cli.ByteSize) { r.memory -= memory }

// Check returns an error if an image of a size needs more memory than may still be used.
func (r *Reader) Check(size image.Point, need cli.ByteSize) error {
	if need <= r.memory || r.memory == r.given {
		return cli.CheckMemory(size, need, r.memory)
	}
	return fmt.Errorf("%d x %d pixels need %v of memory, more than %v (-memory) less %v that are in use", size.X, size.Y, need, r.given, r.given-r.memory)
}

// Stdin returns standard input, or nil once it has been read.
func (r *Reader) Stdin() io.Reader { return r.stdin }

// A Purpose is what an image is loaded for.
type Purpose struct {
	// Draw is set if the image is drawn on.
	Draw bool
	// Bytes is how much memory is needed besides, for each pixel.
	Bytes int64
	// Fits returns an error if an image of a size, turned upright, is of no use. It may be nil.
	Fits func(size image.Point) error
	// Reserve is called with the memory that is needed before that is taken. It may be nil.
	Reserve func(bytes int64) error
	// Note is called with what is to be said of the image. If it is nil, the reporter of the Reader
	// says it.
	Note func(text string)
}

// Load decodes an input. It fails before it decodes anything if the image does not fit, or takes
// more memory than there is.
func (r *Reader) Load(in Input, p Purpose) (photo.Photo, error) {
	f, err := r.open(in)
	if err != nil {
		return photo.Photo{}, report.Named(in.Name, err)
	}
	defer f.Close()
	return r.load(in.Name, f, p)
}

// load is Load for an open file of that name.
func (r *Reader) load(name string, f *file, p Purpose) (photo.Photo, error) {
	img, err := r.decode(f, p)
	if err = cmp.Or(f.broken, err); err != nil { // decoders may hide the first one
		return photo.Photo{}, report.Named(name, err)
	}
	note := brighten(img.Image, r.stretch)
	if isTransparent(img.Image) {
		note = "all its pixels are transparent, so that it is black"
	}
	switch {
	case note == "":
	case p.Note != nil:
		p.Note(note)
	default:
		r.reporter.Note(name, "%s", note)
	}
	return img, nil
}

// decode is Load for an open file.
func (r *Reader) decode(f *file, p Purpose) (img photo.Photo, err error) {
	defer func() { // decoders are of others, and read what strangers have made
		if v := recover(); v != nil {
			err = fmt.Errorf("cannot be decoded (panic: %v)", v)
		}
	}()
	h, err := photo.ReadHeader(f)
	if err != nil {
		return photo.Photo{}, err
	}
	if p.Fits != nil {
		if err := p.Fits(h.Size()); err != nil {
			return photo.Photo{}, err
		}
	}
	need := f.held + cli.Memory(h.Stored, h.PixelSize(p.Draw)+p.Bytes)
	if err := r.Check(h.Size(), need); err != nil {
		return photo.Photo{}, err
	}
	if p.Reserve != nil {
		if err := p.Reserve(int64(need)); err != nil {
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
func (r *Reader) open(in Input) (*file, error) {
	if in.data != nil {
		return r.hold(in.data), nil
	}
	if in.Info.IsDir() {
		return nil, errors.New("a directory, not an image")
	}
	if err := r.ReadOnce(&in, func(int) {}); err != nil {
		return nil, err
	}
	if in.data != nil {
		return r.hold(in.data), nil
	}
	f, err := os.Open(in.Name)
	if err != nil {
		return nil, report.Reason(err)
	}
	return &file{ctx: r.ctx, Source: f}, nil
}

// ReadOnce reads an input that can be read only once, such as a pipe, into memory, and calls
// hold with the number of bytes.
func (r *Reader) ReadOnce(in *Input, hold func(bytes int)) (err error) {
	if in.data != nil || in.Info.IsDir() || in.Info.Mode().IsRegular() {
		return nil
	}
	name := in.Name
	in.data, err = r.readAll(func() (io.ReadCloser, error) { return os.Open(name) })
	hold(len(in.data))
	return err
}

// hold returns data as a file.
func (r *Reader) hold(data []byte) *file {
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
func (r *Reader) readAll(open func() (io.ReadCloser, error)) ([]byte, error) {
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
