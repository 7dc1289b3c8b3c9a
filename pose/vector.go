package pose

import "math"

// A matrix has three rows by three columns, by rows.
type matrix [9]float64

func (a Vector) dot(b Vector) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func (a Vector) cross(b Vector) Vector {
	return Vector{float64(a[1]*b[2]) - float64(a[2]*b[1]), float64(a[2]*b[0]) - float64(a[0]*b[2]), float64(a[0]*b[1]) - float64(a[1]*b[0])}
}

func (a Vector) times(s float64) Vector {
	return Vector{float64(a[0] * s), float64(a[1] * s), float64(a[2] * s)}
}
func (a Vector) plus(b Vector) Vector  { return Vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a Vector) minus(b Vector) Vector { return Vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a Vector) norm() float64         { return math.Sqrt(a.dot(a)) }
func (a Vector) unit() Vector          { return a.times(1 / a.norm()) }

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
	for i := range 3 {
		for j := range 3 {
			p[3*i+j] = float64(m[3*i]*n[j]) + float64(m[3*i+1]*n[3+j]) + float64(m[3*i+2]*n[6+j])
		}
	}
	return p
}

func (m *matrix) transposed() matrix {
	return matrix{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}
}

// cofactors returns the matrix of cofactors, the transpose of the adjugate.
func (m *matrix) cofactors() matrix {
	a, b, c := m.row(0), m.row(1), m.row(2)
	p, q, r := b.cross(c), c.cross(a), a.cross(b)
	return matrix{p[0], p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2]}
}

func (m *matrix) squares() float64 {
	s := 0.0
	for _, v := range m {
		s += float64(v * v)
	}
	return s
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
	c := w.times(0.5)
	cc := c.dot(c)
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

// orthonormal returns the rotation by Gram and Schmidt.
func orthonormal(m *matrix) matrix {
	a := m.row(0).unit()
	b := m.row(1)
	b = b.minus(a.times(a.dot(b))).unit()
	c := a.cross(b)
	return matrix{a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]}
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
	a := t.cross(e).unit()
	return a, t.cross(a)
}
