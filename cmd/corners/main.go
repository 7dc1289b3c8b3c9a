// Corners finds corners and keypoints in images, matches them and draws them, and takes the
// shaking out of videos. Run corners -h for how to use it.
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
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

func main() {
	ignoreBrokenPipes()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	s := newSession(ctx, os.Stdin, os.Stdout, os.Stderr)
	go func() {
		cancel(interruption{<-signals})
		<-signals // which asks for an end at once
		s.drafts.discard()
		os.Exit(s.abandon())
	}()
	os.Exit(s.run(os.Args[1:]))
}

// The program's exit status, if it is not 0.
const (
	statusFailed      = 1
	statusUsage       = 2   // the command line makes no sense
	statusSignal      = 128 // plus the number of a signal, as in shells
	statusInterrupted = statusSignal + int(syscall.SIGINT)
)

// patience is for how long a session that ends early waits for work that is nearly done, and
// then for its report.
const patience = 75 * time.Millisecond

// drainTime is for how long a session that ends early writes what it has read, if it does.
const drainTime = 30 * time.Second

// An interruption is a signal that ends the program early.
type interruption struct{ os.Signal }

func (i interruption) Error() string { return i.String() }

// A session is one run of the program.
type session struct {
	outer    context.Context // done when the program is interrupted
	ctx      context.Context // done when the session ends early, then or for another reason
	late     context.Context // done when patience has passed since
	cancel   func()
	stdout   *stdoutWriter
	stderr   io.Writer
	reader   reader      // of images
	progress *progress   // or nil
	drafts   drafts      // of pictures
	drains   atomic.Bool // what has been read is written when the session ends early
	status   int         // to exit with
	said     sync.Once   // that it was interrupted
	left     string      // what an interruption leaves, or empty when all is done
}

// newSession returns a session that ends early when the context is done.
func newSession(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) *session {
	s := &session{outer: ctx, stdout: &stdoutWriter{Writer: stdout}, stderr: stderr, left: "nothing is done"}
	s.ctx, s.cancel = context.WithCancel(ctx)
	late, expire := context.WithCancel(context.Background())
	context.AfterFunc(s.ctx, func() { time.AfterFunc(patience, expire) })
	s.late = late
	s.reader = reader{ctx: s.ctx, stdin: stdin, fail: s.fail}
	return s
}

// run runs the program and returns the exit status. When the session ends early, it does not
// wait long for what is being done.
func (s *session) run(args []string) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer s.cancel()
	defer s.drafts.discard()
	ended := make(chan int, 1)
	go func() { ended <- s.work(args) }()
	select {
	case status := <-ended:
		return status
	case <-s.outer.Done():
	}
	select {
	case status := <-ended:
		return status
	case <-time.After(2 * patience):
	}
	if s.drains.Load() {
		select {
		case status := <-ended:
			return status
		case <-time.After(drainTime):
		}
	}
	return s.abandon()
}

// abandon says that the program was interrupted, and returns the exit status. It does not wait
// for what is being done, nor long for a pipe that nobody reads: standard error may be one.
func (s *session) abandon() int {
	begin := ""
	if _, ok := terminal(s.stderr); ok {
		begin = "\n" // after the line of progress
	}
	writing, said := make(chan bool), make(chan bool, 1)
	go func() {
		writing <- true
		s.sayInterrupted(begin, "the report is not complete")
		said <- true
	}()
	<-writing // A busy processor may take its time to get here.
	select {
	case <-said:
	case <-time.After(patience):
	}
	return s.interrupted()
}

// sayInterrupted says once that the program was interrupted.
func (s *session) sayInterrupted(begin, left string) {
	s.said.Do(func() { fmt.Fprintln(s.stderr, begin+"corners: interrupted:", left) })
}

// interrupted returns the exit status of a session that ends early.
func (s *session) interrupted() int {
	if i, ok := errors.AsType[interruption](context.Cause(s.outer)); ok {
		if number, ok := i.Signal.(syscall.Signal); ok {
			return statusSignal + int(number)
		}
	}
	return statusInterrupted
}

// work does what the command line asks for.
func (s *session) work(args []string) int {
	command := s.find
	if len(args) > 0 {
		switch args[0] {
		case "bench":
			command, args = s.bench, args[1:]
		case "match":
			command, args = s.match, args[1:]
		case "track":
			command, args = s.track, args[1:]
		case "register":
			command, args = s.register, args[1:]
		case "stabilize":
			command, args = s.stabilize, args[1:]
		}
	}
	err := command(args)
	if errors.Is(err, flag.ErrHelp) {
		err = s.stdout.err // of writing what was asked for
	}
	s.fail(err)
	s.progress.end()
	if s.outer.Err() != nil && s.left != "" {
		s.sayInterrupted("", s.left)
		return s.interrupted()
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
