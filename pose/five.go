package pose

import "math"

// fivePoints appends to dst the essential matrices of five pairs of normalized points: those
// with rank 2 and two equal singular values that satisfy the five epipolar constraints (D.
// Nistér, "An efficient solution to the five-point relative pose problem", PAMI 26, 2004).
// There are up to 10. s is memory.
func fivePoints(dst []matrix, a, b *[7]Vector, s *eliminateRun) []matrix {
	var q [5][9]float64
	for i := range 5 {
		x, y := a[i], b[i]
		for r := range 3 {
			for c := range 3 {
				q[i][3*r+c] = float64(y[r] * x[c])
			}
		}
	}
	var basis [4]matrix
	if !complement(basis[:], q[:], 1e-24) {
		return dst
	}
	// The elements of E are linear in x, y, z and 1.
	var e [9]linear
	for k := range 9 {
		e[k] = linear{basis[0][k], basis[1][k], basis[2][k], basis[3][k]}
	}
	s.constrain(&e)
	if table.Best().eliminate(s); !s.solved {
		return dst
	}
	// Three equations in x, y and 1, with coefficients that are polynomials of z.
	var p [3][3][5]float64
	for i, pair := range [3][2]int{{4, 5}, {6, 7}, {8, 9}} {
		u, v := &s.rows[pair[0]], &s.rows[pair[1]]
		p[i][0] = [5]float64{u[12], u[11] - v[12], u[10] - v[11], -v[10]}
		p[i][1] = [5]float64{u[15], u[14] - v[15], u[13] - v[14], -v[13]}
		p[i][2] = [5]float64{u[19], u[18] - v[19], u[17] - v[18], u[16] - v[17], -v[16]}
	}
	determinant := tenth(&p)
	var roots [10]float64
	for _, z := range realRoots(roots[:0], determinant[:]) {
		var rows [3]Vector
		for i := range 3 {
			for j := range 3 {
				c := &p[i][j]
				rows[i][j] = float64((float64((float64((float64(c[4]*z)+c[3])*z)+c[2])*z)+c[1])*z) + c[0]
			}
		}
		// Two of the rows, so that z of their cross product is large.
		k, largest := 0, 0.0
		for i := range 3 {
			u, v := &rows[i], &rows[(i+1)%3]
			if w := math.Abs(float64(u[0]*v[1]) - float64(u[1]*v[0])); w > largest {
				k, largest = i, w
			}
		}
		if largest == 0 {
			continue
		}
		best := rows[k].Cross(rows[(k+1)%3])
		x, y := best[0]/best[2], best[1]/best[2]
		var t matrix
		for k := range 9 {
			t[k] = float64(x*basis[0][k]) + float64(y*basis[1][k]) + float64(z*basis[2][k]) + basis[3][k]
		}
		s := t.squares()
		if !(s > 0 && s <= math.MaxFloat64) {
			continue
		}
		dst = append(dst, t.scaled(math.Sqrt(2/s)))
	}
	return dst
}

// complement sets an orthonormal basis of the vectors that are orthogonal to up to five others,
// which it overwrites, by Householder's reflections. It reports false if what one of them adds to
// those before is not longer than the root of least.
func complement(basis []matrix, q [][9]float64, least float64) bool {
	var beta [5]float64
	if !reflections(q, beta[:], least) {
		return false
	}
	for k := range basis {
		e := (*[9]float64)(&basis[k])
		*e = [9]float64{}
		e[len(q)+k] = 1
		for j := len(q) - 1; j >= 0; j-- {
			reflect(e, &q[j], beta[j], j)
		}
	}
	return true
}

// reflections makes vectors those of the reflections that take all of them to the first unit vectors,
// and sets 2 divided by their squared lengths. It reports false if what one of them adds to those before
// is not longer than the root of least.
func reflections(q [][9]float64, beta []float64, least float64) bool {
	for j := range q {
		v := &q[j]
		s := 0.0
		for _, e := range v[j:] {
			s += float64(e * e)
		}
		if !(s > least) {
			return false
		}
		length := math.Copysign(math.Sqrt(s), v[j])
		beta[j] = 1 / (s + float64(length*v[j]))
		v[j] += length
		for k := j + 1; k < len(q); k++ {
			reflect(&q[k], v, beta[j], j)
		}
	}
	return true
}

