//go:build !purego

package harris

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./harris

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI | cpu.AVX2FMA, Kernels: kernels{
		peaks:            peaksAVX2, // most of its loads are not aligned, and wider ones straddle cache lines
		extremes:         extremesAVX512,
		widen:            widenAVX512,
		weighSums:        weighSumsAVX512,
		weighDifferences: weighDifferencesAVX512,
		multiply:         multiplyAVX512,
		slideDoubles:     slideDoublesAVX512,
		boxDoubles:       boxDoublesAVX512,
		refineSample:     refineSampleAVX2,
		refineMoments:    refineMomentsAVX512,
		refineLanes:      8,
		sum:              sumAVX512,
		gradient:         gradientAVX512,
		respond:          respondAVX512,
		columns:          32,
		gradients7:       gradients7AVX512,
		products7:        products7AVX512,
		columns7:         columns7AVX512,
		respond7:         respond7AVX512,
	}},
	{Name: "avx2", Needs: cpu.AVX2FMA, Kernels: kernels{
		peaks:            peaksAVX2,
		extremes:         extremesAVX2,
		widen:            widenAVX2,
		weighSums:        weighSumsAVX2,
		weighDifferences: weighDifferencesAVX2,
		multiply:         multiplyAVX2,
		slideDoubles:     slideDoublesAVX2,
		boxDoubles:       boxDoublesAVX2,
		refineSample:     refineSampleAVX2,
		refineMoments:    refineMomentsAVX2,
		refineLanes:      8,
		sum:              sumAVX2,
		gradient:         gradientAVX2,
		respond:          respondAVX2,
		columns:          16,
		gradients7:       gradients7AVX2,
		products7:        products7AVX2,
		columns7:         columns7AVX2,
		respond7:         respond7AVX2,
	}},
	{Name: "sse2", Needs: cpu.SSE2, Kernels: kernels{
		peaks:            peaksSSE2,
		extremes:         extremesSSE2,
		widen:            widenSSE2,
		weighSums:        weighSumsSSE2,
		weighDifferences: weighDifferencesSSE2,
		multiply:         multiplySSE2,
		slideDoubles:     slideDoublesSSE2,
		boxDoubles:       boxDoublesSSE2,
		refineSample:     sample,
		refineMoments:    moments,
		refineLanes:      1,
		sum:              sumSSE2,
		gradient:         gradientSSE2,
		respond:          respondSSE2,
		columns:          8,
		gradients7:       gradients7SSE2,
		products7:        products7SSE2,
		columns7:         columns7SSE2,
		respond7:         respond7SSE2,
	}},
}

//go:noescape
func sumSSE2(r *sumRun)

//go:noescape
func respondSSE2(r *respondRun)

//go:noescape
func sumAVX2(r *sumRun)

//go:noescape
func respondAVX2(r *respondRun)

//go:noescape
func sumAVX512(r *sumRun)

//go:noescape
func respondAVX512(r *respondRun)

//go:noescape
func peaksSSE2(r *peaksRun)

//go:noescape
func peaksAVX2(r *peaksRun)

//go:noescape
func gradientSSE2(r *gradientRun)

//go:noescape
func gradientAVX2(r *gradientRun)

//go:noescape
func gradientAVX512(r *gradientRun)

//go:noescape
func widenSSE2(r *widenRun)

//go:noescape
func weighSumsSSE2(r *weighRun)

//go:noescape
func weighDifferencesSSE2(r *weighRun)

//go:noescape
func multiplySSE2(r *multiplyRun)

//go:noescape
func extremesSSE2(r *extremesRun)

//go:noescape
func slideDoublesSSE2(r *slideDoublesRun)

//go:noescape
func boxDoublesSSE2(r *boxRun)

//go:noescape
func widenAVX2(r *widenRun)

//go:noescape
func weighSumsAVX2(r *weighRun)

//go:noescape
func weighDifferencesAVX2(r *weighRun)

//go:noescape
func multiplyAVX2(r *multiplyRun)

//go:noescape
func extremesAVX2(r *extremesRun)

//go:noescape
func slideDoublesAVX2(r *slideDoublesRun)

//go:noescape
func boxDoublesAVX2(r *boxRun)

//go:noescape
func widenAVX512(r *widenRun)

//go:noescape
func weighSumsAVX512(r *weighRun)

//go:noescape
func weighDifferencesAVX512(r *weighRun)

//go:noescape
func multiplyAVX512(r *multiplyRun)

//go:noescape
func extremesAVX512(r *extremesRun)

//go:noescape
func slideDoublesAVX512(r *slideDoublesRun)

//go:noescape
func boxDoublesAVX512(r *boxRun)

//go:noescape
func gradients7SSE2(r *gaussian7Run)

//go:noescape
func products7SSE2(r *gaussian7Run)

//go:noescape
func columns7SSE2(r *gaussian7Run)

//go:noescape
func respond7SSE2(r *gaussian7Run)

//go:noescape
func gradients7AVX2(r *gaussian7Run)

//go:noescape
func products7AVX2(r *gaussian7Run)

//go:noescape
func columns7AVX2(r *gaussian7Run)

//go:noescape
func respond7AVX2(r *gaussian7Run)

//go:noescape
func gradients7AVX512(r *gaussian7Run)

//go:noescape
func products7AVX512(r *gaussian7Run)

//go:noescape
func columns7AVX512(r *gaussian7Run)

//go:noescape
func respond7AVX512(r *gaussian7Run)

//go:noescape
func refineSampleAVX2(r *sampleRun)

//go:noescape
func refineMomentsAVX2(r *momentsRun)

//go:noescape
func refineMomentsAVX512(r *momentsRun)
