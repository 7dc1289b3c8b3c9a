package sift

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// exactFMA returns a*b + c for finite numbers, by arithmetic without rounding.
func exactFMA(a, b, c float32) float32 {
	const exact = 1200 // bits, enough for all products and sums of float32
	number := func(v float32) *big.Float { return new(big.Float).SetPrec(exact).SetFloat64(float64(v)) }
	product := number(a)
	product.Mul(product, number(b))
	product.Add(product, number(c))
	// A big.Float loses the sign of zero differently: IEEE 754's are those of the sum of two
	// zeros, and of a difference that vanishes, which is +0.
	if product.Sign() == 0 {
		return float32(a*b) + c
	}
	v, _ := product.Float32()
	return v
}

// requireFMA compares fma32 with exact arithmetic.
func requireFMA(t *testing.T, a, b, c float32) {
	t.Helper()
	want, got := exactFMA(a, b, c), fma32(a, b, c)
	if math.Float32bits(want) != math.Float32bits(got) {
		require.Failf(t, "not the fused sum", "%b * %b + %b is %b, not %b", a, b, c, want, got)
	}
}

// TestFMA compares fma32 with exact arithmetic: for any bits, for numbers of like size, for sums
// next to halfway between two float32, and for those that are not normal.
func TestFMA(t *testing.T) {
	rounds := 250_000
	if testing.Short() {
		rounds = 30_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	number := func(low, high int) float32 { // with an exponent of low to high-1
		return float32(math.Ldexp(1+float64(r.IntN(1<<23))/(1<<23), low+r.IntN(high-low))) * float32(1-2*r.IntN(2))
	}
	few := func(bits int) float32 { return float32(r.IntN(1<<bits)+1) * float32(1-2*r.IntN(2)) }
	for range rounds {
		bits := [3]float32{}
		for i := range bits {
			for {
				bits[i] = math.Float32frombits(r.Uint32())
				if v := float64(bits[i]); !math.IsNaN(v) && !math.IsInf(v, 0) {
					break
				}
			}
		}
		requireFMA(t, bits[0], bits[1], bits[2])
		requireFMA(t, number(-12, 12), number(-12, 12), number(-24, 24))
		// Short numbers make many sums that are halfway, and a small addend is beside it.
		requireFMA(t, few(13), few(13), few(24)*math.Float32frombits(uint32(127-r.IntN(60))<<23))
		requireFMA(t, few(12)*4097, few(12), number(-70, 4))
		// Products between float32 that are not normal, and sums that cross the limit.
		requireFMA(t, number(-80, -60), number(-80, -60), float32(math.Ldexp(float64(few(24)), -149)))
		requireFMA(t, number(-149, -60), number(-64, 10), number(-149, -120))
		// Sums that round beside, or to, infinity.
		requireFMA(t, number(60, 65), number(60, 64), number(100, 128))
	}
}

// TestFMAHalfway checks sums that a second rounding spoils.
func TestFMAHalfway(t *testing.T) {
	ulp := func(exponent int) float32 { return float32(math.Ldexp(1, exponent)) }
	for _, c := range []float32{ulp(-60), -ulp(-60), ulp(-149), -ulp(-149), 0} {
		for _, a := range []float32{1 + ulp(-12), 1 + 3*ulp(-12), -1 - ulp(-12)} {
			// The square has a last bit of 2^-24, half of the last place.
			requireFMA(t, a, 1+ulp(-12), c)
			requireFMA(t, a*ulp(-63), (1+ulp(-12))*ulp(-63), c*ulp(-40))
		}
	}
	// Beside half of the least number.
	for k := -23; k <= -12; k++ {
		for _, c := range []float32{ulp(-127), ulp(-127) + ulp(-149), -ulp(-127), -ulp(-127) - ulp(-149)} {
			for _, sign := range []float32{1, -1} {
				requireFMA(t, sign*(1+ulp(k))*ulp(-75), (1-ulp(k))*ulp(-75), c)
				requireFMA(t, sign*(1+ulp(k))*ulp(-75), (1+ulp(k))*ulp(-75), c)
			}
		}
	}
	requireFMA(t, ulp(-75), ulp(-75), 0)                      // half of the least number: 0
	requireFMA(t, ulp(-75), ulp(-75), ulp(-149))              // and one and a half: 2
	requireFMA(t, ulp(-75), ulp(-75)*(1+ulp(-23)), 0)         // a little more
	requireFMA(t, -ulp(-75), ulp(-75), ulp(-149))             // half of it again
	requireFMA(t, -ulp(-100), ulp(-100), ulp(-149))           // hardly less than the least
	requireFMA(t, ulp(64), ulp(64)*(1-ulp(-24)), -ulp(-149))  // hardly less than 2^128
	requireFMA(t, math.MaxFloat32, 1, ulp(103))               // halfway to 2^128
	requireFMA(t, math.MaxFloat32, 1+ulp(-23), -2*ulp(104))   // beside it
	requireFMA(t, float32(math.Copysign(0, -1)), 1, 0)        // zeros
	requireFMA(t, float32(math.Copysign(0, -1)), 1, ulp(-30)) // and no zero
	requireFMA(t, 3, 5, -15)
}

// TestFMASpecial checks infinity and what is not a number.
func TestFMASpecial(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	require.Equal(t, inf, fma32(inf, 2, -3))
	require.Equal(t, -inf, fma32(inf, -2, 1e38))
	require.Equal(t, inf, fma32(3, 2, inf))
	for _, v := range []float32{fma32(nan, 1, 1), fma32(1, nan, 1), fma32(1, 1, nan), fma32(inf, 0, 1), fma32(inf, 1, -inf)} {
		require.NotEqual(t, v, v) //nolint:testifylint // which only NaN is not
	}
}
