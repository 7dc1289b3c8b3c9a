// Command compact generates simd_amd64.s and simd_arm64.s, the assembly of package orb/compact. It
// runs in the directory of the module _asm.
package main

import "github.com/fastcorners/fast/_asm/internal/generate"

func main() {
	generate.Write("../orb/compact", generateAMD64, generateNEON)
}
