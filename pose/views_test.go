package pose

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// TestTriangulateTwoViews checks that two views see the point that a Pose between them tells.
// That comes in two steps to its result, which differs from the least error by as much as noise
// makes it.
func TestTriangulateTwoViews(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct{ noise, tolerance float64 }{{0, 1e-11}, {0.1, 1e-9}, {0.7, 1e-6}} {
		for range 10 {
			s := newScene(random, 50, 1, c.noise)
			s.truth.T = s.truth.T.Scale(2)
			w := random.NormFloat64()
			world := FromQuaternion(1, w, 0.3, -w, Vector{1, 2, 3})
			views := []View{{s.camera, world.Inverse()}, {s.camera, s.truth.Mul(world.Inverse())}}
			for i := range s.a {
				want, ok := s.truth.Triangulate(s.camera, s.camera, s.a[i], s.b[i])
				got, same := Triangulate(views, []geometry.Point{s.a[i], s.b[i]})
				require.Equal(t, ok, same)
				if ok {
					want = world.Apply(want)
					require.Less(t, got.Sub(want).Norm(), c.tolerance*want.Norm())
				}
			}
		}
	}
}

// TestTriangulateLeast checks that no point nearby has a smaller sum of squared errors, which is
// computed from the definition, and that exact places lead to the point.
func TestTriangulateLeast(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 2))
	for _, noise := range []float64{0, 0.8} {
		w := newWindow(random, 7, 7, 60, 6, noise, 0)
		for i, truth := range w.truePoints {
			var views []View
			var places []geometry.Point
			for _, o := range w.observations {
				if o.Point == i {
					views, places = append(views, w.views[o.View]), append(places, o.At)
				}
			}
			got, ok := Triangulate(views, places)
			require.True(t, ok)
			if noise == 0 {
				require.Less(t, got.Sub(truth).Norm(), 1e-9*truth.Norm())
				continue
			}
			cost := func(p Vector) (sum float64) {
				for k, v := range views {
					x, y := undistorted(&v.Camera, places[k])
					q := v.Pose.Apply(p)
					dx, dy := v.Camera.Fx*q[0]/q[2]+v.Camera.Cx-x, v.Camera.Fy*q[1]/q[2]+v.Camera.Cy-y
					sum += dx*dx + dy*dy
				}
				return sum
			}
			least := cost(got)
			for _, far := range []float64{1e-5, 1e-3, 0.1, 1} {
				for range 20 {
					step := Vector{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
					require.Greater(t, cost(got.Add(step.Scale(far))), least)
				}
			}
			// The order of the views makes no difference.
			slices.Reverse(views)
			slices.Reverse(places)
			again, ok := Triangulate(views, places)
			require.True(t, ok)
			require.Less(t, again.Sub(got).Norm(), 1e-9*got.Norm())
		}
	}
}

// TestTriangulateRefuses checks where there is no point.
func TestTriangulateRefuses(t *testing.T) {
	c := camera.Camera{Fx: 500, Fy: 500, Cx: 320, Cy: 240, K1: -0.3}
	still := Identity().R
	at := func(x, y, z float64) View { return View{c, Pose{still, Vector{-x, -y, -z}}} }
	see := func(p Vector, views ...View) (places []geometry.Point) {
		for _, v := range views {
			at, _ := v.Camera.Project(v.Pose.Apply(p))
			places = append(places, at)
		}
		return places
	}
	refused := func(places []geometry.Point, views ...View) {
		t.Helper()
		p, ok := Triangulate(views, places)
		require.False(t, ok)
		require.Zero(t, p)
	}
	p := Vector{0.5, 0.2, 6}
	three := []View{at(0, 0, 0), at(1, 0, 0), at(0, 1, 1)}
	_, ok := Triangulate(three, see(p, three...))
	require.True(t, ok)
	refused(nil)
	refused(see(p, three[0]), three[0])
	// One center, and one direction.
	turned := View{c, FromQuaternion(1, 0, 0.1, 0, Vector{})}
	refused(see(p, three[0], turned), three[0], turned)
	refused(see(p, three[0], three[0], three[0]), three[0], three[0], three[0])
	ahead := Vector{0, 0, 9}
	refused(see(ahead, at(0, 0, 0), at(0, 0, 1)), at(0, 0, 0), at(0, 0, 1))
	far := Vector{1e16, 0, 1e17}
	refused(see(far, three...), three...)
	// Rays that meet behind the cameras.
	places := see(p, three[:2]...)
	refused([]geometry.Point{places[1], places[0]}, three[:2]...)
	// Behind the third camera, which sees the place on the other side.
	refused(append(places, geometry.Point{X: 320, Y: 240}), three[0], three[1], at(0, 0, 8))
	// No ray.
	refused(append(places, geometry.Point{X: 700, Y: 240}), three...)
	refused(append(places, geometry.Point{X: math.NaN()}), three...)

	require.PanicsWithValue(t, "pose: 3 views, but 2 points", func() { Triangulate(three, places) })
	require.PanicsWithValue(t, "pose: View with a Pose whose R is not a rotation", func() { Triangulate([]View{{Camera: c}, three[0]}, places) })
	require.PanicsWithValue(t, "camera: Fx is 0, not positive", func() { Triangulate([]View{{Pose: three[0].Pose}, three[0]}, places) })
}

func BenchmarkTriangulate(b *testing.B) {
	w := newWindow(rand.New(rand.NewPCG(3, 3)), 5, 5, 1, 5, 0.5, 0)
	views, places := make([]View, 0, 5), make([]geometry.Point, 0, 5)
	for _, o := range w.observations {
		views, places = append(views, w.views[o.View]), append(places, o.At)
	}
	for b.Loop() {
		Triangulate(views, places)
	}
}
