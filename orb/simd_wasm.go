//go:build js && simd128 && !purego

package orb

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: kernels{
	window:  8,
	strip:   16,
	resize:  resizeSIMD128,
	harris:  harrisSIMD128,
	moments: momentsSIMD128,
	smooth:  smoothSIMD128,
	sample:  samplePortable,
	compare: compareSIMD128,
}}}

func resizeSIMD128(r *resizeRun)  { resize(unsafe.Pointer(r)) }
func harrisSIMD128(r *harrisRun)  { harris(unsafe.Pointer(r)) }
func momentsSIMD128(r *momentRun) { moments(unsafe.Pointer(r)) }
func smoothSIMD128(r *smoothRun)  { smooth(unsafe.Pointer(r)) }
func compareSIMD128(r *sampleRun) { compare(unsafe.Pointer(r)) }

//go:wasmimport simd128 orb.resize
//go:noescape
func resize(r unsafe.Pointer)

//go:wasmimport simd128 orb.harris
//go:noescape
func harris(r unsafe.Pointer)

//go:wasmimport simd128 orb.moments
//go:noescape
func moments(r unsafe.Pointer)

//go:wasmimport simd128 orb.smooth
//go:noescape
func smooth(r unsafe.Pointer)

//go:wasmimport simd128 orb.compare
//go:noescape
func compare(r unsafe.Pointer)
