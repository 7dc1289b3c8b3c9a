package main

import (
	"flag"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/examples/internal/scene"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

var long = flag.Bool("long", false, "find the ways through whole scenes of full size")

// way is the way that was found through the first frames of a scene, and the true one.
type way struct{ found, truth []pose.Vector }

func follow(t *testing.T, name string, c camera.Camera, size image.Point, seed uint64, frames int) (w way) {
	s, err := scene.New(name, c, size, seed)
	require.NoError(t, err)
	s.Frames = frames
	o, err := newOdometry(c)
	require.NoError(t, err)
	n := 0
	for frame := range s.All() {
		if p, ok := o.Push(frame); ok {
			w.found = append(w.found, p.Center())
			w.truth = append(w.truth, s.Pose(n).Mul(s.Pose(0).Inverse()).Center())
		}
		n++
	}
	require.NotEmpty(t, w.found)
	w.found = align(w.found, w.truth)
	t.Logf("%s %d: %d of %d, %.1f meters, drift %.2f%%, deviation %.2f%%",
		name, seed, len(w.found), frames, length(w.truth), 100*drift(w.found, w.truth), 100*deviation(w.found, w.truth))
	return w
}

// TestShortWays checks the ways through the first part of small scenes, of a camera with distortion.
// Each ends soon after what makes it difficult.
func TestShortWays(t *testing.T) {
	t.Chdir("../..")
	c := camera.Camera{Fx: 225, Fy: 225, Cx: 159.5, Cy: 119.5, K1: -0.1}
	for _, test := range []struct {
		name   string
		frames int
		least  int // of the frames of which the way must be known
	}{
		{"corridor", 60, 45},
		{"shake", 60, 45},
		{"dark", 70, 50},
		{"turn", 210, 180},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.name != "corridor" {
				t.Skip("takes a second")
			}
			t.Parallel()
			w := follow(t, test.name, c, image.Pt(320, 240), 1, test.frames)
			require.GreaterOrEqual(t, len(w.found), test.least)
			require.Less(t, drift(w.found, w.truth), 0.01)
			require.Less(t, deviation(w.found, w.truth), 0.005)
		})
	}
}

// TestWays checks the ways through all scenes.
func TestWays(t *testing.T) {
	if !*long {
		t.Skip("takes minutes")
	}
	t.Chdir("../..")
	c := camera.Camera{Fx: 450, Fy: 450, Cx: 319.5, Cy: 239.5}
	for _, name := range scene.Names() {
		for seed := range uint64(5) {
			t.Run(fmt.Sprint(name, seed+1), func(t *testing.T) {
				t.Parallel()
				w := follow(t, name, c, image.Pt(640, 480), seed+1, 300)
				require.GreaterOrEqual(t, len(w.found), 240)
				require.Less(t, drift(w.found, w.truth), 0.005)
			})
		}
	}
}

// TestUndeform checks that features of a picture that is scaled and sheared are found where they
// are.
func TestUndeform(t *testing.T) {
	before := fast.Gray(pictures.Load("../../testdata/photos/camera_512x512.png"))
	back := warp.Affine{0.9, 0.04, 20, -0.03, 0.94, 18}
	warper, err := warp.New(warp.Options{})
	require.NoError(t, err)
	after := image.NewGray(before.Rect)
	warper.Gray(after, before, back)

	o, err := newOdometry(camera.Camera{Fx: 500, Fy: 500, Cx: 255.5, Cy: 255.5})
	require.NoError(t, err)
	o.Push(before)
	frame := o.tracker.PyramidInto(o.spare, after)
	o.follow(frame)
	o.confirm(frame)
	median := func() float64 {
		var errors []float64
		for i, track := range o.tracks {
			if track.Found() {
				x := back[0]*o.b[i].X + back[1]*o.b[i].Y + back[2]
				y := back[3]*o.b[i].X + back[4]*o.b[i].Y + back[5]
				errors = append(errors, math.Hypot(x-o.a[i].X, y-o.a[i].Y))
			}
		}
		require.Greater(t, len(errors), 100)
		slices.Sort(errors)
		return errors[len(errors)/2]
	}
	deformed := median()
	o.undeform()
	t.Logf("median error %.3f pixels, before %.3f", median(), deformed)
	require.Less(t, median(), deformed/2)
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
	require.Equal(t, camera.Camera{Fx: 500, Fy: 510, Cx: 320, Cy: 240, K1: -0.1}, c)
	name := filepath.Join(t.TempDir(), "camera.json")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, camera.Info{Camera: c}.WriteJSON(f))
	require.NoError(t, f.Close())
	read, err := parseCamera(name)
	require.NoError(t, err)
	require.Equal(t, c, read)
	for _, bad := range []string{"", "none.yaml", "500,500,320", "500,500,320,x", "0,500,320,240", "1,1,1,1,1,1,1,1,1,1"} {
		_, err := parseCamera(bad)
		require.Error(t, err, bad)
	}
}
