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
