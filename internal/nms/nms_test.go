package nms

import (
	"cmp"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// largest finds by brute force what a Grid does.
func largest(values []float32, w, h, stride, radius int, first bool, limit float32) []image.Point {
	var places []image.Point
	for y := range h {
		for x := range w {
			v := values[y*stride+x]
			keep := v > limit
			for j := max(y-radius, 0); j <= min(y+radius, h-1); j++ {
				for i := max(x-radius, 0); i <= min(x+radius, w-1); i++ {
					u := values[j*stride+i]
					if u > v || first && u == v && (j < y || j == y && i < x) {
						keep = false
					}
				}
			}
			if keep {
				places = append(places, image.Pt(x, y))
			}
		}
	}
	return places
}

// TestGrid compares with brute force, for few and many different values, which may be
// negative, and with every instruction set. Beyond a row there are values that do not
// belong to the map. The blocks of a row are made in two parts.
func TestGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var g Grid
	var f Finder
	rounds := 1500
	if testing.Short() {
		rounds = 300
	}
	for i := range rounds {
		w, h := 1+rng.IntN(50), 1+rng.IntN(30)
		if i%101 < 2 {
			w += 300 >> (i % 101 * 2) // blocks that one word has no bits for
		}
		stride := w + rng.IntN(9)
		kinds := []int{2, 5, 1 << 20}[i%3]
		values, most := make([]float32, (h-1)*stride+w), float32(0)
		for j := range values {
			values[j] = float32(rng.IntN(kinds)) - float32(kinds/3)
			if j%stride < w {
				most = max(most, values[j])
			}
		}
		radius, first := rng.IntN(20), rng.IntN(2) == 0
		if i%101 == 1 {
			radius = 62 + i%3 // blocks that have about as many columns as a word has bits
		}
		limit := float32(rng.IntN(2) * rng.IntN(kinds))
		want := largest(values, w, h, stride, radius, first, limit)
		for set := range table.Available() {
			restore := cpu.Limit(set.Needs)
			g.Reset(values, w, h, stride, radius, first)
			columns, rows := g.Blocks()
			middle := 1 + rng.IntN(columns)
			got := int32(0)
			for row := range rows {
				if middle < columns {
					got = max(got, f.Maximize(&g, row, middle, columns))
				}
				got = max(got, f.Maximize(&g, row, 0, middle))
			}
			require.Equal(t, most, math.Float32frombits(uint32(got)))
			var places []image.Point
			for row := range rows {
				places = f.Append(places, &g, row, 0, middle, limit)
				places = f.Append(places, &g, row, middle, columns, limit)
			}
			restore()
			slices.SortFunc(places, func(p, q image.Point) int { return cmp.Or(cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X)) })
			require.True(t, slices.Equal(want, places), "%d x %d, radius %d, first %t, limit %v, %s", w, h, radius, first, limit, set.Name)
		}
	}
}
