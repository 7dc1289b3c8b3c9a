package harris

import "github.com/fastcorners/fast/internal/tensor"

// rowPadding is the room that rows have beyond their ends: kernels work on whole
// vectors, some of them on several at once.
const rowPadding = 64

// newRow returns a row with room for whole vectors.
func newRow[T float32 | float64](n int) []T {
	return make([]T, n+rowPadding)[:n]
}

// rowWork does what there is to do with rows of floats: in assembly, or in Go.
type rowWork struct {
	kernels     *kernels // nil for those in Go
	widenRun    widenRun
	weighRun    weighRun
	taps        []weighTap
	multiplyRun rowRun
	slideRun    slideDoublesRun
	boxRun      boxRun
}

// release forgets what belongs to the caller.
func (w *rowWork) release() {
	w.widenRun = widenRun{}
}

// convert makes dst the pixels.
func (w *rowWork) convert(dst []float32, pixels []uint8) {
	if w.kernels == nil || len(dst) < widenPixels {
		for i, p := range pixels[:len(dst)] {
			dst[i] = float32(p)
		}
		return
	}
	w.widenRun = widenRun{&pixels[0], &dst[0], len(dst), &pixels[0]}
	w.kernels.widen(&w.widenRun)
}

// smooth makes dst the weighted sum of lines: see smooth.
func (w *rowWork) smooth(dst, weights []float32, lines [][]float32) {
	if w.kernels == nil {
		smooth(dst, weights, lines)
		return
	}
	w.weigh(dst, weights, lines)
	w.kernels.weighSums(&w.weighRun)
}

// derive makes dst the weighted sum of differences of lines: see derive.
func (w *rowWork) derive(dst, weights []float32, lines [][]float32) {
	if w.kernels == nil {
		derive(dst, weights, lines)
		return
	}
	w.weigh(dst, weights, lines)
	w.kernels.weighDifferences(&w.weighRun)
}

// weigh prepares a weighRun.
func (w *rowWork) weigh(dst, weights []float32, lines [][]float32) {
	w.taps = w.taps[:0]
	for i := 1; i < max(len(weights), 2); i++ {
		weight, before, after := pair(weights, lines, i)
		w.taps = append(w.taps, weighTap{&before[0], &after[0], weight})
	}
	w.weighRun = weighRun{&lines[len(weights)-1][0], &dst[0], weights[0], w.taps, len(dst)}
}

// multiply makes dst the products of gradients: their squares along x and y, and x times
// y.
func (w *rowWork) multiply(dst *[3][]float32, gx, gy []float32) {
	if w.kernels != nil {
		w.multiplyRun = rowRun{
			in:  [3]*float32{&gx[0], &gy[0]},
			out: [3]*float32{&dst[0][0], &dst[1][0], &dst[2][0]},
			n:   len(gx),
		}
		w.kernels.multiply(&w.multiplyRun)
		return
	}
	n := len(gx)
	gy, xx, yy, xy := gy[:n], dst[0][:n], dst[1][:n], dst[2][:n]
	for i, x := range gx {
		y := gy[i]
		xx[i], yy[i], xy[i] = x*x, y*y, x*y
	}
}

// slide adds the products of one row of gradients to sums and subtracts those of another
// one.
func (w *rowWork) slide(sums *[3][]float64, added, removed gradientRow, n int) {
	if w.kernels != nil {
		w.slideRun = slideDoublesRun{
			enter: [2]*float32{&added.x[0], &added.y[0]},
			leave: [2]*float32{&removed.x[0], &removed.y[0]},
			sums:  [3]*float64{&sums[0][0], &sums[1][0], &sums[2][0]},
			n:     n,
		}
		w.kernels.slideDoubles(&w.slideRun)
		return
	}
	tensor.SlideColumns(sums, added.x[:n], added.y, removed.x, removed.y)
}

// box makes t of sums of columns: of so many neighbours in a row, the first of which has
// the number of the tensor. There are n.
func (w *rowWork) box(t *tensors, sums *[3][]float64, side, n int) {
	elements := [3][]float32{t.a, t.b, t.c}
	if w.kernels == nil {
		tensor.SumWindows(&elements, sums, side, n)
		return
	}
	for i, dst := range elements {
		w.boxRun = boxRun{&sums[i][0], &dst[0], side, n}
		w.kernels.boxDoubles(&w.boxRun)
	}
}

// widenPixels is how many pixels a widenRun has at least.
const widenPixels = 16

// A widenRun is a row of n bytes, widenPixels at least, to be converted to floats.
type widenRun struct {
	src *byte
	dst *float32
	n   int
	// The kernel fetches what lies there, as many bytes, into the cache.
	ahead *byte
}

// A weighRun is a weighted sum of rows: of one, and of the sums, or differences second
// less first, of pairs of others.
type weighRun struct {
	middle, out *float32
	weight      float32
	taps        []weighTap // one at least
	n           int
}

// A weighTap is a pair of rows with its weight.
type weighTap struct {
	first, second *float32
	weight        float32
}

// A rowRun is rows to be made of others.
type rowRun struct {
	in, out [3]*float32
	n       int
}

// A slideDoublesRun is two rows of gradients along x and y, whose products are to be
// added to sums of columns, and subtracted from them.
type slideDoublesRun struct {
	enter, leave [2]*float32
	sums         [3]*float64
	n            int
}

// A boxRun is a row of sums to be made of so many neighbours each.
type boxRun struct {
	in   *float64
	out  *float32
	side int
	n    int
}

// extremes holds the largest and the smallest values of the columns of rows, which are
// none before any row has been added.
type extremes struct {
	most, least []float32
	run         rowRun
}

// reset forgets all rows.
func (e *extremes) reset() {
	e.most, e.least = e.most[:0], e.least[:0]
}

// add adds the first values of a row, in assembly, and returns how many of them.
func (e *extremes) add(k *kernels, row []float32) int {
	const vector = 16
	n := len(row) / vector * vector
	if k == nil || n == 0 {
		return 0
	}
	if known := len(e.most); known < n {
		e.most, e.least = append(e.most, row[known:n]...), append(e.least, row[known:n]...)
	}
	e.run = rowRun{
		in:  [3]*float32{&row[0], &e.most[0], &e.least[0]},
		out: [3]*float32{&e.most[0], &e.least[0]},
		n:   n,
	}
	k.extremes(&e.run)
	e.run = rowRun{}
	return n
}
