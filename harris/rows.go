package harris

import "github.com/fastcorners/fast/internal/tensor"

// rowPadding is the room that rows have beyond their ends: kernels work on whole
// vectors, some of them on several at once.
const rowPadding = 64

// newRow returns a row with room for whole vectors.
func newRow[T float32 | float64](n int) []T {
	return make([]T, n+rowPadding)[:n]
}

// A rowKernels calls the kernels for rows of floats and of doubles. It holds their arguments.
type rowKernels struct {
	kernels     *kernels
	widenRun    widenRun
	weighRun    weighRun
	multiplyRun multiplyRun
	slideRun    slideDoublesRun
	boxRun      boxRun
}

// release forgets what belongs to the caller.
func (w *rowKernels) release() {
	w.widenRun = widenRun{}
}

// minWidth is the least number of elements for kernels whose last vector ends with a row.
const minWidth = 16

// A widenRun is a row of at least minWidth bytes to be converted to floats.
type widenRun struct {
	src   []byte
	dst   []float32
	ahead *byte // where as many bytes begin that will be needed soon
}

// convert makes dst the pixels.
func (w *rowKernels) convert(dst []float32, pixels []uint8) {
	w.widenRun = widenRun{pixels, dst, &pixels[0]}
	if len(dst) < minWidth {
		widen(&w.widenRun)
		return
	}
	w.kernels.widen(&w.widenRun)
}

// widen is the kernel in Go.
func widen(r *widenRun) {
	for i, p := range r.src[:len(r.dst)] {
		r.dst[i] = float32(p)
	}
}

// smooth makes dst the weighted sum of lines, as a weighRun says.
func (w *rowKernels) smooth(dst, weights []float32, lines [][]float32) {
	w.weighRun = weighRun{dst, lines, weights}
	w.kernels.weighSums(&w.weighRun)
}

// derive makes dst the weighted sum of the differences of lines, as a weighRun says. There
// is no middle one: its weight is 0.
func (w *rowKernels) derive(dst, weights []float32, lines [][]float32) {
	w.weighRun = weighRun{dst, lines, weights}
	w.kernels.weighDifferences(&w.weighRun)
}

// multiply makes dst the products of gradients: their squares along x and y, and x times
// y.
func (w *rowKernels) multiply(dst *[3][]float32, gx, gy []float32) {
	w.multiplyRun = multiplyRun{gx, gy, *dst}
	w.kernels.multiply(&w.multiplyRun)
}

// A multiplyRun is a row of gradients along x and y to be multiplied.
type multiplyRun struct {
	x, y     []float32
	products [3][]float32
}

// multiply is the kernel in Go.
func multiply(r *multiplyRun) {
	n := len(r.x)
	gy, xx, yy, xy := r.y[:n], r.products[0][:n], r.products[1][:n], r.products[2][:n]
	for i, x := range r.x {
		y := gy[i]
		xx[i], yy[i], xy[i] = x*x, y*y, x*y
	}
}

// slide adds the products of n gradients of a row to sums and subtracts those of another
// row.
func (w *rowKernels) slide(sums *[3][]float64, added, removed gradientRow, n int) {
	w.slideRun = slideDoublesRun{added, removed, *sums, n}
	w.kernels.slideDoubles(&w.slideRun)
}

// A slideDoublesRun is n gradients of two rows, whose products are to be added to sums of
// columns, and subtracted from them.
type slideDoublesRun struct {
	enter, leave gradientRow
	sums         [3][]float64
	n            int
}

// slideDoubles is the kernel in Go.
func slideDoubles(r *slideDoublesRun) {
	tensor.SlideColumns(&r.sums, r.enter.x[:r.n], r.enter.y, r.leave.x, r.leave.y)
}

// box makes t of sums of columns: n tensors, each of the sums of side neighbours in a row,
// the first of which has the number of the tensor.
func (w *rowKernels) box(t *tensors, sums *[3][]float64, side, n int) {
	w.boxRun = boxRun{*sums, [3][]float32{t.a, t.b, t.c}, side, n}
	w.kernels.boxDoubles(&w.boxRun)
}

// A boxRun is n sums of side neighbours to be made in each of three rows.
type boxRun struct {
	in      [3][]float64
	out     [3][]float32
	side, n int
}

// boxDoubles is the kernel in Go.
func boxDoubles(r *boxRun) {
	tensor.SumWindows(&r.out, &r.in, r.side, r.n)
}
