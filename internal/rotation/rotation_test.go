package rotation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCayley compares with rotations about an axis by twice the arc tangent of half the length.
func TestCayley(t *testing.T) {
	require.Equal(t, [9]float64{0: 1, 4: 1, 8: 1}, Cayley([3]float64{}))
	r := Cayley([3]float64{0, 0, 0.3})
	sin, cos := math.Sincos(2 * math.Atan(0.15))
	for i, want := range []float64{cos, -sin, 0, sin, cos, 0, 0, 0, 1} {
		require.InDelta(t, want, r[i], 1e-15)
	}
	r = Cayley([3]float64{0.4, -0.7, 1.1})
	again := Orthonormal(&r)
	for i := range r {
		require.InDelta(t, r[i], again[i], 1e-15)
	}
}

// TestOrthonormal checks that the rows of what it returns are orthonormal, and right-handed.
func TestOrthonormal(t *testing.T) {
	r := Orthonormal(&[9]float64{1, 2, 3, -2, 1, 0.5, 7, 7, 7})
	for i := range 3 {
		for k := range 3 {
			dot := r[3*i]*r[3*k] + r[3*i+1]*r[3*k+1] + r[3*i+2]*r[3*k+2]
			want := 0.0
			if i == k {
				want = 1
			}
			require.InDelta(t, want, dot, 1e-15)
		}
	}
	require.InDelta(t, 1, r[0]*(r[4]*r[8]-r[5]*r[7])-r[1]*(r[3]*r[8]-r[5]*r[6])+r[2]*(r[3]*r[7]-r[4]*r[6]), 1e-15)
	require.InDelta(t, 2*r[0], r[1], 1e-15)
}
