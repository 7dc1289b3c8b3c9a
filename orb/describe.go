package orb

import (
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/degrees"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb/internal/learned"
)

// A pattern holds the places that are compared with each other, relative to a keypoint
// whose angle is 0. The places that are compared form a cell. The first places of all
// cells come first, then the second ones, and so on.
type pattern struct {
	points int // of a cell
	xs, ys []float32
	// heights[i] is how far above or below the keypoint places get at a distance of i
	// columns from it, at any angle.
	heights []int
}

// descriptorBits is the number of bits of a descriptor. A cell gives one bit if it has 2
// places, and otherwise two bits.
const descriptorBits = 8 * len(match.Descriptor{})

// maxPlaces is the largest number of places in a pattern.
const maxPlaces = descriptorBits / 2 * 4

// learnedPatch is the patch size of the learned pattern.
const learnedPatch = 31

// newPattern returns OpenCV's pattern for a patch size.
func newPattern(patch, points int) pattern {
	type place struct{ x, y int }
	all := make([]place, 0, 2*len(learned.Pattern))
	if patch == learnedPatch {
		for _, l := range learned.Pattern {
			all = append(all, place{int(l[0]), int(l[1])}, place{int(l[2]), int(l[3])})
		}
	} else {
		r := random(0x34985739)
		for range 2 * len(learned.Pattern) {
			x := r.uniform(-(patch / 2), patch/2+1)
			y := r.uniform(-(patch / 2), patch/2+1)
			all = append(all, place{x, y})
		}
	}
	cells := descriptorBits
	if points > 2 {
		// The places of a cell differ.
		cells /= 2
		places := make([]place, 0, cells*points)
		r := random(0x12345678)
		for len(places) < cells*points {
			cell := places[len(places)/points*points:]
			if next := all[r.uniform(0, len(all))]; !slices.Contains(cell, next) {
				places = append(places, next)
			}
		}
		all = places
	}
	p := pattern{points: points, xs: make([]float32, 0, len(all)), ys: make([]float32, 0, len(all))}
	radius2 := 0 // of the circle that all places are in, squared
	for i := range points {
		for cell := range cells {
			at := all[cell*points+i]
			p.xs, p.ys = append(p.xs, float32(at.x)), append(p.ys, float32(at.y))
			radius2 = max(radius2, at.x*at.x+at.y*at.y)
		}
	}
	// Rounding to whole pixels moves places by up to half a pixel in either direction,
	// and rounding their coordinates to float32 by a little more.
	const rounding = 0.501
	height := func(column float64) int {
		return int(math.Sqrt(max(float64(radius2)-column*column, 0)) + rounding)
	}
	p.heights = append(p.heights, height(0))
	for i := 1; i <= p.heights[0]; i++ {
		p.heights = append(p.heights, height(float64(i)-rounding))
	}
	return p
}

// random is a generator of pseudo-random numbers: multiply with carry, as in
// OpenCV.
type random uint64

// uniform returns a number that is at least low and less than high.
func (r *random) uniform(low, high int) int {
	*r = random(uint64(uint32(*r))*4164903690 + uint64(*r>>32))
	return low + int(uint32(*r)%uint32(high-low))
}

// describe makes the descriptors of the keypoints found in the rows from begin up to end. There is
// room for them.
func (l *level) describe(e *Extractor, memory *lane, begin, end int) {
	p, k := &e.pattern, l.kernels
	if len(p.heights) > math.MaxInt32/2/(l.img.W+portableStrip) {
		k = &portable
	}
	s := &memory.smoother
	reach := len(p.heights)
	s.reset(&l.img, k, max(begin-reach, 0), min(end+reach, l.img.H))
	// Other workers set angles of keypoints outside meanwhile, so these are not copied.
	for i := range l.found {
		if found := &l.found[i]; int(found.y) >= begin && int(found.y) < end {
			s.want(int(found.x), int(found.y), p.heights)
		}
	}
	s.smooth()
	r := &memory.sampleRun
	r.pix, r.stride, r.xs, r.ys, r.values = s.pix, s.stride, p.xs, p.ys, memory.values[:len(p.xs)]
	for i := range l.found {
		found := &l.found[i]
		if int(found.y) < begin || int(found.y) >= end {
			continue
		}
		r.at = (int(found.y)-s.top)*s.stride + int(found.x)
		r.sin, r.cos = degrees.SinCos(found.angle)
		r.desc = &l.descs[i]
		if p.points == 2 {
			k.compare(r)
		} else {
			k.sample(r)
			r.compareCells(p.points)
		}
	}
}

// A sampleRun is a keypoint to describe: sample reads the pixels of a pattern around it,
// and compare compares the first half of them with the second half. Assembly requires that
// the offsets of these pixels from the keypoint's have 32 bits, and that their number is 512
// for compare and a multiple of 8 for sample.
type sampleRun struct {
	pix      []byte // smoothed
	stride   int
	at       int // the index of the keypoint's pixel
	cos, sin float32
	xs, ys   []float32
	values   []byte // the pixels
	desc     *match.Descriptor
}

func samplePortable(r *sampleRun) {
	pix, stride, at, cos, sin := r.pix, r.stride, r.at, r.cos, r.sin
	ys, values := r.ys[:len(r.xs)], r.values[:len(r.xs)]
	for i, x := range r.xs {
		y := ys[i]
		column := math.RoundToEven(float64(float32(x*cos) - float32(y*sin)))
		row := math.RoundToEven(float64(float32(x*sin) + float32(y*cos)))
		values[i] = pix[at+int(row)*stride+int(column)]
	}
}

func comparePortable(r *sampleRun) {
	samplePortable(r)
	*r.desc = match.Descriptor{}
	half := len(r.values) / 2
	first, second := r.values[:half], r.values[half:][:half]
	for i, v := range first {
		if v < second[i] {
			r.desc[i/8] |= 1 << (i % 8)
		}
	}
}

// compareCells makes the descriptor from the values of cells with 3 or 4 places.
func (r *sampleRun) compareCells(points int) {
	*r.desc = match.Descriptor{}
	cells := len(r.values) / points
	for i := range cells {
		brightest := brightestOf3(r.values[i], r.values[cells+i], r.values[2*cells+i])
		if points == 4 {
			brightest = brightestOf4(r.values[i], r.values[cells+i], r.values[2*cells+i], r.values[3*cells+i])
		}
		r.desc[i/4] |= brightest << (i % 4 * 2)
	}
}

// brightestOf3 returns which of the values is the highest, and of equal ones the first.
func brightestOf3(v0, v1, v2 uint8) uint8 {
	switch {
	case v2 > v1 && v2 > v0:
		return 2
	case v2 <= v1 && v1 > v0:
		return 1
	}
	return 0
}

// brightestOf4 returns which of the values is the highest, and of equal ones the first in
// the order v2, v3, v0, v1, as in OpenCV.
func brightestOf4(v0, v1, v2, v3 uint8) uint8 {
	u, w := uint8(0), uint8(2)
	if v1 > v0 {
		v0, u = v1, 1
	}
	if v3 > v2 {
		v2, w = v3, 3
	}
	if v0 > v2 {
		return u
	}
	return w
}
