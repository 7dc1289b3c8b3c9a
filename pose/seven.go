package pose

import "math"

// A reduceRun is the argument of the kernel that reduces the epipolar constraints of seven pairs. Each
// is a column, and each row has one element of all of them, with the number of that element behind.
// solved is whether they are independent of each other.
type reduceRun struct {
	rows   [9][8]float64
	solved bool
}

// sevenPoints appends the fundamental matrices of seven pairs: up to 3 (Hartley and Zisserman,
// Multiple View Geometry, 11.1.2). s is memory.
func sevenPoints(dst []matrix, a, b *[7]Vector, s *reduceRun) []matrix {
	var u, v matrix
	if !s.nullspace(&u, &v, a, b) {
		return dst
	}
	// The determinant of z u + v, from that of 1.
	cu, cv := u.cofactors(), v.cofactors()
	p0 := float64(v[0]*cv[0]) + float64(v[1]*cv[1]) + float64(v[2]*cv[2])
	p3 := float64(u[0]*cu[0]) + float64(u[1]*cu[1]) + float64(u[2]*cu[2])
	p1, p2 := 0.0, 0.0
	for i, c := range cv {
		p1 += float64(c * u[i])
		p2 += float64(cu[i] * v[i])
	}
	if math.Abs(p3) < math.Abs(p0) { // that of u + z v
		u, v, p0, p1, p2, p3 = v, u, p3, p2, p1, p0
	}
	if p3 == 0 {
		return dst
	}
	roots, n := cubicRoots(p2/p3, p1/p3, p0/p3)
	for _, z := range roots[:n] {
		var f matrix
		for i, e := range u {
			f[i] = float64(z*e) + v[i]
		}
		s := f.squares()
		if s > 0 && s <= math.MaxFloat64 {
			dst = append(dst, f.scaled(1/math.Sqrt(s)))
		}
	}
	return dst
}

// nullspace sets two orthonormal matrices that satisfy the epipolar constraints of seven pairs.
func (s *reduceRun) nullspace(u, v *matrix, a, b *[7]Vector) bool {
	// Elimination makes a triangle: combinations of the rows that vanish are the matrices that are
	// looked for.
	q := &s.rows
	for i := range 7 {
		x, y := &a[i], &b[i]
		for r := range 3 {
			for c := range 3 {
				q[3*r+c][i] = float64(y[r] * x[c])
			}
		}
	}
	for i := range q {
		q[i][7] = float64(i)
	}
	if table.Best().reduce(s); !s.solved {
		return false
	}
	y, z := [9]float64{7: 1}, [9]float64{8: 1}
	for k := 6; k >= 0; k-- {
		f, g := q[7][k], q[8][k]
		for i := k + 1; i < 7; i++ {
			f += float64(y[i] * q[i][k])
			g += float64(z[i] * q[i][k])
		}
		y[k], z[k] = -f/q[k][k], -g/q[k][k]
	}
	for i := range q {
		k := int(q[i][7])
		u[k], v[k] = y[i], z[i]
	}
	*u = u.unit()
	d := 0.0
	for i, e := range u {
		d += float64(e * v[i])
	}
	for i, e := range u {
		v[i] -= float64(d * e)
	}
	*v = v.unit()
	return true
}

// reduce makes a triangle of the first seven rows, which change places, and sets whether that can be
// done.
func reduce(s *reduceRun) {
	q := &s.rows
	s.solved = false
	for k := range 7 {
		// The row with the largest element, without branches: their numbers are the last bits.
		largest := uint64(0)
		for i := k; i < 9; i++ {
			largest = max(largest, math.Float64bits(q[i][k])<<1&^15|uint64(i))
		}
		pivot := largest & 15
		if !(math.Abs(q[pivot][k]) > 1e-10) {
			return
		}
		q[k], q[pivot] = q[pivot], q[k]
		row := q[k]
		inverse := 1 / row[k]
		for c := k + 1; c < 7; c++ {
			row[c] = float64(row[c] * inverse)
		}
		for i := k + 1; i < 9; i++ {
			other := &q[i]
			f := other[k]
			for c := k + 1; c < 7; c++ {
				other[c] -= float64(f * row[c])
			}
		}
	}
	s.solved = true
}

// A sevenPointsRun is the argument of the kernel that solves samples of seven pairs, one in each element
// of its arrays. It lives on the heap.
type sevenPointsRun struct {
	x, y, u, v [7][groupSize]float64 // the coordinates of the pairs in A and in B

	// The fundamental matrices of each sample, in the order in which sevenPoints appends them, and a bit
	// for each sample that has one for which the pairs are oriented.
	f     [3][9][groupSize]float64
	found [3]uint8

	//lint:ignore U1000 the kernel keeps here what does not fit in registers
	memory struct {
		rows            [9][7][groupSize]float64
		pivots          [7][groupSize]uint64
		null, cofactors [2][9][groupSize]float64
		cubic, roots    [3][groupSize]float64
		depressed       [2][groupSize]float64
		flip            [groupSize]float64
	}
}

// models appends those of sample n.
func (s *sevenPointsRun) models(dst []model, n int) []model {
	for root := range s.f {
		if s.found[root]>>n&1 == 0 {
			continue
		}
		dst = append(dst, model{})
		m := &dst[len(dst)-1].matrix
		for i := range m {
			m[i] = s.f[root][i][n]
		}
	}
	return dst
}
