package files

import (
	"bufio"
	"io"
	"os"
	"path/filepath"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// Outputs creates Sinks.
type Outputs struct {
	Drafts *Drafts
	Stdout io.Writer
	Force  bool // overwrite files
}

// A Sink is standard output, a pipe, or a file that gets its name when it is complete. Its errors
// name it.
type Sink struct {
	*bufio.Writer
	outputs *Outputs
	path    string
	file    *os.File  // or nil for standard output
	draft   bool      // the file has another name
	ends    io.Closer // of the program that writes the file, or nil
}

// Create creates a Sink. Without force, it fails for files that there are.
func (o *Outputs) Create(path string) (*Sink, error) {
	s := &Sink{outputs: o, path: path}
	if path == report.Stdio {
		s.Writer = bufio.NewWriter(o.Stdout)
		return s, nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir() && !info.Mode().IsRegular(): // a pipe, or a device
		s.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	default:
		if err = checkTarget(path, o.Force); err == nil {
			s.file, err = o.Drafts.create(path)
			s.draft = true
		}
	}
	if err != nil {
		return nil, report.Named(path, report.Reason(err))
	}
	s.Writer = bufio.NewWriter(writerFunc(func(p []byte) (int, error) {
		n, err := s.file.Write(p)
		if err != nil {
			err = report.Named(path, report.Reason(err))
		}
		return n, err
	}))
	return s, nil
}

// CreateEncoded creates a Sink for a regular file that another program writes. It calls start with
// the name of the draft.
func (o *Outputs) CreateEncoded(path string, start func(draft string) (io.WriteCloser, error)) (*Sink, error) {
	s := &Sink{outputs: o, path: path, draft: true}
	err := checkTarget(path, o.Force)
	if err == nil {
		s.file, err = o.Drafts.createAs(path, filepath.Ext(path))
	}
	var to io.WriteCloser
	if err == nil {
		to, err = start(s.file.Name())
	}
	if err != nil {
		return nil, report.Named(path, report.Reason(err))
	}
	s.ends = to
	s.Writer = bufio.NewWriter(writerFunc(func(p []byte) (int, error) {
		n, err := to.Write(p)
		if err != nil {
			err = report.Named(path, err)
		}
		return n, err
	}))
	return s, nil
}

// CreateNamed is Create, or returns nil if the path is empty.
func (o *Outputs) CreateNamed(path string) (*Sink, error) {
	if path == "" {
		return nil, nil
	}
	return o.Create(path)
}

// Finish writes what is left, and gives the file its name.
func (s *Sink) Finish() error {
	err := s.Flush()
	if s.file == nil || err != nil {
		return err
	}
	if s.ends != nil {
		if err := s.ends.Close(); err != nil {
			return report.Named(s.path, err)
		}
	}
	if err := s.file.Close(); err != nil {
		return report.Named(s.path, report.Reason(err))
	}
	if !s.draft {
		return nil
	}
	return s.outputs.Drafts.Publish(s.file.Name(), s.path, s.outputs.Force)
}

// A writerFunc is a function that writes.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
