package flow

import (
	"cmp"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options control how points are followed. Zero fields have their default values, the same as for
// OpenCV's calcOpticalFlowPyrLK.
type Options struct {
	// Window is the width and height of the window around a point, in pixels, 3 to 1024 each. A
	// larger window is more reliable, and takes more time. 0 means 21.
	Window image.Point
	// Levels is the number of levels of the pyramid, at least 1. The first level is the image, and
	// each of the others has half the width and height of the one before it. Levels after the first
	// are left out if a side is not longer than the window's. 0 means 4.
	Levels int
	// Iterations is the maximum number of steps on a level, up to 100. 0 means 30, and a negative
	// number means 0: points stay where the search begins.
	Iterations int
	// Epsilon is the length of a step, in pixels of the level, that ends the search on that level,
	// up to 10. 0 means 0.01, and a negative number means 0.
	Epsilon float64
	// MinEigenvalue is the smallest eigenvalue of a window that can be followed. The eigenvalue is
	// the mean square of the slope of the gray values, in the direction in which they change least,
	// divided by 1024: a slope of 1 is a gray value that rises by 1 from each pixel to the next.
	// The number is rounded to float32. 0 means 1e-4, which is a slope of 0.32, and a negative
	// number means 0.
	MinEigenvalue float64

	// Confirm, if not 0, makes Track also follow the points back, starting the search at the
	// original positions. It is the largest distance from these positions, in pixels, at which a
	// point may arrive. A typical value is 0.5. Tracking takes about twice as long. If the first
	// Pyramid of a call is the second one of the call before, as in a video, the Tracker keeps up to
	// 4 MB of what it made on the way back, for the next call; calls at the same time keep as much
	// each. 0 means that points are not followed back.
	Confirm float64
	// RemoveMean makes the search independent of a difference in brightness between the windows: it
	// subtracts the mean of the differences, and the means of the derivatives. A change of contrast
	// then does less harm, too.
	RemoveMean bool
	// KeepInside gives the Status Outside to points that leave the image, which are those no longer
	// between the centers of its pixels. Without it, points are followed as long as their window
	// overlaps the image.
	KeepInside bool

	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// Limits of the options.
const (
	minWindow     = 3
	maxWindow     = 1024
	maxIterations = 100
	maxEpsilon    = 10
)

// setDefaults replaces the fields that are 0 by what they mean, and those that are negative
// to mean 0 by 0.
func (o *Options) setDefaults() {
	o.Window.X = cmp.Or(o.Window.X, 21)
	o.Window.Y = cmp.Or(o.Window.Y, 21)
	o.Levels = cmp.Or(o.Levels, 4)
	o.Iterations = max(cmp.Or(o.Iterations, 30), 0)
	o.Epsilon = max(cmp.Or(o.Epsilon, 0.01), 0)
	o.MinEigenvalue = max(cmp.Or(o.MinEigenvalue, 1e-4), 0)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "flow", Type: "Options"}
	switch {
	case min(o.Window.X, o.Window.Y) < minWindow || max(o.Window.X, o.Window.Y) > maxWindow:
		return fields.OutOfRange("Window", o.Window, "3 to 1024 in both directions")
	case o.Levels < 1:
		return fields.OutOfRange("Levels", o.Levels, "1 or more")
	case o.Iterations > maxIterations:
		return fields.OutOfRange("Iterations", o.Iterations, "a number up to 100")
	case !(o.Epsilon <= maxEpsilon): // NaN is not
		return fields.OutOfRange("Epsilon", o.Epsilon, "a number up to 10")
	case !(o.MinEigenvalue <= math.MaxFloat32):
		return fields.OutOfRange("MinEigenvalue", o.MinEigenvalue, "a number up to 3.4e38")
	case !(o.Confirm >= 0) || math.IsInf(o.Confirm, 1):
		return fields.OutOfRange("Confirm", o.Confirm, "0 or a distance")
	}
	return nil
}

// limits are what the search compares numbers with, made of the Options.
type limits struct {
	half       Point // the distance from the window's first pixel to its middle
	eigenvalue float32
	// Squared, in float64.
	epsilon, confirm float64
	pixels           float32 // twice those of the window
}

func newLimits(o *Options) limits {
	return limits{
		half:       Point{float32(o.Window.X-1) * 0.5, float32(o.Window.Y-1) * 0.5},
		eigenvalue: float32(o.MinEigenvalue),
		epsilon:    o.Epsilon * o.Epsilon,
		confirm:    o.Confirm * o.Confirm,
		pixels:     float32(2 * o.Window.X * o.Window.Y),
	}
}
