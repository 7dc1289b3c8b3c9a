// Command integral generates simd_amd64.s, the assembly of package integral. It runs in the
// directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	WriteAMD64("../integral", func() {
		sumRows(SSE2, blockPixels, pairSums)
		sumRows(AVX2, vectorPixels, products)
		sumRows(AVX512, vectorPixels, dotProducts)
	})
}

// blockPixels is the number of pixels of a block with SSE2, which lie side by side, and
// vectorPixels that of a block of AVX2 or AVX-512.
const (
	blockPixels  = 16
	vectorPixels = 32
)

// A block emits the code for the pixels from a place on. All numbers of before are the sum of
// the pixels of the row before that place. The block adds the sum of its own pixels to them.
type block func(p place, before Register)

// A place is a column of a row of pixels, of the sums above it, and of its own sums. The
// registers of the latter are those that prefetchSums needs, RAX and RCX.
type place struct {
	pixels, above, sums, x Register
}

// pixel returns the place in memory of pixel i from here on.
func (p place) pixel(i int) Mem {
	return Mem{Base: p.pixels, Index: p.x, Scale: 1, Disp: i}
}

// sumAbove returns the place in memory of the sum above that of pixel i.
func (p place) sumAbove(i int) Mem {
	return Mem{Base: p.above, Index: p.x, Scale: 4, Disp: 4 * i}
}

// sum returns the place in memory of the sum of pixel i.
func (p place) sum(i int) Mem {
	return Mem{Base: p.sums, Index: p.x, Scale: 4, Disp: 4 * i}
}

// sumRows emits the function that computes rows of an integral image. If the last block of a
// row is not a whole one, it begins earlier and computes some sums again: the sum of the
// pixels before it is then the difference of two sums.
func sumRows(isa ISA, pixels uint8, newBlock func() block) {
	r := Func("sumRows" + isa.Name)
	p := place{Load(r.Field("pixels").Base(), GP64()), Load(r.Field("sums").Base(), GP64()), reg.RAX, reg.RCX}
	ADDQ(U8(4), p.above)
	pixelStride, stride := Load(r.Field("pixelStride"), GP64()), Load(r.Field("stride"), GP64())
	last, rows := Load(r.Field("columns"), GP64()), Load(r.Field("rows"), GP64())
	SUBQ(U8(pixels), last)
	first := Load(r.Field("before"), GP32())
	var ahead Register
	if isa != SSE2 {
		ahead = Load(r.Field("ahead"), GP8())
	}
	emit := newBlock()
	before := isa.Vec()

	Comment("The next row.")
	Label("row")
	LEAQ(Mem{Base: p.above, Index: stride, Scale: 4}, p.sums)
	XORQ(p.x, p.x)
	Comment("The column before the first. It is slower to store it for many rows at once.")
	left := GP32()
	MOVL(p.sumAbove(-1), left)
	ADDL(first, left)
	MOVL(left, p.sum(-1))
	Label("start")
	isa.DoTo(op.SubLong, isa.BroadcastFloat(p.sum(-1)), isa.BroadcastFloat(p.sumAbove(-1)), before)
	Comment("The sums of a block.")
	Align()
	Label("block")
	if isa != SSE2 {
		prefetchSums(p, ahead)
	}
	emit(p, before)
	ADDQ(U8(pixels), p.x)
	CMPQ(p.x, last)
	JLE(LabelRef("block"))
	SUBQ(U8(pixels), p.x)
	CMPQ(p.x, last)
	MOVQ(last, p.x)
	JNE(LabelRef("start"))
	ADDQ(pixelStride, p.pixels)
	MOVQ(p.sums, p.above)
	DECQ(rows)
	JNE(LabelRef("row"))
	isa.End()
}

// prefetchSums emits the prefetches of the two cache lines of sums that a block soon stores, if ahead
// is not 0. The instruction is PREFETCHW, which Go's assembler lacks: 0F 0D /1 in Intel's manual
// (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2), here of the place at
// RAX + 4*RCX and a distance of 32 bits. It is a hint, so the place may lie beyond the sums.
func prefetchSums(p place, ahead Register) {
	const (
		soon = 2048
		line = 64
	)
	TESTB(ahead, ahead)
	JEQ(LabelRef("sums"))
	for i := range 4 * vectorPixels / line {
		Instruction(&ir.Instruction{Opcode: "LONG", Operands: []Op{U32(0x888c0d0f)}, Inputs: []Op{p.sums, p.x}})
		Instruction(&ir.Instruction{Opcode: "LONG", Operands: []Op{U32(soon + line*i)}})
	}
	Label("sums")
}

