// Package photo decodes photos as people see them: turned upright as Exif tells, with the size and
// the memory known before. This program makes an upright PNG file of a photo:
//
//	package main
//
//	import (
//		"image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast/photo"
//	)
//
//	func main() {
//		file, err := os.Open(os.Args[1])
//		if err != nil {
//			log.Fatal(err)
//		}
//		decoded, err := photo.Decode(file)
//		if err != nil {
//			log.Fatal(err)
//		}
//		png.Encode(os.Stdout, decoded.Upright())
//	}
//
// It reads JPEG, PNG, GIF and PNM files, and those of other formats whose decoders a program
// imports, such as golang.org/x/image/tiff, bmp and webp. It reads Exif in JPEG files only. Of an
// animated GIF, it decodes the first frame, in a picture of the size of the whole. Lossy WebP
// images, whose values have less than the full range of 8 bits, get the full range. Bilevel TIFF files
// compressed as in fax machines are black and white as they specify, where golang.org/x/image/tiff
// decodes some as their negatives.
//
// # Photos of strangers
//
// A small file can contain a huge picture. [ReadHeader] reads no pixels, and [Header.PixelSize]
// tells how much memory decoding them takes at most, so that a program can refuse what is too
// large:
//
//	h, err := photo.ReadHeader(file)
//	if err == nil && int64(h.Stored.X)*int64(h.Stored.Y) > limit/h.PixelSize(false) {
//		err = errors.New("too large")
//	}
//
// # Cameras
//
// [Header.FocalLength35] tells the focal length that most phones write, from which follows roughly
// what the camera sees:
//
//	c := camera.From35mm(float64(h.FocalLength35), h.Size()) // of the upright photo; panics if it is 0
package photo

import (
	"image"
	"image/draw"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/overlay"
)

// A Photo is an image as it is decoded, with bounds that begin at 0, 0.
type Photo struct {
	image.Image
	// Orientation is that of Exif: 2 to 8 if the photo must be turned or mirrored.
	Orientation int
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

// Gray returns the gray pixels of the photo, turned upright, as fast.Gray does. It shares the
// pixels of a gray photo and the luma of others if they need not be turned.
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

// Upright returns the photo, turned upright.
func (p Photo) Upright() image.Image {
	if p.Orientation < 2 {
		return p.Image
	}
	return p.Canvas()
}

// Mask returns the mask that a photo is, turned upright: its gray pixels or, if some pixels are
// transparent, its alpha. 0 excludes a pixel.
func (p Photo) Mask() *image.Gray {
	if o, ok := p.Image.(interface{ Opaque() bool }); ok && o.Opaque() {
		return p.Gray()
	}
	img := p.Upright()
	alpha := image.NewAlpha(img.Bounds())
	draw.Draw(alpha, alpha.Rect, img, alpha.Rect.Min, draw.Src)
	return &image.Gray{Pix: alpha.Pix, Stride: alpha.Stride, Rect: alpha.Rect}
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
