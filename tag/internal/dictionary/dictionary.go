// Package dictionary holds the codes of markers. Package tag has the small dictionaries itself; the
// packages of the module tag/large add the large ones when they are imported. A program may have that
// module at another version than this one, so what it uses here stays.
package dictionary

// A Dictionary is the codes of a kind of markers and where their bits are drawn.
type Dictionary struct {
	// Bits is the number of bits of a code, at most 64.
	Bits int
	// Cells is the number of cells along a side of the quad, with a border of one cell.
	Cells int
	// Margin is how many cells the drawing extends beyond each side of the quad.
	Margin int
	// Distance is the least number of bits in which two codes differ, in any orientations.
	Distance int
	// Reversed reports that the quad is white along its inside and black along its outside.
	Reversed bool
	// Quarter has the columns and rows of the cells of the first quarter of the bits, from the
	// highest. The upper left cell of the quad is 0, 0. See [Dictionary.Cell] for the other bits.
	Quarter [][2]int8
	// Codes has (Bits+7)/8 bytes, the highest first, for each code.
	Codes string
}

// The dictionaries of the packages of these names. They are nil if those are not imported.
var Standard52h13, Custom48h12, Circle49h12 *Dictionary

// Len returns the number of codes.
func (d *Dictionary) Len() int { return len(d.Codes) / d.size() }

// size returns the number of bytes of a code.
func (d *Dictionary) size() int { return (d.Bits + 7) / 8 }

// Code returns a code.
func (d *Dictionary) Code(id int) uint64 {
	code := uint64(0)
	for i := range d.size() {
		code = code<<8 | uint64(d.Codes[id*d.size()+i])
	}
	return code
}

// Mask returns the bits of codes, all set.
func (d *Dictionary) Mask() uint64 { return 1<<d.Bits - 1 }

// Cell returns the column and the row of the cell of bit i, counted from the highest bit. Each
// quarter of the bits has the cells of the quarter before, turned clockwise by 90 degrees around
// the center of the marker. If the number of bits is odd, the last one is in the center.
func (d *Dictionary) Cell(i int) (x, y int) {
	n := d.Bits / 4
	if i == 4*n {
		return d.Cells / 2, d.Cells / 2
	}
	x, y = int(d.Quarter[i%n][0]), int(d.Quarter[i%n][1])
	for range i / n {
		x, y = d.Cells-1-y, x
	}
	return x, y
}

// Turned returns a word whose bit of each cell is the bit that word has of the cell to which that
// one comes when the marker is turned clockwise by 90 degrees.
func (d *Dictionary) Turned(word uint64) uint64 {
	n, center := d.Bits/4, d.Bits%4
	ring := word >> center
	ring = ring<<n | ring>>(3*n)
	return ring<<center&d.Mask() | word&(1<<center-1)
}
