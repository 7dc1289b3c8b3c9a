package harris

import (
	"cmp"
	"math"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options specify what a Detector finds. Zero fields have their default values, the same as for
// OpenCV's goodFeaturesToTrack. Those of [Separable9], [Separable31] and [IRGPU] have unexported
// fields, too, which package encoding/json does not keep.
type Options struct {
	// Measure specifies how the response is computed from a structure tensor. 0 means
	// MinEigenvalue.
	Measure Measure
	// K is the weight of the squared trace for the Measure Harris, at most 1. 0 means
	// 0.04, and a negative number means 0.
	K float64

	// Gradient is the pair of filters that differentiate the image. 0 is Sobel3.
	Gradient Gradient
	// GradientSigma is the standard deviation of the Gradient Gaussian, in pixels: any
	// positive number. 0 means 1.
	GradientSigma float64
	// GradientRadius is the number of pixels that the Gradient Gaussian extends in each direction,
	// 1 to 15. 0 means three times GradientSigma, rounded up, at most 15.
	GradientRadius int

	// BlockSize is the side of the window, a box, in pixels, 1 to 31. A box with an even side
	// extends BlockSize/2 pixels to the left and up, and one pixel less to the right and down. With
	// a box of 1 pixel, determinants are 0 except for rounding, so the corners are meaningless. 0
	// means 3.
	BlockSize int
	// WindowSigma, if not 0, makes the window a Gaussian instead of a box. It is the standard
	// deviation in pixels, any positive number: the weight at distance d is
	// exp(-d*d/(2*WindowSigma*WindowSigma)).
	WindowSigma float64
	// WindowRadius is the number of pixels that a Gaussian window extends in each
	// direction, 1 to 15. 0 means three times WindowSigma, rounded up, but at most 15.
	WindowRadius int
	// Border specifies what lies beyond the edges of the image. With Reflect101, OpenCV's default,
	// the products of gradients are also reflected, for windows that extend beyond the image. With
	// Constant, the pixels and the products of gradients are 0, which makes the corners and edges
	// of the image itself strong. 0 means Reflect101.
	Border border.Mode

	// Quality sets the threshold of responses as a fraction of the largest one, at most
	// 1: the response of a corner exceeds Quality times the largest response. 0 means
	// 0.01, and a negative number means 0. It must be 0 if MinResponse is not.
	Quality float64
	// MinResponse, if not 0, is the threshold that the response of a corner exceeds. A negative
	// number means a threshold of 0. 0 means that Quality determines the threshold. It must be 0 in
	// the options of IRGPU, whose Quality is a fraction of the range of responses.
	MinResponse float64
	// SuppressionRadius is the distance in x and in y, in pixels, within which no
	// response exceeds that of a corner: 1 or more. 0 means 1, a square of 3 by 3
	// pixels.
	SuppressionRadius int
	// Margin is the number of pixels at each edge of the image that are ignored: they are not
	// corners, do not suppress others, and do not count for Quality. 0 means that the pixels of the
	// outermost rows and columns are not corners, but do suppress others and count for Quality. A
	// negative number means that every pixel can be a corner.
	Margin int

	// MinDistance is the minimum distance between two corners, in pixels. A corner that is closer
	// to a stronger one is dropped. 0 means that there is no minimum.
	MinDistance float64
	// MaxCorners is the maximum number of corners; the strongest ones are kept. 0 means
	// that there is no maximum.
	MaxCorners int

	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int

	// qualityOfRange makes Quality a fraction of the range of responses: the response of a corner
	// exceeds the smallest response by more than Quality times the difference between the largest
	// and the smallest one. It also exceeds 0. IRGPU sets it.
	qualityOfRange bool
	// topFirst puts corners with equal responses in raster order. The default is the opposite
	// order, which is OpenCV's. Separable9, Separable31 and IRGPU set it.
	topFirst bool
}

// Limits of the options.
const (
	maxBlock  = 31
	maxRadius = maxBlock / 2
)

// setDefaults replaces the fields that are 0 by what they mean, and those that are
// negative to mean 0, except MinResponse, by 0.
func (o *Options) setDefaults() {
	o.Measure = cmp.Or(o.Measure, MinEigenvalue)
	o.K = max(cmp.Or(o.K, 0.04), 0)
	o.GradientSigma = cmp.Or(o.GradientSigma, 1)
	o.GradientRadius = cmp.Or(o.GradientRadius, defaultRadius(o.GradientSigma))
	o.Border = cmp.Or(o.Border, border.Reflect101)
	o.BlockSize = cmp.Or(o.BlockSize, 3)
	o.WindowRadius = cmp.Or(o.WindowRadius, defaultRadius(o.WindowSigma))
	if o.MinResponse == 0 {
		o.Quality = max(cmp.Or(o.Quality, 0.01), 0)
	}
	o.SuppressionRadius = cmp.Or(o.SuppressionRadius, 1)
	o.Workers = worker.Number(o.Workers)
}

// defaultRadius returns how many pixels a Gaussian extends when its options do not say.
func defaultRadius(sigma float64) int {
	return int(math.Ceil(min(3*sigma, maxRadius)))
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "harris", Type: "Options"}
	switch {
	case o.Measure > DetOverTrace:
		return fields.OutOfRange("Measure", o.Measure, measureNames.Want())
	case !(o.K <= 1): // NaN is not
		return fields.OutOfRange("K", o.K, "a number up to 1")
	case !gradientNames.Has(o.Gradient):
		return fields.OutOfRange("Gradient", o.Gradient, gradientNames.Want())
	case !(o.GradientSigma > 0) || math.IsInf(o.GradientSigma, 1):
		return fields.OutOfRange("GradientSigma", o.GradientSigma, "a positive number")
	case o.GradientRadius < 1 || o.GradientRadius > maxRadius:
		return fields.OutOfRange("GradientRadius", o.GradientRadius, "1 to 15")
	case o.BlockSize < 1 || o.BlockSize > maxBlock:
		return fields.OutOfRange("BlockSize", o.BlockSize, "1 to 31")
	case !(o.WindowSigma >= 0) || math.IsInf(o.WindowSigma, 1):
		return fields.OutOfRange("WindowSigma", o.WindowSigma, "0 or a positive number")
	case o.WindowRadius < 0 || o.WindowRadius > maxRadius:
		return fields.OutOfRange("WindowRadius", o.WindowRadius, "1 to 15")
	}
	if err := fields.CheckThreshold(o.Quality, o.MinResponse); err != nil {
		return err
	}
	switch {
	case o.MinResponse != 0 && o.qualityOfRange:
		return fields.OutOfRange("MinResponse", o.MinResponse, "0 with the options of IRGPU")
	case o.SuppressionRadius < 1:
		return fields.OutOfRange("SuppressionRadius", o.SuppressionRadius, "1 or more")
	case !(o.MinDistance >= 0) || math.IsInf(o.MinDistance, 1):
		return fields.OutOfRange("MinDistance", o.MinDistance, "a distance")
	case o.MaxCorners < 0:
		return fields.OutOfRange("MaxCorners", o.MaxCorners, "0 or more")
	}
	return option.OneOf(fields, "Border", o.Border, border.Reflect101, border.Constant)
}
