// Command nms generates simd_amd64.s, the assembly of package nms. It runs in the
// directory of the module _asm.
package main

import (
	"log"
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	vec.Write("../internal/nms", func() {
		for _, isa := range []vec.ISA{vec.SSE2, vec.AVX2} {
			maximize(isa)
			peaks(isa)
		}
	})
}

// maximize emits the function that finds the largest values of the columns of a row of
// blocks, and then those of the blocks. The last vector ends with the row, or with the block.
func maximize(isa vec.ISA) {
	lanes := isa.Bytes / 4
	r := vec.Func("maximize" + isa.Name)
	values, tops := Load(r.Field("values").Base(), GP64()), Load(r.Field("tops").Base(), GP64())
	stride, rows := Load(r.Field("stride"), GP64()), Load(r.Field("rows"), GP64())
	last := Load(r.Field("tops").Len(), GP64())
	SHLQ(U8(2), stride)
	SUBQ(U8(lanes), last)
	x, row, below := GP64(), GP64(), GP64()
	XORQ(x, x)
	vec.Align()
	Label("columns")
	LEAQ(Mem{Base: values, Index: x, Scale: 4}, row)
	top := isa.Load(Mem{Base: row})
	MOVQ(rows, below)
	JMP(LabelRef("nextRow"))
	Label("row")
	ADDQ(stride, row)
	isa.DoTo(op.MaxFloat, top, isa.Operand(Mem{Base: row}), top)
	Label("nextRow")
	DECQ(below)
	JNE(LabelRef("row"))
	isa.Store(top, Mem{Base: tops, Index: x, Scale: 4})
	CMPQ(x, last)
	JEQ(LabelRef("blocks"))
	ADDQ(U8(lanes), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("columns"))

	Label("blocks")
	if isa != vec.SSE2 {
		VZEROUPPER()
	}
	const four = 16 // bytes
	side := Load(r.Field("side"), GP64())
	largest, left := Load(r.Field("largest").Base(), GP64()), Load(r.Field("largest").Len(), GP64())
	most := XMM()
	XORPS(most, most)
	mask := XMM()
	MOVUPS(vec.Address(r.Field("mask").Index(0)), mask)
	SHLQ(U8(2), side)
	LEAQ(Mem{Base: side, Disp: -four}, last)
	TESTQ(left, left)
	JEQ(LabelRef("done"))
	vec.Align()
	Label("block")
	v, w := XMM(), XMM()
	MOVUPS(Mem{Base: tops}, v)
	ANDPS(mask, v)
	CMPQ(last, U8(0))
	JLE(LabelRef("across"))
	MOVQ(last, x)
	Label("four")
	MOVUPS(Mem{Base: tops, Index: x, Scale: 1}, w)
	MAXPS(w, v)
	SUBQ(U8(four), x)
	JG(LabelRef("four"))
	Label("across")
	MAXPS(v, most)
	PSHUFD(U8(0b01_00_11_10), v, w)
	MAXPS(w, v)
	PSHUFD(U8(0b10_11_00_01), v, w)
	MAXSS(w, v)
	MOVSS(v, Mem{Base: largest})
	ADDQ(U8(4), largest)
	ADDQ(side, tops)
	DECQ(left)
	JNE(LabelRef("block"))
	Label("done")
	MOVUPS(most, vec.Address(r.Field("most").Index(0)))
	RET()
}

