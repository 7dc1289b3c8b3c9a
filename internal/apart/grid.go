package apart

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// A Grid keeps points anywhere, in the square cells of a grid, which a hash table holds. It takes
// memory and, as long as the hashes differ, time in proportion to the number of points, however
// far these are from each other.
type Grid struct {
	limit float64
	side  float64 // of a cell
	kept  []entry
	heads []uint32 // by the hash of a cell: the number of the last point there, from 1 on, or 0
	shift uint     // makes hashes indices of heads
}

// An entry is a point of a list: those in cells with the same hash.
type entry struct {
	x, y float32
	next uint32 // the number of the point before it, or 0
}

// Reset removes all points, before up to n of them are offered. The radius is positive.
func (g *Grid) Reset(radius float64, n int) {
	g.limit = limit(radius)
	// With a little more than the radius, rounding does not put points that are near each
	// other into cells that do not touch.
	g.side = radius * (1 + 1./1024)
	g.kept = g.kept[:0]
	size := bits.Len(uint(n))
	g.shift = uint(64 - size)
	g.heads = raster.Resize(g.heads, 1<<size)
	clear(g.heads)
}

// Add keeps a point if it is not near one that has been kept, and reports whether it did. A
// point whose coordinates are not finite is near no other.
func (g *Grid) Add(x, y float32) bool {
	if zero := x - x + (y - y); zero != 0 { // NaN
		return true
	}
	column, row := g.cell(x), g.cell(y)
	if g.near(x, y, column, row) ||
		g.near(x, y, column-1, row) || g.near(x, y, column+1, row) ||
		g.near(x, y, column, row-1) || g.near(x, y, column, row+1) ||
		g.near(x, y, column-1, row-1) || g.near(x, y, column+1, row-1) ||
		g.near(x, y, column-1, row+1) || g.near(x, y, column+1, row+1) {
		return false
	}
	head := g.head(column, row)
	g.kept = append(g.kept, entry{x, y, *head})
	*head = uint32(len(g.kept))
	return true
}

// cell returns the number of the column or row of cells that a coordinate lies in.
func (g *Grid) cell(v float32) uint64 {
	n := math.Floor(float64(v) / g.side)
	if math.Abs(n) < 1<<32 {
		return uint64(int64(n))
	}
	// Here float32 are farther apart than the radius.
	return uint64(math.Float32bits(v)) << 32
}

// head returns where the list begins that has the points in a cell.
func (g *Grid) head(column, row uint64) *uint32 {
	const a, b, c = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0xd6e8feb86659fd93 // odd, without a pattern
	h := column*a + row*b
	h ^= h >> 32
	return &g.heads[h*c>>g.shift]
}

// near reports whether a point is near one that has been kept in a cell.
func (g *Grid) near(x, y float32, column, row uint64) bool {
	for i := *g.head(column, row); i != 0; {
		p := &g.kept[i-1]
		if square(float64(x)-float64(p.x), float64(y)-float64(p.y)) < g.limit {
			return true
		}
		i = p.next
	}
	return false
}
