//go:build !purego

package flow

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./flow

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI, Kernels: kernels{
		down:       downAVX512,
		template:   template,
		step:       step,
		sum:        sum,
		difference: difference,
		align:      1,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		down:       downAVX2,
		template:   template,
		step:       step,
		sum:        sum,
		difference: difference,
		align:      1,
	}},
}

//go:noescape
func downAVX2(r *downRun)

//go:noescape
func downAVX512(r *downRun)
