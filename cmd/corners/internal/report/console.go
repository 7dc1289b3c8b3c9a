// Package report is how the program reports: what it says on a terminal, and the tables, the CSV
// and the JSON that commands write. Packages text/tabwriter, encoding/csv and encoding/json would
// make the program larger.
package report

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/fastcorners/fast/internal/program/cli"
)

// The program's exit status, if it is not 0.
const (
	StatusFailed = 1
	StatusUsage  = 2 // the command line makes no sense
)

// The formats of reports.
const (
	FormatTable = "table"
	FormatCSV   = "csv"
	FormatJSON  = "json"
)

// A Console is where a run of the program reports to, and its exit status.
type Console struct {
	Stdout io.Writer // whose errors say that they are those of standard output
	Stderr io.Writer
	// Left is what an interruption leaves, or empty when all is done.
	Left string

	stdout   *stdoutWriter
	progress *progress // or nil
	status   int       // to exit with
	failure  int       // the status after an error
	said     sync.Once // that the run was interrupted
}

// NewConsole returns a Console of a run that has done nothing.
func NewConsole(stdout, stderr io.Writer) *Console {
	w := &stdoutWriter{Writer: stdout}
	return &Console{Stdout: w, Stderr: stderr, Left: "nothing is done", stdout: w, failure: StatusFailed}
}

// Stream returns standard output itself, of which Stdout names the errors.
func (c *Console) Stream() io.Writer { return c.stdout.Writer }

// ShowProgress shows progress from now on, of a command whose report has a format. It reports
// whether there is a terminal to show it on.
func (c *Console) ShowProgress(format string) bool {
	c.progress = startProgress(c.stdout.Writer, c.Stderr, format)
	return c.progress != nil
}

// Say sets what the line of progress says from its next update on.
func (c *Console) Say(format string, args ...any) { c.progress.say(format, args...) }

// SayFrame says which frame is done, from 0, and how much time is left, if it is known how many
// there are in all, or 0.
func (c *Console) SayFrame(frame, all int) { c.progress.sayFrame(frame, all) }

// Pause removes the line of progress and calls f, which can write something else.
func (c *Console) Pause(f func()) { c.progress.pause(f) }

// EndProgress removes the line of progress for good.
func (c *Console) EndProgress() { c.progress.end() }

// FailWith sets the exit status after an error from now on, which is StatusFailed otherwise.
func (c *Console) FailWith(status int) { c.failure = status }

// Fail reports an error in one line, unless there is none, the run has ended early, the
// user has asked for help, or standard output is a pipe that nobody reads any longer.
func (c *Console) Fail(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, flag.ErrHelp) {
		return
	}
	status, text := c.failure, err.Error()
	if _, ok := errors.AsType[usageError](err); ok {
		status, text = StatusUsage, cli.Text(err)+" (run corners -h for help)"
	}
	c.Exit(status)
	if !isBrokenPipe(err) {
		c.Pause(func() { fmt.Fprintln(c.Stderr, "corners:", text) })
	}
}

// Exit makes the exit status at least the given one.
func (c *Console) Exit(status int) { c.status = max(c.status, status) }

// Status returns the exit status.
func (c *Console) Status() int { return c.status }

// Failed reports whether an error has been reported.
func (c *Console) Failed() bool { return c.status != 0 }

// Broken returns the first error of writing to standard output, or nil.
func (c *Console) Broken() error { return c.stdout.err }

// Note says in a line what is done to a file otherwise than it may be expected.
func (c *Console) Note(name, format string, args ...any) {
	c.Pause(func() { fmt.Fprintf(c.Stderr, "corners: %s: %s\n", Printable(name), fmt.Sprintf(format, args...)) })
}

// sayTime is for how long the last message waits for whoever reads it. A busy processor may take
// its time to write it.
const sayTime = time.Second

// SayAbandoned says that the run was interrupted in the middle of its report. It does not
// wait long for a pipe that nobody reads: standard error may be one.
func (c *Console) SayAbandoned() {
	begin := ""
	if _, ok := terminal(c.Stderr); ok {
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

// SayInterrupted says that the run was interrupted, and what that leaves.
func (c *Console) SayInterrupted() { c.sayInterrupted("", c.Left) }

// sayInterrupted says once that the run was interrupted.
func (c *Console) sayInterrupted(begin, left string) {
	c.said.Do(func() { fmt.Fprintln(c.Stderr, begin+"corners: interrupted:", left) })
}

// SayWritten says which pictures were written, beside a report in a format.
func (c *Console) SayWritten(format string, pictures []string) error {
	what := Printable(pictures[0])
	if n := len(pictures); n > 1 {
		what = fmt.Sprintf("%d pictures into %s", n, Printable(filepath.Dir(pictures[0])))
	}
	w := c.Stdout
	if format != FormatTable {
		w = c.Stderr
	}
	_, err := fmt.Fprintf(w, "wrote %s\n", what)
	return err
}

// A stdoutWriter is standard output. Its errors say so.
type stdoutWriter struct {
	io.Writer
	err error // the first one
}

func (w *stdoutWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = fmt.Errorf("standard output: %w", Reason(err))
		w.err = cmp.Or(w.err, err)
	}
	return n, err
}
