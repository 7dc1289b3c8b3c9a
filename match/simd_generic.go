//go:build (!amd64 && !arm64) || purego

package match

// There is no assembly.
var avx512Kernel, avx2Kernel, popcntKernel, neonKernel *kernel
