// Command sift generates simd_amd64.s, the assembly of package sift. It runs in the directory
// of the module _asm.
package main

import . "github.com/fastcorners/fast/_asm/internal/vec"

func main() {
	WriteAMD64("../sift", generateAMD64)
}

// generateAMD64 emits the functions for AVX2 and AVX-512.
func generateAMD64() {
	double(AVX2)
	halve(AVX2)
	fit(AVX2)
	for _, isa := range []ISA{AVX2, AVX512} {
		rows(isa)
		columns(isa)
		extremes(isa)
		candidates(isa)
		samples(isa)
	}
}
