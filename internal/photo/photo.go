// Package photo reads image files for the commands: PNG, JPEG, GIF, PNM, and the formats
// whose decoders a command imports. Those of golang.org/x/image need a newer Go than this
// module. Photos are turned according to Exif, and memory is limited.
package photo

import (
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/overlay"
)

// A Photo is an image as it is decoded, with bounds that begin at 0,0.
type Photo struct {
	image.Image
	Orientation int // of Exif: 2 to 8 if the photo must be turned or mirrored
}

// Size returns the size of the photo, turned upright.
func (p Photo) Size() image.Point {
	return orient(p.Bounds().Size(), p.Orientation)
}

// orient returns the size of an image of the given size after it is turned.
func orient(size image.Point, orientation int) image.Point {
	if orientation >= 5 {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// Gray returns the gray pixels of the photo, turned upright.
func (p Photo) Gray() *image.Gray {
	gray := fast.Gray(p.Image)
	if p.Orientation < 2 {
		return gray
	}
	pix, size := p.upright(gray.Pix, gray.Stride, 1)
	return &image.Gray{Pix: pix, Stride: size.X, Rect: image.Rectangle{Max: size}}
}

// upright returns the pixels of n bytes of an image as large as the photo, turned upright, and
// their size. There are no gaps between their rows.
func (p Photo) upright(pix []byte, stride, n int) (turned []byte, size image.Point) {
	size = p.Size()
	turned = make([]byte, n*size.X*size.Y)
	turn(turned, pix, p.Bounds().Size(), stride, n, p.Orientation)
	return turned, size
}

// Canvas returns a copy of the photo, turned upright, to draw on.
func (p Photo) Canvas() *image.RGBA {
	canvas := overlay.Canvas(p.Image)
	if p.Orientation < 2 {
		return canvas
	}
	pix, size := p.upright(canvas.Pix, canvas.Stride, 4)
	return &image.RGBA{Pix: pix, Stride: 4 * size.X, Rect: image.Rectangle{Max: size}}
}

// Seen returns the photo, turned upright.
func (p Photo) Seen() image.Image {
	if p.Orientation < 2 {
		return p.Image
	}
	return p.Canvas()
}

// turn copies the pixels of n bytes of an image, src, to dst and turns it upright. The image
// has the given size and stride; dst has no gaps between rows.
func turn(dst, src []byte, size image.Point, stride, n, orientation int) {
	// The offsets in src from a pixel to the one to its right in dst and to the one below
	// it, and the offset of the first pixel.
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
	// Neighbors in a column of src are far from each other, so this is done in blocks.
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
