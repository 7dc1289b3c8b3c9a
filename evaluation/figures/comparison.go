package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/internal/program/frames"
	"gonum.org/v1/plot/vg"
)

// A comparison is what races of this library with others measured, to be shown as a page
// with tables, as a list of all numbers, and as a chart.
type comparison struct {
	name         string // of the files
	title, about string // of the page
	work         work
	inputs       []input
	rounds       int // of races on frames, or 0 for those of peers.Rounds
	parts        []part
	more         []string // of the page, after the parts
	clocks       []float64

	// Columns of the list. If there is only one part it has no column.
	inputColumn, partColumn string

	// The chart shows the first part, as rates.
	chartTitle, chartNote string
}

// A work is a unit of work, and how times and rates of it are written.
type work struct {
	unit       float64 // of times in tables, in nanoseconds
	column     string  // of times in the list
	timeFormat string
	axis       string  // of the rates in the chart
	per        float64 // nanoseconds of the rates
	rateFormat string
}

// What is compared.
var (
	perPixel = work{1, "ns_per_pixel", "%.4f", "gigapixels per second", 1, "%.2f"}
	perFrame = work{1e6, "ns_per_frame", "%.0f", "frames per second", 1e9, "%.0f"}
	perPair  = work{1, "ns_per_pair", "%.4f", "billion pairs of descriptors per second", 1, "%.2f"}
)

// nameColumn is the column of the contenders.
const nameColumn = "by"

// An input is what all contenders did, as the list and as the tables call it.
type input struct{ name, column string }

// A part has a table of its own. Where there is only one it has no heading.
type part struct {
	heading, value string         // the value is for the list
	times          [][]peers.Time // by input
}

// aboutComparison returns what the page of a comparison of the packages says: the unit of
// times, how they are measured, the instruction sets of the packages, and more.
func aboutComparison(unit string, packages []string, more string) string {
	var sets []string
	for _, set := range peers.Sets(packages...) {
		sets = append(sets, fmt.Sprintf("`%s` (%s)", set.Name, cmp.Or(set.Set.String(), "no assembly")))
	}
	return unit + ". " + howCompared() + " The others are the package with an instruction set and the features of the processor that it has: " +
		strings.Join(sets, ", ") + ". " + more
}

// howCompared says how comparisons are made, with the versions of the peers.
func howCompared() string {
	return "One thread each, all over the same inputs in one process, taking turns: medians over the rounds, followed by their spread " +
		"(±). In parentheses: how many times as long the fastest peer takes for the same work, the median of the ratios of a round. Peers (*) are those that Debian packages: " +
		peers.Versions() + "."
}

// compare measures tests as peers.Compare does.
func compare[T any](s *session, tests []peers.Test[T], inputs []T, units, rounds int) ([]peers.Time, float64) {
	times, ghz := peers.Compare(tests, inputs, units, rounds, s.step)
	for _, t := range times {
		s.spreads = append(s.spreads, t.Spread)
	}
	return times, ghz
}

// compareFrames races the tests, by the parts of c, on frames of the sizes, and returns the
// files of c.
func (s *session) compareFrames(c *comparison, tests [][]peers.Test[*image.Gray], sizes []peers.Size) (map[string][]byte, error) {
	var specs []spec
	steps := 0
	for _, size := range sizes {
		short := s.shorten(spec{size.W, size.H, size.Frames, cmp.Or(c.rounds, peers.Rounds)})
		specs = append(specs, short)
		steps += len(c.parts) * short.steps()
		c.inputs = append(c.inputs, input{short.String(), fmt.Sprintf("%v, %d frames", short, short.Frames)})
	}
	s.steps(steps)
	for _, spec := range specs {
		list := s.frames(spec)
		units := len(list)
		if c.work == perPixel {
			units = frames.Pixels(list)
		}
		for i := range c.parts {
			times, ghz := compare(s, tests[i], list, units, spec.Rounds)
			c.parts[i].times = append(c.parts[i].times, times)
			c.clocks = append(c.clocks, ghz)
		}
	}
	return s.files(c)
}

