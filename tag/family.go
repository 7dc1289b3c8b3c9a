package tag

import (
	"cmp"
	"fmt"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/tag/internal/dictionary"
)

// A Family is a set of markers. The zero Family is all markers of Tag36h11.
//
// Its methods but Check panic if that returns an error.
type Family struct {
	// Kind is the dictionary. 0 means Tag36h11.
	Kind Kind
	// Codes is the number of markers, from the first: those with an ID below it. Fewer markers are
	// seen by chance less often, so that more bits can be corrected. 0 means all.
	Codes int
	// Border is the width of the black border in cells, 1 to 4, and 1 for kinds with data around
	// the border: Standard, Custom and Circle. 0 means 1. The boards of Kalibr have 2.
	Border int
	// Inverted exchanges black and white.
	Inverted bool
}

// mostBorder is the largest Border.
const mostBorder = 4

var familyFields = option.Fields{Package: "tag", Type: "Family"}

// looksLike reports whether the markers of f and g are the same ones, whatever the Codes.
func (f Family) looksLike(g Family) bool {
	f, g = f.withDefaults(), g.withDefaults()
	f.Codes, g.Codes = 0, 0
	return f == g
}

// dictionary returns the dictionary of k, or nil if it belongs to a package that is not imported.
func (k Kind) dictionary() *dictionary.Dictionary {
	switch k {
	case Standard52h13:
		return dictionary.Standard52h13
	case Custom48h12:
		return dictionary.Custom48h12
	case Circle49h12:
		return dictionary.Circle49h12
	}
	return &dictionaries[k]
}

// withDefaults returns f with its Kind and Border.
func (f Family) withDefaults() Family {
	f.Kind, f.Border = cmp.Or(f.Kind, Tag36h11), cmp.Or(f.Border, 1)
	return f
}

// Check returns an error if a field of f is out of range, or if Kind has a package of its own that
// the program does not import. It names the field.
func (f Family) Check() error { return f.withDefaults().check() }

// check is Check for a Family with its defaults.
func (f Family) check() error {
	if !kindNames.Has(f.Kind) {
		return familyFields.OutOfRange("Kind", f.Kind, kindNames.Want())
	}
	d := f.Kind.dictionary()
	switch {
	case d == nil:
		return familyFields.OutOfRange("Kind", f.Kind, "known without importing github.com/fastcorners/fast/tag/large/"+f.Kind.String())
	case f.Codes < 0 || f.Codes > d.Len():
		return familyFields.OutOfRange("Codes", f.Codes, fmt.Sprintf("0 to %d for Kind %v", d.Len(), f.Kind))
	case f.Border < 1 || f.Border > mostBorder:
		return familyFields.OutOfRange("Border", f.Border, fmt.Sprintf("0 to %d", mostBorder))
	case f.Border > 1 && d.Reversed:
		return familyFields.OutOfRange("Border", f.Border, fmt.Sprintf("0 or 1 for Kind %v", f.Kind))
	}
	return nil
}

// design returns the design of the markers of f. It panics if a field is out of range.
func (f Family) design() design {
	f = f.withDefaults()
	if err := f.check(); err != nil {
		panic(err.Error())
	}
	d := f.Kind.dictionary()
	extra := f.Border - 1
	return design{
		dictionary: d,
		codes:      cmp.Or(f.Codes, d.Len()),
		bits:       d.Bits,
		cells:      d.Cells + 2*extra,
		extra:      extra,
		margin:     d.Margin,
		reversed:   d.Reversed != f.Inverted,
		inverted:   f.Inverted,
	}
}

// Len returns the number of markers. Their IDs count from 0.
func (f Family) Len() int { return f.design().codes }

// Chance returns the probability that a random pattern of bits is read as a marker if up to
// corrected wrong bits are corrected, or more precisely the number of markers that are expected to
// be read, in four orientations, which may be more than 1.
func (f Family) Chance(corrected int) float64 {
	d := f.design()
	return d.chance(corrected)
}

