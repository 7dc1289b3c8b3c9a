package tag

import (
	"cmp"
	"image"
	"math"
	"strconv"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/paper"
	"github.com/fastcorners/fast/pose"
)

// A Sheet is markers in columns and rows, such as a board for calibration. All lengths are in one
// unit, such as meters.
//
// Its methods but Check panic if that returns an error.
type Sheet struct {
	// Family is the one of the markers.
	Family Family
	// First is the least ID.
	First int
	// Columns and Rows are the numbers of markers side by side and one below the other.
	Columns, Rows int
	// Side is the length of a side of a marker's quad.
	Side float64
	// Gap is the distance between the quads of neighbors. 0 means the least, which is the width of
	// the quiet zone, a cell, or of the data around the borders of both.
	Gap float64
	// Up is the order of IDs. If it is set, First is at the lower left, and IDs increase along x
	// and then upward, as on boards of Kalibr. Otherwise First is at the upper left, and IDs
	// increase along x and then downward.
	Up bool
	// Squares adds a black square with sides of Gap at each corner of each marker, as boards of
	// Kalibr have.
	Squares bool
}

// NewAprilGrid returns a board of Kalibr: markers of Tag36h11 with borders of two cells and squares
// at their corners. The sides of quads are Kalibr's tagSize, and gap is its tagSpacing times
// tagSize.
func NewAprilGrid(columns, rows int, side, gap float64) Sheet {
	return Sheet{Family: Family{Kind: Tag36h11, Border: 2}, Columns: columns, Rows: rows, Side: side, Gap: gap, Up: true, Squares: true}
}

var sheetFields = option.Fields{Package: "tag", Type: "Sheet"}

// Check returns an error if a field of s or of its Family is out of range; it names the field.
func (s Sheet) Check() error {
	if err := s.Family.Check(); err != nil {
		return err
	}
	d := s.Family.design()
	switch {
	case s.First < 0 || s.First >= d.codes:
		return sheetFields.OutOfRange("First", s.First, "0 to "+strconv.Itoa(d.codes-1))
	case s.Columns < 1 || s.Columns > d.codes:
		return sheetFields.OutOfRange("Columns", s.Columns, "1 to "+strconv.Itoa(d.codes))
	case s.Rows < 1 || s.Rows > (d.codes-s.First)/s.Columns:
		return sheetFields.OutOfRange("Rows", s.Rows, "at least 1 with all IDs below "+strconv.Itoa(d.codes))
	case !(s.Side > 0 && s.Side <= math.MaxFloat32):
		return sheetFields.OutOfRange("Side", s.Side, "a positive number up to 3.4e38")
	}
	least := s.leastGap(&d)
	if s.Gap != 0 && !(s.Gap >= least*(1-1e-9) && s.Gap <= math.MaxFloat32) {
		return sheetFields.OutOfRange("Gap", s.Gap, "0 or "+strconv.FormatFloat(least, 'g', 6, 64)+" to 3.4e38")
	}
	return nil
}

// leastGap returns the least Gap.
func (s *Sheet) leastGap(d *design) float64 {
	cells := d.margin
	if d.dictionary.Reversed {
		cells *= 2
	}
	return s.Side * float64(cells) / float64(d.cells)
}

// begin sets the default and returns the design of the markers. It panics if a field is out of
// range.
func (s *Sheet) begin() design {
	if err := s.Check(); err != nil {
		panic(err.Error())
	}
	d := s.Family.design()
	s.Gap = cmp.Or(s.Gap, s.leastGap(&d))
	return d
}

// id returns the ID of the marker in a column and a row.
func (s *Sheet) id(column, row int) int {
	if s.Up {
		row = s.Rows - 1 - row
	}
	return s.First + row*s.Columns + column
}

// place returns the column and the row of the marker with an ID. It reports false if there is none.
func (s *Sheet) place(id int) (column, row int, ok bool) {
	i := id - s.First
	if i < 0 || i >= s.Columns*s.Rows {
		return 0, 0, false
	}
	column, row = i%s.Columns, i/s.Columns
	if s.Up {
		row = s.Rows - 1 - row
	}
	return column, row, true
}

