package integral

import (
	"bytes"
	"image"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestMemory checks that all sums are written, those of no pixels too, and nothing
// before or behind them.
func TestMemory(t *testing.T) {
	white := bytes.Repeat([]byte{255}, 1<<15)
	for _, set := range cpu.InstructionSets("integral") {
		for _, w := range []int{1, 15, 16, 17, 30, 31, 32, 33, 47, 63, 64, 65, 100, 16385} {
			for h := 1; h < 4; h++ {
				var i Sums
				i.resize(w, h)
				mem := asmtest.GuardedMemory(t, 4*len(i.sums))
				sums := unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), len(i.sums))
				for j := range sums {
					sums[j] = 0x12345678 + uint32(j)
				}
				i.sums = sums
				restore := cpu.Limit(set.Set)
				Into(&i, &image.Gray{Pix: white[:w], Rect: image.Rect(0, 0, w, h)})
				restore()
				require.Same(t, &sums[0], &i.sums[0])
				for y := range h + 1 {
					for x := range w + 1 {
						if got := sums[y*i.stride+x]; got != uint32(255*x*y) {
							require.EqualValues(t, 255*x*y, got, "%s: %d, %d of %d", set.Name, x, y, w)
						}
					}
				}
			}
		}
	}
}
