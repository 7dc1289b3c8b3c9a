package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fastcorners/fast/internal/photo"
)

// newFlagSet returns the flags that the functions define. They report errors by the
// return value of Parse only.
func newFlagSet(define ...func(*flag.FlagSet)) *flag.FlagSet {
	flags := flag.NewFlagSet("corners", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	for _, d := range define {
		d(flags)
	}
	return flags
}

// split returns the flags on a command line, with their values, and the other arguments:
// those that do not begin with -, which alone is one of these, and all that come after --.
func split(flags *flag.FlagSet, args []string) (flagArgs, files []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flagArgs, append(files, args[i+1:]...)
		}
		if len(arg) < 2 || arg[0] != '-' {
			files = append(files, arg)
			continue
		}
		flagArgs = append(flagArgs, arg)
		name, _, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := flags.Lookup(name)
		if f == nil || hasValue || isBool(f) || i+1 == len(args) {
			continue
		}
		i++
		flagArgs = append(flagArgs, args[i])
	}
	return flagArgs, files
}

// isBool reports whether a flag needs no value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// parseFlags reads a command line and returns what is no flag.
func parseFlags(flags *flag.FlagSet, args []string) ([]string, error) {
	flagArgs, files := split(flags, args)
	if err := flags.Parse(flagArgs); err != nil {
		return nil, err
	}
	return files, nil
}

// isGiven reports whether a flag was on the command line.
func isGiven(flags *flag.FlagSet, name string) bool {
	given := false
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// An output says how a run works and where its results go.
type output struct {
	workers   int
	memory    photo.ByteSize
	format    string // of the report
	path      string // of the picture or of the directory for pictures
	noPicture bool
	force     bool
	draw      bool // draw pictures
}

// define defines the flags for o.
func (o *output) define(flags *flag.FlagSet) {
	o.memory = photo.GiB
	flags.IntVar(&o.workers, "workers", 1, "let `N` goroutines share an image; -1: all CPUs")
	flags.Var(&o.memory, "memory", memoryUsage)
	flags.StringVar(&o.format, "format", formatTable, formatUsage)
	flags.StringVar(&o.path, "o", ".", "draw into `PATH`, a directory or a name ending in .png")
	flags.BoolVar(&o.noPicture, "no-picture", false, "draw nothing, as with csv and json without -o")
	flags.BoolVar(&o.force, "f", false, "overwrite files that corners has not drawn, too")
}

// check returns an error that names the first flag that makes no sense.
func (o *output) check(flags *flag.FlagSet) error {
	asked := isGiven(flags, "o")
	switch {
	case o.path == "":
		return errors.New("flag -o needs a directory, or a name that ends in .png")
	case asked && o.noPicture:
		return errors.New("flag -o is for pictures, and -no-picture wants none")
	}
	o.draw = asked || !o.noPicture && o.format == formatTable
	return checkFormat(o.format)
}

// target returns where pictures go, which must not replace files that are read.
func (o *output) target(read []input) *target {
	t := &target{dir: o.path, force: o.force, taken: make(map[string]bool), read: read}
	if strings.EqualFold(filepath.Ext(o.path), ".png") {
		if info, err := os.Stat(o.path); err != nil || !info.IsDir() {
			t.dir, t.file = filepath.Split(o.path)
			t.dir = filepath.Clean(t.dir) // . if it is empty
		}
	}
	return t
}

const memoryUsage = "take `SIZE` of memory at most, such as 500MiB"

const formatUsage = "write the report as `FORMAT`: table, csv or json"

func checkFormat(format string) error {
	if format != formatTable && format != formatCSV && format != formatJSON {
		return fmt.Errorf("invalid value %q for flag -format: want table, csv or json", format)
	}
	return nil
}

// checkRange returns an error unless the value of a flag is in the range.
func checkRange(name string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("invalid value %d for flag -%s: want %d to %d", value, name, low, high)
	}
	return nil
}

// checkLeast returns an error unless the value of a flag is low or more.
func checkLeast(name string, value, low int) error {
	if value < low {
		return fmt.Errorf("invalid value %d for flag -%s: want %d or more", value, name, low)
	}
	return nil
}

// checkShare returns an error unless the value of a flag is above 0 and at most 1.
func checkShare(name string, value float64) error {
	if !(value > 0 && value <= 1) { // NaN is not
		return fmt.Errorf("invalid value %v for flag -%s: want more than 0, up to 1", value, name)
	}
	return nil
}

// An enum is a flag that takes one of several names.
type enum struct {
	names []string
	value int // the index of one of them
}

func (e enum) String() string {
	if e.names == nil {
		return "" // of a flag that package flag makes
	}
	return e.names[e.value]
}

func (e *enum) Set(name string) (err error) {
	e.value, err = choose(e.names, name)
	return err
}

// choose returns the index of a name, or an error that lists all, two or more.
func choose(names []string, name string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		last := len(names) - 1
		return 0, fmt.Errorf("want %s or %s", strings.Join(names[:last], ", "), names[last])
	}
	return i, nil
}

// printFlags writes a line for each flag.
func printFlags(w io.Writer, flags *flag.FlagSet) {
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	flags.VisitAll(func(f *flag.Flag) {
		arg, usage := flag.UnquoteUsage(f)
		switch f.DefValue {
		case "", "0", "false":
		default:
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(lines, "  -%s %s\t%s\n", f.Name, arg, usage)
	})
	lines.Flush()
}
