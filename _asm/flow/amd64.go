package main

import "github.com/fastcorners/fast/_asm/internal/vec"

// generateAMD64 emits the functions for AVX2 and AVX-512.
func generateAMD64() {
	for _, isa := range []vec.ISA{vec.AVX2, vec.AVX512} {
		down(isa, "down", 32)
	}
	down(vec.AVX2, "downNarrow", 16)
	for _, v := range variants {
		template(v)
		exact(v)
		difference(v)
	}
	tensor(newFunction(variants[0], "tensor"))
	step(newFunction(variants[0], "step"))
	step(twins(variants[0], "step"))
	place()
	equate()
	move()
}
