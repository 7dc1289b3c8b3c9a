package pose

import "math"

// A matrix has three rows by three columns, by rows.
type matrix [9]float64

// unit returns v divided by its length.
func (v Vector) unit() Vector { return v.Scale(1 / v.Norm()) }

// farthest is the largest coordinate of a point of the world that counts.
const farthest = 1e100

// bounded reports whether all coordinates are at most farthest from 0.
func (v Vector) bounded() bool {
	return math.Abs(v[0]) <= farthest && math.Abs(v[1]) <= farthest && math.Abs(v[2]) <= farthest
}

// row and column return parts of m.
func (m *matrix) row(i int) Vector    { return Vector{m[3*i], m[3*i+1], m[3*i+2]} }
func (m *matrix) column(i int) Vector { return Vector{m[i], m[3+i], m[6+i]} }

// apply returns m times v.
func (m *matrix) apply(v Vector) Vector {
	return Vector{float64(m[0]*v[0]) + float64(m[1]*v[1]) + float64(m[2]*v[2]), float64(m[3]*v[0]) + float64(m[4]*v[1]) + float64(m[5]*v[2]), float64(m[6]*v[0]) + float64(m[7]*v[1]) + float64(m[8]*v[2])}
}

// applyT returns the transpose of m times v.
func (m *matrix) applyT(v Vector) Vector {
	return Vector{float64(m[0]*v[0]) + float64(m[3]*v[1]) + float64(m[6]*v[2]), float64(m[1]*v[0]) + float64(m[4]*v[1]) + float64(m[7]*v[2]), float64(m[2]*v[0]) + float64(m[5]*v[1]) + float64(m[8]*v[2])}
}

func (m *matrix) mul(n *matrix) matrix {
	var p matrix
	for i := 0; i < 9; i += 3 {
		a, b, c := m[i], m[i+1], m[i+2]
		p[i] = float64(a*n[0]) + float64(b*n[3]) + float64(c*n[6])
		p[i+1] = float64(a*n[1]) + float64(b*n[4]) + float64(c*n[7])
		p[i+2] = float64(a*n[2]) + float64(b*n[5]) + float64(c*n[8])
	}
	return p
}

func (m *matrix) transposed() matrix {
	return matrix{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}
}

// The compiler keeps numbers in registers, but no vectors, so what the solvers call most is written
// without vectors.

// cofactors returns the matrix of cofactors, the transpose of the adjugate.
func (m *matrix) cofactors() matrix {
	a, b, c, d, e, f, g, h, i := m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]
	return matrix{
		float64(e*i) - float64(f*h), float64(f*g) - float64(d*i), float64(d*h) - float64(e*g),
		float64(h*c) - float64(i*b), float64(i*a) - float64(g*c), float64(g*b) - float64(h*a),
		float64(b*f) - float64(c*e), float64(c*d) - float64(a*f), float64(a*e) - float64(b*d),
	}
}

func (m *matrix) squares() float64 {
	s := 0.0
	for _, v := range m {
		s += float64(v * v)
	}
	return s
}

// product returns the sum of the products of the elements of m and n.
func (m *matrix) product(n *matrix) float64 {
	return float64(m[0]*n[0]) + float64(m[1]*n[1]) + float64(m[2]*n[2]) + float64(m[3]*n[3]) + float64(m[4]*n[4]) +
		float64(m[5]*n[5]) + float64(m[6]*n[6]) + float64(m[7]*n[7]) + float64(m[8]*n[8])
}

// unit returns m divided by its norm.
func (m *matrix) unit() matrix { return m.scaled(1 / math.Sqrt(m.squares())) }

func (m *matrix) scaled(s float64) matrix {
	var n matrix
	for i, v := range m {
		n[i] = float64(v * s)
	}
	return n
}

// skew returns the matrix whose product with v is the cross product of t and v.
func skew(t Vector) matrix { return matrix{0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0} }

// essential returns skew(t) times r.
func essential(r *matrix, t Vector) matrix {
	s := skew(t)
	return s.mul(r)
}

// cayley returns the rotation by the vector w, to the second order of w: that of Cayley.
func cayley(w Vector) matrix {
	c := w.Scale(0.5)
	cc := c.Dot(c)
	d := 1 / (1 + cc)
	return matrix{
		float64((1 - cc + float64(2*c[0]*c[0])) * d), float64(2 * (float64(c[0]*c[1]) - c[2]) * d), float64(2 * (float64(c[0]*c[2]) + c[1]) * d),
		float64(2 * (float64(c[0]*c[1]) + c[2]) * d), float64((1 - cc + float64(2*c[1]*c[1])) * d), float64(2 * (float64(c[1]*c[2]) - c[0]) * d),
		float64(2 * (float64(c[0]*c[2]) - c[1]) * d), float64(2 * (float64(c[1]*c[2]) + c[0]) * d), float64((1 - cc + float64(2*c[2]*c[2])) * d),
	}
}

// turned returns r times the rotation by the vector w.
func turned(r *matrix, w Vector) matrix {
	q := cayley(w)
	p := r.mul(&q)
	return orthonormal(&p)
}

// turning returns the rotation by the vector w times r.
func turning(w Vector, r *matrix) matrix {
	t := r.transposed()
	t = turned(&t, w.Scale(-1))
	return t.transposed()
}

// orthonormal returns the rotation by Gram and Schmidt.
func orthonormal(m *matrix) matrix {
	x, y, z, u, v, w := m[0], m[1], m[2], m[3], m[4], m[5]
	s := 1 / math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z))
	x, y, z = float64(x*s), float64(y*s), float64(z*s)
	d := float64(x*u) + float64(y*v) + float64(z*w)
	u, v, w = u-float64(x*d), v-float64(y*d), w-float64(z*d)
	s = 1 / math.Sqrt(float64(u*u)+float64(v*v)+float64(w*w))
	u, v, w = float64(u*s), float64(v*s), float64(w*s)
	return matrix{x, y, z, u, v, w, float64(y*w) - float64(z*v), float64(z*u) - float64(x*w), float64(x*v) - float64(y*u)}
}

// across returns two unit vectors that are orthogonal to the unit vector t and to each other.
func across(t Vector) (Vector, Vector) {
	k := 0
	for i := range 3 {
		if math.Abs(t[i]) < math.Abs(t[k]) {
			k = i
		}
	}
	var e Vector
	e[k] = 1
	a := t.Cross(e).unit()
	return a, t.Cross(a)
}
