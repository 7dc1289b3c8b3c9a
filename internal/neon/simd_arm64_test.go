//go:build !purego

package neon

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

type vector [16]byte

// TestInstructions compares instructions with what they mean, for all pairs of bytes
// and with several registers.
func TestInstructions(t *testing.T) {
	instructions := map[string]struct {
		do   func(r *operands)
		mean func(x, y vector) vector
	}{
		"VUQSUB B16": {vuqsubb16, ofBytes(func(x, y uint8) uint8 { return x - min(x, y) })},
		"VCMHI B16":  {vcmhib16, ofBytes(func(x, y uint8) uint8 { return all(x > y) })},
		"VCMHS B16":  {vcmhsb16, ofBytes(func(x, y uint8) uint8 { return all(x >= y) })},
		"VUADDLP B16": {vuaddlpb16, func(x, _ vector) (sums vector) {
			for i := 0; i < len(x); i += 2 {
				binary.LittleEndian.PutUint16(sums[i:], uint16(x[i])+uint16(x[i+1]))
			}
			return sums
		}},
		"VUADDLP H8": {vuaddlph8, func(x, _ vector) (sums vector) {
			for i := 0; i < len(x); i += 4 {
				a, b := binary.LittleEndian.Uint16(x[i:]), binary.LittleEndian.Uint16(x[i+2:])
				binary.LittleEndian.PutUint32(sums[i:], uint32(a)+uint32(b))
			}
			return sums
		}},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, instruction := range instructions {
		for pair := 0; pair < 1<<16; pair += 16 {
			r, want := new(operands), new(operands)
			for place := range places {
				for i := range r.x[place] {
					bytes := pair + i // in one place, all of them
					if place > 0 {
						bytes = rng.IntN(1 << 16)
					}
					r.x[place][i], r.y[place][i] = uint8(bytes), uint8(bytes>>8)
				}
				want.result[place] = instruction.mean(r.x[place], r.y[place])
			}
			instruction.do(r)
			require.Equal(t, want.result, r.result, name)
		}
	}
	text, err := os.ReadFile("simd_arm64.s")
	require.NoError(t, err)
	require.Len(t, instructions, len(regexp.MustCompile(`(?m)^TEXT `).FindAll(text, -1)))
}

// ofBytes returns what an operation on bytes does to vectors.
func ofBytes(mean func(x, y uint8) uint8) func(x, y vector) vector {
	return func(x, y vector) (result vector) {
		for i := range result {
			result[i] = mean(x[i], y[i])
		}
		return result
	}
}

// all returns a byte with all bits, or with none.
func all(condition bool) uint8 {
	if condition {
		return 0xff
	}
	return 0
}
