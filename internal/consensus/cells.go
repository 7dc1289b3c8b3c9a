package consensus

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// noCell marks an empty place in a set of cells. It is a NaN.
const noCell = math.MaxUint64

// A CellSet is a hash table of cells.
type CellSet [][2]uint64

// Has reports whether the points that the first n masks choose are in at least the given number of
// squares with the given side.
func (c *CellSet) Has(want int, masks []byte, n int, xs, ys []float64, side float64) bool {
	size := 1 << bits.Len(uint(2*want))
	cells := raster.Resize(*c, size)
	*c = cells
	for i := range cells {
		cells[i][0] = noCell
	}
	found := 0
	for i := range Members(masks, n) {
		cell := [2]uint64{floatBits(math.Floor(xs[i] / side)), floatBits(math.Floor(ys[i] / side))}
		at := int(Mix(Mix(cell[0]+Golden)^cell[1])) & (size - 1)
		for cells[at] != cell && cells[at][0] != noCell {
			at = (at + 1) & (size - 1)
		}
		if cells[at][0] == noCell {
			cells[at] = cell
			if found++; found == want {
				return true
			}
		}
	}
	return false
}
