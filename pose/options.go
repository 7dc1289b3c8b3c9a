package pose

import (
	"cmp"
	"fmt"
	"math"

	"github.com/fastcorners/fast/internal/option"
)

// Options control how an Estimator works. The zero value suits images that are a few hundred pixels
// wide or more.
type Options struct {
	// InlierThreshold is the largest error, in pixels, of a pair that agrees. It should exceed the
	// errors of correct pairs; a threshold up to 5 times too large does little harm. It is
	// positive; 0 means the default, 2.
	InlierThreshold float64
	// Confidence is the probability, estimated from the inliers found, that no sample of pairs
	// would have led to a better result. It is more than 0 and less than 1; 0 means the default,
	// 0.999.
	Confidence float64
	// MaxSamples is the maximum number of samples drawn from all pairs: 1 to 1,000,000. 0 means the
	// default, 10,000 for Absolute and 5,000 for the others.
	MaxSamples int
	// MinInliers is the number of inliers that a result must have in addition to those that chance
	// explains, which depend on the number of pairs. It is at least 4; Relative uses at least 6,
	// and Fundamental at least 8. 0 means the default: 8 for Relative, 6 for Absolute and 10 for
	// Fundamental.
	//
	// Absolute takes as few pairs as MinInliers if all of them agree. Relative and Fundamental need
	// more, since chance explains more in two images: with the defaults and points all over images
	// of 640 by 480 pixels, at least 10 and 13 pairs that all agree.
	MinInliers int
	// Seed is the seed of the random numbers. The result depends on it only if several results fit
	// about the same number of pairs.
	Seed uint64
}

const maxMaxSamples = 1_000_000

// fields are those of Options.
var fields = option.Fields{Package: "pose", Type: "Options"}

// setDefaults replaces the fields that are 0 by what they mean, but for those that mean another
// number to each method.
func (o *Options) setDefaults() {
	o.InlierThreshold = cmp.Or(o.InlierThreshold, 2)
	o.Confidence = cmp.Or(o.Confidence, 0.999)
}

// check returns an error that names the first field that is out of range.
func (o *Options) check() error {
	switch {
	case !(o.InlierThreshold > 0 && o.InlierThreshold <= math.MaxFloat64): // NaN is neither
		return fields.OutOfRange("InlierThreshold", o.InlierThreshold, "finite and more than 0")
	case !(o.Confidence > 0 && o.Confidence < 1):
		return fields.OutOfRange("Confidence", o.Confidence, "more than 0 and less than 1")
	case o.MaxSamples < 0 || o.MaxSamples > maxMaxSamples:
		return fields.OutOfRange("MaxSamples", o.MaxSamples, fmt.Sprintf("1 to %d", maxMaxSamples))
	case o.MinInliers != 0 && o.MinInliers < 4:
		return fields.OutOfRange("MinInliers", o.MinInliers, "at least 4")
	}
	return nil
}

// forSize returns o with numbers in place of all defaults, for samples of the given size.
func (o Options) forSize(size int) Options {
	samples := 5000
	if size == absoluteSize {
		samples = 10_000
	}
	o.MaxSamples = cmp.Or(o.MaxSamples, samples)
	o.MinInliers = max(cmp.Or(o.MinInliers, size+3), size+1)
	return o
}
