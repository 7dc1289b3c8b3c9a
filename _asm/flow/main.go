// Command flow generates simd_amd64.s and simd_arm64.s, the assembly of package flow. It runs
// in the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	neon.Write("../flow", generateNEON)
	vec.WriteAMD64("../flow", func() {
		for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
			down(isa)
		}
		for _, v := range variants {
			template(v)
			exact(v)
			difference(v)
		}
		tensor(newFunction(variants[0], "tensor"))
		step(newFunction(variants[0], "step"))
		step(twins(variants[0], "step"))
	})
}
