package calibrate

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

// posed returns a chessboard with squares of side 1 as a camera without distortion sees it.
func (s *rig) posed(p pose.Pose) chessboard {
	pattern := prints.Chessboard(s.columns, s.rows)
	first, next := pattern.Corner(1, 1), pattern.Corner(2, 1)
	unit := 1 / (next.X - first.X) // of the pattern, in squares
	seen := func(x, y, w float64) pose.Vector {
		v := pose.Pose{R: p.R, T: pose.Vector{w * p.T[0], w * p.T[1], w * p.T[2]}}.Apply(pose.Vector{x, y, 0})
		return pose.Vector{s.camera.Fx*v[0] + s.camera.Cx*v[2], s.camera.Fy*v[1] + s.camera.Cy*v[2], v[2]}
	}
	a, b, c := seen(unit, 0, 0), seen(0, unit, 0), seen(-unit*first.X, -unit*first.Y, 1)
	return chessboard{s.columns, s.rows, pattern, geometry.Transform{a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]}}
}

// TestWeights calibrates with photos half of which are blurred and noisy. With the deviations of their
// corners, the cameras are nearer to the true one.
func TestWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("to render takes seconds")
	}
	f, c := newFinder(t, FinderOptions{}), calibrator(t, Options{Distortion: -1})
	var with, without float64
	for trial := range int64(6) {
		s := newRig(trial)
		s.camera.K1, s.camera.K2, s.camera.P1, s.camera.P2 = 0, 0, 0, 0
		rng := rand.New(rand.NewPCG(uint64(trial), 9))
		var views, alike []View
		for len(views) < 8 {
			blur, noise := 0.7, 2.0
			if len(views)%2 == 1 {
				blur, noise = 2.5, 6
			}
			img := scene(webcamSize.X, webcamSize.Y, blur, noise, prints.Ink{Black: 30, White: 140}, rng.Uint64(), s.posed(s.pose()))
			b, err := f.FindOne(img)
			if err != nil || !b.Complete() {
				continue
			}
			v := b.View(1)
			views = append(views, v)
			v.Deviations = nil
			alike = append(alike, v)
		}
		for views, sum := range map[*[]View]*float64{&views: &with, &alike: &without} {
			found, err := c.Calibrate(webcamSize, *views)
			require.NoError(t, err)
			d := Difference(found.Camera, s.camera, webcamSize)
			*sum += d * d
		}
	}
	t.Logf("mean squares %v with deviations, %v without", with/6, without/6)
	require.Less(t, with, without/4)
}
