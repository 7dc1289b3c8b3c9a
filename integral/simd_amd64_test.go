//go:build !purego

package integral

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/stretchr/testify/require"
)

// TestRequiredFeatures compares the features that the assembly functions use with those
// that the rows of the table need.
func TestRequiredFeatures(t *testing.T) { asmtest.RequireFeatures(t, table) }

// TestAhead checks rows with and without the prefetches that only some processors get, which reach
// beyond the memory of the sums.
func TestAhead(t *testing.T) {
	const columns, stride, rows = 100, 112, 3
	white := bytes.Repeat([]byte{255}, columns)
	for row := range table.Available() {
		for _, ahead := range []bool{false, true} {
			if ahead && !cpu.PrefetchW() {
				continue
			}
			mem := asmtest.GuardedMemory(t, 4*(rows*stride+1+columns))
			sums := unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), len(mem)/4)
			row.Kernels.sumRows(&sumRun{pixels: white, sums: sums, stride: stride, columns: columns, rows: rows, ahead: ahead})
			for y := range rows + 1 {
				for x := range columns + 1 {
					require.EqualValues(t, 255*x*y, sums[y*stride+x], "%s, ahead %t: %d, %d", row.Name, ahead, x, y)
				}
			}
		}
	}
}
