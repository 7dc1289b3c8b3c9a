//go:build !purego

package flow

import (
	"image"

	"github.com/fastcorners/fast/internal/cpu"
)

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		down: downNEON,
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

//go:noescape
func downNEON(r *downRun)

//go:noescape
func templateNEON(r *windowRun)

//go:noescape
func tensorNEON(r *windowRun)

//go:noescape
func stepNEON(r *windowRun)

//go:noescape
func differenceNEON(r *windowRun)
