package whole

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// cost returns the weighted sum of squares of numbers, by its definition.
func cost(x []float64) (sum float64) {
	square := func(v float64) float64 { return v * v }
	for i := range x {
		sum += 1e-5 * square(x[i])
		if i >= 2*free {
			sum += square(x[i] - 2*x[i-free] + x[i-2*free])
		}
		if i >= 3*free {
			sum += 10 * square(x[i]-3*x[i-free]+3*x[i-2*free]-x[i-3*free])
		}
	}
	return sum
}

// departures returns the numbers that shown frames depart from the smooth path by.
func departures(smooth, shown []geometry.Transform, size image.Point, zoom float64) (x []float64) {
	cx, cy := float64(size.X-1)/2, float64(size.Y-1)/2
	unit := math.Sqrt((cx*cx + cy*cy) / 3)
	for i, t := range smooth {
		back, _ := t.Inverse()
		d := back.Mul(shown[i])
		p := d.Apply(geometry.Point{X: cx, Y: cy})
		x = append(x, (p.X-cx)/zoom, (p.Y-cy)/zoom, d[3]*unit, (d[0]-1)*10*unit)
	}
	return x
}

// beyond returns by how many pixels the corners of shown frames are beyond the edges at most.
func beyond(shown []geometry.Transform, size image.Point) float64 {
	most := math.Inf(-1)
	for _, t := range shown {
		for i := range 4 {
			x, y := float64(size.X-1), float64(size.Y-1)
			p := t.Apply(geometry.Point{X: float64(i%2) * x, Y: float64(i/2) * y})
			most = max(most, -p.X, -p.Y, p.X-x, p.Y-y)
		}
	}
	return most
}

// TestPlan checks that plans keep to the edges, and that there is no better one near them, which is
// none at all since the problem is convex: neither toward the paths that are shrunk so that they
// keep to the edges, nor toward any of many others between them.
func TestPlan(t *testing.T) {
	size := image.Pt(480, 320)
	r := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for trial := range 12 {
		zoom := 1.05 + .02*float64(trial%5)
		cx, cy := float64(size.X-1)/2, float64(size.Y-1)/2
		var smooth, inside []geometry.Transform
		var x, y, angle float64
		for range 10 + 4*trial {
			x, y, angle = .9*x+8*r.NormFloat64(), .9*y+8*r.NormFloat64(), .8*angle+.01*r.NormFloat64()
			z := (1 + .01*r.NormFloat64()) / zoom
			a, b := z*math.Cos(angle), z*math.Sin(angle)
			smooth = append(smooth, geometry.Transform{a, -b, cx + x - a*cx + b*cy, b, a, cy + y - b*cx - a*cy, 0, 0, 1})
			inside = append(inside, geometry.Transform{1 / zoom, 0, cx - cx/zoom, 0, 1 / zoom, cy - cy/zoom, 0, 0, 1})
		}
		shown := Plan(smooth, size, zoom)
		require.Less(t, beyond(shown, size), 1e-6)
		require.Greater(t, beyond(smooth, size), 1.)
		plan, safe := departures(smooth, shown, size, zoom), departures(smooth, inside, size, zoom)
		best := cost(plan)
		require.Greater(t, best, 1e-3)
		require.Greater(t, cost(safe), 2*best)
		touching := 0
		for i := range shown {
			if math.Abs(beyond(shown[i:i+1], size)) < 1e-4 {
				touching++
			}
		}
		require.Greater(t, touching, 2)
		for range 300 {
			// A little toward the safe path, and away from it in some numbers.
			other := make([]float64, len(plan))
			e := .02 * r.Float64()
			first, span := r.IntN(len(smooth)), 1+r.IntN(12)
			push := [free]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			moved := append([]geometry.Transform(nil), shown...)
			for i := range other {
				other[i] = plan[i] + e*(safe[i]-plan[i])
				if d := i/free - first; d >= 0 && d < span {
					other[i] += .05 * push[i%free] * math.Sin(math.Pi*(float64(d)+1)/float64(span+1))
				}
			}
			for i := range moved {
				moved[i] = of(smooth[i], other[free*i:], size, zoom)
			}
			if beyond(moved, size) <= 0 {
				tried++
				require.GreaterOrEqual(t, cost(other), best*(1-1e-6))
			}
		}
		// The slope is what forces at the edges make of it: no frame that touches none has any.
		for i := range shown {
			if beyond(shown[i:i+1], size) > -1e-3 {
				continue
			}
			for k := range free {
				const step = 1e-4
				up, down := append([]float64(nil), plan...), append([]float64(nil), plan...)
				up[free*i+k] += step
				down[free*i+k] -= step
				require.InDelta(t, 0, (cost(up)-cost(down))/(2*step), 1e-4)
			}
		}
	}
	require.Greater(t, tried, 300)
}

// of returns the shown frame of a departure.
func of(smooth geometry.Transform, d []float64, size image.Point, zoom float64) geometry.Transform {
	cx, cy := float64(size.X-1)/2, float64(size.Y-1)/2
	unit := math.Sqrt((cx*cx + cy*cy) / 3)
	a, b := 1+d[3]/(10*unit), d[2]/unit
	return smooth.Mul(geometry.Transform{a, -b, cx + zoom*d[0] - a*cx + b*cy, b, a, cy + zoom*d[1] - b*cx - a*cy, 0, 0, 1})
}

// TestFree checks that a path that shows no edge stays as it is.
func TestFree(t *testing.T) {
	size := image.Pt(480, 320)
	inside := geometry.Transform{.9, 0, 30, 0, .9, 10, 0, 0, 1}
	list := []geometry.Transform{inside, inside, inside, inside, inside}
	for i, shown := range Plan(list, size, 1/.9) {
		for k := range shown {
			require.InDelta(t, list[i][k], shown[k], 1e-4)
		}
	}
	require.Len(t, Plan(list[:1], size, 1.1), 1)
}
