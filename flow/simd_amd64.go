//go:build !purego

package flow

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./flow

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI, Kernels: kernels{
		down:       downAVX512,
		template:   templateAVX512,
		tensor:     tensorAVX2, // the sums depend on each other, so that wider vectors do not help
		step:       stepAVX2,
		exact:      exactAVX512,
		difference: differenceAVX512,
		stepTwins:  stepTwinsAVX2,
		narrow:     narrow{templateNarrowAVX512, exactNarrowAVX512, differenceNarrowAVX512},
		integers:   true,
		align:      32,
		small:      true,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		down:       downAVX2,
		template:   templateAVX2,
		tensor:     tensorAVX2,
		step:       stepAVX2,
		exact:      exactAVX2,
		difference: differenceAVX2,
		stepTwins:  stepTwinsAVX2,
		integers:   true,
		align:      32,
		small:      true,
	}},
}

//go:noescape
func downAVX2(r *downRun)

//go:noescape
func downAVX512(r *downRun)

//go:noescape
func templateAVX2(r *search)

//go:noescape
func templateAVX512(r *search)

//go:noescape
func templateNarrowAVX512(r *search)

//go:noescape
func tensorAVX2(r *search)

//go:noescape
func stepAVX2(r *search)

//go:noescape
func stepTwinsAVX2(r *search)

//go:noescape
func exactAVX2(r *search)

//go:noescape
func exactAVX512(r *search)

//go:noescape
func exactNarrowAVX512(r *search)

//go:noescape
func differenceAVX2(r *search)

//go:noescape
func differenceAVX512(r *search)

//go:noescape
func differenceNarrowAVX512(r *search)
