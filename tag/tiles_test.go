package tag

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// guardedWords returns words before which and behind which there is no memory.
func guardedWords(t *testing.T, n int) []uint64 {
	memory := asmtest.GuardedMemory(t, 8*n)
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(memory))), n)
}

// TestTileKernels compares the kernels of tiles with portable Go, on memory that ends where they may not
// read or write on.
func TestTileKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fill := func(b []byte, spread int) []byte {
		for i := range b {
			b[i] = uint8(128 + rng.IntN(spread) - spread/2)
		}
		return b
	}
	for row := range table.Available() {
		t.Run(row.Name, func(t *testing.T) {
			for words := range 4 {
				for _, spread := range []int{2, 20, 256} {
					n := 64 * words
					want, got := new(tilesRun), new(tilesRun)
					for k := range tile {
						want.rows[k] = fill(asmtest.GuardedMemory(t, n), spread)
						got.rows[k] = want.rows[k]
					}
					want.low, want.high = make([]byte, n), make([]byte, n)
					got.low, got.high = asmtest.GuardedMemory(t, n), asmtest.GuardedMemory(t, n)
					extremesOfTiles(want)
					row.Kernels.extremes(got)
					require.Equal(t, want, got)

					for _, contrast := range []uint8{1, 5, 16, 255} {
						want, got := &bitsRun{rows: want.rows, contrast: contrast}, new(bitsRun)
						for i := range want.low {
							want.low[i] = fill(asmtest.GuardedMemory(t, n+2*margin), spread)
							want.high[i] = fill(asmtest.GuardedMemory(t, n+2*margin), spread)
							for x := range want.low[i] {
								a, b := want.low[i][x], want.high[i][x]
								want.low[i][x], want.high[i][x] = min(a, b), max(a, b)
							}
						}
						*got = *want
						for k := range tile {
							want.dark[k], want.light[k] = make([]uint64, words), make([]uint64, words)
							got.dark[k], got.light[k] = guardedWords(t, words), guardedWords(t, words)
						}
						bitsOfTiles(want)
						row.Kernels.bits(got)
						require.Equal(t, want, got, "%d words, contrast %d", words, contrast)
					}
				}
			}
		})
	}
}
