package pose

import "math"

// Equations are the normal equations of up to 9 unknowns: the upper triangle of their matrix by
// rows, and the right side.
type equations struct {
	a [9][9]float64
	b [9]float64
}

// solve returns the solution for n unknowns by LDL^T, with the diagonal multiplied by 1 + damping.
func (q *equations) solve(n int, damping float64) ([9]float64, bool) {
	var l [9][9]float64
	var d, x [9]float64
	for j := range n {
		diagonal := float64(q.a[j][j] * (1 + damping))
		sum := diagonal
		for k := range j {
			sum -= float64(l[j][k] * l[j][k] * d[k])
		}
		if !(sum > 1e-14*diagonal) {
			return x, false
		}
		d[j] = sum
		for i := j + 1; i < n; i++ {
			sum := q.a[j][i]
			for k := range j {
				sum -= float64(l[i][k] * l[j][k] * d[k])
			}
			l[i][j] = sum / d[j]
		}
	}
	for i := range n {
		sum := q.b[i]
		for k := range i {
			sum -= float64(l[i][k] * x[k])
		}
		x[i] = sum
	}
	for i := range n {
		x[i] /= d[i]
	}
	for i := n - 1; i >= 0; i-- {
		sum := x[i]
		for k := i + 1; k < n; k++ {
			sum -= float64(l[k][i] * x[k])
		}
		x[i] = sum
	}
	return x, true
}

// step returns the solution for n unknowns, multiplied by factor, and the largest of the first few
// of them. It reports false if there is none, or that is not a small step.
func (q *equations) step(n, few int, damping, factor float64) (d [9]float64, change float64, ok bool) {
	d, ok = q.solve(n, damping)
	for i := range n {
		d[i] = float64(d[i] * factor)
		if i < few {
			change = max(change, math.Abs(d[i]))
		}
	}
	return d, change, ok && change < 1e6
}

// poseEquations are the normal equations of a pose: the upper triangle of their matrix, and the right
// side.
type poseEquations struct {
	a [6][6]float64
	b [6]float64
}

// solve returns the solution by LDL^T, with the diagonal multiplied by 1 + damping.
func (q *poseEquations) solve(damping float64) (x [6]float64, ok bool) {
	a := q.a
	x = q.b
	var inverses [6]float64 // of D
	for j := range a {
		row := &a[j]
		diagonal := float64(q.a[j][j] * (1 + damping))
		pivot := row[j] + float64(q.a[j][j]*damping)
		if !(pivot > 1e-14*diagonal) {
			return x, false
		}
		inverse := 1 / pivot
		inverses[j] = inverse
		for i := j + 1; i < len(a); i++ {
			f, other := float64(row[i]*inverse), &a[i]
			for k := i; k < len(a); k++ {
				other[k] -= float64(f * row[k])
			}
			x[i] -= float64(f * x[j])
		}
	}
	for j := len(a) - 1; j >= 0; j-- {
		sum := x[j]
		for k := j + 1; k < len(a); k++ {
			sum -= float64(a[j][k] * x[k])
		}
		x[j] = float64(sum * inverses[j])
	}
	return x, true
}
