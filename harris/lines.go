package harris

import "github.com/fastcorners/fast/internal/raster"

// weights are those of smoothing and of a derivative.
type weights struct{ smooth, derive []float32 }

// sobelWeights are the weights of the gradients of integers. These are less than 1<<24,
// so that sums of float32 are exact.
var sobelWeights = [...]weights{
	Sobel3: {[]float32{2, 1}, []float32{0, 1}},
	Sobel5: {[]float32{6, 4, 1}, []float32{0, 2, 1}},
	Sobel7: {[]float32{20, 15, 6, 1}, []float32{0, 5, 4, 1}},
	Scharr: {[]float32{10, 3}, []float32{0, 1}},
}

// gaussianWeights returns the weights of a Gaussian.
func gaussianWeights(sigma float64, radius int) (w weights) {
	for i := range radius + 1 {
		weight := decay(float64(i*i) / (2 * sigma * sigma))
		w.smooth = append(w.smooth, float32(weight))
		w.derive = append(w.derive, float32(float64(i)*weight))
	}
	return w
}

// decay returns exp(-x) for an x that is not negative. Unlike that of package math it is
// the same on every platform.
func decay(x float64) float64 {
	if x > 200 {
		return 0 // in float32
	}
	// exp(-x) is the 256th power of a series that soon ends.
	x /= -256
	sum := 1.0
	for i := 16; i > 0; i-- {
		sum = 1 + float64(sum*x/float64(i))
	}
	for range 8 {
		sum *= sum
	}
	return sum
}

// A gradientRow holds the gradients of a row in both directions.
type gradientRow struct{ x, y []float32 }

func newGradientRow(n int) gradientRow {
	return gradientRow{newRow[float32](n), newRow[float32](n)}
}

// A gradient makes the rows of gradients of a strip, from top to bottom.
type gradient struct {
	work    *rowWork
	weights weights
	border  Border

	plane      *plane
	begin, end int         // the columns of the strip
	rows       [][]float32 // of the image, a ring, with as many columns more on both sides as the filters reach
	next       int         // row that will be there

	lines   [][]float32 // to be convolved
	columns gradientRow // of the image, smoothed and derived, in this order
}

func newGradient(work *rowWork, w weights, border Border) gradient {
	g := gradient{work: work, weights: w, border: border}
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

// radius returns how far the filters reach.
func (g *gradient) radius() int {
	return len(g.weights.smooth) - 1
}

// start begins a strip of the columns from begin to end with the gradients of row y.
func (g *gradient) start(p *plane, begin, end, y int) {
	g.plane, g.begin, g.end = p, begin, end
	g.next = y - g.radius()
}

// row makes the gradients of row y, the one after that of the last call.
func (g *gradient) row(y int, dst gradientRow) {
	n, radius := g.end-g.begin, g.radius()
	for ; g.next <= y+radius; g.next++ {
		g.load(g.rows[(g.next+radius)%len(g.rows)][:n+2*radius], g.next)
	}
	smoothed, derived := g.columns.x[:n+2*radius], g.columns.y[:n+2*radius]
	for i := range g.lines {
		g.lines[i] = g.rows[(y+i)%len(g.rows)]
	}
	g.work.smooth(smoothed, g.weights.smooth, g.lines)
	g.work.derive(derived, g.weights.derive, g.lines)
	along(g.lines, smoothed)
	g.work.derive(dst.x[:n], g.weights.derive, g.lines)
	along(g.lines, derived)
	g.work.smooth(dst.y[:n], g.weights.smooth, g.lines)
}

// along makes lines those that convolve along a row.
func along(lines [][]float32, row []float32) {
	for i := range lines {
		lines[i] = row[i:]
	}
}

// load makes dst row y of the image and what is beside it.
func (g *gradient) load(dst []float32, y int) {
	p := g.plane
	if g.border == Zero && (y < 0 || y >= p.H) {
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
		g.work.convert(inside, p.Row(y)[begin:end])
	}
	extend(g.border, dst, first, p.W)
}

// extend sets those columns of a row, which begins with column first, that are beyond an
// image of so many columns.
func extend[E float32 | float64](border Border, row []E, first, columns int) {
	left, right := row[:max(-first, 0)], row[min(columns-first, len(row)):]
	if border == Zero {
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
