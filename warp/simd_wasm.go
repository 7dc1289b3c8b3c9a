//go:build js && simd128 && !purego

package warp

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: kernels{
	linear:  [3]func(*sampling){linearGraySIMD128, linearGray16, linearColorSIMD128},
	nearest: [3]func(*sampling){nearestGray, nearestGray16, nearestColor},
	turned:  linearColorSIMD128,
	group:   1,
	project: projectSIMD128,
	scale:   scale,
	unpack:  unpack,
}}}

func linearGraySIMD128(s *sampling)  { simd128LinearGray(unsafe.Pointer(s)) }
func linearColorSIMD128(s *sampling) { simd128LinearColor(unsafe.Pointer(s)) }
func projectSIMD128(p *projection)   { simd128Project(unsafe.Pointer(p)) }

//go:wasmimport simd128 warp.linearGray
//go:noescape
func simd128LinearGray(s unsafe.Pointer)

//go:wasmimport simd128 warp.linearColor
//go:noescape
func simd128LinearColor(s unsafe.Pointer)

//go:wasmimport simd128 warp.project
//go:noescape
func simd128Project(p unsafe.Pointer)
