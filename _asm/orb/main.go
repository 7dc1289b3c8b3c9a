// Command orb generates simd_amd64.s and simd_arm64.s, the assembly of package orb. It
// runs in the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	neon.Write("../orb", generateNEON)
	vec.WriteAMD64("../orb", func() {
		for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
			resize(isa)
			smooth(isa)
		}
		harris()
		moments()
		readPatch()
		comparePatch()
		sample()
		compare()
	})
}
