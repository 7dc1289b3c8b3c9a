//go:build !(js && simd128)

package cpu

const hasSIMD128 = false
