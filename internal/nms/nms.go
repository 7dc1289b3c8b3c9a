// Package nms finds the values of a map that are the largest ones in squares around them:
// non-maximum suppression.
//
// The map is divided into blocks of about half of the side of a square, so that each value
// of a block has the others in its square: only the largest one can be found (A. Neubeck
// and L. Van Gool, "Efficient non-maximum suppression", ICPR 2006). What else is in its
// square lies in the blocks around, and few of those have larger values.
//
// Of each block the largest value of every column is kept, so that a value is found, and
// compared with the others, by looking at few of them.
package nms

import (
	"math"
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/internal/tensor"
)

// A Grid is the blocks of a map. The zero value is that of an empty map.
type Grid struct {
	values       []float32
	w, h, stride int
	radius       int
	first        bool

	columns, rows int // how many blocks there are
	tops          []float32
	largest       []int32 // of the blocks, by their order
}

// A Place is that of a value in a map.
type Place struct {
	X, Y int
}

// Reset makes g the grid of a map of w by h values, the rows of which are stride values
// apart, for squares that reach so far in all directions. Of equal values in a square all
// are found, or only the first one in raster order. The grid knows no values until
// Maximize has been called for all of its blocks.
func (g *Grid) Reset(values []float32, w, h, stride, radius int, first bool) {
	g.values, g.w, g.h, g.stride = values, w, h, stride
	g.radius, g.first = radius, first
	g.columns, g.rows = (w+radius)/(radius+1), (h+radius)/(radius+1)
	g.tops = slices.Grow(g.tops[:0], g.rows*w)[:g.rows*w]
	// Vectors of those of a row may end behind it.
	n := g.rows*g.columns + 8
	g.largest = slices.Grow(g.largest[:0], n)[:n]
}

// Release forgets the map.
func (g *Grid) Release() {
	g.values = nil
}

// Blocks returns how many columns and rows of blocks there are.
func (g *Grid) Blocks() (columns, rows int) {
	return g.columns, g.rows
}

// A maximizeRun is a row of blocks whose largest values are wanted.
type maximizeRun struct {
	values *float32
	stride int // in bytes
	rows   int
	tops   *float32 // the largest values of columns
	n      int      // of these

	// Blocks from the first one on, after whose first column there are three more at least.
	side, blocks int
	mask         [4]int32   // all bits for those of the four columns that are the block's
	largest      *int32     // of the blocks
	most         [4]float32 // among them the largest of all, or 0
}

// Maximize makes the largest values of the blocks from begin up to end in a row of them,
// and returns the largest one, by its order, or 0 if it is negative. Different blocks may be
// made at the same time.
func (g *Grid) Maximize(row, begin, end int) int32 {
	side := g.radius + 1
	y, endY := row*side, min((row+1)*side, g.h)
	values := g.values[y*g.stride:][begin*side:]
	tops := g.tops[row*g.w:][begin*side : min(end*side, g.w)]
	blocks := g.largest[row*g.columns:][begin:end]
	r := maximizeRun{
		values:  &values[0],
		stride:  4 * g.stride,
		rows:    endY - y,
		tops:    &tops[0],
		n:       len(tops),
		side:    side,
		largest: &blocks[0],
	}
	if wide := max(side, 4); len(tops) >= wide {
		r.blocks = (len(tops)-wide)/side + 1
	}
	for i := range min(side, 4) {
		r.mask[i] = -1
	}
	done := 0
	if r.run() {
		done = r.blocks
	} else {
		copy(tops, values)
		for y++; y < endY; y++ {
			values = values[g.stride:]
			for x, v := range values[:len(tops)] {
				tops[x] = math.Float32frombits(uint32(max(tensor.Order(tops[x]), tensor.Order(v))))
			}
		}
	}
	largest := int32(0)
	for _, most := range r.most {
		largest = max(largest, tensor.Order(most))
	}
	for i := done; i < len(blocks); i++ {
		block := tops[i*side : min((i+1)*side, len(tops))]
		most := tensor.Order(block[0])
		for _, v := range block[1:] {
			most = max(most, tensor.Order(v))
		}
		blocks[i] = most
		largest = max(largest, most)
	}
	return largest
}

// Append appends the places of the blocks from begin up to end in a row of them where values
// are the largest in their squares and exceed a limit, which is not negative.
func (g *Grid) Append(dst []Place, row, begin, end int, limit float32) []Place {
	for ; begin < end; begin += manyBlocks {
		var left uint64
		dst, left = g.appendPeaks(dst, row, begin, min(begin+manyBlocks, end), limit)
		for ; left != 0; left &= left - 1 {
			dst = g.appendBlock(dst, begin+bits.TrailingZeros64(left), row)
		}
	}
	return dst
}

// A peaksRun is blocks of a row, manyBlocks at most, whose largest values are to be compared
// with a limit, and with the squares around them.
type peaksRun struct {
	limit   float32
	largest *int32
	n       int
	blocks  uint64 // a bit for each, and then for those that exceed the limit and are left
	inner   uint64 // whose squares lie in the map: others are left, and those with several largest values

	// Of the first block, in the map.
	tops   *float32
	bottom *float32 // the last row
	x, y   int      // the first column, and the row above

	stride       int // in bytes
	side, radius int
	columns      uint64   // a bit for each column of a block
	corner       int      // bytes from the first value of a square to that in its middle
	earlier      [8]int32 // what is taken from a value to compare it with earlier ones
	beside       [8]int32 // all bits for those of the 8 values before one in its square

	places *Place // room for n
	found  int
}

