package lococo

import "github.com/fastcorners/fast/internal/tensor"

// vectorRoom is the room that rows have beyond their ends: kernels work on whole vectors.
const vectorRoom = 64

// A wide is the windows of kernels of any size, in assembly or in Go. Floats hold
// integers: gradients have less than 24 bits, and sums of their products less than 53, so
// that all is exact.
//
// In assembly all sums along a row are differences of sums from its beginning.
type wide struct {
	size
	kernels   *kernels // nil for those in Go
	n         int      // responses of a row
	gradients [2][][]float32
	newest    int // of these rows: those of windows and the one before them
	tensors   [3][]float32
	responder *tensor.Responder

	columns [3][]float64 // for Go, sums of products over the columns of windows

	// For assembly, sums up to each column, with a number of 0 before the first one.
	bandSums    [2][]int32
	stride      int      // of the three rows in sums
	sums        []uint64 // of products, over the rows of windows: integers, or doubles
	sumBandsRun sumBandsRun
	diffRun     differentiateRun
	columnsRun  columnsRun
	windowsRun  windowsRun
}

// A sumBandsRun is bands whose sums up to each column are wanted.
type sumBandsRun struct {
	bands [2]*int16
	out   [2]*int32
	n     int
}

// A differentiateRun is a row of gradients to be made of the sums of bands up to each
// column, for kernels that reach so far.
type differentiateRun struct {
	sums  [2]*int32
	out   [2]*float32
	reach int
	n     int
}

// A columnsRun is sums of products, over the rows of windows and up to each column, to be
// moved down by a row of gradients. There are three rows of them, so far apart.
type columnsRun struct {
	enter, leave [2]*float32
	sums         *uint64
	stride       int
	n            int
}

// A windowsRun is sums over so many columns, to be made of the sums up to each column.
type windowsRun struct {
	in   *uint64
	out  *float32
	side int
	n    int
}

func newWide(s size) *wide {
	w := &wide{size: s, responder: tensor.NewResponder(&s.measure)}
	width := s.maxStrip() + 2*s.q + vectorRoom
	for i := range w.gradients {
		w.gradients[i] = make([][]float32, 2*s.q+2)
		for j := range w.gradients[i] {
			w.gradients[i][j] = make([]float32, width)
		}
	}
	w.stride = width
	w.sums = make([]uint64, 3*width)
	for i := range w.tensors {
		w.tensors[i] = make([]float32, width)
		w.columns[i] = make([]float64, width)
	}
	for i := range w.bandSums {
		w.bandSums[i] = make([]int32, width+2*s.r)
	}
	return w
}

func (w *wide) start(n int) {
	w.n = n
	for _, sums := range w.columns {
		clear(sums)
	}
	clear(w.sums)
	for _, rows := range w.gradients {
		for _, row := range rows {
			clear(row)
		}
	}
}

func (w *wide) slide(bands *[2][]int16, dst []float32) {
	rows := len(w.gradients[0])
	w.newest = (w.newest + 1) % rows
	oldest := (w.newest + 1) % rows
	gx, gy := w.gradients[0][w.newest], w.gradients[1][w.newest]
	oldX, oldY := w.gradients[0][oldest], w.gradients[1][oldest]
	n := w.n + 2*w.q
	wholes, halves := bands[0][padding-w.margin():][:n+2*w.r], bands[1][padding-w.margin():][:n+2*w.r]
	if w.kernels != nil {
		w.slideVectors(wholes, halves, gx, gy, oldX, oldY, dst != nil)
	} else {
		differentiate(gx[:n], gy[:n], wholes, halves, w.r)
		tensor.SlideColumns(&w.columns, gx[:n], gy, oldX, oldY)
		if dst != nil {
			tensor.SumWindows(&w.tensors, &w.columns, 2*w.q+1, w.n)
		}
	}
	if dst != nil {
		w.responder.Respond(dst, w.tensors[0], w.tensors[1], w.tensors[2])
	}
}

func (w *wide) release() {}

// slideVectors does the same in assembly.
func (w *wide) slideVectors(wholes, halves []int16, gx, gy, oldX, oldY []float32, wanted bool) {
	// With a number of 0 before the first one.
	sums := [2][]int32{w.bandSums[0][1:], w.bandSums[1][1:]}
	w.sumBandsRun = sumBandsRun{[2]*int16{&wholes[0], &halves[0]}, [2]*int32{&sums[0][0], &sums[1][0]}, len(wholes)}
	w.kernels.sumBands(&w.sumBandsRun)
	n := w.n + 2*w.q
	w.diffRun = differentiateRun{w.sumBandsRun.out, [2]*float32{&gx[0], &gy[0]}, w.r, n}
	w.kernels.differentiate(&w.diffRun)
	w.columnsRun = columnsRun{
		enter: [2]*float32{&gx[0], &gy[0]}, leave: [2]*float32{&oldX[0], &oldY[0]},
		sums: &w.sums[1], stride: w.stride, n: n,
	}
	w.kernels.columns(&w.columnsRun)
	if !wanted {
		return
	}
	for i, row := range w.tensors {
		w.windowsRun = windowsRun{&w.sums[i*w.stride+1], &row[0], 2*w.q + 1, w.n}
		w.kernels.windows(&w.windowsRun)
	}
}

// differentiate makes a row of gradients of bands, for kernels that reach r.
func differentiate(gx, gy []float32, wholes, halves []int16, r int) {
	var x, y int32
	for i, v := range wholes[:r] {
		x += int32(wholes[r+1+i]) - int32(v)
	}
	for _, v := range halves[1 : 2*r] {
		y += int32(v)
	}
	gx[0], gy[0] = float32(x), float32(y)
	n := len(gx) - 1
	gx, gy = gx[1:][:n], gy[1:][:n]
	// What enters and leaves the boxes to the right and to the left.
	right, rightEnd, left, leftEnd := wholes[2*r+1:][:n], wholes[r+1:][:n], wholes[r:][:n], wholes[:n]
	enter, leave := halves[2*r:][:n], halves[1:][:n]
	for i := range gx {
		// Only one addition waits for the one before.
		x += int32(right[i]) - int32(rightEnd[i]) - (int32(left[i]) - int32(leftEnd[i]))
		y += int32(enter[i]) - int32(leave[i])
		gx[i], gy[i] = float32(x), float32(y)
	}
}
