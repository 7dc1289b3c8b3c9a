//go:build !purego

package encodings

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

type vector [16]byte

// A meaning returns the result of an instruction for two operands and the value that was in
// the place of the result.
type meaning func(x, y, before vector) vector

// An instruction is a function that executes it, and its meaning.
type instruction struct {
	do   func(r *operands)
	mean meaning
}

// TestInstructions compares instructions with their meanings, for all pairs of bytes and
// with several registers.
func TestInstructions(t *testing.T) {
	products := func(first int, sign uint32) meaning {
		return func(x, y, before vector) vector {
			for i := range 4 {
				a, b := int16(word(x, first+i)), int16(word(y, first+i))
				put(&before, i, long(before, i)+sign*uint32(int32(a)*int32(b)))
			}
			return before
		}
	}
	signedWords := func(first int) meaning {
		return func(x, _, _ vector) (words vector) {
			for i := range 8 {
				putWord(&words, i, uint16(int8(x[first+i])))
			}
			return words
		}
	}
	// ofWords returns the meaning of an operation on signed words.
	ofWords := func(mean func(x, y int16) int16) meaning {
		return func(x, y, _ vector) (words vector) {
			for i := range 8 {
				putWord(&words, i, uint16(mean(int16(word(x, i)), int16(word(y, i)))))
			}
			return words
		}
	}
	// ofLongBytes returns the meaning of an operation on bytes whose results, words, are added
	// to what there is if sum is 1.
	ofLongBytes := func(first int, sum uint16, mean func(x, y uint16) uint16) meaning {
		return func(x, y, before vector) (words vector) {
			for i := range 8 {
				putWord(&words, i, mean(uint16(x[first+i]), uint16(y[first+i]))+sum*word(before, i))
			}
			return words
		}
	}
	product := func(x, y uint16) uint16 { return x * y }
	total := func(x, y uint16) uint16 { return x + y }
	// without is the meaning of taking bits from numbers of 32 bits, to words from the
	// first on.
	without := func(bits, first int) meaning {
		return func(x, _, before vector) (words vector) {
			if first > 0 {
				copy(words[:8], before[:])
			}
			for i := range 4 {
				putWord(&words, first+i, uint16((uint64(long(x, i))+1<<(bits-1))>>bits))
			}
			return words
		}
	}
	// withoutOfWords is without for words, to bytes.
	withoutOfWords := func(bits, first int) meaning {
		return func(x, _, before vector) (bytes vector) {
			if first > 0 {
				copy(bytes[:8], before[:])
			}
			for i := range 8 {
				bytes[first+i] = uint8((uint32(word(x, i)) + 1<<(bits-1)) >> bits)
			}
			return bytes
		}
	}
	// toDoubles is the meaning of making doubles of two floats.
	toDoubles := func(first int) meaning {
		return func(x, _, _ vector) (doubles vector) {
			for i := range 2 {
				putDouble(&doubles, i, float64(math.Float32frombits(long(x, first+i))))
			}
			return doubles
		}
	}
	// toFloats is the meaning of making two floats of doubles.
	toFloats := func(first int) meaning {
		return func(x, _, before vector) (floats vector) {
			if first > 0 {
				copy(floats[:8], before[:])
			}
			for i := range 2 {
				put(&floats, first+i, math.Float32bits(float32(double(x, i))))
			}
			return floats
		}
	}
	instructions := map[string]instruction{
		"VUQSUB B16": {vuqsubb16, ofBytes(func(x, y uint8) uint8 { return x - min(x, y) })},
		"VSMAX H8":   {vsmaxh8, ofWords(func(x, y int16) int16 { return max(x, y) })},
		"VCMGT H8": {vcmgth8, ofWords(func(x, y int16) int16 {
			if x > y {
				return -1
			}
			return 0
		})},
		"VCMHI B16": {vcmhib16, ofBytes(func(x, y uint8) uint8 { return all(x > y) })},
		"VCMHS B16": {vcmhsb16, ofBytes(func(x, y uint8) uint8 { return all(x >= y) })},
		"VUADDLP B16": {vuaddlpb16, func(x, _, _ vector) (sums vector) {
			for i := 0; i < len(x); i += 2 {
				binary.LittleEndian.PutUint16(sums[i:], uint16(x[i])+uint16(x[i+1]))
			}
			return sums
		}},
		"VUADDLP H8": {vuaddlph8, func(x, _, _ vector) (sums vector) {
			for i := range 4 {
				put(&sums, i, uint32(word(x, 2*i))+uint32(word(x, 2*i+1)))
			}
			return sums
		}},
		"VFADD S4": {vfadds4, ofFloats(func(x, y float32) float32 { return x + y })},
		"VFSUB S4": {vfsubs4, ofFloats(func(x, y float32) float32 { return x - y })},
		"VFMUL S4": {vfmuls4, ofFloats(func(x, y float32) float32 { return x * y })},
		"VFDIV S4": {vfdivs4, ofFloats(func(x, y float32) float32 { return x / y })},
		"VFMAX S4": {vfmaxs4, ofFloats(func(x, y float32) float32 { return max(x, y) })},
		"VFMIN S4": {vfmins4, ofFloats(func(x, y float32) float32 { return min(x, y) })},
		"VFADDP S4": {vfaddps4, func(x, y, _ vector) (result vector) {
			for i := range 2 {
				for k, v := range []vector{x, y} {
					sum := math.Float32frombits(long(v, 2*i)) + math.Float32frombits(long(v, 2*i+1))
					put(&result, 2*k+i, math.Float32bits(sum))
				}
			}
			return result
		}},
		"VSSHL S4": {vsshls4, func(x, y, _ vector) (result vector) {
			for i := range 4 {
				v, by := int32(long(x, i)), int8(long(y, i))
				if by >= 0 {
					v <<= by
				} else {
					v >>= -int(by)
				}
				put(&result, i, uint32(v))
			}
			return result
		}},
		"VCMHI S4": {vcmhis4, func(x, y, _ vector) (result vector) {
			for i := range 4 {
				put(&result, i, allLong(long(x, i) > long(y, i)))
			}
			return result
		}},
		"VFCMGT S4": {vfcmgts4, func(x, y, _ vector) (result vector) {
			for i := range 4 {
				put(&result, i, allLong(math.Float32frombits(long(x, i)) > math.Float32frombits(long(y, i))))
			}
			return result
		}},
		"VFCMGE S4": {vfcmges4, func(x, y, _ vector) (result vector) {
			for i := range 4 {
				put(&result, i, allLong(math.Float32frombits(long(x, i)) >= math.Float32frombits(long(y, i))))
			}
			return result
		}},
		"VUSUBL S2":   {vusubls2, ofHalves(0, func(x, y uint32) uint64 { return uint64(x) - uint64(y) })},
		"VUSUBL2 S4":  {vusubl2s4, ofHalves(2, func(x, y uint32) uint64 { return uint64(x) - uint64(y) })},
		"VSXTL S2":    {vsxtls2, ofHalves(0, func(x, _ uint32) uint64 { return uint64(int64(int32(x))) })},
		"VSXTL2 S4":   {vsxtl2s4, ofHalves(2, func(x, _ uint32) uint64 { return uint64(int64(int32(x))) })},
		"VFDIV D2":    {vfdivd2, ofDoubles(func(x, y float64) float64 { return x / y })},
		"VFMAXNM D2":  {vfmaxnmd2, ofDoubles(func(x, y float64) float64 { return orOther(x, y, math.Max) })},
		"VFMINNM D2":  {vfminnmd2, ofDoubles(func(x, y float64) float64 { return orOther(x, y, math.Min) })},
		"VFCMGT D2":   {vfcmgtd2, comparing(func(x, y float64) bool { return x > y })},
		"VFCMGE D2":   {vfcmged2, comparing(func(x, y float64) bool { return x >= y })},
		"VFSQRT D2":   {vfsqrtd2, ofDoubles(func(x, _ float64) float64 { return math.Sqrt(x) })},
		"VFCMEQ 0 D2": {vfcmeq0d2, comparing(func(x, _ float64) bool { return x == 0 })},
		"VFCVTNS D2": {vfcvtnsd2, func(x, _, _ vector) (result vector) {
			for i := range 2 {
				n, v := int64(0), math.RoundToEven(double(x, i))
				switch {
				case v >= 1<<63:
					n = math.MaxInt64
				case v < -1<<63:
					n = math.MinInt64
				case v == v:
					n = int64(v)
				}
				binary.LittleEndian.PutUint64(result[8*i:], uint64(n))
			}
			return result
		}},
		"VFADD D2":      {vfaddd2, ofDoubles(func(x, y float64) float64 { return x + y })},
		"VFSUB D2":      {vfsubd2, ofDoubles(func(x, y float64) float64 { return x - y })},
		"VFMUL D2":      {vfmuld2, ofDoubles(func(x, y float64) float64 { return x * y })},
		"VFCVTL S2":     {vfcvtls2, toDoubles(0)},
		"VFCVTL2 S4":    {vfcvtl2s4, toDoubles(2)},
		"VFCVTN D2":     {vfcvtnd2, toFloats(0)},
		"VFCVTN2 D2":    {vfcvtn2d2, toFloats(2)},
		"VFMAXNM S4":    {vfmaxnms4, ofFloats(func(x, y float32) float32 { return orOtherFloat(x, y, math.Max) })},
		"VFMINNM S4":    {vfminnms4, ofFloats(func(x, y float32) float32 { return orOtherFloat(x, y, math.Min) })},
		"VFRINTM S4":    {vfrintms4, ofFloats(func(x, _ float32) float32 { return float32(math.Floor(float64(x))) })},
		"VFSQRT S4":     {vfsqrts4, ofFloats(func(x, _ float32) float32 { return float32(math.Sqrt(float64(x))) })},
		"VSCVTF S4":     {vscvtfs4, ofLongs(func(x uint32) uint32 { return math.Float32bits(float32(int32(x))) })},
		"VUCVTF S4":     {vucvtfs4, ofLongs(func(x uint32) uint32 { return math.Float32bits(float32(x)) })},
		"VFCVTNS S4":    {vfcvtnss4, ofLongs(rounded(math.RoundToEven))},
		"VFCVTZS S4":    {vfcvtzss4, ofLongs(rounded(math.Trunc))},
		"VSMLAL H4":     {vsmlalh4, products(0, 1)},
		"VSMLAL2 H8":    {vsmlal2h8, products(4, 1)},
		"VSMLSL H4":     {vsmlslh4, products(0, math.MaxUint32)},
		"VSMLSL2 H8":    {vsmlsl2h8, products(4, math.MaxUint32)},
		"VSXTL B8":      {vsxtlb8, signedWords(0)},
		"VSXTL2 B16":    {vsxtl2b16, signedWords(8)},
		"VSMULL H4":     {vsmullh4, func(x, y, _ vector) vector { return products(0, 1)(x, y, vector{}) }},
		"VSMULL2 H8":    {vsmull2h8, func(x, y, _ vector) vector { return products(4, 1)(x, y, vector{}) }},
		"VUMULL B8":     {vumullb8, ofLongBytes(0, 0, product)},
		"VUMULL2 B16":   {vumull2b16, ofLongBytes(8, 0, product)},
		"VUMLAL B8":     {vumlalb8, ofLongBytes(0, 1, product)},
		"VUMLAL2 B16":   {vumlal2b16, ofLongBytes(8, 1, product)},
		"VUADDL B8":     {vuaddlb8, ofLongBytes(0, 0, total)},
		"VUADDL2 B16":   {vuaddl2b16, ofLongBytes(8, 0, total)},
		"VUSUBL2 B16":   {vusubl2b16, ofLongBytes(8, 0, func(x, y uint16) uint16 { return x - y })},
		"VUSUBL B8":     {vusublb8, ofLongBytes(0, 0, func(x, y uint16) uint16 { return x - y })},
		"VRSHRN 9 S4":   {vrshrn9s4, without(9, 0)},
		"VRSHRN2 9 S4":  {vrshrn29s4, without(9, 4)},
		"VRSHRN 10 S4":  {vrshrn10s4, without(10, 0)},
		"VRSHRN2 10 S4": {vrshrn210s4, without(10, 4)},
		"VRSHRN 14 S4":  {vrshrn14s4, without(14, 0)},
		"VRSHRN2 14 S4": {vrshrn214s4, without(14, 4)},
		"VRSHRN 2 H8":   {vrshrn2h8, withoutOfWords(2, 0)},
		"VRSHRN2 2 H8":  {vrshrn22h8, withoutOfWords(2, 8)},
		"VRSHRN 8 H8":   {vrshrn8h8, withoutOfWords(8, 0)},
		"VRSHRN2 8 H8":  {vrshrn28h8, withoutOfWords(8, 8)},
		"VABS H8": {vabsh8, func(x, _, _ vector) (words vector) {
			for i := range 8 {
				v := int16(word(x, i))
				putWord(&words, i, uint16(max(v, -v)))
			}
			return words
		}},
		"VUABD B16":   {vuabdb16, ofBytes(func(x, y uint8) uint8 { return max(x, y) - min(x, y) })},
		"VUDOT 0 B16": {vudot0b16, dotProducts(0)},
		"VUDOT 1 B16": {vudot1b16, dotProducts(1)},
		"VUDOT 2 B16": {vudot2b16, dotProducts(2)},
		"VUDOT 3 B16": {vudot3b16, dotProducts(3)},
		"VUADALP B16": {vuadalpb16, func(x, _, before vector) vector {
			for i := range 8 {
				putWord(&before, i, word(before, i)+uint16(x[2*i])+uint16(x[2*i+1]))
			}
			return before
		}},
		"VSQDMULH H8": {vsqdmulhh8, func(x, y, _ vector) (words vector) {
			for i := range 8 {
				product := int64(int16(word(x, i))) * int64(int16(word(y, i)))
				putWord(&words, i, uint16(min(2*product>>16, math.MaxInt16)))
			}
			return words
		}},
		"VUADALP H8": {vuadalph8, func(x, _, before vector) vector {
			for i := range 4 {
				put(&before, i, long(before, i)+uint32(word(x, 2*i))+uint32(word(x, 2*i+1)))
			}
			return before
		}},
		"VMLA H8": {vmlah8, func(x, y, before vector) vector {
			for i := range 8 {
				putWord(&before, i, word(before, i)+word(x, i)*word(y, i))
			}
			return before
		}},
		"VMLA S4": {vmlas4, func(x, y, before vector) vector {
			for i := range 4 {
				put(&before, i, long(before, i)+long(x, i)*long(y, i))
			}
			return before
		}},
	}
	for name, i := range map[string]struct {
		do    func(r *operands)
		first int // number of x
		word  int // of y, which is another one for each place
	}{
		"VSMLAL WORD 0 H4":  {vsmlalword0h4, 0, 0},
		"VSMLAL WORD 1 H4":  {vsmlalword1h4, 0, 1},
		"VSMLAL2 WORD 0 H8": {vsmlal2word0h8, 4, 0},
		"VSMLAL2 WORD 1 H8": {vsmlal2word1h8, 4, 1},
	} {
		at := 0
		instructions[name] = instruction{i.do, func(x, y, before vector) vector {
			factor := int32(int16(word(y, i.word+at)))
			at = (at + 1) % places
			for k := range 4 {
				put(&before, k, long(before, k)+uint32(int32(int16(word(x, i.first+k)))*factor))
			}
			return before
		}}
	}
	special := []uint64{0, 1 << 63, math.Float64bits(math.NaN()), math.Float64bits(1 << 63), math.Float64bits(-1 << 63)}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, instruction := range instructions {
		if strings.HasPrefix(name, "VUDOT") && !cpu.Has(cpu.DotProd) {
			continue
		}
		for pair := 0; pair < 1<<16; pair += 16 {
			r, want := new(operands), new(operands)
			for place := range places {
				x, y := &r.xy[place][0], &r.xy[place][1]
				for i := range x {
					bytes := pair + i // all of them in the first place
					if place > 0 {
						bytes = rng.IntN(1 << 16)
					}
					x[i], y[i] = uint8(bytes), uint8(bytes>>8)
					r.result[place][i] = uint8(rng.Uint32())
				}
				if place > 0 {
					operand := &r.xy[place][rng.IntN(2)]
					binary.LittleEndian.PutUint64(operand[8*rng.IntN(2):], special[rng.IntN(len(special))])
				}
				want.result[place] = instruction.mean(*x, *y, r.result[place])
			}
			instruction.do(r)
			require.Equal(t, want.result, r.result, name)
		}
	}
	text, err := os.ReadFile("simd_arm64.s")
	require.NoError(t, err)
	require.Len(t, instructions, len(regexp.MustCompile(`(?m)^TEXT `).FindAll(text, -1)))
}