// manyBlocks is how many blocks a word has bits for.
const manyBlocks = 64

// appendPeaks does Append for some of manyBlocks, and returns a bit for each of those that
// are left and exceed the limit.
func (g *Grid) appendPeaks(dst []Place, row, begin, end int, limit float32) (_ []Place, left uint64) {
	blocks := g.largest[row*g.columns:][begin:end]
	n, side := g.radius, g.radius+1
	x, y := begin*side, row*side
	dst = slices.Grow(dst, len(blocks))
	r := peaksRun{
		limit:   limit,
		largest: &blocks[0],
		n:       len(blocks),
		blocks:  firstBits(len(blocks)),
		tops:    &g.tops[row*g.w+x],
		x:       x,
		y:       y - 1,
		stride:  4 * g.stride,
		side:    side,
		radius:  n,
		columns: firstBits(side),
		corner:  4 * (n*g.stride + n),
		places:  &dst[:len(dst)+1][len(dst)],
	}
	if y >= n && y+side+n <= g.h {
		r.bottom = &g.values[(y+n)*g.stride+x]
		r.inner = firstBits((g.w-n)/side - begin)
		if begin == 0 {
			r.inner &^= 1
		}
	}
	for i := range r.earlier {
		if g.first {
			r.earlier[i] = 1
		}
		if i >= len(r.beside)-n {
			r.beside[i] = -1
		}
	}
	if r.run() {
		return dst[:len(dst)+r.found], r.blocks
	}
	for i, largest := range blocks {
		if largest > tensor.Order(limit) {
			left |= 1 << i
		}
	}
	return dst, left
}

// firstBits returns a word with the first n bits: none or all if it has not so many.
func firstBits(n int) uint64 {
	return 1<<max(n, 0) - 1
}

// appendBlock does Append for a block.
func (g *Grid) appendBlock(dst []Place, column, row int) []Place {
	largest := g.largest[row*g.columns+column]
	p, only := g.find(largest, column, row)
	switch {
	case !only:
		dst = g.appendEqual(dst, largest, column, row)
	case g.isLargest(p, largest, column, row):
		dst = append(dst, p)
	}
	return dst
}

// block returns the corners of a block: the first place, and that beyond the last one.
func (g *Grid) block(column, row int) (first, end Place) {
	side := g.radius + 1
	first = Place{column * side, row * side}
	return first, Place{min(first.X+side, g.w), min(first.Y+side, g.h)}
}

// find returns the place of the largest value of a block, and whether it is the only one.
// It has no branches but those of loops, since nobody can foresee where that is.
func (g *Grid) find(largest int32, column, row int) (p Place, only bool) {
	first, end := g.block(column, row)
	n := 0
	for x, top := range g.tops[row*g.w:][first.X:end.X] {
		if tensor.Order(top) == largest {
			p.X = first.X + x
			n++
		}
	}
	for y := first.Y; y < end.Y; y++ {
		if tensor.Order(g.values[y*g.stride+p.X]) == largest {
			p.Y = y
			n++
		}
	}
	return p, n == 2
}

// appendEqual does Append for a block with several largest values.
func (g *Grid) appendEqual(dst []Place, largest int32, column, row int) []Place {
	first, end := g.block(column, row)
	for y := first.Y; y < end.Y; y++ {
		for x, v := range g.values[y*g.stride:][first.X:end.X] {
			if tensor.Order(v) != largest {
				continue
			}
			if p := (Place{first.X + x, y}); g.isLargest(p, largest, column, row) {
				dst = append(dst, p)
			}
			if g.first {
				return dst
			}
		}
	}
	return dst
}

// isLargest reports whether no value in the square around a place suppresses its own, the
// largest one of its block.
func (g *Grid) isLargest(p Place, largest int32, column, row int) bool {
	for j := max(row-1, 0); j <= min(row+1, g.rows-1); j++ {
		for i := max(column-1, 0); i <= min(column+1, g.columns-1); i++ {
			if most := g.largest[j*g.columns+i]; i == column && j == row || most < largest || most == largest && !g.first {
				continue
			}
			if g.suppresses(p, largest, i, j) {
				return false
			}
		}
	}
	return true
}

// suppresses reports whether a value of a block, other than its own, suppresses that of a
// place.
func (g *Grid) suppresses(p Place, largest int32, column, row int) bool {
	first, end := g.block(column, row)
	for x := max(first.X, p.X-g.radius); x < min(end.X, p.X+g.radius+1); x++ {
		if tensor.Order(g.tops[row*g.w+x]) < largest {
			continue
		}
		for y := max(first.Y, p.Y-g.radius); y < min(end.Y, p.Y+g.radius+1); y++ {
			v := tensor.Order(g.values[y*g.stride+x])
			if v > largest || v == largest && g.first && (y < p.Y || y == p.Y && x < p.X) {
				return true
			}
		}
	}
	return false
}
