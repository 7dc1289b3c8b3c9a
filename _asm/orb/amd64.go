package main

import "github.com/fastcorners/fast/_asm/internal/vec"

// generateAMD64 emits the functions for AVX2 and AVX-512.
func generateAMD64() {
	for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
		resize(isa)
		smooth(isa)
	}
	harris()
	moments()
	sample()
	compare()
}
