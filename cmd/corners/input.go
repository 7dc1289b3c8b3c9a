package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fastcorners/fast/internal/photo"
)

// ownPhoto is the image that is taken when the command line names none: Eileen
// Collins, photographed by NASA, public domain. It is a copy of
// testdata/photos/astronaut_512x512.png; testdata/SOURCES.md says more.
//
//go:embed astronaut_512x512.png
var ownPhoto []byte

// photoName is what the report calls the photo.
const photoName = "astronaut_512x512.png"

// An input is an image to find corners in.
type input struct {
	name    string      // as the report has it: the path of the file, or stdinName
	info    fs.FileInfo // of the file, or nil
	data    []byte      // in place of a file
	picture string      // path to write the picture to, or empty
}

// stdinName is what the command line and the report call standard input.
const stdinName = "-"

// stem returns the name of the file without directory and ending.
func (in input) stem() string {
	switch {
	case in.name == stdinName:
		return "stdin"
	case in.info == nil:
		return ""
	}
	base := filepath.Base(in.name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// newInput returns a file, or standard input, as an input. That of a directory is not to
// be opened.
func (s *session) newInput(name string) (input, error) {
	if name == stdinName {
		if s.stdin == nil {
			return input{}, errors.New("named more than once")
		}
		stdin := io.NopCloser(s.stdin)
		s.stdin = nil
		data, err := s.readAll(func() (io.ReadCloser, error) { return stdin, nil })
		return input{name: name, data: data}, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return input{}, reason(err)
	}
	return input{name: name, info: info}, nil
}

// findInputs returns the images that the arguments name, files in the order
// given and those of a directory in lexical order. It reports an error for each
// argument or directory entry that it cannot find an image in.
func (s *session) findInputs(args []string) []input {
	if len(args) == 0 {
		return []input{{name: photoName, data: ownPhoto}}
	}
	var inputs []input
	for _, arg := range args {
		in, err := s.newInput(arg)
		switch {
		case err != nil:
			s.fail(named(arg, err))
		case in.info != nil && in.info.IsDir():
			inputs = append(inputs, s.findInDir(arg)...)
		default:
			inputs = append(inputs, in)
		}
	}
	return inputs
}

// findInDir returns the images in a directory and below it, except pictures that corners
// has drawn.
func (s *session) findInDir(dir string) []input {
	var inputs []input
	failed, drawn := false, 0
	fail := func(path string, err error) {
		s.fail(named(path, err))
		failed = true
	}
	// The separator makes WalkDir follow a symbolic link to a directory.
	filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.Type()&^fs.ModeSymlink != 0 || !isImageName(d.Name())) {
			return nil
		}
		var in input
		if err == nil {
			in, err = s.newInput(path)
		}
		switch {
		case err != nil:
			fail(path, reason(err))
		case !in.info.Mode().IsRegular():
		case isDrawn(path):
			drawn++
		default:
			inputs = append(inputs, in)
		}
		return s.ctx.Err()
	})
	switch {
	case len(inputs) > 0 || failed || s.ctx.Err() != nil:
	case drawn > 0:
		fail(dir, errors.New("no images in this directory but those that corners has drawn"))
	default:
		fail(dir, errors.New("no images in this directory"))
	}
	return inputs
}

// isImageName reports whether a file in a directory is to be read.
func isImageName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".pbm", ".pgm", ".ppm", ".pnm":
		return true
	}
	return false
}

// A file is an open input. It fails to be read when its context is done.
type file struct {
	ctx context.Context
	photo.Source
	held   photo.ByteSize // of memory, for what has been read already
	broken error          // what reading failed with, which package image does not tell
}

// open opens an input.
func (s *session) open(in input) (*file, error) {
	if in.data != nil {
		return s.hold(in.data), nil
	}
	if in.info.IsDir() {
		return nil, errors.New("a directory, not an image")
	}
	if !in.info.Mode().IsRegular() { // in a pipe there is no way back
		data, err := s.readAll(func() (io.ReadCloser, error) { return os.Open(in.name) })
		return s.hold(data), err
	}
	f, err := os.Open(in.name)
	if err != nil {
		return nil, reason(err)
	}
	return &file{ctx: s.ctx, Source: f}, nil
}

// hold returns data as a file.
func (s *session) hold(data []byte) *file {
	return &file{ctx: s.ctx, Source: bytes.NewReader(data), held: photo.ByteSize(len(data))}
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
		f.broken = reason(err)
	}
	return err
}

// Close closes the file if there is anything to be closed.
func (f *file) Close() {
	if c, ok := f.Source.(io.Closer); ok {
		c.Close()
	}
}

// readAll opens what is no regular file and reads it, unless the session ends before.
func (s *session) readAll(open func() (io.ReadCloser, error)) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	done := make(chan content, 1)
	limit := s.memory
	go func() {
		r, err := open()
		if err != nil {
			done <- content{nil, err}
			return
		}
		defer r.Close()
		data, err := io.ReadAll(io.LimitReader(r, int64(limit)))
		done <- content{data, err}
	}()
	select {
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	case c := <-done:
		if photo.ByteSize(len(c.data)) == limit {
			return nil, fmt.Errorf("it has %v or more, which is all the memory (-memory)", limit)
		}
		return c.data, reason(c.err)
	}
}

// named returns an error of the file with this name.
func named(name string, err error) error {
	if name == stdinName {
		return fmt.Errorf("standard input: %w", err)
	}
	return fmt.Errorf("%s: %w", printable(name), err)
}

// printable returns a name as it can be written to a terminal: quoted if it is empty, or
// if there is anything in it that is not to be seen.
func printable(name string) string {
	invisible := func(r rune) bool { return !strconv.IsPrint(r) }
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, invisible) {
		return strconv.Quote(name)
	}
	return name
}

// reason returns err without the operation and the path that package os puts
// before it, for a message that starts with the path already.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}
