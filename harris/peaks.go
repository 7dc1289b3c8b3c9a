package harris

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/tensor"
)

// A peaksRun holds the arguments of the kernel peaks, which searches two rows of responses for
// peaks: those that reach a threshold, and than which no response in a square of 3 by 3 is
// larger.
type peaksRun struct {
	// rows are four rows of responses, the second and the third of which are searched. Rows
	// beyond the image are 0.
	rows [4][]float32
	// maxima are used only by kernels in assembly: the maxima of three neighbors in the
	// first two rows, and room for those in the last two.
	maxima [4][]float32

	threshold [minWidth]float32 // more than 0, the same number minWidth times
	largest   [minWidth]float32 // a result: the largest response of the rows searched is among these, unless it is negative
	masks     []uint64          // a result: a bit for each peak in 32 columns, those of the third row in the upper half
}

// peakPadding is the room before and after the rows of a peaksRun.
const peakPadding = 64

// newPeaksRun returns a peaksRun for strips of any width.
func newPeaksRun() *peaksRun {
	r := new(peaksRun)
	for i := range r.rows {
		r.rows[i] = make([]float32, peakPadding+maxStrip+peakPadding)[peakPadding:]
		r.maxima[i] = newRow[float32](maxStrip)
	}
	r.masks = make([]uint64, (maxStrip+31)/32)
	return r
}

// start begins a strip of n columns with rows of zeros.
func (r *peaksRun) start(n int) {
	for i := range r.rows {
		r.rows[i] = r.rows[i][:cap(r.rows[i])]
		clear(r.rows[i])
		r.rows[i] = r.rows[i][:n]
		clear(r.maxima[i])
	}
	r.masks = r.masks[:(n+31)/32]
}

// next moves the last two rows up. Those that it puts in their place are to be overwritten.
func (r *peaksRun) next() {
	r.rows[0], r.rows[1], r.rows[2], r.rows[3] = r.rows[2], r.rows[3], r.rows[0], r.rows[1]
	r.maxima[0], r.maxima[1], r.maxima[2], r.maxima[3] = r.maxima[2], r.maxima[3], r.maxima[0], r.maxima[1]
}

// find calls the kernel with a threshold, and returns the largest response of the rows
// searched, or 0.
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

// appendKeys appends the keys of the peaks that find has found, except those in the first and
// the last column. index is that of the first pixel of the second row in the image, and stride
// is the number of pixels in a row of the image.
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

// newKey returns the key of a pixel: the bits of its response above its index in the image.
func newKey(response float32, index int) uint64 {
	return uint64(math.Float32bits(response))<<32 | uint64(uint32(index))
}

// peaks is the kernel in Go. It branches only at peaks: in texture many pixels exceed the
// threshold, and a processor cannot predict which. It does not search the first and the
// last column.
func peaks(r *peaksRun) {
	n := len(r.rows[0])
	above, upper, lower, below := r.rows[0][:n], r.rows[1][:n], r.rows[2][:n], r.rows[3][:n]
	threshold, largest := tensor.Order(r.threshold[0]), int32(0)
	clear(r.masks)
	// For columns x-2, x-1 and x, whose names end with 0, 1 and 2: upperMax is the maximum
	// of the threshold and the responses in the first three rows, lowerMax is that of the
	// last three, and upper and lower are the responses of the rows that are searched.
	var upperMax0, lowerMax0, upper1, lower1 int32
	upperMax1, lowerMax1 := int32(math.MaxInt32), int32(math.MaxInt32) // so that there is no peak in column 0
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
