package camera_test

import (
	"math"
	"math/rand/v2"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
)

// An oracle computes what a Camera should, step by step as the package is defined, without what makes
// it fast. Products that are added are converted, so that they are rounded on every platform.
type oracle struct {
	camera.Camera
	end float64
}

// newOracle returns the oracle of a camera, whose end is tested elsewhere.
func newOracle(c camera.Camera) oracle { return oracle{c, c.End()} }

// radial returns the factor of the radial distortion and its derivative.
func (o *oracle) radial(s float64) (k, slope float64) {
	n := 1 + float64(s*(o.K1+float64(s*(o.K2+float64(s*o.K3)))))
	slope = o.K1 + float64(s*(2*o.K2+float64(s*float64(3*o.K3))))
	if o.K4 == 0 && o.K5 == 0 && o.K6 == 0 {
		return n, slope
	}
	d := 1 + float64(s*(o.K4+float64(s*(o.K5+float64(s*o.K6)))))
	k = n / d
	return k, (slope - float64(k*(o.K4+float64(s*(2*o.K5+float64(s*float64(3*o.K6))))))) / d
}

func (o *oracle) bend(u, v float64) (x, y float64) {
	uu, vv := float64(u*u), float64(v*v)
	s := uu + vv
	k, _ := o.radial(s)
	x = float64(u*k) + float64(2*o.P1*u*v) + float64(o.P2*(s+float64(2*uu)))
	y = float64(v*k) + float64(o.P1*(s+float64(2*vv))) + float64(2*o.P2*u*v)
	return x, y
}

// f returns the distance at which a distance or an angle is seen, and its derivative.
func (o *oracle) f(d float64) (at, slope float64) {
	s := float64(d * d)
	if o.Model == camera.KannalaBrandt {
		at = float64(d * (1 + float64(s*(o.K1+float64(s*(o.K2+float64(s*(o.K3+float64(s*o.K4)))))))))
		return at, 1 + float64(s*(float64(3*o.K1)+float64(s*(float64(5*o.K2)+float64(s*(float64(7*o.K3)+float64(s*float64(9*o.K4))))))))
	}
	k, slope := o.radial(s)
	return float64(d * k), k + float64(2*s*slope)
}

func (o *oracle) project(p [3]float64) (geometry.Point, bool) {
	x, y, z := p[0], p[1], p[2]
	var at [2]float64
	if o.Model == camera.KannalaBrandt {
		r := math.Sqrt(float64(x*x) + float64(y*y))
		if !(r < 1e30 && math.Abs(z) < 1e30) || r == 0 && !(z > 0) {
			return geometry.Point{}, false
		}
		t := camera.Angle(r, z)
		if !(t < o.end) {
			return geometry.Point{}, false
		}
		if r == 0 {
			return geometry.Point{X: o.Cx, Y: o.Cy}, true
		}
		d, _ := o.f(t)
		at = [2]float64{float64(x * (d / r)), float64(y * (d / r))}
	} else {
		if !(z > 0 && !math.IsInf(z, 1)) {
			return geometry.Point{}, false
		}
		u, v := x/z, y/z
		if !(float64(u*u)+float64(v*v) < float64(o.end*o.end)) {
			return geometry.Point{}, false
		}
		at[0], at[1] = o.bend(u, v)
	}
	return geometry.Point{X: float64(o.Fx*at[0]) + o.Cx, Y: float64(o.Fy*at[1]) + o.Cy}, true
}

// contract inverts f, by Newton's method in a bracket that begins with the whole model.
func (o *oracle) contract(seen float64) (d float64, ok bool) {
	if at, _ := o.f(o.end); !(at > seen) {
		return float64(o.end * (1 - 0x1p-20)), false
	}
	low, high := 0.0, o.end
	d = min(seen, o.end)
	for range 200 {
		at, slope := o.f(d)
		beyond := at - seen
		if beyond > 0 {
			high = d
		} else {
			low = d
		}
		next := d - beyond/slope
		if next == d {
			break
		}
		if !(low < next && next < high) {
			next = low + (high-low)/2
			if !(low < next && next < high) {
				break
			}
		}
		d = next
	}
	return d, d < o.end
}

