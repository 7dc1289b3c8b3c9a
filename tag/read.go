package tag

import (
	"math/bits"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
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

// sample returns the brightness at a place, linear between pixels. Beyond the image its edge is
// repeated. The image has at least two rows and columns.
func sample(p *raster.Plane, at geometry.Point) float64 {
	x, y := clamp(at.X, p.W-1), clamp(at.Y, p.H-1)
	i, j := min(int(x), p.W-2), min(int(y), p.H-2)
	fx, fy := x-float64(i), y-float64(j)
	upper := p.Pix[j*p.Stride+i:][:2]
	lower := p.Pix[(j+1)*p.Stride+i:][:2]
	a := float64(upper[0]) + float64(fx*(float64(upper[1])-float64(upper[0])))
	b := float64(lower[0]) + float64(fx*(float64(lower[1])-float64(lower[0])))
	return a + float64(fy*(b-a))
}

// clamp returns the number from 0 to last that is nearest to x, and 0 for NaN.
func clamp(x float64, last int) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, float64(last))
}

// ringSamples is the number of samples of wrongRings.
const ringSamples = 24

// wrongRings samples the border and the cells around at three places of each side, and returns the number
// of the samples that are on the wrong side of the mean of both, or all of them if these differ too
// little. The quad has n cells along a side. If it is reversed, the border is white.
func wrongRings(p *raster.Plane, h *homography, n int, reversed bool) int {
	var around, within [ringSamples / 2]float64
	out, in := 1+1/float64(n), 1-1/float64(n)
	sumOut, sumIn := 0.0, 0.0
	for k := range around {
		e := [3]float64{-2.0 / 3 * in, 0, 2.0 / 3 * in}[k%3]
		var a, b geometry.Point
		switch k / 3 {
		case 0:
			a, b = h.at(e, -out), h.at(e, -in)
		case 1:
			a, b = h.at(out, e), h.at(in, e)
		case 2:
			a, b = h.at(e, out), h.at(e, in)
		case 3:
			a, b = h.at(-out, e), h.at(-in, e)
		}
		around[k], within[k] = sample(p, a), sample(p, b)
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
		if (around[k] > middle) == reversed {
			wrong++
		}
		if (within[k] > middle) != reversed {
			wrong++
		}
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
	cells [maxCells][maxCells]float64 // samples by rows, from the ring around the quad on; then normal ones
}

// read reads a quad as a tag of a family. It reports false if that is unlikely.
func (r *reader) read(p *raster.Plane, h *homography, f *plan) (reading, bool) {
	if wrongRings(p, h, f.cells, f.reversed) > 7 {
		return reading{}, false
	}
	var v reading
	v.black, v.white = r.shades(p, h, f)
	for _, c := range corners {
		if !(v.white.at(c.X, c.Y)-v.black.at(c.X, c.Y) >= 6) {
			return reading{}, false
		}
	}
	if !r.likeRings(&v, f) {
		return reading{}, false
	}
	for i := range f.inside {
		c := &f.inside[i]
		r.cells[c.y+1][c.x+1] = v.normal(sample(p, h.at(c.u, c.v)), c.u, c.v)
	}
	v.words = r.words(p, h, &v, f)
	return v, true
}

// shades samples the border and the ring around it, and returns the shades of black and white that they
// have.
func (r *reader) shades(p *raster.Plane, h *homography, f *plan) (black, white shade) {
	dark, light := f.border, f.around
	for i := range f.rings {
		c := &f.rings[i]
		z := sample(p, h.at(c.u, c.v))
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
func (r *reader) words(p *raster.Plane, h *homography, v *reading, f *plan) (words [2]uint64) {
	for i := range f.data {
		c := &f.data[i]
		var plain, sharp float64
		if c.outside {
			plain = v.normal(sample(p, h.at(c.u, c.v)), c.u, c.v)
			sharp = plain
		} else {
			x, y := c.x+1, c.y+1
			plain = r.cells[y][x]
			edges := float64(4*plain) - r.cells[y][x-1] - r.cells[y][x+1] - r.cells[y-1][x] - r.cells[y+1][x]
			sharp = plain + float64(0.25*edges)
		}
		words[0] <<= 1
		words[1] <<= 1
		if plain > 0.5 {
			words[0] |= 1
		}
		if sharp > 0.5 {
			words[1] |= 1
		}
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
func (r *reader) nearest(p *raster.Plane, quads [][4]geometry.Point, f *plan) (match, bool) {
	best := match{wrong: 65} // more than there are bits
	for i := range quads {
		h, ok := squareTo(&quads[i])
		if !ok {
			continue
		}
		v, ok := r.read(p, &h, f)
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
