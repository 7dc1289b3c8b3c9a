// Package rotation has what packages that solve for poses do with rotation matrices, which are by rows.
// The results are the same on every platform.
package rotation

import "math"

// Cayley returns the rotation by the vector w, in radians, to the second order of w, as in Cayley's
// formula.
func Cayley(w [3]float64) [9]float64 {
	x, y, z := float64(w[0]*0.5), float64(w[1]*0.5), float64(w[2]*0.5)
	cc := float64(x*x) + float64(y*y) + float64(z*z)
	d := 1 / (1 + cc)
	return [9]float64{
		float64((1 - cc + float64(2*x*x)) * d), float64(2 * (float64(x*y) - z) * d), float64(2 * (float64(x*z) + y) * d),
		float64(2 * (float64(x*y) + z) * d), float64((1 - cc + float64(2*y*y)) * d), float64(2 * (float64(y*z) - x) * d),
		float64(2 * (float64(x*z) - y) * d), float64(2 * (float64(y*z) + x) * d), float64((1 - cc + float64(2*z*z)) * d),
	}
}

// Orthonormal returns the rotation that Gram and Schmidt's method makes of the first two rows.
func Orthonormal(m *[9]float64) [9]float64 {
	x, y, z, u, v, w := m[0], m[1], m[2], m[3], m[4], m[5]
	s := 1 / math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z))
	x, y, z = float64(x*s), float64(y*s), float64(z*s)
	d := float64(x*u) + float64(y*v) + float64(z*w)
	u, v, w = u-float64(x*d), v-float64(y*d), w-float64(z*d)
	s = 1 / math.Sqrt(float64(u*u)+float64(v*v)+float64(w*w))
	u, v, w = float64(u*s), float64(v*s), float64(w*s)
	return [9]float64{x, y, z, u, v, w, float64(y*w) - float64(z*v), float64(z*u) - float64(x*w), float64(x*v) - float64(y*u)}
}
