package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fastcorners/fast/internal/option"
)

// A reporter reports errors.
type reporter interface {
	fail(err error)
	failed() bool // reports whether it has reported any
}

// A console is where a session reports to, and its exit status.
type console struct {
	stdout   *stdoutWriter
	stderr   io.Writer
	progress *progress // or nil
	status   int       // to exit with
	failure  int       // the status after an error; 0: statusFailed
	said     sync.Once // that the session was interrupted
	left     string    // what an interruption leaves, or empty when all is done
}

// showProgress shows progress from now on, of a command whose report has a format.
func (c *console) showProgress(format string) {
	c.progress = startProgress(c.stdout.Writer, c.stderr, format)
}

// fail reports an error in one line, unless there is none, the session has ended early, the
// user has asked for help, or standard output is a pipe that nobody reads any longer.
func (c *console) fail(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, flag.ErrHelp) {
		return
	}
	status, text := cmp.Or(c.failure, statusFailed), err.Error()
	if _, ok := errors.AsType[usageError](err); ok {
		status = statusUsage
		if o, ok := errors.AsType[*option.Error](err); ok {
			text = fmt.Sprintf("invalid value %v for flag %s: want %s", o.Value, o.Field, o.Want)
			for _, f := range fieldFlags {
				text = strings.ReplaceAll(text, f[0], f[1])
			}
		}
		text += " (run corners -h for help)"
	}
	c.status = max(c.status, status)
	if !isBrokenPipe(err) {
		c.progress.pause(func() { fmt.Fprintln(c.stderr, "corners:", text) })
	}
}

// note says in a line what is done to a file otherwise than it may be expected.
func (c *console) note(name, format string, args ...any) {
	c.progress.pause(func() { fmt.Fprintf(c.stderr, "corners: %s: %s\n", printable(name), fmt.Sprintf(format, args...)) })
}

// failed reports whether an error has been reported.
func (c *console) failed() bool { return c.status != 0 }

// sayTime is for how long the last message waits for whoever reads it. A busy processor may take
// its time to write it.
const sayTime = time.Second

// sayAbandoned says that the session was interrupted in the middle of its report. It does not
// wait long for a pipe that nobody reads: standard error may be one.
func (c *console) sayAbandoned() {
	begin := ""
	if _, ok := terminal(c.stderr); ok {
		begin = "\n" // after the line of progress
	}
	writing, said := make(chan bool), make(chan bool, 1)
	go func() {
		writing <- true
		c.sayInterrupted(begin, "the report is not complete")
		said <- true
	}()
	<-writing
	select {
	case <-said:
	case <-time.After(sayTime):
	}
}

// sayInterrupted says once that the session was interrupted.
func (c *console) sayInterrupted(begin, left string) {
	c.said.Do(func() { fmt.Fprintln(c.stderr, begin+"corners: interrupted:", left) })
}

// announce says which pictures were written.
func (c *console) announce(out output, pictures []string) error {
	what := printable(pictures[0])
	if n := len(pictures); n > 1 {
		what = fmt.Sprintf("%d pictures into %s", n, printable(filepath.Dir(pictures[0])))
	}
	var w io.Writer = c.stdout
	if out.format != formatTable {
		w = c.stderr
	}
	_, err := fmt.Fprintf(w, "wrote %s\n", what)
	return err
}
