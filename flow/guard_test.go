package flow_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or beyond
// the last one.
func TestGuardPages(t *testing.T) {
	widths, heights := []int{1, 2, 9, 33, 70, 151}, []int{1, 3, 31, 60}
	if testing.Short() {
		widths, heights = []int{1, 33, 102}, []int{3, 60}
	}
	asmtest.RequireInBounds(t, widths, heights, func() func(img *image.Gray) {
		var trackers []*flow.Tracker
		for _, opts := range []flow.Options{
			{MinEigenvalue: -1},
			{Window: image.Pt(15, 15), Iterations: 3},
			{Window: image.Pt(5, 8), Iterations: 5},
			{Window: image.Pt(34, 3), Iterations: 5, RemoveMean: true},
		} {
			trackers = append(trackers, tracker(t, opts))
		}
		rng := rand.New(rand.NewPCG(3, 4))
		return func(img *image.Gray) {
			points := somePoints(rng, img.Rect, 40)
			for _, tr := range trackers {
				p := tr.Pyramid(img)
				tr.Track(p, p, points, somePoints(rng, img.Rect, len(points)))
			}
		}
	}, "flow")
}
