package tag

import "math/bits"

// maxCells is the number of cells along a side of the largest drawing: the seven columns of bits of
// ArUco7x7, the widest border, and the quiet zone.
const maxCells = 7 + 2*mostBorder + 2

// A plan is what a Detector needs to know of a family.
type plan struct {
	design
	family    Family // with its defaults
	corrected int    // wrong bits, at most
	far       int    // wrong bits of a reading that is worth a fit
	weak      bool
	layout    [64][2]int8 // the column and row of the cell of each bit
	// The coordinates of the centers of cells in a row, from that margin cells before the quad on.
	centers [maxCells]float64
}

// newPlan returns the plan of a family. maxCorrected is the field of Options.
func newPlan(family Family, maxCorrected int) plan {
	f := plan{design: family.design(), family: family}
	f.corrected = f.mostCorrected()
	if maxCorrected != 0 {
		f.corrected = min(max(maxCorrected, 0), f.halfDistance())
	}
	if f.corrected > 0 {
		f.far = min(f.halfDistance(), f.corrected+3)
	}
	f.weak = f.design.weak(f.corrected)
	for i := range f.bits {
		x, y := f.cell(i)
		f.layout[i] = [2]int8{int8(x), int8(y)}
	}
	for i := range f.total() {
		f.centers[i] = float64(2*(i-f.margin)+1)/float64(f.cells) - 1
	}
	return f
}

// halfDistance returns the largest number of wrong bits with which a code is nearer than all others.
func (d *design) halfDistance() int { return max(d.distance()-1, 0) / 2 }

// center returns the coordinate of the center of a column or row of cells, -1 to 1 over the quad.
func (f *plan) center(i int) float64 { return f.centers[i+f.margin] }

// A ring is where a cell lies.
type ring uint8

const (
	inside ring = iota // the border
	border
	outside // the quad
)

// ring returns where a cell lies.
func (f *plan) ring(x, y int) ring {
	switch depth := min(x, y, f.cells-1-x, f.cells-1-y); {
	case depth < 0:
		return outside
	case depth <= f.extra:
		return border
	}
	return inside
}

// nearest returns the marker and the turn whose code is nearest to a word, and the number of bits by
// which it differs: of equal ones the first marker, and the smallest turn.
func (f *plan) nearest(word uint64) (id, turn, wrong int) {
	var words [4]uint64
	if f.inverted {
		word ^= f.dictionary.Mask()
	}
	for r := range words {
		words[r] = word
		word = f.turned(word)
	}
	wrong = f.bits + 1
	for i := range f.codes {
		code := f.dictionary.Code(i)
		for r, w := range words {
			if n := bits.OnesCount64(code ^ w); n < wrong {
				id, turn, wrong = i, r, n
			}
		}
	}
	return id, turn, wrong
}

// draw sets a drawing, as the argument of the fit's kernel has it, to that of a marker.
func (f *plan) draw(drawing *[maxCells * maxCells]uint32, id int) {
	var white [maxCells][maxCells]uint32
	total := f.total()
	for y := range total {
		for x := range total {
			if f.blank(x-f.margin, y-f.margin) {
				white[y][x] = 1
			}
		}
	}
	code := f.code(id)
	for i, c := range f.layout[:f.bits] {
		white[int(c[1])+f.margin][int(c[0])+f.margin] = uint32(code >> (f.bits - 1 - i) & 1)
	}
	for y := range total {
		for x := range total {
			cells := uint32(0)
			for k := range 9 {
				row, column := min(max(y+k/3-1, 0), total-1), min(max(x+k%3-1, 0), total-1)
				cells |= white[row][column] << k
			}
			drawing[y*maxCells+x] = cells
		}
	}
}
