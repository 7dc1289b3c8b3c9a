//go:build !purego

package flow

import (
	"image"

	"github.com/fastcorners/fast/internal/cpu"
)

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		down:   downNEON,
		narrow: downNEON,
		place:  place,
		equate: equate,
		move:   move,
		windows: []windowKernels{{
			largest:    image.Pt(31, 32),
			align:      8,
			template:   templateNEON,
			tensor:     tensorNEON,
			step:       stepNEON,
			difference: differenceNEON,
		}},
	}},
}

// downNEON replaces the loop of [down].
//
//go:noescape
func downNEON(r *downRun)

// templateNEON replaces the loop of [template].
//
//go:noescape
func templateNEON(r *windowRun)

// tensorNEON replaces the loop of [tensor], which adds floats in OpenCV's order.
//
//go:noescape
func tensorNEON(r *windowRun)

// stepNEON replaces the loop of [step], which adds floats in OpenCV's order.
//
//go:noescape
func stepNEON(r *windowRun)

// differenceNEON replaces the loop of [difference].
//
//go:noescape
func differenceNEON(r *windowRun)
