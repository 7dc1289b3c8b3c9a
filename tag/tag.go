package tag

import (
	"image"

	"github.com/fastcorners/fast/geometry"
)

// A Tag is a marker that was found in an image.
type Tag struct {
	// ID is the number of the marker in its Family, from 0.
	ID int
	// Family is the one of Options.Families to which the marker belongs.
	Family Family
	// Corners are those of the quad: of the outer edge of the black border or, for kinds with data
	// around the border, of the line between its black and its white ring. They are clockwise as
	// seen, from the upper left corner of the upright drawing.
	Corners [4]geometry.Point
	// Transform maps the marker to the image: -1, -1 and 1, -1 and 1, 1 and -1, 1 to the Corners,
	// and 0, 0 to the center.
	Transform geometry.Transform
	// Corrected is the number of bits of the code that were wrong.
	Corrected int
	// Noise is the standard deviation of a coordinate of a corner, in pixels, as the differences
	// between the image and the drawing of the marker tell it. It is 0 if the drawing could not be
	// fitted.
	Noise float64
	// Misfit is the share of pixels that differ from the drawing by more than a fifth of the
	// contrast. It is 1 if the drawing could not be fitted.
	Misfit float64
	// Hidden reports that something seems to be in front of a part of the marker: pixels near a
	// quarter of an outer edge, or in the cells beside it, look as if the edge were more than 0.12
	// pixels from where the Corners have it, or there are none, or the Misfit is over 0.15. The
	// Corners may be wrong: do not calibrate with them.
	Hidden bool
}

// Center returns the place in the image of the marker's center.
func (t Tag) Center() geometry.Point { return t.Transform.Apply(geometry.Point{}) }

// Pt returns the pixel nearest to the Center.
func (t Tag) Pt() image.Point { return t.Center().Pt() }

// Position returns the coordinates of the Center, rounded to float32.
func (t Tag) Position() (x, y float32) { return t.Center().Position() }
