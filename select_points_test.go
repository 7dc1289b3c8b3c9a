package fast_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// A spot is a point of no package.
type spot struct {
	at       image.Point
	strength float32
}

func (s spot) Pt() image.Point          { return s.at }
func (s spot) Position() (x, y float32) { return float32(s.at.X), float32(s.at.Y) }
func (s spot) Strength() float32        { return s.strength }

// responses are strengths in their order.
var responses = []float32{
	float32(math.NaN()), float32(math.Inf(-1)), -math.MaxFloat32, -1, -math.SmallestNonzeroFloat32, 0,
	math.SmallestNonzeroFloat32, 0.04, 0.05, 1, 1.0000001, 300_000, math.MaxFloat32, float32(math.Inf(1)),
}

// TestSelectPoints compares the selection of points of all types with that of Corners
// whose scores are in the same order, as the naive versions have it.
func TestSelectPoints(t *testing.T) {
	requireSelectsPoints(t, []float32{0, 1, 2, 100, 254, 255}, func(p image.Point, s float32) fast.Corner {
		return fast.Corner{X: int32(p.X), Y: int32(p.Y), Score: uint8(s)}
	})
	requireSelectsPoints(t, []float32{0, 1, 255, 256, 1000, math.MaxUint16}, func(p image.Point, s float32) vpi.Corner {
		return vpi.Corner{X: int32(p.X), Y: int32(p.Y), Score: uint16(s)}
	})
	requireSelectsPoints(t, responses, func(p image.Point, s float32) harris.Corner {
		return harris.Corner{X: int32(p.X), Y: int32(p.Y), Response: s}
	})
	requireSelectsPoints(t, responses, func(p image.Point, s float32) lococo.Corner {
		return lococo.Corner{X: int32(p.X), Y: int32(p.Y), Response: s}
	})
	requireSelectsPoints(t, responses, func(p image.Point, s float32) orb.Keypoint {
		return orb.Keypoint{X: float32(p.X), Y: float32(p.Y), Response: s}
	})
	requireSelectsPoints(t, responses, func(p image.Point, s float32) spot {
		if s == 0 && p.X%2 == 0 {
			s = float32(math.Copysign(0, -1)) // an equal one
		}
		return spot{p, s}
	})
}

// requireSelectsPoints is TestSelectPoints for a type. A score is the index of a strength.
func requireSelectsPoints[P point.Strong](t *testing.T, strengths []float32, create func(p image.Point, strength float32) P) {
	t.Helper()
	rng := rand.New(rand.NewPCG(26, 27))
	rounds := 60
	if quick() {
		rounds = 25
	}
	for range rounds {
		around := image.Rect(0, 0, 1+rng.IntN(90), 1+rng.IntN(90)).Add(image.Pt(rng.IntN(90)-45, rng.IntN(90)-45))
		bounds := around.Inset(rng.IntN(20) - 10)
		corners := scatter(rng, around, rng.IntN(300), len(strengths)-1)
		rng.Shuffle(len(corners), func(i, j int) { corners[i], corners[j] = corners[j], corners[i] })
		var points []P
		for _, c := range corners {
			points = append(points, create(c.Pt(), strengths[c.Score]))
		}
		mask := &image.Gray{Pix: noise(rng, 90*90), Stride: 90, Rect: image.Rect(0, 0, 90, 90).Add(around.Min)}
		for i := range mask.Pix {
			mask.Pix[i] &= 1
		}
		cell, n, strong := image.Pt(1+rng.IntN(40), 1+rng.IntN(40)), rng.IntN(100), rng.IntN(len(strengths))
		for i, do := range []func(points []P) []P{
			func(points []P) []P { return fast.Strongest(points, n) },
			func(points []P) []P { return fast.InMask(points, mask) },
			func(points []P) []P { return fast.PerCell(points, bounds, cell, n, strengths[strong]) },
			func(points []P) []P { return fast.Spread(points, bounds, n) },
		} {
			s := selections(bounds, mask, cell, n, uint8(strong))[i]
			var got []image.Point
			for _, p := range do(slices.Clone(points)) {
				got = append(got, p.Pt())
			}
			var want []image.Point
			for _, c := range s.byHand(corners) {
				want = append(want, c.Pt())
			}
			imagetest.RequireSame(t, want, got, "%s of %d %T", s.name, len(points), points)
			if n == 0 || imagetest.RaceEnabled() {
				continue
			}
			buf := make([]P, len(points))
			require.Zero(t, imagetest.Allocs(3, func() {
				copy(buf, points)
				do(buf)
			}), "%s of %T", s.name, points)
		}
	}
}

// TestSelectBeyond checks points whose coordinates exceed 32 bits, which no bounds hold.
func TestSelectBeyond(t *testing.T) {
	const far = math.MaxInt32
	points := []spot{{image.Pt(far, 0), 9}, {image.Pt(1, 2), 3}, {image.Pt(0, far), 9}, {image.Pt(4, 5), 3}}
	if math.MaxInt > far {
		points[0].at.X *= 4
	}
	bounds := image.Rect(math.MinInt, math.MinInt, math.MaxInt, math.MaxInt)
	near := []spot{points[1], points[3]}
	require.Equal(t, near, fast.Spread(slices.Clone(points), bounds, 9))
	require.Equal(t, near, fast.PerCell(slices.Clone(points), bounds, image.Pt(1, 1), 9, 0))
	require.Equal(t, points, fast.InMask(slices.Clone(points), nil))
}

// BenchmarkSelectPoints measures selection out of many corners of package harris.
func BenchmarkSelectPoints(b *testing.B) {
	const count = 10_000
	bounds := image.Rect(0, 0, 1241, 376)
	rng := rand.New(rand.NewPCG(1, 2))
	var points []harris.Corner
	for _, c := range scatter(rng, bounds, count, 254) {
		points = append(points, harris.Corner{X: c.X, Y: c.Y, Response: rng.Float32()})
	}
	buf := make([]harris.Corner, count)
	for i, do := range []func(){
		func() { fast.Strongest(buf, 1000) },
		func() { fast.PerCell(buf, bounds, image.Pt(32, 32), 5, 0.5) },
		func() { fast.Spread(buf, bounds, 1000) },
	} {
		b.Run(fmt.Sprintf("op=%s/corners=%d", []string{"strongest", "percell", "spread"}[i], count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(buf, points)
				do()
			}
		})
	}
}
