package lococo

import (
	"cmp"
	"slices"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options specify what a Detector finds. Zero fields have their default values.
type Options struct {
	// KernelSizes are the sides of the kernels, the squares that gradients are computed from, in
	// pixels: different odd numbers from 3 to 63. Each kernel finds its own corners. An empty list
	// means one kernel of 9 by 9 pixels.
	KernelSizes []int
	// BlockSize is the side of the window that the products of gradients are summed
	// over, in pixels: an odd number from 3 to 63. 0 means the side of the kernel.
	BlockSize int

	// Measure specifies how the response is computed from a structure tensor. 0 means
	// harris.Harris.
	Measure harris.Measure
	// K is the weight of the squared trace for the Measure Harris, at most 1. 0 means
	// 0.04, and a negative number means 0.
	K float64

	// Quality sets the threshold of responses as a fraction of the kernel's largest one,
	// at most 1: the response of a corner exceeds Quality times the largest response. 0
	// means 0.01, and a negative number means 0. It must be 0 if MinResponse is not.
	Quality float64
	// MinResponse, if not 0, is the threshold that the response of a corner exceeds. A negative
	// number means a threshold of 0. 0 means that Quality determines the threshold.
	MinResponse float64
	// SuppressionRadius is the distance in x and in y, in pixels, within which the
	// response of a corner is the largest one: 1 to 32. 0 means 4, a square of 9 by 9
	// pixels.
	SuppressionRadius int
	// MaxCorners is the maximum number of corners of all kernels together; the strongest
	// ones are kept. 0 means that there is no maximum.
	MaxCorners int
	// Subpixel computes where the largest response lies between pixels: in x and in y, at
	// the vertex of the parabola through the response of the corner and the responses
	// of its two neighbors. If a neighbor has no response, the corner is at the center of
	// its pixel in that direction.
	Subpixel bool

	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// Phull returns the Options that Phull et al. use on a GPU: a kernel and a window of 9 by 9 pixels,
// and suppression in blocks of 9 by 9 pixels, which is a SuppressionRadius of 8.
func Phull() Options {
	return Options{KernelSizes: []int{9}, SuppressionRadius: 8}
}

// setDefaults replaces the fields that are 0 by what they mean, and those that are
// negative to mean 0, except MinResponse, by 0.
func (o *Options) setDefaults() {
	if len(o.KernelSizes) == 0 {
		o.KernelSizes = []int{9}
	}
	o.Measure = cmp.Or(o.Measure, harris.Harris)
	o.K = max(cmp.Or(o.K, 0.04), 0)
	if o.MinResponse == 0 {
		o.Quality = max(cmp.Or(o.Quality, 0.01), 0)
	}
	o.SuppressionRadius = cmp.Or(o.SuppressionRadius, 4)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "lococo", Type: "Options"}
	switch {
	case o.BlockSize != 0 && !isSide(o.BlockSize):
		return fields.OutOfRange("BlockSize", o.BlockSize, "an odd number from 3 to 63")
	case o.Measure > harris.DetOverTrace:
		return fields.OutOfRange("Measure", o.Measure, "a Measure of package harris")
	case !(o.K <= 1): // NaN is not
		return fields.OutOfRange("K", o.K, "a number up to 1")
	}
	if err := fields.CheckThreshold(o.Quality, o.MinResponse); err != nil {
		return err
	}
	switch {
	case o.SuppressionRadius < 1 || o.SuppressionRadius > 32:
		return fields.OutOfRange("SuppressionRadius", o.SuppressionRadius, "1 to 32")
	case o.MaxCorners < 0:
		return fields.OutOfRange("MaxCorners", o.MaxCorners, "0 or more")
	}
	for i, side := range o.KernelSizes {
		if !isSide(side) || slices.Contains(o.KernelSizes[:i], side) {
			return fields.OutOfRange("KernelSizes", o.KernelSizes, "different odd numbers from 3 to 63")
		}
	}
	return nil
}

// isSide reports whether kernels and windows may have this side.
func isSide(n int) bool {
	return n >= 3 && n <= 63 && n%2 == 1
}

// limit returns what the responses of corners exceed when the largest response is this.
func (o *Options) limit(largest float32) float32 {
	if o.MinResponse != 0 {
		return max(float32(o.MinResponse), 0)
	}
	return float32(float64(largest) * o.Quality)
}
