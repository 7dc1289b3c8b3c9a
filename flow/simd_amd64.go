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
		down:   downAVX512,
		narrow: downNarrowAVX2,
		place:  placeAVX2,
		equate: equateAVX2,
		move:   moveAVX2,
		windows: []windowKernels{
			{
				largest:    image.Pt(15, 32),
				align:      16,
				over:       16,
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
		down:   downAVX2,
		narrow: downNarrowAVX2,
		place:  placeAVX2,
		equate: equateAVX2,
		move:   moveAVX2,
		windows: []windowKernels{
			{
				largest:    image.Pt(15, 32),
				align:      16,
				over:       16,
				template:   templateNarrowAVX2,
				tensor:     tensorAVX2,
				step:       stepAVX2,
				exact:      exactNarrowAVX2,
				stepTwins:  stepTwinsAVX2,
				difference: differenceNarrowAVX2,
			},
			{
				largest:    image.Pt(31, 32),
				align:      32,
				twoRows:    true,
				template:   templateAVX2,
				tensor:     tensorAVX2,
				step:       stepAVX2,
				exact:      exactAVX2,
				stepTwins:  stepTwinsAVX2,
				difference: differenceAVX2,
			},
		},
	}},
}

// downAVX2, downNarrowAVX2 and downAVX512 replace the loop of [down], with rows smoothed before columns:
//
//	for i, w := range [5]int{1, 4, 6, 4, 1} {
//		for j, v := range [5]int{1, 4, 6, 4, 1} {
//			sum += w * v * pixel(2*x+j-2, 2*y+i-2)
//		}
//	}
//	to[x] = (sum + 128) >> 8
//
//go:noescape
func downAVX2(r *downRun)

//go:noescape
func downNarrowAVX2(r *downRun)

//go:noescape
func downAVX512(r *downRun)

// templateAVX2, templateNarrowAVX2, templateAVX512 and templateNarrowAVX512 replace the loop of
// [template]. The gray value and the derivatives of a pixel are interpolated between four neighbors
// with the weights w:
//
//	gray = (w[0]*p[0] + w[1]*p[1] + w[2]*p[2] + w[3]*p[3] + 1<<8) >> 9
//	dx = (w[0]*px[0] + w[1]*px[1] + w[2]*px[2] + w[3]*px[3] + 1<<13) >> 14
//
//go:noescape
func templateAVX2(r *windowRun)

//go:noescape
func templateNarrowAVX2(r *windowRun)

//go:noescape
func templateAVX512(r *windowRun)

//go:noescape
func templateNarrowAVX512(r *windowRun)

// tensorAVX2 replaces the loop of [tensor], which adds floats in OpenCV's order:
//
//	xx += dx * dx
//	xy += dx * dy
//	yy += dy * dy
//
//go:noescape
func tensorAVX2(r *windowRun)

// stepAVX2 replaces the loop of [step], which adds floats in OpenCV's order. d is how much
// brighter a pixel is than that of the template:
//
//	x += d * dx
//	y += d * dy
//
//go:noescape
func stepAVX2(r *windowRun)

// stepTwinsAVX2 is stepAVX2 for r and for r.twin.
//
//go:noescape
func stepTwinsAVX2(r *windowRun)

// exactAVX2, exactNarrowAVX2, exactAVX512 and exactNarrowAVX512 are stepAVX2 with sums in
// integers. They set r.sums.inexact if sums of floats might be others, and leave the differences d
// in r.deltas.
//
//go:noescape
func exactAVX2(r *windowRun)

//go:noescape
func exactNarrowAVX2(r *windowRun)

//go:noescape
func exactAVX512(r *windowRun)

//go:noescape
func exactNarrowAVX512(r *windowRun)

// differenceAVX2, differenceNarrowAVX2, differenceAVX512 and differenceNarrowAVX512 replace the loop
// of [difference]:
//
//	sum += abs(d)
//
//go:noescape
func differenceAVX2(r *windowRun)

//go:noescape
func differenceNarrowAVX2(r *windowRun)

//go:noescape
func differenceAVX512(r *windowRun)

//go:noescape
func differenceNarrowAVX512(r *windowRun)

// placeAVX2 replaces the loop of [place].
//
//go:noescape
func placeAVX2(r *moveRun)

// equateAVX2 replaces the loop of [equate].
//
//go:noescape
func equateAVX2(r *moveRun)

// moveAVX2 replaces the loop of [move].
//
//go:noescape
func moveAVX2(r *moveRun)
