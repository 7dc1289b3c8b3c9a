package harris

import (
	"math"

	"github.com/fastcorners/fast/internal/tensor"
)

// An extremesRun holds the arguments of the kernel extremes, which finds the largest and the
// smallest values of rows with at least minWidth responses.
type extremesRun struct {
	row []float32
	// The largest and the smallest response of all rows so far are among these.
	largest, smallest [minWidth]float32
}

// reset begins with no rows. The largest response is at least 0.
func (r *extremesRun) reset() {
	for i := range minWidth {
		r.largest[i], r.smallest[i] = 0, math.MaxFloat32
	}
}

// count takes a single response into account.
func (r *extremesRun) count(v float32) {
	if v > r.largest[0] {
		r.largest[0] = v
	}
	if v < r.smallest[0] {
		r.smallest[0] = v
	}
}

// maximum returns the largest value, or 0 if all are negative.
func maximum(values *[minWidth]float32) float32 {
	largest := int32(0)
	for _, v := range values {
		largest = max(largest, tensor.Order(v))
	}
	return math.Float32frombits(uint32(largest))
}

// extremes is the kernel in Go, which takes rows of any width.
func extremes(r *extremesRun) {
	largest, smallest := r.largest[0], r.smallest[0]
	for _, v := range r.row {
		if v > largest {
			largest = v
		}
		if v < smallest {
			smallest = v
		}
	}
	r.largest[0], r.smallest[0] = largest, smallest
}
