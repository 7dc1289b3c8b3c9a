package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/prefix"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// signs are what pairs of sums of blocks are kept with.
const signs = 1<<31 | 1<<15

// blocks emits the function that makes a row of the planes of blocks: the sums of windows, as the
// function window does, and then of two of them, side columns apart, what is kept.
func blocks(isa ISA) {
	r := Func("blocks" + isa.Name)
	side, n := Load(r.Field("side"), GP64()), Load(r.Field("n"), GP64())
	columns, sums := Load(r.Field("columns").Base(), GP64()), Load(r.Field("sums").Base(), GP64())
	x, count, last := Counter(), GP64(), GP64()
	LEAQ(Mem{Base: columns, Index: side, Scale: 4}, last)
	LEAQ(Mem{Base: n, Index: side, Scale: 1}, count)
	Comment("The first sum.")
	total, low, carry := GP32(), XMM(), isa.Vec()
	XORL(total, total)
	Label("first")
	ADDL(Mem{Base: columns, Index: x, Scale: 4}, total)
	INCQ(x)
	CMPQ(x, side)
	JLT(LabelRef("first"))
	VMOVD(total, low)
	VPBROADCASTD(low, carry)
	XORQ(x, x)
	sumLongs(isa, prefix.NewSummer(isa, op.AddLong, 4), "sums", columns, last, sums, x, count, carry)

	Comment("The blocks.")
	pairs, next := Load(r.Field("pairs").Base(), GP64()), GP64()
	LEAQ(Mem{Base: sums, Index: side, Scale: 4}, next)
	shift := XMM()
	VMOVQ(Address(r.Field("shift")), shift)
	signs := isa.Long(signs)
	XORQ(x, x)
	Loop("blocks", x, n, isa.Bytes/4, func() {
		first, second := isa.Load(Mem{Base: sums, Index: x, Scale: 4}), isa.Load(Mem{Base: next, Index: x, Scale: 4})
		VPSRLD(shift, first, first)
		VPSRLD(shift, second, second)
		VPSLLD(U8(16), second, second)
		isa.DoTo(op.Or, first, second, first)
		isa.Store(isa.Do(op.Xor, first, signs), Mem{Base: pairs, Index: x, Scale: 4})
	})
	isa.End()
}

// multiplyBlocks emits the function that makes the products of blocks, for two groups of places at a
// time, and then for a last one.
func multiplyBlocks(isa ISA) {
	r := Func("multiplyBlocks" + isa.Name)
	pairs, step, down := Load(r.Field("pairs").Base(), GP64()), Load(r.Field("step"), GP64()), Load(r.Field("down"), GP64())
	SHLQ(U8(2), step)
	SHLQ(U8(2), down)
	products, more, n := Load(r.Field("products").Base(), GP64()), Load(r.Field("more").Base(), GP64()), Load(r.Field("n"), GP64())
	groups := func(label string, count int) {
		var sums []Register
		for i := range count * group * 4 / isa.Bytes {
			sums = append(sums, isa.Load(Mem{Base: more, Disp: i * isa.Bytes}))
		}
		row, rows := GP64(), Load(r.Field("rows"), GP64())
		k := Load(r.Field("coefficients").Base(), GP64())
		MOVQ(pairs, row)
		Label(label + "Row")
		p, columns := GP64(), Load(r.Field("columns"), GP64())
		MOVQ(row, p)
		Align()
		Label(label)
		v := isa.BroadcastFloat(Mem{Base: k})
		for i, sum := range sums {
			isa.AddProducts(sum, v, Mem{Base: p, Disp: i * isa.Bytes})
		}
		ADDQ(step, p)
		ADDQ(U8(4), k)
		DECQ(columns)
		JNE(LabelRef(label))
		ADDQ(down, row)
		DECQ(rows)
		JNE(LabelRef(label + "Row"))
		for i, sum := range sums {
			isa.Store(sum, Mem{Base: products, Disp: i * isa.Bytes})
		}
	}
	SUBQ(U8(2*group), n)
	JLT(LabelRef("last"))
	Comment("Two groups.")
	Label("groups")
	groups("pairs", 2)
	for _, p := range []Register{products, more, pairs} {
		ADDQ(I32(2*group*4), p)
	}
	SUBQ(U8(2*group), n)
	JGE(LabelRef("groups"))
	Label("last")
	CMPQ(n, I8(-2*group))
	JEQ(LabelRef("done"))
	groups("lastPairs", 1)
	Label("done")
	isa.End()
}

