//go:build js && simd128 && !purego

package warp

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: kernels{
	linear:  [3]func(*sampleRun){linearGraySIMD128, linearGray16SIMD128, linearColorSIMD128},
	nearest: [3]func(*sampleRun){nearestGraySIMD128, nearestGray16SIMD128, nearestColorSIMD128},
	turned:  linearColorSIMD128,
	group:   4,
	project: projectSIMD128,
	scale:   scaleSIMD128,
	unpack:  unpackSIMD128,
	resize:  portableResize,
}}}

func linearGraySIMD128(s *sampleRun)    { simd128LinearGray(unsafe.Pointer(s)) }
func linearGray16SIMD128(s *sampleRun)  { simd128LinearGray16(unsafe.Pointer(s)) }
func linearColorSIMD128(s *sampleRun)   { simd128LinearColor(unsafe.Pointer(s)) }
func nearestGraySIMD128(s *sampleRun)   { simd128NearestGray(unsafe.Pointer(s)) }
func nearestGray16SIMD128(s *sampleRun) { simd128NearestGray16(unsafe.Pointer(s)) }
func nearestColorSIMD128(s *sampleRun)  { simd128NearestColor(unsafe.Pointer(s)) }
func projectSIMD128(p *projectRun)      { simd128Project(unsafe.Pointer(p)) }
func scaleSIMD128(s *scaleRun)          { simd128Scale(unsafe.Pointer(s)) }
func unpackSIMD128(u *unpackRun)        { simd128Unpack(unsafe.Pointer(u)) }

//go:wasmimport simd128 warp.linearGray
//go:noescape
func simd128LinearGray(s unsafe.Pointer)

//go:wasmimport simd128 warp.linearGray16
//go:noescape
func simd128LinearGray16(s unsafe.Pointer)

//go:wasmimport simd128 warp.linearColor
//go:noescape
func simd128LinearColor(s unsafe.Pointer)

//go:wasmimport simd128 warp.nearestGray
//go:noescape
func simd128NearestGray(s unsafe.Pointer)

//go:wasmimport simd128 warp.nearestGray16
//go:noescape
func simd128NearestGray16(s unsafe.Pointer)

//go:wasmimport simd128 warp.nearestColor
//go:noescape
func simd128NearestColor(s unsafe.Pointer)

//go:wasmimport simd128 warp.project
//go:noescape
func simd128Project(p unsafe.Pointer)

//go:wasmimport simd128 warp.scale
//go:noescape
func simd128Scale(s unsafe.Pointer)

//go:wasmimport simd128 warp.unpack
//go:noescape
func simd128Unpack(u unsafe.Pointer)
