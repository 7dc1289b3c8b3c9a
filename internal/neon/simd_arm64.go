//go:build !purego

package neon

// The operands of an instruction, and the results: each of the places is done with
// registers of its own.
type operands struct {
	x, y, result [places][16]byte
}

const places = 10

// The functions of simd_arm64.s.

//go:noescape
func vuqsub(r *operands)

//go:noescape
func vcmhi(r *operands)

//go:noescape
func vcmhs(r *operands)
