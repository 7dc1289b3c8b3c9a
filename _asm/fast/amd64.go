package main

import "github.com/fastcorners/fast/_asm/internal/vec"

// An isa is an instruction set that package fast has kernels for.
type isa struct{ vec.ISA }

// generateAMD64 emits the stages for SSE2, AVX2 and AVX-512.
func generateAMD64() {
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
}
