// Corners finds corners and keypoints in images, matches them and draws them, finds pictures in
// other ones, and removes the shaking from videos. Run corners -h for how to use it.
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
	"slices"
	"syscall"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
)

func main() { runProgram(lifetime.Patience) }

// runProgram runs the program as a process of its own.
func runProgram(patience time.Duration) {
	report.IgnoreBrokenPipes()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	s := newSession(ctx, lifetime.Patience, os.Stdin, os.Stdout, os.Stderr)
	go func() {
		lifetime.Heed(signals, func(s os.Signal) { cancel(lifetime.Interruption{Signal: s}) }, func() <-chan time.Time { return time.After(lifetime.EchoTime) })
		s.ffmpeg.Kill()
		s.drafts.Discard()
		os.Exit(s.abandon())
	}()
	os.Exit(s.run(os.Args[1:]))
}

// The exit statuses of corners find, which are those of grep.
const (
	statusNotFound    = 1 // nothing failed
	statusNotSearched = 2 // anything failed
)

// A session is one run of the program.
type session struct {
	life    *lifetime.Lifetime
	console *report.Console
	reader  *files.Reader // of images
	drafts  *files.Drafts // of pictures
	ffmpeg  *video.FFmpeg
}

// newSession returns a session that ends early when the context is done.
func newSession(ctx context.Context, patience time.Duration, stdin io.Reader, stdout, stderr io.Writer) *session {
	s := &session{life: lifetime.New(ctx, patience), console: report.NewConsole(stdout, stderr)}
	s.reader, s.drafts = files.NewReader(s.life.Early, stdin, s.console), new(files.Drafts)
	s.ffmpeg = &video.FFmpeg{Note: s.console.Note}
	return s
}

// run runs the program and returns the exit status. When the session ends early, it does not
// wait long for what is being done.
func (s *session) run(args []string) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer s.life.End()
	defer s.drafts.Discard()
	defer s.ffmpeg.Kill()
	ended := make(chan int, 1)
	go func() { ended <- s.work(args) }()
	if status, err := s.life.Wait(ended); err == nil {
		return status
	}
	return s.abandon()
}

// abandon says that the program was interrupted, and returns the exit status. It does not wait
// for what is being done.
func (s *session) abandon() int {
	s.console.SayAbandoned()
	return s.life.Status()
}

// commands are the first words of command lines that do not find corners.
func (s *session) commands() map[string]func(args []string) error {
	return map[string]func([]string) error{
		"bench": s.bench, "find": s.locate, "match": s.match, "register": s.register, "stabilize": s.stabilize, "track": s.track,
	}
}

// work does what the command line asks for.
func (s *session) work(args []string) int {
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "-h")
	}
	command := s.find
	if len(args) > 0 {
		if c, ok := s.commands()[args[0]]; ok {
			command, args = c, args[1:]
		}
	}
	err := command(args)
	if errors.Is(err, flag.ErrHelp) {
		err = s.console.Broken() // of writing what was asked for
	}
	s.console.Fail(err)
	s.console.EndProgress()
	if s.life.Interrupted() && s.console.Left != "" {
		s.console.SayInterrupted()
		return s.life.Status()
	}
	return s.console.Status()
}

// begin sets what a session needs to know of the command line.
func (s *session) begin(r reporting) {
	s.reader.SetMemory(r.memory)
	// Garbage is collected early enough for memory to stay near what images need.
	debug.SetMemoryLimit(min(int64(r.memory), debug.SetMemoryLimit(-1)))
	s.console.ShowProgress(r.format)
}

// version returns what corners -version says.
func version() string {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return fmt.Sprintf("corners %s, %s for %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
