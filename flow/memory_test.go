package flow_test

import (
	"image"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/internal/test/imagetest"
)

// TestReleased checks that a Tracker keeps neither pixels nor points, and a Pyramid nothing of
// the image before.
func TestReleased(t *testing.T) {
	for _, opts := range []flow.Options{{}, {Levels: 2, Window: image.Pt(9, 14), Confirm: 0.1, RemoveMean: true}} {
		tr := tracker(t, opts)
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			a, b, points := moving(t)
			// Some windows are copies, since they reach beyond the image.
			points = append(points[:60:60], flow.Point{X: -3, Y: -2}, flow.Point{X: 448, Y: 299})
			pyramids := []*flow.Pyramid{tr.Pyramid(a), tr.Pyramid(b)}
			guesses := append([]flow.Point(nil), points...)
			tracks := tr.Track(pyramids[0], pyramids[1], points, guesses)
			imagetest.Watch(m, "first image", &a.Pix[0])
			imagetest.Watch(m, "second image", &b.Pix[0])
			imagetest.Watch(m, "points", &points[0])
			imagetest.Watch(m, "guesses", &guesses[0])
			imagetest.Watch(m, "tracks", &tracks[0])
			imagetest.Watch(m, "first pyramid", pyramids[0])
			imagetest.Watch(m, "second pyramid", pyramids[1])
		})
		p := new(flow.Pyramid)
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			a, _, _ := moving(t)
			tr.PyramidInto(p, a)
			tr.PyramidInto(p, image.NewGray(image.Rect(0, 0, 20, 20))) // which has no other level
			imagetest.Watch(m, "image before", &a.Pix[0])
		})
		runtime.KeepAlive(tr)
		runtime.KeepAlive(p)
	}
}
