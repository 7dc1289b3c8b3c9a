package geometry

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// A spread has the mean of points and their covariance.
type spread struct{ x, y, xx, xy, yy float64 }

// add adds to the covariance.
func (s *spread) add(x, y float64) {
	x, y = x-s.x, y-s.y
	s.xx += float64(x * x)
	s.xy += float64(x * y)
	s.yy += float64(y * y)
}

// exceeds reports whether the variance across the line that fits the points best, or for a
// Similarity or a Rigid transform along it, is more than a limit.
func (s *spread) exceeds(kind Kind, limit float64) bool {
	mean, root := float64((s.xx+s.yy)/2), math.Sqrt(square(float64((s.xx-s.yy)/2))+square(s.xy)) // of the eigenvalues
	if kind <= Similarity {
		return mean+root > limit
	}
	return mean-root > limit
}

// moments are those of inliers in both frames.
type moments struct{ a, b spread }

// determine reports whether inliers determine a transform. A translation is determined by any.
func (m *moments) determine(kind Kind, l limits) bool {
	return kind == Translation || m.a.exceeds(kind, l.a) && m.b.exceeds(kind, l.b)
}

// noCell marks an empty place in a set of cells. It is a NaN.
const noCell = math.MaxUint64

// A cellSet is a hash table of cells.
type cellSet [][2]uint64

// has reports whether the inliers of s are in at least the given number of squares with the given
// side.
func (c *cellSet) has(want int, s *scorer, xs, ys []float64, side float64) bool {
	size := 1 << bits.Len(uint(2*want))
	cells := raster.Resize(*c, size)
	*c = cells
	for i := range cells {
		cells[i][0] = noCell
	}
	found := 0
	for i := range members(s.masks, s.n) {
		cell := [2]uint64{floatBits(math.Floor(xs[i] / side)), floatBits(math.Floor(ys[i] / side))}
		at := int(mix(mix(cell[0]+golden)^cell[1])) & (size - 1)
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
