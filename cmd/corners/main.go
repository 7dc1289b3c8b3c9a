// Corners finds corners and keypoints in images, matches them and draws them, finds pictures
// and markers in other ones, measures cameras, and removes the shaking from videos. Run corners -h for how to use it.
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
	"syscall"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
)

func main() { runProcess(lifetime.Patience) }

// runProcess runs the program as a process of its own.
func runProcess(patience time.Duration) {
	report.IgnoreBrokenPipes()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	p := newProgram(ctx, patience, os.Stdin, os.Stdout, os.Stderr)
	go func() {
		lifetime.Heed(signals, func(s os.Signal) { cancel(lifetime.Interruption{Signal: s}) }, func() <-chan time.Time { return time.After(lifetime.EchoTime) })
		p.ffmpeg.Kill()
		p.drafts.Discard()
		os.Exit(p.abandon())
	}()
	os.Exit(p.run(os.Args[1:]))
}

// A program is one run of the program: what its commands work with.
type program struct {
	life    *lifetime.Lifetime
	console *report.Console
	reader  *files.Reader // of images
	drafts  *files.Drafts // of what is written
	ffmpeg  *video.FFmpeg
}

// newProgram returns a run that ends early when the context is done.
func newProgram(ctx context.Context, patience time.Duration, stdin io.Reader, stdout, stderr io.Writer) *program {
	life, console := lifetime.New(ctx, patience), report.NewConsole(stdout, stderr)
	return &program{
		life:    life,
		console: console,
		reader:  files.NewReader(life.Early, stdin, console),
		drafts:  new(files.Drafts),
		ffmpeg:  &video.FFmpeg{Note: console.Note},
	}
}

// run runs the program and returns the exit status. When the run ends early, it does not
// wait long for what is being done.
func (p *program) run(args []string) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer p.life.End()
	defer p.drafts.Discard()
	defer p.ffmpeg.Kill()
	ended := make(chan int, 1)
	go func() { ended <- p.work(args) }()
	if status, err := p.life.Wait(ended); err == nil {
		return status
	}
	return p.abandon()
}

// abandon says that the program was interrupted, and returns the exit status. It does not wait
// for what is being done.
func (p *program) abandon() int {
	p.console.SayAbandoned()
	return p.life.Status()
}

// A command does what a command line asks for.
type command func(p *program, args []string) error

// commands are the first words of command lines, but of those of runDetect.
var commands = map[string]command{
	"bench": runBench, "calibrate": runCalibrate, "find": runFind, "match": runMatch, "register": runRegister,
	"stabilize": runStabilize, "tag": runTag, "track": runTrack, "undistort": runUndistort,
}

// work does what the command line asks for.
func (p *program) work(args []string) int {
	err := p.command(args)
	if errors.Is(err, flag.ErrHelp) {
		err = p.console.Broken() // of writing what was asked for
	}
	p.console.Fail(err)
	p.console.EndProgress()
	if p.life.Interrupted() && p.console.Left != "" {
		p.console.SayInterrupted()
		return p.life.Status()
	}
	return p.console.Status()
}

// command does what the command line asks for, but for its errors.
func (p *program) command(args []string) (err error) {
	if len(args) > 0 && args[0] == helpCommand {
		if args, err = helpArgs(args[1:]); err != nil {
			return report.Usage(err)
		}
	}
	if len(args) > 0 {
		if command, ok := commands[args[0]]; ok {
			return command(p, args[1:])
		}
	}
	return runDetect(p, args)
}

// begin begins the work of a command, which reports as the command line says.
func (p *program) begin(r reporting) {
	p.reader.SetMemory(r.memory)
	if r.stretch {
		p.reader.Stretch()
	}
	// Garbage is collected early enough for memory to stay near what images need.
	debug.SetMemoryLimit(min(int64(r.memory), debug.SetMemoryLimit(-1)))
	p.console.ShowProgress(r.format)
}

// version returns what corners -version says.
func version() string {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return fmt.Sprintf("corners %s, %s for %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
