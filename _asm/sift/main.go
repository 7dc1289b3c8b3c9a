// Command sift generates simd_amd64.s and simd_arm64.s, the assembly of package sift. It runs in
// the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/generate"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	generate.Write("../sift", generateAMD64, generateNEON)
}

// generateAMD64 emits the functions for AVX2 and AVX-512.
func generateAMD64() {
	double(AVX2)
	halve(AVX2)
	fit(AVX2)
	for _, isa := range []ISA{AVX2, AVX512} {
		rows(isa)
		columns(isa)
		extrema(isa)
		samples(isa)
	}
}
