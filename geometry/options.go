package geometry

import (
	"cmp"
	"fmt"
	"math"

	"github.com/fastcorners/fast/internal/option"
)

// Options specify which transform an Estimator finds and how. The zero value finds a homography
// that fits to within 3 pixels.
type Options struct {
	// Kind is the kind of the transform. 0 means Homography.
	Kind Kind
	// InlierThreshold is the largest distance, in pixels, between a point and the position that its
	// partner is mapped to, for a pair that is an inlier. It applies in both images and is
	// positive; 0 means the default, 3.
	InlierThreshold float64
	// Confidence is the probability, estimated from the inliers found, that no sample of
	// pairs would have led to a better transform. It is more than 0 and less than 1; 0 means
	// the default, 0.999.
	Confidence float64
	// MaxSamples is the maximum number of samples of pairs: 1 to 1,000,000. 0 means the default,
	// 20,000. If less than about 15% of the pairs are correct and there are no distances, a
	// homography may need more.
	MaxSamples int
	// MinInliers is the number of inliers that a transform must have, in addition to one for each
	// 50 pairs or part of 50. If all pairs are inliers, however, MinInliers of them suffice. It is
	// more than the number of pairs that determine a transform of the Kind; 0 means the default,
	// that number plus 4.
	MinInliers int
	// Seed is the seed of the random numbers. The result depends on it only if several transforms
	// fit about the same number of pairs.
	Seed uint64
}

const maxMaxSamples = 1_000_000

// fields are those of Options.
var fields = option.Fields{Package: "geometry", Type: "Options"}

// setDefaults replaces the fields that are 0 by what they mean.
func (o *Options) setDefaults() {
	o.Kind = cmp.Or(o.Kind, Homography)
	o.InlierThreshold = cmp.Or(o.InlierThreshold, 3)
	o.Confidence = cmp.Or(o.Confidence, 0.999)
	o.MaxSamples = cmp.Or(o.MaxSamples, 20_000)
	if kindNames.Has(o.Kind) {
		o.MinInliers = cmp.Or(o.MinInliers, o.Kind.Pairs()+4)
	}
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *Options) check() error {
	switch {
	case !kindNames.Has(o.Kind):
		return fields.OutOfRange("Kind", o.Kind, kindNames.Want())
	case !(o.InlierThreshold > 0 && o.InlierThreshold <= math.MaxFloat64): // NaN is neither
		return fields.OutOfRange("InlierThreshold", o.InlierThreshold, "finite and more than 0")
	case !(o.Confidence > 0 && o.Confidence < 1):
		return fields.OutOfRange("Confidence", o.Confidence, "more than 0 and less than 1")
	case o.MaxSamples < 1 || o.MaxSamples > maxMaxSamples:
		return fields.OutOfRange("MaxSamples", o.MaxSamples, fmt.Sprintf("1 to %d", maxMaxSamples))
	case o.MinInliers <= o.Kind.Pairs():
		return fields.OutOfRange("MinInliers", o.MinInliers, fmt.Sprintf("more than %d", o.Kind.Pairs()))
	}
	return nil
}
