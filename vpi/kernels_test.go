package vpi

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestSift compares the rows of the table with the portable kernel, for chunks of every
// size, whose windows lie before pages that fault.
func TestSift(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	var windows [1 + maxCircle]*window
	for i := range windows {
		windows[i] = (*window)(asmtest.GuardedMemory(t, len(window{})))
	}
	for _, format := range formats[1:] {
		for _, opposite := range []int{4, 6, 8} {
			v := view{rest: ^format.tops, opposite: opposite, centers: windows[0]}
			copy(v.halves[:2*opposite], windows[1:])
			v.halves[2*opposite] = v.halves[0]
			marked := 0
			for v.end = format.size; v.end <= chunkBytes; v.end += format.size {
				v.thresholds = format.each(uint64(rng.Uint32N(format.largest)) >> rng.IntN(8))
				setPixels(&v, rng)
				want := v
				sift(&want)
				keepTested(&want)
				for row := range table.Available() {
					got := v
					row.Kernels.sift(&got)
					keepTested(&got)
					require.Equal(t, want.bright, got.bright, "%s, %d bytes", row.Name, v.end)
					require.Equal(t, want.dark, got.dark, "%s, %d bytes", row.Name, v.end)
					got.bright, got.dark, got.words = v.bright, v.dark, v.words
					require.Equal(t, v, got, "%s writes beyond the marks", row.Name)
				}
				if want.bright[0]|want.dark[0] != 0 {
					marked++
				}
			}
			require.Greater(t, marked, 50)
		}
	}
}

// setPixels sets the pixels of a view, and marks that are to go. Circles have arcs of equal
// pixels.
func setPixels(v *view, rng *rand.Rand) {
	for at := 0; at < len(window{}); at += wordBytes {
		store(v.centers[at:], rng.Uint64())
		pixels := rng.Uint64()
		for _, w := range v.halves[:2*v.opposite] {
			if rng.IntN(4) == 0 {
				pixels = rng.Uint64()
			}
			store(w[at:], pixels>>1&v.rest)
		}
	}
	for i := range v.bright {
		v.bright[i], v.dark[i] = rng.Uint64(), rng.Uint64()
	}
}

// keepTested removes the marks of a view that mean nothing.
func keepTested(v *view) {
	for i := range v.bright {
		tested := uint64(1)<<min(max(v.end-i*blockBytes, 0), blockBytes) - 1
		v.bright[i] &= tested
		v.dark[i] &= tested
	}
}
