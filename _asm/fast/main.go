// Command fast generates simd_amd64.s and simd_arm64.s, the assembly of package fast.
// It runs in the directory of the module _asm.
//
// The Go declarations of the functions and of their arguments are written by hand. The
// stages in portable.go define what the functions do.
package main

import "github.com/fastcorners/fast/_asm/internal/generate"

func main() {
	generate.Write("..", generateAMD64, generateNEON)
}
