package geometry

import (
	"runtime"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
)

// TestReleased checks that estimates keep nothing that belongs to the caller.
func TestReleased(t *testing.T) {
	e := newEstimator(t, Options{})
	imagetest.RequireReleased(t, func(m imagetest.Memory) {
		g := recipe{Kind: Homography, Seed: 3, N: 200, Permille: 600, Sigma: 600, Distances: true}
		p, _ := g.make()
		inliers := make([]bool, len(p.a))
		if _, err := e.Estimate(p.a, p.b, p.distances, inliers); err != nil {
			t.Error(err)
		}
		LeastSquares(Homography, p.a, p.b)
		imagetest.Watch(m, "points of A", &p.a[0])
		imagetest.Watch(m, "points of B", &p.b[0])
		imagetest.Watch(m, "distances", &p.distances[0])
		imagetest.Watch(m, "inliers", &inliers[0])
	})
	runtime.KeepAlive(e)
}
