package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fastcorners/fast/internal/option"
)

// A usageError is an error of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// fail reports an error in one line, unless there is none, the session has ended early, the
// user has asked for help, or standard output is a pipe that nobody reads any longer.
func (s *session) fail(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, flag.ErrHelp) {
		return
	}
	status, text := statusFailed, err.Error()
	if _, ok := errors.AsType[usageError](err); ok {
		status = statusUsage
		if o, ok := errors.AsType[*option.Error](err); ok {
			text = fmt.Sprintf("invalid value %v for flag %s: want %s", o.Value, o.Field, o.Want)
			for _, f := range fieldFlags {
				text = strings.ReplaceAll(text, f[0], f[1])
			}
		}
		text += " (run corners -h for help)"
	}
	s.status = max(s.status, status)
	if !isBrokenPipe(err) {
		s.progress.pause(func() { fmt.Fprintln(s.stderr, "corners:", text) })
	}
}

// fieldFlags are the fields of Options that a package may refuse although the value of the
// flag is in its interval, with the flags.
var fieldFlags = [][2]string{
	{"Options.ArcLength", "-arc"},
	{"Options.Radius", "-radius"},
	{"Options.Kernels", "-kernel"},
	{"Options.Kernel", "-kernel"},
	{"Options.BlockSize", "-window"}, // of method lococo
	{"Options.ScaleFactor", "-scale"},
	{"Options.Levels", "-levels"},
	{"Options.FirstLevel", "-first-level"},
	{"Options.Features", "-features"},
	{"Options.EdgeThreshold", "-edge"},
	{"Options.PatchSize", "-patch"},
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

// named returns an error of the file with this name.
func named(name string, err error) error {
	if name == stdinName {
		return fmt.Errorf("standard input: %w", err)
	}
	return fmt.Errorf("%s: %w", printable(name), err)
}

// printable returns a name as it can be written to a terminal: quoted if it is empty, or
// if it has characters that cannot be seen.
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
