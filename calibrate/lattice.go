package calibrate

import (
	"cmp"
	"slices"
)

// A cell is a place in a grid.
type cell struct{ column, row int32 }

func (c cell) plus(d cell) cell { return cell{c.column + d.column, c.row + d.row} }

// times returns a multiple of a step.
func (c cell) times(n int32) cell { return cell{c.column * n, c.row * n} }

// steps are those along the edges of a grid, clockwise. A way is the number of one of them.
var steps = [4]cell{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}

// back returns the step in the opposite direction.
func (c cell) back() cell { return cell{-c.column, -c.row} }

// compare orders cells by rows.
func (c cell) compare(d cell) int {
	return cmp.Or(cmp.Compare(c.row, d.row), cmp.Compare(c.column, d.column))
}

// A corner is a cross in a grid.
type corner struct {
	cell
	cross int32
	turn  int8 // the way of direction 0 of the cross, or notTurned if it was not linked
}

const notTurned = -1

// A lattice is a grid at work. It is a table of cells with a number of its own, so that the next
// one need not clear it.
type lattice struct {
	number  uint32
	corners []corner // in any order while corners are added, else by rows
	count   int      // of the corners in the table
	votes   int      // the sum of the corners' votes
	slots   []slot   // a power of two of them, at least twice as many as are in use
	inUse   int
}

// A slot has what is known of a cell.
type slot struct {
	cell
	number uint32 // of the lattice to which it belongs
	cross  int32  // or -1
	index  int32  // in the corners, while nothing changes
	tries  uint8  // how many times the cell was filled in vain
	round  uint8  // the last one in which it was to be filled
	full   bool   // the square that begins here is full
	kept   bool   // the corner belongs to one of the squares that are kept
}

// reset begins with a new lattice, without corners.
func (l *lattice) reset() {
	l.number++
	if l.number == 0 || len(l.slots) == 0 {
		l.slots = make([]slot, max(len(l.slots), 256))
		l.number = 1
	}
	l.corners = l.corners[:0]
	l.count, l.votes, l.inUse = 0, 0, 0
}

// lookup returns the slot of a cell, or the one where it belongs.
func (l *lattice) lookup(c cell) *slot {
	h := (uint64(uint32(c.column))<<32 | uint64(uint32(c.row))) * 0x9e3779b97f4a7c15
	mask := uint64(len(l.slots) - 1)
	for i := h >> 32; ; i++ {
		s := &l.slots[i&mask]
		if s.number != l.number || s.cell == c {
			return s
		}
	}
}

// slot returns the slot of a cell, which it adds if there is none. It is valid until the next one
// is added.
func (l *lattice) slot(c cell) *slot {
	s := l.lookup(c)
	if s.number == l.number {
		return s
	}
	if l.inUse++; 2*l.inUse > len(l.slots) {
		l.grow()
		s = l.lookup(c)
	}
	*s = slot{cell: c, number: l.number, cross: -1}
	return s
}

// grow makes the table twice as large.
func (l *lattice) grow() {
	old := l.slots
	l.slots = make([]slot, 2*len(old))
	for i := range old {
		if s := &old[i]; s.number == l.number {
			*l.lookup(s.cell) = *s
		}
	}
}

// at returns the cross in a cell, or -1.
func (l *lattice) at(c cell) int32 {
	if s := l.lookup(c); s.number == l.number {
		return s.cross
	}
	return -1
}

// has reports whether there is a corner in a cell.
func (l *lattice) has(c cell) bool { return l.at(c) >= 0 }

// put adds a corner to the table.
func (l *lattice) put(c corner) {
	l.slot(c.cell).cross = c.cross
	l.count++
	l.votes += c.vote()
}

// add adds a corner.
func (l *lattice) add(c corner) {
	l.put(c)
	l.corners = append(l.corners, c)
}

// remove removes a corner from the table.
func (l *lattice) remove(c corner) {
	l.slot(c.cell).cross = -1
	l.count--
	l.votes -= c.vote()
}

// removeIf removes the corners for which it is told, one after the other.
func (l *lattice) removeIf(unfit func(c corner) bool) {
	l.corners = slices.DeleteFunc(l.corners, func(c corner) bool {
		if !unfit(c) {
			return false
		}
		l.remove(c)
		return true
	})
}

// sort sorts the corners by rows.
func (l *lattice) sort() {
	slices.SortFunc(l.corners, func(a, b corner) int { return a.compare(b.cell) })
}

// vote returns 1 if a corner says that the quadrants after way 0, clockwise, are light in cells
// with an even sum, and -1 if it says that they are dark. 0 and 2 of a cross's directions have
// light after them.
func (c corner) vote() int {
	switch {
	case c.turn == notTurned:
		return 0
	case (int32(c.turn)+c.column+c.row)%2 == 0:
		return 1
	default:
		return -1
	}
}

// lightAfter reports whether the quadrant of a cell that follows a way, clockwise, is light.
func (l *lattice) lightAfter(c cell, way int) bool {
	even := (c.column+c.row+int32(way))%2 == 0
	return even == (l.votes >= 0)
}

// bounds returns the cells at the corners of the rectangle around all corners.
func (l *lattice) bounds() (low, high cell) {
	low, high = l.corners[0].cell, l.corners[0].cell
	for _, c := range l.corners {
		low = cell{min(low.column, c.column), min(low.row, c.row)}
		high = cell{max(high.column, c.column), max(high.row, c.row)}
	}
	return low, high
}

// size returns the numbers of columns and rows, of which the columns are no fewer.
func (l *lattice) size() (columns, rows int) {
	low, high := l.bounds()
	w, h := int(high.column-low.column)+1, int(high.row-low.row)+1
	return max(w, h), min(w, h)
}
