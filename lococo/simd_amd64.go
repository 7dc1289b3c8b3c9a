//go:build !purego

package lococo

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./lococo

var instructionSets = []*kernels{
	{
		needs:     cpu.AVX512VNNI,
		bands:     bandsAVX512,
		gradients: [maxNarrow + 1]func(*gradientsRun){1: gradients1AVX512, 2: gradients2AVX512, 3: gradients3AVX512, 4: gradients4AVX512},

		sumBands:      sumBandsAVX512,
		differentiate: differentiateAVX512,
		columns:       columnsAVX512,
		windows:       windowsAVX512,

		integral: integralAVX512,
	},
	{
		needs:     cpu.AVX2,
		bands:     bandsAVX2,
		gradients: [maxNarrow + 1]func(*gradientsRun){1: gradients1AVX2, 2: gradients2AVX2, 3: gradients3AVX2, 4: gradients4AVX2},

		sumBands:      sumBandsAVX2,
		differentiate: differentiateAVX2,
		columns:       columnsAVX2,
		windows:       windowsAVX2,

		integral: integralAVX2,
	},
	{
		needs:     cpu.SSE2,
		bands:     bandsSSE2,
		gradients: [maxNarrow + 1]func(*gradientsRun){1: gradients1SSE2, 2: gradients2SSE2, 3: gradients3SSE2, 4: gradients4SSE2},

		sumBands:      sumBandsSSE2,
		differentiate: differentiateSSE2,
		columns:       columnsSSE2,
		windows:       windowsSSE2,

		integral: integralSSE2,
	},
}

//go:noescape
func bandsSSE2(r *bandsRun)

//go:noescape
func gradients1SSE2(r *gradientsRun)

//go:noescape
func gradients2SSE2(r *gradientsRun)

//go:noescape
func gradients3SSE2(r *gradientsRun)

//go:noescape
func gradients4SSE2(r *gradientsRun)

//go:noescape
func sumBandsSSE2(r *sumBandsRun)

//go:noescape
func differentiateSSE2(r *differentiateRun)

//go:noescape
func columnsSSE2(r *columnsRun)

//go:noescape
func windowsSSE2(r *windowsRun)

//go:noescape
func bandsAVX2(r *bandsRun)

//go:noescape
func gradients1AVX2(r *gradientsRun)

//go:noescape
func gradients2AVX2(r *gradientsRun)

//go:noescape
func gradients3AVX2(r *gradientsRun)

//go:noescape
func gradients4AVX2(r *gradientsRun)

//go:noescape
func sumBandsAVX2(r *sumBandsRun)

//go:noescape
func differentiateAVX2(r *differentiateRun)

//go:noescape
func columnsAVX2(r *columnsRun)

//go:noescape
func windowsAVX2(r *windowsRun)

//go:noescape
func bandsAVX512(r *bandsRun)

//go:noescape
func gradients1AVX512(r *gradientsRun)

//go:noescape
func gradients2AVX512(r *gradientsRun)

//go:noescape
func gradients3AVX512(r *gradientsRun)

//go:noescape
func gradients4AVX512(r *gradientsRun)

//go:noescape
func sumBandsAVX512(r *sumBandsRun)

//go:noescape
func differentiateAVX512(r *differentiateRun)

//go:noescape
func columnsAVX512(r *columnsRun)

//go:noescape
func windowsAVX512(r *windowsRun)

//go:noescape
func integralSSE2(r *integralRun)

//go:noescape
func integralAVX2(r *integralRun)

//go:noescape
func integralAVX512(r *integralRun)
