package geometry

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHorizon checks the signs of homographies of a road that is seen by a camera: its horizon is at y
// = 318, so that the pixel 0, 0 shows the sky. W is positive at all points of the road nevertheless.
func TestHorizon(t *testing.T) {
	road := []Point{{350, 500}, {930, 500}, {1280, 720}, {0, 720}}
	above := []Point{{0, 0}, {399, 0}, {399, 599}, {0, 599}}
	exact, ok := Exact(Homography, road, above)
	require.True(t, ok)
	require.Equal(t, -1.0, exact[8])
	least, ok := LeastSquares(Homography, road, above)
	require.True(t, ok)
	back, ok := exact.Inverse()
	require.True(t, ok)
	var a, b []Point
	for i := range 100 {
		q := Point{float64(i * 37 % 400), float64(i * 89 % 600)}
		a, b = append(a, back.Apply(q)), append(b, q)
	}
	fit, inliers, err := estimate(t, Options{}, pairs{a: a, b: b})
	require.NoError(t, err)
	require.NotContains(t, inliers, false)
	again, ok := back.Inverse()
	require.True(t, ok)
	for name, h := range map[string]Transform{"Exact": exact, "LeastSquares": least, "Estimate": fit.Transform, "Inverse": again, "Mul": exact.Mul(Identity())} {
		for i, p := range road {
			require.Positive(t, h.row(6, p), name)
			require.Positive(t, back.row(6, above[i]), name)
			require.InDelta(t, above[i].X, h.Apply(p).X, 1e-6, name)
			require.InDelta(t, above[i].Y, h.Apply(p).Y, 1e-6, name)
		}
		require.Negative(t, h.row(6, Point{}), name)
		r, ok := h.Bounds(image.Rect(350, 500, 931, 721))
		require.True(t, ok, name)
		require.True(t, image.Rect(0, 0, 400, 600).In(r.Inset(-1)), "%s: %v", name, r)
		_, ok = h.Bounds(image.Rect(0, 0, 1280, 300))
		require.False(t, ok, name)
	}

	// The sign of a W that is the same everywhere means nothing.
	minus := Transform{0: -1, 4: -1, 8: -1}
	r, ok := minus.Bounds(image.Rect(0, 0, 3, 3))
	require.True(t, ok)
	require.Equal(t, image.Rect(0, 0, 3, 3), r)
	aff, ok := minus.Aff3()
	require.True(t, ok)
	require.Equal(t, [6]float64{0: 1, 4: 1}, aff)

	// The horizon goes through the pixel 0, 0.
	a = []Point{{320, 512}, {960, 512}, {0, 1024}, {1280, 1024}}
	b = []Point{{0, 0}, {1280, 0}, {0, 1024}, {1280, 1024}}
	h, ok := Exact(Homography, a, b)
	require.True(t, ok)
	require.Zero(t, h[8])
	for i, p := range a {
		require.Equal(t, b[i], h.Apply(p))
	}
}
