package tag

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/paper"
)

// Draw returns a drawing of a marker with cells of cell by cell pixels. Its outermost cells are the
// quiet zone or the data around the border, and its bounds begin at 0, 0. Print it with white paper
// around, or black if f is Inverted. Draw panics if id is not in 0 to Len-1, or cell is not
// positive.
func (f Family) Draw(id, cell int) *image.Gray {
	d := f.design()
	d.check(id)
	requireCell(cell)
	side := d.total() * cell
	img := paper.White(side, side)
	d.draw(img, id, 0, 0, cell)
	return img
}

// SVG returns the drawing of Draw as an SVG file in millimeters, in which the quad has sides of the
// given length. It panics if id is not in 0 to Len-1, or side is not positive and finite.
func (f Family) SVG(id int, side float64) []byte {
	d := f.design()
	d.check(id)
	requireLength("side", side)
	cell := side / float64(d.cells)
	page := paper.NewPage(cell*float64(d.total()), cell*float64(d.total()))
	d.place(page, id, 0, 0, cell)
	return page.End()
}

// draw draws the black cells of a marker on a white part of img whose upper left corner is x, y.
func (d *design) draw(img *image.Gray, id, x, y, cell int) {
	d.blackCells(id, func(column, row, n int) {
		paper.Black(img, x+column*cell, y+row*cell, n*cell, cell)
	})
}

// blackCells calls f for all sequences of n black cells in the rows of a drawing, whose first cell
// is 0, 0.
func (d *design) blackCells(id int, f func(column, row, n int)) {
	white, total := d.picture(d.code(id)), d.total()
	for row := range total {
		for column := 0; column < total; column++ {
			n := 0
			for column+n < total && !white[row][column+n] {
				n++
			}
			if n > 0 {
				if d.upsideDown {
					f(total-column-n, total-1-row, n)
				} else {
					f(column, row, n)
				}
				column += n
			}
		}
	}
}

// place draws the black cells of a marker on a page whose upper left corner is x, y.
func (d *design) place(page *paper.Page, id int, x, y, cell float64) {
	page.Cells(x, y, cell, func(black func(column, row, n int)) { d.blackCells(id, black) })
}

// requireCell panics unless cells have a positive number of pixels.
func requireCell(cell int) {
	if cell < 1 {
		panic(fmt.Sprintf("tag: cells of %d pixels", cell))
	}
}

// requireLength panics unless a length is positive and finite.
func requireLength(name string, v float64) {
	if !(v > 0 && v <= math.MaxFloat64) {
		panic(fmt.Sprintf("tag: %s is %g, not a positive finite number", name, v))
	}
}
