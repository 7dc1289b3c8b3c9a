package main

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/_asm/internal/op"
)

// bestArc returns by how much the best arc of n ring pixels differs from the center, or 0
// if there is none.
func bestArc(pixels *[center + 1]uint8, n int) uint8 {
	best := 0
	for begin := range center {
		bright, dark := 255, 255
		for i := begin; i < begin+n; i++ {
			difference := int(pixels[i%center]) - int(pixels[center])
			bright, dark = min(bright, difference), min(dark, -difference)
		}
		best = max(best, bright, dark)
	}
	return uint8(best)
}

// evaluate computes a network for one pixel.
func evaluate(w network, pixels *[center + 1]uint8) uint8 {
	return compute(w, func(v *value) uint8 { return pixels[v.pixel] }, func(o op.Binary, x, y operand[uint8]) uint8 {
		switch a, b := x.place, y.place; o {
		case op.Min:
			return min(a, b)
		case op.Max:
			return max(a, b)
		case op.SubSat:
			return a - min(a, b)
		case op.Xor:
			return a ^ b
		case op.NotLower:
			if a >= b {
				return 255
			}
			return 0
		default:
			panic(o)
		}
	})
}

// TestArcs compares the networks with the definition, on all rings of two values and
// on rings of more.
func TestArcs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 9; n <= 12; n++ {
		networks := []network{arcTest(n, false), arcTest(n, true), arcTestTwice(n)}
		compare := func(pixels [center + 1]uint8) {
			want := bestArc(&pixels, n)
			for i, w := range networks {
				if got := evaluate(w, &pixels); got != want {
					t.Fatalf("network %d for arcs of %d of %v: %d, not %d", i, n, pixels, got, want)
				}
			}
		}
		for ring := range 1 << 16 {
			var pixels [center + 1]uint8
			low, high := uint8(rng.IntN(256)), uint8(rng.IntN(256))
			for i := range center {
				pixels[i] = low
				if ring>>i&1 == 1 {
					pixels[i] = high
				}
			}
			pixels[center] = uint8(rng.IntN(256))
			compare(pixels)
			// With small differences.
			for i := range center {
				pixels[i] += uint8(rng.IntN(4))
			}
			compare(pixels)
		}
	}
}
