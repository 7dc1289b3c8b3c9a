//go:build js && simd128 && !purego

package match

import (
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
)

// The kernels are in package web/simd128.
var assembly = []cpu.Row[kernels]{{Name: "simd128", Needs: cpu.SIMD128, Kernels: kernels{
	block:     1,
	words:     inOrder,
	find:      [metrics]func(*findRun){findSIMD128, find2SIMD128, findFlatPortable, findL2Portable, find32SIMD128},
	keys:      [listed]func(*findRun){keysSIMD128, keys2SIMD128, keysFlatPortable, keysL2Portable},
	vectors:   inRows,
	packL2:    inRows.packRun,
	distances: distancesPortable,
	share:     1 << 17,
}}}

func findSIMD128(r *findRun)   { find(unsafe.Pointer(r)) }
func find2SIMD128(r *findRun)  { find2(unsafe.Pointer(r)) }
func find32SIMD128(r *findRun) { find32(unsafe.Pointer(r)) }
func keysSIMD128(r *findRun)   { keys(unsafe.Pointer(r)) }
func keys2SIMD128(r *findRun)  { keys2(unsafe.Pointer(r)) }

//go:wasmimport simd128 match.find
//go:noescape
func find(r unsafe.Pointer)

//go:wasmimport simd128 match.find2
//go:noescape
func find2(r unsafe.Pointer)

//go:wasmimport simd128 match.find32
//go:noescape
func find32(r unsafe.Pointer)

//go:wasmimport simd128 match.keys
//go:noescape
func keys(r unsafe.Pointer)

//go:wasmimport simd128 match.keys2
//go:noescape
func keys2(r unsafe.Pointer)
