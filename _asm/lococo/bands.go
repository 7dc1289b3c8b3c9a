package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// bands emits the function that moves bands down by a row. The last vector ends with
// them.
func bands(isa vec.ISA) {
	pixels := isa.Bytes / 2
	r := vec.Func("bands" + isa.Name)
	var rows [6]Register
	for i := range rows {
		rows[i] = vec.Pointer(r, "rows", i)
	}
	ahead := Load(r.Field("ahead"), GP64())
	wholes, halves := vec.Pointer(r, "old", 0), vec.Pointer(r, "old", 1)
	newWholes, newHalves := vec.Pointer(r, "out", 0), vec.Pointer(r, "out", 1)
	last := Load(r.Field("n"), GP64())
	SUBQ(U8(pixels), last)
	zero := isa.Zero()
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("pixels")
	PREFETCHT0(Mem{Base: ahead, Index: x, Scale: 1})
	move := func(old, out Register, enter, leave []int) {
		v := isa.Load(Mem{Base: old, Index: x, Scale: 2})
		for _, row := range enter {
			isa.DoTo(vec.AddWord, v, isa.LoadWords(Mem{Base: rows[row], Index: x, Scale: 1}, zero), v)
		}
		for _, row := range leave {
			isa.DoTo(vec.SubWord, v, isa.LoadWords(Mem{Base: rows[row], Index: x, Scale: 1}, zero), v)
		}
		isa.Store(v, Mem{Base: out, Index: x, Scale: 2})
	}
	move(wholes, newWholes, []int{4}, []int{1})
	move(halves, newHalves, []int{5, 0}, []int{3, 2})
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(pixels), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("pixels"))
	Label("done")
	isa.End()
}

// gradients emits the function that makes a row of gradients of bands, for kernels that
// reach so far.
func gradients(isa vec.ISA, reach int) {
	r := vec.Func(fmt.Sprintf("gradients%d%s", reach, isa.Name))
	wholes, halves := vec.Pointer(r, "bands", 0), vec.Pointer(r, "bands", 1)
	out := [2]Register{vec.Pointer(r, "out", 0), vec.Pointer(r, "out", 1)}
	n := Load(r.Field("n"), GP64())
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("columns")
	// sum returns the sum of a band's columns around x.
	sum := func(band Register, first, last int) VecVirtual {
		at := func(i int) Mem { return Mem{Base: band, Index: x, Scale: 2, Disp: 2 * i} }
		v := isa.Load(at(first))
		for i := first + 1; i <= last; i++ {
			isa.DoTo(vec.AddWord, v, isa.Operand(at(i)), v)
		}
		return v
	}
	gx := sum(wholes, 1, reach)
	isa.DoTo(vec.SubWord, gx, sum(wholes, -reach, -1), gx)
	isa.Store(gx, Mem{Base: out[0], Index: x, Scale: 2})
	isa.Store(sum(halves, 1-reach, reach-1), Mem{Base: out[1], Index: x, Scale: 2})
	ADDQ(U8(isa.Bytes/2), x)
	CMPQ(x, n)
	JLT(LabelRef("columns"))
	isa.End()
}
