// Package photo reads image files as the programs do: in all formats that Go has decoders of,
// turned as Exif says, and without more memory than there may be.
package photo

import (
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/overlay"
)

// A Photo is an image as it is decoded, with bounds that begin at 0,0.
type Photo struct {
	image.Image
	Orientation int // of Exif: 2 to 8 if it is to be turned or mirrored
}

// Size returns the size of the photo as it is to be seen.
func (p Photo) Size() image.Point {
	return orient(p.Bounds().Size(), p.Orientation)
}

// orient returns the size of an image of the given size once it is turned.
func orient(size image.Point, orientation int) image.Point {
	if orientation >= 5 {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// Gray returns the gray pixels of the photo, as it is to be seen.
func (p Photo) Gray() *image.Gray {
	gray := fast.Gray(p.Image)
	if p.Orientation < 2 {
		return gray
	}
	turned := image.NewGray(image.Rectangle{Max: p.Size()})
	turn(turned.Pix, gray.Pix, gray.Rect.Size(), gray.Stride, 1, p.Orientation)
	return turned
}

// Canvas returns a copy of the photo, as it is to be seen, to draw on.
func (p Photo) Canvas() *image.RGBA {
	canvas := overlay.Canvas(p.Image)
	if p.Orientation < 2 {
		return canvas
	}
	turned := image.NewRGBA(image.Rectangle{Max: p.Size()})
	turn(turned.Pix, canvas.Pix, canvas.Rect.Size(), canvas.Stride, 4, p.Orientation)
	return turned
}

// Seen returns the photo as it is to be seen.
func (p Photo) Seen() image.Image {
	if p.Orientation < 2 {
		return p.Image
	}
	return p.Canvas()
}

// turn copies pixels of n bytes, an image of the given size and stride, to dst, row by row
// as they are to be seen.
func turn(dst, src []byte, size image.Point, stride, n, orientation int) {
	// The way in src from a pixel to the one that is right of it in dst and to the one
	// below, and the first pixel.
	right, down, first := n, stride, 0
	switch orientation {
	case 2, 3, 7, 8: // the columns of src are read from the right
		first += (size.X - 1) * n
		right = -n
	}
	switch orientation {
	case 3, 4, 6, 7: // the rows of src are read from below
		first += (size.Y - 1) * stride
		down = -stride
	}
	if orientation >= 5 {
		right, down = down, right
	}
	turned := orient(size, orientation)
	// In blocks, for neighbours in a column of src are far from each other.
	const block = 64
	for left := 0; left < turned.X; left += block {
		width := min(block, turned.X-left)
		for y := range turned.Y {
			from := first + y*down + left*right
			row := dst[(y*turned.X+left)*n:][:width*n]
			for ; len(row) > 0; row = row[n:] {
				copy(row[:n], src[from:])
				from += right
			}
		}
	}
}