// multiplyBands emits the function that makes the products of blocks for blockRows rows of places, which have
// rows of blocks in common. A row of blocks is loaded once for all of them.
func multiplyBands(isa ISA) {
	r := Func("multiplyBands" + isa.Name)
	pairs, step, down := Load(r.Field("pairs").Base(), GP64()), Load(r.Field("step"), GP64()), Load(r.Field("down"), GP64())
	SHLQ(U8(2), step)
	SHLQ(U8(2), down)
	// The coefficients of a row of places lie before those of the row above it.
	before, before3 := GP64(), GP64()
	Load(r.Field("columns"), before)
	SHLQ(U8(2), before)
	NEGQ(before)
	LEAQ(Mem{Base: before, Index: before, Scale: 2}, before3)
	x, left := Counter(), Load(r.Field("n"), GP64())
	// each calls f for each row of a list, with its address for the places from x on.
	each := func(list, apart string, f func(row int, at Mem)) {
		at, next := Load(r.Field(list).Base(), GP64()), Load(r.Field(apart), GP64())
		LEAQ(Mem{Base: at, Index: x, Scale: 4}, at)
		for row := range blockRows {
			f(row, Mem{Base: at})
			if row < blockRows-1 {
				LEAQ(Mem{Base: at, Index: next, Scale: 4}, at)
			}
		}
	}
	places := func(label string, vectors int) {
		sums := make([][]Register, blockRows)
		each("more", "moreApart", func(row int, at Mem) {
			for i := range vectors {
				sums[row] = append(sums[row], isa.Load(at.Offset(i*isa.Bytes)))
			}
		})
		row, k, rows := GP64(), Load(r.Field("coefficients").Base(), GP64()), GP64()
		LEAQ(Mem{Base: pairs, Index: x, Scale: 4}, row)
		// blocks emits what multiplies a row of blocks for the rows of places from first to last.
		blocks := func(label string, first, last int) {
			p, columns := GP64(), Load(r.Field("columns"), GP64())
			MOVQ(row, p)
			Align()
			Label(label)
			blocks := make([]Register, vectors)
			for i := range blocks {
				blocks[i] = isa.Load(Mem{Base: p, Disp: i * isa.Bytes})
			}
			for j := first; j <= last; j++ {
				at := []Mem{{Base: k}, {Base: k, Index: before, Scale: 1}, {Base: k, Index: before, Scale: 2}, {Base: k, Index: before3, Scale: 1}}[j]
				v := isa.BroadcastFloat(at)
				for i, sum := range sums[j] {
					isa.AddProducts(sum, v, blocks[i])
				}
			}
			ADDQ(step, p)
			ADDQ(U8(4), k)
			DECQ(columns)
			JNE(LabelRef(label))
			ADDQ(down, row)
		}
		for last := range blockRows - 1 {
			blocks(fmt.Sprint(label, "Until", last), 0, last)
		}
		Load(r.Field("rows"), rows)
		SUBQ(U8(blockRows-1), rows)
		Label(label)
		blocks(label+"All", 0, blockRows-1)
		DECQ(rows)
		JNE(LabelRef(label))
		for first := 1; first < blockRows; first++ {
			blocks(fmt.Sprint(label, "From", first), first, blockRows-1)
		}
		each("products", "apart", func(row int, at Mem) {
			for i, sum := range sums[row] {
				isa.Store(sum, at.Offset(i*isa.Bytes))
			}
		})
		ADDQ(U8(vectors*isa.Bytes/4), x)
	}
	vectors := 2
	if isa == AVX512 {
		vectors = 4
		CMPQ(left, U8(vectors*group))
		JLT(LabelRef("last"))
	}
	Label("places")
	places("rows", vectors)
	SUBQ(U8(vectors*isa.Bytes/4), left)
	if isa == AVX512 {
		CMPQ(left, U8(vectors*group))
		JGE(LabelRef("places"))
		TESTQ(left, left)
		JEQ(LabelRef("done"))
		Comment("The last groups, one at a time.")
		Label("last")
		places("lastRows", 1)
		SUBQ(U8(group), left)
		JNE(LabelRef("last"))
		Label("done")
	} else {
		JNE(LabelRef("places"))
	}
	isa.End()
}

