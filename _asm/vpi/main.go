// Command vpi generates simd_amd64.s, the assembly of package vpi. It runs in the
// directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	WriteAMD64("../vpi", func() {
		for _, isa := range []ISA{SSE2, AVX2} {
			sift(isa)
		}
	})
}

// sift emits the function that marks the pixels that may be corners. It does with vectors
// what the portable one does with words, and tests all of them, not only those that a first
// test leaves.
func sift(isa ISA) {
	r := Func("sift" + isa.Name)
	rest := isa.BroadcastFloat(Address(r.Field("rest")))
	thresholds := isa.BroadcastFloat(Address(r.Field("thresholds")))
	centers, opposite, end := Load(r.Field("centers"), GP64()), Load(r.Field("opposite"), GP64()), Load(r.Field("end"), GP64())
	first, second := GP64(), GP64() // the halves of the circle
	LEAQ(Address(r.Field("halves").Index(0)), first)
	LEAQ(Mem{Base: first, Index: opposite, Scale: 8}, second)
	at, i := GP64(), GP64()
	XORQ(at, at)

	Comment("The next vector of pixels.")
	Align()
	Label("vector")
	p := isa.Load(Mem{Base: centers, Index: at, Scale: 1})
	both, apart := isa.Do(op.And, p, thresholds), isa.Do(op.Xor, p, thresholds)
	isa.DoTo(op.ShiftQuad, apart, U8(1), apart)
	isa.DoTo(op.And, apart, rest, apart)
	notBright := isa.Do(op.AddQuad, both, apart)
	isa.DoTo(op.Xor, both, thresholds, both)
	isa.DoTo(op.Xor, apart, rest, apart)
	notDark := isa.Do(op.AddQuad, both, apart)
	bright, dark := isa.Do(op.And, notBright, rest), isa.Do(op.And, notDark, rest)
	isa.DoTo(op.AddQuad, bright, rest, bright)

	// compare returns top bits for a vector of pixels of the circle that are not bright,
	// and not dark.
	compare := func(pointers Register) [2]Register {
		pixels := GP64()
		MOVQ(Mem{Base: pointers, Index: i, Scale: 8}, pixels)
		v := isa.Load(Mem{Base: pixels, Index: at, Scale: 1})
		return [2]Register{isa.Do(op.SubQuad, bright, v), isa.Reuse(op.AddQuad, v, dark)}
	}
	not := [2]Register{notBright, notDark}
	XORQ(i, i)
	a, b := compare(first), compare(second)
	Comment("The next pixels of both halves of the circle.")
	Label("pair")
	INCQ(i)
	nextA, nextB := compare(first), compare(second)
	for k := range not {
		isa.DoTo(op.Or, a[k], nextA[k], a[k])
		isa.DoTo(op.Or, b[k], nextB[k], b[k])
		isa.DoTo(op.And, a[k], b[k], a[k])
		isa.DoTo(op.Or, not[k], a[k], not[k])
		isa.Move(nextA[k], a[k])
		isa.Move(nextB[k], b[k])
	}
	CMPQ(i, opposite)
	JLT(LabelRef("pair"))

	Comment("The marks of corners.")
	index := GP64()
	MOVQ(at, index)
	SHRQ(U8(3), index)
	for k, field := range []string{"bright", "dark"} {
		isa.DoTo(op.Or, not[k], rest, not[k])
		mask := GP32()
		isa.MoveMask(not[k], mask)
		NOTL(mask)
		marks := Address(r.Field(field).Index(0)).Idx(index, 1)
		if isa == AVX2 {
			MOVL(mask, marks)
		} else {
			MOVW(mask.As16(), marks)
		}
	}
	ADDQ(U8(isa.Bytes), at)
	CMPQ(at, end)
	JLT(LabelRef("vector"))
	isa.End()
}