// withPeers returns a figure's function that needs the peers. It returns a skipError where
// there are none.
func withPeers(run func(s *session, opened *peers.Peers) (map[string][]byte, error)) func(s *session) (map[string][]byte, error) {
	return func(s *session) (map[string][]byte, error) {
		opened, err := peers.Open()
		if errors.Is(err, peers.ErrMissing) {
			return nil, skipError(err.Error())
		}
		if err != nil {
			return nil, err
		}
		return run(s, opened)
	}
}

// files returns the files of c.
func (s *session) files(c *comparison) (map[string][]byte, error) {
	ghz := measure.Median(c.clocks)
	list, err := s.list(c, ghz)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		c.name + ".md":  s.page(c.title, ghz, slices.Concat([]string{c.about}, c.tables(), c.more)...),
		c.name + ".csv": list,
		c.name + ".svg": s.chart(c, ghz),
	}, nil
}

// cell returns what a table says of a time. The unit is in nanoseconds.
func cell(t peers.Time, unit float64) string {
	return fmt.Sprintf("%.3f ± %.0f %% (%.1f)", t.Nanoseconds/unit, 100*t.Spread, t.Speedup)
}

// tables returns the parts as Markdown.
func (c *comparison) tables() []string {
	var paragraphs []string
	for _, part := range c.parts {
		header := []string{"test", nameColumn}
		var rows [][]string
		for _, t := range part.times[0] {
			name := t.Name
			if t.Peer {
				name += " *"
			}
			rows = append(rows, []string{t.Test, name})
		}
		for i, times := range part.times {
			header = append(header, c.inputs[i].column)
			for j, t := range times {
				rows[j] = append(rows[j], cell(t, c.work.unit))
			}
		}
		if part.heading != "" {
			paragraphs = append(paragraphs, "## "+part.heading)
		}
		paragraphs = append(paragraphs, table(2, header, rows))
	}
	return paragraphs
}

// list returns all numbers as CSV.
func (s *session) list(c *comparison, ghz float64) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	write := func(input, part string, columns ...string) {
		columns = append([]string{input, part}, columns...)
		if c.partColumn == "" {
			columns = append(columns[:1], columns[2:]...)
		}
		w.Write(columns)
	}
	write(c.inputColumn, c.partColumn, "test", nameColumn, "peer", c.work.column, "spread", "times_peer", "clock_ghz", "machine", "date", "commit", "peers")
	versions := peers.Versions()
	for _, part := range c.parts {
		for i, times := range part.times {
			for _, t := range times {
				write(c.inputs[i].name, part.value, t.Test, t.Name, strconv.FormatBool(t.Peer),
					fmt.Sprintf(c.work.timeFormat, t.Nanoseconds), fmt.Sprintf("%.4f", t.Spread), fmt.Sprintf("%.2f", t.Speedup),
					fmt.Sprintf("%.3f", ghz), s.stamp.machine, s.stamp.date, s.stamp.commit, versions)
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// chart draws the rates, a plot for each input.
func (s *session) chart(c *comparison, ghz float64) []byte {
	chart := newChart()
	chart.title = c.chartTitle
	chart.note = s.stamp.line(ghz) + "\n" + c.chartNote + "\nIn parentheses: times as fast as the fastest peer. " + peers.Versions() + "."
	height := 0.
	for i, times := range c.parts[0].times {
		b := newBars(times, 0, func(t peers.Time) (float64, string) {
			rate := c.work.per / t.Nanoseconds
			label := fmt.Sprintf(c.work.rateFormat, rate)
			if !t.Peer {
				label += fmt.Sprintf(" (%.1f)", t.Speedup)
			}
			return rate, label
		})
		height = b.height
		chart.plots = append(chart.plots, b.plot(c.inputs[i].column, c.work.axis))
	}
	return chart.svg(900, 150+14*vg.Length(height), 0)
}
