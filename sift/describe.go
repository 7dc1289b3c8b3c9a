package sift

import (
	"math"

	"github.com/fastcorners/fast/match"
)

const (
	cells      = 4 // of the descriptor, in both directions
	cellBins   = 8 // directions of a cell
	cellDegree = float32(cellBins) / 360
)

// A sketch is a descriptor that is not finished.
type sketch struct {
	samplesRun
	dst *match.Vector // or nil
}

// begin prepares the samples of the keypoint at x, y of a layer, whose descriptor goes to dst. scale
// is that of the keypoint in pixels of the layer, and the angle is from 0 to 360 degrees. All of them
// are numbers.
func (s *sketch) begin(dst *match.Vector, layer *plane, x, y, angle, scale float32) {
	s.dst = dst
	s.angle = circle(360 - angle)
	width := float32(3 * scale)
	diagonal := math.Trunc(math.Sqrt(float64(layer.width*layer.width + layer.height*layer.height)))
	radius := math.RoundToEven(float64(float32(float32(float32(width*math.Sqrt2)*(cells+1)) * 0.5)))
	sin, cos := sincosf(s.angle * (math.Pi / 180))
	s.cos, s.sin = cos/width, sin/width
	s.inverseCos, s.inverseSin = inverse(s.cos), inverse(s.sin)
	s.samplesRun.begin(layer, pixelOf(x), pixelOf(y), int(min(radius, diagonal)))
}

// A sketcher makes two descriptors at a time: a sum of one of them does not have to wait until a
// sum of the other one is done. For the same reason, it normalizes several at a time.
type sketcher struct {
	kernels  *kernels
	sketches [2]sketch
	pair     pairRun
	sheaf    normalizeRun
	dsts     [sheafSize]*match.Vector // of the vectors in the sheaf
	count    int                      // of these
}

// A normalizeRun is the argument of the kernel normalize: a sheaf of descriptors of which all samples
// were added.
type normalizeRun struct {
	vectors     [sheafSize][128]float32
	descriptors [sheafSize]match.Vector
}

// sheafSize is the number of descriptors that are normalized at a time.
const sheafSize = 8

// free returns a sketch that can begin.
func (s *sketcher) free() *sketch {
	for i := range s.sketches {
		if s.sketches[i].dst == nil {
			return &s.sketches[i]
		}
	}
	a, b := &s.sketches[0], &s.sketches[1]
	s.pair.samples = [2]*samplesRun{&a.samplesRun, &b.samplesRun}
	for {
		for _, sketch := range []*sketch{a, b} {
			sketch.refill(s.kernels.patch)
			if sketch.count-sketch.done < 8 {
				s.complete(sketch)
				return sketch
			}
		}
		s.pair.count = min(a.count-a.done, b.count-b.done) &^ 7
		s.kernels.pairs(&s.pair)
		a.done += s.pair.count
		b.done += s.pair.count
	}
}

// complete adds the samples of a sketch that are left, and puts its vector into the sheaf.
func (s *sketcher) complete(sketch *sketch) {
	sketch.collect(s.kernels.patch, s.kernels.cells)
	sketch.vector = s.sheaf.vectors[s.count][:]
	s.kernels.cut(&sketch.samplesRun)
	s.dsts[s.count] = sketch.dst
	sketch.dst = nil
	s.count++
	if s.count == sheafSize {
		s.empty()
	}
}

// empty makes the descriptors of the vectors in the sheaf. What is left in other places of it, from
// earlier ones, is normalized in vain.
func (s *sketcher) empty() {
	s.kernels.normalize(&s.sheaf)
	for i, dst := range s.dsts[:s.count] {
		*dst = s.sheaf.descriptors[i]
	}
	clear(s.dsts[:s.count])
	s.count = 0
}

// finish finishes all sketches that have begun.
func (s *sketcher) finish() {
	s.free() // completes one of them beside the other, if there are two
	for i := range s.sketches {
		if s.sketches[i].dst != nil {
			s.complete(&s.sketches[i])
		}
	}
	if s.count > 0 {
		s.empty()
	}
}

// pixelOf returns the coordinate of the nearest pixel, or of one that is as far from all layers.
func pixelOf(v float32) int {
	const far = 1 << 24
	return round(min(max(v, -far), far))
}

