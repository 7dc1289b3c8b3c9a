package main

import "github.com/fastcorners/fast/_asm/internal/vec"

// generateAMD64 emits the functions for AVX2 and AVX-512.
func generateAMD64() {
	for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
		sizes := []int{1, 2, 4}
		if isa == vec.AVX512 {
			sizes = []int{1, 4} // those for AVX2 make pixels of 16 bits
		}
		for _, size := range sizes {
			sample(isa, "linear", size)
			sample(isa, "nearest", size)
		}
		project(isa)
		scale(isa)
		unpack(isa)
	}
}
