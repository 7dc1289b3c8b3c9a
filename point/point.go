// Package point has the interfaces of what vision programs find in images: corners,
// keypoints, tracked points and points that are estimated. The types differ, since some are
// whole pixels and others lie between them, and some need float64; functions that take the
// points of any package are generic in one of these interfaces.
package point

import "image"

// A Positioned has a place in an image. The centers of pixels have integers as their
// coordinates, in pixels; x grows to the right and y downward.
type Positioned interface {
	// Pt returns the pixel at the place: its coordinates, rounded to the nearest integers.
	Pt() image.Point
	// Position returns the coordinates, rounded to float32.
	Position() (x, y float32)
}

// A Strong has a place and a strength. Of two points, the one with the larger strength is the
// stronger one.
type Strong interface {
	Positioned
	// Strength returns how strong the point is: a score or a response, whose scale is that
	// of the type.
	Strength() float32
}
