package harris

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/tensor"
)

// A peaksRun is two rows of responses to be searched for those that are the largest in
// squares of 3 by 3 and reach a threshold.
type peaksRun struct {
	// rows are four rows of responses, of which the second and the third are searched.
	// Rows beyond the image are 0.
	rows [4][]float32
	// maxima belong to kernels in assembly: of the first two rows those of three
	// neighbours, and room for those of the last two.
	maxima [4][]float32

	threshold [minWidth]float32 // the same number in all places, more than 0
	largest   [minWidth]float32 // to be made values among which is the largest of the rows searched, or 0
	masks     []uint64          // to be made a bit for each peak in 32 columns, those of the third row in the upper half
}

// peakPadding is the room before and after rows of a peaksRun.
const peakPadding = 64

// newPeaksRun returns a peaksRun with room for strips.
func newPeaksRun() *peaksRun {
	r := new(peaksRun)
	for i := range r.rows {
		r.rows[i] = make([]float32, peakPadding+maxStrip+peakPadding)[peakPadding:]
		r.maxima[i] = newRow[float32](maxStrip)
	}
	r.masks = make([]uint64, (maxStrip+31)/32)
	return r
}

// start begins a strip of n columns, with rows of zeros.
func (r *peaksRun) start(n int) {
	for i := range r.rows {
		r.rows[i] = r.rows[i][:cap(r.rows[i])]
		clear(r.rows[i])
		r.rows[i] = r.rows[i][:n]
		clear(r.maxima[i])
	}
	r.masks = r.masks[:(n+31)/32]
}

// next makes room for the next two rows, in place of the first two.
func (r *peaksRun) next() {
	r.rows[0], r.rows[1], r.rows[2], r.rows[3] = r.rows[2], r.rows[3], r.rows[0], r.rows[1]
	r.maxima[0], r.maxima[1], r.maxima[2], r.maxima[3] = r.maxima[2], r.maxima[3], r.maxima[0], r.maxima[1]
}

// find runs a kernel for peaks that reach the threshold, and returns the largest response,
// at least 0.
func (r *peaksRun) find(kernel func(*peaksRun), threshold float32) (largest float32) {
	if r.threshold[0] != threshold {
		for i := range r.threshold {
			r.threshold[i] = threshold
		}
	}
	r.largest = [minWidth]float32{}
	kernel(r)
	return maximum(&r.largest)
}

// appendKeys appends the keys of the peaks found, but for those of the first and the last
// column. index is the place in the image of the first pixel of the second row, stride that
// of the pixel below it, relative to that.
func (r *peaksRun) appendKeys(keys []uint64, index, stride int) []uint64 {
	last := len(r.rows[0]) - 1
	r.masks[0] &^= 1 | 1<<32
	r.masks[last/32] &^= (1 | 1<<32) << (last % 32)
	for i, mask := range r.masks {
		for ; mask != 0; mask &= mask - 1 {
			bit := bits.TrailingZeros64(mask)
			row, x := bit/32, 32*i+bit%32
			keys = append(keys, newKey(r.rows[1+row][x], index+row*stride+x))
		}
	}
	return keys
}

// newKey returns a number that holds the bits of a response above the place of the pixel
// in its image.
func newKey(response float32, index int) uint64 {
	return uint64(math.Float32bits(response))<<32 | uint64(uint32(index))
}

// peaks is the kernel in Go. It has no branches but those for peaks: where there is
// texture, many pixels exceed the threshold, in no order that can be foreseen. It does not
// look at the first and the last column.
func peaks(r *peaksRun) {
	n := len(r.rows[0])
	above, upper, lower, below := r.rows[0][:n], r.rows[1][:n], r.rows[2][:n], r.rows[3][:n]
	threshold, largest := tensor.Order(r.threshold[0]), int32(0)
	clear(r.masks)
	// What holds for the column x-2 ends with 0, and with 1 for x-1: the largest of
	// three rows and the threshold, for both of the rows in which there may be
	// peaks, and the responses there.
	var upperMax0, lowerMax0, upper1, lower1 int32
	upperMax1, lowerMax1 := int32(math.MaxInt32), int32(math.MaxInt32) // no peak beside it
	for x := range above {
		upper2, lower2 := tensor.Order(upper[x]), tensor.Order(lower[x])
		both := max(upper2, lower2)
		largest = max(largest, both)
		both = max(both, threshold)
		upperMax2, lowerMax2 := max(tensor.Order(above[x]), both), max(tensor.Order(below[x]), both)
		if max(upperMax0, upperMax1, upperMax2) == upper1 {
			r.masks[uint(x-1)/32] |= 1 << (uint(x-1) % 32)
		}
		if max(lowerMax0, lowerMax1, lowerMax2) == lower1 {
			r.masks[uint(x-1)/32] |= 1 << 32 << (uint(x-1) % 32)
		}
		upperMax0, upperMax1 = upperMax1, upperMax2
		lowerMax0, lowerMax1 = lowerMax1, lowerMax2
		upper1, lower1 = upper2, lower2
	}
	r.largest[0] = math.Float32frombits(uint32(largest))
}
