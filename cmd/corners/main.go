// Corners finds FAST corners in images and draws them. Run corners -h for how
// to use it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/fastcorners/fast"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// A config is what the command line asks for.
type config struct {
	opts     fast.Options
	detector *fast.Detector // made of opts
	format   string         // of the report
	pictures bool
	dir      string   // of the pictures
	args     []string // files and directories
}

// run is the program. It returns the exit status: 0, 1 when something failed,
// or 2 for a command line that makes no sense.
func run(args []string, stdout, stderr io.Writer) int {
	status := 0
	fail := func(err error) {
		fmt.Fprintln(stderr, "corners:", err)
		status = 1
	}

	cfg, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fail(fmt.Errorf("%w (run corners -h for help)", err))
		return 2
	}
	inputs := findInputs(cfg.args, fail)
	if cfg.pictures && len(inputs) > 0 {
		if err := makeDir(cfg.dir); err != nil {
			fail(err)
			return 1
		}
		namePictures(inputs, cfg.dir)
	}

	bar := newBar(len(inputs), cfg.format, stdout, stderr)
	rep := newReport(cfg.format, stdout)
	var drawn []string
	for _, in := range inputs {
		res, err := process(cfg, in)
		if err != nil {
			bar.Clear()
			fail(err)
		} else if err := rep.add(res); err != nil {
			bar.Clear()
			fail(fmt.Errorf("standard output: %w", reason(err)))
			return 1
		} else if res.picture != "" {
			drawn = append(drawn, res.picture)
		}
		bar.Add(1)
	}
	err = rep.close()
	if err == nil && len(drawn) > 0 {
		notes := stderr
		if cfg.format == formatTable {
			notes = stdout
		}
		err = announce(notes, drawn, cfg.dir)
	}
	if err != nil {
		fail(fmt.Errorf("standard output: %w", reason(err)))
	}
	return status
}

// announce says which pictures were written into dir.
func announce(w io.Writer, pictures []string, dir string) error {
	what := pictures[0]
	if n := len(pictures); n > 1 {
		what = fmt.Sprintf("%d pictures into %s", n, dir)
	}
	_, err := fmt.Fprintf(w, "wrote %s\n", what)
	return err
}

// parse reads the command line. Asked for help, it writes that to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var cfg config
	flags := flag.NewFlagSet("corners", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	threshold := flags.Int("threshold", 25, "pixels of the arc must differ by more than `T` gray levels, 0 to 255")
	flags.IntVar(&cfg.opts.ArcLength, "arc", 10, "`N` contiguous pixels of the ring make a corner, 9 to 12")
	flags.BoolVar(&cfg.opts.NonmaxSuppression, "nonmax", false, "keep only the corners that are stronger than all corners next to them")
	flags.TextVar(&cfg.opts.Kernel, "kernel", fast.Auto, "`NAME` of the code that does the work; all find the same corners")
	flags.StringVar(&cfg.dir, "o", ".", "write the pictures into `DIR`, which is made when it is missing")
	flags.StringVar(&cfg.format, "format", formatTable, "`FORMAT` of the report on standard output: table, csv or json")
	noPicture := flags.Bool("no-picture", false, "do not draw the corners")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printHelp(stdout, flags)
		}
		return config{}, err
	}

	switch arc := cfg.opts.ArcLength; {
	case *threshold < 0 || *threshold > 255:
		return config{}, fmt.Errorf("invalid value %d for flag -threshold: want 0 to 255", *threshold)
	case arc < 9 || arc > 12:
		return config{}, fmt.Errorf("invalid value %d for flag -arc: want 9 to 12", arc)
	case cfg.format != formatTable && cfg.format != formatCSV && cfg.format != formatJSON:
		return config{}, fmt.Errorf("invalid value %q for flag -format: want table, csv or json", cfg.format)
	case cfg.dir == "":
		return config{}, errors.New("flag -o needs a directory")
	}
	cfg.opts.Threshold = uint8(*threshold)
	cfg.pictures = !*noPicture
	cfg.args = flags.Args()
	for _, arg := range cfg.args {
		if _, err := os.Lstat(arg); err != nil && len(arg) > 1 && arg[0] == '-' {
			return config{}, fmt.Errorf("%s: no such file; flags go before the files", arg)
		}
	}
	var err error
	cfg.detector, err = fast.New(cfg.opts)
	return cfg, err
}

// newBar returns a progress bar for n files. It shows only for several files,
// on a terminal, and when no corner lists go to that terminal.
func newBar(n int, format string, stdout, stderr io.Writer) *progressbar.ProgressBar {
	visible := n > 1 && isTerminal(stderr) && (format == formatTable || !isTerminal(stdout))
	return progressbar.NewOptions(n,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetVisibility(visible),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
	)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
