package orb

import (
	"math"
	"slices"

	"github.com/fastcorners/fast/match"
)

// A pattern holds the places that are compared with each other, relative to a
// keypoint whose angle is 0: so many for each bit, or for each pair of bits when
// there are 3 or 4.
type pattern struct {
	points int // to compare at once
	places []place
}

type place struct{ x, y float32 }

const learnedPatch = 31

// newPattern returns the pattern for a patch size, as OpenCV has it.
func newPattern(patch, points int) pattern {
	var all []place
	if patch == learnedPatch {
		for _, l := range learned {
			all = append(all, place{float32(l[0]), float32(l[1])}, place{float32(l[2]), float32(l[3])})
		}
	} else {
		r := random(0x34985739)
		for range 2 * len(learned) {
			x := r.uniform(-(patch / 2), patch/2+1)
			y := r.uniform(-(patch / 2), patch/2+1)
			all = append(all, place{float32(x), float32(y)})
		}
	}
	if points == 2 {
		return pattern{points, all}
	}
	// Cells of 3 or 4 different places.
	p := pattern{points: points}
	r := random(0x12345678)
	for len(p.places) < 8*len(match.Descriptor{})/2*points {
		cell := p.places[len(p.places)/points*points:]
		next := all[r.uniform(0, len(all))]
		if !slices.Contains(cell, next) {
			p.places = append(p.places, next)
		}
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
	reach := reachOf(e.opts.PatchSize)
	l.blur.reset(&l.img)
	for _, k := range l.found {
		l.blur.want(int(k.x), int(k.y), reach)
	}
	l.blur.run()
	l.descs = slices.Grow(l.descs[:0], len(l.found))[:len(l.found)]
	for i, k := range l.found {
		l.blur.at(e.pattern, k, &l.descs[i])
	}
}

// at makes the descriptor of a keypoint.
func (b *blur) at(p pattern, k keypoint, desc *match.Descriptor) {
	sin, cos := sincos(k.angle)
	value := func(i int) uint8 {
		q := p.places[i]
		x := math.RoundToEven(float64(float32(q.x*cos) - float32(q.y*sin)))
		y := math.RoundToEven(float64(float32(q.x*sin) + float32(q.y*cos)))
		return b.pix[(int(k.y)+int(y))*b.stride+int(k.x)+int(x)]
	}
	for i := range desc {
		bits := uint8(0)
		switch p.points {
		case 2:
			for j := range 8 {
				if at := 2 * (8*i + j); value(at) < value(at+1) {
					bits |= 1 << j
				}
			}
		case 3:
			for j := range 4 {
				at := 3 * (4*i + j)
				bits |= brightestOf3(value(at), value(at+1), value(at+2)) << (2 * j)
			}
		case 4:
			for j := range 4 {
				at := 4 * (4*i + j)
				bits |= brightestOf4(value(at), value(at+1), value(at+2), value(at+3)) << (2 * j)
			}
		}
		desc[i] = bits
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
