package orb

import (
	"math"
	"slices"

	"github.com/fastcorners/fast/match"
)

// A pattern holds the places that are compared with each other, relative to a
// keypoint whose angle is 0. In cells of so many places the first ones of all cells
// come first.
type pattern struct {
	points  int // of a cell
	xs, ys  []float32
	heights []int // how far places get up and down that are so many columns away, at any angle
}

// descriptorBits is the number of bits of a descriptor. A cell gives one of them
// where it has 2 places, and otherwise two.
const descriptorBits = 8 * len(match.Descriptor{})

// learnedPatch is the patch size of the learned pattern.
const learnedPatch = 31

// newPattern returns the pattern for a patch size, as OpenCV has it.
func newPattern(patch, points int) pattern {
	type place struct{ x, y int }
	var all []place
	if patch == learnedPatch {
		for _, l := range learned {
			all = append(all, place{int(l[0]), int(l[1])}, place{int(l[2]), int(l[3])})
		}
	} else {
		r := random(0x34985739)
		for range 2 * len(learned) {
			x := r.uniform(-(patch / 2), patch/2+1)
			y := r.uniform(-(patch / 2), patch/2+1)
			all = append(all, place{x, y})
		}
	}
	cells := descriptorBits
	if points > 2 {
		// Cells of different places.
		cells /= 2
		var places []place
		r := random(0x12345678)
		for len(places) < cells*points {
			cell := places[len(places)/points*points:]
			if next := all[r.uniform(0, len(all))]; !slices.Contains(cell, next) {
				places = append(places, next)
			}
		}
		all = places
	}
	p := pattern{points: points}
	radius2 := 0 // of the circle that all places are in, squared
	for i := range points {
		for cell := range cells {
			at := all[cell*points+i]
			p.xs, p.ys = append(p.xs, float32(at.x)), append(p.ys, float32(at.y))
			radius2 = max(radius2, at.x*at.x+at.y*at.y)
		}
	}
	// Places are rounded to whole pixels, so that half a pixel is lost or gained in
	// either direction. A little more is for the rounding of their coordinates.
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

// uniform returns a number from low on, less than high.
func (r *random) uniform(low, high int) int {
	*r = random(uint64(uint32(*r))*4164903690 + uint64(*r>>32))
	return low + int(uint32(*r)%uint32(high-low))
}

// describe makes the descriptors of the keypoints found.
func (l *level) describe(e *Extractor) {
	k := l.kernels
	if len(e.pattern.heights) > math.MaxInt32/2/(l.w+blurWidth) {
		k = nil // offsets in them have 32 bits
	}
	l.blur.reset(&l.img, k)
	for _, k := range l.found {
		l.blur.want(int(k.x), int(k.y), e.pattern.heights)
	}
	l.blur.run()
	l.descs = slices.Grow(l.descs[:0], len(l.found))[:len(l.found)]
	for i, k := range l.found {
		l.blur.describe(&l.descs[i], &e.pattern, k)
	}
}

// A sampleRun is the pixels of a pattern to read around a keypoint.
type sampleRun struct {
	pix      *byte // the keypoint's
	stride   int32
	cos, sin float32
	xs, ys   *float32
	n        int               // a multiple of 8
	values   *byte             // n of them, for sample
	desc     *match.Descriptor // for compare
}

// describe makes the descriptor of k.
func (b *blur) describe(desc *match.Descriptor, p *pattern, k keypoint) {
	sin, cos := sincos(k.angle)
	at := int(k.y)*b.stride + int(k.x)
	cells := len(p.xs) / p.points
	b.values = b.values[:len(p.xs)]
	if b.kernels != nil {
		b.sampleRun = sampleRun{&b.pix[at], int32(b.stride), cos, sin, &p.xs[0], &p.ys[0], len(p.xs), &b.values[0], desc}
		if p.points == 2 {
			b.kernels.compare(&b.sampleRun)
			return
		}
		b.kernels.sample(&b.sampleRun)
	} else {
		for i, x := range p.xs {
			y := p.ys[i]
			column := math.RoundToEven(float64(float32(x*cos) - float32(y*sin)))
			row := math.RoundToEven(float64(float32(x*sin) + float32(y*cos)))
			b.values[i] = b.pix[at+int(row)*b.stride+int(column)]
		}
	}
	v := [4][]byte{}
	for i := range p.points {
		v[i] = b.values[i*cells:][:cells]
	}
	*desc = match.Descriptor{}
	for i := range cells {
		switch p.points {
		case 2:
			if v[0][i] < v[1][i] {
				desc[i/8] |= 1 << (i % 8)
			}
		case 3:
			desc[i/4] |= brightestOf3(v[0][i], v[1][i], v[2][i]) << (i % 4 * 2)
		case 4:
			desc[i/4] |= brightestOf4(v[0][i], v[1][i], v[2][i], v[3][i]) << (i % 4 * 2)
		}
	}
}

// brightestOf3 returns which of the values is the highest; of equal ones the first
// is.
func brightestOf3(v0, v1, v2 uint8) uint8 {
	switch {
	case v2 > v1 && v2 > v0:
		return 2
	case v2 <= v1 && v1 > v0:
		return 1
	}
	return 0
}

// brightestOf4 is brightestOf3 for four values.
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

// sincos returns the sine and the cosine of an angle in degrees, 0 to 360, rounded
// to float32. Its polynomials, of fdlibm, give the same bits on every platform:
// unlike those of package math they are nowhere replaced by others, and no product
// is fused with a sum.
func sincos(degrees float32) (sin, cos float32) {
	r := float64(float32(degrees * float32(math.Pi/180)))
	quarter := math.RoundToEven(float64(r * (2 / math.Pi)))
	t := r - float64(quarter*1.57079632673412561417e+00)
	t -= float64(quarter * 6.07710050650619224932e-11)
	z := float64(t * t)
	s := horner(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
		-1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)
	s = t + float64(float64(t*z)*s)
	c := horner(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
		2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02)
	c = 1 - float64(0.5*z) + float64(float64(z*z)*c)
	switch int(quarter) & 3 {
	case 1:
		s, c = c, -s
	case 2:
		s, c = -s, -c
	case 3:
		s, c = -c, s
	}
	return float32(s), float32(c)
}

// horner returns the value of a polynomial at z, the highest coefficient first.
func horner(z float64, coefficients ...float64) float64 {
	v := coefficients[0]
	for _, c := range coefficients[1:] {
		v = float64(v*z) + c
	}
	return v
}
