package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// comparePeers compares package fast with libCVD and OpenCV.
func comparePeers(s *session) (map[string][]byte, error) {
	if _, err := peers.Open(); errors.Is(err, peers.ErrMissing) {
		return nil, skipError(err.Error())
	} else if err != nil {
		return nil, err
	}
	thresholds := []uint8{25, 10, 50} // that of the chart first
	var sizes []spec
	steps := 0
	for _, size := range peers.Sizes {
		c := s.shorten(spec{size.W, size.H, size.Frames, peers.Rounds})
		sizes = append(sizes, c)
		steps += len(thresholds) * c.steps()
	}
	s.steps(steps)

	results := map[uint8][][]peers.Time{} // by threshold and size
	var clocks []float64
	for _, size := range sizes {
		frames := s.frames(size)
		for _, threshold := range thresholds {
			times, ghz, err := peers.Compare(frames, threshold, size.Rounds, s.step)
			if err != nil {
				return nil, err
			}
			clocks = append(clocks, ghz)
			results[threshold] = append(results[threshold], times)
		}
	}
	ghz := measure.Median(clocks)

	svg, err := s.peersChart(sizes, results[thresholds[0]], thresholds[0], ghz)
	if err != nil {
		return nil, err
	}
	var numbers bytes.Buffer
	w := csv.NewWriter(&numbers)
	w.Write([]string{"frames", "threshold", "test", "detector", "peer", "ns_per_pixel", "times_auto", "clock_ghz", "machine", "date", "commit"})
	paragraphs := []string{"Nanoseconds per pixel, one thread, all detectors over the same frames in one process, taking turns; medians over the " +
		"rounds. In brackets: how many times as long as `auto` takes for the same test. Detectors marked with * are those of " +
		"libCVD and OpenCV as Debian packages them; the others are kernels of package fast, and `auto` is the one that it " +
		"chooses by itself, here `" + peers.AutoKernel().String() + "`. The corners are equal, and with suppression the scores, too; a test compares them."}
	for _, threshold := range thresholds {
		header := []string{"test", "detector"}
		var rows [][]string
		for i, size := range sizes {
			header = append(header, fmt.Sprintf("%v, %d frames", size, size.Frames))
			for j, t := range results[threshold][i] {
				w.Write([]string{
					size.String(), strconv.Itoa(int(threshold)), t.Test, t.Detector, strconv.FormatBool(t.Peer),
					fmt.Sprintf("%.4f", t.Nanoseconds), fmt.Sprintf("%.2f", t.Ratio), fmt.Sprintf("%.3f", ghz),
					s.stamp.machine, s.stamp.date, s.stamp.commit,
				})
				if i == 0 {
					name := t.Detector
					if t.Peer {
						name += " *"
					}
					rows = append(rows, []string{t.Test, name})
				}
				rows[j] = append(rows[j], fmt.Sprintf("%.3f (%.1f)", t.Nanoseconds, t.Ratio))
			}
		}
		paragraphs = append(paragraphs, fmt.Sprintf("## Threshold %d", threshold), table(2, header, rows))
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, err
	}
	return map[string][]byte{
		"peers.svg": svg,
		"peers.csv": numbers.Bytes(),
		"peers.md":  s.stamp.markdown("Package fast, libCVD and OpenCV side by side", ghz, paragraphs...),
	}, nil
}

// peersChart draws how many pixels the detectors do in a second, a bar for each
// size of frames.
func (s *session) peersChart(sizes []spec, results [][]peers.Time, threshold uint8, ghz float64) ([]byte, error) {
	p := newPlot(fmt.Sprintf("Throughput of one thread, threshold %d", threshold), "gigapixels per second", "")
	c := newChart(p)
	c.note = s.stamp.line(ghz) + "\nDifferent frames of photos, in one process, taking turns. The corners are the same. auto: " +
		peers.AutoKernel().String() + "."
	const width = vg.Length(11)
	var labels plotter.XYLabels
	for i, times := range results {
		// The first row belongs at the top, so it comes last. An empty one
		// separates the tests.
		var values [2]plotter.Values // of package fast, and of the others
		var names []string
		for j := len(times) - 1; j >= 0; j-- {
			t := times[j]
			if j+1 < len(times) && t.Test != times[j+1].Test {
				names = append(names, "")
				values[0], values[1] = append(values[0], 0), append(values[1], 0)
			}
			rate := 1 / t.Nanoseconds
			label := fmt.Sprintf("%.2f", rate)
			pair := [2]float64{rate, 0}
			if t.Peer {
				label += fmt.Sprintf("   (auto: %.1f times as fast)", t.Ratio)
				pair = [2]float64{0, rate}
			}
			for k := range values {
				values[k] = append(values[k], pair[k])
			}
			names = append(names, t.Test+": "+t.Detector)
			// A row is one unit high.
			labels.XYs = append(labels.XYs, plotter.XY{X: rate, Y: float64(len(names)-1) + .21*float64(1-2*i)})
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
			bars.Offset = (width + 1) / 2 * vg.Length(1-2*i)
			p.Add(bars)
			c.legend.Add(fmt.Sprintf("%s, %v", []string{"package fast", "others"}[k], sizes[i]), bars)
		}
		p.NominalY(names...)
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
	p.X.Tick.Marker = evenly(&p.X, 2)
	return c.svg(900, 480, 150)
}
