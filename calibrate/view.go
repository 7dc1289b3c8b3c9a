package calibrate

import (
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A View is a flat target in an image: points of the target, whose z is 0, in any unit, and the
// pixels at which they are seen. Points with the same indices belong together. They can be in any
// order, and those that are hidden may be missing.
type View struct {
	World []pose.Vector
	Image []geometry.Point
	// Deviations are the standard deviations of the noise of the points, in any unit that is the same
	// for all views: points weigh by the inverse of its square. nil means 1 for each point.
	Deviations []float64
}
