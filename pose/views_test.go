package pose

import (
	"math/rand/v2"
	"testing"

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
			s.truth.T = s.truth.T.times(2)
			w := random.NormFloat64()
			world := FromQuaternion(1, w, 0.3, -w, Vector{1, 2, 3})
			views := []View{{s.camera, world.Inverse()}, {s.camera, s.truth.Mul(world.Inverse())}}
			for i := range s.a {
				want, ok := s.truth.Triangulate(s.camera, s.camera, s.a[i], s.b[i])
				got, same := Triangulate(views, []geometry.Point{s.a[i], s.b[i]})
				require.Equal(t, ok, same)
				if ok {
					want = world.Apply(want)
					require.Less(t, got.minus(want).norm(), c.tolerance*want.norm())
				}
			}
		}
	}
}
