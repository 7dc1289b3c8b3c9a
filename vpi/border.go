package vpi

import (
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
)

// A Border says what lies beyond the edges of an image. Reflect and Mirror reverse an image
// again and again where it is smaller than its border.
type Border uint8

const (
	// Limited has nothing there: a pixel is tested only when its circle lies in the
	// image. With the other borders all pixels are tested.
	Limited Border = iota
	Zero           // pixels that are 0: 000|abcde|000
	Clamp          // the outermost pixels: aaa|abcde|eee
	Reflect        // the image, reversed: cba|abcde|edc
	Mirror         // the image, reversed, but for the outermost pixels: dcb|abcde|dcb
)

// index returns which one of n pixels in a row or a column stands in place i, which may be
// beyond them, or -1 for a pixel that is 0.
func (b Border) index(i, n int) int {
	switch {
	case i >= 0 && i < n:
		return i
	case b == Zero:
		return -1
	case b == Clamp:
		return max(0, min(i, n-1))
	}
	if b == Mirror {
		return raster.Mirror(i, n)
	}
	i = (i%(2*n) + 2*n) % (2 * n)
	return min(i, 2*n-1-i)
}

var borderNames = option.Enum[Border]{Package: "vpi", Type: "Border", Names: []string{
	Limited: "limited",
	Zero:    "zero",
	Clamp:   "clamp",
	Reflect: "reflect",
	Mirror:  "mirror",
}}

// String returns the name of b, such as "limited".
func (b Border) String() string { return borderNames.String(b) }

// MarshalText returns the name of b. It fails when b is not one of the constants.
func (b Border) MarshalText() ([]byte, error) { return borderNames.MarshalText(b) }

// UnmarshalText sets b to the border that text names. It fails when there is none.
func (b *Border) UnmarshalText(text []byte) error { return borderNames.UnmarshalText(b, text) }

// A borderedImage is an image with its border around it.
type borderedImage struct {
	Image
	border Border
	margin int // pixels of the border on each side
	w, h   int // with the border
}

func newBorderedImage(img Image, border Border, radius int) borderedImage {
	b := borderedImage{Image: img, border: border}
	if border != Limited {
		b.margin = radius
	}
	b.w, b.h = img.bounds.Dx()+2*b.margin, img.bounds.Dy()+2*b.margin
	return b
}

// setRow makes row the pixels of row y, in the bytes that the image has for them.
func (b *borderedImage) setRow(row []byte, y int) {
	w, h := b.w-2*b.margin, b.h-2*b.margin
	y = b.border.index(y-b.margin, h)
	if y < 0 {
		clear(row)
		return
	}
	pix := b.pix[y*b.stride:][:w*b.size]
	copy(row[b.margin*b.size:], pix)
	for i := range b.margin {
		for _, x := range [2]int{i - b.margin, w + i} {
			pixel := row[(b.margin+x)*b.size:][:b.size]
			if x = b.border.index(x, w); x < 0 {
				clear(pixel)
			} else {
				copy(pixel, pix[x*b.size:])
			}
		}
	}
}
