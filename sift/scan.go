package sift

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// border is the width of the margin of each layer that has no keypoints.
const border = 5

// A candidate is a pixel of the difference of two layers that is an extremum.
type candidate struct {
	octave, layer int32 // that of the layers' number layer+1 and layer
	column, row   int32
}

// A scanner searches the differences of an octave's layers for extrema while the layers are
// made. Of each difference but the first and the last, it holds the last three rows, and the
// greatest and least values around each of their pixels: those of three columns, in the row
// itself and in those of the differences before and after it.
type scanner struct {
	kernels   *kernels
	planes    []plane
	octave    int
	threshold float32
	first     int // the first row to look at
	next, end int // the next row to look at, and that after the last one
	rings     []float32
	marks     []uint16
	found     []candidate

	extremeRun   extremeRun
	candidateRun candidateRun
}

// threshold returns what the absolute values of extrema are above.
func (o *Options) threshold() float32 {
	return float32(math.Floor(0.5 * o.Contrast / float64(o.Layers) * 255))
}

// begin begins the search for extrema in the rows of an octave from begin+1 up to end-2, as far
// as they are not in the margin.
func (s *scanner) begin(octave int, planes []plane, begin, end int) {
	s.octave, s.planes = octave, planes
	s.first, s.end = max(begin, border-1), min(end, planes[0].height-border+1)
	s.next = s.first
	width := roundUp(planes[0].width)
	s.rings = raster.Resize(s.rings, 9*(len(planes)-3)*strideOf(width))
	s.marks = raster.Resize(s.marks, width/vectorWidth)
}

// held returns, of the difference of a layer, row y of the kind: the difference itself, the
// greatest values, or the least ones.
func (s *scanner) held(layer, kind, y int) []float32 {
	width := roundUp(s.planes[0].width)
	return s.rings[(9*(layer-1)+3*kind+y%3)*strideOf(width):][:width]
}

// scan searches the rows of which the neighbors are above row done, one difference after the
// other, so that what is held of it stays in the caches.
func (s *scanner) scan(done int) {
	done = min(done, s.end)
	for layer := 1; layer < len(s.planes)-2; layer++ {
		for y := s.next; y < done; y++ {
			s.look(layer, y)
			if y >= s.first+2 {
				s.search(layer, y-1)
			}
		}
	}
	s.next = max(s.next, done)
}

// look adds row y to those that are held of the difference of a layer.
func (s *scanner) look(layer, y int) {
	r := &s.extremeRun
	for i := range r.layers {
		r.layers[i] = s.planes[layer-1+i].row(y)
	}
	r.center, r.greatest, r.least = s.held(layer, 0, y), s.held(layer, 1, y), s.held(layer, 2, y)
	s.kernels.extremes(r)
}

// search finds the extrema in row y of the difference of a layer.
func (s *scanner) search(layer, y int) {
	r := &s.candidateRun
	r.center, r.threshold, r.marks = s.held(layer, 0, y), s.threshold, s.marks
	for i := range 3 {
		r.greatest[i], r.least[i] = s.held(layer, 1, y-1+i), s.held(layer, 2, y-1+i)
	}
	s.kernels.candidates(r)
	last := s.planes[0].width - border - 1
	for i, marks := range s.marks {
		for ; marks != 0; marks &= marks - 1 {
			x := i*vectorWidth + bits.TrailingZeros16(marks)
			if x >= border && x <= last && !s.isFlat(layer, x, y) {
				s.found = append(s.found, candidate{int32(s.octave), int32(layer), int32(x), int32(y)})
			}
		}
	}
}

// isFlat reports whether the pixels around pixel x, y of the difference of a layer equal it. An
// extremum there would be left out as one of an edge, as it has no curvature: without this test,
// all pixels of a flat part of an image are candidates.
func (s *scanner) isFlat(layer, x, y int) bool {
	v := s.held(layer, 0, y)[x]
	for dy := -1; dy <= 1; dy++ {
		row := s.held(layer, 0, y+dy)[x-1:][:3]
		if row[0] != v || row[1] != v || row[2] != v {
			return false
		}
	}
	return true
}

// An extremeRun is the argument of the kernel extremes. All rows have the same number of whole
// vectors.
type extremeRun struct {
	layers                  [4][]float32 // a row of each, whose differences are three
	center, greatest, least []float32
}

// extremes computes the difference of the layers in the middle, and the greatest and least of
// the nine differences at a pixel and those beside it. At both ends of the row, where there is
// none, the results mean nothing.
func extremes(r *extremeRun) {
	n := len(r.center)
	a, b, c, d := r.layers[0][:n], r.layers[1][:n], r.layers[2][:n], r.layers[3][:n]
	greatest, least := r.greatest[:n], r.least[:n]
	var before, here [2]float32 // the greatest and least of the differences at the last two pixels
	for x := range n {
		center := c[x] - b[x]
		first, last := b[x]-a[x], d[x]-c[x]
		r.center[x] = center
		next := [2]float32{max(first, center, last), min(first, center, last)}
		if x > 0 {
			greatest[x-1] = max(before[0], here[0], next[0])
			least[x-1] = min(before[1], here[1], next[1])
		}
		before, here = here, next
	}
}

// A candidateRun is the argument of the kernel candidates. All rows have the same number of
// whole vectors.
type candidateRun struct {
	center          []float32    // the row
	greatest, least [3][]float32 // around the pixels of the row above, the row, and that below
	threshold       float32
	marks           []uint16 // a bit for each pixel
}

// findCandidates marks the pixels that are above the threshold and not less than those around
// them, and those that are below the negative threshold and not greater.
func findCandidates(r *candidateRun) {
	for i := range r.marks {
		var marks uint16
		for bit := range vectorWidth {
			x := i*vectorWidth + bit
			v := r.center[x]
			if v > r.threshold && v >= r.greatest[0][x] && v >= r.greatest[1][x] && v >= r.greatest[2][x] ||
				v < -r.threshold && v <= r.least[0][x] && v <= r.least[1][x] && v <= r.least[2][x] {
				marks |= 1 << bit
			}
		}
		r.marks[i] = marks
	}
}