// inverse returns 1/x, or what has the magnitude of 1e9 if that is larger.
func inverse(x float32) float32 {
	const limit = 1e9
	if abs(x) > 1/limit {
		return 1 / x
	}
	return float32(math.Copysign(limit, float64(x)))
}

// patch gathers the samples of the turned square that the cells, with half a cell more on all
// sides, cover.
func patch(s *samplesRun) {
	for ; s.row < s.end && s.count < batchSize; s.row++ {
		at := s.center + s.row*s.stride
		byCos, bySin := float32(float32(s.row)*s.cos), float32(float32(s.row)*s.sin)
		for x := s.left; x <= s.right; x++ {
			column, row := fma32(float32(x), s.cos, -bySin), fma32(float32(x), s.sin, byCos)
			if r, c := cellOf(row), cellOf(column); r > -1 && r < cells && c > -1 && c < cells {
				s.dx[s.count], s.dy[s.count] = s.gradient(at + x)
				s.columns[s.count], s.rows[s.count] = column, row
				s.count++
			}
		}
	}
}

// cellOf returns the place among the centers of cells, beginning with that of the first one.
func cellOf(v float32) float32 {
	return v + cells/2 - 0.5
}

// addCells adds the samples to the histograms of the four nearest cells, of two directions
// each, in proportion to how near they are.
func addCells(s *samplesRun) {
	for i := s.done; i < s.count; i++ {
		dx, dy, column, row := s.dx[i], s.dy[i], s.columns[i], s.rows[i]
		weight := exp32(float32(fma32(column, column, float32(row*row)) * (-1.0 / 8)))
		weight = float32(length(dx, dy) * weight)
		r, row := split(cellOf(row))
		c, column := split(cellOf(column))
		o, turn := split(float32((atan(dy, dx) - s.angle) * cellDegree))
		o &= cellBins - 1

		lower := float32(weight * row)
		upper := weight - lower
		lowerRight, upperRight := float32(lower*column), float32(upper*column)
		parts := [2][2]float32{{upper - upperRight, upperRight}, {lower - lowerRight, lowerRight}}
		for j := range 2 {
			for k := range 2 {
				r, c, part := r+j, c+k, parts[j][k]
				if r < 0 || r >= cells || c < 0 || c >= cells {
					continue
				}
				near, far := &s.histogram[cellPlace(r, c, o)], &s.histogram[cellPlace(r, c, o+1)]
				if i < s.count-s.fused {
					next := float32(part * turn)
					*near += part - next
					*far += next
				} else {
					*near += fma32(-part, turn, part)
					*far = fma32(part, turn, *far)
				}
			}
		}
	}
}

// split returns the largest integer that is at most v, and what is left.
func split(v float32) (int, float32) {
	whole := math.Floor(float64(v))
	return int(whole), v - float32(whole)
}

// cut makes the vector of the histogram's cells, with components of at most a fifth of what its
// length was before.
func cut(s *samplesRun) {
	v, h := s.vector, s.histogram
	for r := range cells {
		for c := range cells {
			cell := v[cellBins*(cells*r+c):][:cellBins]
			for o := range cell {
				cell[o] = h[cellPlace(r, c, o)]
			}
			cell[0] += h[cellPlace(r, c, cellBins)]
		}
	}
	// OpenCV sums by vectors of 8.
	var sums [8]float32
	for i, x := range v {
		sums[i%8] = fma32(x, x, sums[i%8])
	}
	most := sqrt(((sums[0]+sums[1])+(sums[2]+sums[3]))+((sums[4]+sums[5])+(sums[6]+sums[7]))) * 0.2
	for i, x := range v {
		v[i] = min(x, most)
	}
}

// normalize makes the descriptors of vectors: of length 512, with integers up to 255.
func normalize(s *normalizeRun) {
	for i := range s.vectors {
		v := &s.vectors[i]
		square := float32(0)
		for _, x := range v {
			square = fma32(x, x, square)
		}
		scale := 512 / max(sqrt(square), 0x1p-23)
		for j, x := range v {
			s.descriptors[i][j] = uint8(min(round(float32(x*scale)), 255))
		}
	}
}
