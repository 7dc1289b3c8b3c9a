package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
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
	file  *os.File  // or nil for standard output
	draft bool      // the file has another name
	ends  io.Closer // of the program that writes the file, or nil
}

// create creates a sink. Without force, it fails for files that there are.
func (s *sinks) create(path string) (*sink, error) {
	t := &sink{sinks: s, path: path}
	if path == report.Stdio {
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
		return nil, report.Named(path, report.Reason(err))
	}
	t.Writer = bufio.NewWriter(writerFunc(func(p []byte) (int, error) {
		n, err := t.file.Write(p)
		if err != nil {
			err = report.Named(path, report.Reason(err))
		}
		return n, err
	}))
	return t, nil
}

// createEncoded creates a sink for a regular file that another program writes. It calls start with
// the name of the draft.
func (s *sinks) createEncoded(path string, start func(draft string) (io.WriteCloser, error)) (*sink, error) {
	t := &sink{sinks: s, path: path, draft: true}
	err := checkTarget(path, s.force)
	if err == nil {
		t.file, err = s.drafts.createAs(path, filepath.Ext(path))
	}
	var to io.WriteCloser
	if err == nil {
		to, err = start(t.file.Name())
	}
	if err != nil {
		return nil, report.Named(path, report.Reason(err))
	}
	t.ends = to
	t.Writer = bufio.NewWriter(writerFunc(func(p []byte) (int, error) {
		n, err := to.Write(p)
		if err != nil {
			err = report.Named(path, err)
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
	if t.ends != nil {
		if err := t.ends.Close(); err != nil {
			return report.Named(t.path, err)
		}
	}
	if err := t.file.Close(); err != nil {
		return report.Named(t.path, report.Reason(err))
	}
	if !t.draft {
		return nil
	}
	return t.drafts.publish(t.file.Name(), t.path, t.force)
}
