package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"strconv"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"gonum.org/v1/plot/vg"
)

// A comparison is what races of this library with others gave, to be shown as a
// page with tables, as a list of all numbers, and as a chart.
type comparison struct {
	name         string // of the files
	title, about string // of the page
	inputs       []input
	parts        []part
	clocks       []float64
	unit         float64 // of times in tables, in nanoseconds

	// Columns of the list. Where there is only one part it has no column.
	inputColumn, partColumn, nameColumn, timeColumn string
	timeFormat                                      string

	// The chart shows the first part, as rates per so many nanoseconds.
	chartTitle, chartAxis, chartNote string
	nanoseconds                      float64
	rateFormat                       string
}

// An input is what all contenders did, as the list and as the tables call it.
type input struct{ name, column string }

// A part has a table of its own. Where there is only one it has no heading.
type part struct {
	heading, value string         // the value is for the list
	times          [][]peers.Time // by input
}

// How comparisons are made, before the versions of the peers, and what the names of
// instruction sets stand for, before what they are.
const (
	howCompared = "One thread each, all over the same inputs in one process, taking turns: medians over the rounds, and after ± their " +
		"spread. In brackets: how many times as long the fastest peer takes for the same. Peers (*) are as Debian packages them: "
	instructionSets = "The others are the package with what it may use of the processor, the best that this one has first: "
)

// compare measures tests as peers.Compare does.
func compare[T any](s *session, tests []peers.Test[T], inputs []T, units, rounds int) ([]peers.Time, float64) {
	times, ghz := peers.Compare(tests, inputs, units, rounds, s.step)
	for _, t := range times {
		s.spreads = append(s.spreads, t.Spread)
	}
	return times, ghz
}

// compareFrames has the tests of all parts of c raced at sizes of frames, and returns the
// files of c. Times are for a pixel, or else for a frame.
func (s *session) compareFrames(c *comparison, tests [][]peers.Test[*image.Gray], sizes []peers.Size, perPixel bool) (map[string][]byte, error) {
	var specs []spec
	steps := 0
	for _, size := range sizes {
		short := s.shorten(spec{size.W, size.H, size.Frames, peers.Rounds})
		specs = append(specs, short)
		steps += len(c.parts) * short.steps()
		c.inputs = append(c.inputs, input{short.String(), fmt.Sprintf("%v, %d frames", short, short.Frames)})
	}
	s.steps(steps)
	for _, spec := range specs {
		frames := s.frames(spec)
		units := len(frames)
		if perPixel {
			units = measure.Pixels(frames)
		}
		for i := range c.parts {
			times, ghz := compare(s, tests[i], frames, units, spec.Rounds)
			c.parts[i].times = append(c.parts[i].times, times)
			c.clocks = append(c.clocks, ghz)
		}
	}
	return s.files(c)
}

// openPeers returns the peers, or a skipError where there are none.
func openPeers() (*peers.Peers, error) {
	p, err := peers.Open()
	if errors.Is(err, peers.ErrMissing) {
		return nil, skipError(err.Error())
	}
	return p, err
}

// files returns the files of c.
func (s *session) files(c *comparison) (map[string][]byte, error) {
	ghz := measure.Median(c.clocks)
	list, err := s.list(c, ghz)
	if err != nil {
		return nil, err
	}
	svg, err := s.chart(c, ghz)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		c.name + ".md":  s.page(c.title, ghz, append([]string{c.about}, c.tables()...)...),
		c.name + ".csv": list,
		c.name + ".svg": svg,
	}, nil
}

// cell returns what a table says of a time, in a unit of so many nanoseconds.
func cell(t peers.Time, unit float64) string {
	text := fmt.Sprintf("%.3f ± %.0f %% (%.1f)", t.Nanoseconds/unit, 100*t.Spread, t.Speedup)
	if t.Spread > noisy {
		text += " noisy"
	}
	return text
}

// tables returns the parts as Markdown.
func (c *comparison) tables() []string {
	var paragraphs []string
	for _, part := range c.parts {
		header := []string{"test", c.nameColumn}
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
				rows[j] = append(rows[j], cell(t, c.unit))
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
	write(c.inputColumn, c.partColumn, "test", c.nameColumn, "peer", c.timeColumn, "spread", "times_peer", "clock_ghz", "machine", "date", "commit", "peers")
	versions := peers.Versions()
	for _, part := range c.parts {
		for i, times := range part.times {
			for _, t := range times {
				write(c.inputs[i].name, part.value, t.Test, t.Name, strconv.FormatBool(t.Peer),
					fmt.Sprintf(c.timeFormat, t.Nanoseconds), fmt.Sprintf("%.4f", t.Spread), fmt.Sprintf("%.2f", t.Speedup),
					fmt.Sprintf("%.3f", ghz), s.stamp.machine, s.stamp.date, s.stamp.commit, versions)
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// chart draws the rates, a plot for each input.
func (s *session) chart(c *comparison, ghz float64) ([]byte, error) {
	chart := newChart()
	chart.title = c.chartTitle
	chart.note = s.line(ghz) + "\n" + c.chartNote + "\nIn brackets: times as fast as the fastest peer. " + peers.Versions() + "."
	height := 0.
	for i, times := range c.parts[0].times {
		b := newBars(times, 0, func(t peers.Time) (float64, string) {
			rate := c.nanoseconds / t.Nanoseconds
			label := fmt.Sprintf(c.rateFormat, rate)
			if !t.Peer {
				label += fmt.Sprintf(" (%.1f)", t.Speedup)
			}
			return rate, label
		})
		height = b.height
		chart.plots = append(chart.plots, b.plot(c.inputs[i].column, c.chartAxis))
	}
	return chart.svg(900, 150+14*vg.Length(height), 0)
}
