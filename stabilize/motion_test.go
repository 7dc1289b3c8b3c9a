package stabilize

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
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

// TestFoundAtHalf checks that corners are found again when less than half of them are left, and
// not when half of them are.
func TestFoundAtHalf(t *testing.T) {
	opts := Options{Kind: geometry.Translation, Points: 50}
	opts.setDefaults()
	var f follower
	f.init(&opts)
	f.begin(image.Pt(160, 120))
	img := image.NewGray(image.Rectangle{Max: f.size})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.Uint32())
	}
	for k := range f.views[:2] {
		f.load(&f.views[k], raster.NewPlane("stabilize", img))
	}
	from, to := &f.views[0], &f.views[1]
	f.find(from)
	for _, more := range []int{0, 1} {
		from.age, from.begun = 0, 2*len(from.points)+more
		_, ok := f.track(from, to, nil)
		require.True(t, ok)
		if more == 0 {
			require.Len(t, to.points, len(from.points), "none is lost")
		}
		require.Equal(t, 1-more, to.age)
	}
}

// TestBends checks from which errors on an affine transform is no better than a similarity, for
// points in the corners of the frame: an F test with as many degrees of freedom as four pairs leave,
// and a limit that is the square of the variance at the corners, 2. That of a stretch by s of
// coordinates of up to 50 is F = 2*(50*s)^2 / (4*e^2), if each of them has an error e.
func TestBends(t *testing.T) {
	of := pairs{inliers: []bool{true, false, true, true, true}}
	const s = 0.02
	fit := geometry.Fit{Transform: geometry.Transform{1 + s, 0, 0, 0, 1, 0, 0, 0, 1}, Inliers: 4}
	for _, c := range []struct {
		ratio float64 // F
		bends bool
	}{{1, false}, {3.9, false}, {4.1, true}, {17, true}} {
		e := math.Sqrt(2 * 50 * s * 50 * s / (4 * c.ratio))
		of.a, of.b = nil, nil
		for _, p := range []geometry.Point{{X: 0, Y: 0}, {X: 30, Y: 80}, {X: 100, Y: 0}, {X: 0, Y: 100}, {X: 100, Y: 100}} {
			q := geometry.Point{X: p.X * (1 + s), Y: p.Y}
			if (p.X == 0) == (p.Y == 0) {
				q.X += e
			} else {
				q.X -= e
			}
			of.a, of.b = append(of.a, p), append(of.b, q)
		}
		require.Equal(t, c.bends, of.bends(&fit, image.Pt(101, 101)), "%v", c.ratio)
	}
}
