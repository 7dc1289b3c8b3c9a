// Command fast generates simd_amd64.s and simd_arm64.s, the assembly of package fast.
// It runs in the directory of the module _asm.
//
// The Go declarations of the functions and of their arguments are written by hand. The
// stages in portable.go define what the functions do.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

// An isa is an instruction set that package fast has kernels for.
type isa struct{ vec.ISA }

func main() {
	neon.Write("..", generateNEON)
	vec.WriteAMD64("..", func() {
		for _, b := range blocks {
			b.generate()
		}
		for _, s := range []isa{{vec.SSE2}, {vec.AVX2}, {vec.AVX512}} {
			s.screen(false)
			s.screen(true)
			for n := 9; n <= 12; n++ {
				s.exact(n)
			}
			s.peaks()
			s.wipe()
		}
		screenTable(false)
		screenTable(true)
		compactBits(isa{vec.SSE2})
		compactBits(isa{vec.AVX2})
		compactAVX512()
		packBits(isa{vec.SSE2})
		packBits(isa{vec.AVX2})
		packAVX512()
		widenSSE2()
		widenAVX512()
		lumaSSE2()
	})
}
