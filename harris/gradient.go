package harris

import (
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/raster"
)

// A gradientRow holds the gradients of a row along x and along y.
type gradientRow struct{ x, y []float32 }

func newGradientRow(n int) gradientRow {
	return gradientRow{newRow[float32](n), newRow[float32](n)}
}

// A gradient computes the gradients of a strip, row by row from top to bottom.
type gradient struct {
	kernels *rowKernels
	weights weights
	border  border.Mode

	plane      *plane
	begin, end int         // the columns of the strip
	rows       [][]float32 // a ring, of the image, with radius more columns on both sides
	next       int         // first row that has not been loaded

	lines   [][]float32 // to be convolved
	columns gradientRow // x is smoothed along the columns, y is differentiated
}

func newGradient(k *rowKernels, w weights, mode border.Mode) gradient {
	g := gradient{kernels: k, weights: w, border: mode}
	side := 2*g.radius() + 1
	width := maxStrip + maxBlock + side
	g.lines = make([][]float32, side)
	g.rows = make([][]float32, side)
	for i := range g.rows {
		g.rows[i] = newRow[float32](width)
	}
	g.columns = newGradientRow(width)
	return g
}

// radius returns how many pixels the filters extend in each direction.
func (g *gradient) radius() int {
	return len(g.weights.smooth) - 1
}

// start begins with row y of the columns from begin up to end.
func (g *gradient) start(p *plane, begin, end, y int) {
	g.plane, g.begin, g.end = p, begin, end
	g.next = y - g.radius()
}

// row sets dst to the gradients of row y, which is the row after that of the previous call.
func (g *gradient) row(y int, dst gradientRow) {
	n, radius := g.end-g.begin, g.radius()
	for ; g.next <= y+radius; g.next++ {
		g.load(g.rows[(g.next+radius)%len(g.rows)][:n+2*radius], g.next)
	}
	smoothed, derived := g.columns.x[:n+2*radius], g.columns.y[:n+2*radius]
	for i := range g.lines {
		g.lines[i] = g.rows[(y+i)%len(g.rows)]
	}
	g.kernels.smooth(smoothed, g.weights.smooth, g.lines)
	g.kernels.derive(derived, g.weights.derive, g.lines)
	along(g.lines, smoothed)
	g.kernels.derive(dst.x[:n], g.weights.derive, g.lines)
	along(g.lines, derived)
	g.kernels.smooth(dst.y[:n], g.weights.smooth, g.lines)
}

// along sets lines to those that convolve along a row.
func along(lines [][]float32, row []float32) {
	for i := range lines {
		lines[i] = row[i:]
	}
}

// load sets dst to row y of the image and what is beside it.
func (g *gradient) load(dst []float32, y int) {
	p := g.plane
	if g.border == border.Constant && (y < 0 || y >= p.H) {
		clear(dst)
		return
	}
	y = raster.Mirror(y, p.H)
	first := g.begin - g.radius()
	begin, end := max(first, 0), min(first+len(dst), p.W)
	inside := dst[begin-first : end-first]
	if p.luma != nil {
		copy(inside, p.luma[y*p.W:][begin:end])
	} else {
		g.kernels.convert(inside, p.Row(y)[begin:end])
	}
	extend(g.border, dst, first, p.W)
}

// extend sets the elements of a row that are beyond an image with the given number of
// columns. The first element is that of column first, which may be negative.
func extend[E float32 | float64](mode border.Mode, row []E, first, columns int) {
	left, right := row[:max(-first, 0)], row[min(columns-first, len(row)):]
	if mode == border.Constant {
		clear(left)
		clear(right)
		return
	}
	for i := range left {
		left[i] = row[raster.Mirror(first+i, columns)-first]
	}
	for i := range right {
		right[i] = row[raster.Mirror(columns+i, columns)-first]
	}
}
