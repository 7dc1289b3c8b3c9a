// Command geometry generates simd_amd64.s, the assembly of package geometry. It runs in
// the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/pairs"
	"github.com/fastcorners/fast/_asm/internal/transforms"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	vec.WriteAMD64("../geometry", func() {
		for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
			transforms.Emit(func(name string) *pairs.Kernel { return pairs.NewKernel(isa, name) })
		}
	})
}
