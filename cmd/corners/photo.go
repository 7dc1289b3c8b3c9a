package main

import (
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/overlay"
)

// A photo is an image as it is decoded, with bounds that begin at 0,0.
type photo struct {
	image.Image
	orientation int // of Exif: 2 to 8 if it is to be turned or mirrored
}

// size returns the size of the photo as it is to be seen.
func (p photo) size() image.Point {
	return orient(p.Bounds().Size(), p.orientation)
}

// orient returns the size of an image of the given size once it is turned.
func orient(size image.Point, orientation int) image.Point {
	if orientation >= 5 {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// gray returns the gray pixels of the photo, as it is to be seen.
func (p photo) gray() *image.Gray {
	gray := fast.Gray(p.Image)
	if p.orientation < 2 {
		return gray
	}
	turned := image.NewGray(image.Rectangle{Max: p.size()})
	turn(turned.Pix, gray.Pix, gray.Rect.Size(), gray.Stride, 1, p.orientation)
	return turned
}

// canvas returns a copy of the photo, as it is to be seen, to draw on.
func (p photo) canvas() *image.RGBA {
	canvas := overlay.Canvas(p.Image)
	if p.orientation < 2 {
		return canvas
	}
	turned := image.NewRGBA(image.Rectangle{Max: p.size()})
	turn(turned.Pix, canvas.Pix, canvas.Rect.Size(), canvas.Stride, 4, p.orientation)
	return turned
}

// image returns the photo as it is to be seen.
func (p photo) image() image.Image {
	if p.orientation < 2 {
		return p.Image
	}
	return p.canvas()
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
