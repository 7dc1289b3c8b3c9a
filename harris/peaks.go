package harris

import (
	"math"

	"github.com/fastcorners/fast/internal/tensor"
)

// A peakRun is the work of the stage peaks. It goes down a strip, two rows of responses
// at a time, and looks for those that are the largest in squares of 3 by 3.
type peakRun struct {
	// rows are four rows of responses, of which the last two are new. In the second
	// and the third one there may be corners, but for their first and last columns.
	// Rows beyond the image are 0.
	rows [4][]float32

	threshold float32 // that a corner reaches, more than 0
	largest   float32 // of all tested so far

	// keys gets those of corners, from n on, where it has room for all pixels of two
	// rows and more. index is the place in the image of the first pixel of the second
	// row, stride that of the pixel below it, relative to that.
	keys          []uint64
	n             int
	index, stride uint32
}

// keyRoom is how many keys there is room for beyond those of all pixels.
const keyRoom = 64

// newKey returns a number that holds the bits of a response above the place of the pixel
// in its image.
func newKey(response int32, index uint32) uint64 {
	return uint64(uint32(response))<<32 | uint64(index)
}

// peaks is the stage in Go. It has no branches but those for corners: where there is
// texture, many pixels exceed the threshold, in no order that can be foreseen.
func peaks(r *peakRun) {
	n := len(r.rows[0])
	above, upper, lower, below := r.rows[0][:n], r.rows[1][:n], r.rows[2][:n], r.rows[3][:n]
	threshold, largest := tensor.Order(r.threshold), tensor.Order(r.largest)
	// What holds for the column x-2 ends with 0, and with 1 for x-1: the largest of
	// three rows and the threshold, for both of the rows in which there may be
	// corners, and the responses there.
	var upperMax0, lowerMax0, upper1, lower1 int32
	upperMax1, lowerMax1 := int32(math.MaxInt32), int32(math.MaxInt32) // no corner beside it
	for x := range above {
		upper2, lower2 := tensor.Order(upper[x]), tensor.Order(lower[x])
		both := max(upper2, lower2)
		largest = max(largest, both)
		both = max(both, threshold)
		upperMax2, lowerMax2 := max(tensor.Order(above[x]), both), max(tensor.Order(below[x]), both)
		if max(upperMax0, upperMax1, upperMax2) == upper1 {
			r.keys[r.n] = newKey(upper1, r.index+uint32(x-1))
			r.n++
		}
		if max(lowerMax0, lowerMax1, lowerMax2) == lower1 {
			r.keys[r.n] = newKey(lower1, r.index+r.stride+uint32(x-1))
			r.n++
		}
		upperMax0, upperMax1 = upperMax1, upperMax2
		lowerMax0, lowerMax1 = lowerMax1, lowerMax2
		upper1, lower1 = upper2, lower2
	}
	r.largest = math.Float32frombits(uint32(largest))
}
