package flow

import (
	"slices"

	"github.com/fastcorners/fast"
)

// A Point is a position in an image, in pixels. The centers of pixels have integers as their
// coordinates.
type Point struct{ X, Y float32 }

// Position returns X and Y.
func (p Point) Position() (x, y float32) {
	return p.X, p.Y
}

// Points returns the positions of corners or keypoints of any package. If their type has a
// method Position() (x, y float32), as those have that lie between pixels, they are what it
// returns, and otherwise the coordinates of the pixel that Pt returns.
func Points[P fast.Point](corners []P) []Point {
	return AppendPoints(nil, corners)
}

// AppendPoints is Points, appending the positions to dst. It does not allocate if dst has
// room.
func AppendPoints[P fast.Point](dst []Point, corners []P) []Point {
	dst = slices.Grow(dst, len(corners))
	for i := range corners {
		if c, ok := any(&corners[i]).(positioned); ok {
			x, y := c.Position()
			dst = append(dst, Point{x, y})
			continue
		}
		p := corners[i].Pt()
		dst = append(dst, Point{float32(p.X), float32(p.Y)})
	}
	return dst
}

// A positioned corner lies between pixels.
type positioned interface {
	Position() (x, y float32)
}
