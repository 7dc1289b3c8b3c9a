package degrees

import "math"

// Direction returns the direction of a vector in degrees, 0 to 360, to within a third of a
// degree: OpenCV's fastAtan2.
func Direction(x, y int64) float32 {
	const (
		degrees = float32(180 / math.Pi)
		p1      = float32(0.9997878412794807) * degrees
		p3      = float32(-0.3258083974640975) * degrees
		p5      = float32(0.1555786518463281) * degrees
		p7      = float32(-0.04432655554792128) * degrees
	)
	ax, ay := float32(max(x, -x)), float32(max(y, -y))
	c := min(ax, ay) / (max(ax, ay) + 2.2204460e-16)
	c2 := float32(c * c)
	a := float32(p7 * c2)
	a = float32((a + p5) * c2)
	a = float32((a + p3) * c2)
	a = float32((a + p1) * c)
	if ay > ax {
		a = 90 - a
	}
	if x < 0 {
		a = 180 - a
	}
	if y < 0 {
		a = 360 - a
	}
	return a
}

// SinCos returns the sine and the cosine of an angle in degrees, 0 to 360, rounded to
// float32. Its polynomials are those of fdlibm. They give the same bits on every platform:
// unlike package math, SinCos has no other implementation anywhere, and no product is
// fused with an addition.
func SinCos(degrees float32) (sin, cos float32) {
	r := float64(float32(degrees * float32(math.Pi/180)))
	quarter := math.RoundToEven(float64(r * (2 / math.Pi)))
	t := r - float64(quarter*1.57079632673412561417e+00)
	t -= float64(quarter * 6.07710050650619224932e-11)
	z := float64(t * t)
	s := horner(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
		-1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)
	s = t + float64(float64(t*z)*s)
	c := horner(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
		2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02)
	c = 1 - float64(0.5*z) + float64(float64(z*z)*c)
	switch int(quarter) & 3 {
	case 1:
		s, c = c, -s
	case 2:
		s, c = -s, -c
	case 3:
		s, c = -c, s
	}
	return float32(s), float32(c)
}

// horner returns the value of a polynomial at z, the highest coefficient first.
func horner(z float64, coefficients ...float64) float64 {
	v := coefficients[0]
	for _, c := range coefficients[1:] {
		v = float64(v*z) + c
	}
	return v
}
