package apart

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// place is a point.
type place struct{ x, y float32 }

// near reports whether two points are nearer to each other than the radius.
func near(p, q place, radius float64) bool {
	dx, dy := float64(p.x)-float64(q.x), float64(p.y)-float64(q.y)
	switch {
	case radius < 1e-45: // less than the least difference
		return dx == 0 && dy == 0
	case radius > 1e100: // more than the largest one
		return !math.IsNaN(dx+dy) && !math.IsInf(dx, 0) && !math.IsInf(dy, 0)
	}
	return float64(dx*dx)+float64(dy*dy) < radius*radius
}

// naive returns which of the points are kept, one by one.
func naive(points []place, radius float64) []bool {
	kept := make([]bool, len(points))
	for i, p := range points {
		kept[i] = true
		for j, q := range points[:i] {
			kept[i] = kept[i] && !(kept[j] && near(p, q, radius))
		}
	}
	return kept
}

// clouds make n points of very different kinds. Those of all but the first are pixels.
var clouds = map[string]func(rng *rand.Rand, n int) []place{
	"anywhere": func(rng *rand.Rand, n int) []place {
		return cloud(n, func(int) place { return place{rng.Float32()*100 - 50, rng.Float32() * 70} })
	},
	"scales": func(rng *rand.Rand, n int) []place {
		scale := func() float32 {
			return float32((rng.Float64() - 0.5) * math.Exp2(float64(rng.IntN(250)-125)))
		}
		return cloud(n, func(int) place { return place{scale(), scale()} })
	},
	"far": func(rng *rand.Rand, n int) []place {
		return cloud(n, func(int) place { return place{1<<31 - float32(rng.IntN(20_000)), -1<<25 - float32(rng.IntN(2000))} })
	},
	"not finite": func(rng *rand.Rand, n int) []place {
		odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, 1}
		return cloud(n, func(int) place { return place{odd[rng.IntN(5)], odd[rng.IntN(5)]} })
	},
	"pixels": func(rng *rand.Rand, n int) []place {
		return cloud(n, func(int) place { return place{float32(rng.IntN(90)), float32(rng.IntN(60))} })
	},
	"row": func(rng *rand.Rand, n int) []place {
		return cloud(n, func(int) place { return place{float32(rng.IntN(700)), 0} })
	},
	"column": func(rng *rand.Rand, n int) []place {
		return cloud(n, func(int) place { return place{0, float32(rng.IntN(700))} })
	},
	"one place": func(_ *rand.Rand, n int) []place {
		return cloud(n, func(int) place { return place{3, 4} })
	},
	"lattice": func(_ *rand.Rand, n int) []place {
		return cloud(n, func(i int) place { return place{float32(i % 16), float32(i / 16)} })
	},
	"steps": func(_ *rand.Rand, n int) []place {
		return cloud(n, func(i int) place { return place{float32(i) * 4096, float32(i % 2 << 20)} })
	},
}

func cloud(n int, at func(i int) place) []place {
	points := make([]place, n)
	for i := range points {
		points[i] = at(i)
	}
	return points
}

var radii = []float64{
	math.SmallestNonzeroFloat64, 1e-200, 1e-45, 1e-30, 0.01, 0.9, 1, 1.5, 2, math.Sqrt2, 5, 7.25, 8, 9, 63.9, 64, 65, 300, 4096,
	1e6, 1e30, 1e200, math.MaxFloat64, math.Inf(1),
}

// TestGrid compares a Grid with the naive version.
func TestGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var g Grid
	for name, cloud := range clouds {
		for _, radius := range radii {
			points := cloud(rng, 1+rng.IntN(200))
			g.Reset(radius, len(points))
			for i, want := range naive(points, radius) {
				require.Equal(t, want, g.Add(points[i].x, points[i].y), "%s, %v, point %d: %v", name, radius, i, points[i])
			}
		}
	}
}

// TestPixels compares Pixels with the naive version.
func TestPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var p Pixels
	for _, size := range [][2]int{{90, 60}, {700, 1}, {1, 700}, {1, 1}, {63, 7}, {9, 130}} {
		for _, radius := range radii {
			points := cloud(300, func(int) place { return place{float32(rng.IntN(size[0])), float32(rng.IntN(size[1]))} })
			p.Reset(size[0], size[1], radius)
			for i, want := range naive(points, radius) {
				require.Equal(t, want, p.Add(int(points[i].x), int(points[i].y)), "%v, %v, point %d: %v", size, radius, i, points[i])
			}
		}
	}
}

// TestGridWork checks that the work for a point does not grow with their number: how many points
// are in the lists of the cells around it once all points have been kept, which are at least
// those that it was compared with.
func TestGridWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var g Grid
	for name, cloud := range clouds {
		for _, radius := range radii {
			for _, n := range []int{100, 10_000} {
				points := cloud(rng, n)
				g.Reset(radius, n)
				for _, p := range points {
					g.Add(p.x, p.y)
				}
				work := 0
				for _, p := range points {
					column, row := g.cell(p.x), g.cell(p.y)
					for i := range uint64(9) {
						for k := *g.head(column+i%3-1, row+i/3-1); k != 0; k = g.kept[k-1].next {
							work++
						}
					}
				}
				require.Less(t, work, 45*n, "%s, %v, %d points", name, radius, n)
			}
		}
	}
}

// TestPixelsWork checks that the work for a point does not grow with the number of points and the
// radius, as long as the image and its room have 512 pixels a point: how many words mark the
// pixels near the points that are kept.
func TestPixelsWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var p Pixels
	for _, n := range []int{100, 10_000} {
		for _, radius := range []int{1, 2, 5, 10, 20, 27, 40, 80, 300, 1000} {
			for shape := 1; shape <= 16; shape *= 4 { // the ratio of the sides
				h := 1
				for w := h * shape; (w+2*min(radius, w))*(h+2*min(radius, h)) <= 512*n; w = h * shape {
					h++
				}
				h--
				w := h * shape
				if h == 0 {
					continue
				}
				p.Reset(w, h, float64(radius))
				require.Less(t, len(p.near), 100*n+1000)
				work := 0
				for range n {
					if x, y := rng.IntN(w), rng.IntN(h); p.Add(x, y) {
						work += len(p.spans[x%8])
					}
				}
				require.Less(t, work, 60*n, "%d points of %d by %d pixels, radius %d", n, w, h, radius)
			}
		}
	}
}
