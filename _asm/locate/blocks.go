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
	isa := AVX2
	r := Func("stride" + wide.Name)
	columns, n := Load(r.Field("columns").Base(), GP64()), Load(r.Field("count"), GP64())
	x, last := GP64(), GP64()
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
	// vectors emits a loop over vectors of eight places that lie before n, and one over the places that
	// are left.
	vectors := func(label string, vector, one func()) {
		LEAQ(Mem{Base: n, Disp: -8}, last)
		Align()
		Label(label)
		CMPQ(x, last)
		JGT(LabelRef(label + "One"))
		vector()
		ADDQ(U8(8), x)
		JMP(LabelRef(label))
		Label(label + "One")
		CMPQ(x, n)
		JGE(LabelRef(label + "Done"))
		one()
		INCQ(x)
		JMP(LabelRef(label + "One"))
		Label(label + "Done")
	}
	Comment("The first sums.")
	side, sums, blocks := Load(r.Field("side"), GP64()), Load(r.Field("sums").Base(), GP64()), Load(r.Field("blocks"), GP64())
	Load(r.Field("n"), n)
	TESTQ(n, n)
	JEQ(LabelRef("done"))
	first, p := GP64(), GP64()
	MOVQ(side, first)
	CMPQ(first, n)
	CMOVQGT(n, first)
	XORQ(x, x)
	Label("place")
	left, sum := GP64(), GP32()
	XORL(sum, sum)
	MOVQ(blocks, left)
	LEAQ(at(columns), p)
	Label("block")
	ADDL(Mem{Base: p}, sum)
	LEAQ(Mem{Base: p, Index: side, Scale: 4}, p)
	DECQ(left)
	JNE(LabelRef("block"))
	MOVL(sum, at(sums))
	INCQ(x)
	CMPQ(x, first)
	JLT(LabelRef("place"))

	Comment("The others: what those side columns to the left have, more by a block and less by one.")
	more, before := GP64(), GP64()
	MOVQ(side, before)
	SHLQ(U8(2), before)
	MOVQ(blocks, more)
	DECQ(more)
	IMULQ(before, more)
	ADDQ(columns, more)
	SUBQ(before, columns)
	NEGQ(before)
	ADDQ(sums, before)
	difference := func() Register { return isa.Do(op.SubLong, isa.Load(at(more)), at(columns)) }
	one := func() {
		v := GP32()
		MOVL(at(more), v)
		SUBL(at(columns), v)
		ADDL(at(before), v)
		MOVL(v, at(sums))
	}
	CMPQ(side, U8(8))
	JGE(LabelRef("eights"))
	CMPQ(side, U8(4))
	JNE(LabelRef("wideOne"))
	Comment("Four columns: the sums of the last half of a vector are those that the next one begins with.")
	low := XMM()
	carry, half := low.AsY(), isa.Vec()
	VMOVDQU(Mem{Base: sums}, low)
	VINSERTI128(U8(1), low, carry, carry)
	vectors("fours", func() {
		v := difference()
		VPERM2I128(U8(0x08), v, v, half) // the lower half, in place of the upper one
		isa.DoTo(op.AddLong, v, half, v)
		isa.DoTo(op.AddLong, v, carry, v)
		isa.Store(v, at(sums))
		VPERM2I128(U8(0x11), v, v, carry)
	}, one)
	JMP(LabelRef("done"))
	Label("eights")
	vectors("wide", func() {
		v := difference()
		isa.DoTo(op.AddLong, v, at(before), v)
		isa.Store(v, at(sums))
	}, one)
	Label("done")
	isa.End()
}
