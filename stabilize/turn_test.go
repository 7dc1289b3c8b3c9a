package stabilize

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// TestTurning checks that as much of a shake is removed from the video of a camera that turns, around
// the middle of the picture or another point, as from that of one that does not.
func TestTurning(t *testing.T) {
	const frames = 200
	// remains returns the share of the shake that is left, and how far the picture is from its place.
	remains := func(speed float64, around geometry.Point, online bool) float64 {
		opts := Options{Borders: true, Online: online, Zoom: 1}
		opts.setDefaults()
		var p path
		p.init(&opts)
		p.begin(image.Pt(480, 320))
		rng := rand.New(rand.NewPCG(3, 4))
		var camera []geometry.Transform
		shaken, left := 0., 0.
		steady := func(i int) geometry.Transform {
			return similarity(around.X, around.Y, 0, 1).Mul(similarity(0, 0, float64(i)*speed, 1)).Mul(similarity(-around.X, -around.Y, 0, 1))
		}
		show := func(r Result) {
			if r.Frame < 40 || r.Frame >= frames-40 {
				return
			}
			source := p.origin.Mul(r.Source).Mul(p.center)
			for _, q := range []geometry.Point{{}, {X: 100}} {
				// Where a camera that does not shake would see what is shown at q.
				seen := inverse(t, steady(r.Frame)).Mul(camera[r.Frame])
				a, b := seen.Apply(q), seen.Mul(source).Apply(q)
				shaken += (a.X-q.X)*(a.X-q.X) + (a.Y-q.Y)*(a.Y-q.Y)
				left += (b.X-q.X)*(b.X-q.X) + (b.Y-q.Y)*(b.Y-q.Y)
			}
		}
		for i := range frames {
			// What the camera sees at a point is what one that does not shake sees beside it.
			shake := similarity(10*rng.Float64()-5, 10*rng.Float64()-5, 0.01*rng.Float64()-0.005, 1)
			camera = append(camera, steady(i).Mul(shake))
			f := found{Cut, 100, 100, geometry.Identity()}
			if i > 0 {
				f.status = Followed
				f.motion = p.center.Mul(inverse(t, camera[i])).Mul(camera[i-1]).Mul(p.origin)
			}
			p.add(f, 0)
			if r, ok := p.next(false); ok {
				show(r)
			}
		}
		for r, ok := p.next(true); ok; r, ok = p.next(true) {
			show(r)
		}
		return math.Sqrt(left / shaken)
	}
	for _, around := range []geometry.Point{{}, {X: 300, Y: -100}} {
		still := remains(0, around, false)
		for _, speed := range []float64{0.005, 0.02, 0.06, 0.1} {
			got := remains(speed, around, false)
			t.Logf("around %v, %.3f rad a frame: %.3f of the shake is left, %.3f if the camera does not turn; online %.3f", around, speed, got, still, remains(speed, around, true))
			require.Less(t, got, still*(1+max(0.15, 4*speed)))
		}
	}
}