// products returns a block for AVX2. It multiplies pixels by the weights 1 and 0 and adds four
// of the products at once, in steps. 8 pixels take two multiplications, of vectors whose
// numbers all have the same four pixels, and the sum of the 8 pixels before them is added.
func products() block {
	isa := AVX2
	weights := [2]Register{isa.Load(weightTables[0]()), isa.Load(weightTables[1]())}
	ones := isa.Load(wordOnes())
	last := lastPlace(isa)
	return func(p place, before Register) {
		var sums [vectorPixels / 8]Register
		for i := range sums {
			var fours [2]Register
			for j := range fours {
				fours[j] = isa.Vec()
				VPBROADCASTD(p.pixel(8*i+4*j), fours[j])
				VPMADDUBSW(weights[j], fours[j], fours[j])
			}
			sums[i] = isa.Do(op.AddWord, fours[0], fours[1])
			isa.DoTo(op.MulPairs, sums[i], ones, sums[i])
			if i > 0 {
				total := isa.Vec()
				VPERMD(sums[i-1], last, total)
				isa.DoTo(op.AddLong, sums[i], total, sums[i])
			}
		}
		finish(isa, p, sums[:], before, last)
	}
}

// dotProducts returns a block for AVX-512. It is like that of products, but an instruction
// multiplies and adds the products, of 16 pixels by 4 of them, to what the accumulator has.
// That is 0 for the first 16 pixels of the block, and their sum for the others.
func dotProducts() block {
	isa := AVX512
	var weights []Register
	for _, table := range weightTables {
		weights = append(weights, isa.Load(table()))
	}
	last := lastPlace(isa)
	return func(p place, before Register) {
		var sums [vectorPixels / 16]Register
		for i := range sums {
			if i == 0 {
				sums[i] = isa.Zero()
			} else {
				sums[i] = isa.Vec()
				VPERMD(sums[i-1], last, sums[i])
			}
			for j, w := range weights {
				fours := isa.Vec()
				VPBROADCASTD(p.pixel(16*i+4*j), fours)
				VPDPBUSD(w, fours, sums[i])
			}
		}
		finish(isa, p, sums[:], before, last)
	}
}

// lastPlace returns a register whose numbers are that of the last place of a vector.
func lastPlace(isa ISA) Register {
	return isa.Long(uint32(isa.Bytes/4 - 1))
}

// finish adds what precedes a block and what is above it to the sums of its pixels, and stores them.
// The next block waits for an addition and a permutation only. The pixels that come soon are
// prefetched.
func finish(isa ISA, p place, sums []Register, before, last Register) {
	const soon = 1536
	PREFETCHT0(p.pixel(soon))
	for _, v := range sums {
		isa.DoTo(op.AddLong, v, before, v)
	}
	VPERMD(sums[len(sums)-1], last, before)
	for i, v := range sums {
		n := isa.Bytes / 4 * i
		isa.DoTo(op.AddLong, v, p.sumAbove(n), v)
		isa.Store(v, p.sum(n))
	}
}

// weightTables returns tables of the weights of the first four pixels, and of the following
// ones, in each of 16 sums.
var weightTables = [...]func() Mem{weightTable("weights0", 0), weightTable("weights4", 4), weightTable("weights8", 8), weightTable("weights12", 12)}

func weightTable(name string, first int) func() Mem {
	return ByteTable(name, 64, func(i int) uint8 {
		if first+i%4 <= i/4 {
			return 1
		}
		return 0
	})
}

// wordOnes returns a table of words that are 1.
var wordOnes = ByteTable("wordOnes", 32, func(i int) uint8 { return uint8(1 - i%2) })

// pairSums returns a block for SSE2. It computes the prefix sums of pairs of pixels, and
// subtracts the second pixels to get those that end with the first ones.
func pairSums() block {
	isa := SSE2
	zero, lowBytes := isa.Zero(), isa.Vec()
	PCMPEQW(lowBytes, lowBytes)
	PSRLW(U8(8), lowBytes)
	return func(p place, before Register) {
		pairs := isa.Load(p.pixel(0))
		second := isa.Copy(pairs)
		PSRLW(U8(8), second)
		PAND(lowBytes, pairs)
		PADDW(second, pairs)
		for _, n := range []uint8{2, 4, 8} {
			shifted := isa.Copy(pairs)
			PSLLO(U8(n), shifted)
			PADDW(shifted, pairs)
		}
		firsts := isa.Copy(pairs)
		PSUBW(second, firsts)
		var sums []Register
		for _, words := range interleave(firsts, pairs) {
			sums = append(sums, interleave(words, zero)...)
		}
		total := isa.Vec()
		PSHUFD(U8(0b11_11_11_11), sums[3], total)
		for i, v := range sums {
			PADDL(isa.Load(p.sumAbove(4*i)), v)
			PADDL(before, v)
			isa.Store(v, p.sum(4*i))
		}
		PADDL(total, before)
	}
}

// interleave returns the words of even and odd in turn. It overwrites even.
func interleave(even, odd Register) []Register {
	low := SSE2.Copy(even)
	PUNPCKLWL(odd, low)
	PUNPCKHWL(odd, even)
	return []Register{low, even}
}
