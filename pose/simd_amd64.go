//go:build !purego

package pose

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./pose

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: kernels{
		scoreEssential: scoreEssentialAVX512, scoreFundamental: scoreFundamentalAVX512,
		sumEssential: sumEssentialAVX512, sumFundamental: sumFundamentalAVX512,
		eliminate: eliminateAVX2, reduce: reduceAVX2, project: projectAVX512, sevenPoints: sevenPointsAVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		scoreEssential: scoreEssentialAVX2, scoreFundamental: scoreFundamentalAVX2,
		sumEssential: sumEssentialAVX2, sumFundamental: sumFundamentalAVX2,
		eliminate: eliminateAVX2, reduce: reduceAVX2, project: projectAVX2, sevenPoints: sevenPointsAVX2,
	}},
}

// scoreEssentialAVX2 and scoreEssentialAVX512 replace the loop of [scoreEssential]:
//
//	for i := r.begin; i < r.end; i++ {
//		if c, d := sampson(i); c*c <= d && front(i) {
//			r.masks[i/groupSize] |= 1 << (i % groupSize)
//			r.support[i%groupSize] += 1 - c*c/d
//		}
//	}
//
//go:noescape
func scoreEssentialAVX2(r *scoreRun)

//go:noescape
func scoreEssentialAVX512(r *scoreRun)

// scoreFundamentalAVX2 and scoreFundamentalAVX512 replace the loop of [scoreFundamental]: the
// same for all pairs, be they in front or not.
//
//go:noescape
func scoreFundamentalAVX2(r *scoreRun)

//go:noescape
func scoreFundamentalAVX512(r *scoreRun)

// sumEssentialAVX2 and sumEssentialAVX512 replace the loop of [sumEssential], which also adds
// each inlier to 20 sums:
//
//	for k, v := range terms(i) {
//		r.sums[k][i%groupSize] += v
//	}
//
//go:noescape
func sumEssentialAVX2(r *scoreRun)

//go:noescape
func sumEssentialAVX512(r *scoreRun)

// sumFundamentalAVX2 and sumFundamentalAVX512 replace the loop of [sumFundamental]: the same for
// 54 sums.
//
//go:noescape
func sumFundamentalAVX2(r *scoreRun)

//go:noescape
func sumFundamentalAVX512(r *scoreRun)

// eliminateAVX2 replaces [eliminate].
//
//go:noescape
func eliminateAVX2(r *eliminateRun)

// reduceAVX2 replaces [reduce].
//
//go:noescape
func reduceAVX2(r *reduceRun)

// sevenPointsAVX2 and sevenPointsAVX512 do for groupSize samples what [sevenPoints] and [oriented] do
// for one.
//
//go:noescape
func sevenPointsAVX2(r *sevenPointsRun)

//go:noescape
func sevenPointsAVX512(r *sevenPointsRun)

// projectAVX2 and projectAVX512 replace [project].
//
//go:noescape
func projectAVX2(r *projectRun)

//go:noescape
func projectAVX512(r *projectRun)
