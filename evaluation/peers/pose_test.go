package peers

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// TestPose checks that OpenCV finds the motion, the pose and the epipolar lines of exact pairs, and
// nothing where there is one pair.
func TestPose(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(1, 2))
	c := camera.Camera{Fx: 600, Fy: 610, Cx: 320, Cy: 240}
	truth := pose.FromQuaternion(math.Cos(.05), 0, math.Sin(.05), 0, pose.Vector{-.6, 0, .8})
	var world []pose.Vector
	var a, b []geometry.Point
	for range 50 {
		x := pose.Vector{4*rng.Float64() - 2, 3*rng.Float64() - 1.5, 4 + 4*rng.Float64()}
		p, _ := c.Project(x)
		q, _ := c.Project(truth.Apply(x))
		world, a, b = append(world, x), append(a, p), append(b, q)
	}
	for _, m := range Methods {
		for _, find := range []func(n int) (pose.Pose, bool){
			func(n int) (pose.Pose, bool) { return peers.Relative(m, 2, c, a[:n], b[:n]) },
			func(n int) (pose.Pose, bool) { return peers.Absolute(m, 2, c, world[:n], b[:n]) },
		} {
			got, ok := find(len(a))
			require.True(t, ok)
			require.InDeltaSlice(t, truth.R[:], got.R[:], 1e-3, "%v", m)
			require.InDeltaSlice(t, truth.T[:], got.T[:], 1e-3, "%v", m)
			_, ok = find(1)
			require.False(t, ok)
		}
		f, ok := peers.Fundamental(m, 2, a, b)
		require.True(t, ok)
		for i, p := range a {
			require.Less(t, math.Abs(b[i].Y-lineAt(f, p, b[i].X)), .1, "%v", m)
		}
		_, ok = peers.Fundamental(m, 2, a[:1], b[:1])
		require.False(t, ok)
	}
}

// TestSolve checks that OpenCV finds the pose of exact corners of a card by each PnP, both of them by
// those that have two, and none of two corners.
func TestSolve(t *testing.T) {
	peers := openPeers(t)
	c := camera.Camera{Fx: 800, Fy: 810, Cx: 640, Cy: 360}
	truth := pose.FromQuaternion(1, .3, .2, .1, pose.Vector{.02, -.01, .4})
	card := []pose.Vector{{-.05, .05, 0}, {.05, .05, 0}, {.05, -.05, 0}, {-.05, -.05, 0}}
	var image []geometry.Point
	for _, x := range card {
		p, _ := c.Project(truth.Apply(x))
		image = append(image, p)
	}
	for _, m := range PnPs {
		found := peers.Solve(m, c, card, image)
		require.NotEmpty(t, found, "%v", m)
		require.InDeltaSlice(t, truth.R[:], found[0].R[:], 1e-3, "%v", m)
		require.InDeltaSlice(t, truth.T[:], found[0].T[:], 1e-3, "%v", m)
		if m == IPPE || m == IPPELM {
			require.Len(t, found, 2)
		}
		require.Empty(t, peers.Solve(m, c, card[:2], image[:2]), "%v", m)
	}
}

// lineAt returns y of the epipolar line of p at x.
func lineAt(f [9]float64, p geometry.Point, x float64) float64 {
	var l [3]float64
	for i := range l {
		l[i] = f[3*i]*p.X + f[3*i+1]*p.Y + f[3*i+2]
	}
	return -(l[0]*x + l[2]) / l[1]
}
