package integral

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap, so that
// nothing escapes by a call through a function value.
type kernels struct {
	sumRows func(*sumRun)
}

// portable has the kernels in Go, which work on rows of any length.
var portable = kernels{sumRows: sumRows}

var table = cpu.NewTable("integral", portable, assembly...)

// A sumRun is rows of an integral image to be computed from pixels.
type sumRun struct {
	pixels      []byte
	pixelStride int
	sums        []uint32 // from those above the first row, in the column before the pixels, on
	stride      int
	columns     int
	rows        int
	before      uint32 // the sum of the pixels of a row before those of the run
	ahead       bool   // whether to prefetch the sums that are stored soon, with PREFETCHW; AMD's processors lose by it
}

// minColumns is the minimum number of columns of a sumRun in assembly.
const minColumns = 32

func sumRows(r *sumRun) {
	for y := range r.rows {
		pixels := r.pixels[y*r.pixelStride:][:r.columns]
		above, sums := r.sums[y*r.stride:], r.sums[(y+1)*r.stride:]
		sum := r.before
		sums[0] = above[0] + sum
		left, right := above[1:][:len(pixels)], sums[1:][:len(pixels)]
		for x, v := range pixels {
			sum += uint32(v)
			right[x] = left[x] + sum
		}
	}
}
