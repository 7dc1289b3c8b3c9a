package batch

import (
	"cmp"
	"math"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// resolve returns options as a manifest has them: with numbers for the defaults that 0 stands
// for, as the comments of the packages tell them, and 0 where that is meant by a negative
// number. How the work is done, by Workers and a Kernel of package fast, stays as it is.
func resolve(options any) any {
	switch o := options.(type) {
	case *fast.Options:
		r := *o
		r.ArcLength = cmp.Or(r.ArcLength, 10)
		r.Score = true
		return r
	case *harris.Options:
		r := *o
		r.Measure = cmp.Or(r.Measure, harris.MinEigenvalue)
		r.K = max(cmp.Or(r.K, 0.04), 0)
		r.GradientSigma = cmp.Or(r.GradientSigma, 1)
		r.GradientRadius = cmp.Or(r.GradientRadius, gaussianRadius(r.GradientSigma))
		r.BlockSize = cmp.Or(r.BlockSize, 3)
		r.WindowRadius = cmp.Or(r.WindowRadius, gaussianRadius(r.WindowSigma))
		r.SuppressionRadius = cmp.Or(r.SuppressionRadius, 1)
		if r.MinResponse == 0 {
			r.Quality = max(cmp.Or(r.Quality, 0.01), 0)
		}
		return r
	case *lococo.Options:
		r := *o
		if len(r.Kernels) == 0 {
			r.Kernel = cmp.Or(r.Kernel, 9)
		}
		r.Measure = cmp.Or(r.Measure, harris.Harris)
		r.K = max(cmp.Or(r.K, 0.04), 0)
		r.SuppressionRadius = cmp.Or(r.SuppressionRadius, 4)
		if r.MinResponse == 0 {
			r.Quality = max(cmp.Or(r.Quality, 0.01), 0)
		}
		return r
	case *orb.Options:
		r := *o
		r.Features = cmp.Or(r.Features, 500)
		r.ScaleFactor = cmp.Or(r.ScaleFactor, 1.2)
		r.Levels = cmp.Or(r.Levels, 8)
		r.EdgeThreshold = cmp.Or(r.EdgeThreshold, 31)
		r.PointsPerBit = cmp.Or(r.PointsPerBit, 2)
		r.PatchSize = cmp.Or(r.PatchSize, 31)
		r.FASTThreshold = cmp.Or(r.FASTThreshold, 20)
		return r
	case match.Options:
		const all = 256 // bits of a descriptor
		o.MaxDistance = min(max(cmp.Or(o.MaxDistance, all), 0), all)
		return o
	}
	return options
}

// gaussianRadius is the default of harris.Options.GradientRadius and WindowRadius.
func gaussianRadius(sigma float64) int {
	return int(math.Ceil(min(3*sigma, 15)))
}
