package scene

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// TestFrame checks that points of the end of the corridor have the same gray values wherever the
// camera is, and that other points of it have not.
func TestFrame(t *testing.T) {
	t.Chdir("../../..")
	c := camera.Camera{Fx: 800, Fy: 780, Cx: 159.5, Cy: 119.5, K1: -0.2}
	s, err := New("corridor", c, image.Pt(320, 240), 3)
	require.NoError(t, err)
	s.Noise = 1
	a, b := s.Frame(10), s.Frame(40)
	var same, other, n float64
	for x := -0.8; x <= 0.8; x += 0.05 {
		for y := -0.6; y <= 0.6; y += 0.05 {
			see := func(img *image.Gray, frame int, x float64) float64 {
				p, ok := c.Project(s.Pose(frame).Apply(pose.Vector{x, y, s.max[2]}))
				require.True(t, ok)
				require.True(t, p.Pt().In(img.Rect))
				return float64(img.GrayAt(p.Pt().X, p.Pt().Y).Y)
			}
			same += math.Abs(see(a, 10, x) - see(b, 40, x))
			other += math.Abs(see(a, 10, x) - see(b, 40, -x))
			n++
		}
	}
	require.Less(t, same/n, 8.0)
	require.Greater(t, other/n, 4*same/n)
}

// TestDark checks that dark frames have nothing but noise.
func TestDark(t *testing.T) {
	t.Chdir("../../..")
	s, err := New("dark", camera.Camera{Fx: 30, Fy: 30, Cx: 20, Cy: 15}, image.Pt(40, 30), 1)
	require.NoError(t, err)
	brightest := func(frame int) (v uint8) {
		for _, p := range s.Frame(frame).Pix {
			v = max(v, p)
		}
		return v
	}
	require.Greater(t, brightest(54), uint8(100))
	require.Less(t, brightest(55), uint8(20))
	require.Greater(t, brightest(60), uint8(100))
}

// TestShake checks that a jolt blurs frames.
func TestShake(t *testing.T) {
	t.Chdir("../../..")
	c := camera.Camera{Fx: 400, Fy: 400, Cx: 79.5, Cy: 59.5}
	s, err := New("shake", c, image.Pt(160, 120), 1)
	require.NoError(t, err)
	s.Noise = 0
	slope := func(frame int) (sum int) {
		img := s.Frame(frame)
		for i, v := range img.Pix[img.Stride:] {
			d := int(v) - int(img.Pix[i])
			sum += d * d
		}
		return sum
	}
	require.Equal(t, 3, s.moments(30))
	require.Greater(t, s.moments(46), 4)
	require.Less(t, 2*slope(46), slope(30))
	require.Less(t, 2*slope(46), slope(60))
}

func TestNames(t *testing.T) {
	t.Chdir("../../..")
	for _, name := range Names() {
		s, err := New(name, camera.Camera{Fx: 30, Fy: 30, Cx: 20, Cy: 15}, image.Pt(40, 30), 1)
		require.NoError(t, err)
		for i := range s.Frames {
			c := s.Pose(i).Center()
			for k := range c {
				require.Greater(t, c[k], s.min[k]+1, "%s %d", name, i)
				require.Less(t, c[k], s.max[k]-1, "%s %d", name, i)
			}
		}
	}
	_, err := New("kitchen", camera.Camera{Fx: 30, Fy: 30}, image.Pt(40, 30), 1)
	require.ErrorContains(t, err, "kitchen")
}
