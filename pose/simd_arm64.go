//go:build !purego

package pose

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{scoreEssentialNEON, scoreFundamentalNEON, sumEssentialNEON, sumFundamentalNEON, eliminate, reduce, nil, project}},
}

// scoreEssentialNEON replaces the loop of [scoreEssential]:
//
//	for i := r.begin; i < r.end; i++ {
//		if c, d := sampson(i); c*c <= d && front(i) {
//			r.masks[i/lanes] |= 1 << (i % lanes)
//			r.support[i%lanes] += 1 - c*c/d
//		}
//	}
//
//go:noescape
func scoreEssentialNEON(r *run)

// scoreFundamentalNEON replaces the loop of [scoreFundamental]: the same for all pairs, be they
// in front or not.
//
//go:noescape
func scoreFundamentalNEON(r *run)

// sumEssentialNEON replaces the loop of [sumEssential], which also adds each inlier to 20 sums:
//
//	for k, v := range terms(i) {
//		r.sums[k][i%lanes] += v
//	}
//
//go:noescape
func sumEssentialNEON(r *run)

// sumFundamentalNEON replaces the loop of [sumFundamental]: the same for 54 sums.
//
//go:noescape
func sumFundamentalNEON(r *run)
