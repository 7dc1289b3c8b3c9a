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
	words     []uint64 // the codes of the markers
	data      []cell   // of the bits
	// The cells of the border and of the ring around the quad, and those inside the border, by rows.
	rings, inside  []cell
	border, around shadeSums // of the places of the cells of both rings
	near           *places   // near the sides
	// The centers of the cells of both rings, of those inside the border, and of data outside of the quad.
	ringPlaces, insidePlaces, outsidePlaces *places
}

// A cell of a marker has a column and a row, counted from the quad's upper left corner, and a center, which
// has coordinates from -1 to 1 in the quad.
type cell struct {
	x, y    int
	u, v    float64
	outside bool // the quad
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
	f.words = make([]uint64, f.codes)
	for i := range f.words {
		f.words[i] = f.code(i)
	}
	for i := range f.bits {
		f.data = append(f.data, f.cellAt(f.cell(i)))
	}
	for y := -1; y <= f.cells; y++ {
		for x := -1; x <= f.cells; x++ {
			c := f.cellAt(x, y)
			switch depth := f.depth(x, y); {
			case depth > f.extra:
				f.inside = append(f.inside, c)
				continue
			case depth < 0:
				f.around.place(c.u, c.v)
			default:
				f.border.place(c.u, c.v)
			}
			f.rings = append(f.rings, c)
		}
	}
	var outside []cell
	for _, c := range f.data {
		if c.outside {
			outside = append(outside, c)
		}
	}
	f.near = placesNear(f.cells)
	f.ringPlaces, f.insidePlaces, f.outsidePlaces = centers(f.rings), centers(f.inside), centers(outside)
	return f
}

// halfDistance returns the largest number of wrong bits with which a code is nearer than all others.
func (d *design) halfDistance() int { return max(d.distance()-1, 0) / 2 }

// cellAt returns a cell.
func (d *design) cellAt(x, y int) cell {
	center := func(i int) float64 { return float64(2*i+1)/float64(d.cells) - 1 }
	return cell{x, y, center(x), center(y), d.depth(x, y) < 0}
}

// depth returns how many cells lie between a cell and the outside of the quad, and a negative number
// outside.
func (d *design) depth(x, y int) int { return min(x, y, d.cells-1-x, d.cells-1-y) }

// nearest returns the marker and the turn whose code is nearest to a word, and the number of bits by
// which it differs: of equal ones the first marker, and the smallest turn.
func (f *plan) nearest(word uint64) (id, turn, wrong int) {
	var turns [4]uint64
	for r := range turns {
		turns[r] = word
		word = f.turned(word)
	}
	wrong = f.bits + 1
	for i, code := range f.words {
		for r, w := range turns {
			if n := bits.OnesCount64(code ^ w); n < wrong {
				id, turn, wrong = i, r, n
			}
		}
	}
	return id, turn, wrong
}

// draw sets a drawing, as the argument of the fit's kernel has it, to that of a marker.
func (f *plan) draw(drawing *[maxCells * maxCells]uint32, id int) {
	white, total := f.picture(f.words[id]), f.total()
	// The white cells of each row, with the cells at its ends repeated on both sides.
	var rows [maxCells]uint32
	for y := range total {
		for x := range total {
			if white[y][x] {
				rows[y] |= 2 << x
			}
		}
		rows[y] |= rows[y]>>1&1 | rows[y]&(1<<total)<<1
	}
	for y := range total {
		above, row, below := rows[max(y-1, 0)], rows[y], rows[min(y+1, total-1)]
		for x := range total {
			drawing[y*maxCells+x] = above>>x&7 | row>>x&7<<3 | below>>x&7<<6
		}
	}
}