// dotProducts returns the meaning of adding sums of four products with bytes of one place.
func dotProducts(place int) meaning {
	return func(x, y, before vector) vector {
		for i := range 4 {
			sum := long(before, i)
			for k := range 4 {
				sum += uint32(x[4*i+k]) * uint32(y[4*place+k])
			}
			put(&before, i, sum)
		}
		return before
	}
}

// ofBytes returns the meaning of an operation on bytes.
func ofBytes(mean func(x, y uint8) uint8) meaning {
	return func(x, y, _ vector) (result vector) {
		for i := range result {
			result[i] = mean(x[i], y[i])
		}
		return result
	}
}

// ofLongs returns the meaning of an operation on numbers of 32 bits.
func ofLongs(mean func(x uint32) uint32) meaning {
	return func(x, _, _ vector) (result vector) {
		for i := range 4 {
			put(&result, i, mean(long(x, i)))
		}
		return result
	}
}

// ofFloats returns the meaning of an operation on floats.
func ofFloats(mean func(x, y float32) float32) meaning {
	return func(x, y, _ vector) (result vector) {
		for i := range 4 {
			put(&result, i, math.Float32bits(mean(math.Float32frombits(long(x, i)), math.Float32frombits(long(y, i)))))
		}
		return result
	}
}

// ofDoubles returns the meaning of an operation on doubles.
func ofDoubles(mean func(x, y float64) float64) meaning {
	return func(x, y, _ vector) (result vector) {
		for i := range 2 {
			putDouble(&result, i, mean(double(x, i), double(y, i)))
		}
		return result
	}
}

