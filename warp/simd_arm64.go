//go:build !purego

package warp

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		linear:  [3]func(*sampleRun){linearGrayNEON, linearGray16NEON, linearColorNEON},
		nearest: [3]func(*sampleRun){nearestGrayNEON, nearestGray16NEON, nearestColorNEON},
		turned:  linearColorNEON,
		group:   8,
		project: projectNEON,
		scale:   scaleNEON,
		unpack:  unpackNEON,
		resize: [3]resizeKernels{
			{
				half:    halfKernel{halfGrayNEON, 16},
				boxes:   areaKernel{areasNEON(4), boxesNEON},
				areas:   areaKernel{areasNEON(4), areaNEON},
				farther: areaKernel{areasNEON(1), fartherGrayNEON},
				linear:  linearNEON,
				nearest: nearestKernelsNEON,
			},
			{
				nearest: nearestKernelsNEON,
			},
			{
				half:    halfKernel{halfColorNEON, 16},
				boxes:   areaKernel{areasNEON(4), boxesNEON},
				areas:   areaKernel{areasNEON(4), areaNEON},
				farther: areaKernel{areasNEON(4), fartherColorNEON},
				linear:  linearNEON,
				nearest: nearestKernelsNEON,
			},
		},
	}},
}

func areasNEON(values int) layout {
	return layout{block: 16, begins: []int{0, 4, 8, 12}, sections: 1, window: 16, values: values}
}

func linesNEON(values int) layout {
	return layout{block: 16, begins: []int{0, 8}, sections: 1, window: 16, values: values}
}

var linearNEON = []linearKernel{
	{linesNEON(8), acrossNEON, downNEON, bothNEON},
	{linesNEON(4), across2NEON, downNEON, both2NEON},
	{linesNEON(1), across8NEON, downNEON, both8NEON},
}

var nearestKernelsNEON = []nearestKernel{{linesNEON(8), 1, nearestBytesNEON}}

// linearGrayNEON replaces the loop of [linearGray].
//
//go:noescape
func linearGrayNEON(r *sampleRun)

// linearGray16NEON replaces the loop of [linearGray16].
//
//go:noescape
func linearGray16NEON(r *sampleRun)

// linearColorNEON replaces the loop of [linearColor].
//
//go:noescape
func linearColorNEON(r *sampleRun)

// nearestGrayNEON replaces the loop of [nearestGray].
//
//go:noescape
func nearestGrayNEON(r *sampleRun)

// nearestGray16NEON replaces the loop of [nearestGray16].
//
//go:noescape
func nearestGray16NEON(r *sampleRun)

// nearestColorNEON replaces the loop of [nearestColor].
//
//go:noescape
func nearestColorNEON(r *sampleRun)

// projectNEON replaces the loop of [project].
//
//go:noescape
func projectNEON(r *projectRun)

// scaleNEON replaces the loop of [scale].
//
//go:noescape
func scaleNEON(r *scaleRun)

// unpackNEON replaces the loop of [unpack].
//
//go:noescape
func unpackNEON(r *unpackRun)

// halfGrayNEON replaces the loops of [half] for one channel.
//
//go:noescape
func halfGrayNEON(r *halfRun)

// halfColorNEON replaces the loops of [half] for four channels.
//
//go:noescape
func halfColorNEON(r *halfRun)

// boxesNEON replaces the loops of [boxes].
//
//go:noescape
func boxesNEON(r *areaRun)

// areaNEON replaces the loops of [area] for up to four pixels in a row.
//
//go:noescape
func areaNEON(r *areaRun)

// fartherGrayNEON replaces the loops of [area] for one channel.
//
//go:noescape
func fartherGrayNEON(r *areaRun)

// fartherColorNEON replaces the loops of [area] for four channels.
//
//go:noescape
func fartherColorNEON(r *areaRun)

// acrossNEON replaces the loop of [across] where eight values come from one window.
//
//go:noescape
func acrossNEON(r *linearRun)

// across2NEON replaces the loop of [across] where eight values come from two windows.
//
//go:noescape
func across2NEON(r *linearRun)

// across8NEON replaces the loop of [across] where each value has a window.
//
//go:noescape
func across8NEON(r *linearRun)

// bothNEON replaces the loop of [both] where eight values come from one window.
//
//go:noescape
func bothNEON(r *linearRun)

// both2NEON replaces the loop of [both] where eight values come from two windows.
//
//go:noescape
func both2NEON(r *linearRun)

// both8NEON replaces the loop of [both] where each value has a window.
//
//go:noescape
func both8NEON(r *linearRun)

// downNEON replaces the loop of [down].
//
//go:noescape
func downNEON(r *linearRun)

// nearestBytesNEON replaces the loops of [nearest].
//
//go:noescape
func nearestBytesNEON(r *nearestRun)
