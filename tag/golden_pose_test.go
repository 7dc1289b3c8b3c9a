package tag

import (
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// TestGoldenPoses compares poses with those of the prototype, which refined two starts of its own.
// It did not always reach the second minimum as exactly.
func TestGoldenPoses(t *testing.T) {
	count := 0
	for _, g := range goldens(t) {
		size := g.image.Rect.Size()
		c := camera.Camera{Fx: g.Focal, Fy: g.Focal, Cx: float64(size.X-1) / 2, Cy: float64(size.Y-1) / 2}
		for _, want := range g.Tags {
			count++
			got, ok := Tag{Corners: points(want.Corners), Noise: float64(want.Noise)}.Pose(c, 1)
			require.True(t, ok)
			requirePose(t, want.Pose, got.Pose, 1e-6)
			requirePose(t, want.Other, got.Other, 1e-5)
			require.InDelta(t, float64(want.Error), got.Error, 1e-9)
			require.InDelta(t, float64(want.Second), got.OtherError, 1e-9)
			require.Equal(t, want.Ambiguous, got.Ambiguous)
		}
	}
	require.Greater(t, count, 70)
}

// requirePose compares a pose with the elements of a rotation and a translation.
func requirePose(t *testing.T, want []number, got pose.Pose, delta float64) {
	for i, v := range append(got.R[:], got.T[:]...) {
		require.InDelta(t, float64(want[i]), v, delta)
	}
}
