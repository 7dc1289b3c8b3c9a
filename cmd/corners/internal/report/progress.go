package report

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progressPause is the time between two updates of the line of progress.
const progressPause = 200 * time.Millisecond

// A progress shows in a line of a terminal what is being done, and for how long. A nil
// progress shows nothing. (Libraries for progress bars make the program a tenth to a half
// larger.)
type progress struct {
	w     *os.File
	begin time.Time
	ended context.Context
	stop  func()

	mu    sync.Mutex
	text  string
	shown int // the number of characters on the line
}

// startProgress shows progress on standard error if that is a terminal, unless csv or json
// goes to a terminal meanwhile. It returns nil if there is nothing to show.
func startProgress(stdout, stderr io.Writer, format string) *progress {
	w, ok := terminal(stderr)
	if _, both := terminal(stdout); !ok || both && format != FormatTable {
		return nil
	}
	p := &progress{w: w, begin: time.Now()}
	p.ended, p.stop = context.WithCancel(context.Background())
	go func() {
		for tick := time.NewTicker(progressPause); ; {
			select {
			case <-p.ended.Done():
				tick.Stop()
				return
			case <-tick.C:
				p.show()
			}
		}
	}()
	return p
}

// terminal returns the terminal that w is, if it is one.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// end removes the line for good.
func (p *progress) end() {
	if p != nil {
		p.stop()
		p.pause(func() {})
	}
}

// say sets what the line says from the next update on.
func (p *progress) say(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf(format, args...)
}

// sayFrame says which frame is done, from 0, and how much time is left, if all is known, or 0.
func (p *progress) sayFrame(frame, all int) {
	if p == nil {
		return
	}
	done := frame + 1
	if done >= all {
		p.say("frame %d", frame)
		return
	}
	left := time.Duration(float64(time.Since(p.begin)) / float64(done) * float64(all-done))
	p.say("frame %d of %d, %v left", frame, all, left.Round(time.Second))
}

// show writes the line.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended.Err() != nil {
		return
	}
	width, _, err := term.GetSize(int(p.w.Fd()))
	if err != nil || width == 0 {
		width = 80
	}
	line := []rune(fmt.Sprintf("%.0f s  %s", time.Since(p.begin).Seconds(), p.text))
	line = line[:min(len(line), width-1)] // a line as wide as the terminal would begin another one
	rest := max(0, p.shown-len(line))
	fmt.Fprintf(p.w, "\r%s%s", string(line), strings.Repeat(" ", rest)+strings.Repeat("\b", rest))
	p.shown = len(line)
}

// pause removes the line and calls f, which can write something else.
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
