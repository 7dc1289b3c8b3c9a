// Command warp generates simd_amd64.s and simd_arm64.s, the assembly of package warp. It runs
// in the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	neon.Write("../warp", generateNEON)
	vec.WriteAMD64("../warp", func() {
		for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
			for _, color := range []bool{false, true} {
				sample(isa, "linear", color)
				sample(isa, "nearest", color)
			}
			project(isa)
			scale(isa)
			unpack(isa)
		}
	})
}