// reflect reflects x, from an element on, at the hyperplane across v. beta is 2 / |v|^2.
func reflect(x, v *[9]float64, beta float64, from int) {
	p, q := x[from:], v[from:]
	q = q[:len(p)]
	d := 0.0
	for i, e := range p {
		d += float64(e * q[i])
	}
	d = float64(d * beta)
	for i, e := range q {
		p[i] -= float64(d * e)
	}
}

// A linear is a polynomial in x, y, z and 1, a quadric one in xx, xy, yy, xz, yz, zz, x, y, z,
// 1, and a cubic one in xxx, yyy, xxy, xyy, xxz, xx, yyz, yy, xyz, xy, xzz, xz, x, yzz, yz, y,
// zzz, zz, z, 1 (Nister's order).
type (
	linear  [4]float64
	quadric [10]float64
	cubic   = [20]float64
)

// add adds the product of a and b, times s.
func (q *quadric) add(a, b *linear, s float64) {
	ax, ay, az, a1 := float64(a[0]*s), float64(a[1]*s), float64(a[2]*s), float64(a[3]*s)
	q[0] += float64(ax * b[0])
	q[1] += float64(ax*b[1]) + float64(ay*b[0])
	q[2] += float64(ay * b[1])
	q[3] += float64(ax*b[2]) + float64(az*b[0])
	q[4] += float64(ay*b[2]) + float64(az*b[1])
	q[5] += float64(az * b[2])
	q[6] += float64(ax*b[3]) + float64(a1*b[0])
	q[7] += float64(ay*b[3]) + float64(a1*b[1])
	q[8] += float64(az*b[3]) + float64(a1*b[2])
	q[9] += float64(a1 * b[3])
}

// addCubic adds the product of q and l to c.
func addCubic(c *cubic, q *quadric, l *linear) {
	x, y, z, w := l[0], l[1], l[2], l[3]
	c[0] += float64(q[0] * x)
	c[1] += float64(q[2] * y)
	c[2] += float64(q[0]*y) + float64(q[1]*x)
	c[3] += float64(q[1]*y) + float64(q[2]*x)
	c[4] += float64(q[0]*z) + float64(q[3]*x)
	c[5] += float64(q[0]*w) + float64(q[6]*x)
	c[6] += float64(q[2]*z) + float64(q[4]*y)
	c[7] += float64(q[2]*w) + float64(q[7]*y)
	c[8] += float64(q[1]*z) + float64(q[3]*y) + float64(q[4]*x)
	c[9] += float64(q[1]*w) + float64(q[6]*y) + float64(q[7]*x)
	c[10] += float64(q[3]*z) + float64(q[5]*x)
	c[11] += float64(q[3]*w) + float64(q[6]*z) + float64(q[8]*x)
	c[12] += float64(q[6]*w) + float64(q[9]*x)
	c[13] += float64(q[4]*z) + float64(q[5]*y)
	c[14] += float64(q[4]*w) + float64(q[7]*z) + float64(q[8]*y)
	c[15] += float64(q[7]*w) + float64(q[9]*y)
	c[16] += float64(q[5] * z)
	c[17] += float64(q[5]*w) + float64(q[8]*z)
	c[18] += float64(q[8]*w) + float64(q[9]*z)
	c[19] += float64(q[9] * w)
}

// An eliminateRun is the argument of the kernel that solves ten cubic equations. It lives on the heap.
type eliminateRun struct {
	rows   [10]cubic
	solved bool // the first ten columns of the last six rows are those of the unit matrix
}

// constrain sets the equations to those of 2 E E' E - trace(E E') E and to the determinant.
func (q *eliminateRun) constrain(e *[9]linear) {
	m := &q.rows
	*m = [10]cubic{}
	var s [3][3]quadric // E E' minus half its trace
	for i := range 3 {
		for j := i; j < 3; j++ {
			for k := range 3 {
				s[i][j].add(&e[3*i+k], &e[3*j+k], 1)
			}
		}
	}
	for k := range 10 {
		half := float64((s[0][0][k] + s[1][1][k] + s[2][2][k]) * 0.5)
		s[0][0][k] -= half
		s[1][1][k] -= half
		s[2][2][k] -= half
	}
	s[1][0], s[2][0], s[2][1] = s[0][1], s[0][2], s[1][2]
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				addCubic(&m[3*i+j], &s[i][k], &e[3*k+j])
			}
		}
	}
	for k := range 3 {
		var minor quadric
		i, j := (k+1)%3, (k+2)%3
		minor.add(&e[3+i], &e[6+j], 1)
		minor.add(&e[3+j], &e[6+i], -1)
		addCubic(&m[9], &minor, &e[k])
	}
}