// peaks emits the function that compares the largest values of blocks with a limit, and with
// the squares around them. There is no branch on whether a value is the largest one in its
// square, since that cannot be predicted.
func peaks(isa vec.ISA) {
	lanes := isa.Bytes / 4
	r := vec.Func("peaks" + isa.Name)
	load := func(field string) Register { return Load(r.Field(field), GP64()) }
	// A bit for each block whose value does not exceed the limit.
	loadBase := func(field string) Register { return Load(r.Field(field).Base(), GP64()) }
	pointer, n, blocks := loadBase("largest"), Load(r.Field("largest").Len(), GP64()), GP64()
	limit := isa.BroadcastFloat(vec.Address(r.Field("limit")))
	XORQ(blocks, blocks)
	XORQ(RCX, RCX)
	Label("limit")
	at := isa.NotLessFloat(limit, isa.Load(Mem{Base: pointer, Index: RCX, Scale: 4}))
	SHLQ(CL, at)
	ORQ(at, blocks)
	ADDQ(U8(lanes), RCX)
	CMPQ(RCX, n)
	JLT(LabelRef("limit"))
	left := load("blocks")
	NOTQ(blocks)
	ANDQ(left, blocks)
	MOVQ(blocks, left)
	ANDQ(vec.Address(r.Field("inner")), blocks)
	XORQ(blocks, left)
	Store(left, r.Field("blocks"))

	stride, radius, places := load("stride"), load("radius"), loadBase("places")
	firstBit := BSFQ
	if isa == vec.AVX2 {
		firstBit = TZCNTQ
	}
	earlier, beside := isa.Load(vec.Address(r.Field("earlier").Index(0))), isa.Load(vec.Address(r.Field("beside").Index(8-lanes)))
	TESTQ(blocks, blocks)
	JEQ(LabelRef("done"))
	vec.Align()
	Label("block")
	i, value := GP64(), GP64()
	firstBit(blocks, i)
	largest := Mem{Base: loadBase("largest"), Index: i, Scale: 4}
	MOVL(largest, value.As32())
	limit = isa.BroadcastFloat(largest)

	// A bit for each column with the value, which none exceeds.
	x, columns := GP64(), GP64()
	MOVQ(i, x)
	IMULQ(load("side"), x)
	row := load("tops")
	LEAQ(Mem{Base: row, Index: x, Scale: 4}, row)
	XORQ(columns, columns)
	XORQ(RCX, RCX)
	Label("columns")
	top := isa.Vec()
	isa.Move(limit, top)
	at = isa.NotLessFloat(isa.Load(Mem{Base: row, Index: RCX, Scale: 4}), top)
	SHLQ(CL, at)
	ORQ(at, columns)
	ADDQ(U8(lanes), RCX)
	CMPQ(RCX, vec.Address(r.Field("side")))
	JLT(LabelRef("columns"))
	ANDQ(vec.Address(r.Field("columns")), columns)
	firstBit(columns, RCX)
	ADDQ(RCX, x)

	// The row, counted from 1, going up from the last one.
	y, count, equal := GP64(), GP64(), GP64()
	row = load("bottom")
	LEAQ(Mem{Base: row, Index: x, Scale: 4}, row)
	MOVQ(vec.Address(r.Field("side")), RCX)
	XORQ(y, y)
	XORQ(count, count)
	XORQ(equal, equal)
	Label("rows")
	CMPL(Mem{Base: row}, value.As32())
	CMOVQEQ(RCX, y)
	SETEQ(equal.As8())
	ADDQ(equal, count)
	SUBQ(stride, row)
	DECQ(RCX)
	JNE(LabelRef("rows"))
	LEAQ(Mem{Base: columns, Disp: -1}, RCX)
	ANDQ(RCX, columns)
	DECQ(count)
	ORQ(count, columns)
	JNE(LabelRef("several"))

	// The square.
	MOVQ(y, RCX)
	IMULQ(stride, RCX)
	ADDQ(RCX, row)
	SUBQ(load("corner"), row)
	maximum := func(name string, most Register, last Register, mask Register) {
		v := isa.Operand(Mem{Base: row, Index: last, Scale: 4})
		if mask != nil {
			v = isa.Do(op.And, mask, v)
		}
		isa.DoTo(op.MaxFloat, most, v, most)
		TESTQ(last, last)
		JLE(LabelRef(name + "Done"))
		XORQ(RCX, RCX)
		Label(name)
		isa.DoTo(op.MaxFloat, most, isa.Operand(Mem{Base: row, Index: RCX, Scale: 4}), most)
		ADDQ(U8(lanes), RCX)
		CMPQ(RCX, last)
		JLT(LabelRef(name))
		Label(name + "Done")
	}
	above, below, limitAbove := isa.Vec(), isa.Vec(), isa.Do(op.SubLong, limit, earlier)
	isa.Move(limitAbove, above)
	isa.Move(limit, below)
	last := GP64()
	LEAQ(Mem{Base: radius, Index: radius, Scale: 1, Disp: 1 - lanes}, last)
	rows := GP64()
	MOVQ(radius, rows)
	Label("above")
	maximum("aboveColumns", above, last, nil)
	ADDQ(stride, row)
	DECQ(rows)
	JNE(LabelRef("above"))
	LEAQ(Mem{Base: radius, Disp: -lanes}, rows)
	maximum("beside", above, rows, beside)
	LEAQ(Mem{Base: radius, Disp: 1}, rows)
	Label("below")
	maximum("belowColumns", below, last, nil)
	ADDQ(stride, row)
	DECQ(rows)
	JNE(LabelRef("below"))

	ADDQ(vec.Address(r.Field("x")), x)
	ADDQ(vec.Address(r.Field("y")), y)
	place, placeSize := vec.Element("places", places)
	Store(x, place.Field("X"))
	Store(y, place.Field("Y"))
	shift := U8(bits.TrailingZeros(uint(placeSize)))
	if placeSize != 1<<shift {
		log.Fatalf("a place has %d bytes, which is not a power of two", placeSize)
	}
	at = isa.NotLessFloat(limitAbove, above)
	ANDQ(isa.NotLessFloat(limit, below), at)
	XORQ(RCX, RCX)
	CMPQ(at, U32(1<<lanes-1))
	SETEQ(CL)
	SHLQ(shift, RCX)
	ADDQ(RCX, places)
	JMP(LabelRef("next"))

	Label("several")
	left = load("blocks")
	BTSQ(i, left)
	Store(left, r.Field("blocks"))
	Label("next")
	LEAQ(Mem{Base: blocks, Disp: -1}, RCX)
	ANDQ(RCX, blocks)
	JNE(LabelRef("block"))
	SUBQ(loadBase("places"), places)
	SHRQ(shift, places)
	Store(places, r.Field("found"))
	Label("done")
	isa.End()
}
