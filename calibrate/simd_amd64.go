//go:build !purego

package calibrate

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./calibrate

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512, Kernels: kernels{responsesAVX512, roundAVX512}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{responsesAVX2, roundAVX2}},
}

// responsesAVX2 and responsesAVX512 replace the loop of [responsesOfRow], for rows of at least leastRow
// pixels.
//
//go:noescape
func responsesAVX2(r *responseRun)

//go:noescape
func responsesAVX512(r *responseRun)

// roundAVX2 and roundAVX512 replace the loop of [fitRound], for whole groups of pixels. The products are
// added when those of some groups have been collected.
//
//go:noescape
func roundAVX2(r *fitRun)

//go:noescape
func roundAVX512(r *fitRun)
