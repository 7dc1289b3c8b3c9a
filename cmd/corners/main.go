// Corners finds corners and keypoints in images, matches them and draws them. Run
// corners -h for how to use it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program. It returns the exit status: 0, 1 when something failed,
// or 2 for a command line that makes no sense.
func run(args []string, stdout, stderr io.Writer) int {
	s := &session{stdout: stdout, stderr: stderr}
	switch {
	case len(args) > 0 && args[0] == "bench":
		s.bench(args[1:])
	case len(args) > 0 && args[0] == "match":
		s.match(args[1:])
	default:
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
