package degrees_test

import (
	"math"
	"testing"

	"github.com/fastcorners/fast/internal/degrees"
	"github.com/stretchr/testify/require"
)

// TestNormalize checks angles at both ends of the range, beyond them, and that are none.
func TestNormalize(t *testing.T) {
	for angle, want := range map[float32]float32{
		0: 0, 12.5: 12.5, 360: 360, 361: 1, 720: 0, 725.5: 5.5, -1: 359, -360: 0, -450: 270,
		-1e-30:          360, // the nearest float32
		math.MaxFloat32: float32(math.Mod(math.MaxFloat32, 360)),
	} {
		got := degrees.Normalize(angle)
		require.Equal(t, want, got, "%v", angle)
		require.True(t, got >= 0 && got <= 360, "%v", angle)
	}
	for _, angle := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.True(t, math.IsNaN(float64(degrees.Normalize(float32(angle)))), "%v", angle)
	}
}
