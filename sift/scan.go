package sift

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// border is the width of the margin of each layer that has no keypoints.
const border = 5

// A candidate is a pixel of the difference of two layers that is an extremum.
type candidate struct {
	octave, layer int32 // that of the layers' number layer+1 and layer
	column, row   int32
}

// A scanner searches the differences of an octave's layers for extrema while the layers are
// made.
type scanner struct {
	kernels   *kernels
	planes    []plane
	octave    int
	next, end int // the next row to search, and that after the last one
	found     []candidate

	run extremaRun
}

// threshold returns what the absolute values of extrema are above.
func (o *Options) threshold() float32 {
	return float32(math.Floor(0.5 * o.Contrast / float64(o.Layers) * 255))
}

// begin begins the search for extrema in the rows of an octave from begin+1 up to end-2, as far
// as they are not in the margin.
func (s *scanner) begin(octave int, planes []plane, begin, end int) {
	s.octave, s.planes = octave, planes
	s.next, s.end = max(begin+1, border), min(end-1, planes[0].height-border)
}

// scan searches the rows of which the neighbors are above row done.
func (s *scanner) scan(done int) {
	for last := min(done-1, s.end); s.next < last; {
		rows := min(batch, last-s.next)
		s.search(rows)
		s.next += rows
	}
}

// search finds the extrema in the next rows.
func (s *scanner) search(rows int) {
	r := &s.run
	r.rows, r.stride, r.columns = rows, s.planes[0].stride, s.planes[0].width-2*border
	if r.columns <= 0 {
		return
	}
	r.markStride = (r.columns + markRoom + 63) / 64 * 8
	if n := rows * together * r.markStride; len(r.marks) < n {
		r.marks = make([]byte, n)
	}
	last := len(s.planes) - 3 // the last difference to search
	for first := 1; first <= last; first += together {
		for i := range r.layers {
			p := &s.planes[min(first-1+i, last+2)]
			r.layers[i] = p.pix[(s.next-1)*p.stride+border-1:]
		}
		s.kernels.extrema(r)
		s.collect(first, last)
	}
}

// collect appends the extrema that are marked, and clears the marks.
func (s *scanner) collect(first, last int) {
	r := &s.run
	for row := range r.rows {
		for i := range together {
			marks := r.marks[(row*together+i)*r.markStride:][:r.markStride]
			for at := 0; at < len(marks); at += 8 {
				word := binary.LittleEndian.Uint64(marks[at:])
				if word == 0 {
					continue
				}
				binary.LittleEndian.PutUint64(marks[at:], 0)
				for ; word != 0; word &= word - 1 {
					column := at*8 + bits.TrailingZeros64(word)
					layer, x, y := first+i, column+border, s.next+row
					if layer <= last && column < r.columns && !s.isFlat(layer, x, y) {
						s.found = append(s.found, candidate{int32(s.octave), int32(layer), int32(x), int32(y)})
					}
				}
			}
		}
	}
}

// isFlat reports whether the pixels around pixel x, y of the difference of a layer equal it. An
// extremum there would be left out as one of an edge, as it has no curvature: without this test,
// all pixels of a flat part of an image are candidates.
func (s *scanner) isFlat(layer, x, y int) bool {
	a, b := &s.planes[layer], &s.planes[layer+1]
	at := y*a.stride + x
	v := b.pix[at] - a.pix[at]
	for _, begin := range [...]int{at - a.stride, at, at + a.stride} {
		for i := begin - 1; i <= begin+1; i++ {
			if b.pix[i]-a.pix[i] != v {
				return false
			}
		}
	}
	return true
}

// markRoom is the number of bits behind those of the columns that a kernel may change.
const markRoom = 31

// together is the number of differences that are searched together.
const together = 3

// An extremaRun is the argument of the kernel extrema, which searches some rows of three
// differences.
type extremaRun struct {
	layers  [together + 3][]float32 // from the row above and the column before the first ones on
	stride  int                     // of all of them
	rows    int
	columns int
	limit   float32 // what extrema are at least, or at most if they are negative

	// There is a bit for each column, none of them set before, and room for markRoom more, which
	// mean nothing: markStride bytes for each of the differences in the first row, and so on.
	marks      []byte
	markStride int
}

// markExtrema marks the pixels that are not less than the 26 around them, and at least the
// limit, and those that are not greater, and at most the negative limit.
func markExtrema(r *extremaRun) {
	for y := range r.rows {
		for i := range together {
			marks := r.marks[(y*together+i)*r.markStride:]
			for x := range r.columns {
				if r.isExtremum(i, x, y) {
					marks[x/8] |= 1 << (x % 8)
				}
			}
		}
	}
}

// isExtremum reports whether a pixel is to be marked.
func (r *extremaRun) isExtremum(i, x, y int) bool {
	at := (y+1)*r.stride + x + 1
	v := r.layers[i+2][at] - r.layers[i+1][at]
	if abs(v) < r.limit {
		return false
	}
	for j := i; j < i+3; j++ {
		for _, begin := range [...]int{at - r.stride - 1, at - 1, at + r.stride - 1} {
			a, b := r.layers[j][begin:][:3], r.layers[j+1][begin:][:3]
			for k := range a {
				if d := b[k] - a[k]; v > 0 && d > v || v < 0 && d < v {
					return false
				}
			}
		}
	}
	return true
}
