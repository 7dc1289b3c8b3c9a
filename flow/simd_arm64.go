//go:build !purego

package flow

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		down:       downNEON,
		template:   templateNEON,
		tensor:     tensorNEON,
		step:       stepNEON,
		difference: differenceNEON,
		align:      8,
		small:      true,
	}},
}

//go:noescape
func downNEON(r *downRun)

//go:noescape
func templateNEON(r *search)

//go:noescape
func tensorNEON(r *search)

//go:noescape
func stepNEON(r *search)

//go:noescape
func differenceNEON(r *search)
