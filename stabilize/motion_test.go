package stabilize

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/stretchr/testify/require"
)

// TestPlausible checks which motions may be those of a camera: up to half the width and half the
// height of the frame, and scales up to 1.5.
func TestPlausible(t *testing.T) {
	f := follower{size: image.Pt(400, 100)}
	for _, c := range []struct {
		x, y, scale float64 // of the middle
		plausible   bool
	}{
		{0, 0, 1, true},
		{199, 0, 1, true},
		{-199, 0, 1, true},
		{201, 0, 1, false},
		{-201, 0, 1, false},
		{0, 49, 1, true},
		{0, -49, 1, true},
		{0, 51, 1, false},
		{0, -51, 1, false},
		{0, 0, 1.49, true},
		{0, 0, 1.51, false},
		{0, 0, 1 / 1.49, true},
		{0, 0, 1 / 1.51, false},
	} {
		middle := middle(f.size)
		m := similarity(middle.X*(1-c.scale)+c.x, middle.Y*(1-c.scale)+c.y, 0, c.scale)
		require.Equal(t, c.plausible, f.plausible(&m), "%+v", c)
	}
}

// TestStaying checks which points a motion keeps in the frame: on any side, those outside are
// not counted.
func TestStaying(t *testing.T) {
	f := follower{size: image.Pt(400, 100)}
	points := []flow.Point{{X: 10, Y: 50}, {X: 389, Y: 50}, {X: 200, Y: 10}, {X: 200, Y: 89}, {X: 200, Y: 50}}
	for _, c := range []struct {
		x, y float64
		want int
	}{{0, 0, 5}, {-10, 0, 5}, {-11, 0, 4}, {10, 0, 5}, {11, 0, 4}, {0, -10, 5}, {0, -11, 4}, {0, 10, 5}, {0, 11, 4}, {-300, 0, 1}} {
		m := similarity(c.x, c.y, 0, 1)
		require.Equal(t, c.want, f.staying(points, &m), "%+v", c)
	}
}
