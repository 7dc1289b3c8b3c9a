package stabilize

import (
	"cmp"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// A Model is the kind of transform that the motion from frame to frame is taken for.
type Model uint8

const (
	Similarity Model = iota // rotation, scale and shift
	Affine                  // shear, too
	Homography              // perspective, too
)

var modelNames = option.Enum[Model]{
	Package: "stabilize", Type: "Model",
	Names: []string{"similarity", "affine", "homography"},
}

// String returns the name of m, such as "similarity".
func (m Model) String() string { return modelNames.String(m) }

// MarshalText returns the name of m. It fails if m is not a Model of this package.
func (m Model) MarshalText() ([]byte, error) { return modelNames.MarshalText(m) }

// UnmarshalText sets m to the Model that text names. It fails if there is none.
func (m *Model) UnmarshalText(text []byte) error { return modelNames.UnmarshalText(m, text) }

// kind returns the kind of transform that m is.
func (m Model) kind() geometry.Kind {
	switch m {
	case Affine:
		return geometry.Affine
	case Homography:
		return geometry.Homography
	}
	return geometry.Similarity
}

// Options say how motion is found and smoothed. A field that is zero has its default.
type Options struct {
	// Model is what the motion is taken for. The default is Similarity, which suits videos
	// that people take with their hands. The others need many corners all over the frame.
	Model Model
	// Points is how many corners are followed at most, 20 to 100,000. 0 means 500.
	Points int
	// Interval is the number of frames after which corners are found again, 1 to 1000. They
	// are found earlier if more than half of them have been lost. 0 means 10.
	Interval int

	// Radius is how far the path is smoothed, 1 to 1000 frames before a frame and as many
	// after it. Motion is removed if it repeats itself within about as many frames. 0 means
	// 30.
	Radius int
	// Online makes results depend on the frames before alone, so that there is no delay.
	// Without it, a result comes Radius frames after its frame.
	Online bool

	// Zoom is how many times frames are enlarged, around their middle, 1 to 10. What is cut
	// off at the edges, that is (1-1/Zoom)/2 of the width or height at each, leaves room for
	// corrections. 0 means 1.1.
	Zoom float64
	// Borders lets corrections be as large as they need to be, although pixels beyond the
	// edges of the frame are asked for then. Without it, corrections are limited to what
	// Zoom leaves room for, and with a Zoom of 1 there are none.
	Borders bool

	// Workers is the number of goroutines that share a frame, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0).
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

// setDefaults replaces the fields that are 0 by what they mean.
func (o *Options) setDefaults() {
	o.Points = cmp.Or(o.Points, 500)
	o.Interval = cmp.Or(o.Interval, 10)
	o.Radius = cmp.Or(o.Radius, 30)
	o.Zoom = cmp.Or(o.Zoom, 1.1)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	switch {
	case !modelNames.Has(o.Model):
		return option.OutOfRange("stabilize", "Model", o.Model, modelNames.Want())
	case o.Points < minPoints || o.Points > maxPoints:
		return option.OutOfRange("stabilize", "Points", o.Points, "20 to 100000")
	case o.Interval < 1 || o.Interval > maxInterval:
		return option.OutOfRange("stabilize", "Interval", o.Interval, "1 to 1000")
	case o.Radius < 1 || o.Radius > maxRadius:
		return option.OutOfRange("stabilize", "Radius", o.Radius, "1 to 1000")
	case !(o.Zoom >= 1 && o.Zoom <= maxZoom): // NaN is neither
		return option.OutOfRange("stabilize", "Zoom", o.Zoom, "1 to 10")
	}
	return nil
}
