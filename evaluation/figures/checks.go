package main

import (
	"fmt"
	"image"
	"image/color"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/checks"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A shape is the size of a block of pixels.
type shape struct{ w, h int }

func (s shape) String() string { return fmt.Sprintf("%dx%d", s.w, s.h) }

// mapPhoto is the photo of the map of checks.
const mapPhoto = "camera_512x512.png"

// cornerColor is the color of corners in pictures.
var cornerColor = color.RGBA{0xff, 0xf0, 0x00, 0xff}

// heat returns the color of pixels that went through n checks: from blue where one sufficed
// to vermilion where all ran. People who confuse red and green can tell them apart.
func heat(n uint8) color.RGBA {
	part := int(min(n, checks.Max)-1) * 255 / (checks.Max - 1)
	mix := func(one, all uint8) uint8 { return uint8((int(one)*(255-part) + int(all)*part) / 255) }
	one, all := colors[blue].(color.RGBA), colors[vermilion].(color.RGBA)
	return color.RGBA{mix(one.R, all.R), mix(one.G, all.G), mix(one.B, all.B), 255}
}

// checkMaps draws how many checks the pixels of a photo go through.
func checkMaps(s *session) (map[string][]byte, error) {
	photo, err := tree.Photo(mapPhoto)
	if err != nil {
		return nil, err
	}
	shapes := []shape{{1, 1}, {64, 1}, {16, 4}, {8, 8}}
	s.steps(len(shapes))
	const threshold = 25
	counts := checks.Count(photo, threshold)
	corners := fast.Detect(photo, threshold)
	var panels []panel
	for _, shape := range shapes {
		img := image.NewRGBA(photo.Rect)
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				img.Set(x, y, photo.At(x, y)) // the edges stay so
			}
		}
		sum, pixels := 0, 0
		checks.Blocks(counts, checks.First(counts), shape.w, shape.h, func(block image.Rectangle, most uint8) {
			for y := block.Min.Y; y < block.Max.Y; y++ {
				for x := block.Min.X; x < block.Max.X; x++ {
					img.SetRGBA(x, y, tint(heat(most), photo.GrayAt(x, y).Y))
				}
			}
			n := block.Dx() * block.Dy()
			pixels += n
			sum += n * int(min(most, checks.Max))
		})
		for _, c := range corners {
			img.SetRGBA(int(c.X), int(c.Y), cornerColor)
		}
		name := "blocks of " + shape.String()
		if shape.w == 1 {
			name = "scalar"
		}
		panels = append(panels, panel{fmt.Sprintf("%s: %.2f checks per pixel", name, float64(sum)/float64(pixels)), img})
		s.step()
	}
	var keys []key
	for n := uint8(1); n <= checks.Max; n++ {
		keys = append(keys, key{heat(n), fmt.Sprint(n)})
	}
	keys[0].text = "1 check"
	keys[len(keys)-1].text += " checks"
	keys = append(keys, key{cornerColor, fmt.Sprintf("%d corners (FAST-10, threshold %d)", len(corners), threshold)})
	png, err := picture(panels, 2, keys, s.stamp.line(measure.UsualClock()))
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"checks.png": png}, nil
}

// shares draws which share of the blocks runs each check, for blocks of many
// shapes.
func shares(s *session) (map[string][]byte, error) {
	const threshold = 25
	list := []struct {
		shape
		look
	}{
		{shape{1, 1}, look{black, false, draw.CrossGlyph{}}},
		{shape{16, 1}, look{skyBlue, false, draw.CircleGlyph{}}},
		{shape{32, 1}, look{green, false, draw.CircleGlyph{}}},
		{shape{64, 1}, look{blue, false, draw.CircleGlyph{}}},
		{shape{16, 2}, look{green, true, draw.SquareGlyph{}}},
		{shape{8, 4}, look{green, true, draw.TriangleGlyph{}}},
		{shape{32, 2}, look{blue, true, draw.SquareGlyph{}}},
		{shape{16, 4}, look{purple, true, draw.TriangleGlyph{}}},
		{shape{8, 8}, look{vermilion, true, draw.PyramidGlyph{}}},
	}
	photos := s.photos
	if s.quick {
		photos = photos[:1]
	}
	s.steps(len(photos))
	sums := make([][checks.Passed + 1]float64, len(list))
	for _, photo := range photos {
		counts := checks.Count(photo, threshold)
		for i, l := range list {
			for n, share := range checks.Shares(counts, checks.First(counts), l.w, l.h) {
				sums[i][n] += share
			}
		}
		s.step()
	}

	p := newPlot("Blocks of pixels that still run a check, by the shape of the block",
		"check", fmt.Sprintf("share of the blocks (%%), mean over %d photos", len(photos)))
	ghz := measure.UsualClock()
	c := newChart(p)
	c.note = s.stamp.line(ghz) + fmt.Sprintf("\nFAST-10, threshold %d. Counted by the definition of the checks, not by the kernels.", threshold)
	p.Y.Min, p.Y.Max = 0, 100
	p.Y.Tick.Marker = evenly(&p.Y, 10)
	var ticks plot.ConstantTicks
	header := []string{"block"}
	for n := 1; n <= checks.Max; n++ {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
		header = append(header, fmt.Sprintf("check %d", n))
	}
	p.X.Tick.Marker = ticks
	header = append(header, "all passed")
	var rows [][]string
	for i, l := range list {
		var points plotter.XYs
		row := []string{l.shape.String()}
		for n := 1; n <= checks.Passed; n++ {
			percent := 100 * sums[i][n] / float64(len(photos))
			row = append(row, fmt.Sprintf("%.1f", percent))
			if n <= checks.Max {
				points = append(points, plotter.XY{X: float64(n), Y: percent})
			}
		}
		rows = append(rows, row)
		if err := c.addLine(p, l.shape.String(), points, l.look); err != nil {
			return nil, err
		}
	}
	svg := c.svg(640, 420, 75)
	return map[string][]byte{
		"shares.svg": svg,
		"shares.md": s.page("Blocks that run a check", ghz,
			fmt.Sprintf("Share of the blocks, in percent, that still run a check, mean over %d photos; FAST-10 at threshold %d. A "+
				"block goes on as long as one of its pixels may be a corner. Counted by the definition of the checks, pixel by "+
				"pixel, not by the kernels.", len(photos), threshold),
			table(1, header, rows), checkOrder),
	}, nil
}

// checkOrder says which ring pixels the checks look at.
const checkOrder = "Ring pixels are counted from the one straight above, clockwise. The checks look at the pixels " +
	"1 and 9, 5 and 13, 3 and 11, 7 and 15, 2 and 16, 8 and 10, 12 and 14, 4 and 6."
