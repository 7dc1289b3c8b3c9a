package overlay

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"runtime"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A Pen specifies how lines are drawn. Functions that take pens draw the first line with the first
// pen, the next with the next one, and start over after the last. Without pens, they draw with the
// zero Pen.
type Pen struct {
	// Color is the color of the lines; its transparency is ignored. With nil, the default, lines
	// cycle through eight bright colors, or shades in a gray image.
	Color color.Color
	// Width is the width of the lines in pixels. 0, the default, or less means 1, plus 1 for each
	// 1500 pixels of the longer side of the image. Rings and dots grow with it.
	Width int
}

// inTurn returns a layer of shapes, each drawn by draw with the pen whose turn it is.
func inTurn[S any](pens []Pen, shapes []S, draw func(p *pen, shape S)) func(*pen) {
	return func(p *pen) {
		thin := p.unit
		for i, shape := range shapes {
			p.color, p.unit = p.palette[i%len(p.palette)], thin
			if len(pens) > 0 {
				p.take(pens[i%len(pens)])
			}
			draw(p, shape)
		}
	}
}

// take makes p draw as a Pen says, where that is not the default.
func (p *pen) take(style Pen) {
	if style.Color != nil {
		c := color.NRGBAModel.Convert(style.Color).(color.NRGBA)
		p.color = color.RGBA{c.R, c.G, c.B, 0xff}
	}
	if style.Width > 0 {
		p.unit = float64(style.Width)
	}
}

// A pen draws lines. Coordinates and widths are in pixels, and whole numbers are the
// centers of pixels.
type pen struct {
	dst     draw.Image
	bounds  image.Rectangle
	palette *palette
	color   color.RGBA
	unit    float64 // the width of a thin line
	extra   float64 // added to the width of each line
}

// rim is the color of rims.
var rim = image.NewUniform(color.RGBA{A: 0xd0})

// withRims draws shapes with dark rims, one layer over the other. It calls each layer
// twice, first with a wider pen and then with one for the lines themselves, so that
// within a layer no rim covers a line, and rims that overlap are no darker than others.
func withRims(dst draw.Image, layers ...func(p *pen)) {
	unit, colors := lineWidth(dst), paletteOf(dst)
	inBands(dst, func(mask *image.Alpha, band image.Rectangle) {
		*mask = image.Alpha{Pix: raster.Resize(mask.Pix, band.Dx()*band.Dy()), Stride: band.Dx(), Rect: band}
		for _, layer := range layers {
			clear(mask.Pix)
			layer(&pen{dst: mask, bounds: band, palette: colors, unit: unit, extra: 2 * unit})
			draw.DrawMask(dst, band, rim, image.Point{}, mask, band.Min, draw.Over)
			layer(&pen{dst: dst, bounds: band, palette: colors, unit: unit})
		}
	})
}

// lineWidth returns the width of a thin line. Lines grow with the image, so that they remain
// visible when a large image is displayed at a smaller size.
func lineWidth(dst draw.Image) float64 {
	size := dst.Bounds().Size()
	return float64(1 + max(size.X, size.Y)/1500)
}

// inBands calls f for bands of rows that together are the image. A mask is memory for one at a time.
func inBands(dst draw.Image, f func(mask *image.Alpha, band image.Rectangle)) {
	r := dst.Bounds()
	if r.Empty() {
		return
	}
	workers := 1
	if _, ok := dst.(*image.RGBA); ok { // others may not be for several goroutines
		workers = worker.For(runtime.GOMAXPROCS(0), raster.Shares(r.Dx(), r.Dy()))
	}
	bands := raster.AppendParts(nil, r, raster.BandRows(r.Dy(), workers, 16, 1), r.Dx(), 1, 0)
	masks := worker.NewLanes("overlay", func() *image.Alpha { return new(image.Alpha) })
	worker.Each(bands, &masks, workers, len(bands), func(bands []image.Rectangle, mask *image.Alpha, i int) { f(mask, bands[i]) })
}

