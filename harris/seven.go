package harris

import (
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

const (
	// sevenRadius is how far Gaussians reach that a seven is for.
	sevenRadius = 3
	// sevenPadding is the room before the first column, and how many columns before a
	// strip are looked at, if there are any: so rows begin with a cache line.
	sevenPadding = 16
	// sevenVector is how many columns the kernels make at once, at most.
	sevenVector = 16
)

// A seven is the source for gradients and windows of Gaussians that reach 3 pixels, in
// assembly, which makes two rows at a time. A weighted makes the same responses in more
// steps.
type seven struct {
	kernels *kernels
	border  Border
	run     *sevenRun
	widen   widenRun

	rows     [8][]float32    // of the image, a ring, from column left on
	columns  [4][]float32    // sums of two rows down the columns, and derivatives, with padding before
	products [8][3][]float32 // rows of those of the gradients, a ring
	sums     [3][2][]float32 // of products down the columns, in two rows, with padding before
	out      []float32       // responses of a vector
	blank    []float32       // what is beyond the image, if it is 0

	plane                *plane
	begin, end           int // the columns of the strip
	left, right          int // the columns looked at
	y                    int // next row of responses, odd
	nextRow, nextProduct int // rows that will be there
}

// A sevenRun is the work of a kernel: of rows, some are to be made. It is an object of
// its own, as a respondRun is.
type sevenRun struct {
	smooth, derive [4][16]float32 // weights, from the middle on
	constants      [2][16]float32
	measure        int
	rows           [8]*float32
	out            [4]*float32
	n              int
}

// sevens reports whether a seven may be the source of the responses.
func (d *Detector) sevens() bool {
	o := &d.opts
	return o.Gradient == Gaussian && o.GradientRadius == sevenRadius &&
		o.WindowSigma == o.GradientSigma && o.WindowRadius == sevenRadius
}

func newSeven(o *Options, m tensor.Measure) *seven {
	s := &seven{border: o.Border, run: new(sevenRun)}
	const width = sevenPadding + maxStrip + 2*sevenRadius
	for i := range s.rows {
		s.rows[i] = newRow[float32](width)
		for k := range s.products[i] {
			s.products[i][k] = newRow[float32](width)
		}
	}
	for i := range s.columns {
		s.columns[i] = newRow[float32](sevenPadding + width)
	}
	for k := range s.sums {
		s.sums[k] = [2][]float32{newRow[float32](sevenPadding + width), newRow[float32](sevenPadding + width)}
	}
	s.out, s.blank = newRow[float32](sevenVector), newRow[float32](width)
	w := gaussianWeights(o.GradientSigma, sevenRadius)
	for i := range s.run.smooth {
		for j := range s.run.smooth[i] {
			s.run.smooth[i][j], s.run.derive[i][j] = w.smooth[i], w.derive[i]
		}
	}
	s.run.measure, s.run.constants = m.Vectors()
	return s
}

func (s *seven) serve(k *kernels, w int) bool {
	s.kernels = k
	return k.gradients7 != nil && w >= minWidth
}

func (s *seven) start(p *plane, begin, end, y int) {
	s.plane, s.begin, s.end, s.y = p, begin, end, y
	s.left, s.right = max(begin-sevenPadding, 0), min(end+2*sevenRadius, p.W)
	s.nextProduct = max(y-sevenRadius, 0)
	s.nextRow = max(s.nextProduct-sevenRadius, 0)
}

func (s *seven) pair(upper, lower []float32) {
	for last := min(s.y+sevenRadius+1, s.plane.H-1); s.nextProduct <= last; s.nextProduct += 2 {
		s.makeProducts(s.nextProduct)
	}
	r, n := s.run, s.right-s.left
	r.n = n
	for k := range s.sums {
		for i := range r.rows {
			r.rows[i] = &s.blank[0]
			if y := s.y - sevenRadius + i; s.border == Mirror || y >= 0 && y < s.plane.H {
				r.rows[i] = &s.products[raster.Mirror(y, s.plane.H)%len(s.products)][k][0]
			}
		}
		for i, row := range s.sums[k] {
			r.out[i] = &row[sevenPadding]
		}
		s.kernels.columns7(r)
	}
	for i, dst := range [2][]float32{upper, lower} {
		if dst == nil {
			continue
		}
		for k := range s.sums {
			s.extend(s.sums[k][i])
			r.rows[k] = &s.sums[k][i][sevenPadding+s.begin-s.left]
		}
		// Whole vectors go to their place, and the rest, for which there is no room
		// there, by way of a row with room.
		n := len(dst)
		if r.n = n / sevenVector * sevenVector; r.n > 0 {
			r.out[0] = &dst[0]
			s.kernels.respond7(r)
		}
		if rest := dst[r.n:]; len(rest) > 0 {
			for k := range s.sums {
				r.rows[k] = &s.sums[k][i][sevenPadding+s.begin-s.left+r.n]
			}
			r.out[0], r.n = &s.out[0], len(rest)
			s.kernels.respond7(r)
			copy(rest, s.out)
		}
	}
	s.y += 2
}

// makeProducts makes the products of the gradients of rows y and y+1.
func (s *seven) makeProducts(y int) {
	p, r, n := s.plane, s.run, s.right-s.left
	for ; s.nextRow <= min(y+sevenRadius+1, p.H-1); s.nextRow++ {
		row := s.rows[s.nextRow%len(s.rows)]
		if p.luma != nil {
			copy(row[:n], p.luma[s.nextRow*p.W+s.left:])
			continue
		}
		ahead := min(s.nextRow+4, p.H-1)
		s.widen = widenRun{p.Row(s.nextRow)[s.left:][:n], row[:n], &p.Row(ahead)[s.left]}
		s.kernels.widen(&s.widen)
	}
	for i := range r.rows {
		r.rows[i] = &s.blank[0]
		if y := y - sevenRadius + i; s.border == Mirror || y >= 0 && y < p.H {
			r.rows[i] = &s.rows[raster.Mirror(y, p.H)%len(s.rows)][0]
		}
	}
	for i := range r.out {
		r.out[i] = &s.columns[i][sevenPadding]
	}
	r.n = n
	s.kernels.gradients7(r)
	for i := range 2 {
		s.extend(s.columns[i])
		s.extend(s.columns[2+i])
		r.rows[0], r.rows[1] = &s.columns[i][sevenPadding], &s.columns[2+i][sevenPadding]
		for k, row := range s.products[(y+i)%len(s.products)] {
			r.out[k] = &row[0]
		}
		s.kernels.products7(r)
	}
}

// extend sets the columns of a row that are beyond the image.
func (s *seven) extend(row []float32) {
	row = row[sevenPadding-sevenRadius:][:sevenRadius+s.right-s.left+sevenRadius]
	extend(s.border, row, s.left-sevenRadius, s.plane.W)
}

func (s *seven) release() {
	s.plane, s.widen = nil, widenRun{}
}
