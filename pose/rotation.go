package pose

import "math"

// matrix returns r among the matrices that need not be rotations.
func (r *Rotation) matrix() *matrix { return (*matrix)(r) }

// apply returns r times v.
func (r *Rotation) apply(v Vector) Vector { return r.matrix().apply(v) }

// applyInverse returns the inverse of r times v.
func (r *Rotation) applyInverse(v Vector) Vector { return r.matrix().applyT(v) }

// mul returns r times s, which applies s and then r.
func (r *Rotation) mul(s *Rotation) Rotation { return Rotation(r.matrix().mul(s.matrix())) }

// inverse returns the inverse of r.
func (r *Rotation) inverse() Rotation { return Rotation(r.matrix().transposed()) }

// after returns the rotation by the vector w, followed by r.
func (r *Rotation) after(w Vector) Rotation {
	q := cayley(w)
	p := r.mul(&q)
	return orthonormal(p.matrix())
}

// then returns r, followed by the rotation by the vector w.
func (r *Rotation) then(w Vector) Rotation {
	t := r.inverse()
	t = t.after(w.Scale(-1))
	return t.inverse()
}

// cayley returns the rotation by the vector w, to the second order of w: Cayley's.
func cayley(w Vector) Rotation {
	x, y, z := float64(w[0]*0.5), float64(w[1]*0.5), float64(w[2]*0.5)
	cc := float64(x*x) + float64(y*y) + float64(z*z)
	d := 1 / (1 + cc)
	return Rotation{
		float64((1 - cc + float64(2*x*x)) * d), float64(2 * (float64(x*y) - z) * d), float64(2 * (float64(x*z) + y) * d),
		float64(2 * (float64(x*y) + z) * d), float64((1 - cc + float64(2*y*y)) * d), float64(2 * (float64(y*z) - x) * d),
		float64(2 * (float64(x*z) - y) * d), float64(2 * (float64(y*z) + x) * d), float64((1 - cc + float64(2*z*z)) * d),
	}
}

// orthonormal returns the rotation that Gram and Schmidt's method makes of the first two rows.
func orthonormal(m *matrix) Rotation {
	x, y, z, u, v, w := m[0], m[1], m[2], m[3], m[4], m[5]
	s := 1 / math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z))
	x, y, z = float64(x*s), float64(y*s), float64(z*s)
	d := float64(x*u) + float64(y*v) + float64(z*w)
	u, v, w = u-float64(x*d), v-float64(y*d), w-float64(z*d)
	s = 1 / math.Sqrt(float64(u*u)+float64(v*v)+float64(w*w))
	u, v, w = float64(u*s), float64(v*s), float64(w*s)
	return Rotation{x, y, z, u, v, w, float64(y*w) - float64(z*v), float64(z*u) - float64(x*w), float64(x*v) - float64(y*u)}
}

// carrying returns the rotation that takes three orthonormal vectors to three others.
func carrying(from, to *[3]Vector) Rotation {
	var r Rotation
	for i := range 3 {
		for k := range 3 {
			r[3*i+k] = float64(to[0][i]*from[0][k]) + float64(to[1][i]*from[1][k]) + float64(to[2][i]*from[2][k])
		}
	}
	return r
}

// near reports whether the elements of r and s differ by at most the given amount.
func (r *Rotation) near(s *Rotation, by float64) bool {
	for i, v := range r {
		if !(math.Abs(v-s[i]) <= by) {
			return false
		}
	}
	return true
}
