// Command lococo generates simd_amd64.s, the assembly of package lococo. It runs in
// the directory of the module _asm.
package main

import "github.com/fastcorners/fast/_asm/internal/vec"

func main() {
	vec.WriteAMD64("../lococo", func() {
		for _, isa := range []vec.ISA{vec.SSE2, vec.AVX2, vec.AVX512} {
			bands(isa)
			for reach := 1; reach <= 4; reach++ {
				if isa == vec.AVX2 {
					halves(isa, reach)
				} else {
					gradients(isa, reach)
				}
			}
			slide(isa)
		}
	})
}
