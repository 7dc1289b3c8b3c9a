//go:build !purego

package warp

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		linear:  [3]func(*sampling){linearGrayNEON, linearGray16NEON, linearColorNEON},
		nearest: [3]func(*sampling){nearestGrayNEON, nearestGray16NEON, nearestColorNEON},
		turned:  linearColorNEON,
		group:   8,
		project: projectNEON,
		scale:   scaleNEON,
		unpack:  unpackNEON,
	}},
}

// linearGrayNEON replaces the loop of [linearGray].
//
//go:noescape
func linearGrayNEON(r *sampling)

// linearGray16NEON replaces the loop of [linearGray16].
//
//go:noescape
func linearGray16NEON(r *sampling)

// linearColorNEON replaces the loop of [linearColor].
//
//go:noescape
func linearColorNEON(r *sampling)

// nearestGrayNEON replaces the loop of [nearestGray].
//
//go:noescape
func nearestGrayNEON(r *sampling)

// nearestGray16NEON replaces the loop of [nearestGray16].
//
//go:noescape
func nearestGray16NEON(r *sampling)

// nearestColorNEON replaces the loop of [nearestColor].
//
//go:noescape
func nearestColorNEON(r *sampling)

// projectNEON replaces the loop of [project].
//
//go:noescape
func projectNEON(r *projection)

// scaleNEON replaces the loop of [scale].
//
//go:noescape
func scaleNEON(r *scaling)

// unpackNEON replaces the loop of [unpack].
//
//go:noescape
func unpackNEON(r *unpacking)
