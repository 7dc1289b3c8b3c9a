package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// maxima emits the function that tests two rows of responses for maxima of 3 by 3, with
// the row after them. For each 32 columns it stores the mask of the first row, and in
// the upper half that of the second one.
//
// Of three neighbours in a row it takes the maximum first. Those of the rows before
// are kept, and those of the last two rows stored.
func maxima(isa vec.ISA) {
	const columns = 32
	lanes := isa.Bytes / 4
	r := vec.Func("maxima" + isa.Name)
	var rows [3]Register
	for i := range rows {
		rows[i] = vec.Pointer(r, "rows", i)
	}
	var threes [4]Register
	for i := range threes {
		threes[i] = vec.Pointer(r, "maxima", i)
	}
	masks := Load(r.Field("masks").Base(), GP64())
	n := Load(r.Field("masks").Len(), GP64())
	least := Load(r.Field("least").Base(), GP64())
	threshold := isa.Load(Mem{Base: least})
	highest := isa.Zero()
	x := GP64()
	XORQ(x, x)

	vec.Align()
	Label("columns")
	mask := GP64()
	XORQ(mask, mask)
	for i := range columns / lanes {
		at := func(p Register, lane int) Mem {
			return Mem{Base: p, Index: x, Scale: 4, Disp: 4 * (i*lanes + lane)}
		}
		// widest returns the values of a row, and the maxima of three.
		widest := func(row Register) (value, most Register) {
			value = isa.Load(at(row, 0))
			left := isa.Load(at(row, -1))
			isa.DoTo(vec.MaxFloat, left, value, left)
			isa.DoTo(vec.MaxFloat, left, isa.Operand(at(row, 1)), left)
			return value, left
		}
		second, below := widest(rows[1])
		_, last := widest(rows[2])
		isa.Store(below, at(threes[2], 0))
		isa.Store(last, at(threes[3], 0))
		isa.DoTo(vec.MaxFloat, below, isa.Operand(at(threes[1], 0)), below)
		isa.DoTo(vec.MaxFloat, highest, below, highest)
		isa.DoTo(vec.MaxFloat, last, below, last)
		isa.DoTo(vec.MaxFloat, below, isa.Operand(at(threes[0], 0)), below)
		isa.DoTo(vec.MaxFloat, below, threshold, below)
		isa.DoTo(vec.MaxFloat, last, threshold, last)
		for half, bits := range []GPVirtual{
			isa.NotLessFloat(isa.Load(at(rows[0], 0)), below),
			isa.NotLessFloat(second, last),
		} {
			if shift := 32*half + i*lanes; shift > 0 {
				SHLQ(U8(shift), bits)
			}
			ORQ(bits, mask)
		}
	}
	MOVQ(mask, Mem{Base: masks})
	ADDQ(U8(8), masks)
	ADDQ(U8(columns), x)
	DECQ(n)
	JNE(LabelRef("columns"))
	isa.Store(highest, Mem{Base: least})
	isa.End()
}
