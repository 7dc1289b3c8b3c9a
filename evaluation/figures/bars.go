package main

import (
	"image/color"

	"github.com/fastcorners/fast/evaluation/peers"
	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A bar is how much a contender does.
type bar struct {
	peers.Time
	value float64
	label string
}

// end returns up to where the bar and its spread reach.
func (b bar) end() float64 { return b.value * (1 + b.Spread) }

// color returns that of the instruction set, or of peers.
func (b bar) color() color.Color {
	if b.Peer {
		return colors[vermilion]
	}
	return setColor(b.Name)
}

// bars are drawn from the top down, those of a test below its name, with their labels
// behind them. A line along the end of a bar shows the spread.
type bars struct {
	list []bar
	// base is where bars begin: at 0, or for ratios, on a logarithmic axis, at 1.
	base float64
	// rows tells how far below the top the bars are, and headings where the names of the
	// tests are, by the index of their first bar. A bar with the space around it is one unit
	// high.
	rows     []float64
	headings map[int]float64
	height   float64

	label, heading text.Style
}

// newBars returns bars of what contenders do, by their times.
func newBars(times []peers.Time, base float64, measure func(t peers.Time) (value float64, label string)) *bars {
	b := &bars{base: base, headings: map[int]float64{}}
	for i, t := range times {
		if i == 0 || t.Test != times[i-1].Test {
			b.headings[i] = b.height + .8
			b.height += 1.4
		}
		value, label := measure(t)
		b.list = append(b.list, bar{t, value, label})
		b.rows = append(b.rows, b.height+.5)
		b.height++
	}
	// The middle of letters is above that of their line.
	b.label = text.Style{Font: plot.DefaultFont, Handler: plot.DefaultTextHandler, YAlign: -.4, Color: color.Black}
	b.label.Font.Size = 9
	b.heading = b.label
	b.heading.Font.Weight = font.WeightBold
	return b
}

// plot returns a plot of the bars.
func (b *bars) plot(title, axis string) *plot.Plot {
	p, _ := newPlotAndGrid(title, axis, "")
	p.Add(b)
	p.Y.Min, p.Y.Max = 0, b.height
	p.Y.Padding, p.Y.Tick.Length = 0, 0
	p.Y.Tick.Label.Font.Size = 9
	p.Y.Tick.Label.YAlign = -.6 // package plot already lifts it, by more
	var ticks plot.ConstantTicks
	for i, bar := range b.list {
		ticks = append(ticks, plot.Tick{Value: b.height - b.rows[i], Label: bar.Name})
	}
	p.Y.Tick.Marker = ticks
	if b.base == 0 {
		p.X.Min = 0
		p.X.Tick.Marker = evenly(&p.X, roundStep(p.X.Max/5))
	} else {
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = decades(p.X.Min, p.X.Max)
	}
	return p
}

// labelGap is how far a label is from its bar.
const labelGap = vg.Length(4)

// Plot draws the bars.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, bar := range b.list {
		if row, ok := b.headings[i]; ok {
			c.FillText(b.heading, vg.Point{X: x(b.base) + labelGap, Y: y(b.height - row)}, bar.Test)
		}
		top, middle, bottom := y(b.height-b.rows[i]+.4), y(b.height-b.rows[i]), y(b.height-b.rows[i]-.4)
		base, end := x(b.base), x(bar.value)
		c.FillPolygon(bar.color(), []vg.Point{{X: base, Y: bottom}, {X: end, Y: bottom}, {X: end, Y: top}, {X: base, Y: top}})
		low, high := x(bar.value/(1+bar.Spread)), x(bar.end())
		for _, style := range []draw.LineStyle{{Color: color.White, Width: 3}, {Color: color.Black, Width: 1}} {
			c.StrokeLine2(style, low, middle, high, middle)
		}
		c.FillText(b.label, vg.Point{X: max(base, high) + labelGap, Y: middle}, bar.label)
	}
	if b.base > 0 {
		c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 1}, x(b.base), c.Min.Y, x(b.base), c.Max.Y)
	}
}

// DataRange returns what of the axes the bars take.
func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = b.base, b.base
	for _, bar := range b.list {
		xmin, xmax = min(xmin, bar.value/(1+bar.Spread)), max(xmax, bar.end())
	}
	return xmin, xmax, 0, b.height
}

// GlyphBoxes returns where the labels are, for which there must be room.
func (b *bars) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for i, bar := range b.list {
		boxes = append(boxes, plot.GlyphBox{
			X:         p.X.Norm(max(b.base, bar.end())),
			Y:         p.Y.Norm(b.height - b.rows[i]),
			Rectangle: vg.Rectangle{Max: vg.Point{X: labelGap + b.label.Width(bar.label)}},
		})
	}
	return boxes
}
