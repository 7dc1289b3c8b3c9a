package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// peaks emits the function that finds peaks in the second and the third of four rows of
// responses.
//
// It first takes the maximum of three neighbors in a row. Those of the first two rows were
// stored by the previous call, and those of the last two rows are stored for the next.
func peaks(isa ISA) {
	const columns = 32
	lanes := isa.Bytes / 4
	r := Func("peaks" + isa.Name)
	var rows [3]Register // without the first one
	for i := range rows {
		rows[i] = Load(r.Field("rows").Index(1+i).Base(), GP64())
	}
	threes := Bases(r, "maxima", 4)
	masks := Load(r.Field("masks").Base(), GP64())
	n := Load(r.Field("masks").Len(), GP64())
	threshold := isa.Load(Address(r.Field("threshold").Index(0)))
	highest := isa.Zero()
	x := Counter()

	Align()
	Label("columns")
	Comment("The maxima of three neighbors in a row, and then of three rows.")
	mask := GP64()
	XORQ(mask, mask)
	for i := range columns / lanes {
		at := func(p Register, lane int) Mem {
			return Mem{Base: p, Index: x, Scale: 4, Disp: 4 * (i*lanes + lane)}
		}
		// widest returns the values of a row, and their maxima with both neighbors.
		widest := func(row Register) (value, most Register) {
			value = isa.Load(at(row, 0))
			left := isa.Load(at(row, -1))
			isa.DoTo(op.MaxFloat, left, value, left)
			isa.DoTo(op.MaxFloat, left, isa.Operand(at(row, 1)), left)
			return value, left
		}
		second, below := widest(rows[1])
		_, last := widest(rows[2])
		isa.Store(below, at(threes[2], 0))
		isa.Store(last, at(threes[3], 0))
		isa.DoTo(op.MaxFloat, below, isa.Operand(at(threes[1], 0)), below)
		isa.DoTo(op.MaxFloat, highest, below, highest)
		isa.DoTo(op.MaxFloat, last, below, last)
		isa.DoTo(op.MaxFloat, below, isa.Operand(at(threes[0], 0)), below)
		isa.DoTo(op.MaxFloat, below, threshold, below)
		isa.DoTo(op.MaxFloat, last, threshold, last)
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
	isa.Store(highest, Address(r.Field("largest").Index(0)))
	isa.End()
}
