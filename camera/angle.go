package camera

import "math"

// Package math computes angles, sines and cosines in different ways on different platforms. These
// functions do so in one way, with errors of less than 5e-16.

// arctangents are the angles whose tangents are i/16.
var arctangents = [17]float64{
	0, 0.06241880999595735, 0.12435499454676144, 0.18534794999569476, 0.24497866312686414,
	0.3028848683749714, 0.35877067027057225, 0.4124104415973873, 0.4636476090008061,
	0.5123894603107377, 0.5585993153435624, 0.6022873461349642, 0.6435011087932844,
	0.6823165548747481, 0.7188299996216245, 0.7531512809621944, 0.7853981633974483,
}

// angle returns the angle whose tangent is y/x, where y is not negative: 0 to pi.
func angle(y, x float64) float64 {
	a := math.Abs(x)
	var tangent float64
	switch {
	case y > a:
		tangent = a / y
	case a == 0:
		return 0
	default:
		tangent = y / a
	}
	i := int(float64(tangent*16) + .5)
	near := float64(i) / 16
	z := (tangent - near) / (1 + float64(tangent*near)) // the tangent of what is missing, up to 1/32
	m := float64(z * z)
	t := arctangents[i] + (z - float64(float64(z*m)*(1.0/3-float64(m*(1.0/5-float64(m*(1.0/7-float64(m*(1.0/9-float64(m*(1.0/11)))))))))))
	if y > a {
		t = math.Pi/2 - t
	}
	if x < 0 {
		t = math.Pi - t
	}
	return t
}

// sines are those of i*pi/16.
var sines = [9]float64{
	0, 0.19509032201612825, 0.3826834323650898, 0.5555702330196022, 0.7071067811865476,
	0.8314696123025452, 0.9238795325112867, 0.9807852804032304, 1,
}

// sincos returns the sine and the cosine of an angle of 0 to pi.
func sincos(t float64) (sin, cos float64) {
	obtuse := t > math.Pi/2
	if obtuse {
		t = math.Pi - t
	}
	i := int(float64(t*(16/math.Pi)) + .5)
	z := t - float64(float64(i)*(math.Pi/16)) // up to pi/32
	m := float64(z * z)
	s := z - float64(float64(z*m)*(1.0/6-float64(m*(1.0/120-float64(m*(1.0/5040-float64(m*(1.0/362880))))))))
	c := 1 - float64(m*(.5-float64(m*(1.0/24-float64(m*(1.0/720-float64(m*(1.0/40320-float64(m*(1.0/3628800))))))))))
	sin = float64(sines[i]*c) + float64(sines[8-i]*s)
	cos = float64(sines[8-i]*c) - float64(sines[i]*s)
	if obtuse {
		cos = -cos
	}
	return sin, cos
}
