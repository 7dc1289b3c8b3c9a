package harris

import "github.com/fastcorners/fast/internal/tensor"

// rowPadding is the room at the ends of rows: kernels read and write whole vectors, some
// of them several at a time.
const rowPadding = 64

// newRow returns a row of n elements with rowPadding after them.
func newRow[T float32 | float64](n int) []T {
	return make([]T, n+rowPadding)[:n]
}

// A rowKernels calls the kernels for rows of floats and of doubles, and holds their
// arguments.
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

// minWidth is the minimum length of rows for kernels whose last vector ends with the row.
const minWidth = 16

// A widenRun holds the arguments of the kernel widen, which converts at least minWidth bytes
// to floats.
type widenRun struct {
	src   []byte
	dst   []float32
	ahead *byte // the first of as many bytes to fetch into the cache
}

// convert sets dst to the pixels.
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

// smooth sets dst to the weighted sum of lines that a weighRun describes.
func (w *rowKernels) smooth(dst, weights []float32, lines [][]float32) {
	w.weighRun = weighRun{dst, lines, weights}
	w.kernels.weighSums(&w.weighRun)
}

// derive sets dst to the weighted sum of differences of lines that a weighRun describes. The
// weight of the middle line is 0.
func (w *rowKernels) derive(dst, weights []float32, lines [][]float32) {
	w.weighRun = weighRun{dst, lines, weights}
	w.kernels.weighDifferences(&w.weighRun)
}

// multiply sets dst to the products of gradients: the squares of gx and of gy, and gx*gy.
func (w *rowKernels) multiply(dst *[3][]float32, gx, gy []float32) {
	w.multiplyRun = multiplyRun{gx, gy, *dst}
	w.kernels.multiply(&w.multiplyRun)
}

// A multiplyRun holds the arguments of the kernel multiply: gradients along x and y.
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

// slide adds the products of n gradients of a row to sums, and subtracts those of another
// row.
func (w *rowKernels) slide(sums *[3][]float64, added, removed gradientRow, n int) {
	w.slideRun = slideDoublesRun{added, removed, *sums, n}
	w.kernels.slideDoubles(&w.slideRun)
}

// A slideDoublesRun holds the arguments of the kernel slideDoubles, which adds the products of
// n gradients of the row enter to sums, and subtracts those of the row leave.
type slideDoublesRun struct {
	enter, leave gradientRow
	sums         [3][]float64
	n            int
}

// slideDoubles is the kernel in Go.
func slideDoubles(r *slideDoublesRun) {
	tensor.SlideColumns(&r.sums, r.enter.x[:r.n], r.enter.y, r.leave.x, r.leave.y)
}

// box sets t to n tensors, whose elements are sums of side neighbors in a row of sums over
// columns. The first neighbor has the index of the tensor.
func (w *rowKernels) box(t *tensors, sums *[3][]float64, side, n int) {
	w.boxRun = boxRun{*sums, [3][]float32{t.a, t.b, t.c}, side, n}
	w.kernels.boxDoubles(&w.boxRun)
}

// A boxRun holds the arguments of the kernel boxDoubles, which computes n sums of side
// neighbors in each of three rows.
type boxRun struct {
	in      [3][]float64
	out     [3][]float32
	side, n int
}

// boxDoubles is the kernel in Go.
func boxDoubles(r *boxRun) {
	tensor.SumWindows(&r.out, &r.in, r.side, r.n)
}
