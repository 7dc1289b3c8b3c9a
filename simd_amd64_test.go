//go:build !purego

package fast

import (
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
)

// TestRequiredFeatures compares the features that the assembly functions use with
// those that the rows ask for which have them.
func TestRequiredFeatures(t *testing.T) {
	rows := append(otherRows(), sieveRows...)
	called := map[string][]cpu.Set{} // by name
	for _, row := range rows {
		widen := map[int]string{4: "widenSSE2", 16: "widenAVX512"}[row.Kernels.widens]
		called[widen] = append(called[widen], row.Needs)
	}
	asmtest.RequireFeatures(t, rows, blockRows, lumaRows, called)
}

// otherRows returns the rows as they are on processors that choose differently.
func otherRows() []cpu.Row[stages] {
	var list []cpu.Row[stages]
	for _, screens := range [][2]func(*run){
		{screenAVX512, screen12AVX512},
		{screenTableAVX512, screenTable12AVX512},
	} {
		row := kernels[AVX512Sieve].sieves[0]
		row.Kernels.screen, row.Kernels.screen12 = screens[0], screens[1]
		list = append(list, row)
	}
	return list
}
