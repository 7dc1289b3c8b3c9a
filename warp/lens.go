package warp

import (
	"math"
	"slices"

	"github.com/fastcorners/fast/geometry"
)

// A Lens describes the distortion of a camera, as OpenCV's calibrateCamera does: Fx and Fy are the
// focal lengths, and Cx and Cy the principal point, in pixels; K1, K2 and K3 are the coefficients
// of radial distortion, and P1 and P2 those of tangential distortion.
type Lens struct{ Fx, Fy, Cx, Cy, K1, K2, P1, P2, K3 float64 }

// Map returns the map that turns an image of w by h pixels into the image that a camera without
// distortion would have taken. With Linear and the Border Constant, the result is that of OpenCV's
// undistort. It panics if w or h is negative or more than 32766.
func (l Lens) Map(w, h int) *FixedMap {
	checkFixed(w, h)
	m := newFixedMap(w, h)
	i := 0
	for row := range h {
		v := (float64(row) - l.Cy) / l.Fy
		for column := range w {
			u := (float64(column) - l.Cx) / l.Fx
			x, y := l.distort(u, v)
			m.put(i, round(32*x), round(32*y))
			i++
		}
	}
	return m
}

// distort returns the pixel at which the camera sees u, v.
func (l *Lens) distort(u, v float64) (x, y float64) {
	x, y = l.bend(u, v)
	return float64(l.Fx*x) + l.Cx, float64(l.Fy*y) + l.Cy
}

// bend returns the place at which the camera sees u, v, in focal lengths from the principal
// point.
func (l *Lens) bend(u, v float64) (x, y float64) {
	u2, v2 := float64(u*u), float64(v*v)
	r := u2 + v2
	k := 1 + float64((float64((float64(l.K3*r)+l.K2)*r)+l.K1)*r)
	x = float64(u*k) + float64(float64(float64(l.P1*2)*u)*v) + float64(l.P2*(r+float64(2*u2)))
	y = float64(v*k) + float64(l.P1*(r+float64(2*v2))) + float64(float64(float64(l.P2*2)*u)*v)
	return x, y
}

// Distort sets dst to the points at which the camera sees the points src of an undistorted image.
// These are the positions from which [Lens.Map] takes pixels, before rounding. dst may be src.
// Distort panics if the lengths differ.
//
// Far from the principal point, the polynomials of many lenses fold back, as if several points were
// seen at the same place, which does not happen in a camera. The model ends at the distance d from
// the principal point, in focal lengths, where 1 + 3*K1*d*d + 5*K2*d**4 + 7*K3*d**6, the rate at
// which the distance of the seen point grows, falls to 7*d*hypot(P1, P2): no two points within that
// distance are seen at the same place. Points beyond it, and those that are not finite, become NaN,
// NaN.
func (l Lens) Distort(dst, src []geometry.Point) {
	requireSameLength(len(dst), len(src))
	end := l.end()
	for i, p := range src {
		u, v := (p.X-l.Cx)/l.Fx, (p.Y-l.Cy)/l.Fy
		if within(u, v, end) {
			dst[i].X, dst[i].Y = l.distort(u, v)
		} else {
			dst[i] = notANumber
		}
	}
}

// Undistort sets dst to the points of an undistorted image that the camera sees at the points src.
// It is the inverse of [Lens.Distort], to 1e-9 pixel in images of up to 10,000 pixels, unless a
// point is so close to the end of the model that it moves a hundred times as far as the position at
// which it is seen. Points that have no inverse within the model become NaN, NaN. dst may be src.
// Undistort panics if the lengths differ.
//
// OpenCV's undistortPoints stops a fixed-point iteration after five rounds, converged or not: with
// strong distortion, it can be many pixels away from the point.
//
// The method is Newton's, with exact derivatives, starting from the solution without P1 and P2.
// Steps that lead out of the model or farther from the point are shortened. The method converges
// because the matrix of derivatives is symmetric and, within the model, positive definite.
func (l Lens) Undistort(dst, src []geometry.Point) {
	requireSameLength(len(dst), len(src))
	end := l.end()
	for i, p := range src {
		u, v, ok := l.straighten((p.X-l.Cx)/l.Fx, (p.Y-l.Cy)/l.Fy, end)
		if ok {
			dst[i] = geometry.Point{X: float64(l.Fx*u) + l.Cx, Y: float64(l.Fy*v) + l.Cy}
		} else {
			dst[i] = notANumber
		}
	}
}

// notANumber is what points become that the model has not.
var notANumber = geometry.Point{X: math.NaN(), Y: math.NaN()}

func requireSameLength(dst, src int) {
	if dst != src {
		panic("warp: slices of points of different lengths")
	}
}

// within reports whether u, v is less than a distance away from 0, 0.
func within(u, v, distance float64) bool {
	return float64(u*u)+float64(v*v) < float64(distance*distance)
}

// slopes returns the derivatives of bend: x by u, x by v, which is also y by u, and y by v.
func (l *Lens) slopes(u, v float64) (xu, xv, yv float64) {
	r := float64(u*u) + float64(v*v)
	k := 1 + float64((float64((float64(l.K3*r)+l.K2)*r)+l.K1)*r)
	twice := 2 * (float64((float64(3*l.K3*r)+2*l.K2)*r) + l.K1) // the derivative of k by r
	xu = k + float64(float64(u*u)*twice) + float64(2*l.P1*v) + float64(6*l.P2*u)
	xv = float64(float64(u*v)*twice) + float64(2*l.P1*u) + float64(2*l.P2*v)
	yv = k + float64(float64(v*v)*twice) + float64(6*l.P1*v) + float64(2*l.P2*u)
	return xu, xv, yv
}

