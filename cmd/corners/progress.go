package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progressPause is how long a line of progress stays as it is.
const progressPause = 200 * time.Millisecond

// A progress shows in one line of a terminal what is being done, and for how long. A nil
// progress shows nothing. (Libraries of progress bars make the program a tenth to a half
// larger.)
type progress struct {
	w     io.Writer
	width func() int // of the terminal, in characters
	begin time.Time
	stop  chan struct{}

	mu    sync.Mutex
	text  string
	shown int // how many characters there are
}

// startProgress shows progress on standard error, if that is a terminal and unless csv or
// json goes to a terminal meanwhile.
func (s *session) startProgress(format string) {
	if format != formatTable && isTerminal(s.stdout) {
		return
	}
	if isTerminal(s.stderr) {
		fd := int(s.stderr.(*os.File).Fd())
		s.progress = newProgress(s.stderr, func() int {
			width, _, err := term.GetSize(fd)
			if err != nil || width == 0 {
				return 80
			}
			return width
		})
	}
}

// endProgress shows none any longer.
func (s *session) endProgress() {
	if p := s.progress; p != nil {
		close(p.stop)
		p.pause(func() {})
		s.progress = nil
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func newProgress(w io.Writer, width func() int) *progress {
	p := &progress{w: w, width: width, begin: time.Now(), stop: make(chan struct{})}
	go func() {
		for tick := time.NewTicker(progressPause); ; {
			select {
			case <-p.stop:
				tick.Stop()
				return
			case <-tick.C:
				p.show()
			}
		}
	}()
	return p
}

// say sets what the line says from the next time on.
func (p *progress) say(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf(format, args...)
}

// show writes the line.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stop:
		return
	default:
	}
	line := []rune(fmt.Sprintf("%.0f s  %s", time.Since(p.begin).Seconds(), p.text))
	// A line as wide as the terminal would begin another one.
	line = line[:min(len(line), max(0, p.width()-1))]
	rest := max(0, p.shown-len(line))
	fmt.Fprintf(p.w, "\r%s%s", string(line), strings.Repeat(" ", rest)+strings.Repeat("\b", rest))
	p.shown = len(line)
}

// pause calls f while the line is away, so that f can write something else.
func (p *progress) pause(f func()) {
	if p == nil {
		f()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
	f()
}
