//go:build js && simd128 && !purego

package geometry

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{
	Name: "simd128", Needs: cpu.SIMD128,
	Kernels: kernels{scoreAffineSIMD128, scoreProjectiveSIMD128, sumAffineSIMD128, sumProjectiveSIMD128},
}}

func scoreAffineSIMD128(r *run)     { simd128ScoreAffine(unsafe.Pointer(r)) }
func scoreProjectiveSIMD128(r *run) { simd128ScoreProjective(unsafe.Pointer(r)) }
func sumAffineSIMD128(r *run)       { simd128SumAffine(unsafe.Pointer(r)) }
func sumProjectiveSIMD128(r *run)   { simd128SumProjective(unsafe.Pointer(r)) }

//go:wasmimport simd128 geometry.scoreAffine
//go:noescape
func simd128ScoreAffine(r unsafe.Pointer)

//go:wasmimport simd128 geometry.scoreProjective
//go:noescape
func simd128ScoreProjective(r unsafe.Pointer)

//go:wasmimport simd128 geometry.sumAffine
//go:noescape
func simd128SumAffine(r unsafe.Pointer)

//go:wasmimport simd128 geometry.sumProjective
//go:noescape
func simd128SumProjective(r unsafe.Pointer)