// stretch returns the distance at which a point is seen that is d away, without P1 and P2.
func (l *Lens) stretch(d float64) float64 {
	return float64(d * polynomial(float64(d*d), 1, l.K1, l.K2, l.K3))
}

// growth returns the derivative of stretch.
func (l *Lens) growth(d float64) float64 {
	return polynomial(float64(d*d), 1, float64(3*l.K1), float64(5*l.K2), float64(7*l.K3))
}

// polynomial returns a + b*x + c*x*x + d*x*x*x.
func polynomial(x, a, b, c, d float64) float64 {
	return a + float64((b+float64((c+float64(d*x))*x))*x)
}

// far is the distance that counts as infinite.
const far = 1e30

// end returns the distance at which the model ends: the smallest one at which 7*hypot(P1, P2)
// times it exceeds growth. With less, the matrix of derivatives is positive definite: in the
// direction of u, v and across it, it is growth + 6*a, 2*b; 2*b, k + 2*a, where hypot(a, b) is
// hypot(P1, P2) times the distance, and k, the mean of growth up to there, is at least 3.5 times
// that. And where derivatives are such a matrix, no two points of a disc are seen at one place.
func (l *Lens) end() float64 {
	if sum := l.K1 + l.K2 + l.K3 + l.P1 + l.P2; sum-sum != 0 {
		return 0
	}
	p := float64(7 * math.Sqrt(float64(l.P1*l.P1)+float64(l.P2*l.P2)))
	if p-p != 0 {
		return 0
	}
	margin := func(d float64) float64 { return l.growth(d) - float64(p*d) }
	slope := func(d float64) float64 {
		return float64(d*polynomial(float64(d*d), float64(6*l.K1), float64(20*l.K2), float64(42*l.K3), 0)) - p
	}
	// Between the roots of its derivative, a polynomial has one at most.
	turns := squareRoots(float64(6*l.K1), float64(60*l.K2), float64(210*l.K3))
	ends := roots(margin, roots(slope, turns))
	return ends[0]
}

// squareRoots returns the positive numbers d with a + b*d*d + c*d*d*d*d = 0 in ascending order.
func squareRoots(a, b, c float64) []float64 {
	d := float64(b*b) - float64(4*a*c)
	if d < 0 {
		return nil
	}
	q := -(b + math.Copysign(math.Sqrt(d), b)) / 2
	list := []float64{math.Sqrt(q / c), math.Sqrt(a / q)}
	slices.Sort(list)
	return slices.DeleteFunc(list, func(r float64) bool { return !(r > 0 && r < far) })
}

// roots returns the numbers up to far at which f changes its sign, and far. turns are numbers in
// ascending order between which f is monotone.
func roots(f func(d float64) float64, turns []float64) []float64 {
	var list []float64
	low := 0.0
	for _, high := range append(turns, far) {
		if positive := f(low) > 0; positive != (f(high) > 0) {
			list = append(list, change(f, low, high, positive))
		}
		low = high
	}
	return append(list, far)
}

// change returns the last number before f changes its sign, which it does between low, where it is
// positive or not, and high.
func change(f func(d float64) float64, low, high float64, positive bool) float64 {
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return low
		}
		if f(middle) > 0 == positive {
			low = middle
		} else {
			high = middle
		}
	}
}

// straighten returns the place that the camera sees at x, y. It reports false if it finds none.
func (l *Lens) straighten(x, y, end float64) (u, v float64, ok bool) {
	seen := math.Sqrt(float64(x*x) + float64(y*y))
	if !(seen < far) {
		return 0, 0, false
	}
	if seen > 0 {
		scale := l.contract(seen, end) / seen
		u, v = float64(x*scale), float64(y*scale)
	}
	// off returns what is missing to x, y.
	off := func(u, v float64) (dx, dy float64) {
		seenX, seenY := l.bend(u, v)
		return x - seenX, y - seenY
	}
	dx, dy := off(u, v)
	for range 100 {
		xu, xv, yv := l.slopes(u, v)
		d := float64(xu*yv) - float64(xv*xv)
		du, dv := (float64(yv*dx)-float64(xv*dy))/d, (float64(xu*dy)-float64(xv*dx))/d
		closer := false
		for step := 1.0; step > 1e-6 && !closer; step /= 2 {
			nextU, nextV := u+float64(step*du), v+float64(step*dv)
			nextX, nextY := off(nextU, nextV)
			closer = within(nextU, nextV, end) && math.Abs(nextX)+math.Abs(nextY) < math.Abs(dx)+math.Abs(dy)
			if closer {
				u, v, dx, dy = nextU, nextV, nextX, nextY
			}
		}
		if !closer {
			break
		}
	}
	size := math.Abs(x) + math.Abs(y) + math.Abs(u) + math.Abs(v)
	return u, v, within(u, v, end) && math.Abs(dx)+math.Abs(dy) <= 0x1p-44*size
}

// contract returns the distance of the point that is seen at a distance, without P1 and P2, or if
// there is none, one just before the end.
func (l *Lens) contract(seen, end float64) float64 {
	if !(l.stretch(end) > seen) {
		return float64(end * (1 - 0x1p-20))
	}
	low, high, d := 0.0, end, min(seen, end)
	for range 200 {
		beyond := l.stretch(d) - seen
		if beyond > 0 {
			high = d
		} else {
			low = d
		}
		next := d - beyond/l.growth(d)
		if next == d {
			break
		}
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		d = next
	}
	return d
}