// rounded returns the integer, limited to 32 bits, that a float is by a way of rounding, or 0 if it is not
// a number.
func rounded(round func(float64) float64) func(x uint32) uint32 {
	return func(x uint32) uint32 {
		f := round(float64(math.Float32frombits(x)))
		if f != f {
			return 0
		}
		return uint32(int32(max(math.MinInt32, min(f, math.MaxInt32))))
	}
}

// ofHalves returns the meaning of an operation on two numbers of 32 bits, from the first on, whose
// results have 64.
func ofHalves(first int, mean func(x, y uint32) uint64) meaning {
	return func(x, y, _ vector) (result vector) {
		for i := range 2 {
			binary.LittleEndian.PutUint64(result[8*i:], mean(long(x, first+i), long(y, first+i)))
		}
		return result
	}
}

// orOtherFloat is orOther for floats. To convert one to a double makes it quiet.
func orOtherFloat(x, y float32, choose func(x, y float64) float64) float32 {
	const quiet = 1 << 22
	for _, v := range [2]float32{x, y} {
		if v != v && math.Float32bits(v)&quiet == 0 {
			return math.Float32frombits(math.Float32bits(v) | quiet)
		}
	}
	return float32(orOther(float64(x), float64(y), choose))
}

// orOther returns what choose returns of two numbers, or if one is not a number the other one.
// A signaling one is not replaced.
func orOther(x, y float64, choose func(x, y float64) float64) float64 {
	const quiet = 1 << 51
	for _, v := range [2]float64{x, y} {
		if v != v && math.Float64bits(v)&quiet == 0 {
			return math.Float64frombits(math.Float64bits(v) | quiet)
		}
	}
	switch {
	case x != x:
		if y != y {
			return x
		}
		return y
	case y != y:
		return x
	}
	return choose(x, y)
}

