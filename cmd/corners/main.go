// Corners finds FAST corners in images and draws them. Run corners -h for how
// to use it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// A config is what the command line asks for.
type config struct {
	opts      fast.Options
	detector  *fast.Detector // made of opts
	asked     *fast.Detector // the same, with scores only if -nonmax needs them
	maskFile  string         // or empty
	mask      *mask          // made of maskFile, or nil
	strongest int            // how many corners to keep at most, or 0
	spread    int            // how many corners to keep at most, or 0
	format    string         // of the report
	pictures  bool
	dir       string   // of the pictures
	args      []string // files and directories
}

// run is the program. It returns the exit status: 0, 1 when something failed,
// or 2 for a command line that makes no sense.
func run(args []string, stdout, stderr io.Writer) int {
	s := &session{stdout: stdout, stderr: stderr}
	if len(args) > 0 && args[0] == "bench" {
		s.bench(args[1:])
	} else {
		s.find(args)
	}
	return s.status
}

// A session is one run of the program.
type session struct {
	stdout, stderr io.Writer
	status         int // to exit with
}

// fail reports an error in one line.
func (s *session) fail(err error) {
	fmt.Fprintln(s.stderr, "corners:", err)
	s.status = 1
}

// failUsage reports an error of the command line, unless the user just asked
// for help.
func (s *session) failUsage(err error) {
	if !errors.Is(err, flag.ErrHelp) {
		s.fail(fmt.Errorf("%w (run corners -h for help)", err))
		s.status = 2
	}
}

// failOutput reports an error in writing to standard output.
func (s *session) failOutput(err error) {
	s.fail(fmt.Errorf("standard output: %w", reason(err)))
}

// find finds corners in images.
func (s *session) find(args []string) {
	cfg, err := parse(args, s.stdout)
	if err != nil {
		s.failUsage(err)
		return
	}
	if cfg.maskFile != "" {
		if cfg.mask, err = loadMask(cfg.maskFile); err != nil {
			s.fail(err)
			return
		}
	}
	inputs := findInputs(cfg.args, s.fail)
	if cfg.pictures && len(inputs) > 0 {
		if err := makeDir(cfg.dir); err != nil {
			s.fail(err)
			return
		}
		read := inputs
		if cfg.mask != nil {
			read = append(slices.Clone(inputs), cfg.mask.input)
		}
		namePictures(inputs, read, cfg.dir)
	}

	bar := newBar(len(inputs), cfg.format, s.stdout, s.stderr)
	rep := newReport(cfg.format, s.stdout)
	var drawn []string
	for _, in := range inputs {
		res, err := process(cfg, in)
		if err != nil {
			bar.Clear()
			s.fail(err)
		} else if err := rep.add(res); err != nil {
			bar.Clear()
			s.failOutput(err)
			return
		} else if res.picture != "" {
			drawn = append(drawn, res.picture)
		}
		bar.Add(1)
	}
	err = rep.close()
	if err == nil && len(drawn) > 0 {
		notes := s.stderr
		if cfg.format == formatTable {
			notes = s.stdout
		}
		err = announce(notes, drawn, cfg.dir)
	}
	if err != nil {
		s.failOutput(err)
	}
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
	flags := newFlagSet("corners")
	threshold := flags.Int("threshold", defaultThreshold, thresholdUsage)
	flags.IntVar(&cfg.opts.ArcLength, "arc", 10, "`N` contiguous pixels of the ring make a corner, 9 to 12")
	flags.BoolVar(&cfg.opts.NonmaxSuppression, "nonmax", false, "keep only the corners that are stronger than all corners next to them")
	flags.StringVar(&cfg.maskFile, "mask", "", "keep only the corners where the image `FILE` is not black")
	flags.IntVar(&cfg.strongest, "strongest", 0, "keep only the `N` strongest corners; 0 keeps all")
	flags.IntVar(&cfg.spread, "spread", 0, "keep only `N` corners, spread evenly over the image; 0 keeps all")
	flags.TextVar(&cfg.opts.Kernel, "kernel", fast.Auto, "`NAME` of the code that does the work; all find the same corners")
	flags.IntVar(&cfg.opts.Workers, "workers", 1, "let `N` goroutines share the rows of an image; below 0, one for each processor")
	flags.StringVar(&cfg.dir, "o", ".", "write the pictures into `DIR`, which is made when it is missing")
	flags.StringVar(&cfg.format, "format", formatTable, formatUsage)
	noPicture := flags.Bool("no-picture", false, "do not draw the corners")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printHelp(stdout, flags)
		}
		return config{}, err
	}

	if err := checkCommon(*threshold, cfg.format, flags.Args()); err != nil {
		return config{}, err
	}
	switch arc := cfg.opts.ArcLength; {
	case arc < 9 || arc > 12:
		return config{}, fmt.Errorf("invalid value %d for flag -arc: want 9 to 12", arc)
	case cfg.strongest < 0:
		return config{}, fmt.Errorf("invalid value %d for flag -strongest: want 0 or more", cfg.strongest)
	case cfg.spread < 0:
		return config{}, fmt.Errorf("invalid value %d for flag -spread: want 0 or more", cfg.spread)
	case cfg.dir == "":
		return config{}, errors.New("flag -o needs a directory")
	}
	cfg.opts.Threshold = uint8(*threshold)
	cfg.pictures = !*noPicture
	cfg.args = flags.Args()
	var err error
	if cfg.asked, err = fast.New(cfg.opts); err != nil {
		return config{}, err
	}
	cfg.opts.Kernel = cfg.asked.Kernel()
	cfg.opts.Score = true
	cfg.detector, err = fast.New(cfg.opts)
	return cfg, err
}

// What the flags of corners and of corners bench have in common.
const (
	defaultThreshold = 25
	thresholdUsage   = "pixels of the arc must differ by more than `T` gray levels, 0 to 255"
	formatUsage      = "`FORMAT` of the report on standard output: table, csv or json"
)

// newFlagSet returns a FlagSet that reports errors by its return value only.
func newFlagSet(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags
}

// checkCommon checks the flags that corners and corners bench share, and that
// no flag is among the files.
func checkCommon(threshold int, format string, args []string) error {
	switch {
	case threshold < 0 || threshold > 255:
		return fmt.Errorf("invalid value %d for flag -threshold: want 0 to 255", threshold)
	case format != formatTable && format != formatCSV && format != formatJSON:
		return fmt.Errorf("invalid value %q for flag -format: want table, csv or json", format)
	}
	for _, arg := range args {
		if _, err := os.Lstat(arg); err != nil && len(arg) > 1 && arg[0] == '-' {
			return fmt.Errorf("%s: no such file; flags go before the files", arg)
		}
	}
	return nil
}

// newBar returns a progress bar for n steps. It shows only for several steps,
// on a terminal, and when no csv or json goes to that terminal.
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
