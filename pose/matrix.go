package pose

import "math"

// A matrix has three rows by three columns, by rows. It need not be a rotation.
type matrix [9]float64

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

// epipole returns the left null vector of a matrix with rank 2.
func (m *matrix) epipole() Vector {
	c := m.cofactors() // whose columns are multiples of it
	best := float64(c[0]*c[0]) + float64(c[3]*c[3]) + float64(c[6]*c[6])
	e := Vector{c[0], c[3], c[6]}
	if s := float64(c[1]*c[1]) + float64(c[4]*c[4]) + float64(c[7]*c[7]); s > best {
		best, e = s, Vector{c[1], c[4], c[7]}
	}
	if s := float64(c[2]*c[2]) + float64(c[5]*c[5]) + float64(c[8]*c[8]); s > best {
		e = Vector{c[2], c[5], c[8]}
	}
	return e
}

// eigen returns the eigenvalues of a symmetric matrix, the largest first, and its eigenvectors, which
// have length 1, by Jacobi's method.
func (m matrix) eigen() (values Vector, vectors [3]Vector) {
	v := matrix{0: 1, 4: 1, 8: 1}
	for range 12 {
		off := float64(m[1]*m[1]) + float64(m[2]*m[2]) + float64(m[5]*m[5])
		if off <= float64(1e-32*(float64(m[0]*m[0])+float64(m[4]*m[4])+float64(m[8]*m[8]))) {
			break
		}
		for _, at := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			p, q := at[0], at[1]
			e := m[3*p+q]
			if e == 0 {
				continue
			}
			// The rotation that makes e 0 has the tangent t.
			theta := (m[4*q] - m[4*p]) / (2 * e)
			t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
			c := 1 / math.Sqrt(float64(t*t)+1)
			s := float64(t * c)
			for k := range 3 {
				m[3*k+p], m[3*k+q] = rotated(m[3*k+p], m[3*k+q], c, s)
				v[3*k+p], v[3*k+q] = rotated(v[3*k+p], v[3*k+q], c, s)
			}
			for k := range 3 {
				m[3*p+k], m[3*q+k] = rotated(m[3*p+k], m[3*q+k], c, s)
			}
		}
	}
	for k := range 3 {
		values[k], vectors[k] = m[4*k], v.column(k)
	}
	for _, at := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
		if p, q := at[0], at[1]; values[q] > values[p] {
			values[p], values[q] = values[q], values[p]
			vectors[p], vectors[q] = vectors[q], vectors[p]
		}
	}
	return values, vectors
}

// rotated returns a and b rotated by the angle with the given cosine and sine.
func rotated(a, b, cosine, sine float64) (float64, float64) {
	return float64(cosine*a) - float64(sine*b), float64(sine*a) + float64(cosine*b)
}
