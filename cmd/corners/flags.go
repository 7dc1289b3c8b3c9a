package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
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

// An output says how a run works and where its results go.
type output struct {
	workers   int
	format    string // of the report
	dir       string // of the pictures
	noPicture bool
}

// define defines the flags for o.
func (o *output) define(flags *flag.FlagSet) {
	flags.IntVar(&o.workers, "workers", 1, "let `N` goroutines share an image; -1: all CPUs")
	flags.StringVar(&o.format, "format", formatTable, formatUsage)
	flags.StringVar(&o.dir, "o", ".", "write pictures into `DIR`, which is made if missing")
	flags.BoolVar(&o.noPicture, "no-picture", false, "draw nothing")
}

// check returns an error that names the first flag that makes no sense.
func (o *output) check() error {
	if o.dir == "" {
		return errors.New("flag -o needs a directory")
	}
	return checkFormat(o.format)
}

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

// choose returns the index of a name, or an error that lists all, two or more.
func choose(names []string, name string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		last := len(names) - 1
		return 0, fmt.Errorf("want %s or %s", strings.Join(names[:last], ", "), names[last])
	}
	return i, nil
}

// checkArgs returns an error if a flag is among the files.
func checkArgs(args []string) error {
	for _, arg := range args {
		if _, err := os.Lstat(arg); err != nil && len(arg) > 1 && arg[0] == '-' {
			return fmt.Errorf("%s: no such file; flags go before the files", arg)
		}
	}
	return nil
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
