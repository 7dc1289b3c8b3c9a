//go:build !purego

package neon

import (
	"math/rand/v2"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// all returns a byte with all bits, or with none.
func all(condition bool) uint8 {
	if condition {
		return 0xff
	}
	return 0
}

// TestInstructions compares instructions with what they mean, for all pairs of bytes.
func TestInstructions(t *testing.T) {
	instructions := map[string]struct {
		do   func(r *operands)
		mean func(x, y uint8) uint8
	}{
		"VUQSUB": {vuqsub, func(x, y uint8) uint8 { return x - min(x, y) }},
		"VCMHI":  {vcmhi, func(x, y uint8) uint8 { return all(x > y) }},
		"VCMHS":  {vcmhs, func(x, y uint8) uint8 { return all(x >= y) }},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, instruction := range instructions {
		for pair := 0; pair < 1<<16; pair += 16 {
			r, want := new(operands), new(operands)
			for place := range places {
				// Every place has its own pairs, in an order of its own.
				offset, flip := rng.IntN(16), rng.IntN(1<<16)
				if place == 0 {
					flip = 0
				}
				for i := range r.x[place] {
					bytes := pair + (i+offset)%16 ^ flip
					r.x[place][i], r.y[place][i] = uint8(bytes>>8), uint8(bytes)
					want.result[place][i] = instruction.mean(uint8(bytes>>8), uint8(bytes))
				}
			}
			instruction.do(r)
			require.Equal(t, want.result, r.result, name)
		}
	}
	require.Equal(t, len(instructions), functions(t))
}

// functions returns how many functions the assembly has.
func functions(t *testing.T) int {
	text, err := os.ReadFile("simd_arm64.s")
	require.NoError(t, err)
	return len(regexp.MustCompile(`(?m)^TEXT `).FindAll(text, -1))
}
