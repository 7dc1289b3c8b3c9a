package peers

import (
	"image"
	"math"
	"slices"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// TestWarp checks that OpenCV makes the images that package warp makes, bit for bit, for all
// cases that are compared and all borders.
func TestWarp(t *testing.T) {
	peers := openPeers(t)
	in := MakeWarpInputs(flowPhotos(t)[:1])[0]
	w, h := 200, 140
	for i, c := range WarpCases() {
		transform := c.Transform(w, h)
		for mode := border.Constant; mode <= border.Transparent; mode++ {
			opts := c.Options
			opts.Border, opts.Value = mode, [4]uint8{50, 60, 70, 80}
			r := image.Rect(0, 0, w, h)
			gray, color := image.NewGray(r), image.NewRGBA(r)
			peers.Warp(opts, GrayPixels(gray), GrayPixels(in.Gray), transform)
			peers.Warp(opts, ColorPixels(color), ColorPixels(in.Color), transform)
			for _, set := range cpu.InstructionSets(WarpPackages...) {
				restore := cpu.Limit(set.Set)
				made := Must(warp.New(opts))
				ours, colors := image.NewGray(r), image.NewRGBA(r)
				made.Gray(ours, in.Gray, transform)
				made.RGBA(colors, in.Color, transform)
				restore()
				require.Equal(t, gray.Pix, ours.Pix, "%s, case %d, %v", set.Name, i, mode)
				require.Equal(t, color.Pix, colors.Pix, "%s, case %d, %v, four channels", set.Name, i, mode)
			}
		}
	}
}

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
		warp.Lens
	}{
		{"none", warp.Lens{Fx: 1000, Fy: 1000, Cx: 959.5, Cy: 539.5}},
		{"weak barrel", warp.Lens{Fx: 1400, Fy: 1400, Cx: 959.5, Cy: 539.5, K1: -0.1, K2: 0.02, P1: 0.0005, P2: -0.0003}},
		{"barrel", warp.Lens{Fx: 1000, Fy: 1000, Cx: 959.5, Cy: 539.5, K1: -0.25, K2: 0.07, P1: 0.0005, P2: -0.0003}},
		{"action camera", warp.Lens{Fx: 880, Fy: 880, Cx: 959.5, Cy: 539.5, K1: -0.27, K2: 0.11, P1: -0.0003, P2: 0.0002, K3: -0.023}},
		{"strong barrel", warp.Lens{Fx: 900, Fy: 900, Cx: 959.5, Cy: 539.5, K1: -0.35, K2: 0.15, K3: -0.03}},
		{"pincushion", warp.Lens{Fx: 1500, Fy: 1500, Cx: 959.5, Cy: 539.5, K1: 0.2, K2: 0.05, P1: -0.001, P2: 0.001}},
		{"strong pincushion", warp.Lens{Fx: 900, Fy: 900, Cx: 959.5, Cy: 539.5, K1: 0.4, K2: 0.2}},
		{"tangential", warp.Lens{Fx: 1000, Fy: 1000, Cx: 959.5, Cy: 539.5, K1: -0.1, P1: 0.01, P2: -0.01}},
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
		peers.Undistort(l.Lens, theirs)
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

// TestWarpTests checks that all tests of package warp have a peer and begin with this library.
func TestWarpTests(t *testing.T) {
	peers := openPeers(t)
	in := MakeWarpInputs(flowPhotos(t)[:1])[0]
	size := in.Gray.Rect.Size()
	c := WarpCases()[0]
	for _, test := range c.Tests(peers, size.X, size.Y) {
		require.False(t, test.contenders[0].peer)
		require.True(t, test.contenders[len(test.contenders)-1].peer)
		for _, c := range test.contenders {
			c.do(in)
		}
	}
}
