package tag

import (
	"fmt"
	"image"
	"math"
	"strconv"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/paper"
	"github.com/fastcorners/fast/pose"
)

// A Charuco is a ChArUco board, a chessboard with markers in its white squares, as OpenCV's
// CharucoBoard. All lengths are in one unit, such as meters. The inner corners of the chessboard
// have IDs, row by row from 0 at the upper left. Package calibrate finds them.
//
// Markers of Tag36h11, Tag25h9, Tag16h5 and Tag36h10 are upside down, as OpenCV draws them.
//
// Its methods but Check panic if that returns an error.
type Charuco struct {
	// Family is the one of the markers, which must not be Inverted.
	Family Family
	// First is the least ID of a marker. IDs increase along x and then downward.
	First int
	// Columns and Rows are the numbers of squares side by side and one below the other, at least 2.
	Columns, Rows int
	// Square is the length of a side of a square.
	Square float64
	// Marker is the length of a side of a marker's quad. Around it, there is to be room for the
	// quiet zone, a cell, or for the data around the border.
	Marker float64
	// Legacy is the layout of OpenCV before 4.6, its setLegacyPattern: if Rows is even, the upper
	// left square is white. Otherwise it is black, as it always is if Rows is odd.
	Legacy bool
}

var charucoFields = option.Fields{Package: "tag", Type: "Charuco"}

// Check returns an error if a field of c or of its Family is out of range; it names the field.
func (c Charuco) Check() error {
	if err := c.Family.Check(); err != nil {
		return err
	}
	if c.Family.Inverted {
		return charucoFields.OutOfRange("Family.Inverted", true, "false")
	}
	d := c.Family.design()
	switch {
	case c.First < 0 || c.First >= d.codes:
		return charucoFields.OutOfRange("First", c.First, "0 to "+strconv.Itoa(d.codes-1))
	case c.Columns < 2 || c.Columns > d.codes:
		return charucoFields.OutOfRange("Columns", c.Columns, "2 to "+strconv.Itoa(d.codes))
	case c.Rows < 2 || c.Rows > d.codes || c.markers() > d.codes-c.First:
		return charucoFields.OutOfRange("Rows", c.Rows, "at least 2 with all IDs below "+strconv.Itoa(d.codes))
	case !(c.Square > 0 && c.Square <= math.MaxFloat32):
		return charucoFields.OutOfRange("Square", c.Square, "a positive number up to 3.4e38")
	case d.dictionary.Reversed:
		most := c.Square * float64(d.cells) / float64(d.total())
		if !(c.Marker > 0 && c.Marker <= most*(1+1e-9)) {
			return charucoFields.OutOfRange("Marker", c.Marker, "a positive number up to "+strconv.FormatFloat(most, 'g', 6, 64))
		}
	case !(c.Marker > 0 && c.Marker < c.Square):
		return charucoFields.OutOfRange("Marker", c.Marker, "a positive number less than Square")
	}
	return nil
}

// begin returns the design of the markers. It panics if a field is out of range.
func (c *Charuco) begin() design {
	if err := c.Check(); err != nil {
		panic(err.Error())
	}
	d := c.Family.design()
	d.upsideDown = c.upsideDown()
	return d
}

// upsideDown reports whether the markers are upside down.
func (c *Charuco) upsideDown() bool {
	switch c.Family.withDefaults().Kind {
	case Tag36h11, Tag25h9, Tag16h5, Tag36h10:
		return true
	}
	return false
}

// markers returns the number of markers, which is that of white squares.
func (c *Charuco) markers() int { return c.Columns * c.Rows / 2 }

// firstWhite returns the column of the first white square in a row.
func (c *Charuco) firstWhite(row int) int {
	if c.Legacy && c.Rows%2 == 0 {
		return row % 2
	}
	return 1 - row%2
}

// Place returns the column and the row of the square of the marker with an ID. It reports false if
// there is none.
func (c Charuco) Place(id int) (column, row int, ok bool) {
	c.begin()
	return c.place(id)
}

