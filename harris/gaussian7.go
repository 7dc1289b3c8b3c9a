package harris

import (
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

const (
	// gaussian7Radius is how many pixels the Gaussians of a gaussian7 extend.
	gaussian7Radius = 3
	// gaussian7Padding is the room before the first column, and the number of columns
	// before a strip that are computed, if there are any, so that rows begin with a cache
	// line.
	gaussian7Padding = 16
	// gaussian7Rows is the number of rows that two windows have, one below the other.
	gaussian7Rows = 2*gaussian7Radius + 2
	// gaussian7Vector is the maximum number of columns that kernels make at once.
	gaussian7Vector = 16
)

// A gaussian7 is the pipeline for gradients and windows that are Gaussians of 7 by 7 pixels.
// Its kernels compute two rows at a time. A convolution computes the same responses in more
// steps.
type gaussian7 struct {
	kernels *kernels
	border  border.Mode
	run     *gaussian7Run
	widen   widenRun

	// Rings of rows of the image, from column left on, and of products of gradients. The
	// last row in each is one of zeros, which is beyond the image for the Border Constant.
	rows     [gaussian7Rows + 1][]float32
	products [gaussian7Rows + 1][3][]float32
	columns  [4][]float32    // two rows smoothed along the columns, and two differentiated, with padding before
	sums     [3][2][]float32 // of products, two rows smoothed along the columns, with padding before
	out      []float32       // the responses of the last vector

	plane                *plane
	begin, end           int // the columns of the strip
	left, right          int // the columns that are computed
	y                    int // first of the next two rows of responses, odd
	nextRow, nextProduct int // first row that has not been loaded, and first row of products that has not been computed
}

// A gaussian7Run holds the arguments of the kernels of a gaussian7: rows to read and rows to
// write.
type gaussian7Run struct {
	weights   *gaussian7Weights
	constants [2]float32
	measure   int
	rows      [gaussian7Rows]*float32
	out       [4]*float32
	n         int // columns
}

// A gaussian7Weights holds the weights of filters, from the middle to one end, each 16 times. It
// begins with a cache line, as a [tensor.Room] does.
type gaussian7Weights struct{ smooth, derive [4][16]float32 }

// isGaussian7 reports whether gradients and windows are Gaussians of 7 by 7 pixels with the
// same standard deviation.
func isGaussian7(o *Options) bool {
	return o.Gradient == Gaussian && o.GradientRadius == gaussian7Radius &&
		o.WindowSigma == o.GradientSigma && o.WindowRadius == gaussian7Radius
}

func newGaussian7(o *Options, m tensor.Measure, k *kernels) *gaussian7 {
	s := &gaussian7{kernels: k, border: o.Border, run: &gaussian7Run{weights: new(gaussian7Weights)}}
	const width = gaussian7Padding + maxStrip + 2*gaussian7Radius
	for i := range s.rows {
		s.rows[i] = newRow[float32](width)
		for k := range s.products[i] {
			s.products[i][k] = newRow[float32](width)
		}
	}
	for i := range s.columns {
		s.columns[i] = newRow[float32](gaussian7Padding + width)
	}
	for k := range s.sums {
		s.sums[k] = [2][]float32{newRow[float32](gaussian7Padding + width), newRow[float32](gaussian7Padding + width)}
	}
	s.out = newRow[float32](gaussian7Vector)
	w := gaussianWeights(o.GradientSigma, gaussian7Radius)
	weights := s.run.weights
	for i := range weights.smooth {
		for j := range weights.smooth[i] {
			weights.smooth[i][j], weights.derive[i][j] = w.smooth[i], w.derive[i]
		}
	}
	s.run.measure, s.run.constants = m.Formula()
	return s
}

func (s *gaussian7) serves(w int) bool {
	return w >= minWidth
}

func (s *gaussian7) start(p *plane, begin, end, y int) {
	s.plane, s.begin, s.end, s.y = p, begin, end, y
	s.left, s.right = max(begin-gaussian7Padding, 0), min(end+2*gaussian7Radius, p.W)
	s.nextProduct = max(y-gaussian7Radius, 0)
	s.nextRow = max(s.nextProduct-gaussian7Radius, 0)
}

func (s *gaussian7) pair(upper, lower []float32) {
	for last := min(s.y+gaussian7Radius+1, s.plane.H-1); s.nextProduct <= last; s.nextProduct += 2 {
		s.makeProducts(s.nextProduct)
	}
	var window [gaussian7Rows]*[3][]float32
	for i := range window {
		window[i] = &s.products[s.index(s.y-gaussian7Radius+i)]
	}
	r := s.run
	r.n = s.right - s.left
	for k := range s.sums {
		for i, products := range window {
			r.rows[i] = &products[k][0]
		}
		for i, row := range s.sums[k] {
			r.out[i] = &row[gaussian7Padding]
		}
		s.kernels.columns7(r)
	}
	for i, dst := range [2][]float32{upper, lower} {
		if dst == nil {
			continue
		}
		for k := range s.sums {
			s.extend(s.sums[k][i])
			r.rows[k] = &s.sums[k][i][gaussian7Padding+s.begin-s.left]
		}
		// Store whole vectors in dst. It has no room for more than its columns, so copy
		// those of the last vector.
		n := len(dst)
		if r.n = n / gaussian7Vector * gaussian7Vector; r.n > 0 {
			r.out[0] = &dst[0]
			s.kernels.respond7(r)
		}
		if rest := dst[r.n:]; len(rest) > 0 {
			for k := range s.sums {
				r.rows[k] = &s.sums[k][i][gaussian7Padding+s.begin-s.left+r.n]
			}
			r.out[0], r.n = &s.out[0], len(rest)
			s.kernels.respond7(r)
			copy(rest, s.out)
		}
	}
	s.y += 2
}

// index returns where row y is in a ring, or the index of the row of zeros.
func (s *gaussian7) index(y int) int {
	h := s.plane.H
	if s.border == border.Constant && (y < 0 || y >= h) {
		return gaussian7Rows
	}
	return raster.Mirror(y, h) % gaussian7Rows
}

// makeProducts computes the products of the gradients of rows y and y+1.
func (s *gaussian7) makeProducts(y int) {
	p, r, n := s.plane, s.run, s.right-s.left
	for ; s.nextRow <= min(y+gaussian7Radius+1, p.H-1); s.nextRow++ {
		row := s.rows[s.nextRow%gaussian7Rows]
		if p.luma != nil {
			copy(row[:n], p.luma[s.nextRow*p.W+s.left:])
			continue
		}
		ahead := min(s.nextRow+4, p.H-1)
		w := &s.widen
		w.src, w.dst, w.ahead = p.Row(s.nextRow)[s.left:s.right], row[:n], &p.Row(ahead)[s.left]
		s.kernels.widen(&s.widen)
	}
	for i := range r.rows {
		r.rows[i] = &s.rows[s.index(y-gaussian7Radius+i)][0]
	}
	for i := range r.out {
		r.out[i] = &s.columns[i][gaussian7Padding]
	}
	r.n = n
	s.kernels.gradients7(r)
	for i := range 2 {
		s.extend(s.columns[i])
		s.extend(s.columns[2+i])
		r.rows[0], r.rows[1] = &s.columns[i][gaussian7Padding], &s.columns[2+i][gaussian7Padding]
		for k, row := range s.products[(y+i)%gaussian7Rows] {
			r.out[k] = &row[0]
		}
		s.kernels.products7(r)
	}
}

// extend sets the elements of a row that are beyond the image.
func (s *gaussian7) extend(row []float32) {
	row = row[gaussian7Padding-gaussian7Radius:][:gaussian7Radius+s.right-s.left+gaussian7Radius]
	extend(s.border, row, s.left-gaussian7Radius, s.plane.W)
}

func (s *gaussian7) release() {
	s.plane, s.widen = nil, widenRun{}
}
