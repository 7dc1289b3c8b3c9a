package peers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// TestUndistort tells how far points of images of 1920 by 1080 pixels are from where they should
// be, after Undistort and after OpenCV's undistortPoints, and checks that those of Undistort are
// nowhere farther away than 1e-9 pixel. A point of an image without distortion is distorted, and
// counts if the camera sees it in its image.
func TestUndistort(t *testing.T) {
	peers := openPeers(t)
	const w, h = 1920, 1080
	beside := 0
	t.Log("lens: points; mean and largest error in pixels of Undistort; of OpenCV; OpenCV's beyond a pixel")
	for _, l := range []struct {
		name string
		camera.Camera
	}{
		{"none", camera.Camera{Fx: 1000, Fy: 1000, Cx: 959.5, Cy: 539.5}},
		{"weak barrel", camera.Camera{Fx: 1400, Fy: 1400, Cx: 959.5, Cy: 539.5, K1: -0.1, K2: 0.02, P1: 0.0005, P2: -0.0003}},
		{"barrel", camera.Camera{Fx: 1000, Fy: 1000, Cx: 959.5, Cy: 539.5, K1: -0.25, K2: 0.07, P1: 0.0005, P2: -0.0003}},
		{"action camera", camera.Camera{Fx: 880, Fy: 880, Cx: 959.5, Cy: 539.5, K1: -0.27, K2: 0.11, P1: -0.0003, P2: 0.0002, K3: -0.023}},
		{"strong barrel", camera.Camera{Fx: 900, Fy: 900, Cx: 959.5, Cy: 539.5, K1: -0.35, K2: 0.15, K3: -0.03}},
		{"pincushion", camera.Camera{Fx: 1500, Fy: 1500, Cx: 959.5, Cy: 539.5, K1: 0.2, K2: 0.05, P1: -0.001, P2: 0.001}},
		{"strong pincushion", camera.Camera{Fx: 900, Fy: 900, Cx: 959.5, Cy: 539.5, K1: 0.4, K2: 0.2}},
		{"tangential", camera.Camera{Fx: 1000, Fy: 1000, Cx: 959.5, Cy: 539.5, K1: -0.1, P1: 0.01, P2: -0.01}},
	} {
		var grid []geometry.Point
		for y := -1000.; y < 2000; y += 7 {
			for x := -1500.; x < 3500; x += 7 {
				grid = append(grid, geometry.Point{X: x, Y: y})
			}
		}
		distorted := make([]geometry.Point, len(grid))
		l.Distort(distorted, grid)
		var points, seen []geometry.Point
		for i, p := range distorted {
			if p.X >= 0 && p.X < w && p.Y >= 0 && p.Y < h {
				points, seen = append(points, grid[i]), append(seen, p)
			}
		}
		theirs := slices.Clone(seen)
		peers.Undistort(l.Camera, theirs)
		ours := make([]geometry.Point, len(seen))
		l.Undistort(ours, seen)
		var means, largest [2]float64
		far := 0
		for i, p := range points {
			for k, q := range []geometry.Point{ours[i], theirs[i]} {
				e := math.Hypot(q.X-p.X, q.Y-p.Y)
				means[k] += e / float64(len(points))
				largest[k] = max(largest[k], e)
				if k == 1 && e > 1 {
					far++
				}
			}
		}
		require.LessOrEqual(t, largest[0], 1e-9, l.name)
		require.GreaterOrEqual(t, largest[1]*1.000001+1e-12, largest[0], l.name)
		beside += far
		t.Logf("%-17s %6d; %.1e, %.1e; %.1e, %.1e; %d", l.name, len(points), means[0], largest[0], means[1], largest[1], far)
	}
	require.NotZero(t, beside)
}

// randomCamera returns a camera of one of four kinds for images of 640 by 480 pixels.
func randomCamera(rng *rand.Rand) camera.Camera {
	about := func(v float64) float64 { return v * (2*rng.Float64() - 1) }
	c := camera.Camera{Fx: 500 + about(200), Fy: 500 + about(200), Cx: 320 + about(30), Cy: 240 + about(30)}
	switch rng.IntN(4) {
	case 1:
		c.K1, c.K2, c.P1, c.P2, c.K3 = about(0.4), about(0.2), about(0.01), about(0.01), about(0.1)
	case 2:
		c.K1, c.K2, c.P1, c.P2, c.K3, c.K4, c.K5, c.K6 = about(1), about(0.4), about(0.01), about(0.01), about(0.1), about(0.6), about(0.2), about(0.1)
	case 3:
		c.Model, c.K1, c.K2, c.K3, c.K4 = camera.KannalaBrandt, about(0.1), about(0.05), about(0.02), about(0.005)
	}
	return c
}

// TestProject checks that projections are those of OpenCV up to rounding, to 1e-10 pixel in images.
func TestProject(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(1, 3))
	checked := 0
	for range 400 {
		c := randomCamera(rng)
		var points [][3]float64
		for range 100 {
			points = append(points, [3]float64{rng.NormFloat64(), rng.NormFloat64(), 1 + 2*rng.Float64()})
		}
		theirs := peers.Project(c, points)
		for i, p := range c.Projections(points) {
			if !(math.Hypot(p.X, p.Y) < 1e4) {
				continue // far outside, or beyond the end of the model, which OpenCV does not know
			}
			checked++
			require.InDelta(t, theirs[i].X, p.X, 1e-10, "%+v, %v", c, points[i])
			require.InDelta(t, theirs[i].Y, p.Y, 1e-10, "%+v, %v", c, points[i])
		}
	}
	require.Greater(t, checked, 30_000)
}

// TestRectify checks that maps between cameras are those of OpenCV up to rounding.
func TestRectify(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(1, 4))
	const w, h = 64, 48
	checked := 0
	for range 100 {
		from := randomCamera(rng)
		to := camera.Camera{Fx: 40 + 20*rng.Float64(), Fy: 50, Cx: 30, Cy: 25}
		// A turn about the y axis and one about the z axis.
		sinY, cosY := math.Sincos(0.6*rng.Float64() - 0.3)
		sinZ, cosZ := math.Sincos(0.6*rng.Float64() - 0.3)
		turn := [9]float64{cosZ * cosY, -sinZ, cosZ * sinY, sinZ * cosY, cosZ, sinZ * sinY, -sinY, 0, cosY}
		ours, theirs := warp.Rectification(from, to, turn, w, h), peers.Rectify(from, to, turn, w, h)
		for i, x := range ours.X {
			if x != x {
				continue
			}
			checked++
			size := max(1, math.Hypot(float64(x), float64(ours.Y[i]))/1e3)
			require.InDelta(t, theirs.X[i], x, 1e-3*size, "%+v, %d", from, i)
			require.InDelta(t, theirs.Y[i], ours.Y[i], 1e-3*size, "%+v, %d", from, i)
		}
	}
	require.Greater(t, checked, 200_000)
}
