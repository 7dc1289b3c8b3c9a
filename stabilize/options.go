package stabilize

import (
	"cmp"
	"image"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options control how motion is found and smoothed. Zero fields have their default values.
type Options struct {
	// Kind is the kind of transform that models the motion from frame to frame. 0 means
	// geometry.Affine, which also follows a rolling shutter; if it does not fit clearly better than
	// a Similarity, because nothing is sheared or the corners are too close together, the motion is
	// a Similarity. Rigid suits a camera that stays at the same distance from the scene, and
	// Translation one that does not rotate either. Homography needs many corners all over the
	// frame.
	Kind geometry.Kind
	// Points is the maximum number of corners followed, 20 to 100,000. 0 means 500.
	Points int
	// Interval is the number of frames after which corners are detected again, 1 to 1000, or
	// earlier if more than half of them have been lost. 0 means 10.
	Interval int

	// SmoothingRadius is the number of frames, before a frame and after it, over which the path is
	// smoothed, 1 to 1000. Motion that repeats within about this number of frames is removed. 0
	// means 30.
	SmoothingRadius int
	// Online makes results depend only on earlier frames, so there is no delay. Without it, a
	// result is returned SmoothingRadius frames after its frame.
	Online bool

	// Zoom is the factor by which frames are enlarged around their middle, 1 to 10. What is cut
	// off, (1-1/Zoom)/2 of the width or height at each edge, leaves room for corrections. 0 means
	// 1.1.
	Zoom float64
	// MaxZoom is the largest factor by which frames are enlarged, from Zoom to 10. If it is larger
	// than Zoom, frames are enlarged by more than Zoom where the path needs room, and the zoom
	// changes smoothly. It has no effect with Borders. 0 means Zoom.
	MaxZoom float64
	// Borders lets corrections be as large as necessary, even if they then require pixels beyond
	// the edges of the frame. Without it, corrections are limited to what Zoom and MaxZoom leave
	// room for, and with a MaxZoom of 1 there are none. The limits apply to luma pixels: chroma
	// samples with less resolution may reach beyond the edges by a fraction of a sample. With
	// border.Replicate, that is not visible.
	Borders bool

	// Mask, if not nil, is 0 where frames show what does not move with the scene, such as a logo, a
	// ticker or black bars: nothing is followed there. It must have the size of the frames, and must
	// not change while the Stabilizer is in use.
	Mask *image.Gray

	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// Limits of the options.
const (
	minPoints   = 20
	maxPoints   = 100_000
	maxInterval = 1000
	maxRadius   = 1000
	maxZoom     = 10
)

// fields are those of Options.
var fields = option.Fields{Package: "stabilize", Type: "Options"}

// setDefaults replaces the fields that are 0 by what they mean.
func (o *Options) setDefaults() {
	o.Kind = cmp.Or(o.Kind, geometry.Affine)
	o.Points = cmp.Or(o.Points, 500)
	o.Interval = cmp.Or(o.Interval, 10)
	o.SmoothingRadius = cmp.Or(o.SmoothingRadius, 30)
	o.Zoom = cmp.Or(o.Zoom, 1.1)
	o.MaxZoom = cmp.Or(o.MaxZoom, o.Zoom)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	switch {
	case o.Kind > geometry.Homography:
		return fields.OutOfRange("Kind", o.Kind, "a Kind of package geometry")
	case o.Points < minPoints || o.Points > maxPoints:
		return fields.OutOfRange("Points", o.Points, "20 to 100000")
	case o.Interval < 1 || o.Interval > maxInterval:
		return fields.OutOfRange("Interval", o.Interval, "1 to 1000")
	case o.SmoothingRadius < 1 || o.SmoothingRadius > maxRadius:
		return fields.OutOfRange("SmoothingRadius", o.SmoothingRadius, "1 to 1000")
	case !(o.Zoom >= 1 && o.Zoom <= maxZoom): // NaN is neither
		return fields.OutOfRange("Zoom", o.Zoom, "1 to 10")
	case !(o.MaxZoom >= o.Zoom && o.MaxZoom <= maxZoom):
		return fields.OutOfRange("MaxZoom", o.MaxZoom, "Zoom to 10")
	}
	return nil
}
