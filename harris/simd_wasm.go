//go:build js && simd128 && !purego

package harris

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: simd128()}}

// simd128 returns the kernels in WebAssembly, of which many are portable.
func simd128() kernels {
	k := portable
	k.peaks, k.extremes = peaksSIMD128, extremesSIMD128
	k.sum, k.gradient = sumSIMD128, gradientSIMD128
	return k
}

func peaksSIMD128(r *peaksRun)       { simd128Peaks(unsafe.Pointer(r)) }
func extremesSIMD128(r *extremesRun) { simd128Extremes(unsafe.Pointer(r)) }
func sumSIMD128(r *sumRun)           { simd128Sum(unsafe.Pointer(r)) }
func gradientSIMD128(r *gradientRun) { simd128Gradient(unsafe.Pointer(r)) }

//go:wasmimport simd128 harris.peaks
//go:noescape
func simd128Peaks(r unsafe.Pointer)

//go:wasmimport simd128 harris.extremes
//go:noescape
func simd128Extremes(r unsafe.Pointer)

//go:wasmimport simd128 harris.sum
//go:noescape
func simd128Sum(r unsafe.Pointer)

//go:wasmimport simd128 harris.gradient
//go:noescape
func simd128Gradient(r unsafe.Pointer)
