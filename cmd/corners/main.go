// Corners finds corners and keypoints in images, matches them and draws them. Run
// corners -h for how to use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/fastcorners/fast/internal/photo"
)

func main() {
	ignoreBrokenPipes()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// The program's exit status, if it is not 0.
const (
	statusFailed      = 1
	statusUsage       = 2   // of a command line that makes no sense
	statusInterrupted = 130 // as shells have it
)

// run is the program. It returns the exit status. When the context is done, it stops early.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	s := &session{stdin: stdin, stdout: stdout, stderr: stderr, left: "nothing is done"}
	s.ctx, s.cancel = context.WithCancel(ctx)
	switch {
	case len(args) > 0 && args[0] == "bench":
		s.bench(args[1:])
	case len(args) > 0 && args[0] == "match":
		s.match(args[1:])
	default:
		s.find(args)
	}
	s.endProgress()
	s.cancel()
	if ctx.Err() != nil && s.left != "" {
		fmt.Fprintln(stderr, "corners: interrupted:", s.left)
		return statusInterrupted
	}
	return s.status
}

// A session is one run of the program.
type session struct {
	ctx            context.Context // ends the session early
	cancel         func()
	stdin          io.Reader // nil once it has been read
	stdout, stderr io.Writer
	status         int            // to exit with
	left           string         // what an interruption leaves, or empty when all is done
	memory         photo.ByteSize // that may still be used
	progress       *progress      // or nil
}

// begin sets what a session needs to know of an output.
func (s *session) begin(out output) {
	s.memory = out.memory
	// Garbage is collected early enough for memory to stay near what images need.
	debug.SetMemoryLimit(min(int64(out.memory), debug.SetMemoryLimit(-1)))
	s.startProgress(out.format)
}

// fail reports an error in one line, unless it is that the session has ended early.
func (s *session) fail(err error) {
	if !errors.Is(err, context.Canceled) {
		s.progress.pause(func() { fmt.Fprintln(s.stderr, "corners:", err) })
		s.status = statusFailed
	}
}

// failUsage reports an error of the command line, unless the user just asked
// for help.
func (s *session) failUsage(err error) {
	if !errors.Is(err, flag.ErrHelp) {
		// Users have not asked for the packages whose errors these are.
		text := err.Error()
		for _, name := range []string{"fast: ", "orb: ", "match: ", "harris: ", "lococo: ", "vpi: "} {
			text = strings.ReplaceAll(strings.TrimPrefix(text, name), ": "+name, ": ")
		}
		s.fail(errors.New(text + " (run corners -h for help)"))
		s.status = statusUsage
	}
}

// failOutput reports an error in writing to standard output, unless it is a pipe that
// nobody reads any longer, such as one to the command head.
func (s *session) failOutput(err error) {
	s.status = statusFailed
	if !isBrokenPipe(err) {
		s.fail(fmt.Errorf("standard output: %w", reason(err)))
	}
}

// version returns what corners -version says.
func version() string {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return fmt.Sprintf("corners %s, %s for %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
