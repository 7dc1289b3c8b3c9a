package edge

import (
	"slices"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/stretchr/testify/require"
)

// TestInside compares Inside with a row that is copied, again and again, as a mode says.
func TestInside(t *testing.T) {
	for n := 1; n <= 5; n++ {
		row := make([]int, n)
		none, first, last := slices.Repeat([]int{-1}, 3*n), make([]int, 3*n), slices.Repeat([]int{n - 1}, 3*n)
		for i := range row {
			row[i] = i
		}
		back := slices.Clone(row)
		slices.Reverse(back)
		for mode, want := range map[border.Mode][]int{
			border.Constant:    slices.Concat(none, row, none),
			border.Transparent: slices.Concat(none, row, none),
			border.Replicate:   slices.Concat(first, row, last),
			border.Reflect:     slices.Concat(back, row, back, row, back, row, back),
			border.Wrap:        slices.Repeat(row, 7),
		} {
			for i, v := range want {
				require.Equal(t, v, Inside(mode, i-3*n, n), "%v, place %d of %d", mode, i-3*n, n)
			}
		}
		for i := -4 * n; i < 4*n; i++ {
			require.Equal(t, raster.Mirror(i, n), Inside(border.Reflect101, i, n), "place %d of %d", i, n)
		}
	}
}
