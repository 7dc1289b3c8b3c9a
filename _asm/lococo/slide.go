package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/prefix"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// slide emits the function that moves windows of any size down by a row. It computes all sums
// along rows as differences of prefix sums.
func slide(isa ISA) {
	r := Func("slide" + isa.Name)
	sumBands(isa, r)
	differentiate(isa, r)
	columns(isa, r)
	n := Load(r.Field("tensors").Index(0).Len(), GP64())
	TESTQ(n, n)
	JEQ(LabelRef("done"))
	windows(isa, r, n)
	Label("done")
	isa.End()
}

// loop emits a loop over n columns, in vectors of numbers of the given size in bytes.
func loop(isa ISA, name string, n Register, bytes int, emit func(x Register)) {
	x := Counter()
	Loop(name, x, n, isa.Bytes/bytes, func() { emit(x) })
}

// sumBands emits the prefix sums of bands, which begin with 0.
func sumBands(isa ISA, r Component) {
	bands, prefixes := Bases(r, "bands", 2), Bases(r, "prefixes", 2)
	n := Load(r.Field("bands").Index(0).Len(), GP64())
	s := prefix.NewSummer(isa, op.AddLong, 4)
	carries := [2]Register{isa.Zero(), isa.Zero()}
	Comment("The prefix sums of both bands.")
	loop(isa, "bands", n, 4, func(x Register) {
		for i, band := range bands {
			v := s.Sum(isa.LoadLongWords(Mem{Base: band, Index: x, Scale: 2}), carries[i])
			isa.Store(v, Mem{Base: prefixes[i], Index: x, Scale: 4, Disp: 4})
		}
	})
}

// differentiate emits the row of gradients as floats.
func differentiate(isa ISA, r Component) {
	prefixes, out := Bases(r, "prefixes", 2), Bases(r, "enter", 2)
	reach, n := Load(r.Field("reach"), GP64()), Load(r.Field("enter").Index(0).Len(), GP64())
	Comment("Where the boxes begin and end, for the kernel that begins in column x.")
	left, top := prefixes[0], prefixes[1]
	leftEnd, right, bottom := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: left, Index: reach, Scale: 4}, leftEnd)
	LEAQ(Mem{Base: leftEnd, Index: reach, Scale: 4}, right)
	LEAQ(Mem{Base: top, Index: reach, Scale: 8}, bottom)
	Comment("The gradients of the row, as floats.")
	loop(isa, "gradients", n, 4, func(x Register) {
		at := func(p Register, i int) Mem { return Mem{Base: p, Index: x, Scale: 4, Disp: 4 * i} }
		gx := isa.Load(at(right, 1))
		isa.DoTo(op.SubLong, gx, isa.Operand(at(leftEnd, 1)), gx)
		isa.DoTo(op.SubLong, gx, isa.Operand(at(leftEnd, 0)), gx)
		isa.DoTo(op.AddLong, gx, isa.Operand(at(left, 0)), gx)
		gy := isa.Load(at(bottom, 0))
		isa.DoTo(op.SubLong, gy, isa.Operand(at(top, 1)), gy)
		for i, v := range []Register{gx, gy} {
			isa.ToFloat(v, v)
			isa.Store(v, at(out[i], 0))
		}
	})
}

// columns emits the prefix sums of the products of gradients, summed over the rows of windows,
// which begin with 0. They are integers of 64 bits, but doubles with SSE2, which cannot
// multiply signed integers.
func columns(isa ISA, r Component) {
	enter, leave, sums := Bases(r, "enter", 2), Bases(r, "leave", 2), Bases(r, "sums", 3)
	n := Load(r.Field("enter").Index(0).Len(), GP64())
	add, sub, mul := op.AddQuad, op.SubQuad, op.MulQuad
	if isa == SSE2 {
		add, sub, mul = op.AddDouble, op.SubDouble, op.MulDouble
	}
	s := prefix.NewSummer(isa, add, 8)
	carries := [3]Register{isa.Zero(), isa.Zero(), isa.Zero()}
	Comment("The prefix sums of the products of the row that enters, less those of the one that leaves.")
	loop(isa, "columns", n, 8, func(x Register) {
		var added, removed [2]Register
		for i := range 2 {
			added[i] = isa.LoadQuads(Mem{Base: enter[i], Index: x, Scale: 4})
			removed[i] = isa.LoadQuads(Mem{Base: leave[i], Index: x, Scale: 4})
		}
		for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
			a, b := factors[0], factors[1]
			at := Mem{Base: sums[k], Index: x, Scale: 8, Disp: 8}
			v := isa.Do(mul, added[a], added[b])
			isa.DoTo(sub, v, isa.Do(mul, removed[a], removed[b]), v)
			isa.Store(isa.Do(add, s.Sum(v, carries[k]), isa.Operand(at)), at)
		}
	})
}

// windows emits the n sums over windows as floats.
func windows(isa ISA, r Component, n Register) {
	sums, out := Bases(r, "sums", 3), Bases(r, "tensors", 3)
	side := Load(r.Field("side"), GP64())
	sub := op.SubQuad
	if isa == SSE2 {
		sub = op.SubDouble
	}
	magic := isa.Magic()
	end := GP64()
	Comment("The sums over windows, as floats.")
	loop(isa, "windows", n, 8, func(x Register) {
		LEAQ(Mem{Base: x, Index: side, Scale: 1}, end)
		for k := range sums {
			v := isa.Load(Mem{Base: sums[k], Index: end, Scale: 8})
			isa.DoTo(sub, v, isa.Operand(Mem{Base: sums[k], Index: x, Scale: 8}), v)
			isa.StoreQuads(v, magic, Mem{Base: out[k], Index: x, Scale: 4})
		}
	})
}
