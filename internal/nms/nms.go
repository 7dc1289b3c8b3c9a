// Package nms does non-maximum suppression: it finds the values of a map that are the
// largest ones in the squares around them.
//
// The map is divided into blocks with about half the side of a square. The square around a
// value contains the whole block of the value, so only the largest value of a block can be
// found (A. Neubeck and L. Van Gool, "Efficient non-maximum suppression", ICPR 2006). The
// rest of its square lies in the surrounding blocks, few of which have larger values.
//
// The largest value of every column of a block is kept, so that few values are looked at to
// find the largest one and to compare it with those around it.
package nms

import (
	"image"
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A Grid is the blocks of a map. The zero value is that of an empty map.
type Grid struct {
	values       []float32
	w, h, stride int
	radius       int
	first        bool

	columns, rows int       // of blocks
	tops          []float32 // the largest values of the columns of blocks
	largest       []int32   // the largest values of blocks, by their order
}

// Reset makes g the grid of a map of w by h values, the rows of which are stride values
// apart, for squares that extend radius values in all directions. If the largest values in a
// square are equal, only the first one in raster order is found if first is true, and
// otherwise all of them are. The values of the map may change until a Finder looks at them.
func (g *Grid) Reset(values []float32, w, h, stride, radius int, first bool) {
	g.values, g.w, g.h, g.stride = values, w, h, stride
	g.radius, g.first = radius, first
	g.columns, g.rows = (w+radius)/(radius+1), (h+radius)/(radius+1)
	g.tops = raster.Resize(g.tops, g.rows*w)
	// Vectors at the end of a row may extend beyond it.
	g.largest = raster.Resize(g.largest, g.rows*g.columns+8)
}

// Blocks returns the number of columns and of rows of blocks.
func (g *Grid) Blocks() (columns, rows int) {
	return g.columns, g.rows
}

// A Finder works on the blocks of a Grid. Several Finders may work on different blocks of
// one Grid at the same time, each in a goroutine of its own. The zero value is ready for use.
type Finder struct {
	maximize maximizeRun
	peaks    peaksRun
}

// Maximize finds the largest values of the blocks from begin up to end in a row of blocks.
// It returns the largest one of them, by its order, or 0 if it is negative.
func (f *Finder) Maximize(g *Grid, row, begin, end int) int32 {
	side := g.radius + 1
	y, endY := row*side, min((row+1)*side, g.h)
	tops := g.tops[row*g.w:][begin*side : min(end*side, g.w)]
	blocks := g.largest[row*g.columns:][begin:end]
	n := 0 // blocks for the kernel
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

// Append appends to dst the places in the blocks from begin up to end of a row of blocks
// where a value is the largest one in its square and exceeds limit, which must not be
// negative. Before that, Maximize must have been called for all blocks of the grid.
func (f *Finder) Append(dst []image.Point, g *Grid, row, begin, end int, limit float32) []image.Point {
	for ; begin < end; begin += manyBlocks {
		var left uint64
		dst, left = f.appendPeaks(dst, g, row, begin, min(begin+manyBlocks, end), limit)
		for ; left != 0; left &= left - 1 {
			dst = g.appendBlock(dst, begin+bits.TrailingZeros64(left), row)
		}
	}
	return dst
}

// appendPeaks does Append for at most manyBlocks blocks. It returns a bit for each of those
// that exceed the limit and are left to appendBlock.
func (f *Finder) appendPeaks(dst []image.Point, g *Grid, row, begin, end int, limit float32) (_ []image.Point, left uint64) {
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
func (g *Grid) appendBlock(dst []image.Point, column, row int) []image.Point {
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

// block returns the rectangle of a block.
func (g *Grid) block(column, row int) image.Rectangle {
	side := g.radius + 1
	first := image.Point{column * side, row * side}
	return image.Rectangle{first, image.Point{min(first.X+side, g.w), min(first.Y+side, g.h)}}
}

// find returns the place of the largest value of a block, and whether no other value of the
// block is as large. It has no branches except for those of loops, since where the value is
// cannot be predicted.
func (g *Grid) find(largest int32, column, row int) (p image.Point, only bool) {
	b := g.block(column, row)
	n := 0
	for x, top := range g.tops[row*g.w:][b.Min.X:b.Max.X] {
		if tensor.Order(top) == largest {
			p.X = b.Min.X + x
			n++
		}
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		if tensor.Order(g.values[y*g.stride+p.X]) == largest {
			p.Y = y
			n++
		}
	}
	return p, n == 2
}

// appendEqual does Append for a block with several largest values.
func (g *Grid) appendEqual(dst []image.Point, largest int32, column, row int) []image.Point {
	b := g.block(column, row)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x, v := range g.values[y*g.stride:][b.Min.X:b.Max.X] {
			if tensor.Order(v) != largest {
				continue
			}
			if p := image.Pt(b.Min.X+x, y); g.isLargest(p, largest, column, row) {
				dst = append(dst, p)
			}
			if g.first {
				return dst
			}
		}
	}
	return dst
}

// isLargest reports whether no value in the square around p suppresses that of p, which is
// the largest one of its block.
func (g *Grid) isLargest(p image.Point, largest int32, column, row int) bool {
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

// suppresses reports whether a value of a block suppresses that of p, which is in another
// block.
func (g *Grid) suppresses(p image.Point, largest int32, column, row int) bool {
	b := g.block(column, row)
	for x := max(b.Min.X, p.X-g.radius); x < min(b.Max.X, p.X+g.radius+1); x++ {
		if tensor.Order(g.tops[row*g.w+x]) < largest {
			continue
		}
		for y := max(b.Min.Y, p.Y-g.radius); y < min(b.Max.Y, p.Y+g.radius+1); y++ {
			v := tensor.Order(g.values[y*g.stride+x])
			if v > largest || v == largest && g.first && (y < p.Y || y == p.Y && x < p.X) {
				return true
			}
		}
	}
	return false
}