// stride emits the function that makes the sums of blocks. With AVX-512 those of columns alone have wider
// vectors.
func stride(wide ISA) {
	r := Func("stride" + wide.Name)
	columns, n := Load(r.Field("columns").Base(), GP64()), Load(r.Field("count"), GP64())
	x := GP64()
	at := func(p Register) Mem { return Mem{Base: p, Index: x, Scale: 4} }
	Comment("The sums of columns.")
	eachChannel(r, func(channel Register) {
		signs, low, reciprocal := wide.Long(signs), wide.Long(0xffff), wide.BroadcastFloat(Address(r.Field("reciprocal")))
		entering, leaving := channelBase(r, "entering", channel), channelBase(r, "leaving", channel)
		squares := func(p Register) Register {
			v := wide.Do(op.Xor, signs, at(p))
			wide.DoTo(op.And, v, low, v)
			VCVTDQ2PS(v, v)
			wide.DoTo(op.MulFloat, v, v, v)
			wide.DoTo(op.MulFloat, v, reciprocal, v)
			VCVTTPS2DQ(v, v)
			return v
		}
		XORQ(x, x)
		Loop("columns", x, n, wide.Bytes/4, func() {
			v := wide.Do(op.SubLong, squares(entering), squares(leaving))
			wide.DoTo(op.AddLong, v, at(columns), v)
			wide.Store(v, at(columns))
		})
	})
	s := &strider{isa: wide, step: r.Field("side"), strides: r.Field("blocks"), n: r.Field("n")}
	s.sums("sums", columns, Load(r.Field("sums").Base(), GP64()))
	wide.End()
}

// sumBlocks emits the function that makes the sums of blocks and of their squares.
func sumBlocks(isa ISA) {
	r := Func("sumBlocks" + isa.Name)
	s, x := &strider{isa: isa, step: r.Field("step"), strides: r.Field("strides"), n: r.Field("n")}, GP64()
	at := func(p Register) Mem { return Mem{Base: p, Index: x, Scale: 4} }
	words, ones := isa.BroadcastFloat(Address(r.Field("words"))), isa.Long(1<<16|1)
	addTo := func(v Register, m Mem) {
		isa.DoTo(op.AddLong, v, m, v)
		isa.Store(v, m)
	}
	eachChannel(r, func(channel Register) {
		Comment("The columns.")
		entering, leaving := channelBase(r, "entering", channel), channelBase(r, "leaving", channel)
		columns, squares := channelBase(r, "columns", channel), Load(r.Field("squares").Base(), GP64())
		count := Load(r.Field("count"), GP64())
		XORQ(x, x)
		Loop("columns", x, count, isa.Bytes/4, func() {
			in, out := isa.Do(op.And, words, at(entering)), isa.Do(op.And, words, at(leaving))
			difference := isa.Do(op.SubWord, in, out)
			isa.DoTo(op.AddWord, in, out, in)
			isa.DoTo(op.MulPairs, in, difference, in)
			addTo(in, at(squares))
			isa.DoTo(op.MulPairs, difference, ones, difference)
			addTo(difference, at(columns))
		})
		s.sums("sums", columns, channelBase(r, "sums", channel))
	})
	Comment("The squares.")
	s.sums("squares", Load(r.Field("squares").Base(), GP64()), Load(r.Field("sums2").Base(), GP64()))
	isa.End()
}

// A strider emits sums of columns that are step apart.
type strider struct {
	isa              ISA
	step, strides, n Component
}

