//go:build js && simd128 && !purego

package tensor

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: kernels{
	columns: 8,
	slide:   [maxWindow + 1]func(*slideRun){2: slide2SIMD128, 3: slide3SIMD128, 5: slide5SIMD128, 7: slide7SIMD128, 9: slide9SIMD128},
	respond: respondSIMD128,
}}}

func slide2SIMD128(r *slideRun)    { simd128Slide2(unsafe.Pointer(r)) }
func slide3SIMD128(r *slideRun)    { simd128Slide3(unsafe.Pointer(r)) }
func slide5SIMD128(r *slideRun)    { simd128Slide5(unsafe.Pointer(r)) }
func slide7SIMD128(r *slideRun)    { simd128Slide7(unsafe.Pointer(r)) }
func slide9SIMD128(r *slideRun)    { simd128Slide9(unsafe.Pointer(r)) }
func respondSIMD128(r *respondRun) { simd128Respond(unsafe.Pointer(r)) }

//go:wasmimport simd128 tensor.slide2
//go:noescape
func simd128Slide2(r unsafe.Pointer)

//go:wasmimport simd128 tensor.slide3
//go:noescape
func simd128Slide3(r unsafe.Pointer)

//go:wasmimport simd128 tensor.slide5
//go:noescape
func simd128Slide5(r unsafe.Pointer)

//go:wasmimport simd128 tensor.slide7
//go:noescape
func simd128Slide7(r unsafe.Pointer)

//go:wasmimport simd128 tensor.slide9
//go:noescape
func simd128Slide9(r unsafe.Pointer)

//go:wasmimport simd128 tensor.respond
//go:noescape
func simd128Respond(r unsafe.Pointer)
