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

// Maximize makes the largest values of a row of blocks, and returns the largest one of
// them, by its order. Different rows may be made at the same time.
func (g *Grid) Maximize(row int) int32 {
	side := g.radius + 1
	y, end := row*side, min((row+1)*side, g.h)
	tops := g.tops[row*g.w:][:g.w]
	r := topsRun{&g.values[y*g.stride], 4 * g.stride, end - y, &tops[0], g.w}
	if !r.run() {
		copy(tops, g.values[y*g.stride:])
		for y++; y < end; y++ {
			values := g.values[y*g.stride:][:len(tops)]
			for x, v := range values {
				tops[x] = math.Float32frombits(uint32(max(tensor.Order(tops[x]), tensor.Order(v))))
			}
		}
	}
	blocks := g.largest[row*g.columns:][:g.columns]
	largest := tensor.Order(tops[0])
	for i := range blocks {
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

// Append appends the places of a row of blocks where values are the largest in their
// squares and exceed a limit, which is not negative.
func (g *Grid) Append(dst []Place, row int, limit float32) []Place {
	for column, largest := range g.largest[row*g.columns:][:g.columns] {
		if largest <= tensor.Order(limit) {
			continue
		}
		p, only := g.find(largest, column, row)
		switch {
		case !only:
			dst = g.appendEqual(dst, largest, column, row)
		case g.isLargest(p, largest, column, row):
			dst = append(dst, p)
		}
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

// A squareRun is a square of values whose rows are to be compared with limits: so many
// rows with the first one and the others with the second one.
type squareRun struct {
	values       *float32
	stride       int // in bytes
	above, below int
	side         int
	limits       [2]float32
	exceeded     int // not 0 if a value exceeds its limit
}

// isLargest reports whether no value in the square around a place suppresses its own, the
// largest one of its block.
func (g *Grid) isLargest(p Place, largest int32, column, row int) bool {
	if n := g.radius; p.X >= n && p.X < g.w-n && p.Y >= n && p.Y < g.h-n {
		// Earlier values suppress that of the place where they are not less, and so
		// exceed the next smaller number.
		equal := largest
		if g.first {
			equal--
		}
		values := g.values[(p.Y-n)*g.stride+p.X-n:]
		r := squareRun{
			&values[0], 4 * g.stride, n, n + 1, 2*n + 1,
			[2]float32{math.Float32frombits(uint32(equal)), math.Float32frombits(uint32(largest))},
			0,
		}
		if r.run() {
			for _, v := range values[n*g.stride:][:n] {
				if tensor.Order(v) > equal {
					return false
				}
			}
			return r.exceeded == 0
		}
	}
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
