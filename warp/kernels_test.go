package warp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// guarded returns n numbers that are followed by memory that must not be touched.
func guarded[E any](t *testing.T, n int) []E {
	t.Helper()
	mem := asmtest.GuardedMemory(t, n*int(unsafe.Sizeof(*new(E))))
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(mem))), n)
}

// TestPlaces compares the kernels that make places of maps with the portable ones, in memory
// that is guarded at its end.
func TestPlaces(t *testing.T) {
	const most = 70
	from, xy, fraction := guarded[float32](t, most), guarded[int16](t, 2*most), guarded[uint16](t, most)
	x, y := guarded[int32](t, most), guarded[int32](t, most)
	extreme := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1 << 26, -1 << 26, 0.5 / 32, -1e30}
	rng := rand.New(rand.NewPCG(6, 6))
	for row := range table.Available() {
		k := &row.Kernels
		for n := k.group; n <= most; n++ {
			from, xy, fraction, x, y := from[most-n:], xy[2*(most-n):], fraction[most-n:], x[most-n:], y[most-n:]
			for i := range n {
				from[i] = float32(rng.NormFloat64() * 1000)
				if rng.IntN(4) == 0 {
					from[i] = extreme[rng.IntN(len(extreme))]
				}
				xy[2*i], xy[2*i+1], fraction[i] = int16(rng.Uint32()), int16(rng.Uint32()), uint16(rng.Uint32())
			}
			want, other := make([]int32, n), make([]int32, n)
			scale(&scaling{from, want, n, 32})
			k.scale(&scaling{from, x, n, 32})
			require.True(t, slices.Equal(want, x), "%s, scale, %d places", row.Name, n)

			clear(x)
			unpack(&unpacking{xy, fraction, want, other, n})
			k.unpack(&unpacking{xy, fraction, x, y, n})
			require.True(t, slices.Equal(want, x) && slices.Equal(other, y), "%s, unpack, %d places", row.Name, n)
		}
	}
}
