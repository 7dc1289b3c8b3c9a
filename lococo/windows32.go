package lococo

import "github.com/fastcorners/fast/internal/tensor"

// maxReach32 is the maximum reach of the kernels of a windows32.
const maxReach32 = 4

// A windows32 is the windows of small kernels, whose gradients have 16 bits, while the sums of
// their products over a window have 32 bits.
type windows32 struct {
	kernels   *kernels
	windows   *tensor.Windows
	gradients [][2][]int16 // a ring of the rows of a window and the one before them
	newest    int          // the last row of the ring
	rows      int          // that have entered
	n         int
	run       gradientsRun
}

// has32 reports whether a windows32 has enough bits. The gradients gx and gy share pixels, so
// not both can be as large as possible: the weights of one sign in gx+gy, or in gx-gy, have
// the sum 2hh+6h+2 for h = r-1, so the product of gx and gy is at most the square of half of
// that, times the square of 255.
func (s *size) has32() bool {
	if s.r > maxReach32 {
		return false
	}
	gradient := int64(s.gradient())
	h := int64(s.r - 1)
	sum := (2*h*h + 6*h + 2) * 255
	return tensor.HasWindows(2*s.q+1, gradient*gradient, (sum*sum+3)/4)
}

func newWindows32(s size) *windows32 {
	w := &windows32{
		windows:   tensor.NewWindows(2*s.q+1, &s.measure, maxStrip),
		gradients: make([][2][]int16, 2*s.q+2),
		run:       gradientsRun{reach: s.r},
	}
	const width = padding + maxStrip + padding
	for i := range w.gradients {
		w.gradients[i] = [2][]int16{make([]int16, width), make([]int16, width)}
	}
	return w
}

func (w *windows32) serve(k *kernels) bool {
	w.kernels = k
	return k.gradients[w.run.reach] != nil && w.windows.Serve()
}

func (w *windows32) start(n int) {
	w.n, w.rows = n, 0
	w.windows.Start(n)
}

func (w *windows32) slide(bands *[2][]int16, dst []float32) {
	w.newest = (w.newest + 1) % len(w.gradients)
	enter := &w.gradients[w.newest]
	// The window of the first response begins before it, and before that come gradients that
	// are wrong.
	const begin = padding - 32
	n := (32 + w.n + maxReach32 + 31) / 32 * 32
	for i := range enter {
		w.run.bands[i], w.run.out[i] = bands[i][begin:], enter[i][begin:][:n]
	}
	w.kernels.gradients[w.run.reach](&w.run)
	var leave *[2][]int16
	if w.rows++; w.rows >= len(w.gradients) {
		leave = &w.gradients[(w.newest+1)%len(w.gradients)]
	}
	w.windows.Slide(enter, leave, dst)
}

func (w *windows32) release() {
	w.windows.Release()
}
