//go:build !(js && simd128)

package cpu

var hasSIMD128 = false // what a program without its kernels has
