package calibrate

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/paper"
)

// A Chessboard is a board to be printed, whose corners a Finder finds.
//
// Its methods but Check panic if that returns an error.
type Chessboard struct {
	// Columns and Rows are the numbers of inner corners in a row and in a column, 3 to 200. If one of
	// them is even and the other one is odd, the ends of the board differ, and Boards always begin at
	// the same one.
	Columns, Rows int
}

// Check returns an error if a field of c is out of range; it names the field.
func (c Chessboard) Check() error {
	fields := option.Fields{Package: "calibrate", Type: "Chessboard"}
	switch {
	case c.Columns < 3 || c.Columns > 200:
		return fields.OutOfRange("Columns", c.Columns, "3 to 200")
	case c.Rows < 3 || c.Rows > 200:
		return fields.OutOfRange("Rows", c.Rows, "3 to 200")
	}
	return nil
}

// require panics unless the fields of c are in range.
func (c Chessboard) require() {
	if err := c.Check(); err != nil {
		panic(err.Error())
	}
}

// Draw returns a drawing of the board, whose upper left square is black, with squares of square by
// square pixels. Around them is a white margin half as wide, rounded up. Its bounds begin at 0, 0. Draw
// panics if square is not positive.
func (c Chessboard) Draw(square int) *image.Gray {
	c.require()
	if square < 1 {
		panic(fmt.Sprintf("calibrate: squares of %d pixels", square))
	}
	margin := (square + 1) / 2
	img := paper.White((c.Columns+1)*square+2*margin, (c.Rows+1)*square+2*margin)
	c.squares(func(column, row, n int) {
		paper.Black(img, margin+column*square, margin+row*square, n*square, square)
	})
	return img
}

// SVG returns the drawing of Draw as an SVG file in millimeters, in which squares have sides of the given
// length. With 9 by 6 corners and squares of 25 mm, it fits a sheet of A4. SVG panics if square is not
// positive and finite.
func (c Chessboard) SVG(square float64) []byte {
	c.require()
	if !(square > 0 && square <= math.MaxFloat64) {
		panic(fmt.Sprintf("calibrate: square is %g, not a positive finite number", square))
	}
	p := paper.NewPage(square*float64(c.Columns+2), square*float64(c.Rows+2))
	p.Cells(square/2, square/2, square, c.squares)
	return p.End()
}

// squares calls black for all black squares, with a column, a row, and 1: they have none beside them.
func (c Chessboard) squares(black func(column, row, n int)) {
	for row := range c.Rows + 1 {
		for column := row % 2; column <= c.Columns; column += 2 {
			black(column, row, 1)
		}
	}
}
