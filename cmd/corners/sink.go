package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
)

// Sinks creates sinks.
type sinks struct {
	drafts *drafts
	stdout io.Writer
	force  bool // overwrite files
}

// A sink is standard output, a pipe, or a file that gets its name when it is complete. Its errors
// name it.
type sink struct {
	*bufio.Writer
	*sinks
	path  string
	file  *os.File // or nil for standard output
	draft bool     // the file has another name
}

// create creates a sink. Without force, it fails for files that there are.
func (s *sinks) create(path string) (*sink, error) {
	t := &sink{sinks: s, path: path}
	if path == stdinName {
		t.Writer = bufio.NewWriter(s.stdout)
		return t, nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir() && !info.Mode().IsRegular(): // a pipe, or a device
		t.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	default:
		if err = checkTarget(path, s.force); err == nil {
			t.file, err = s.drafts.create(path)
			t.draft = true
		}
	}
	if err != nil {
		return nil, named(path, reason(err))
	}
	t.Writer = bufio.NewWriter(writerFunc(func(p []byte) (int, error) {
		n, err := t.file.Write(p)
		if err != nil {
			err = named(path, reason(err))
		}
		return n, err
	}))
	return t, nil
}

// createNamed is create, or returns nil if the path is empty.
func (s *sinks) createNamed(path string) (*sink, error) {
	if path == "" {
		return nil, nil
	}
	return s.create(path)
}

// finish writes what is left, and gives the file its name.
func (t *sink) finish() error {
	err := t.Flush()
	if t.file == nil || err != nil {
		return err
	}
	if err := t.file.Close(); err != nil {
		return named(t.path, reason(err))
	}
	if !t.draft {
		return nil
	}
	return t.drafts.publish(t.file.Name(), t.path, t.force)
}

// A stdoutWriter is standard output. Its errors say so.
type stdoutWriter struct {
	io.Writer
	err error // the first one
}

func (w *stdoutWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = fmt.Errorf("standard output: %w", reason(err))
		w.err = cmp.Or(w.err, err)
	}
	return n, err
}
