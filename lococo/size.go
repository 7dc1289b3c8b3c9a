package lococo

import (
	"cmp"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/tensor"
)

// A size is what the options ask for, for one of the kernels.
type size struct {
	r, q    int // how far the kernel and the window reach in each direction
	measure tensor.Measure
}

func newSize(o *Options, kernel int) size {
	side := cmp.Or(o.BlockSize, kernel)
	r := kernel / 2
	// The square is an integer of less than 53 bits.
	n := float64(side * r * (2*r - 1) * 255)
	// The kinds have the same order here and there.
	kind := tensor.Kind(o.Measure - harris.MinEigenvalue)
	return size{r: r, q: side / 2, measure: tensor.New(kind, o.K, 1/float64(n*n))}
}

// margin returns how many pixels at each edge of the image have no response.
func (s *size) margin() int {
	return s.r + s.q
}

// gradient returns how large gradients are at most.
func (s *size) gradient() int {
	return s.r * (2*s.r - 1) * 255
}

// maxStrip returns how many columns a strip of responses has at most: no more than
// doubles can sum the products of, from one end of it to the other.
func (s *size) maxStrip() int {
	column := float64(2*s.q+1) * float64(s.gradient()) * float64(s.gradient())
	return min(maxStrip, int((1<<53)/column)-2*s.q)
}
