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
		in[i] = Load(r.Field("in").Index(i).Base(), GP64())
	}
	out := Load(r.Field("out").Base(), GP64())
	last := Load(r.Field("out").Len(), GP64())
	SUBQ(U8(isa.Bytes/4), last)
	p := response.NewResponder(isa, r)
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("vector")
	at := func(p Register) Mem { return Mem{Base: p, Index: x, Scale: 4} }
	p.Store([3]Op{at(in[0]), at(in[1]), at(in[2])}, at(out))
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("vector"))
	Label("done")
	isa.End()
}
