package lococo

import (
	"cmp"

	"github.com/fastcorners/fast/internal/tensor"
)

// A size is what the options ask for with one of the kernels.
type size struct {
	r, q    int // the reach of the kernel and of the window, in each direction
	measure tensor.Measure
}

func newSize(o *Options, kernel int) size {
	side := cmp.Or(o.BlockSize, kernel)
	r := kernel / 2
	// The square is an integer of less than 53 bits.
	n := float64(side * r * (2*r - 1) * 255)
	return size{r: r, q: side / 2, measure: tensor.New(tensor.Kind(o.Measure), o.K, 1/float64(n*n))}
}

// margin returns the number of pixels at each edge of the image that have no response.
func (s *size) margin() int {
	return s.r + s.q
}

// gradient returns the largest gradient.
func (s *size) gradient() int {
	return s.r * (2*s.r - 1) * 255
}

// maxStrip returns the maximum number of columns of a strip of responses. Doubles must hold
// the prefix sums from one end of the strip to the other.
func (s *size) maxStrip() int {
	column := float64(2*s.q+1) * float64(s.gradient()) * float64(s.gradient())
	columns := min(maxStrip+2*float64(s.q), (1<<53)/column)
	return int(columns) - 2*s.q
}
