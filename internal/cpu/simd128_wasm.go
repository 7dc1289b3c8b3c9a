//go:build js && simd128

package cpu

// hasSIMD128 reports whether the program has been connected with the kernels of package
// web/simd128, which a host without the vectors of WebAssembly cannot load.
var hasSIMD128 = hostHasSIMD128() != 0

//go:wasmimport simd128 available
func hostHasSIMD128() int32
