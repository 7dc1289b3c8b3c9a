//go:build !purego

package flow

import (
	"image"

	"github.com/fastcorners/fast/internal/cpu"
)

//go:generate go -C ../_asm run ./flow

// The sums of tensor and of step depend on each other, so that vectors wider than those of AVX2
// do not help.
var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI, Kernels: kernels{
		down: downAVX512,
		windows: []windowKernels{
			{
				largest:    image.Pt(15, 32),
				align:      32,
				template:   templateNarrowAVX512,
				tensor:     tensorAVX2,
				step:       stepAVX2,
				exact:      exactNarrowAVX512,
				stepTwins:  stepTwinsAVX2,
				difference: differenceNarrowAVX512,
			},
			{
				largest:    image.Pt(31, 32),
				align:      32,
				template:   templateAVX512,
				tensor:     tensorAVX2,
				step:       stepAVX2,
				exact:      exactAVX512,
				stepTwins:  stepTwinsAVX2,
				difference: differenceAVX512,
			},
		},
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		down: downAVX2,
		windows: []windowKernels{{
			largest:    image.Pt(31, 32),
			align:      32,
			template:   templateAVX2,
			tensor:     tensorAVX2,
			step:       stepAVX2,
			exact:      exactAVX2,
			stepTwins:  stepTwinsAVX2,
			difference: differenceAVX2,
		}},
	}},
}

//go:noescape
func downAVX2(r *downRun)

//go:noescape
func downAVX512(r *downRun)

//go:noescape
func templateAVX2(r *windowRun)

//go:noescape
func templateAVX512(r *windowRun)

//go:noescape
func templateNarrowAVX512(r *windowRun)

//go:noescape
func tensorAVX2(r *windowRun)

//go:noescape
func stepAVX2(r *windowRun)

//go:noescape
func stepTwinsAVX2(r *windowRun)

//go:noescape
func exactAVX2(r *windowRun)

//go:noescape
func exactAVX512(r *windowRun)

//go:noescape
func exactNarrowAVX512(r *windowRun)

//go:noescape
func differenceAVX2(r *windowRun)

//go:noescape
func differenceAVX512(r *windowRun)

//go:noescape
func differenceNarrowAVX512(r *windowRun)
