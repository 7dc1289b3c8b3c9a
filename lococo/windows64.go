package lococo

import "github.com/fastcorners/fast/internal/tensor"

// vectorRoom is the room that rows have after their ends, since kernels work on whole vectors.
const vectorRoom = 64

// A windows64 is the windows of kernels of any size. Floats hold its integers exactly:
// gradients have fewer than 24 bits, and sums of their products fewer than 53.
type windows64 struct {
	size
	kernels   *kernels
	n         int // of responses in a row
	gradients [2][][]float32
	newest    int // the last row of the rings of the rows of a window and the one before them
	tensors   [3][]float32
	responder *tensor.Responder
	run       slideRun
}

func newWindows64(s size) *windows64 {
	w := &windows64{size: s, responder: tensor.NewResponder(&s.measure)}
	width := s.maxStrip() + 2*s.q + vectorRoom
	for i := range w.gradients {
		w.gradients[i] = make([][]float32, 2*s.q+2)
		for j := range w.gradients[i] {
			w.gradients[i][j] = make([]float32, width)
		}
	}
	w.run.reach, w.run.side = s.r, 2*s.q+1
	for i := range w.tensors {
		w.tensors[i] = make([]float32, width)
		w.run.sums[i] = make([]float64, width)
	}
	for i := range w.run.prefixes {
		w.run.prefixes[i] = make([]int32, width+2*s.r)
	}
	return w
}

func (w *windows64) serve(k *kernels) bool {
	w.kernels = k
	return true
}

func (w *windows64) start(n int) {
	w.n = n
	for _, sums := range w.run.sums {
		clear(sums)
	}
	for _, rows := range w.gradients {
		for _, row := range rows {
			clear(row)
		}
	}
}

func (w *windows64) slide(bands *[2][]int16, dst []float32) {
	rows := len(w.gradients[0])
	w.newest = (w.newest + 1) % rows
	oldest := (w.newest + 1) % rows
	n := w.n + 2*w.q
	r := &w.run
	for i := range bands {
		r.bands[i] = bands[i][padding-w.margin():][:n+2*w.r]
		r.enter[i], r.leave[i] = w.gradients[i][w.newest][:n], w.gradients[i][oldest][:n]
	}
	for i, row := range w.tensors {
		r.tensors[i] = row[:len(dst)]
	}
	w.kernels.slide(r)
	if dst != nil {
		w.responder.Respond(dst, w.tensors[0], w.tensors[1], w.tensors[2])
	}
}

func (w *windows64) release() {}
