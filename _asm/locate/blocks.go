package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/prefix"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// blocks emits the function that makes a row of the planes of blocks: the sums of windows, as the
// function window does, of those that begin at a place and of those side columns farther.
func blocks(isa ISA) {
	r := Func("blocks" + isa.Name)
	side, n := Load(r.Field("side"), GP64()), Load(r.Field("n"), GP64())
	pairs, squares := Load(r.Field("pairs").Base(), GP64()), Load(r.Field("squares").Base(), GP64())
	var columns [3]Register
	columns[0] = Load(r.Field("columns").Base(), GP64())
	for i := 1; i < len(columns); i++ {
		columns[i] = GP64()
		LEAQ(Mem{Base: columns[i-1], Index: side, Scale: 4}, columns[i])
	}
	shift := XMM()
	VMOVQ(Address(r.Field("shift")), shift)
	reciprocal := quad(isa, Address(r.Field("reciprocal")))
	x := Counter()
	var carries [2]Register
	totals := [2]Register{GP32(), GP32()}
	for i, total := range totals {
		XORL(total, total)
		carries[i] = isa.Vec()
	}
	Comment("The first sums.")
	Label("first")
	for i, total := range totals {
		ADDL(Mem{Base: columns[i], Index: x, Scale: 4}, total)
	}
	INCQ(x)
	CMPQ(x, side)
	JLT(LabelRef("first"))
	for i, total := range totals {
		low := XMM()
		VMOVD(total, low)
		VPBROADCASTD(low, carries[i])
	}
	XORQ(x, x)
	s := prefix.NewSummer(isa, op.AddLong, 4)
	Loop("blocks", x, n, isa.Bytes/4, func() {
		var sums [2]Register
		for i, carry := range carries {
			v := isa.Load(Mem{Base: columns[i+1], Index: x, Scale: 4})
			isa.DoTo(op.SubLong, v, Mem{Base: columns[i], Index: x, Scale: 4}, v)
			sums[i] = isa.Do(op.SubLong, s.Sum(v, carry), v)
		}
		first, second := isa.Vec(), isa.Vec()
		VPSRLD(shift, sums[0], first)
		VPSRLD(shift, sums[1], second)
		VPSLLD(U8(16), second, second)
		isa.Store(isa.Do(op.Or, first, second), Mem{Base: pairs, Index: x, Scale: 4})
		for i, v := range halves(isa, sums[0]) {
			w := isa.Vec()
			VCVTDQ2PD(v, w)
			isa.DoTo(op.MulDouble, w, w, w)
			isa.DoTo(op.MulDouble, w, reciprocal, w)
			m := Mem{Base: squares, Index: x, Scale: 4, Disp: i * isa.Bytes / 2}
			if isa == AVX2 {
				VCVTTPD2DQY(w, w.AsX())
				VPADDD(m, w.AsX(), w.AsX())
				VMOVDQU(w.AsX(), m)
			} else {
				VCVTTPD2DQ(w, w.AsY())
				VPADDD(m, w.AsY(), w.AsY())
				VMOVDQU(w.AsY(), m)
			}
		}
	})
	isa.End()
}

// multiplyBlocks emits the function that adds the products of a row of blocks, for two groups of
// places at a time, and then for a last one.
func multiplyBlocks(isa ISA) {
	r := Func("multiplyBlocks" + isa.Name)
	coefficients, end := Load(r.Field("coefficients").Base(), GP64()), Load(r.Field("coefficients").Len(), GP64())
	LEAQ(Mem{Base: coefficients, Index: end, Scale: 2}, end)
	pairs, step := Load(r.Field("pairs").Base(), GP64()), Load(r.Field("step"), GP64())
	SHLQ(U8(2), step)
	products, n := Load(r.Field("products").Base(), GP64()), Load(r.Field("n"), GP64())
	groups := func(label string, count int) {
		var sums []Register
		for i := range count * group * 4 / isa.Bytes {
			sums = append(sums, isa.Load(Mem{Base: products, Disp: i * isa.Bytes}))
		}
		k, p := GP64(), GP64()
		MOVQ(coefficients, k)
		MOVQ(pairs, p)
		Align()
		Label(label)
		v := isa.BroadcastFloat(Mem{Base: k})
		for i, sum := range sums {
			isa.AddProducts(sum, v, Mem{Base: p, Disp: i * isa.Bytes})
		}
		ADDQ(step, p)
		ADDQ(U8(4), k)
		CMPQ(k, end)
		JLT(LabelRef(label))
		for i, sum := range sums {
			isa.Store(sum, Mem{Base: products, Disp: i * isa.Bytes})
		}
	}
	SUBQ(U8(2*group), n)
	JLT(LabelRef("last"))
	Comment("Two groups.")
	Label("groups")
	groups("pairs", 2)
	ADDQ(I32(2*group*4), products)
	ADDQ(I32(2*group*4), pairs)
	SUBQ(U8(2*group), n)
	JGE(LabelRef("groups"))
	Label("last")
	CMPQ(n, I8(-2*group))
	JEQ(LabelRef("done"))
	groups("lastPairs", 1)
	Label("done")
	isa.End()
}

