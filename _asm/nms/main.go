// Command nms generates simd_amd64.s, the assembly of package nms. It runs in the
// directory of the module _asm.
package main

import (
	"log"
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	WriteAMD64("../internal/nms", func() {
		for _, isa := range []ISA{SSE2, AVX2} {
			maximize(isa)
			peaks(isa)
		}
	})
}

// maximize emits the function that finds the largest values of the columns of a row of
// blocks, and then those of the blocks. The last vector ends with the row, or with the block.
func maximize(isa ISA) {
	elements := isa.Bytes / 4
	r := Func("maximize" + isa.Name)
	values, tops := Load(r.Field("values").Base(), GP64()), Load(r.Field("tops").Base(), GP64())
	stride, rows := Load(r.Field("stride"), GP64()), Load(r.Field("rows"), GP64())
	last := Load(r.Field("tops").Len(), GP64())
	SHLQ(U8(2), stride)
	SUBQ(U8(elements), last)
	x, row, below := GP64(), GP64(), GP64()
	XORQ(x, x)
	Comment("The largest values of the columns.")
	Align()
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
	ADDQ(U8(elements), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("columns"))

	Label("blocks")
	if isa != SSE2 {
		VZEROUPPER()
	}
	const four = 16 // bytes
	side := Load(r.Field("side"), GP64())
	largest, left := Load(r.Field("largest").Base(), GP64()), Load(r.Field("largest").Len(), GP64())
	most := XMM()
	XORPS(most, most)
	mask := XMM()
	MOVUPS(Address(r.Field("mask").Index(0)), mask)
	SHLQ(U8(2), side)
	LEAQ(Mem{Base: side, Disp: -four}, last)
	TESTQ(left, left)
	JEQ(LabelRef("done"))
	Comment("The largest values of blocks.")
	Align()
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
	MOVUPS(most, Address(r.Field("most").Index(0)))
	RET()
}

// A peaker is what peaks is made of.
type peaker struct {
	ISA
	elements int // of a vector
	r        Component
	// blocks has a bit for each block that is left to do, of which i is the number of the next.
	blocks, i      Register
	stride, radius Register
	places         Register // the end of those that have been found
	// earlier is what is subtracted from a value for the comparison with those before it, so
	// that they must be smaller. beside is a mask of those in its row.
	earlier, beside Register
}

func (p *peaker) load(field string) Register     { return Load(p.r.Field(field), GP64()) }
func (p *peaker) loadBase(field string) Register { return Load(p.r.Field(field).Base(), GP64()) }

// firstBit emits i = the number of the lowest bit of bits.
func (p *peaker) firstBit(bits, i Register) {
	if p.ISA == AVX2 {
		TZCNTQ(bits, i)
	} else {
		BSFQ(bits, i)
	}
}

// clearFirstBit emits code that clears the lowest bit.
func clearFirstBit(bits Register) {
	LEAQ(Mem{Base: bits, Disp: -1}, reg.RCX)
	ANDQ(reg.RCX, bits)
}

// peaks emits the function that compares the largest values of blocks with a limit, and with
// the squares around them. There is no branch on whether a value is the largest one in its
// square, since that cannot be predicted.
func peaks(isa ISA) {
	p := &peaker{ISA: isa, elements: isa.Bytes / 4, r: Func("peaks" + isa.Name)}
	p.exceed()
	p.stride, p.radius, p.places = p.load("stride"), p.load("radius"), p.loadBase("places")
	p.earlier = isa.Load(Address(p.r.Field("earlier").Index(0)))
	p.beside = isa.Load(Address(p.r.Field("beside").Index(8 - p.elements)))
	TESTQ(p.blocks, p.blocks)
	JEQ(LabelRef("done"))
	Comment("The next block.")
	Align()
	Label("block")
	p.i = GP64()
	value := GP64()
	p.firstBit(p.blocks, p.i)
	largest := Mem{Base: p.loadBase("largest"), Index: p.i, Scale: 4}
	MOVL(largest, value.As32())
	limit := isa.BroadcastFloat(largest)
	x, columns := p.column(limit)
	row, y := p.row(value, x, columns)
	p.square(limit, row, x, y)
	JMP(LabelRef("next"))

	Comment("More than one place of the block has the value: the block is left to Go.")
	Label("several")
	left := p.load("blocks")
	BTSQ(p.i, left)
	Store(left, p.r.Field("blocks"))
	Label("next")
	clearFirstBit(p.blocks)
	JNE(LabelRef("block"))
	SUBQ(p.loadBase("places"), p.places)
	SHRQ(placeShift(), p.places)
	Store(p.places, p.r.Field("found"))
	Label("done")
	isa.End()
}

// exceed finds the blocks whose values exceed the limit. Those at the border of the image are
// left in the field blocks.
func (p *peaker) exceed() {
	Comment("A bit for each block whose value does not exceed the limit.")
	largest, n := p.loadBase("largest"), Load(p.r.Field("largest").Len(), GP64())
	p.blocks = GP64()
	limit := p.BroadcastFloat(Address(p.r.Field("limit")))
	XORQ(p.blocks, p.blocks)
	XORQ(reg.RCX, reg.RCX)
	Label("limit")
	at := p.NotLessFloat(limit, p.Load(Mem{Base: largest, Index: reg.RCX, Scale: 4}))
	SHLQ(reg.CL, at)
	ORQ(at, p.blocks)
	ADDQ(U8(p.elements), reg.RCX)
	CMPQ(reg.RCX, n)
	JLT(LabelRef("limit"))
	left := p.load("blocks")
	NOTQ(p.blocks)
	ANDQ(left, p.blocks)
	MOVQ(p.blocks, left)
	ANDQ(Address(p.r.Field("inner")), p.blocks)
	XORQ(p.blocks, left)
	Store(left, p.r.Field("blocks"))
}

