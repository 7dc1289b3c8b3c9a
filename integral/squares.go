package integral

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// Squares holds the sums of the squares of the pixels of an image. The zero Squares is that of an
// empty image. Its methods are safe for concurrent use, except with SquaresInto.
type Squares struct {
	bounds image.Rectangle
	sums   []uint64 // with a row and a column of 0 before those of the image
}

// NewSquares returns the sums of the squares of img. It panics if img is nil or malformed, or has
// more than math.MaxInt32 pixels.
func NewSquares(img *image.Gray) *Squares {
	return SquaresInto(new(Squares), img)
}

// SquaresInto is [NewSquares], but stores the sums in dst and returns it. It reuses the memory of
// dst if that is large enough, and panics if dst is nil.
func SquaresInto(dst *Squares, img *image.Gray) *Squares {
	p := newPlane(img, dst != nil)
	dst.bounds = img.Rect
	stride := 1 + p.W
	dst.sums = raster.Resize(dst.sums, stride*(1+p.H))
	clear(dst.sums[:stride])
	for y := range p.H {
		above, row := dst.sums[y*stride:][:stride], dst.sums[(y+1)*stride:][:stride]
		row[0] = 0
		above, row = above[1:], row[1:]
		sum := uint64(0)
		for x, v := range p.Row(y) {
			sum += uint64(uint32(v) * uint32(v))
			row[x] = above[x] + sum
		}
	}
	return dst
}

// Bounds returns the bounds of the image.
func (s *Squares) Bounds() image.Rectangle {
	return s.bounds
}

// Sum returns the sum of the squares of the pixels of the image that are in r. It is exact.
func (s *Squares) Sum(r image.Rectangle) uint64 {
	return sum(s.sums, 1+s.bounds.Dx(), s.bounds, r)
}
