package flow

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/pixel"
	"github.com/fastcorners/fast/point"
)

// A Point is a position in an image, in pixels. The centers of pixels have integer coordinates.
type Point struct{ X, Y float32 }

// Pt returns the pixel nearest to X and Y, with math.MaxInt32 for a coordinate that is NaN or
// does not fit in 32 bits.
func (p Point) Pt() image.Point {
	return pixel.Nearest(float64(p.X), float64(p.Y))
}

// Position returns X and Y.
func (p Point) Position() (x, y float32) {
	return p.X, p.Y
}

// Points returns the positions of corners or keypoints of any package.
func Points[P point.Positioned](corners []P) []Point {
	return AppendPoints(nil, corners)
}

// AppendPoints is like Points but appends the positions to dst. It does not allocate if dst has
// room.
func AppendPoints[P point.Positioned](dst []Point, corners []P) []Point {
	dst = slices.Grow(dst, len(corners))
	for i := range corners {
		x, y := corners[i].Position()
		dst = append(dst, Point{x, y})
	}
	return dst
}