// place is Place.
func (c *Charuco) place(id int) (column, row int, ok bool) {
	i := id - c.First
	if i < 0 || i >= c.markers() {
		return 0, 0, false
	}
	// Two rows have a white square in each column.
	row, i = i/c.Columns*2, i%c.Columns
	if n := (c.Columns + 1 - c.firstWhite(row)) / 2; i >= n {
		row, i = row+1, i-n
	}
	return 2*i + c.firstWhite(row), row, true
}

// Corner returns where the inner corner with an ID is on the board: x increases to the right and y
// downward, z is 0, and the upper left corner of the upper left square is at 0, 0, 0, as in
// OpenCV. It panics if id is not in 0 to (Columns-1)*(Rows-1)-1.
func (c Charuco) Corner(id int) pose.Vector {
	c.begin()
	n := c.Columns - 1
	if last := n*(c.Rows-1) - 1; id < 0 || id > last {
		panic(fmt.Sprintf("tag: corner %d is not in 0 to %d", id, last))
	}
	return pose.Vector{float64(id%n+1) * c.Square, float64(id/n+1) * c.Square, 0}
}

// Transform returns the transform from the board, whose coordinates are those of Corner, to the
// image, as a marker of it tells it. It reports false if t is not one: belongs to another family,
// whatever its Codes, or has another ID.
func (c Charuco) Transform(t Tag) (geometry.Transform, bool) {
	c.begin()
	column, row, ok := c.place(t.ID)
	if !ok || !c.Family.looksLike(t.Family) {
		return geometry.Transform{}, false
	}
	// The marker's coordinates are -1 to 1 across the quad.
	scale := 2 / c.Marker
	if c.upsideDown() {
		scale = -scale
	}
	x, y := -scale*c.Square*(float64(column)+0.5), -scale*c.Square*(float64(row)+0.5)
	return t.Transform.Mul(geometry.Transform{scale, 0, x, 0, scale, y, 0, 0, 1}), true
}

// Draw returns a drawing of the board whose markers have cells of cell by cell pixels, and with the
// rest of a square beside them rounded to pixels, at least one. It has white margins that are as wide
// as the quiet zone of a marker or the data around its border. Its bounds begin at 0, 0. Draw panics
// if cell is not positive.
func (c Charuco) Draw(cell int) *image.Gray {
	d := c.begin()
	requireCell(cell)
	marker, margin := d.cells*cell, d.margin*cell
	beside := max(1, int(math.Round((c.Square-c.Marker)/2/c.Marker*float64(marker))))
	square := marker + 2*beside
	img := paper.White(c.Columns*square+2*margin, c.Rows*square+2*margin)
	c.squares(func(column, row, id int) {
		x, y := margin+column*square, margin+row*square
		if id < 0 {
			paper.Black(img, x, y, square, square)
		} else {
			d.draw(img, id, x+beside-margin, y+beside-margin, cell)
		}
	})
	return img
}

// SVG returns the drawing of Draw as an SVG file in which Square and Marker are millimeters.
func (c Charuco) SVG() []byte {
	d := c.begin()
	cell := c.Marker / float64(d.cells)
	margin := float64(cell * float64(d.margin))
	beside := (c.Square - c.Marker) / 2
	at := func(i int) float64 { return float64(float64(i)*c.Square) + margin }
	p := paper.NewPage(at(c.Columns)+margin, at(c.Rows)+margin)
	c.squares(func(column, row, id int) {
		x, y := at(column), at(row)
		if id < 0 {
			p.Square(x, y, c.Square)
		} else {
			d.place(p, id, x+beside-margin, y+beside-margin, cell)
		}
	})
	return p.End()
}

// squares calls f for all squares, with the ID of the marker or, for black squares, -1.
func (c *Charuco) squares(f func(column, row, id int)) {
	next := c.First
	for row := range c.Rows {
		white := c.firstWhite(row)
		for column := range c.Columns {
			if column%2 == white {
				f(column, row, next)
				next++
			} else {
				f(column, row, -1)
			}
		}
	}
}
