// Command nms generates simd_amd64.s, the assembly of package nms. It runs in the
// directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	vec.Write("../internal/nms", "github.com/fastcorners/fast/internal/nms", func() {
		for _, isa := range []vec.ISA{vec.SSE2, vec.AVX2} {
			tops(isa)
			square(isa)
		}
	})
}

// tops emits the function that makes the largest values of columns. The last vector ends
// with them.
func tops(isa vec.ISA) {
	lanes := isa.Bytes / 4
	r := vec.Func("tops" + isa.Name)
	values, out := Load(r.Field("values"), GP64()), Load(r.Field("tops"), GP64())
	stride, rows := Load(r.Field("stride"), GP64()), Load(r.Field("rows"), GP64())
	last := Load(r.Field("n"), GP64())
	SUBQ(U8(lanes), last)
	x, row, left := GP64(), GP64(), GP64()
	XORQ(x, x)
	vec.Align()
	Label("columns")
	LEAQ(Mem{Base: values, Index: x, Scale: 4}, row)
	most := isa.Load(Mem{Base: row})
	MOVQ(rows, left)
	JMP(LabelRef("next"))
	Label("row")
	ADDQ(stride, row)
	isa.DoTo(vec.MaxFloat, most, isa.Operand(Mem{Base: row}), most)
	Label("next")
	DECQ(left)
	JNE(LabelRef("row"))
	isa.Store(most, Mem{Base: out, Index: x, Scale: 4})
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(lanes), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("columns"))
	Label("done")
	isa.End()
}

// square emits the function that compares the values of a square with limits. The last
// vector of a row ends with it.
func square(isa vec.ISA) {
	lanes := isa.Bytes / 4
	r := vec.Func("square" + isa.Name)
	values, stride := Load(r.Field("values"), GP64()), Load(r.Field("stride"), GP64())
	last := Load(r.Field("side"), GP64())
	SUBQ(U8(lanes), last)
	exceeded := GP64()
	XORQ(exceeded, exceeded)
	for i, rows := range []string{"above", "below"} {
		left, x := Load(r.Field(rows), GP64()), GP64()
		most := isa.BroadcastFloat(vec.Address(r.Field("limits").Index(i)))
		limit := isa.Vec()
		isa.Move(most, limit)
		Label(rows)
		XORQ(x, x)
		Label(rows + "Columns")
		isa.DoTo(vec.MaxFloat, most, isa.Operand(Mem{Base: values, Index: x, Scale: 4}), most)
		ADDQ(U8(lanes), x)
		CMPQ(x, last)
		JLT(LabelRef(rows + "Columns"))
		isa.DoTo(vec.MaxFloat, most, isa.Operand(Mem{Base: values, Index: last, Scale: 4}), most)
		ADDQ(stride, values)
		DECQ(left)
		JNE(LabelRef(rows))
		// The limit is not less than the largest value only where that does not exceed it.
		at := isa.NotLessFloat(limit, most)
		XORQ(U8(1<<lanes-1), at)
		ORQ(at, exceeded)
	}
	Store(exceeded, r.Field("exceeded"))
	isa.End()
}
