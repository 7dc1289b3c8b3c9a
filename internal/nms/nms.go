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
// apart, for squares that reach radius values in all directions. Of equal values in a square
// only the first one in raster order is found, if first is set, and otherwise all. The grid
// knows no values until a Finder has maximized all of its blocks.
func (g *Grid) Reset(values []float32, w, h, stride, radius int, first bool) {
	g.values, g.w, g.h, g.stride = values, w, h, stride
	g.radius, g.first = radius, first
	g.columns, g.rows = (w+radius)/(radius+1), (h+radius)/(radius+1)
	g.tops = slices.Grow(g.tops[:0], g.rows*w)[:g.rows*w]
	// Vectors of those of a row may end behind it.
	n := g.rows*g.columns + 8
	g.largest = slices.Grow(g.largest[:0], n)[:n]
}

// Blocks returns how many columns and rows of blocks there are.
func (g *Grid) Blocks() (columns, rows int) {
	return g.columns, g.rows
}

// A Finder does the work on blocks of a Grid. Several of them may work on different blocks at
// the same time, in a goroutine each. The zero value is ready for use.
type Finder struct {
	maximize maximizeRun
	peaks    peaksRun
}

// Maximize makes the largest values of the blocks from begin up to end in a row of them,
// and returns the largest one, by its order, or 0 if it is negative.
func (f *Finder) Maximize(g *Grid, row, begin, end int) int32 {
	side := g.radius + 1
	y, endY := row*side, min((row+1)*side, g.h)
	tops := g.tops[row*g.w:][begin*side : min(end*side, g.w)]
	blocks := g.largest[row*g.columns:][begin:end]
	n := 0 // blocks of the kernel
	if least := max(side, 4); len(tops) >= least {
		n = (len(tops)-least)/side + 1
	}
	r := &f.maximize
	*r = maximizeRun{
		values:  g.values[y*g.stride:][begin*side:],
		stride:  g.stride,
		rows:    endY - y,
		tops:    tops,
		side:    side,
		largest: blocks[:n],
	}
	for i := range min(side, 4) {
		r.mask[i] = -1
	}
	kernelsFor(len(tops)).maximize(r)
	most := int32(0)
	for _, v := range r.most {
		most = max(most, tensor.Order(v))
	}
	for i := n; i < len(blocks); i++ {
		blocks[i] = maximum(tops[i*side : min((i+1)*side, len(tops))])
		most = max(most, blocks[i])
	}
	return most
}

// Append appends the places of the blocks from begin up to end in a row of them where values
// are the largest in their squares and exceed a limit, which is not negative. Maximize has
// been called for all blocks of the grid.
func (f *Finder) Append(dst []Place, g *Grid, row, begin, end int, limit float32) []Place {
	for ; begin < end; begin += manyBlocks {
		var left uint64
		dst, left = f.appendPeaks(dst, g, row, begin, min(begin+manyBlocks, end), limit)
		for ; left != 0; left &= left - 1 {
			dst = g.appendBlock(dst, begin+bits.TrailingZeros64(left), row)
		}
	}
	return dst
}

// appendPeaks does Append for at most manyBlocks blocks, but returns a bit for each of those
// that exceed the limit and are left to appendBlock.
func (f *Finder) appendPeaks(dst []Place, g *Grid, row, begin, end int, limit float32) (_ []Place, left uint64) {
	blocks := g.largest[row*g.columns:][begin:end]
	n, side := g.radius, g.radius+1
	x, y := begin*side, row*side
	dst = slices.Grow(dst, len(blocks))
	r := &f.peaks
	*r = peaksRun{
		limit:   limit,
		largest: blocks,
		blocks:  firstBits(len(blocks)),
		tops:    &g.tops[row*g.w+x],
		x:       x,
		y:       y - 1,
		stride:  4 * g.stride,
		side:    side,
		radius:  n,
		columns: firstBits(side),
		corner:  4 * (n*g.stride + n),
		places:  dst[len(dst) : len(dst)+len(blocks)],
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
	if side <= 64 {
		kernelsFor(2*n + 1).peaks(r)
	} else {
		peaks(r) // words have no bits for the columns of a block
	}
	r.places = nil // they belong to the caller
	return dst[:len(dst)+r.found], r.blocks
}

// firstBits returns a word with the first n bits set: none if n is negative, and all if it
// exceeds 64.
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
