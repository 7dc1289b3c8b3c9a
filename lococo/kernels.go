package lococo

import (
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/tensor"
)

// kernels are the functions of an instruction set. Their arguments live on the heap,
// so that nothing escapes by a call through a function value.
type kernels struct {
	bands     func(*bandsRun)
	gradients [maxReach32 + 1]func(*gradientsRun) // by the reach of the kernel
	halves    [maxReach32 + 1]func(*halvesRun)
	slide     func(*slideRun)
}

// portable has the kernels in Go, which work on rows of any length.
var portable = kernels{
	bands:     bands,
	gradients: [...]func(*gradientsRun){1: gradients, 2: gradients, 3: gradients, 4: gradients},
	slide:     slide,
}

var table = cpu.NewTable("lococo", portable, assembly...)

// A bandsRun is bands to be moved down to a row, y. Its rows are those of the image from
// which the bands differ there: y-r-1, y-r, y-1, y, y+r-1 and y+r.
type bandsRun struct {
	rows     [6][]byte
	ahead    *byte // a row to prefetch
	old, out [2][]int16
}

// minBands is the minimum number of columns of a bandsRun in assembly.
const minBands = 32

func bands(r *bandsRun) {
	n := len(r.rows[0])
	top, leave := r.rows[0][:n], r.rows[1][:n]
	above, here := r.rows[2][:n], r.rows[3][:n]
	enter, bottom := r.rows[4][:n], r.rows[5][:n]
	oldWholes, oldHalves := r.old[0][:n], r.old[1][:n]
	wholes, halves := r.out[0][:n], r.out[1][:n]
	for i := range wholes {
		wholes[i] = oldWholes[i] + int16(enter[i]) - int16(leave[i])
		halves[i] = oldHalves[i] + int16(bottom[i]) - int16(here[i]) - int16(above[i]) + int16(top[i])
	}
}

// A gradientsRun is a row of gradients to be computed from bands. Their number is a multiple
// of 32. The first gradients are wrong, since their kernels begin before the bands.
type gradientsRun struct {
	bands, out [2][]int16
	reach      int
}

func gradients(r *gradientsRun) {
	differentiate(r.out[0][r.reach:], r.out[1][r.reach:], r.bands[0], r.bands[1], r.reach)
}

// A slideRun is windows to be moved down by a row of gradients, which is computed from bands.
// All rows have room for a vector after their ends.
type slideRun struct {
	bands        [2][]int16 // from the first column of the first kernel on
	reach, side  int        // of kernels, and of windows
	enter, leave [2][]float32
	tensors      [3][]float32 // for the sums over windows; empty if they are not wanted

	// Sums of products of gradients over the rows of windows, which kernels keep from row
	// to row: for each column in Go, and in assembly prefix sums, which AVX2 and AVX-512 keep
	// as integers of 64 bits. They are 0 before the first row.
	sums     [3][]float64
	prefixes [2][]int32 // for prefix sums of bands, which begin with 0
}

func slide(r *slideRun) {
	gx, gy := r.enter[0], r.enter[1]
	differentiate(gx, gy, r.bands[0], r.bands[1], r.reach)
	tensor.SlideColumns(&r.sums, gx, gy, r.leave[0], r.leave[1])
	if n := len(r.tensors[0]); n > 0 {
		tensor.SumWindows(&r.tensors, &r.sums, r.side, n)
	}
}

// differentiate computes a row of gradients from bands, for kernels with a reach of r.
func differentiate[T int16 | float32](gx, gy []T, wholes, halves []int16, r int) {
	var x, y int32
	for i, v := range wholes[:r] {
		x += int32(wholes[r+1+i]) - int32(v)
	}
	for _, v := range halves[1 : 2*r] {
		y += int32(v)
	}
	gx[0], gy[0] = T(x), T(y)
	n := len(gx) - 1
	gx, gy = gx[1:][:n], gy[1:][:n]
	// What enters and leaves the boxes to the right and to the left.
	right, rightEnd, left, leftEnd := wholes[2*r+1:][:n], wholes[r+1:][:n], wholes[r:][:n], wholes[:n]
	enter, leave := halves[2*r:][:n], halves[1:][:n]
	for i := range gx {
		// Only one addition waits for the one before.
		x += int32(right[i]) - int32(rightEnd[i]) - (int32(left[i]) - int32(leftEnd[i]))
		y += int32(enter[i]) - int32(leave[i])
		gx[i], gy[i] = T(x), T(y)
	}
}
