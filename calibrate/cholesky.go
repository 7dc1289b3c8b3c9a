package calibrate

import "math"

// Symmetric matrices are held by rows, n elements each, of which only the lower triangle counts.

// factor sets l to the lower triangle for which l times its transpose is a, with its diagonal
// multiplied by 1 + damping: Cholesky's factor, but for its diagonal, of which l has the reciprocals. It
// reports false if a pivot is not more than the given share of its element of the diagonal, which means
// that a is singular.
func factor(l, a []float64, n int, damping, share float64) bool {
	for i := range n {
		row := l[i*n : i*n+n]
		for j := range i {
			other := l[j*n : j*n+n]
			v := a[i*n+j]
			for k, x := range row[:j] {
				v -= float64(x * other[k])
			}
			row[j] = float64(v * other[j])
		}
		element := a[i*n+i]
		element += float64(damping * element)
		pivot := element
		for _, x := range row[:i] {
			pivot -= float64(x * x)
		}
		if !(pivot > float64(share*element) && pivot > 0) {
			return false
		}
		row[i] = 1 / math.Sqrt(pivot)
	}
	return true
}

// forward replaces x by the solution y of l y = x, for the l of factor.
func forward(l, x []float64) {
	n := len(x)
	for i := range x {
		row := l[i*n : i*n+n]
		v := x[i]
		for k, y := range x[:i] {
			v -= float64(row[k] * y)
		}
		x[i] = float64(v * row[i])
	}
}

// backward replaces x by the solution y of l' y = x, for the l of factor.
func backward(l, x []float64) {
	n := len(x)
	for i := n - 1; i >= 0; i-- {
		v := x[i]
		for k := i + 1; k < n; k++ {
			v -= float64(l[k*n+i] * x[k])
		}
		x[i] = float64(v * l[i*n+i])
	}
}

// inverse returns the inverse of the n by n matrix for which factor set l, with both triangles.
func inverse(l []float64, n int) []float64 {
	inv := make([]float64, n*n)
	for i := range n {
		row := inv[i*n : i*n+n]
		row[i] = 1
		forward(l, row)
		backward(l, row)
	}
	return inv
}
