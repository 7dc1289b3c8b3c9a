//go:build !purego

package warp

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		linear:  [2]func(*sampling){linearGrayNEON, linearColorNEON},
		nearest: [2]func(*sampling){nearestGrayNEON, nearestColorNEON},
		turned:  linearColorNEON,
		group:   8,
		project: projectNEON,
		scale:   scaleNEON,
		unpack:  unpackNEON,
	}},
}

//go:noescape
func linearGrayNEON(r *sampling)

//go:noescape
func linearColorNEON(r *sampling)

//go:noescape
func nearestGrayNEON(r *sampling)

//go:noescape
func nearestColorNEON(r *sampling)

//go:noescape
func projectNEON(r *projection)

//go:noescape
func scaleNEON(r *scaling)

//go:noescape
func unpackNEON(r *unpacking)