// eliminate makes the first ten columns of the last six rows those of the unit matrix. Of the matrix
// only the other columns of these rows count then.
func eliminate(q *eliminateRun) {
	m := &q.rows
	q.solved = false
	for k := range 10 {
		// The row with the largest element, without branches: their numbers are the last bits.
		largest := uint64(0)
		for i := k; i < 10; i++ {
			largest = max(largest, math.Float64bits(m[i][k])<<1&^15|uint64(i))
		}
		pivot := int(largest & 15)
		if !(math.Abs(m[pivot][k]) > 1e-14) {
			return
		}
		if pivot != k {
			m[pivot], m[k] = m[k], m[pivot]
		}
		row := &m[k]
		inverse := 1 / row[k]
		for c := k; c < 20; c++ {
			row[c] = float64(row[c] * inverse)
		}
		i := k + 1
		for ; i < 9; i += 2 {
			f, g := m[i][k], m[i+1][k]
			p, q := m[i][k+1:], m[i+1][k+1:]
			q = q[:len(p)]
			// Two rows take little more time than one.
			for c, v := range row[k+1:][:len(p)] {
				p[c] -= float64(f * v)
				q[c] -= float64(g * v)
			}
		}
		if i < 10 {
			other := &m[i]
			f := other[k]
			for c := k + 1; c < 20; c++ {
				other[c] -= float64(f * row[c])
			}
		}
	}
	for k := 9; k > 4; k-- {
		row := (*[10]float64)(m[k][10:])
		for i := k - 1; i >= 4; i-- {
			other := (*[10]float64)(m[i][10:])
			f := m[i][k]
			for c, v := range row {
				other[c] -= float64(f * v)
			}
		}
	}
	q.solved = true
}

// tenth returns the determinant of three by three polynomials, of degree 3 in two columns and 4
// in the last one.
func tenth(p *[3][3][5]float64) [11]float64 {
	var d [11]float64
	for i := range 3 {
		u, v := &p[(i+1)%3], &p[(i+2)%3]
		var minor [7]float64
		for k := range 4 {
			for l := range 4 {
				minor[k+l] += float64(u[0][k]*v[1][l]) - float64(u[1][k]*v[0][l])
			}
		}
		for k := range 7 {
			for l := range 5 {
				d[k+l] += float64(minor[k] * p[i][2][l])
			}
		}
	}
	return d
}

// poses returns the two rotations and the unit vector of translation of an essential matrix, the
// squares of which sum up to 2; the translation has either sign, and the rotations are as exact
// as E is (B. Horn, "Recovering baseline and orientation from essential matrix", 1990).
func poses(e *matrix) (r1, r2 Rotation, t Vector, ok bool) {
	// E E' is t't minus t t', and the cofactors of E are t t' R.
	best, k := 0.0, 0
	c := e.cofactors()
	for i := range 3 {
		// Columns of cofactors are multiples of t.
		if s := float64(c[i]*c[i]) + float64(c[3+i]*c[3+i]) + float64(c[6+i]*c[6+i]); s > best {
			best, k = s, i
		}
	}
	if !(best > 0) {
		return r1, r2, t, false
	}
	inverse := 1 / math.Sqrt(best)
	x, y, z := float64(c[k]*inverse), float64(c[3+k]*inverse), float64(c[6+k]*inverse)
	for i := range 3 {
		u, v, w := e[i], e[3+i], e[6+i]
		p, q, r := float64(y*w)-float64(z*v), float64(z*u)-float64(x*w), float64(x*v)-float64(y*u)
		r1[i], r1[3+i], r1[6+i] = c[i]-p, c[3+i]-q, c[6+i]-r
		r2[i], r2[3+i], r2[6+i] = c[i]+p, c[3+i]+q, c[6+i]+r
	}
	t = Vector{x, y, z}
	return r1, r2, t, true
}
