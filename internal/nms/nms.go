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
// Maximize has been called for all of its rows.
func (g *Grid) Reset(values []float32, w, h, stride, radius int, first bool) {
	g.values, g.w, g.h, g.stride = values, w, h, stride
	g.radius, g.first = radius, first
	g.columns, g.rows = (w+radius)/(radius+1), (h+radius)/(radius+1)
	g.tops = slices.Grow(g.tops[:0], g.rows*w)[:g.rows*w]
	g.largest = slices.Grow(g.largest[:0], g.rows*g.columns)[:g.rows*g.columns]
}

// Release forgets the map.
func (g *Grid) Release() {
	g.values = nil
}

// Rows returns how many rows of blocks there are.
func (g *Grid) Rows() int {
	return g.rows
}

// A topsRun is rows of a map whose columns' largest values are wanted.
type topsRun struct {
	values *float32
	stride int // in bytes
	rows   int
	tops   *float32
	n      int // columns
}

// Maximize makes the largest values of a row of blocks. Different rows may be made at the
// same time.
func (g *Grid) Maximize(row int) {
	side := g.radius + 1
	y, end := row*side, min((row+1)*side, g.h)
	tops := g.tops[row*g.w:][:g.w]
	r := topsRun{&g.values[y*g.stride], 4 * g.stride, end - y, &tops[0], g.w}
	if !r.run() {
		copy(tops, g.values[y*g.stride:])
		for y++; y < end; y++ {
			values := g.values[y*g.stride:][:len(tops)]
			for x, v := range values {
				if tensor.Order(v) > tensor.Order(tops[x]) {
					tops[x] = v
				}
			}
		}
	}
	largest := g.largest[row*g.columns:][:g.columns]
	for i := range largest {
		block := tops[i*side : min((i+1)*side, len(tops))]
		most := tensor.Order(block[0])
		for _, v := range block[1:] {
			most = max(most, tensor.Order(v))
		}
		largest[i] = most
	}
}

// Append appends the places of a row of blocks where values are the largest in their
// squares and exceed a limit, which is not negative.
func (g *Grid) Append(dst []Place, row int, limit float32) []Place {
	side := g.radius + 1
	y, end := row*side, min((row+1)*side, g.h)
	for i, largest := range g.largest[row*g.columns:][:g.columns] {
		if largest <= tensor.Order(limit) {
			continue
		}
		n := len(dst)
		left := i * side
		for x, top := range g.tops[row*g.w:][left:min(left+side, g.w)] {
			if tensor.Order(top) != largest {
				continue
			}
			for y := y; y < end; y++ {
				if tensor.Order(g.values[y*g.stride+left+x]) == largest {
					dst = append(dst, Place{left + x, y})
				}
			}
		}
		if g.first {
			first := dst[n]
			for _, p := range dst[n+1:] {
				if p.Y < first.Y {
					first = p
				}
			}
			dst = append(dst[:n], first)
		}
		kept := dst[:n]
		for _, p := range dst[n:] {
			if g.isLargest(p, largest, i, row) {
				kept = append(kept, p)
			}
		}
		dst = kept
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
	side := g.radius + 1
	begin, end := max(row*side, p.Y-g.radius), min((row+1)*side, p.Y+side, g.h)
	for x := max(column*side, p.X-g.radius); x < min((column+1)*side, p.X+side, g.w); x++ {
		if tensor.Order(g.tops[row*g.w+x]) < largest {
			continue
		}
		for y := begin; y < end; y++ {
			v := tensor.Order(g.values[y*g.stride+x])
			if v > largest || v == largest && g.first && (y < p.Y || y == p.Y && x < p.X) {
				return true
			}
		}
	}
	return false
}
