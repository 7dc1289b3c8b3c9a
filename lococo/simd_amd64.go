//go:build !purego

package lococo

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./lococo

var instructionSets = []*kernels{
	{
		needs:    cpu.AVX512 | cpu.VNNI,
		integral: integralAVX512,
	},
	{
		needs:    cpu.AVX2,
		integral: integralAVX2,
	},
	{
		needs:    cpu.SSE2,
		integral: integralSSE2,
	},
}

//go:noescape
func integralSSE2(r *integralRun)

//go:noescape
func integralAVX2(r *integralRun)

//go:noescape
func integralAVX512(r *integralRun)
