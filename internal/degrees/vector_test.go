package degrees_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/degrees"
	"github.com/stretchr/testify/require"
)

// TestDirection compares directions with the arc tangent.
func TestDirection(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	require.Zero(t, degrees.Direction(0, 0))
	for range 10_000 {
		x, y := rng.Int64N(200_001)-100_000, rng.Int64N(200_001)-100_000
		want := math.Atan2(float64(y), float64(x)) * 180 / math.Pi
		got := float64(degrees.Direction(x, y))
		require.GreaterOrEqual(t, got, 0.0)
		require.LessOrEqual(t, got, 360.0)
		require.InDelta(t, 0, math.Mod(got-want+540, 360)-180, 0.01, "%d,%d", x, y)
	}
}

// TestSinCos compares the polynomials with package math, whose errors are far
// smaller than a float32 tells.
func TestSinCos(t *testing.T) {
	differ := 0
	for i := range 360 * 64 {
		angle := float32(i) / 64
		sin, cos := degrees.SinCos(angle)
		r := float64(float32(angle * float32(math.Pi/180)))
		require.InDelta(t, math.Sin(r), sin, 6e-8)
		require.InDelta(t, math.Cos(r), cos, 6e-8)
		if sin != float32(math.Sin(r)) || cos != float32(math.Cos(r)) {
			differ++
		}
	}
	require.LessOrEqual(t, differ, 2) // of 23,040, were package math off by its last bit
}
