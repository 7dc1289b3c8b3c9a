package views

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// requireMaps checks where h maps a point to.
func requireMaps(t *testing.T, h geometry.Transform, x, y, wantX, wantY float64) {
	t.Helper()
	got := h.Apply(geometry.Point{X: x, Y: y})
	require.InDelta(t, wantX, got.X, 1e-9)
	require.InDelta(t, wantY, got.Y, 1e-9)
}

func TestMap(t *testing.T) {
	requireMaps(t, Translation(3, -2), 1, 1, 4, -1)
	requireMaps(t, Scaling(2), 1, -3, 2, -6)
	requireMaps(t, Rotation(90), 1, 0, 0, 1)
	requireMaps(t, Rotation(30), 2, 0, math.Sqrt(3), 1)
	// The right half turns away from the camera by 60 degrees, and the left one
	// toward it.
	requireMaps(t, Tilt(60), 0, 5, 0, 5)
	sin := math.Sqrt(3) / 2
	requireMaps(t, Tilt(60), .5, 1, .25/(1+.5*sin), 1/(1+.5*sin))
	requireMaps(t, Tilt(60), -.5, 1, -.25/(1-.5*sin), 1/(1-.5*sin))
	requireMaps(t, Rotation(90).Mul(Translation(1, 0)), 1, 0, 0, 2)
}

// samples are homographies of all kinds.
var samples = []geometry.Transform{
	Translation(7, 8),
	Scaling(.6),
	Rotation(77),
	Tilt(40),
	Translation(300, 200).Mul(Scaling(500)).Mul(Rotation(20)).Mul(Tilt(-50)).Mul(Scaling(1. / 400)).Mul(Translation(-250, -150)),
}

func TestInverse(t *testing.T) {
	for _, h := range samples {
		p := h.Apply(geometry.Point{X: .25, Y: -.3})
		inverse, ok := h.Inverse()
		require.True(t, ok)
		requireMaps(t, inverse, p.X, p.Y, .25, -.3)
	}
}

func TestScale(t *testing.T) {
	require.InDelta(t, .6, Scale(Scaling(.6), geometry.Point{X: 5, Y: 6}), 1e-9)
	for _, h := range samples {
		// The area of a small triangle.
		const x, y, d = .2, -.4, 1e-5
		p := h.Apply(geometry.Point{X: x, Y: y})
		q := h.Apply(geometry.Point{X: x + d, Y: y})
		r := h.Apply(geometry.Point{X: x, Y: y + d})
		area := math.Abs((q.X-p.X)*(r.Y-p.Y) - (r.X-p.X)*(q.Y-p.Y))
		require.InEpsilon(t, math.Sqrt(area)/d, Scale(h, geometry.Point{X: x, Y: y}), 1e-3)
	}
}

func TestOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	img := image.NewGray(image.Rect(0, 0, 5, 4))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.Uint32())
	}
	// By whole pixels, as in a mirror at the edges.
	view := Of(img, Translation(2, -1), image.Pt(8, 4))
	for y := range 4 {
		for x, from := range []int{2, 1, 0, 1, 2, 3, 4, 3} {
			require.Equal(t, img.GrayAt(from, []int{1, 2, 3, 2}[y]), view.GrayAt(x, y), "%d, %d", x, y)
		}
	}
	// Between pixels.
	view = Of(img, Translation(-.25, -.5), image.Pt(4, 3))
	for y := range 3 {
		for x := range 4 {
			sum := 3*int(img.GrayAt(x, y).Y) + int(img.GrayAt(x+1, y).Y) + 3*int(img.GrayAt(x, y+1).Y) + int(img.GrayAt(x+1, y+1).Y)
			require.Equal(t, uint8((sum+4)/8), view.GrayAt(x, y).Y)
		}
	}
	// Turned by a right angle.
	view = Of(img, Translation(3, 0).Mul(Rotation(90)), image.Pt(4, 5))
	for y := range 5 {
		for x := range 4 {
			require.Equal(t, img.GrayAt(y, 3-x), view.GrayAt(x, y))
		}
	}
}