// stride emits the function that makes the sums of blocks.
func stride() {
	isa := AVX2
	r := Func("stride" + isa.Name)
	entering, leaving := Load(r.Field("entering").Base(), GP64()), Load(r.Field("leaving").Base(), GP64())
	columns, n := Load(r.Field("columns").Base(), GP64()), Load(r.Field("count"), GP64())
	x, last := Counter(), GP64()
	// vectors emits a loop over vectors of places that lie before n, and one over the places that
	// are left.
	vectors := func(label string, step int, vector, one func()) {
		MOVQ(n, last)
		SUBQ(U8(step), last)
		Label(label)
		CMPQ(x, last)
		JGT(LabelRef(label + "One"))
		vector()
		ADDQ(U8(step), x)
		JMP(LabelRef(label))
		Label(label + "One")
		CMPQ(x, n)
		JGE(LabelRef(label + "Done"))
		one()
		INCQ(x)
		JMP(LabelRef(label + "One"))
		Label(label + "Done")
	}
	at := func(p Register) Mem { return Mem{Base: p, Index: x, Scale: 4} }
	Comment("The sums of columns.")
	vectors("columns", isa.Bytes/4, func() {
		v := isa.Load(at(entering))
		isa.DoTo(op.SubLong, v, at(leaving), v)
		isa.DoTo(op.AddLong, v, at(columns), v)
		isa.Store(v, at(columns))
	}, func() {
		g := GP32()
		MOVL(at(entering), g)
		SUBL(at(leaving), g)
		ADDL(g, at(columns))
	})
	Comment("The first sums.")
	side, sums, blocks := Load(r.Field("side"), GP64()), Load(r.Field("sums").Base(), GP64()), Load(r.Field("blocks"), GP64())
	Load(r.Field("n"), n)
	first, p := GP64(), GP64()
	MOVQ(side, first)
	CMPQ(first, n)
	CMOVQGT(n, first)
	XORQ(x, x)
	Label("place")
	sum, left := Counter(), GP64()
	MOVQ(blocks, left)
	LEAQ(at(columns), p)
	Label("block")
	g := GP64()
	MOVL(Mem{Base: p}, g.As32())
	ADDQ(g, sum)
	LEAQ(Mem{Base: p, Index: side, Scale: 4}, p)
	DECQ(left)
	JNE(LabelRef("block"))
	MOVQ(sum, Mem{Base: sums, Index: x, Scale: 8})
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
	LEAQ(Mem{Base: sums, Index: before, Scale: 2}, before)
	CMPQ(side, U8(isa.Bytes/8))
	JLT(LabelRef("sumsOne"))
	vectors("sums", isa.Bytes/8, func() {
		v := isa.Do(op.SubQuad, unsignedQuads(isa, at(more)), unsignedQuads(isa, at(columns)))
		isa.DoTo(op.AddQuad, v, Mem{Base: before, Index: x, Scale: 8}, v)
		isa.Store(v, Mem{Base: sums, Index: x, Scale: 8})
	}, func() {
		v, w := GP64(), GP64()
		MOVL(at(more), v.As32())
		MOVL(at(columns), w.As32())
		SUBQ(w, v)
		ADDQ(Mem{Base: before, Index: x, Scale: 8}, v)
		MOVQ(v, Mem{Base: sums, Index: x, Scale: 8})
	})
	isa.End()
}
