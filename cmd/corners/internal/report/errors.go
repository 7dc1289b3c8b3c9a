package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Stdio is what the command line and reports call standard input and standard output.
const Stdio = "-"

// A usageError is an error of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage returns an error as one of the command line.
func Usage(err error) error { return usageError{err} }

// Named returns an error of the file with this name.
func Named(name string, err error) error {
	if name == Stdio {
		return fmt.Errorf("standard input: %w", err)
	}
	return fmt.Errorf("%s: %w", Printable(name), err)
}

// Printable returns a name as it can be written to a terminal: quoted if it is empty, or
// if it has characters that cannot be seen.
func Printable(name string) string {
	invisible := func(r rune) bool { return !strconv.IsPrint(r) }
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, invisible) {
		return strconv.Quote(name)
	}
	return name
}

// Count returns a number of things, which are called one or many.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Reason returns err without the operation and the path that package os puts
// before it, for a message that starts with the path already.
func Reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}