// comparing returns the meaning of a comparison of doubles.
func comparing(mean func(x, y float64) bool) meaning {
	return func(x, y, _ vector) (result vector) {
		for i := range 2 {
			all := uint64(allLong(mean(double(x, i), double(y, i))))
			binary.LittleEndian.PutUint64(result[8*i:], all<<32|all)
		}
		return result
	}
}

// double returns a double, and putDouble sets it.
func double(v vector, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(v[8*i:]))
}

func putDouble(v *vector, i int, d float64) {
	binary.LittleEndian.PutUint64(v[8*i:], math.Float64bits(d))
}

// word returns a number of 16 bits.
func word(v vector, i int) uint16 { return binary.LittleEndian.Uint16(v[2*i:]) }

// putWord sets a number of 16 bits.
func putWord(v *vector, i int, n uint16) { binary.LittleEndian.PutUint16(v[2*i:], n) }

// long returns a number of 32 bits.
func long(v vector, i int) uint32 { return binary.LittleEndian.Uint32(v[4*i:]) }

// put sets a number of 32 bits.
func put(v *vector, i int, n uint32) { binary.LittleEndian.PutUint32(v[4*i:], n) }

// allLong returns a number of 32 bits with all bits, or with none.
func allLong(condition bool) uint32 {
	if condition {
		return math.MaxUint32
	}
	return 0
}

// all returns a byte with all bits, or with none.
func all(condition bool) uint8 {
	if condition {
		return 0xff
	}
	return 0
}
