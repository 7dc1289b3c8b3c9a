package geometry

import "math"

// Equations are the normal equations of least squares: the sums over all pairs of the
// products of what a change of the transform's elements does to the point that x, y is mapped
// to, and of what is missing there. With q the column 1, x, y divided by w, and mx, my the
// point, its derivatives are
//
//	by elements 2, 0, 1 of mx:  q     by elements 6, 7 of mx:  -mx*q[1], -mx*q[2]
//	by elements 5, 3, 4 of my:  q     by elements 6, 7 of my:  -my*q[1], -my*q[2]
//
// and all others are 0. So these sums suffice: q q' (numbers 0 to 5, of the upper triangle),
// q*dx (6 to 8), q*dy (9 to 11), mx and my times sums 1 to 5 (12 to 16, 17 to 21), mx*mx +
// my*my times sums 3 to 5 (22 to 24), and mx*dx + my*dy times q[1] and q[2] (25, 26).
// Affine transforms need the first 12.
type equations [sums]float64

// leastPivot is the least pivot, relative to its diagonal element, of equations that determine
// a solution.
const leastPivot = 1e-13

// A factorization is L D L' of a symmetric matrix of 3 by 3 elements, L having ones on its
// diagonal.
type factorization struct {
	l10, l20, l21 float64
	d             [3]float64
}

// factor factors the matrix of sums 0 to 5. It reports false if it is singular.
func (e *equations) factor() (f factorization, ok bool) {
	f.d[0] = e[0]
	f.l10, f.l20 = e[1]/e[0], e[2]/e[0]
	f.d[1] = e[3] - float64(f.l10*e[1])
	rest := e[4] - float64(f.l10*e[2])
	f.l21 = rest / f.d[1]
	f.d[2] = e[5] - float64(f.l20*e[2]) - float64(f.l21*rest)
	return f, f.d[0] > 0 && f.d[1] > leastPivot*e[3] && f.d[2] > leastPivot*e[5]
}

// solve returns the solution for a right side.
func (f *factorization) solve(v0, v1, v2 float64) [3]float64 {
	v1 -= float64(f.l10 * v0)
	v2 -= float64(f.l20*v0) + float64(f.l21*v1)
	v0, v1, v2 = v0/f.d[0], v1/f.d[1], v2/f.d[2]
	v1 -= float64(f.l21 * v2)
	v0 -= float64(f.l10*v1) + float64(f.l20*v2)
	return [3]float64{v0, v1, v2}
}

// dot returns the scalar product.
func dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// next returns what the equations make of t, a transform of the kind with an element 8 of 1,
// and how large the change of an element is, at most, relative to those above 1. The change is
// multiplied by factor. scale is that of rigid transforms. It reports false if the equations do
// not determine a transform.
func (e *equations) next(kind Kind, t *Transform, factor, scale float64) (next Transform, largest float64, ok bool) {
	change, ok := e.step(kind)
	next = *t
	for i, c := range change {
		change[i] = float64(c * factor)
		next[i] += change[i]
	}
	if kind == Rigid {
		// The best rotation about the centroid is that of the best similarity. There is none if
		// that is 0 but for rounding, which is relative to t and to the points of both frames.
		ok = ok && squared(next[0], next[3]) >= least*max(float64(scale*scale), least)
		next.rescale(Point{e[1] / e[0], e[2] / e[0]}, scale)
		for i, v := range next {
			change[i] = v - t[i]
		}
	}
	for i, c := range change {
		if c = math.Abs(c); c > 0 { // many are always 0
			largest = max(largest, c/max(1, math.Abs(t[i])))
		}
	}
	return next, largest, ok
}

// step returns what to add to the elements of a transform of the kind, whose element 8 is 1,
// and to those of a rigid one to make it the best similarity. It reports false if the
// equations do not determine it.
func (e *equations) step(kind Kind) (change Transform, ok bool) {
	switch kind {
	case Homography:
		return e.homography()
	case Affine:
		f, ok := e.factor()
		x, y := f.solve(e[6], e[7], e[8]), f.solve(e[9], e[10], e[11])
		return Transform{x[1], x[2], x[0], y[1], y[2], y[0]}, ok
	case Similarity, Rigid:
		return e.similarity()
	}
	return Transform{2: e[6] / e[0], 5: e[9] / e[0]}, e[0] > 0
}

// similarity is step for similarities: in coordinates with the centroid at 0, the rotation
// and the shift do not depend on each other.
func (e *equations) similarity() (change Transform, ok bool) {
	x, y, dx, dy := e[1]/e[0], e[2]/e[0], e[6]/e[0], e[9]/e[0]
	squares := e[3] + e[5]
	variance := squares - (float64(e[1]*x) + float64(e[2]*y))
	p := (e[7] + e[11] - (float64(e[1]*dx) + float64(e[2]*dy))) / variance
	q := (e[10] - e[8] - (float64(e[1]*dy) - float64(e[2]*dx))) / variance
	return Transform{
		p, -q, dx - float64(p*x) + float64(q*y),
		q, p, dy - float64(q*x) - float64(p*y),
	}, e[0] > 0 && variance > leastPivot*squares
}

// homography is step for homographies: L D L', in which elements 0 to 2 and 3 to 5 do not
// depend on each other and have the same matrix.
func (e *equations) homography() (change Transform, ok bool) {
	f, ok := e.factor()
	if !ok {
		return Transform{}, false
	}
	// Columns of elements 6 and 7, and the same after solving for the others, for mx and my.
	x6, x7 := [3]float64{e[12], e[14], e[15]}, [3]float64{e[13], e[15], e[16]}
	y6, y7 := [3]float64{e[17], e[19], e[20]}, [3]float64{e[18], e[20], e[21]}
	u6, u7 := f.solve(x6[0], x6[1], x6[2]), f.solve(x7[0], x7[1], x7[2])
	v6, v7 := f.solve(y6[0], y6[1], y6[2]), f.solve(y7[0], y7[1], y7[2])
	rightX, rightY := [3]float64{e[6], e[7], e[8]}, [3]float64{e[9], e[10], e[11]}

	s66 := e[22] - dot(x6, u6) - dot(y6, v6)
	s67 := e[23] - dot(x6, u7) - dot(y6, v7)
	s77 := e[24] - dot(x7, u7) - dot(y7, v7)
	r6 := dot(u6, rightX) + dot(v6, rightY) - e[25]
	r7 := dot(u7, rightX) + dot(v7, rightY) - e[26]
	l := s67 / s66
	pivot := s77 - float64(l*s67)
	h7 := (r7 - float64(l*r6)) / pivot
	h6 := r6/s66 - float64(l*h7)

	x, y := f.solve(rightX[0], rightX[1], rightX[2]), f.solve(rightY[0], rightY[1], rightY[2])
	for i := range x {
		x[i] += float64(u6[i]*h6) + float64(u7[i]*h7)
		y[i] += float64(v6[i]*h6) + float64(v7[i]*h7)
	}
	return Transform{x[1], x[2], x[0], y[1], y[2], y[0], h6, h7}, s66 > leastPivot*e[22] && pivot > leastPivot*e[24]
}

// shifted returns the transform between frames that are shifted: subtracting (x, y) first
// gives the point that t maps to, minus (u, v).
func (t *Transform) shifted(x, y, u, v float64) Transform {
	s := *t
	for i := 0; i < 9; i += 3 {
		s[i+2] += float64(t[i]*x) + float64(t[i+1]*y)
	}
	for k := range 3 {
		s[k] -= float64(u * s[6+k])
		s[3+k] -= float64(v * s[6+k])
	}
	return s
}