// sums emits what sets n of sums, if that is not 0, to those of columns. Its labels begin with label.
func (s *strider) sums(label string, columns, sums Register) {
	x, n, step := GP64(), Load(s.n, GP64()), Load(s.step, GP64())
	TESTQ(n, n)
	JEQ(LabelRef(label + "Done"))
	at := func(p Register) Mem { return Mem{Base: p, Index: x, Scale: 4} }
	Comment("The first sums.")
	first, p := GP64(), GP64()
	MOVQ(step, first)
	CMPQ(first, n)
	CMOVQGT(n, first)
	XORQ(x, x)
	Label(label + "Place")
	left, sum := GP64(), GP32()
	XORL(sum, sum)
	Load(s.strides, left)
	LEAQ(at(columns), p)
	Label(label + "Column")
	ADDL(Mem{Base: p}, sum)
	LEAQ(Mem{Base: p, Index: step, Scale: 4}, p)
	DECQ(left)
	JNE(LabelRef(label + "Column"))
	MOVL(sum, at(sums))
	INCQ(x)
	CMPQ(x, first)
	JLT(LabelRef(label + "Place"))

	Comment("The others: what those step columns to the left have, more by a column and less by one.")
	more, less, before, last := GP64(), GP64(), GP64(), GP64()
	MOVQ(step, before)
	SHLQ(U8(2), before)
	Load(s.strides, more)
	DECQ(more)
	IMULQ(before, more)
	ADDQ(columns, more)
	MOVQ(columns, less)
	SUBQ(before, less)
	NEGQ(before)
	ADDQ(sums, before)
	difference := func() Register { return AVX2.Do(op.SubLong, AVX2.Load(at(more)), at(less)) }
	// loop emits a loop over vectors of eight places that lie before n, and one over the places that are left.
	loop := func(kind string, vector func()) {
		kind = label + kind
		Label(kind + "Begin")
		LEAQ(Mem{Base: n, Disp: -8}, last)
		Align()
		Label(kind)
		CMPQ(x, last)
		JGT(LabelRef(kind + "One"))
		vector()
		ADDQ(U8(8), x)
		JMP(LabelRef(kind))
		Label(kind + "One")
		CMPQ(x, n)
		JGE(LabelRef(label + "Done"))
		v := GP32()
		MOVL(at(more), v)
		SUBL(at(less), v)
		ADDL(at(before), v)
		MOVL(v, at(sums))
		INCQ(x)
		JMP(LabelRef(kind + "One"))
	}
	// carried emits a loop over as many places as columns are apart, whose sums remain in registers: to load what
	// has just been stored takes longer than to add.
	carried := func(kind string, isa ISA, vectors int) {
		kind = label + kind
		Label(kind)
		carry := make([]Register, vectors)
		for i := range carry {
			carry[i] = isa.Load(Mem{Base: sums, Disp: i * isa.Bytes})
		}
		Align()
		Label(kind + "Next")
		CMPQ(x, n)
		JGE(LabelRef(label + "Done"))
		for i, v := range carry {
			offset := i * isa.Bytes
			change := isa.Do(op.SubLong, isa.Load(at(more).Offset(offset)), at(less).Offset(offset))
			isa.DoTo(op.AddLong, v, change, v)
			isa.Store(v, at(sums).Offset(offset))
		}
		ADDQ(U8(vectors*isa.Bytes/4), x)
		JMP(LabelRef(kind + "Next"))
	}
	CMPQ(step, U8(16))
	JEQ(LabelRef(label + "Sixteen"))
	CMPQ(step, U8(8))
	JEQ(LabelRef(label + "Eight"))
	JGT(LabelRef(label + "VectorsBegin"))
	CMPQ(step, U8(4))
	JNE(LabelRef(label + "VectorsOne"))
	Comment("Four columns: the sums of the last half of a vector are those that the next one begins with.")
	low := XMM()
	carry, half := low.AsY(), YMM()
	VMOVDQU(Mem{Base: sums}, low)
	VINSERTI128(U8(1), low, carry, carry)
	loop("Fours", func() {
		v := difference()
		VPERM2I128(U8(0x08), v, v, half) // the lower half, in place of the upper one
		VPADDD(v, half, v)
		VPADDD(v, carry, v)
		VMOVDQU(v, at(sums))
		VPERM2I128(U8(0x11), v, v, carry)
	})
	loop("Vectors", func() {
		v := difference()
		VPADDD(at(before), v, v)
		VMOVDQU(v, at(sums))
	})
	carried("Eight", AVX2, 1)
	carried("Sixteen", s.isa, 64/s.isa.Bytes)
	Label(label + "Done")
}
