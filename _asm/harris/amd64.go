package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/vec"
)

// generateAMD64 emits the functions for SSE2, AVX2 and AVX-512.
func generateAMD64() {
	for _, isa := range []vec.ISA{vec.SSE2, vec.AVX2, vec.AVX512} {
		sum(isa)
		if isa != vec.AVX512 {
			peaks(isa)
		}
		respond(isa)
		gradient(isa)
		widen(isa)
		weigh(isa, "weighSums", op.AddFloat)
		weigh(isa, "weighDifferences", op.SubFloat)
		multiply(isa)
		extremes(isa)
		slideDoubles(isa)
		boxDoubles(isa)
		columns7(isa, "gradients7", true)
		products7(isa)
		columns7(isa, "columns7", false)
		respond7(isa)
		if isa == vec.AVX2 {
			refineSample(isa)
		}
		if isa != vec.SSE2 {
			refineMoments(isa)
		}
	}
}