func (o *oracle) straighten(x, y float64) (u, v float64, ok bool) {
	seen := math.Sqrt(float64(x*x) + float64(y*y))
	if !(seen < 1e30) {
		return 0, 0, false
	}
	if [8]float64{o.K1, o.K2, o.P1, o.P2, o.K3, o.K4, o.K5, o.K6} == [8]float64{} {
		return x, y, true
	}
	if seen > 0 {
		d, _ := o.contract(seen)
		u, v = float64(x*(d/seen)), float64(y*(d/seen))
	}
	inside := func(u, v float64) bool { return float64(u*u)+float64(v*v) < float64(o.end*o.end) }
	missing := func(u, v float64) (ex, ey, sum float64) {
		atX, atY := o.bend(u, v)
		ex, ey = x-atX, y-atY
		return ex, ey, math.Abs(ex) + math.Abs(ey)
	}
	ex, ey, sum := missing(u, v)
	for range 100 {
		k, slope := o.radial(float64(u*u) + float64(v*v))
		xu := k + float64(u*u*(2*slope)) + float64(2*o.P1*v) + float64(6*o.P2*u)
		xv := float64(u*v*(2*slope)) + float64(2*o.P1*u) + float64(2*o.P2*v)
		yv := k + float64(v*v*(2*slope)) + float64(6*o.P1*v) + float64(2*o.P2*u)
		det := float64(xu*yv) - float64(xv*xv)
		du, dv := (float64(yv*ex)-float64(xv*ey))/det, (float64(xu*ey)-float64(xv*ex))/det
		closer := false
		for step := 1.0; step > 1e-6 && !closer; step /= 2 {
			nu, nv := u+float64(step*du), v+float64(step*dv)
			nx, ny, rest := missing(nu, nv)
			if closer = inside(nu, nv) && rest < sum; closer {
				u, v, ex, ey, sum = nu, nv, nx, ny, rest
			}
		}
		if !closer {
			break
		}
	}
	return u, v, inside(u, v) && sum <= 0x1p-44*(math.Abs(x)+math.Abs(y)+math.Abs(u)+math.Abs(v))
}

func (o *oracle) bearing(p geometry.Point) (b [3]float64, ok bool) {
	x, y := (p.X-o.Cx)/o.Fx, (p.Y-o.Cy)/o.Fy
	if o.Model == camera.BrownConrady {
		u, v, ok := o.straighten(x, y)
		if !ok {
			return b, false
		}
		n := 1 / math.Sqrt(float64(u*u)+float64(v*v)+1)
		return [3]float64{float64(u * n), float64(v * n), n}, true
	}
	seen := math.Sqrt(float64(x*x) + float64(y*y))
	switch {
	case !(seen < 1e30):
		return b, false
	case seen == 0:
		return [3]float64{0, 0, 1}, true
	}
	t, ok := o.contract(seen)
	if !ok {
		return b, false
	}
	sin, cos := camera.Sincos(t)
	return [3]float64{float64(x * (sin / seen)), float64(y * (sin / seen)), cos}, true
}

func (o *oracle) ray(p geometry.Point) (x, y float64, ok bool) {
	if o.Model == camera.BrownConrady {
		return o.straighten((p.X-o.Cx)/o.Fx, (p.Y-o.Cy)/o.Fy)
	}
	b, ok := o.bearing(p)
	if !ok || !(b[2] > 0) {
		return 0, 0, false
	}
	return b[0] / b[2], b[1] / b[2], true
}

// randomCamera returns a camera of one of seven kinds, which may distort much.
func randomCamera(rng *rand.Rand) camera.Camera {
	about := func(v float64) float64 { return v * (2*rng.Float64() - 1) }
	f := 300 + 1500*rng.Float64()
	c := camera.Camera{Fx: f, Fy: f * (1 + about(0.05)), Cx: 960 + about(50), Cy: 540 + about(50)}
	switch rng.IntN(7) {
	case 0:
		c.K1 = about(0.6)
	case 1:
		c.K1, c.K2, c.K3 = about(0.6), about(0.4), about(0.2)
	case 2:
		c.K1, c.K2, c.P1, c.P2, c.K3 = about(0.6), about(0.4), about(0.02), about(0.02), about(0.2)
	case 3:
		c.P1, c.P2 = about(0.1), about(0.1)
	case 4:
		c.K1, c.K2, c.P1, c.P2, c.K3, c.K4, c.K5, c.K6 = about(1), about(0.4), about(0.01), about(0.01), about(0.1), about(1), about(0.4), about(0.1)
	case 5:
		c.Model, c.K1, c.K2, c.K3, c.K4 = camera.KannalaBrandt, about(0.1), about(0.05), about(0.02), about(0.005)
	case 6:
		c.Model, c.K1 = camera.KannalaBrandt, about(0.3)
	}
	return c
}
