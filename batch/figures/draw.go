//go:build unix

package main

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// drawWorkers draws how throughput grows with workers.
func drawWorkers(results []result, path string) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	p := plot.New()
	p.Title.Text = fmt.Sprintf("ORB keypoints of %d JPEG files", *count)
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text, p.Y.Label.Text = "workers", "images a second"
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(4)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = nil, color.Gray{0xe4}
	p.Add(grid)

	var names []string
	var rates [len(kinds)]plotter.Values
	most := 0.0
	for _, r := range results {
		names = append(names, strconv.Itoa(r.workers))
		for kind := range kinds {
			rate := float64(*count) / r.median(kind).Seconds
			rates[kind] = append(rates[kind], rate)
			most = max(most, rate)
		}
	}
	const width = 30
	for i, bars := range []struct {
		name  string
		color color.Color
	}{
		// Colors that the color-blind can tell, of Okabe and Ito.
		{"loop", color.RGBA{0xe6, 0x9f, 0x00, 0xff}},
		{"loop that writes", color.RGBA{0x56, 0xb4, 0xe9, 0xff}},
		{"pipeline", color.RGBA{0x00, 0x72, 0xb2, 0xff}},
	} {
		chart, err := plotter.NewBarChart(rates[i], vg.Points(width))
		if err != nil {
			return err
		}
		chart.Color, chart.LineStyle.Width = bars.color, 0
		chart.Offset = vg.Points(width) * (vg.Length(i) - 1)
		p.Add(chart)
		p.Legend.Add(bars.name, chart)
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.6, float64(len(results))-0.4
	// With room for the legend, and with a tick for each hundred or the like.
	p.Y.Min, p.Y.Max = 0, 1.3*most
	step := math.Pow(10, math.Floor(math.Log10(most)))
	var ticks plot.ConstantTicks
	for y := 0.0; y <= p.Y.Max; y += step {
		ticks = append(ticks, plot.Tick{Value: y, Label: strconv.FormatFloat(y, 'g', -1, 64)})
	}
	p.Y.Tick.Marker = ticks
	return p.Save(vg.Points(80+130*float64(len(results))), 9*vg.Centimeter, path)
}