// Points returns where the corners of the markers among tags are on the sheet and in the image, and
// the IDs of their markers: four of each, in the order of tags and of Corners. On the sheet, x
// increases to the right and y downward, z is 0, and the first corner of the upper left marker is
// at 0, 0, 0. Points leaves out tags that are Hidden, are not on the sheet or belong to another
// family, whatever its Codes, and those with an ID that two have.
//
// The first two are what functions of package pose take.
func (s Sheet) Points(tags []Tag) (world []pose.Vector, image []geometry.Point, ids []int) {
	return s.AppendPoints(nil, nil, nil, tags)
}

// AppendPoints appends what Points returns to world, image and ids, and returns them.
func (s Sheet) AppendPoints(world []pose.Vector, image []geometry.Point, ids []int, tags []Tag) ([]pose.Vector, []geometry.Point, []int) {
	s.begin()
	for i := range tags {
		t := &tags[i]
		column, row, ok := s.place(t.ID)
		if !ok || t.Hidden || !s.Family.looksLike(t.Family) || s.twice(tags, i) {
			continue
		}
		step := s.Side + s.Gap
		x, y := float64(float64(column)*step), float64(float64(row)*step)
		for k, at := range t.Corners {
			corner := pose.Vector{x, y}
			if k == 1 || k == 2 {
				corner[0] += s.Side
			}
			if k >= 2 {
				corner[1] += s.Side
			}
			world, image, ids = append(world, corner), append(image, at), append(ids, t.ID)
		}
	}
	return world, image, ids
}

// twice reports whether another one of tags is the same marker as tag i.
func (s *Sheet) twice(tags []Tag, i int) bool {
	for k := range tags {
		if k != i && tags[k].ID == tags[i].ID && s.Family.looksLike(tags[k].Family) {
			return true
		}
	}
	return false
}

// Draw returns a drawing of the sheet with cells of cell by cell pixels, and with Gap rounded to
// pixels. It has the quiet zones or the data around the borders of the outer markers or, with
// Squares, white cells around the squares. Its bounds begin at 0, 0. Draw panics if cell is not
// positive.
func (s Sheet) Draw(cell int) *image.Gray {
	d := s.begin()
	requireCell(cell)
	side := d.cells * cell
	gap := int(math.Round(float64(s.Gap / s.Side * float64(side))))
	edge, margin := d.margin*cell, d.margin*cell
	if s.Squares {
		edge += gap
	}
	img := paper.White(s.Columns*(side+gap)-gap+2*edge, s.Rows*(side+gap)-gap+2*edge)
	for row := range s.Rows {
		for column := range s.Columns {
			d.draw(img, s.id(column, row), edge+column*(side+gap)-margin, edge+row*(side+gap)-margin, cell)
		}
	}
	if s.Squares {
		for row := range s.Rows + 1 {
			for column := range s.Columns + 1 {
				paper.Black(img, edge-gap+column*(side+gap), edge-gap+row*(side+gap), gap, gap)
			}
		}
	}
	return img
}

// SVG returns the drawing of Draw as an SVG file in which Side and Gap are millimeters.
func (s Sheet) SVG() []byte {
	d := s.begin()
	cell, step := s.Side/float64(d.cells), s.Side+s.Gap
	margin := float64(cell * float64(d.margin))
	edge := margin
	if s.Squares {
		edge += s.Gap
	}
	at := func(i int) float64 { return float64(float64(i)*step) + edge }
	p := paper.NewPage(at(s.Columns)-s.Gap+edge, at(s.Rows)-s.Gap+edge)
	for row := range s.Rows {
		for column := range s.Columns {
			d.place(p, s.id(column, row), at(column)-margin, at(row)-margin, cell)
		}
	}
	if s.Squares {
		for row := range s.Rows + 1 {
			for column := range s.Columns + 1 {
				p.Square(at(column)-s.Gap, at(row)-s.Gap, s.Gap)
			}
		}
	}
	return p.End()
}