// White reports whether a cell of a marker is white. The cell 0, 0 is the first one of the border,
// in the upper left corner; columns increase to the right and rows downward. The drawing begins at
// -1, with the quiet zone, or at -2 or -3 with the data around the border, extends as far beyond
// the opposite sides, and is white around. Cells without data inside the border or between the data
// around it are black. All of that is the other way round if f is Inverted. White panics if id is
// not in 0 to Len-1.
func (f Family) White(id, x, y int) bool {
	d := f.design()
	d.check(id)
	return d.white(d.code(id), x, y)
}

// A design is how the markers of a Family look.
type design struct {
	dictionary *dictionary.Dictionary
	codes      int  // the number of markers
	bits       int  // of a code, the first one the highest
	cells      int  // along a side of the quad
	extra      int  // cells of the border beyond one
	margin     int  // cells of the drawing beyond each side of the quad
	reversed   bool // white along the inside of the quad and black along its outside
	inverted   bool // black and white are exchanged
	upsideDown bool // drawings are
}

// total returns the number of cells along a side of the drawing.
func (d *design) total() int { return d.cells + 2*d.margin }

// distance returns the least number of bits in which two codes of the dictionary differ, in any
// orientations.
func (d *design) distance() int { return d.dictionary.Distance }

// code returns the code of a marker, whose bits are 1 where it is white.
func (d *design) code(id int) uint64 {
	code := d.dictionary.Code(id)
	if d.inverted {
		code ^= d.dictionary.Mask()
	}
	return code
}

// cell returns the column and row of the cell of bit i, counted from the highest bit. The first
// cell inside the quad is 0, 0.
func (d *design) cell(i int) (x, y int) {
	x, y = d.dictionary.Cell(i)
	return x + d.extra, y + d.extra
}

// turned returns a word whose bit of each cell is the bit that word has of the cell to which that
// one comes when the marker is turned clockwise by 90 degrees: x, y becomes cells-1-y, x.
func (d *design) turned(word uint64) uint64 { return d.dictionary.Turned(word) }

// blank reports whether a cell without data is white.
func (d *design) blank(x, y int) bool {
	depth := d.depth(x, y)
	white := depth < 0
	if d.dictionary.Reversed {
		white = depth == 0 || depth < -d.margin
	}
	return white != d.inverted
}

// white reports whether a cell of the marker with the given code is white.
func (d *design) white(code uint64, x, y int) bool {
	for i := range d.bits {
		if u, v := d.cell(i); u == x && v == y {
			return code>>(d.bits-1-i)&1 == 1
		}
	}
	return d.blank(x, y)
}

// picture returns whether each cell of the drawing of the marker with the given code is white, by
// rows.
func (d *design) picture(code uint64) (white [maxCells][maxCells]bool) {
	for y := range d.total() {
		for x := range d.total() {
			white[y][x] = d.blank(x-d.margin, y-d.margin)
		}
	}
	for i := range d.bits {
		x, y := d.cell(i)
		white[y+d.margin][x+d.margin] = code>>(d.bits-1-i)&1 == 1
	}
	return white
}

// chance is Family.Chance.
func (d *design) chance(corrected int) float64 {
	sum, choose := 0.0, 1.0
	for i := 0; i <= min(corrected, d.bits); i++ {
		sum += choose
		choose = float64(choose*float64(d.bits-i)) / float64(i+1)
	}
	return float64(4*float64(d.codes)*sum) / float64(uint64(1)<<d.bits)
}

// mostCorrected returns the default of Options.MaxCorrected.
func (d *design) mostCorrected() int {
	k := 0
	for k < 2 && 2*(k+1) < d.distance() && d.chance(k+1) <= 2e-3 {
		k++
	}
	return k
}

// weak reports whether random patterns are read so often, if up to corrected wrong bits are
// corrected, that markers need more evidence.
func (d *design) weak(corrected int) bool {
	return d.chance(max(corrected, d.mostCorrected())) > 1e-4
}

// check panics unless there is a marker with the given ID.
func (d *design) check(id int) {
	if id < 0 || id >= d.codes {
		panic(fmt.Sprintf("tag: ID %d is not in 0 to %d", id, d.codes-1))
	}
}
