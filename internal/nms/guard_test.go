package nms

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestGuardPages checks that nothing is read before the first value of a map or beyond the
// last one, nor so of the largest values of columns: the memory there faults.
func TestGuardPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	mem := asmtest.GuardedPages(t, 4*100*60)
	all := unsafe.Slice((*float32)(unsafe.Pointer(&mem[0])), len(mem)/4)
	for i := range all {
		all[i] = rng.Float32()
	}
	topsMemory := asmtest.GuardedPages(t, 4*100*60)
	allTops := unsafe.Slice((*float32)(unsafe.Pointer(&topsMemory[0])), len(topsMemory)/4)
	var g Grid
	var f Finder
	for i := range 3000 {
		w, h := 1+rng.IntN(100), 1+rng.IntN(60)
		values := asmtest.Ends(all, w*h)[i%2]
		for set := range table.Available() {
			restore := cpu.Limit(set.Needs)
			g.Reset(values, w, h, w, rng.IntN(20), true)
			g.tops = asmtest.Ends(allTops, len(g.tops))[i%2]
			columns, rows := g.Blocks()
			for row := range rows {
				f.Maximize(&g, row, 0, columns)
			}
			for row := range rows {
				f.Append(nil, &g, row, 0, columns, 0)
			}
			restore()
		}
	}
}
