package camera

import (
	"math"

	"github.com/fastcorners/fast/geometry"
)

// Derivatives are a projection and how it changes.
type Derivatives struct {
	// Pixel is the projection.
	Pixel geometry.Point
	// Point has the derivatives of the pixel's X and Y by the coordinates of the point.
	Point [2][3]float64
	// Field has those by the fields of the camera in their order: Fx, Fy, Cx, Cy, K1, K2, P1, P2,
	// K3, K4, K5, K6.
	Field [2][12]float64
}

// Derivatives returns the projection of p, a point in the frame of the camera, and its derivatives.
// The projection is that of [Camera.Project], but also beyond the end of the model, so that a solver
// can pass through. Derivatives reports false if p is not in front of the camera or, for
// [KannalaBrandt], lies directly behind it, or if a coordinate is 1e30 or more or the pixel or a
// derivative by p is not finite.
func (c Camera) Derivatives(p [3]float64) (d Derivatives, ok bool) {
	c.check()
	if !(math.Abs(p[0]) < far && math.Abs(p[1]) < far && math.Abs(p[2]) < far) {
		return d, false
	}
	if c.Model == KannalaBrandt {
		r := math.Sqrt(float64(p[0]*p[0]) + float64(p[1]*p[1]))
		if r == 0 && !(p[2] > 0) {
			return d, false
		}
		c.deriveFisheye(&d, p, r)
		return d, d.finite()
	}
	if !(p[2] > 0) {
		return d, false
	}
	c.derive(&d, p)
	return d, d.finite()
}

// finite reports whether the pixel and its derivatives by the point are finite.
func (d *Derivatives) finite() bool {
	// v - v is 0, and NaN where v is not finite.
	sum := (d.Pixel.X - d.Pixel.X) + (d.Pixel.Y - d.Pixel.Y)
	for _, row := range d.Point {
		for _, v := range row {
			sum += v - v
		}
	}
	return sum == 0
}

// derive sets d for BrownConrady.
func (c *Camera) derive(d *Derivatives, p [3]float64) {
	u, v := p[0]/p[2], p[1]/p[2]
	x, y := c.bend(u, v)
	d.Pixel = c.pixel(x, y)

	xu, xv, yv := c.slopes(u, v)
	fx, fy := c.Fx/p[2], c.Fy/p[2]
	d.Point = [2][3]float64{
		{float64(fx * xu), float64(fx * xv), -float64(fx * (float64(xu*u) + float64(xv*v)))},
		{float64(fy * xv), float64(fy * yv), -float64(fy * (float64(xv*u) + float64(yv*v)))},
	}

	uu, vv, uv := float64(u*u), float64(v*v), float64(u*v)
	s := uu + vv
	ss := float64(s * s)
	sss := float64(ss * s)
	k, denominator := c.factor(s)
	// By the numerator of k, times Fx and Fy; the denominator makes k smaller, k times as much.
	nx, ny := float64(c.Fx*u)/denominator, float64(c.Fy*v)/denominator
	mx, my := -float64(nx*k), -float64(ny*k)
	d.Field = [2][12]float64{
		{
			x, 0, 1, 0, float64(nx * s), float64(nx * ss), float64(c.Fx * 2 * uv), float64(c.Fx * (s + float64(2*uu))),
			float64(nx * sss), float64(mx * s), float64(mx * ss), float64(mx * sss),
		},
		{
			0, y, 0, 1, float64(ny * s), float64(ny * ss), float64(c.Fy * (s + float64(2*vv))), float64(c.Fy * 2 * uv),
			float64(ny * sss), float64(my * s), float64(my * ss), float64(my * sss),
		},
	}
}

// deriveFisheye sets d for KannalaBrandt and a point whose distance from the axis is r.
func (c *Camera) deriveFisheye(d *Derivatives, p [3]float64, r float64) {
	t := angle(r, p[2])
	d.Pixel = c.fisheye(p, r, t)

	seen, growth := c.stretch(t)
	rr := float64(r * r)
	squared := rr + float64(p[2]*p[2])
	// The pixel is scale*(X, Y) in focal lengths; byZ is the derivative of scale by Z, and byR that
	// by r, divided by r. Near the axis, scale is 1/Z, and its change by r is lost in rounding.
	scale, byR, byZ := 1/p[2], 0.0, -1/squared
	if r > 1e-7*p[2] {
		scale = seen / r
		byR = (float64(growth*p[2])/squared - scale) / rr
		byZ = -growth / squared
	}
	xx, yy, xy := float64(float64(p[0]*p[0])*byR), float64(float64(p[1]*p[1])*byR), float64(float64(p[0]*p[1])*byR)
	d.Point = [2][3]float64{
		{float64(c.Fx * (scale + xx)), float64(c.Fx * xy), float64(c.Fx * float64(p[0]*byZ))},
		{float64(c.Fy * xy), float64(c.Fy * (scale + yy)), float64(c.Fy * float64(p[1]*byZ))},
	}

	q := float64(t * t)
	cubed := 0.0 // by r
	if r > 0 {
		cubed = float64(t*q) / r
	}
	gx, gy := float64(float64(c.Fx*p[0])*cubed), float64(float64(c.Fy*p[1])*cubed)
	q2 := float64(q * q)
	q3 := float64(q2 * q)
	d.Field = [2][12]float64{
		{float64(p[0] * scale), 0, 1, 0, gx, float64(gx * q), 0, 0, float64(gx * q2), float64(gx * q3), 0, 0},
		{0, float64(p[1] * scale), 0, 1, gy, float64(gy * q), 0, 0, float64(gy * q2), float64(gy * q3), 0, 0},
	}
}