// column finds the column of the limit, the largest value of the block. x is its place in the
// row, and columns has a bit for each such column of the block.
func (p *peaker) column(limit Register) (x, columns GPVirtual) {
	Comment("A bit for each column with the value, which none exceeds.")
	x, columns = GP64(), GP64()
	MOVQ(p.i, x)
	IMULQ(p.load("side"), x)
	row := p.load("tops")
	LEAQ(Mem{Base: row, Index: x, Scale: 4}, row)
	XORQ(columns, columns)
	XORQ(reg.RCX, reg.RCX)
	Label("columns")
	top := p.Vec()
	p.Move(limit, top)
	at := p.NotLessFloat(p.Load(Mem{Base: row, Index: reg.RCX, Scale: 4}), top)
	SHLQ(reg.CL, at)
	ORQ(at, columns)
	ADDQ(U8(p.elements), reg.RCX)
	CMPQ(reg.RCX, Address(p.r.Field("side")))
	JLT(LabelRef("columns"))
	ANDQ(Address(p.r.Field("columns")), columns)
	p.firstBit(columns, reg.RCX)
	ADDQ(reg.RCX, x)
	return x, columns
}

// row finds the row of the value, and jumps to several if there is another place with it. It
// returns the number of the row, and a pointer to the column x in the one above the block.
func (p *peaker) row(value, x, columns GPVirtual) (row, y Register) {
	Comment("The row, counted from 1, going up from the last one.")
	number, count, equal := GP64(), GP64(), GP64()
	row = p.load("bottom")
	LEAQ(Mem{Base: row, Index: x, Scale: 4}, row)
	MOVQ(Address(p.r.Field("side")), reg.RCX)
	XORQ(number, number)
	XORQ(count, count)
	XORQ(equal, equal)
	Label("rows")
	CMPL(Mem{Base: row}, value.As32())
	CMOVQEQ(reg.RCX, number)
	SETEQ(equal.As8())
	ADDQ(equal, count)
	SUBQ(p.stride, row)
	DECQ(reg.RCX)
	JNE(LabelRef("rows"))
	clearFirstBit(columns)
	DECQ(count)
	ORQ(count, columns)
	JNE(LabelRef("several"))
	return row, number
}

// square stores the place of the limit, and keeps it if no value exceeds the limit in the square
// around it, and none before it equals it.
func (p *peaker) square(limit, row, x, y Register) {
	Comment("The square.")
	MOVQ(y, reg.RCX)
	IMULQ(p.stride, reg.RCX)
	ADDQ(reg.RCX, row)
	SUBQ(p.load("corner"), row)
	above, below, limitAbove := p.Vec(), p.Vec(), p.Do(op.SubLong, limit, p.earlier)
	p.Move(limitAbove, above)
	p.Move(limit, below)
	last := GP64()
	LEAQ(Mem{Base: p.radius, Index: p.radius, Scale: 1, Disp: 1 - p.elements}, last)
	rows := GP64()
	MOVQ(p.radius, rows)
	Label("above")
	p.maximum("aboveColumns", above, row, last, nil)
	ADDQ(p.stride, row)
	DECQ(rows)
	JNE(LabelRef("above"))
	LEAQ(Mem{Base: p.radius, Disp: -p.elements}, rows)
	p.maximum("beside", above, row, rows, p.beside)
	LEAQ(Mem{Base: p.radius, Disp: 1}, rows)
	Label("below")
	p.maximum("belowColumns", below, row, last, nil)
	ADDQ(p.stride, row)
	DECQ(rows)
	JNE(LabelRef("below"))

	Comment("The place, which the next one overwrites unless it is the largest.")
	ADDQ(Address(p.r.Field("x")), x)
	ADDQ(Address(p.r.Field("y")), y)
	place, _ := Element("places", p.places)
	Store(x, place.Field("X"))
	Store(y, place.Field("Y"))
	at := p.NotLessFloat(limitAbove, above)
	ANDQ(p.NotLessFloat(limit, below), at)
	XORQ(reg.RCX, reg.RCX)
	CMPQ(at, U32(1<<p.elements-1))
	SETEQ(reg.CL)
	SHLQ(placeShift(), reg.RCX)
	ADDQ(reg.RCX, p.places)
}

// maximum emits the maximum of most and the values of a row. The last vector begins at last, and
// of that only the values in the mask count, if there is one.
func (p *peaker) maximum(label string, most, row, last, mask Register) {
	v := p.Operand(Mem{Base: row, Index: last, Scale: 4})
	if mask != nil {
		v = p.Do(op.And, mask, v)
	}
	p.DoTo(op.MaxFloat, most, v, most)
	TESTQ(last, last)
	JLE(LabelRef(label + "Done"))
	XORQ(reg.RCX, reg.RCX)
	Label(label)
	p.DoTo(op.MaxFloat, most, p.Operand(Mem{Base: row, Index: reg.RCX, Scale: 4}), most)
	ADDQ(U8(p.elements), reg.RCX)
	CMPQ(reg.RCX, last)
	JLT(LabelRef(label))
	Label(label + "Done")
}

// placeShift returns the size of a place, as a power of two.
func placeShift() U8 {
	_, size := Element("places", nil)
	shift := bits.TrailingZeros(uint(size))
	if size != 1<<shift {
		log.Fatalf("a place has %d bytes, which is not a power of two", size)
	}
	return U8(shift)
}
