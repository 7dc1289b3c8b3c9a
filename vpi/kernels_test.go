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
			r := siftRun{rest: ^format.tops, opposite: opposite, centers: windows[0]}
			copy(r.halves[:2*opposite], windows[1:])
			r.halves[2*opposite] = r.halves[0]
			marked := 0
			for r.end = format.size; r.end <= chunkBytes; r.end += format.size {
				r.thresholds = format.each(uint64(rng.Uint32N(format.largest)) >> rng.IntN(8))
				setPixels(&r, rng)
				want := r
				sift(&want)
				keepTested(&want)
				for row := range table.Available() {
					got := r
					row.Kernels.sift(&got)
					keepTested(&got)
					require.Equal(t, want.bright, got.bright, "%s, %d bytes", row.Name, r.end)
					require.Equal(t, want.dark, got.dark, "%s, %d bytes", row.Name, r.end)
					got.bright, got.dark, got.words = r.bright, r.dark, r.words
					require.Equal(t, r, got, "%s writes beyond the marks", row.Name)
				}
				if want.bright[0]|want.dark[0] != 0 {
					marked++
				}
			}
			require.Greater(t, marked, 50)
		}
	}
}

// setPixels sets the pixels of a siftRun, and marks that are to go. Circles have arcs of equal
// pixels.
func setPixels(r *siftRun, rng *rand.Rand) {
	for at := 0; at < len(window{}); at += wordBytes {
		store(r.centers[at:], rng.Uint64())
		pixels := rng.Uint64()
		for _, w := range r.halves[:2*r.opposite] {
			if rng.IntN(4) == 0 {
				pixels = rng.Uint64()
			}
			store(w[at:], pixels>>1&r.rest)
		}
	}
	for i := range r.bright {
		r.bright[i], r.dark[i] = rng.Uint64(), rng.Uint64()
	}
}

// keepTested removes the marks of a siftRun that mean nothing.
func keepTested(r *siftRun) {
	for i := range r.bright {
		tested := uint64(1)<<min(max(r.end-i*blockBytes, 0), blockBytes) - 1
		r.bright[i] &= tested
		r.dark[i] &= tested
	}
}
