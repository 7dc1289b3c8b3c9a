// Command lococo generates simd_amd64.s, the assembly of package lococo. It runs in
// the directory of the module _asm.
package main

import "github.com/fastcorners/fast/_asm/internal/vec"

func main() {
	vec.Write("../lococo", "github.com/fastcorners/fast/lococo", func() {
		integral("SSE2", vec.SSE2, pairSums)
		integral("AVX2", vec.AVX2, func() block { return products(false) })
		// Vectors of 64 bytes would need as many multiplications as those of 32.
		integral("AVX512", vec.AVX2, func() block { return products(true) })
	})
}
