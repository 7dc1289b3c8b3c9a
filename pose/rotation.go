package pose

import (
	"math"

	"github.com/fastcorners/fast/internal/rotation"
)

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
func cayley(w Vector) Rotation { return rotation.Cayley(w) }

// orthonormal returns the rotation that Gram and Schmidt's method makes of the first two rows.
func orthonormal(m *matrix) Rotation { return rotation.Orthonormal((*[9]float64)(m)) }

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
