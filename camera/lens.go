package camera

import (
	"math"

	"github.com/fastcorners/fast/geometry"
)

// A lens is a Camera at work.
type lens struct {
	*Camera
	last float64 // what End returns, or 0 before it is needed
}

// far is the distance from the axis that counts as infinite.
const far = 1e30

// limit returns where the model ends.
func (l *lens) limit() float64 {
	if l.last == 0 {
		l.last = l.end()
	}
	return l.last
}

// inside reports whether a place whose squared distance from the axis is s lies within the model,
// BrownConrady.
func (l *lens) inside(s float64) bool {
	if l.last == 0 && l.clear(s) {
		return true
	}
	return s < float64(l.limit()*l.limit())
}

// clear reports whether the model surely does not end up to the square root of s: whether none of
// the polynomials of the end (see [Camera.end]) can fall to a hundredth of its value at the axis.
// This is faster than to find out where it ends, but if it reports false, that can still be beyond.
// The margin and the limits of s allow for the rounding of the end.
func (c *Camera) clear(s float64) bool {
	if !(s > 1e-10 && s < 1e10) || c.Model == BrownConrady && c.rational() {
		return false
	}
	sum := float64(s * (float64(3*math.Abs(c.K1)) + float64(s*(float64(5*math.Abs(c.K2))+float64(s*(float64(7*math.Abs(c.K3))+float64(s*float64(9*math.Abs(c.K4)))))))))
	if c.P1 != 0 || c.P2 != 0 {
		sum += float64(7 * (math.Abs(c.P1) + math.Abs(c.P2)) * math.Sqrt(s))
	}
	return sum < 0.99
}

// project is Project without the check.
func (l *lens) project(p [3]float64) (geometry.Point, bool) {
	if l.Model == KannalaBrandt {
		r := math.Sqrt(float64(p[0]*p[0]) + float64(p[1]*p[1]))
		if !(r < far && math.Abs(p[2]) < far) || r == 0 && !(p[2] > 0) {
			return geometry.Point{}, false
		}
		t := angle(r, p[2])
		if !(l.last == 0 && t < math.Pi && l.clear(float64(t*t)) || t < l.limit()) {
			return geometry.Point{}, false
		}
		return l.fisheye(p, r, t), true
	}
	if !(p[2] > 0 && p[2] <= math.MaxFloat64) {
		return geometry.Point{}, false
	}
	u, v := p[0]/p[2], p[1]/p[2]
	if !l.inside(float64(u*u) + float64(v*v)) {
		return geometry.Point{}, false
	}
	return l.pixel(l.bend(u, v)), true
}

// fisheye returns the pixel at which a KannalaBrandt camera sees p, whose distance from the axis is
// r and whose angle to it is t.
func (c *Camera) fisheye(p [3]float64, r, t float64) geometry.Point {
	if r == 0 {
		return geometry.Point{X: c.Cx, Y: c.Cy}
	}
	seen, _ := c.stretch(t)
	scale := seen / r
	return c.pixel(float64(p[0]*scale), float64(p[1]*scale))
}

// ray is Ray without the check.
func (l *lens) ray(p geometry.Point) (x, y float64, ok bool) {
	if l.Model == KannalaBrandt {
		b, ok := l.bearing(p)
		if !ok || !(b[2] > 0) {
			return 0, 0, false
		}
		return b[0] / b[2], b[1] / b[2], true
	}
	return l.straighten(l.normalized(p))
}

// bearing is Bearing without the check.
func (l *lens) bearing(p geometry.Point) (b [3]float64, ok bool) {
	x, y := l.normalized(p)
	if l.Model == KannalaBrandt {
		seen := math.Sqrt(float64(x*x) + float64(y*y))
		if !(seen < far) {
			return b, false
		}
		if seen == 0 {
			return [3]float64{0, 0, 1}, true
		}
		t, ok := l.contract(seen)
		if !ok {
			return b, false
		}
		sin, cos := sincos(t)
		return [3]float64{float64(x * (sin / seen)), float64(y * (sin / seen)), cos}, true
	}
	u, v, ok := l.straighten(x, y)
	if !ok {
		return b, false
	}
	n := 1 / math.Sqrt(float64(u*u)+float64(v*v)+1)
	return [3]float64{float64(u * n), float64(v * n), n}, true
}

