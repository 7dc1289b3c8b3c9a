package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A comparison is what races of this library with others gave, to be shown as a
// page with tables, as a list of all numbers, and as a chart.
type comparison struct {
	name         string // of the files
	library      string // what of this library is compared
	title, about string // of the page
	inputs       []input
	parts        []part
	clocks       []float64
	cell         func(times []peers.Time, i int) string // what a table says of times[i]

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

// add adds the result of a race to a part.
func (c *comparison) add(part int, times []peers.Time, ghz float64) {
	c.parts[part].times = append(c.parts[part].times, times)
	c.clocks = append(c.clocks, ghz)
}

// compareFrames has all parts of c, by their index, raced at sizes of frames, and returns
// the files of c.
func (s *session) compareFrames(c *comparison, sizes []peers.Size, race func(part int, frames []*image.Gray, rounds int) ([]peers.Time, float64, error)) (map[string][]byte, error) {
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
		for i := range c.parts {
			times, ghz, err := race(i, frames, spec.Rounds)
			if err != nil {
				return nil, err
			}
			c.add(i, times, ghz)
		}
	}
	return s.files(c)
}

// openPeers returns a skipError where there are no peers.
func openPeers() error {
	_, err := peers.Open()
	if errors.Is(err, peers.ErrMissing) {
		return skipError(err.Error())
	}
	return err
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
		c.name + ".md":  s.stamp.markdown(c.title, ghz, append([]string{c.about}, c.tables()...)...),
		c.name + ".csv": list,
		c.name + ".svg": svg,
	}, nil
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
			for j := range times {
				rows[j] = append(rows[j], c.cell(times, j))
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
	write(c.inputColumn, c.partColumn, "test", c.nameColumn, "peer", c.timeColumn, "times_first", "clock_ghz", "machine", "date", "commit")
	for _, part := range c.parts {
		for i, times := range part.times {
			for _, t := range times {
				write(c.inputs[i].name, part.value, t.Test, t.Name, strconv.FormatBool(t.Peer),
					fmt.Sprintf(c.timeFormat, t.Nanoseconds), fmt.Sprintf("%.2f", t.Ratio), fmt.Sprintf("%.3f", ghz),
					s.stamp.machine, s.stamp.date, s.stamp.commit)
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// chart draws the rates, a bar for each input.
func (s *session) chart(c *comparison, ghz float64) ([]byte, error) {
	p := newPlot(c.chartTitle, c.chartAxis, "")
	chart := newChart(p)
	chart.note = s.stamp.line(ghz) + "\n" + c.chartNote
	const width = vg.Length(11)
	rows := 0
	var labels plotter.XYLabels
	for i, times := range c.parts[0].times {
		// Where the bars of this input are, in their width, from the middle of a row.
		place := float64(len(c.inputs)-1)/2 - float64(i)
		// The first row belongs at the top, so it comes last. An empty one
		// separates the tests.
		var values [2]plotter.Values // of this library, and of the others
		var names []string
		for j := len(times) - 1; j >= 0; j-- {
			t := times[j]
			if j+1 < len(times) && t.Test != times[j+1].Test {
				names = append(names, "")
				values[0], values[1] = append(values[0], 0), append(values[1], 0)
			}
			rate := c.nanoseconds / t.Nanoseconds
			label := fmt.Sprintf(c.rateFormat, rate)
			pair := [2]float64{rate, 0}
			if t.Peer {
				label += fmt.Sprintf("   (%s: %.1f times as fast)", first(times, j).Name, t.Ratio)
				pair = [2]float64{0, rate}
			}
			for k := range values {
				values[k] = append(values[k], pair[k])
			}
			names = append(names, t.Test+": "+t.Name)
			// A row is one unit high.
			labels.XYs = append(labels.XYs, plotter.XY{X: rate, Y: float64(len(names)-1) + .42*place})
			labels.Labels = append(labels.Labels, label)
		}
		for k, tone := range [][2]int{{blue, skyBlue}, {vermilion, orange}} {
			bars, err := plotter.NewBarChart(values[k], width)
			if err != nil {
				return nil, err
			}
			bars.Horizontal = true
			bars.Color = colors[tone[i]]
			bars.LineStyle.Width = 0
			bars.Offset = (width + 1) * vg.Length(place)
			p.Add(bars)
			chart.legend.Add(fmt.Sprintf("%s, %s", []string{c.library, "others"}[k], c.inputs[i].name), bars)
		}
		p.NominalY(names...)
		rows = len(names)
	}
	texts, err := plotter.NewLabels(labels)
	if err != nil {
		return nil, err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i].YAlign = text.YCenter
		texts.TextStyle[i].Font.Size = 9
	}
	texts.Offset = vg.Point{X: 4}
	p.Add(texts)
	p.X.Min, p.X.Max = 0, p.X.Max*1.08
	p.X.Tick.Marker = evenly(&p.X, roundStep(p.X.Max/10))
	return chart.svg(900, 90+vg.Length(rows*(2+12*len(c.inputs))), 150)
}

// first returns the first time of the test that times[i] is of.
func first(times []peers.Time, i int) peers.Time {
	return times[slices.IndexFunc(times, func(t peers.Time) bool { return t.Test == times[i].Test })]
}

// roundStep returns the least of 1, 2 and 5 times powers of ten that is not less
// than v.
func roundStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v {
			return n * power
		}
	}
	return 10 * power
}
