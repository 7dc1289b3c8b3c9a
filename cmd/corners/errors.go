package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A usageError is an error of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// fieldFlags are the fields of Options that a package may refuse although the value of the
// flag is in its interval, with the flags.
var fieldFlags = [][2]string{
	{"Options.ArcLength", "-arc"},
	{"Options.CircleRadius", "-radius"},
	{"Options.KernelSizes", "-kernel-size"},
	{"Options.Kernel", "-kernel"},
	{"Options.BlockSize", "-window"}, // of method lococo
	{"Options.ScaleFactor", "-scale"},
	{"Options.Levels", "-levels"},
	{"Options.FirstLevel", "-first-level"},
	{"Options.Features", "-features"},
	{"Options.EdgeThreshold", "-edge"},
	{"Options.PatchSize", "-patch"},
	{"Options.Layers", "-layers"},
	{"Options.Edge", "-edge-ratio"},
	{"Options.Sigma", "-sigma"},
	{"NoDoubling true", "-doubling=false"},
	{"NoDoubling false", "-doubling"},
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