// disc draws a dot: the pixels whose distance from x, y is less than radius.
func (p *pen) disc(x, y, radius float64) {
	p.ring(x, y, 0, 2*radius)
}

// ring draws a circle: the pixels whose distance from the line is less than half the
// width, or equal to it inside the circle.
func (p *pen) ring(x, y, radius, width float64) {
	half := (width + p.extra) / 2
	outer, inner := square(radius+half), square(max(0, radius-half))
	top, bottom := clamp(y-radius-half, p.bounds.Min.Y, p.bounds.Max.Y), clamp(y+radius+half, p.bounds.Min.Y, p.bounds.Max.Y)
	for row := top; row < bottom; row++ {
		dy := square(float64(row) - y)
		reach, hole := math.Sqrt(max(0, outer-dy)), math.Sqrt(max(0, inner-dy))
		p.span(row, math.Floor(x-reach)+1, math.Floor(x-hole)+1)
		p.span(row, x+hole, x+reach)
	}
}

// span draws the pixels of a row from left up to, but not including, right.
func (p *pen) span(y int, left, right float64) {
	p.fill(y, clamp(left, p.bounds.Min.X, p.bounds.Max.X), clamp(right, p.bounds.Min.X, p.bounds.Max.X))
}

// fill draws the pixels of a row from left to right-1, which are in the image.
func (p *pen) fill(y, left, right int) {
	if left >= right {
		return
	}
	switch dst := p.dst.(type) {
	case *image.Alpha:
		row := dst.Pix[dst.PixOffset(left, y):][:right-left]
		for i := range row {
			row[i] = p.color.A
		}
	case *image.RGBA:
		row := dst.Pix[dst.PixOffset(left, y):][:4*(right-left)]
		for ; len(row) >= 4; row = row[4:] {
			row[0], row[1], row[2], row[3] = p.color.R, p.color.G, p.color.B, p.color.A
		}
	default:
		for x := left; x < right; x++ {
			dst.Set(x, y, p.color)
		}
	}
}

// A segment is a straight line between two points.
type segment struct {
	x0, y0, x1, y1 float64
}

// line draws a straight line, or nothing if its ends are the same or not finite.
func (p *pen) line(s segment, width float64) {
	// For each x there is a column of pixels, all of the same height. A steep line is
	// turned by 90 degrees.
	r := p.bounds
	steep := math.Abs(s.y1-s.y0) > math.Abs(s.x1-s.x0)
	if steep {
		s = segment{s.y0, s.x0, s.y1, s.x1}
		r = image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
	}
	length := s.x1 - s.x0
	if length == 0 || math.IsInf(length, 0) {
		return
	}
	slope := (s.y1 - s.y0) / length
	half := float64((width + p.extra) / 2 * math.Sqrt(1+square(slope)))
	right := clamp(math.Floor(max(s.x0, s.x1))+1, r.Min.X, r.Max.X)
	for x := clamp(min(s.x0, s.x1), r.Min.X, r.Max.X); x < right; x++ {
		y := s.y0 + float64((float64(x)-s.x0)*slope)
		bottom := clamp(y+half, r.Min.Y, r.Max.Y)
		top := clamp(y-half, r.Min.Y, r.Max.Y)
		if steep {
			p.fill(x, top, bottom)
			continue
		}
		for y := top; y < bottom; y++ {
			p.fill(y, x, x+1)
		}
	}
}

// square returns the square of v. It is not fused with another operation, which would
// make results that are not the same on every platform.
func square(v float64) float64 {
	return float64(v * v)
}

// clamp returns v, rounded up and limited to low to high, or low if v is not a number, so
// that shapes with such numbers have no pixels.
func clamp(v float64, low, high int) int {
	switch v = math.Ceil(v); {
	case v >= float64(high):
		return high
	case v > float64(low):
		return int(v)
	}
	return low
}
