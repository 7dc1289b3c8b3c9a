package main

import (
	"github.com/fastcorners/fast/_asm/internal/response"
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// respond emits the function that makes a row of responses of structure tensors. The last
// vector ends with the row.
func respond(isa vec.ISA) {
	r := vec.Func("respond" + isa.Name)
	var in [3]Register
	for i := range in {
		in[i] = vec.Pointer(r, "in", i)
	}
	out := Load(r.Field("out"), GP64())
	last := Load(r.Field("n"), GP64())
	SUBQ(U8(isa.Bytes/4), last)
	p := response.NewResponder(isa, r)
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("vector")
	p.Choose(func(m response.Measure) {
		var v [3]Register
		for k := range v {
			v[k] = isa.Load(Mem{Base: in[k], Index: x, Scale: 4})
		}
		isa.Store(m(isa, v[0], v[1], v[2], p.Constants), Mem{Base: out, Index: x, Scale: 4})
	})
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("vector"))
	Label("done")
	isa.End()
}
