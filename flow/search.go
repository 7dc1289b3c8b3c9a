package flow

import "math"

// A search follows a point on a level.
type search struct {
	w, h int // of the window
	over int // the columns of the template that the window does not have

	// The position of the template's window, with one pixel more on each side, and of
	// the window in the second image.
	template, window window
	// The pixels of the template's window that are in the image have derivatives, and
	// others do not: columns from left to right and rows from top to bottom, of w+1 and
	// h+1.
	left, right, top, bottom int
	// values are the template of kernels for small windows: gray values and derivatives along
	// x and y, in their order.
	values []int16

	tensor   [3]float32 // sums of the products of derivatives: xx, xy, yy
	products [2]float32 // sums of the differences times the derivatives along x and y
	totals   totals
	// difference is the sum of the absolute differences.
	difference float32
	// twin is the other search of kernels for two.
	twin *search

	integers

	first, second  *level // the level
	last           bool   // of the levels
	source, target patch

	position Point // of the window
	result   Point
	step     Point // the one before
	status   Status
	err      float32
	// The tensor, scaled, and the inverse of its determinant.
	a11, a12, a22, inverse float32

	portableSearch
}

// integers are what kernels that add up integers work with. The columns of a row, of which
// there are 32 at most, are in the order of their products: those of columns c and c+4 of eight
// next to each other.
type integers struct {
	// inside and columns have all bits set for the columns in the image, of w+1 and in their
	// natural order, and for those of the window.
	inside, columns [32]uint16
	// laneMask and tailMask have all bits set for the columns of the lanes and of the tail,
	// two at a time.
	laneMask, tailMask [16]uint32
	// lanes and tails are sums of up to three products: of the columns of each lane, and of
	// those of the tail, in four parts.
	lanes, tails [12]uint32
	// bounds are the larger ones of the sums of the squared derivatives along x and y: of
	// the lanes and, four times, of the tail.
	bounds [8]float32
	// inexact is not 0 if the sums of products might be rounded.
	inexact uint32
	// derivatives is memory for those of h+1 rows, and deltas for the differences of h rows.
	derivatives, deltas []int16
}

// totals are exact sums over a window: of the derivatives along x and y, of their products,
// of the differences, and of the products of these and the derivatives.
type totals struct {
	x, y, xx, xy, yy int64
	d, dx, dy        int64
}

// A window is pixels at a position: pix begins with the one above and to the left.
type window struct {
	pix    []byte
	stride int
	// weights are those of a pixel, the one to the right, and the two below these.
	weights [4]int16
}

// setWeights sets the weights for a position whose integer part is x, y.
func (w *window) setWeights(p Point, x, y int) {
	a, b := p.X-float32(x), p.Y-float32(y)
	w00 := round14(float32((1 - a) * (1 - b)))
	w01 := round14(float32(a * (1 - b)))
	w10 := round14(float32((1 - a) * b))
	w.weights = [4]int16{int16(w00), int16(w01), int16(w10), int16(1<<14 - w00 - w01 - w10)}
}

// round14 returns v, 0 to 1, times 1<<14, rounded to the nearest integer, and to the even one
// of two.
func round14(v float32) int32 {
	const magic = 3 << 22 // whose last bit is 1
	return int32(float32(v*(1<<14))+magic) - magic
}

// place returns the integer part of the window's position in a level, and whether the window
// overlaps the level. If it does not on the last level, the point is not found.
func (s *search) place(p Point, level *level) (x, y int, ok bool) {
	x, okX := floor(p.X)
	y, okY := floor(p.Y)
	switch {
	case !okX || !okY:
		if s.last {
			s.status = Lost
		}
	case x < -s.w || x >= level.W || y < -s.h || y >= level.H || level.W == 0:
		if s.last {
			s.status = Outside
		}
	default:
		return x, y, true
	}
	return 0, 0, false
}

// floor returns the largest integer that is not larger than v, and whether it has 32 bits.
func floor(v float32) (int, bool) {
	if !(v >= math.MinInt32 && v < -math.MinInt32) {
		return 0, false
	}
	i := int(v)
	if float32(i) > v {
		i--
	}
	return i, true
}

// setBounds sets which pixels of the template's window, at x, y, are in the image.
func (s *search) setBounds(x, y int) {
	left, right := min(max(-x, 0), s.w+1), max(min(s.first.W-x, s.w+1), 0)
	s.top, s.bottom = min(max(-y, 0), s.h+1), max(min(s.first.H-y, s.h+1), 0)
	if left == s.left && right == s.right {
		return
	}
	s.left, s.right = left, right
	clear(s.inside[:])
	for x := left; x < min(right, len(s.inside)); x++ {
		s.inside[x] = math.MaxUint16
	}
}

// prepare makes the memory that kernels need.
func (s *search) prepare(k *kernels) {
	columns := k.columns(s.w)
	s.over = columns - s.w
	if k.small {
		s.values = make([]int16, 3*columns*s.h)
	} else {
		s.portableSearch.prepare(s.w, s.h)
	}
	if k.integers {
		s.integers.prepare(s.w, s.h)
	}
	s.source.prepare(s.w+3, s.h+3, s.over)
	s.target.prepare(s.w+1+2*patchMargin, s.h+1+2*patchMargin, s.over)
}

// prepare makes the memory and the masks for a window.
func (s *integers) prepare(w, h int) {
	const more = 1 // is read than there is
	s.derivatives = make([]int16, (h+1)*2*len(s.columns)+more)
	s.deltas = make([]int16, h*len(s.columns))
	blocks := w / 8
	for i := range s.columns {
		if column := i&^7 | i>>1&3 | i&1<<2; column < w {
			s.columns[i] = math.MaxUint16
		}
	}
	for i := range s.laneMask {
		if i/4 < blocks {
			s.laneMask[i] = math.MaxUint32
		} else if i/4 == blocks {
			s.tailMask[i] = math.MaxUint32
		}
	}
}

// exactLimit is the largest integer up to which all are floats of 32 bits.
const exactLimit = 1 << 24

// exactTensor sets the bounds from the integer sums, and the tensor if floats that were added up
// in any order would have had the same sums, which it reports.
func (s *search) exactTensor() bool {
	var tails [3]uint32
	for i := range tails {
		tail := (*[4]uint32)(s.tails[4*i:])
		tails[i] = tail[0] + tail[1] + tail[2] + tail[3]
	}
	// The products of x and y are not larger than those of both squared.
	largest := max(tails[0], tails[2])
	tailBound := float32(largest)
	for c := range 4 {
		bound := max(s.lanes[c], s.lanes[8+c])
		largest = max(largest, bound)
		s.bounds[c], s.bounds[4+c] = float32(bound), tailBound
	}
	if largest > exactLimit {
		return false
	}
	for i, tail := range tails {
		f := lanes{tail: float32(int32(tail))}
		for c, v := range (*[4]uint32)(s.lanes[4*i:]) {
			f.lane[c] = float32(int32(v))
		}
		s.tensor[i] = f.sum()
	}
	return true
}
