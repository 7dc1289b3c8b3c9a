package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/program/cli"
)

// How often progress is shown on a terminal, in one line, and elsewhere, in a line each time.
const (
	terminalEvery = time.Second
	logEvery      = time.Minute
)

// tellProgress tells every so often how much of things is done, until the function that it returns
// is called. If every is 0, that depends on where stderr is.
func tellProgress(stderr io.Writer, things string, every time.Duration) (stop func()) {
	terminal := false
	if file, ok := stderr.(*os.File); ok {
		info, err := file.Stat()
		terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if every == 0 {
		every = logEvery
		if terminal {
			every = terminalEvery
		}
	}
	began, before := time.Now(), batch.ProgressSoFar()
	ended, told := make(chan bool), make(chan bool)
	go func() {
		defer close(told)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		width := 0
		for {
			select {
			case <-ended:
				if width > 0 {
					fmt.Fprintf(stderr, "\r%*s\r", width, "")
				}
				return
			case <-ticks.C:
			}
			line := "batch: " + progressLine(before, batch.ProgressSoFar(), time.Since(began), things)
			if !terminal {
				fmt.Fprintln(stderr, line)
				continue
			}
			fmt.Fprintf(stderr, "\r%-*s", width, line)
			width = len(line)
		}
	}()
	return func() {
		close(ended)
		<-told
	}
}

// progressLine returns what has been done in a time.
func progressLine(before, now batch.Progress, took time.Duration, things string) string {
	done, todo := now.Done-before.Done, now.Todo-before.Todo
	worked := done - (now.Adopted - before.Adopted)
	rate := float64(worked) / took.Seconds()
	var line strings.Builder
	if todo > 0 {
		fmt.Fprintf(&line, "%d of %d %s (%d %%)", done, todo, things, 100*done/todo)
	} else {
		fmt.Fprintf(&line, "%d %s", done, things)
	}
	fmt.Fprintf(&line, ", %.1f a second", rate)
	if bytes := now.Bytes - before.Bytes; bytes > 0 {
		fmt.Fprintf(&line, ", %v", cli.ByteSize(bytes))
	}
	if worked > 0 && todo > done {
		left := time.Duration(float64(todo-done) / rate * float64(time.Second))
		fmt.Fprintf(&line, ", %v left", left.Round(time.Second))
	}
	fmt.Fprintf(&line, ", %d dead letters", now.Dead-before.Dead)
	if n := now.Retries - before.Retries; n > 0 {
		fmt.Fprintf(&line, ", %d requests made again", n)
	}
	return line.String()
}
