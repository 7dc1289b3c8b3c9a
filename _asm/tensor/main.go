// Command tensor generates simd_amd64.s and simd_arm64.s, the assembly of package tensor.
// It runs in the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	neon.Write("../internal/tensor", generateNEON)
	vec.Write("../internal/tensor", func() {
		for _, isa := range []vec.ISA{vec.SSE2, vec.AVX2, vec.AVX512} {
			for _, w := range windows {
				slide(isa, w)
			}
			respond(isa)
		}
	})
}
