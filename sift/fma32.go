package sift

import "math"

// fma32 returns a*b + c with a single rounding, whatever the processor has: the fused
// multiply-add of float32.
//
// The product of two float32 is exact in float64, so the sum is the only operation that
// rounds before the conversion does. The conversion repairs no first rounding that ended
// halfway between two float32, and below the normal numbers halfway is anywhere. There the
// sum is rounded to odd instead: what is cut off leaves its mark in the last bit, which
// makes the second rounding right (S. Boldo, G. Melquiond, "Emulation of a FMA and
// correctly-rounded sums: proved algorithms using rounding to odd", 2008).
func fma32(a, b, c float32) float32 {
	const (
		half      = 1 << 28 // of the last place of a float32, in the bits of a float64
		below     = 1<<29 - 1
		magnitude = 1<<63 - 1
		normal    = (1023 - 126) << 52 // the bits of 2^-126, the least normal float32
	)
	product, addend := float64(a)*float64(b), float64(c)
	sum := product + addend
	bits := math.Float64bits(sum)
	if bits&below != half && bits&magnitude >= normal {
		return float32(sum)
	}
	// The error of the sum is exact (D. Knuth, The Art of Computer Programming, 4.2.2).
	part := sum - product
	rest := (product - (sum - part)) + (addend - part)
	if rest != 0 && bits&1 == 0 {
		if (rest > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}
