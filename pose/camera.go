package pose

import (
	"math"
	"slices"

	"github.com/fastcorners/fast/geometry"
)

// A Camera describes how a camera projects points to pixels: its focal lengths and principal point,
// in pixels, and OpenCV's distortion coefficients. It has the fields of a warp.Lens, so one can be
// converted to the other. The x axis points to the right and y down, and the centers of pixels have
// integer coordinates.
//
// Its methods panic if Fx or Fy is not positive or any field is not finite.
type Camera struct{ Fx, Fy, Cx, Cy, K1, K2, P1, P2, K3 float64 }

// check panics unless the camera is one.
func (c *Camera) check() {
	for _, v := range [...]float64{c.Fx, c.Fy, c.Cx, c.Cy, c.K1, c.K2, c.P1, c.P2, c.K3} {
		if !(math.Abs(v) <= math.MaxFloat64) { // NaN is not, either
			panic("pose: Camera with a field that is not finite")
		}
	}
	if !(c.Fx > 0 && c.Fy > 0) {
		panic("pose: Camera with a focal length that is not more than 0")
	}
}

// Ray returns the point at which the ray of pixel p meets the plane at depth 1, without distortion.
// It reports false if there is no such ray: p is not finite, or lies beyond the point where the
// distortion folds back. Just before such a fold, it may miss a ray that exists.
func (c Camera) Ray(p geometry.Point) (x, y float64, ok bool) {
	c.check()
	return c.ray(p)
}

// ray is Ray without the check.
func (c *Camera) ray(p geometry.Point) (x, y float64, ok bool) {
	u, v := (p.X-c.Cx)/c.Fx, (p.Y-c.Cy)/c.Fy
	if c.K1 == 0 && c.K2 == 0 && c.P1 == 0 && c.P2 == 0 && c.K3 == 0 {
		return u, v, math.Abs(u) <= math.MaxFloat64 && math.Abs(v) <= math.MaxFloat64
	}
	if !(math.Abs(u) <= farthest && math.Abs(v) <= farthest) {
		return 0, 0, false
	}
	// Newton's method, from the distorted place, with shorter steps where they lead too far.
	x, y = u, v
	for !c.grows(x, y) {
		x, y = x/2, y/2
	}
	for range 20 {
		du, dv, j := c.distort(x, y)
		ru, rv := u-du, v-dv
		det := float64(j[0]*j[3]) - float64(j[1]*j[2])
		if !(det > 0) {
			return 0, 0, false
		}
		dx := (float64(j[3]*ru) - float64(j[1]*rv)) / det
		dy := (float64(j[0]*rv) - float64(j[2]*ru)) / det
		if !(math.Abs(dx) <= math.MaxFloat64 && math.Abs(dy) <= math.MaxFloat64) {
			return 0, 0, false // so far out that products overflow
		}
		near := math.Abs(dx) <= 1e-14 && math.Abs(dy) <= 1e-14
		for !c.grows(x+dx, y+dy) {
			dx, dy = dx/2, dy/2
		}
		x += dx
		y += dy
		if near {
			return x, y, true
		}
	}
	du, dv, _ := c.distort(x, y)
	return x, y, math.Abs(du-u) <= 1e-9 && math.Abs(dv-v) <= 1e-9
}

// grows reports whether, without P1 and P2, distances from the axis appear the larger the larger
// they are, up to that of x, y: whether the distortion does not fold back before.
func (c *Camera) grows(x, y float64) bool {
	end := float64(x*x) + float64(y*y)
	if float64(end*(float64(3*math.Abs(c.K1))+float64(end*(float64(5*math.Abs(c.K2))+float64(end*7*math.Abs(c.K3)))))) < 1 {
		return true // no fold is so near to the axis
	}
	// The derivative of the distance that appears, a polynomial of the squared distance, is least
	// at the end or where its own derivative is 0.
	grows := func(r float64) bool {
		return !(r > 0 && r <= end) || 1+float64(r*(float64(3*c.K1)+float64(r*(float64(5*c.K2)+float64(r*7*c.K3))))) > 0
	}
	p, q, _ := quadratic(21*c.K3, 10*c.K2, 3*c.K1)
	return grows(end) && grows(p) && grows(q)
}

// Rays returns the rays of points: where each meets the plane at depth 1, without distortion. If a
// ray does not exist, its coordinates are NaN. Rays corresponds to OpenCV's undistortPoints.
func (c Camera) Rays(points []geometry.Point) []geometry.Point {
	return c.AppendRays(nil, points)
}

// AppendRays is like Rays but appends to dst. It does not allocate if dst has room.
func (c Camera) AppendRays(dst, points []geometry.Point) []geometry.Point {
	c.check()
	return c.appendRays(dst, points)
}

// appendRays is AppendRays without the check.
func (c *Camera) appendRays(dst, points []geometry.Point) []geometry.Point {
	dst = slices.Grow(dst, len(points))
	for _, p := range points {
		x, y, ok := c.ray(p)
		if !ok {
			x, y = math.NaN(), math.NaN()
		}
		dst = append(dst, geometry.Point{X: x, Y: y})
	}
	return dst
}

// sees reports whether a ray exists.
func sees(ray geometry.Point) bool { return ray.X == ray.X }

// Project returns the pixel at which the camera sees p, a point in the frame of the camera. It
// reports false if the point is not in front of the camera.
func (c Camera) Project(p Vector) (geometry.Point, bool) {
	c.check()
	if !(p[2] > 0) {
		return geometry.Point{}, false
	}
	u, v, _ := c.distort(p[0]/p[2], p[1]/p[2])
	return geometry.Point{X: float64(u*c.Fx) + c.Cx, Y: float64(v*c.Fy) + c.Cy}, true
}

// distort returns where a place in the plane at depth 1 appears, and the derivatives of that.
func (c *Camera) distort(x, y float64) (u, v float64, j [4]float64) {
	r := float64(x*x) + float64(y*y)
	radial := 1 + float64(r*(c.K1+float64(r*(c.K2+float64(r*c.K3)))))
	slope := c.K1 + float64(r*(float64(2*c.K2)+float64(r*3*c.K3))) // of radial, by r
	xy := float64(x * y)
	u = float64(x*radial) + float64(2*c.P1*xy) + float64(c.P2*(r+float64(2*x*x)))
	v = float64(y*radial) + float64(c.P1*(r+float64(2*y*y))) + float64(2*c.P2*xy)
	cross := float64(2*xy*slope) + float64(2*c.P1*x) + float64(2*c.P2*y)
	j = [4]float64{
		radial + float64(2*x*x*slope) + float64(2*c.P1*y) + float64(6*c.P2*x), cross,
		cross, radial + float64(2*y*y*slope) + float64(6*c.P1*y) + float64(2*c.P2*x),
	}
	return u, v, j
}

// focal returns the mean of the focal lengths.
func (c *Camera) focal() float64 { return (c.Fx + c.Fy) / 2 }
