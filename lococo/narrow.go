package lococo

import "github.com/fastcorners/fast/internal/tensor"

// maxNarrow is how far the kernels of a narrow reach at most.
const maxNarrow = 4

// A narrow is the windows of small kernels, in assembly: of those whose gradients have 16
// bits, and the sums of whose products 32.
type narrow struct {
	kernels   *kernels
	reach     int
	windows   *tensor.Windows
	gradients [][2][]int16 // the rows of a window and one more, a ring
	newest    int          // of these
	rows      int          // how many have entered
	n         int
	run       gradientsRun
}

// A gradientsRun is a row of gradients to be made of bands, from a column on.
type gradientsRun struct {
	bands, out [2]*int16
	n          int // a multiple of 32
}

// isNarrow reports whether a narrow may serve. Where both gradients are large they share
// pixels: of gx+gy, or gx-gy, the weights of one sign have the sum 2hh+6h+2 for h = r-1, and
// the product is at most the square of half of that.
func (s *size) isNarrow() bool {
	if s.r > maxNarrow {
		return false
	}
	gradient := int64(s.gradient())
	h := int64(s.r - 1)
	sum := (2*h*h + 6*h + 2) * 255
	return tensor.HasWindows(2*s.q+1, gradient*gradient, (sum*sum+3)/4)
}

func newNarrow(s size) *narrow {
	w := &narrow{
		reach:     s.r,
		windows:   tensor.NewWindows(2*s.q+1, &s.measure, maxStrip),
		gradients: make([][2][]int16, 2*s.q+2),
	}
	const width = padding + maxStrip + padding
	for i := range w.gradients {
		w.gradients[i] = [2][]int16{make([]int16, width), make([]int16, width)}
	}
	return w
}

// serve makes kernels those to use, and reports whether w can serve.
func (w *narrow) serve(k *kernels) bool {
	w.kernels = k
	return w.windows.Serve()
}

func (w *narrow) start(n int) {
	w.n, w.rows = n, 0
	w.windows.Start(n)
}

func (w *narrow) slide(bands *[2][]int16, dst []float32) {
	w.newest = (w.newest + 1) % len(w.gradients)
	enter := &w.gradients[w.newest]
	// Before the first response there are columns of its window, and before these some
	// whose gradients are wrong.
	const begin = padding - bandsPixels
	for i := range enter {
		w.run.bands[i], w.run.out[i] = &bands[i][begin], &enter[i][begin]
	}
	w.run.n = (bandsPixels + w.n + maxNarrow + 31) / 32 * 32
	w.kernels.gradients[w.reach](&w.run)
	var leave *[2][]int16
	if w.rows++; w.rows >= len(w.gradients) {
		leave = &w.gradients[(w.newest+1)%len(w.gradients)]
	}
	w.windows.Slide(enter, leave, dst)
}

func (w *narrow) release() {
	w.windows.Release()
}