// contract returns the distance from the axis, or the angle to it, of what is seen at a distance
// from the principal point, without P1 and P2. It reports false if there is none within the model,
// and then returns a distance near its end. The method is Newton's, in a bracket.
func (l *lens) contract(seen float64) (d float64, ok bool) {
	// If the model is clear up to high = 1.5*seen, high serves as well as the end, which takes longer
	// to find. There stretch(d) >= d*(1 - 0.33*q) and growth >= 1 - 0.99*q, where q is the square of
	// d/high, so that stretch(high) > seen, and as long as stretch(d) <= seen, steps from seen do not
	// lead beyond 0.95*high. The first d with stretch(d) > seen replaces high.
	high := float64(1.5 * seen)
	if !l.clear(float64(high*high)) || high >= math.Pi && l.Model == KannalaBrandt {
		high = l.limit()
		if at, _ := l.stretch(high); !(at > seen) {
			return float64(high * (1 - 0x1p-20)), false
		}
	}
	low, limit := 0.0, high
	d = min(seen, high)
	for range 200 {
		at, growth := l.stretch(d)
		beyond := at - seen
		if beyond > 0 {
			high = d
		} else {
			low = d
		}
		next := d - beyond/growth
		if next == d {
			break
		}
		if !(next > low && next < high) {
			next = low + (high-low)/2
			if !(next > low && next < high) {
				break
			}
		}
		d = next
	}
	return d, d < limit
}

// straighten returns the place that a BrownConrady camera sees at x, y. It reports false if there is
// none within the model.
//
// The method is Newton's, with exact derivatives, starting from the solution without P1 and P2.
// Steps that lead out of the model or farther from x, y are shortened. It converges because the
// matrix of derivatives is symmetric and, within the model, positive definite.
func (l *lens) straighten(x, y float64) (u, v float64, ok bool) {
	seen := math.Sqrt(float64(x*x) + float64(y*y))
	if !(seen < far) {
		return 0, 0, false
	}
	if l.undistorted() {
		return x, y, true
	}
	if seen > 0 {
		d, _ := l.contract(seen)
		scale := d / seen
		u, v = float64(x*scale), float64(y*scale)
	}
	atX, atY := l.bend(u, v)
	dx, dy := x-atX, y-atY
	missing := math.Abs(dx) + math.Abs(dy)
	for range 100 {
		if missing == 0 {
			break // nothing is less
		}
		xu, xv, yv := l.slopes(u, v)
		determinant := float64(xu*yv) - float64(xv*xv)
		du, dv := (float64(yv*dx)-float64(xv*dy))/determinant, (float64(xu*dy)-float64(xv*dx))/determinant
		closer := false
		for step := 1.0; step > 1e-6 && !closer; step /= 2 {
			nextU, nextV := u+float64(step*du), v+float64(step*dv)
			if nextU == u && nextV == v {
				break // shorter steps lead there, too
			}
			atX, atY := l.bend(nextU, nextV)
			nextX, nextY := x-atX, y-atY
			rest := math.Abs(nextX) + math.Abs(nextY)
			if closer = rest < missing && l.inside(float64(nextU*nextU)+float64(nextV*nextV)); closer {
				u, v, dx, dy, missing = nextU, nextV, nextX, nextY, rest
			}
		}
		if !closer {
			break
		}
	}
	size := math.Abs(x) + math.Abs(y) + math.Abs(u) + math.Abs(v)
	if !(missing <= 0x1p-44*size && l.inside(float64(u*u)+float64(v*v))) {
		return 0, 0, false
	}
	return u, v, true
}
