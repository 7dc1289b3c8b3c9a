// Package point defines interfaces for what vision programs find in images: corners, keypoints,
// tracked points and estimated points. Their types differ, since some are whole pixels, others lie
// between pixels, and some need float64. Functions that take the points of any package are generic
// in one of these interfaces.
package point

import "image"

// A Positioned has a position in an image, in pixels. The centers of pixels have integer
// coordinates; x increases to the right and y downward.
type Positioned interface {
	// Pt returns the pixel of the point: its coordinates, rounded to the nearest integers.
	Pt() image.Point
	// Position returns the coordinates, rounded to float32.
	Position() (x, y float32)
}

// A Strong has a position and a strength. Of two points, the one with the larger strength is the
// stronger one.
type Strong interface {
	Positioned
	// Strength returns the strength of the point: a score or a response, whose scale depends on the
	// type.
	Strength() float32
}
