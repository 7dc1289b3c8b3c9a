// Command flow generates simd_amd64.s and simd_arm64.s, the assembly of package flow. It runs
// in the directory of the module _asm.
package main

import "github.com/fastcorners/fast/_asm/internal/generate"

func main() {
	generate.Write("../flow", generateAMD64, generateNEON)
}
