package harris

import (
	"slices"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/tensor"

	"github.com/fastcorners/fast/internal/raster"
)

// A convolution is the pipeline for Gaussian windows and for the Gradient Gaussian. Its sums
// are of float32, and a box has weights of 1.
type convolution struct {
	kernels   rowKernels
	weights   []float32 // of the window
	even      bool      // whether the last line has no part in sums
	border    border.Mode
	responder *tensor.Responder

	gradient  gradient
	gradients gradientRow
	products  [][3][]float32 // a ring, of rows of the products of gradients
	blank     [3][]float32   // of zeros: products beyond the image for the Border Constant, and the last line if even is set
	next      int            // first row of products that has not been computed

	plane      *plane
	begin, end int // the columns of the strip
	left       int // first column with gradients
	y          int // first of the next two rows of responses
	lines      [][]float32
	column     []float32 // sums over the columns of windows
	tensors    tensors
}

func newConvolution(o *Options, m tensor.Measure, w weights, k *kernels) *convolution {
	s := &convolution{
		kernels:   rowKernels{kernels: k},
		border:    o.Border,
		responder: tensor.NewResponder(&m),
		tensors:   newTensors(),
	}
	s.gradient = newGradient(&s.kernels, w, o.Border)
	if o.WindowSigma > 0 {
		s.weights = gaussianWeights(o.WindowSigma, o.WindowRadius).smooth
	} else {
		s.weights = slices.Repeat([]float32{1}, o.BlockSize/2+1)
		s.even = o.BlockSize%2 == 0
	}
	side := 2*len(s.weights) - 1
	width := maxStrip + side
	s.gradients = newGradientRow(width)
	s.products = make([][3][]float32, side+1)
	for i := range s.products {
		s.products[i] = [3][]float32{newRow[float32](width), newRow[float32](width), newRow[float32](width)}
	}
	blank := newRow[float32](width)
	s.blank = [3][]float32{blank, blank, blank}
	s.lines = make([][]float32, side)
	s.column = newRow[float32](width)
	return s
}

func (s *convolution) serves(int) bool {
	return true
}

func (s *convolution) start(p *plane, begin, end, y int) {
	radius := len(s.weights) - 1
	s.plane, s.begin, s.end = p, begin, end
	s.y = y
	s.left = max(begin-radius, 0)
	s.next = max(y-radius, 0)
	s.gradient.start(p, s.left, min(end+radius, p.W), s.next)
	clear(s.column)
}

func (s *convolution) pair(upper, lower []float32) {
	for i, dst := range [...][]float32{upper, lower} {
		if dst != nil {
			y := s.y + i
			s.sum(s.tensors.a, y, 0)
			s.sum(s.tensors.b, y, 1)
			s.sum(s.tensors.c, y, 2)
			s.responder.Respond(dst, s.tensors.a, s.tensors.b, s.tensors.c)
		}
	}
	s.y += 2
}

func (s *convolution) release() {
	s.plane, s.gradient.plane = nil, nil
	s.kernels.release()
}

// sum sets dst to the sums of one of the products over the windows in row y.
func (s *convolution) sum(dst []float32, y, product int) {
	radius := len(s.weights) - 1
	for i := range s.lines {
		s.lines[i] = s.blank[0]
		if i < 2*radius || !s.even {
			s.lines[i] = s.row(y - radius + i)[product]
		}
	}
	first := s.begin - radius
	s.kernels.smooth(s.column[s.left-first:][:s.gradient.end-s.left], s.weights, s.lines)
	n := s.end - s.begin
	extend(s.border, s.column[:n+2*radius], first, s.plane.W)
	along(s.lines, s.column)
	if s.even {
		s.lines[2*radius] = s.blank[0]
	}
	s.kernels.smooth(dst[:n], s.weights, s.lines)
}

// row returns the products of row y, which may be beyond the image.
func (s *convolution) row(y int) *[3][]float32 {
	if s.border == border.Constant && (y < 0 || y >= s.plane.H) {
		return &s.blank
	}
	y = raster.Mirror(y, s.plane.H)
	for ; s.next <= y; s.next++ {
		s.gradient.row(s.next, s.gradients)
		n := s.gradient.end - s.gradient.begin
		s.kernels.multiply(&s.products[s.next%len(s.products)], s.gradients.x[:n], s.gradients.y[:n])
	}
	return &s.products[y%len(s.products)]
}
