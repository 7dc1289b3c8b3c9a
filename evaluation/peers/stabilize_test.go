package peers

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/stabilize"
	"github.com/stretchr/testify/require"
)

// TestStabilized checks that a shaken video moves much less after package stabilize and after
// OpenCV have had it.
func TestStabilized(t *testing.T) {
	peers := openPeers(t)
	photo := readPhotos(t)[1]
	v := NewShaken(photo, image.Pt(240, 180), 24, stabilize.Options{SmoothingRadius: 8, Points: 150})
	moved := func(v *Video) float64 {
		sum := 0.
		for _, m := range Motions(v)[1:] {
			sum += math.Hypot(m.DX, m.DY)
		}
		return sum / float64(len(v.Frames)-1)
	}
	theirs, parts := peers.Stabilized(v)
	before, ours, other := moved(v), moved(Stabilized(v)), moved(theirs)
	t.Logf("before %.2f, package stabilize %.2f, OpenCV %.2f", before, ours, other)
	require.Greater(t, before, 6.)
	require.Less(t, ours, before/4)
	require.Less(t, other, before/4)
	for _, seconds := range parts {
		require.Positive(t, seconds)
	}
}
