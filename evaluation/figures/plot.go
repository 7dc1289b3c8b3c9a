package main

import (
	"bytes"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func init() {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	plot.DefaultTextHandler = anchored{text.Plain{Fonts: font.DefaultCache}}
}

// colors can be told apart by people who confuse red and green, too. They are
// those that Okabe and Ito proposed, without yellow, which is too light for
// lines.
var colors = []color.Color{
	color.RGBA{0x00, 0x00, 0x00, 0xff}, // black
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
	color.RGBA{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, // green
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, // blue
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, // purple
	color.RGBA{0x80, 0x80, 0x80, 0xff}, // gray
}

const (
	black = iota
	orange
	skyBlue
	green
	blue
	vermilion
	purple
	gray
)

// setColor returns the color of an instruction set, in all charts.
func setColor(name string) color.Color {
	return colors[map[string]int{"avx512": blue, "avx2": green, "sse2": orange, "portable": black}[strings.ToLower(name)]]
}

// newPlot returns a plot with a grid. A logarithmic axis y has its name better in the title:
// package plot reserves room for it in the wrong place.
func newPlot(title, x, y string) *plot.Plot {
	p, grid := newPlotAndGrid(title, x, y)
	grid.Horizontal = grid.Vertical
	return p
}

// newPlotAndGrid returns a plot and its grid, which has vertical lines only.
func newPlotAndGrid(title, x, y string) (*plot.Plot, *plotter.Grid) {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle} {
		style.Font.Size = 11
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xe4}, nil
	p.Add(grid)
	return p, grid
}

// A chart is one plot, or several side by side, with a legend to the right,
// where it hides nothing, and a note below.
type chart struct {
	title  string // of several plots together
	plots  []*plot.Plot
	legend plot.Legend
	note   string
}

func newChart(plots ...*plot.Plot) *chart {
	legend := plot.NewLegend()
	legend.Top = true
	legend.Left = true
	legend.ThumbnailWidth = vg.Points(24)
	legend.Padding = vg.Points(3)
	legend.TextStyle.Font.Size = 10
	return &chart{plots: plots, legend: legend}
}

// evenly extends an axis up to a multiple of step and returns ticks at all of
// them.
func evenly(axis *plot.Axis, step float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	n := int(math.Ceil(axis.Max/step - 1e-9))
	for i := range n + 1 {
		v := float64(i) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 4, 64)})
	}
	axis.Max = float64(n) * step
	return ticks
}

// decades returns ticks at 1, 2 and 5 times powers of ten from low to high.
func decades(low, high float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for power := 1e-6; power <= high; power *= 10 {
		for _, n := range []float64{1, 2, 5} {
			if v := n * power; v >= low*.999 && v <= high*1.001 {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return ticks
}

// ticksAt returns ticks at these values.
func ticksAt(values ...int) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, v := range values {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: strconv.Itoa(v)})
	}
	return ticks
}

// widthTicks returns ticks at the widths of images.
func widthTicks(images []spec) plot.ConstantTicks {
	var widths []int
	for _, c := range images {
		widths = append(widths, c.W)
	}
	return ticksAt(widths...)
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

// A look is how a line is drawn.
type look struct {
	color  int // in colors
	dashed bool
	glyph  draw.GlyphDrawer // may be nil
}

// addLine adds a line through points to a plot, and its name, if it has one, to the legend.
func (c *chart) addLine(to *plot.Plot, name string, points plotter.XYs, l look) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, marks.Color = colors[l.color], colors[l.color]
	line.Width = vg.Points(1.6)
	if l.dashed {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	marks.Shape, marks.Radius = l.glyph, vg.Points(3)
	to.Add(line)
	entry := []plot.Thumbnailer{line}
	if l.glyph != nil {
		to.Add(marks)
		entry = append(entry, marks)
	}
	if name != "" {
		c.legend.Add(name, entry...)
	}
	return nil
}

// svg draws the chart in an image of this size, with a part of its width for the legend.
func (c *chart) svg(width, height, legendWidth vg.Length) []byte {
	noteHeight := vg.Length(14 + 10*(1+strings.Count(c.note, "\n")))
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	area := draw.Crop(all, 8, -12, noteHeight, -8)
	if c.title != "" {
		style := c.plots[0].Title.TextStyle
		style.Font.Size = 14
		style.XAlign, style.YAlign = text.XCenter, text.YTop
		all.FillText(style, vg.Point{X: width / 2, Y: area.Max.Y}, c.title)
		area.Max.Y -= 24
	}
	n := vg.Length(len(c.plots))
	share := (area.Max.X - area.Min.X - legendWidth) / n
	for i, p := range c.plots {
		const gap = 8 // to the next one
		left := vg.Length(i) * share
		p.Draw(draw.Crop(area, left, left+share-gap-(area.Max.X-area.Min.X), 0, 0))
	}
	c.legend.Draw(draw.Crop(area, n*share+8, 0, 0, -30))
	style := c.legend.TextStyle
	style.Font.Size = 8
	style.Color = color.Gray{0x60}
	style.XAlign, style.YAlign = text.XLeft, text.YBottom
	all.FillText(style, vg.Point{X: 10, Y: 8}, c.note)

	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		panic(err) // there is none in memory
	}
	// Where the font is missing another one takes its place, best one with the same widths.
	svg := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	return setAnchors(svg)
}
