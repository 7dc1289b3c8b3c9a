package pose

import "math"

// sevenPoints appends the fundamental matrices of seven pairs: up to 3 (Hartley and Zisserman,
// Multiple View Geometry, 11.1.2).
func sevenPoints(dst []matrix, a, b *[7]Vector) []matrix {
	// Gauss and Jordan with the largest pivot of all.
	var q [7][9]float64
	for i := range 7 {
		for r := range 3 {
			for c := range 3 {
				q[i][3*r+c] = float64(b[i][r] * a[i][c])
			}
		}
	}
	var order [9]int
	for i := range 9 {
		order[i] = i
	}
	for k := range 7 {
		pi, pj := k, k
		for i := k; i < 7; i++ {
			for j := k; j < 9; j++ {
				if math.Abs(q[i][order[j]]) > math.Abs(q[pi][order[pj]]) {
					pi, pj = i, j
				}
			}
		}
		q[k], q[pi] = q[pi], q[k]
		order[k], order[pj] = order[pj], order[k]
		p := q[k][order[k]]
		if !(math.Abs(p) > 1e-10) {
			return dst
		}
		for j := k; j < 9; j++ {
			q[k][order[j]] /= p
		}
		for i := range 7 {
			if i == k {
				continue
			}
			f := q[i][order[k]]
			for j := k; j < 9; j++ {
				q[i][order[j]] -= float64(f * q[k][order[j]])
			}
		}
	}
	var u, v matrix
	u[order[7]], v[order[8]] = 1, 1
	for k := range 7 {
		u[order[k]] = -q[k][order[7]]
		v[order[k]] = -q[k][order[8]]
	}
	u = u.scaled(1 / math.Sqrt(u.squares()))
	d := 0.0
	for i := range 9 {
		d += float64(u[i] * v[i])
	}
	for i := range 9 {
		v[i] -= float64(d * u[i])
	}
	v = v.scaled(1 / math.Sqrt(v.squares()))
	// The determinant of z u + v, from that of 1.
	cu, cv := u.cofactors(), v.cofactors()
	var p [4]float64
	for i := range 3 {
		p[0] += float64(v[i] * cv[i])
		p[3] += float64(u[i] * cu[i])
	}
	for i := range 9 {
		p[1] += float64(cv[i] * u[i])
		p[2] += float64(cu[i] * v[i])
	}
	var roots [10]float64
	for _, z := range realRoots(roots[:0], p[:]) {
		var f matrix
		for i := range 9 {
			f[i] = float64(z*u[i]) + v[i]
		}
		s := f.squares()
		if s > 0 && s <= math.MaxFloat64 {
			dst = append(dst, f.scaled(1/math.Sqrt(s)))
		}
	}
	return dst
}
