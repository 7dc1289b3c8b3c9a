package flow

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/stretchr/testify/require"
)

// TestDown compares levels with those of portable Go, and checks that no more is read than
// the pixels of a level and no more is written than what may be.
func TestDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, w := range asmtest.Widths(downColumns, 300) {
		for _, h := range []int{4, 5, 6, 7, 8, 33} {
			from := raster.Plane{Stride: w + rng.IntN(2)*rng.IntN(70), W: w, H: h}
			from.Pix = asmtest.GuardedMemory(t, (h-1)*from.Stride+w)
			for i := range from.Pix {
				from.Pix[i] = uint8(rng.Uint32())
			}
			to := raster.Plane{Stride: half(w), W: half(w), H: half(h)}
			size := to.W * to.H
			run := func() []byte {
				to.Pix = asmtest.GuardedMemory(t, size+downOver)[:size]
				new(downRun).make(to, from)
				return to.Pix
			}
			restore := cpu.Limit(0)
			want := run()
			restore()
			for row := range table.Available() {
				restore := cpu.Limit(row.Needs)
				require.Equal(t, want, run(), "%s, %d by %d", row.Name, w, h)
				restore()
			}
		}
	}
}
