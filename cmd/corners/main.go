// Corners finds corners and keypoints in images, matches them and draws them. Run
// corners -h for how to use it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
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
	statusUsage       = 2   // the command line makes no sense
	statusInterrupted = 130 // as in shells
)

// A session is one run of the program.
type session struct {
	ctx      context.Context // ends the session early
	cancel   func()
	stdout   stdoutWriter
	stderr   io.Writer
	reader   reader    // of images
	progress *progress // or nil
	status   int       // to exit with
	left     string    // what an interruption leaves, or empty when all is done
}

// run is the program. It returns the exit status. When the context is done, it stops early.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	s := &session{stdout: stdoutWriter{stdout}, stderr: stderr, left: "nothing is done"}
	s.ctx, s.cancel = context.WithCancel(ctx)
	defer s.cancel()
	s.reader = reader{ctx: s.ctx, stdin: stdin, fail: s.fail}
	command := s.find
	if len(args) > 0 {
		switch args[0] {
		case "bench":
			command, args = s.bench, args[1:]
		case "match":
			command, args = s.match, args[1:]
		}
	}
	s.fail(command(args))
	s.progress.end()
	if ctx.Err() != nil && s.left != "" {
		fmt.Fprintln(stderr, "corners: interrupted:", s.left)
		return statusInterrupted
	}
	return s.status
}

// begin sets what a session needs to know of the command line.
func (s *session) begin(r reporting) {
	s.reader.memory = r.memory
	// Garbage is collected early enough for memory to stay near what images need.
	debug.SetMemoryLimit(min(int64(r.memory), debug.SetMemoryLimit(-1)))
	s.progress = startProgress(s.stdout.Writer, s.stderr, r.format)
}

// version returns what corners -version says.
func version() string {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return fmt.Sprintf("corners %s, %s for %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
