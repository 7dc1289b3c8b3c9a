package geometry

import "github.com/fastcorners/fast/internal/cpu"

// Products are converted to float64 so that they are not fused with sums, which would make
// results that are not the same on every platform.

// kernels are the functions that an instruction set has. The portable ones define what they
// do, to the bit.
type kernels struct {
	// Each finds the inliers of a transform among the pairs of a run from begin to end, sets
	// their masks and adds to support. There is a function for transforms whose last row is
	// 0, 0, 1, and one for all others.
	scoreAffine, scoreProjective func(*run)
	// These also add to the sums, from which a better transform follows.
	sumAffine, sumProjective func(*run)
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("geometry", kernels{scoreAffine, scoreProjective, sumAffine, sumProjective}, assembly...)

const (
	// lanes is the number of pairs that kernels work on together. Sums are sums of lanes
	// sums, to which each pair of a group contributes in turn.
	lanes = 8
	// far is how many times the squared threshold the squared distance of an inlier may be
	// in either image.
	far = 16
	// tiny replaces divisors of 0.
	tiny = 1e-300
)

// The numbers of different sums in the normal equations of a homography and of other transforms.
const (
	sums       = 27
	affineSums = 12
)

// A run is the argument of the kernels. It lives on the heap.
type run struct {
	ax, ay, bx, by []float64 // the coordinates of pairs, a multiple of lanes
	begin, end     int       // multiples of lanes

	// forward maps from A to B, and backward is a multiple of its inverse that has the same
	// sign. The limits are the squared thresholds in both images.
	forward, backward [9]float64
	limitA, limitB    float64

	masks   []byte // a bit for each pair
	support [lanes]float64

	// The weight of an inlier is flat plus steep times the square of its gain. shift is what
	// is subtracted from the coordinates ax, ay, bx and by before sumProjective uses them.
	flat, steep float64
	shift       [4]float64
	sums        [sums][lanes]float64
}

// The error of a pair is m, between 0 and 1 for an inlier: twice the product of the squared
// distances in A and in B divided by their sum, in units of the squared threshold. Where the
// transform neither enlarges nor reduces, it is the squared distance. The squared distance
// in B is b/p, and that in A is a/q, so m is 2ab / (ap + bq). The gain of an inlier is 1 - m.

// scoreAffine finds the inliers of a transform whose last row is 0, 0, 1. The distance in A is how
// far the backward transform moves by the difference in B.
func scoreAffine(r *run) {
	h, g, limitA, limitB := &r.forward, &r.backward, r.limitA, r.limitB
	for i := r.begin; i < r.end; i += lanes {
		ax, ay, bx, by := r.group(i)
		mask := byte(0)
		for l := range lanes {
			x, y := ax[l], ay[l]
			dx, dy := row(h, 0, x, y)-bx[l], row(h, 3, x, y)-by[l]
			b := squared(dx, dy)
			if !(b <= far*limitB) {
				continue
			}
			a := squared(turned(g, 0, dx, dy), turned(g, 3, dx, dy))
			if m := loss(a, b, limitB, limitA); a <= far*limitA && m <= 1 {
				mask |= 1 << l
				r.support[l] += 1 - m
			}
		}
		r.masks[i/lanes] = mask
	}
}

// scoreProjective finds the inliers of any transform.
func scoreProjective(r *run) {
	h, g, limitA, limitB := &r.forward, &r.backward, r.limitA, r.limitB
	for i := r.begin; i < r.end; i += lanes {
		ax, ay, bx, by := r.group(i)
		mask := byte(0)
		for l := range lanes {
			x, y, u, v := ax[l], ay[l], bx[l], by[l]
			w := row(h, 6, x, y)
			b := squared(row(h, 0, x, y)-float64(u*w), row(h, 3, x, y)-float64(v*w))
			p := float64(float64(w*w) * limitB)
			if !(w > 0 && b <= far*p) {
				continue
			}
			z := row(g, 6, u, v)
			a := squared(row(g, 0, u, v)-float64(x*z), row(g, 3, u, v)-float64(y*z))
			q := float64(float64(z*z) * limitA)
			if m := loss(a, b, p, q); z > 0 && a <= far*q && m <= 1 {
				mask |= 1 << l
				r.support[l] += 1 - m
			}
		}
		r.masks[i/lanes] = mask
	}
}

// row returns the product of a matrix's row that begins at element i and the column x, y, 1.
func row(m *[9]float64, i int, x, y float64) float64 {
	return turned(m, i, x, y) + m[i+2]
}

// turned returns the product of a row and the column x, y, 0.
func turned(m *[9]float64, i int, x, y float64) float64 {
	return float64(m[i]*x) + float64(m[i+1]*y)
}

// squared returns the squared length of a vector.
func squared(x, y float64) float64 {
	return float64(x*x) + float64(y*y)
}

// loss returns m of a pair.
func loss(a, b, p, q float64) float64 {
	return 2 * float64(a*b) / positive(float64(a*p)+float64(b*q))
}

// positive returns v, or a tiny number if v is less.
func positive(v float64) float64 {
	if v < tiny {
		return tiny
	}
	return v
}

// group returns the coordinates of the pairs of a group.
func (r *run) group(i int) (ax, ay, bx, by *[lanes]float64) {
	return (*[lanes]float64)(r.ax[i:]), (*[lanes]float64)(r.ay[i:]), (*[lanes]float64)(r.bx[i:]), (*[lanes]float64)(r.by[i:])
}

// sumAffine is scoreAffine, and adds what the normal equations of all pairs need: the sums
// described at equations.
func sumAffine(r *run) {
	h, g, s, limitA, limitB := &r.forward, &r.backward, &r.sums, r.limitA, r.limitB
	for i := r.begin; i < r.end; i += lanes {
		ax, ay, bx, by := r.group(i)
		mask := byte(0)
		for l := range lanes {
			x, y := ax[l], ay[l]
			dx, dy := bx[l]-row(h, 0, x, y), by[l]-row(h, 3, x, y)
			b := squared(dx, dy)
			if !(b <= far*limitB) {
				continue
			}
			a := squared(turned(g, 0, dx, dy), turned(g, 3, dx, dy))
			m := loss(a, b, limitB, limitA)
			if !(a <= far*limitA && m <= 1) {
				continue
			}
			mask |= 1 << l
			gain := 1 - m
			r.support[l] += gain
			weight := float64(float64(gain*gain)*r.steep) + r.flat
			wx, wy := float64(weight*x), float64(weight*y)
			s[0][l] += weight
			s[1][l] += wx
			s[2][l] += wy
			s[3][l] += float64(wx * x)
			s[4][l] += float64(wx * y)
			s[5][l] += float64(wy * y)
			s[6][l] += float64(weight * dx)
			s[7][l] += float64(wx * dx)
			s[8][l] += float64(wy * dx)
			s[9][l] += float64(weight * dy)
			s[10][l] += float64(wx * dy)
			s[11][l] += float64(wy * dy)
		}
		r.masks[i/lanes] = mask
	}
}

// sumProjective is scoreProjective in coordinates from which shift is subtracted, and adds
// the sums.
func sumProjective(r *run) {
	h, g, s, limitA, limitB := &r.forward, &r.backward, &r.sums, r.limitA, r.limitB
	for i := r.begin; i < r.end; i += lanes {
		ax, ay, bx, by := r.group(i)
		mask := byte(0)
		for l := range lanes {
			x, y, u, v := ax[l]-r.shift[0], ay[l]-r.shift[1], bx[l]-r.shift[2], by[l]-r.shift[3]
			w := row(h, 6, x, y)
			inverse := 1 / w
			mx, my := float64(row(h, 0, x, y)*inverse), float64(row(h, 3, x, y)*inverse)
			dx, dy := u-mx, v-my
			b := squared(dx, dy)
			if !(w > 0 && b <= far*limitB) {
				continue
			}
			// With row and squared this takes longer: the compiler inlines them to something else.
			z := float64(g[6]*u) + float64(g[7]*v) + g[8]
			ex := float64(g[0]*u) + float64(g[1]*v) + g[2] - float64(x*z)
			ey := float64(g[3]*u) + float64(g[4]*v) + g[5] - float64(y*z)
			a := float64(ex*ex) + float64(ey*ey)
			q := float64(float64(z*z) * limitA)
			m := loss(a, b, limitB, q)
			if !(z > 0 && a <= far*q && m <= 1) {
				continue
			}
			mask |= 1 << l
			gain := 1 - m
			r.support[l] += gain
			weight := float64(float64(gain*gain)*r.steep) + r.flat
			var t [sums]float64
			products(&t, weight, float64(x*inverse), float64(y*inverse), inverse, mx, my, dx, dy)
			for k, v := range t {
				s[k][l] += v
			}
		}
		r.masks[i/lanes] = mask
	}
}

// products sets t to what a pair adds to the sums of a homography. qx, qy and qw are x, y and
// 1 divided by w, mx and my where x, y is mapped to, and dx and dy what is missing there.
func products(t *[sums]float64, weight, qx, qy, qw, mx, my, dx, dy float64) {
	wx, wy, ww := float64(weight*qx), float64(weight*qy), float64(weight*qw)
	p1, p2, p3, p4, p5 := float64(wx*qw), float64(wy*qw), float64(wx*qx), float64(wx*qy), float64(wy*qy)
	square := float64(mx*mx) + float64(my*my)
	e := float64(mx*dx) + float64(my*dy)
	*t = [sums]float64{
		float64(ww * qw), p1, p2, p3, p4, p5,
		float64(ww * dx), float64(wx * dx), float64(wy * dx),
		float64(ww * dy), float64(wx * dy), float64(wy * dy),
		float64(mx * p1), float64(mx * p2), float64(mx * p3), float64(mx * p4), float64(mx * p5),
		float64(my * p1), float64(my * p2), float64(my * p3), float64(my * p4), float64(my * p5),
		float64(square * p3), float64(square * p4), float64(square * p5),
		float64(wx * e), float64(wy * e),
	}
}

// total returns the sum of the sums of all lanes.
func total(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
