//go:build js && simd128 && !purego

package fast

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var sieveRows = []cpu.Row[stages]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: stages{
	kernel:   simd128Sieve,
	block:    64,
	screen:   screenSIMD128,
	screen12: screen12SIMD128,
	compact:  compactSIMD128,
	exact:    [4]func(*sieveRun){exact9SIMD128, exact10SIMD128, exact11SIMD128, exact12SIMD128},
	peaks:    peaksSIMD128,
	wipe:     wipeSIMD128,
	pack:     packSIMD128,
}}}

// There are no block kernels.
var blockRows []cpu.Row[[]blockKernel]

// grayRows holds the functions for gray values. There is none for packed pixels.
var grayRows = []cpu.Row[grayKernels]{
	{Name: "simd128", Needs: cpu.SIMD128, Kernels: grayKernels{luma: lumaPortable, expand: expandSIMD128}},
}

// widen makes dst the packed corners of r.
func (st *stages) widen(dst []Corner, r *sieveRun) {
	widenPortable(dst, r, 0)
}

func screenSIMD128(r *sieveRun)   { screen(unsafe.Pointer(r)) }
func screen12SIMD128(r *sieveRun) { screen12(unsafe.Pointer(r)) }
func compactSIMD128(r *sieveRun)  { compact(unsafe.Pointer(r)) }
func exact9SIMD128(r *sieveRun)   { exact9(unsafe.Pointer(r)) }
func exact10SIMD128(r *sieveRun)  { exact10(unsafe.Pointer(r)) }
func exact11SIMD128(r *sieveRun)  { exact11(unsafe.Pointer(r)) }
func exact12SIMD128(r *sieveRun)  { exact12(unsafe.Pointer(r)) }
func peaksSIMD128(r *sieveRun)    { peaks(unsafe.Pointer(r)) }
func wipeSIMD128(r *sieveRun)     { wipe(unsafe.Pointer(r)) }
func packSIMD128(r *sieveRun)     { pack(unsafe.Pointer(r)) }
func expandSIMD128(r *grayRun)    { expand(unsafe.Pointer(r)) }

//go:wasmimport simd128 fast.screen
//go:noescape
func screen(r unsafe.Pointer)

//go:wasmimport simd128 fast.screen12
//go:noescape
func screen12(r unsafe.Pointer)

//go:wasmimport simd128 fast.compact
//go:noescape
func compact(r unsafe.Pointer)

//go:wasmimport simd128 fast.exact9
//go:noescape
func exact9(r unsafe.Pointer)

//go:wasmimport simd128 fast.exact10
//go:noescape
func exact10(r unsafe.Pointer)

//go:wasmimport simd128 fast.exact11
//go:noescape
func exact11(r unsafe.Pointer)

//go:wasmimport simd128 fast.exact12
//go:noescape
func exact12(r unsafe.Pointer)

//go:wasmimport simd128 fast.peaks
//go:noescape
func peaks(r unsafe.Pointer)

//go:wasmimport simd128 fast.wipe
//go:noescape
func wipe(r unsafe.Pointer)

//go:wasmimport simd128 fast.pack
//go:noescape
func pack(r unsafe.Pointer)

//go:wasmimport simd128 fast.expand
//go:noescape
func expand(r unsafe.Pointer)
