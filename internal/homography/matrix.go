package homography

import "math"

// Products are converted to float64 so that they are not fused with sums, which would
// make results that are not the same on every platform.

// A Matrix is a homography in homogeneous coordinates: the column x, y, 1 goes to a
// multiple of x', y', 1.
type Matrix [3][3]float64

// times returns the product of a row of m and the column x, y, 1.
func (m *Matrix) times(row int, p Point) float64 {
	return float64(m[row][0]*p.X) + float64(m[row][1]*p.Y) + m[row][2]
}

// Map returns the point to which m maps p. Its coordinates are infinite or NaN for the
// points of one line.
func (m *Matrix) Map(p Point) Point {
	w := m.times(2, p)
	return Point{m.times(0, p) / w, m.times(1, p) / w}
}

// misses returns the squared distance between to and the point to which m maps p, or
// infinity if that point is behind the camera.
func (m *Matrix) misses(p, to Point) float64 {
	if !(m.times(2, p) > 0) {
		return math.Inf(1)
	}
	q := m.Map(p)
	return square(q.X-to.X) + square(q.Y-to.Y)
}

// After returns the matrix that maps as first and then as m.
func (m Matrix) After(first Matrix) Matrix {
	var product Matrix
	for i := range m {
		for j := range m {
			for k := range m {
				product[i][j] += float64(m[i][k] * first[k][j])
			}
		}
	}
	return product
}

// Inverse returns the inverse of m. Its elements are not finite if there is none.
func (m *Matrix) Inverse() Matrix {
	var adjugate Matrix
	for i := range m {
		for j := range m {
			r, s, c, d := (j+1)%3, (j+2)%3, (i+1)%3, (i+2)%3
			adjugate[i][j] = float64(m[r][c]*m[s][d]) - float64(m[r][d]*m[s][c])
		}
	}
	determinant := 0.0
	for i := range m {
		determinant += float64(m[0][i] * adjugate[i][0])
	}
	return adjugate.over(determinant)
}

// over returns m with all elements divided by d.
func (m Matrix) over(d float64) Matrix {
	for i := range m {
		for j := range m {
			m[i][j] /= d
		}
	}
	return m
}

// An equation holds the coefficients of the elements of a matrix except the last one,
// which is 1, and the right side.
type equation [9]float64

// equations returns the equations of a matrix that maps a to b, times weight.
func equations(a, b Point, weight float64) (x, y equation) {
	u, v := float64(weight*a.X), float64(weight*a.Y)
	x = equation{u, v, weight, 0, 0, 0, -float64(u * b.X), -float64(v * b.X), float64(weight * b.X)}
	y = equation{0, 0, 0, u, v, weight, -float64(u * b.Y), -float64(v * b.Y), float64(weight * b.Y)}
	return x, y
}

// through returns the homography that maps the four points of a sample exactly.
func (e *estimator) through(sample [4]int) Matrix {
	var system [8]equation
	for n, i := range sample {
		system[2*n], system[2*n+1] = equations(e.a[i], e.b[i], 1)
	}
	return solve(&system)
}

// leastSquares returns the homography with the least squared distances in B for the
// inliers of m. The distances are not linear in its elements, but they are if the
// denominators are those of m, which are nearly the same.
func (e *estimator) leastSquares(m model) Matrix {
	var system [8]equation // normal equations
	for i, a := range e.a {
		if !m.inliers[i] {
			continue
		}
		x, y := equations(a, e.b[i], 1/m.h.times(2, a))
		for j := range system {
			for k := range system[j] {
				system[j][k] += float64(x[j]*x[k]) + float64(y[j]*y[k])
			}
		}
	}
	return solve(&system)
}

// solve returns the matrix that solves the equations, by Gaussian elimination. Its
// elements are not finite if there is none.
func solve(system *[8]equation) Matrix {
	for i := range system {
		pivot := i
		for j := i + 1; j < len(system); j++ {
			if math.Abs(system[j][i]) > math.Abs(system[pivot][i]) {
				pivot = j
			}
		}
		system[i], system[pivot] = system[pivot], system[i]
		for j := range system {
			if j == i {
				continue
			}
			factor := system[j][i] / system[i][i]
			for k := i; k < len(system[j]); k++ {
				system[j][k] -= float64(factor * system[i][k])
			}
		}
	}
	var h [9]float64
	for i := range system {
		h[i] = system[i][8] / system[i][i]
	}
	h[8] = 1
	return Matrix{[3]float64(h[0:3]), [3]float64(h[3:6]), [3]float64(h[6:9])}
}
