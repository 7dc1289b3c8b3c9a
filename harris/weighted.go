package harris

import "slices"

// A weighted is the source for sums of float32: those of weighted windows, and those of
// the gradients of Gaussians. A box has weights of 1.
type weighted struct {
	work    rowWork
	weights []float32 // of the window
	even    bool      // whether the last of the lines to be convolved is left out
	border  Border
	measure measure

	gradient  gradient
	gradients gradientRow
	products  [][3][]float32 // rows of those of the gradients, a ring
	blank     []float32      // those beyond the image, if they are 0, and of lines left out
	next      int            // row of products that will be there

	plane      *plane
	begin, end int // the columns of the strip
	left       int // first column of gradients
	y          int // next row of responses
	lines      [][]float32
	column     []float32 // sums over columns of windows
	tensors    tensors
}

func newWeighted(o *Options, m measure, w weights) *weighted {
	s := &weighted{
		border:  o.Border,
		measure: m,
		tensors: newTensors(),
	}
	s.gradient = newGradient(&s.work, w, o.Border)
	s.work.measureRun.measure, s.work.measureRun.constants = m.vectors()
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
	s.blank = newRow[float32](width)
	s.lines = make([][]float32, side)
	s.column = newRow[float32](width)
	return s
}

func (s *weighted) start(p *plane, begin, end, y int) {
	radius := len(s.weights) - 1
	s.work.kernels = bestKernels()
	s.plane, s.begin, s.end = p, begin, end
	s.y = max(y, 0)
	s.left = max(begin-radius, 0)
	s.next = max(s.y-radius, 0)
	s.gradient.start(p, s.left, min(end+radius, p.w), s.next)
	clear(s.column)
}

func (s *weighted) pair(upper, lower []float32) {
	for _, dst := range [][]float32{upper, lower} {
		if dst != nil {
			s.sum(0, s.tensors.a)
			s.sum(1, s.tensors.b)
			s.sum(2, s.tensors.c)
			s.work.respond(&s.measure, dst, &s.tensors)
			s.y++
		}
	}
}

func (s *weighted) release() {
	s.plane, s.gradient.plane = nil, nil
	s.work.release()
}

// sum makes the sums of one of the products over the windows in a row.
func (s *weighted) sum(product int, dst []float32) {
	radius := len(s.weights) - 1
	for i := range s.lines {
		s.lines[i] = s.blank
		if i < 2*radius || !s.even {
			s.lines[i] = s.row(s.y - radius + i)[product]
		}
	}
	first := s.begin - radius
	s.work.smooth(s.column[s.left-first:][:s.gradient.end-s.left], s.weights, s.lines)
	n := s.end - s.begin
	if s.border == Mirrored {
		extend(s.column[:n+2*radius], first, s.plane.w)
	}
	along(s.lines, s.column)
	if s.even {
		s.lines[2*radius] = s.blank
	}
	s.work.smooth(dst[:n], s.weights, s.lines)
}

// row returns the products of a row that may be beyond the image.
func (s *weighted) row(y int) *[3][]float32 {
	if s.border == Zero && (y < 0 || y >= s.plane.h) {
		return &[3][]float32{s.blank, s.blank, s.blank}
	}
	y = mirror(y, s.plane.h)
	for ; s.next <= y; s.next++ {
		s.gradient.row(s.next, s.gradients)
		n := s.gradient.end - s.gradient.begin
		s.work.multiply(&s.products[s.next%len(s.products)], s.gradients.x[:n], s.gradients.y[:n])
	}
	return &s.products[y%len(s.products)]
}
