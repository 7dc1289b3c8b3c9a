package tag

import (
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/geometry"
)

// A shade is brightness that is linear in the coordinates of a tag: at u, v it is s[0] + s[1]*u +
// s[2]*v.
type shade [3]float64

func (s *shade) at(u, v float64) float64 {
	return s[0] + float64(s[1]*u) + float64(s[2]*v)
}

// turned returns s in the coordinates of the tag turned by quarters.
func (s shade) turned(turn int) shade {
	for range turn {
		s = shade{s[0], s[2], -s[1]}
	}
	return s
}

// shadeSums are the sums of a least-squares fit of a shade to samples: those of their places, and those that
// depend on their brightness.
type shadeSums struct{ n, u, v, uu, uv, vv, z, uz, vz float64 }

// place adds the place of a sample.
func (s *shadeSums) place(u, v float64) {
	s.n++
	s.u += u
	s.v += v
	s.uu += float64(u * u)
	s.uv += float64(u * v)
	s.vv += float64(v * v)
}

// add adds the brightness of a sample whose place has been added.
func (s *shadeSums) add(u, v, z float64) {
	s.z += z
	s.uz += float64(u * z)
	s.vz += float64(v * z)
}

// solve returns the shade, the same everywhere if the samples lie on a line.
func (s *shadeSums) solve() shade {
	u, v, z := s.u/s.n, s.v/s.n, s.z/s.n
	a, b, c := s.uu/s.n-float64(u*u), s.uv/s.n-float64(u*v), s.vv/s.n-float64(v*v)
	p, q := s.uz/s.n-float64(u*z), s.vz/s.n-float64(v*z)
	d := float64(a*c) - float64(b*b)
	if !(d > 0) {
		return shade{z}
	}
	x, y := (float64(c*p)-float64(b*q))/d, (float64(a*q)-float64(b*p))/d
	return shade{z - float64(x*u) - float64(y*v), x, y}
}

// wrongRings returns the number of samples along the sides of a quad that are on the wrong side of the mean
// of those of the border and those around it, or that of all of them if these differ too little. If it
// is reversed, the border is white.
func wrongRings(samples []float64, reversed bool) int {
	around, within := samples[:ringSamples/2], samples[ringSamples/2:ringSamples]
	sumOut, sumIn := 0.0, 0.0
	for k := range around {
		sumOut += around[k]
		sumIn += within[k]
	}
	gap := sumOut - sumIn
	if reversed {
		gap = -gap
	}
	if !(gap >= 36) {
		return ringSamples
	}
	middle := (sumOut/12 + sumIn/12) / 2
	wrong := 0
	for k := range around {
		wrong += one((around[k] > middle) == reversed) + one((within[k] > middle) != reversed)
	}
	return wrong
}

// A reading is what a quad says if it is a tag of a family.
type reading struct {
	words        [2]uint64 // read from the samples, and from sharpened ones
	black, white shade
}

// A reader reads the cells of quads.
type reader struct {
	sampler sampler
	cells   [maxCells][maxCells]float64 // samples by rows, from the ring around the quad on; then normal ones
}

// likely reports whether a quad may be a tag, by the brightness along its sides. Most are not.
func (r *reader) likely(q *quad, l *look) bool {
	h, ok := squareTo(&q.corners)
	if !ok {
		return false
	}
	return slices.ContainsFunc(l.near, func(p *places) bool {
		return wrongRings(r.sampler.sample(&h, p), q.light) <= 9
	})
}

// read reads a quad as a tag of a family. It reports false if that is unlikely.
func (r *reader) read(h *homography, f *plan) (reading, bool) {
	if wrongRings(r.sampler.sample(h, f.near), f.reversed) > 7 {
		return reading{}, false
	}
	var v reading
	v.black, v.white = r.shades(h, f)
	for _, c := range corners {
		if !(v.white.at(c.X, c.Y)-v.black.at(c.X, c.Y) >= 6) {
			return reading{}, false
		}
	}
	if !r.likeRings(&v, f) {
		return reading{}, false
	}
	for i, z := range r.sampler.sample(h, f.insidePlaces) {
		c := &f.inside[i]
		r.cells[c.y+1][c.x+1] = v.normal(z, c.u, c.v)
	}
	v.words = r.words(h, &v, f)
	return v, true
}

