package video

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// Processes are other programs that run.
type processes struct {
	mu      sync.Mutex
	running map[*process]bool
	ended   bool
}

// lingerTime is for how long a program that has ended, or that was killed, is waited for.
const lingerTime = time.Second

// A process is another program that runs. It is waited for at once, whoever else does.
type process struct {
	cmd    *exec.Cmd
	name   string
	said   sayings
	ended  chan struct{}
	failed error // once it has ended
}

// A missingError is the error of a program that is not in PATH.
type missingError struct{ name string }

func (e missingError) Error() string { return e.name + " is not in PATH" }

// start starts a program of PATH, whose standard streams are files or nil. A signal of the terminal
// is not sent to it. How it is started, and what it says, is shown unless show is nil.
func (p *processes) start(name string, args []string, stdin, stdout *os.File, show io.Writer) (*process, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, missingError{name}
	}
	q := &process{cmd: exec.Command(path, args...), name: name, ended: make(chan struct{})}
	q.cmd.SysProcAttr = ownGroup()
	if stdin != nil { // a nil *os.File is no nil io.Reader
		q.cmd.Stdin = stdin
	}
	if stdout != nil {
		q.cmd.Stdout = stdout
	}
	q.cmd.Stderr = &q.said
	q.cmd.WaitDelay = lingerTime // for what has its standard error and goes on
	if show != nil {
		q.cmd.Stderr = io.MultiWriter(&q.said, show)
		fmt.Fprintln(show, commandLine(name, args))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil, errors.New("it is too late to start " + name)
	}
	if err := q.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, report.Reason(err))
	}
	if p.running == nil {
		p.running = make(map[*process]bool)
	}
	p.running[q] = true
	go func() {
		q.failed = q.said.explain(name, q.cmd.Wait())
		p.mu.Lock()
		delete(p.running, q)
		p.mu.Unlock()
		close(q.ended)
	}()
	return q, nil
}

// wait waits until a process has ended, and returns its error.
func (q *process) wait() error {
	<-q.ended
	return q.failed
}

// kill ends a process.
func (q *process) kill() {
	q.cmd.Process.Kill()
	q.wait()
}

// kill ends all processes. From then on there are none. It does not wait long for one that cannot
// be killed.
func (p *processes) kill() {
	p.mu.Lock()
	p.ended = true
	var left []*process
	for q := range p.running {
		q.cmd.Process.Kill()
		left = append(left, q)
	}
	p.mu.Unlock()
	late := time.After(2 * lingerTime)
	for _, q := range left {
		select {
		case <-q.ended:
		case <-late:
			return
		}
	}
}

// Sayings are the first and the last line of what a program says.
type sayings struct{ first, last, rest []byte }

// maxSaid is how much of a line is kept.
const maxSaid = 300

func (s *sayings) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		s.rest = append(s.rest, line[:min(len(line), maxSaid-len(s.rest))]...)
		if line[len(line)-1] == '\n' {
			s.end()
		}
	}
	return len(p), nil
}

// end ends a line. One without text does not count. What part of ffmpeg says it does not either.
func (s *sayings) end() {
	text := bytes.TrimSpace(s.rest)
	if bytes.HasPrefix(text, []byte("[")) {
		if _, after, ok := bytes.Cut(text, []byte("] ")); ok {
			text = after
		}
	}
	if len(text) > 0 {
		if s.first == nil {
			s.first = bytes.Clone(text)
		}
		s.last = append(s.last[:0], text...)
	}
	s.rest = s.rest[:0]
}

// explain returns the error of a program with what it has said: the cause is mostly in the first
// line, and what it means in the last one.
func (s *sayings) explain(name string, err error) error {
	s.end()
	switch {
	case err == nil:
		return nil
	case s.first == nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	text := string(s.first)
	if last := string(s.last); last != text {
		text += "; " + last
	}
	return fmt.Errorf("%s: %s", name, strings.Trim(report.Printable(text), `"`))
}

// commandLine returns the command line of a program, for a shell.
func commandLine(name string, args []string) string {
	words := []string{name}
	for _, a := range args {
		if a == "" || strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%") != "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
