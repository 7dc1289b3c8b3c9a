package camera

import "github.com/fastcorners/fast/geometry"

// The functions of this package that compute coordinates use + - * / and math.Sqrt only, and round
// every result: products that are added are converted, so that no compiler fuses the two. That makes
// the results the same on every platform.

// normalized returns pixel p in focal lengths from the principal point.
func (c *Camera) normalized(p geometry.Point) (x, y float64) {
	return (p.X - c.Cx) / c.Fx, (p.Y - c.Cy) / c.Fy
}

// pixel is the inverse of normalized.
func (c *Camera) pixel(x, y float64) geometry.Point {
	return geometry.Point{X: float64(c.Fx*x) + c.Cx, Y: float64(c.Fy*y) + c.Cy}
}

// rational reports whether the factor of BrownConrady has a denominator.
func (c *Camera) rational() bool { return c.K4 != 0 || c.K5 != 0 || c.K6 != 0 }

// undistorted reports whether a BrownConrady camera has no distortion.
func (c *Camera) undistorted() bool {
	return c.K1 == 0 && c.K2 == 0 && c.P1 == 0 && c.P2 == 0 && c.K3 == 0 && !c.rational()
}

// factor returns the factor of the radial distortion at a squared distance from the axis, and its
// denominator.
func (c *Camera) factor(s float64) (k, denominator float64) {
	k = 1 + float64(s*(c.K1+float64(s*(c.K2+float64(s*c.K3)))))
	if !c.rational() {
		return k, 1
	}
	denominator = 1 + float64(s*(c.K4+float64(s*(c.K5+float64(s*c.K6)))))
	return k / denominator, denominator
}

// slope returns the derivative by s of what factor returns.
func (c *Camera) slope(s, k, denominator float64) float64 {
	slope := c.K1 + float64(s*(float64(2*c.K2)+float64(s*float64(3*c.K3))))
	if !c.rational() {
		return slope
	}
	below := c.K4 + float64(s*(float64(2*c.K5)+float64(s*float64(3*c.K6))))
	return (slope - float64(k*below)) / denominator
}

// bend returns the place at which a BrownConrady camera sees u, v.
func (c *Camera) bend(u, v float64) (x, y float64) {
	uu, vv := float64(u*u), float64(v*v)
	s := uu + vv
	k, _ := c.factor(s)
	x = float64(u*k) + float64(float64(float64(c.P1*2)*u)*v) + float64(c.P2*(s+float64(2*uu)))
	y = float64(v*k) + float64(c.P1*(s+float64(2*vv))) + float64(float64(float64(c.P2*2)*u)*v)
	return x, y
}

// slopes returns the derivatives of bend: x by u, x by v, which is also y by u, and y by v.
func (c *Camera) slopes(u, v float64) (xu, xv, yv float64) {
	uu, vv := float64(u*u), float64(v*v)
	s := uu + vv
	k, denominator := c.factor(s)
	twice := 2 * c.slope(s, k, denominator)
	xu = k + float64(uu*twice) + float64(2*c.P1*v) + float64(6*c.P2*u)
	xv = float64(float64(u*v)*twice) + float64(2*c.P1*u) + float64(2*c.P2*v)
	yv = k + float64(vv*twice) + float64(6*c.P1*v) + float64(2*c.P2*u)
	return xu, xv, yv
}

// stretch returns the distance at which a point at distance d from the axis is seen, without P1 and
// P2, and the rate at which that grows. For KannalaBrandt, d is an angle.
func (c *Camera) stretch(d float64) (seen, growth float64) {
	s := float64(d * d)
	if c.Model == KannalaBrandt {
		seen = float64(d * (1 + float64(s*(c.K1+float64(s*(c.K2+float64(s*(c.K3+float64(s*c.K4)))))))))
		growth = 1 + float64(s*(float64(3*c.K1)+float64(s*(float64(5*c.K2)+float64(s*(float64(7*c.K3)+float64(s*float64(9*c.K4))))))))
		return seen, growth
	}
	k, denominator := c.factor(s)
	return float64(d * k), k + float64(2*s*c.slope(s, k, denominator))
}