// shades samples the border and the ring around it, and returns the shades of black and white that they
// have.
func (r *reader) shades(h *homography, f *plan) (black, white shade) {
	dark, light := f.border, f.around
	for i, z := range r.sampler.sample(h, f.ringPlaces) {
		c := &f.rings[i]
		r.cells[c.y+1][c.x+1] = z
		if c.outside {
			light.add(c.u, c.v, z)
		} else {
			dark.add(c.u, c.v, z)
		}
	}
	black, white = dark.solve(), light.solve()
	if f.reversed {
		black, white = white, black
	}
	return black, white
}

// likeRings makes the samples of the border and of the ring around it 0 where they are black and 1 where
// they are white. It reports false if too many of them are wrong.
func (r *reader) likeRings(v *reading, f *plan) bool {
	wrong := 0
	for i := range f.rings {
		c := &f.rings[i]
		z := &r.cells[c.y+1][c.x+1]
		*z = v.normal(*z, c.u, c.v)
		if (*z > 0.5) != (c.outside != f.reversed) {
			wrong++
		}
	}
	return 6*wrong <= len(f.rings)
}

// normal returns 0 for a sample that is black, and 1 for one that is white.
func (v *reading) normal(z, x, y float64) float64 {
	black := v.black.at(x, y)
	return (z - black) / (v.white.at(x, y) - black)
}

// words returns the words of the samples.
func (r *reader) words(h *homography, v *reading, f *plan) (words [2]uint64) {
	outside := r.sampler.sample(h, f.outsidePlaces)
	for i := range f.data {
		c := &f.data[i]
		var plain, sharp float64
		if c.outside {
			plain = v.normal(outside[0], c.u, c.v)
			sharp = plain
			outside = outside[1:]
		} else {
			x, y := c.x+1, c.y+1
			plain = r.cells[y][x]
			edges := float64(4*plain) - r.cells[y][x-1] - r.cells[y][x+1] - r.cells[y-1][x] - r.cells[y+1][x]
			sharp = plain + float64(0.25*edges)
		}
		words[0] = words[0]<<1 | uint64(one(plain > 0.5))
		words[1] = words[1]<<1 | uint64(one(sharp > 0.5))
	}
	return words
}

// A match is the code that is nearest to what a quad says.
type match struct {
	reading
	quad  [4]geometry.Point
	try   int // the number of the quad
	word  int // 0 for the plain one, 1 for the sharpened one
	turn  int // of the tag, in quarters
	id    int
	wrong int // bits
}

// nearest reads the given quads until one has a code with up to the corrected number of wrong bits. It
// returns the nearest code of all of them, and reports false if it is too far away.
func (r *reader) nearest(quads [][4]geometry.Point, f *plan) (match, bool) {
	best := match{wrong: 65} // more than there are bits
	for i := range quads {
		h, ok := squareTo(&quads[i])
		if !ok {
			continue
		}
		v, ok := r.read(&h, f)
		if !ok {
			continue
		}
		for k, word := range v.words {
			if k > 0 && word == v.words[0] {
				break
			}
			if id, turn, wrong := f.nearest(word); wrong < best.wrong {
				best = match{v, quads[i], i, k, turn, id, wrong}
			}
		}
		if best.wrong <= f.corrected {
			break
		}
	}
	return best, best.wrong <= f.far
}

// wrongBits returns the number of bits by which a code differs from the nearest word of a reading that is
// not turned.
func (v *reading) wrongBits(code uint64) int {
	return min(bits.OnesCount64(v.words[0]^code), bits.OnesCount64(v.words[1]^code))
}
