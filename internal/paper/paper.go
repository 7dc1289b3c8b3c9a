// Package paper draws what is to be printed, such as markers and boards: black squares on white, in
// images and in SVG files.
package paper

import (
	"fmt"
	"image"
	"math"
	"strconv"
)

// White returns a white image, whose bounds begin at 0, 0.
func White(width, height int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	return img
}

// Black makes a rectangle of an image black whose bounds begin at 0, 0.
func Black(img *image.Gray, x, y, width, height int) {
	for row := range height {
		clear(img.Pix[(y+row)*img.Stride+x:][:width])
	}
}

// A Page is an SVG file in millimeters.
type Page []byte

// NewPage returns a white page.
func NewPage(width, height float64) *Page {
	w, h := millimeters(width), millimeters(height)
	p := Page(fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%[1]smm\" height=\"%[2]smm\" viewBox=\"0 0 %[1]s %[2]s\" "+
		"shape-rendering=\"crispEdges\">\n<rect width=\"%[1]s\" height=\"%[2]s\" fill=\"#fff\"/>\n", w, h))
	return &p
}

// Cells draws black cells, of which the upper left one is at x, y: those for which each calls its
// argument, with n cells in a row from a column on.
func (p *Page) Cells(x, y, cell float64, each func(black func(column, row, n int))) {
	*p = fmt.Appendf(*p, "<path transform=\"translate(%s %s) scale(%s)\" d=\"", millimeters(x), millimeters(y), millimeters(cell))
	each(func(column, row, n int) {
		*p = fmt.Appendf(*p, "M%d %dh%dv1h-%dz", column, row, n, n)
	})
	*p = append(*p, "\"/>\n"...)
}

// Square draws a black square.
func (p *Page) Square(x, y, side float64) {
	*p = fmt.Appendf(*p, "<rect x=\"%s\" y=\"%s\" width=\"%[3]s\" height=\"%[3]s\"/>\n", millimeters(x), millimeters(y), millimeters(side))
}

// End returns the file.
func (p *Page) End() []byte {
	return append(*p, "</svg>\n"...)
}

// millimeters returns the decimal digits of a length, to a nanometer.
func millimeters(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)
}
