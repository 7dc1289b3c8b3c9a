package tag

import (
	"fmt"
	"image"
	"math"
	"strconv"
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
	img := whiteImage(side, side)
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
	page := newPage(cell*float64(d.total()), cell*float64(d.total()))
	page.marker(&d, id, 0, 0, cell)
	return page.end()
}

// whiteImage returns a white image.
func whiteImage(width, height int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	return img
}

// draw draws the black cells of a marker on a white part of img whose upper left corner is x, y.
func (d *design) draw(img *image.Gray, id, x, y, cell int) {
	d.blackCells(id, func(column, row, n int) {
		black(img, x+column*cell, y+row*cell, n*cell, cell)
	})
}

// black makes a rectangle black.
func black(img *image.Gray, x, y, width, height int) {
	for row := range height {
		clear(img.Pix[(y+row)*img.Stride+x:][:width])
	}
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
				f(column, row, n)
				column += n
			}
		}
	}
}

// A page is an SVG file in millimeters.
type page []byte

// newPage returns a white page.
func newPage(width, height float64) *page {
	w, h := millimeters(width), millimeters(height)
	p := page(fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%[1]smm\" height=\"%[2]smm\" viewBox=\"0 0 %[1]s %[2]s\" "+
		"shape-rendering=\"crispEdges\">\n<rect width=\"%[1]s\" height=\"%[2]s\" fill=\"#fff\"/>\n", w, h))
	return &p
}

// marker draws a marker whose drawing has its upper left corner at x, y.
func (p *page) marker(d *design, id int, x, y, cell float64) {
	*p = fmt.Appendf(*p, "<path transform=\"translate(%s %s) scale(%s)\" d=\"", millimeters(x), millimeters(y), millimeters(cell))
	d.blackCells(id, func(column, row, n int) {
		*p = fmt.Appendf(*p, "M%d %dh%dv1h-%dz", column, row, n, n)
	})
	*p = append(*p, "\"/>\n"...)
}

// square draws a black square.
func (p *page) square(x, y, side float64) {
	*p = fmt.Appendf(*p, "<rect x=\"%s\" y=\"%s\" width=\"%[3]s\" height=\"%[3]s\"/>\n", millimeters(x), millimeters(y), millimeters(side))
}

// end returns the file.
func (p *page) end() []byte {
	return append(*p, "</svg>\n"...)
}

// millimeters returns the decimal digits of a length, to a nanometer.
func millimeters(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)
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
