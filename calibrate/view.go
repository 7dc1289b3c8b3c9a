package calibrate

import (
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A View is what a camera sees of a flat target: Image has the pixel at which each point of World is
// seen. The coordinates of World are those of the target, all with z = 0, in any unit and any order, and
// points may be missing.
type View struct {
	World []pose.Vector
	Image []geometry.Point
}
