package main

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/examples/internal/scene"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// run finds the way through the first frames of a small scene. It returns what was found, in
// meters, and the truth of the same frames.
func run(t *testing.T, name string, frames int) (found, truth []pose.Vector) {
	camera := pose.Camera{Fx: 225, Fy: 225, Cx: 159.5, Cy: 119.5, K1: -0.1}
	s, err := scene.New(name, camera, image.Pt(320, 240), 1)
	require.NoError(t, err)
	s.Frames = frames
	o, err := newOdometry(camera)
	require.NoError(t, err)
	n := 0
	for frame := range s.All() {
		if p, ok := o.Push(frame); ok {
			found = append(found, p.Center())
			truth = append(truth, s.Pose(n).Mul(s.Pose(0).Inverse()).Center())
		}
		n++
	}
	require.NotEmpty(t, found)
	return align(found, truth), truth
}

// TestDrift checks the ways through small scenes, of a camera with distortion. Each ends soon after
// what makes it difficult.
func TestDrift(t *testing.T) {
	t.Chdir("../..")
	for _, test := range []struct {
		name   string
		frames int
		least  int // of the frames of which the way must be known
	}{
		{"corridor", 80, 60},
		{"dark", 80, 50},
		{"turn", 210, 180},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.name != "corridor" {
				t.Skip("takes a second")
			}
			t.Parallel()
			found, truth := run(t, test.name, test.frames)
			d, dev := drift(found, truth), deviation(found, truth)
			t.Logf("%d of %d, %.1f meters, drift %.2f%%, deviation %.2f%%", len(found), test.frames, length(truth), 100*d, 100*dev)
			require.GreaterOrEqual(t, len(found), test.least)
			require.Less(t, d, 0.03)
			require.Less(t, dev, 0.01)
		})
	}
}

// TestDeviation checks that a way that is turned, moved and scaled does not deviate, and by how
// much one does that has a wrong place.
func TestDeviation(t *testing.T) {
	turn := pose.FromQuaternion(1, 0.4, -0.7, 0.2, pose.Vector{3, 1, -8})
	var truth, found []pose.Vector
	for i := range 100 {
		x := float64(i) / 10
		p := pose.Vector{math.Sin(x), x * x / 50, math.Cos(x / 2)}
		q := turn.Apply(p)
		truth, found = append(truth, p), append(found, pose.Vector{5 * q[0], 5 * q[1], 5 * q[2]})
	}
	require.InDelta(t, 0, deviation(found, truth), 1e-6)
	found[50][1] += 0.5 // of the length of 0.1 in the truth: a root mean square of 0.01
	require.InEpsilon(t, 0.01/length(truth), deviation(found, truth), 0.05)
}

func TestParseCamera(t *testing.T) {
	c, err := parseCamera("500,510,320,240,-0.1")
	require.NoError(t, err)
	require.Equal(t, pose.Camera{Fx: 500, Fy: 510, Cx: 320, Cy: 240, K1: -0.1}, c)
	for _, bad := range []string{"", "500,500,320", "500,500,320,x", "0,500,320,240", "1,1,1,1,1,1,1,1,1,1"} {
		_, err := parseCamera(bad)
		require.Error(t, err, bad)
	}
}
