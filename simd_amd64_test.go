//go:build !purego

package fast

import (
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestRequiredFeatures compares the features that the assembly functions use with
// those that the rows ask for which have them.
func TestRequiredFeatures(t *testing.T) {
	rows := append(otherRows(), sieveRows...)
	// What the method widen calls.
	var widens []cpu.Row[func(*Corner, *sieveRun)]
	for _, row := range rows {
		widen := map[int]func(*Corner, *sieveRun){4: widenSSE2, 16: widenAVX512}[row.Kernels.widens]
		widens = append(widens, cpu.Row[func(*Corner, *sieveRun)]{Needs: row.Needs, Kernels: widen})
	}
	asmtest.RequireFeatures(t, rows, blockRows, grayRows, widens)
}

// otherRows returns the rows as they are on processors that choose differently.
func otherRows() []cpu.Row[stages] {
	var list []cpu.Row[stages]
	for _, screens := range [][2]func(*sieveRun){
		{screenAVX512, screen12AVX512},
		{screenTableAVX512, screenTable12AVX512},
	} {
		row := kernels[AVX512Sieve].sieves[0]
		row.Kernels.screen, row.Kernels.screen12 = screens[0], screens[1]
		list = append(list, row)
	}
	return list
}
