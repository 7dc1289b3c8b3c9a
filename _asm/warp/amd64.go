package main

import "github.com/fastcorners/fast/_asm/internal/vec"

// generateAMD64 emits the functions for AVX2 and AVX-512.
func generateAMD64() {
	for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
		for _, color := range []bool{false, true} {
			sample(isa, "linear", color)
			sample(isa, "nearest", color)
		}
		project(isa)
		scale(isa)
		unpack(isa)
	}
}
