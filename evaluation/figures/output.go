package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/internal/cpu"
)

// A stamp says on what and when results were made.
type stamp struct {
	machine string
	date    string
	commit  string // with + where the tree has changes beside the results
}

func newStamp(root string) stamp {
	s := stamp{machine: cpu.Name(), date: time.Now().Format(time.DateOnly), commit: "unknown"}
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	if commit, err := git("rev-parse", "--short", "HEAD"); err == nil {
		s.commit = commit
		changes, err := git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!evaluation/results")
		if err != nil || changes != "" {
			s.commit += "+"
		}
	}
	return s
}

// line returns the stamp on one line, with the clock of the core unless it is 0.
func (s stamp) line(ghz float64) string {
	machine := s.machine
	if ghz != 0 {
		machine += fmt.Sprintf(", %.2f GHz", ghz)
	}
	return fmt.Sprintf("%s · %s %s/%s · %s · commit %s", machine, runtime.Version(), runtime.GOOS, runtime.GOARCH, s.date, s.commit)
}

// noisy is the spread from which on a time says little.
const noisy = .05

// A noise says how much the rounds of times differ.
type noise struct {
	times           int
	middle, largest float64 // of the spreads
	large           int     // how many times are noisy
}

// noise returns that of the times of the figure.
func (s *session) noise() noise {
	if len(s.spreads) == 0 {
		return noise{}
	}
	n := noise{times: len(s.spreads), middle: measure.Median(s.spreads), largest: slices.Max(s.spreads)}
	for _, spread := range s.spreads {
		if spread > noisy {
			n.large++
		}
	}
	return n
}

func (n noise) String() string {
	return fmt.Sprintf("the spread of %d of the %d times exceeds %.0f %%", n.large, n.times, 100*noisy)
}

// page returns a page: a title, the stamp, how much the times vary, and paragraphs.
func (s *session) page(title string, ghz float64, paragraphs ...string) []byte {
	if n := s.noise(); n.times > 0 {
		text := fmt.Sprintf("The spread of a time, by how much half of its rounds differ from their median at most, is %.1f %% for the "+
			"middle one of %d times and %.1f %% for the one that differs most.", 100*n.middle, n.times, 100*n.largest)
		if n.large > 0 {
			text += " Something else ran meanwhile: " + n.String() + "."
		}
		paragraphs = append([]string{text}, paragraphs...)
	}
	return s.stamp.markdown(title, ghz, paragraphs...)
}

// markdown returns a page: a title, the stamp and paragraphs.
func (s stamp) markdown(title string, ghz float64, paragraphs ...string) []byte {
	return []byte("# " + title + "\n\n" + s.line(ghz) + "\n\n" + strings.Join(paragraphs, "\n\n") + "\n")
}

// table returns a Markdown table. The first columns are text, the others numbers.
func table(text int, header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(header)
	b.WriteString("|" + strings.Repeat("---|", text) + strings.Repeat("--:|", len(header)-text) + "\n")
	for _, row := range rows {
		line(row)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
