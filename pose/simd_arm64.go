//go:build !purego

package pose

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		scoreEssential: scoreEssentialNEON, scoreFundamental: scoreFundamentalNEON,
		sumEssential: sumEssentialNEON, sumFundamental: sumFundamentalNEON,
		eliminate: eliminate, reduce: reduce, project: project,
	}},
}

// scoreEssentialNEON replaces the loop of [scoreEssential]:
//
//	for i := r.begin; i < r.end; i++ {
//		if c, d := sampson(i); c*c <= d && front(i) {
//			r.masks[i/groupSize] |= 1 << (i % groupSize)
//			r.support[i%groupSize] += 1 - c*c/d
//		}
//	}
//
//go:noescape
func scoreEssentialNEON(r *scoreRun)

// scoreFundamentalNEON replaces the loop of [scoreFundamental]: the same for all pairs, be they
// in front or not.
//
//go:noescape
func scoreFundamentalNEON(r *scoreRun)

// sumEssentialNEON replaces the loop of [sumEssential], which also adds each inlier to 20 sums:
//
//	for k, v := range terms(i) {
//		r.sums[k][i%groupSize] += v
//	}
//
//go:noescape
func sumEssentialNEON(r *scoreRun)

// sumFundamentalNEON replaces the loop of [sumFundamental]: the same for 54 sums.
//
//go:noescape
func sumFundamentalNEON(r *scoreRun)
