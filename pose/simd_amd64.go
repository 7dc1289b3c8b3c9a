//go:build !purego

package pose

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./pose

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: kernels{scoreEssentialAVX512, scoreFundamentalAVX512, sumEssentialAVX512, sumFundamentalAVX512, eliminateAVX2, reduceAVX2, sevenPointsAVX512, projectAVX512}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{scoreEssentialAVX2, scoreFundamentalAVX2, sumEssentialAVX2, sumFundamentalAVX2, eliminateAVX2, reduceAVX2, sevenPointsAVX2, projectAVX2}},
}

// scoreEssentialAVX2 and scoreEssentialAVX512 replace the loop of [scoreEssential]:
//
//	for i := r.begin; i < r.end; i++ {
//		if c, d := sampson(i); c*c <= d && front(i) {
//			r.masks[i/lanes] |= 1 << (i % lanes)
//			r.support[i%lanes] += 1 - c*c/d
//		}
//	}
//
//go:noescape
func scoreEssentialAVX2(r *run)

//go:noescape
func scoreEssentialAVX512(r *run)

// scoreFundamentalAVX2 and scoreFundamentalAVX512 replace the loop of [scoreFundamental]: the
// same for all pairs, be they in front or not.
//
//go:noescape
func scoreFundamentalAVX2(r *run)

//go:noescape
func scoreFundamentalAVX512(r *run)

// sumEssentialAVX2 and sumEssentialAVX512 replace the loop of [sumEssential], which also adds
// each inlier to 20 sums:
//
//	for k, v := range terms(i) {
//		r.sums[k][i%lanes] += v
//	}
//
//go:noescape
func sumEssentialAVX2(r *run)

//go:noescape
func sumEssentialAVX512(r *run)

// sumFundamentalAVX2 and sumFundamentalAVX512 replace the loop of [sumFundamental]: the same for
// 54 sums.
//
//go:noescape
func sumFundamentalAVX2(r *run)

//go:noescape
func sumFundamentalAVX512(r *run)

// eliminateAVX2 replaces [eliminate].
//
//go:noescape
func eliminateAVX2(r *cubics)

// reduceAVX2 replaces [reduce].
//
//go:noescape
func reduceAVX2(r *constraints)

// sevenPointsAVX2 and sevenPointsAVX512 do for all lanes what sevenPoints and oriented do for a
// sample.
//
//go:noescape
func sevenPointsAVX2(r *sevens)

//go:noescape
func sevenPointsAVX512(r *sevens)

// projectAVX2 and projectAVX512 replace [project].
//
//go:noescape
func projectAVX2(r *projection)

//go:noescape
func projectAVX512(r *projection)
