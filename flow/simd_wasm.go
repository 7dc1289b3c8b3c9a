//go:build js && simd128 && !purego

package flow

import (
	"image"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: kernels{
	down:   downSIMD128,
	narrow: downSIMD128,
	place:  place,
	equate: equate,
	move:   move,
	windows: []windowKernels{{
		largest:    image.Pt(31, 32),
		align:      8,
		template:   templateSIMD128,
		tensor:     tensorSIMD128,
		step:       stepSIMD128,
		difference: differenceSIMD128,
	}},
}}}

func downSIMD128(r *downRun)         { simd128Down(unsafe.Pointer(r)) }
func templateSIMD128(r *windowRun)   { simd128Template(unsafe.Pointer(r)) }
func tensorSIMD128(r *windowRun)     { simd128Tensor(unsafe.Pointer(r)) }
func stepSIMD128(r *windowRun)       { simd128Step(unsafe.Pointer(r)) }
func differenceSIMD128(r *windowRun) { simd128Difference(unsafe.Pointer(r)) }

//go:wasmimport simd128 flow.down
//go:noescape
func simd128Down(r unsafe.Pointer)

//go:wasmimport simd128 flow.template
//go:noescape
func simd128Template(r unsafe.Pointer)

//go:wasmimport simd128 flow.tensor
//go:noescape
func simd128Tensor(r unsafe.Pointer)

//go:wasmimport simd128 flow.step
//go:noescape
func simd128Step(r unsafe.Pointer)

//go:wasmimport simd128 flow.difference
//go:noescape
func simd128Difference(r unsafe.Pointer)
