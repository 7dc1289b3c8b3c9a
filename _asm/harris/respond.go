package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pointer returns the pointer of that number in an array that is a field.
func pointer(r gotypes.Component, field string, i int) Register {
	return Load(r.Field(field).Index(i), GP64())
}

// address returns where a field is.
func address(field gotypes.Component) Mem {
	basic, err := field.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// sum emits the function that makes sums and differences down the columns of rows a,
// b, c and d: a+2b+c and c-a, b+2c+d and d-b. The last vector ends with the rows.
func sum(isa vec.ISA) {
	r := vec.Func("sum" + isa.Name)
	pixels := isa.Bytes / 2
	var rows, sums [4]Register
	for i := range rows {
		rows[i], sums[i] = pointer(r, "rows", i), pointer(r, "sums", i)
	}
	last := Load(r.Field("n"), GP64())
	SUBQ(U8(pixels), last)
	ahead := [2]Register{pointer(r, "ahead", 0), pointer(r, "ahead", 1)}
	x := GP64()
	XORQ(x, x)
	zero := isa.Zero()

	vec.Align()
	Label("pixels")
	for _, row := range ahead {
		PREFETCHT0(Mem{Base: row, Index: x, Scale: 1})
	}
	var v [4]Register
	for i, row := range rows {
		v[i] = isa.LoadWords(Mem{Base: row, Index: x, Scale: 1}, zero)
	}
	middle := isa.Do(vec.AddWord, v[1], v[2])
	store := func(v Register, i int) {
		isa.Store(v, Mem{Base: sums[i], Index: x, Scale: 2})
	}
	upper := isa.Do(vec.AddWord, v[0], v[1])
	isa.DoTo(vec.AddWord, upper, middle, upper)
	store(upper, 0)
	lower := isa.Do(vec.AddWord, v[2], v[3])
	isa.DoTo(vec.AddWord, lower, middle, lower)
	store(lower, 2)
	store(isa.Do(vec.SubWord, v[2], v[0]), 1)
	store(isa.Do(vec.SubWord, v[3], v[1]), 3)
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(pixels), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("pixels"))
	Label("done")
	isa.End()
}

// A measure emits the response of the elements of structure tensors: a and b are
// those of the squared gradients, c is that of their products. It may change them. The
// constants are vectors in memory. No operation is fused: each is rounded.
type measure func(isa vec.ISA, a, b, c Register, constants [2]Mem) Register

// measures are numbered as in package harris.
var measures = []measure{
	// The smaller eigenvalue.
	func(isa vec.ISA, a, b, c Register, constants [2]Mem) Register {
		trace := isa.Do(vec.AddFloat, a, b)
		isa.DoTo(vec.SubFloat, a, b, a)
		isa.DoTo(vec.AddFloat, c, c, c)
		isa.DoTo(vec.MulFloat, a, a, a)
		isa.DoTo(vec.MulFloat, c, c, c)
		isa.DoTo(vec.AddFloat, a, c, a)
		isa.Sqrt(a)
		isa.DoTo(vec.SubFloat, trace, a, trace)
		isa.DoTo(vec.MulFloat, trace, isa.Operand(constants[0]), trace)
		return trace
	},
	// The determinant less the squared trace.
	func(isa vec.ISA, a, b, c Register, constants [2]Mem) Register {
		trace := isa.Do(vec.AddFloat, a, b)
		v := determinant(isa, a, b, c)
		isa.DoTo(vec.MulFloat, trace, trace, trace)
		isa.DoTo(vec.MulFloat, trace, isa.Operand(constants[0]), trace)
		isa.DoTo(vec.SubFloat, v, trace, v)
		isa.DoTo(vec.MulFloat, v, isa.Operand(constants[1]), v)
		return v
	},
	// The determinant over the trace.
	func(isa vec.ISA, a, b, c Register, constants [2]Mem) Register {
		trace := isa.Do(vec.AddFloat, a, b)
		v := determinant(isa, a, b, c)
		isa.DoTo(vec.MulFloat, v, isa.Operand(constants[0]), v)
		isa.DoTo(vec.AddFloat, trace, isa.Operand(constants[1]), trace)
		isa.DoTo(vec.DivFloat, v, trace, v)
		return v
	},
}

// A responder emits how sums over windows become responses.
type responder struct {
	isa       vec.ISA
	number    Register // of the measure
	constants [2]Mem
}

// newResponder loads the fields of a run.
func newResponder(isa vec.ISA, r gotypes.Component) responder {
	p := responder{isa: isa, number: Load(r.Field("measure"), GP64())}
	for i := range p.constants {
		p.constants[i] = address(r.Field("constants").Index(i).Index(0))
	}
	return p
}

// choose emits what is to be done for each measure.
func (p *responder) choose(emit func(m measure)) {
	for number, m := range measures {
		next := fmt.Sprintf("measure%d", number+1)
		if number < len(measures)-1 {
			CMPQ(p.number, U8(number))
			JNE(LabelRef(next))
		}
		emit(m)
		if number < len(measures)-1 {
			JMP(LabelRef("responded"))
			Label(next)
		}
	}
	Label("responded")
}

// emit emits the responses of rows, for the sums of even and of odd columns, as
// floats.
func (p *responder) emit(interleave func(even, odd Register) (low, high Register), out []Register, even, odd [][3]Op) {
	p.choose(func(m measure) {
		for i := range out {
			value := func(v [3]Op) Register {
				var sums [3]Register
				for k, op := range v {
					sums[k] = p.isa.Vec()
					p.isa.Move(op, sums[k])
				}
				return m(p.isa, sums[0], sums[1], sums[2], p.constants)
			}
			low, high := interleave(value(even[i]), value(odd[i]))
			p.isa.Store(low, Mem{Base: out[i]})
			p.isa.Store(high, Mem{Base: out[i], Disp: p.isa.Bytes})
		}
	})
	for _, o := range out {
		ADDQ(U32(2*p.isa.Bytes), o)
	}
}

// determinant returns ab-cc, in a. It changes c, too.
func determinant(isa vec.ISA, a, b, c Register) Register {
	isa.DoTo(vec.MulFloat, a, b, a)
	isa.DoTo(vec.MulFloat, c, c, c)
	isa.DoTo(vec.SubFloat, a, c, a)
	return a
}

// A keeper keeps vectors: in registers with AVX-512, which has enough of them, and
// otherwise in memory.
type keeper struct {
	isa  vec.ISA
	room Mem
}

// keep returns v, or the place in memory where it is.
func (k *keeper) keep(v Register) Op {
	if k.isa == vec.AVX512 {
		return v
	}
	m := k.room
	k.room = m.Offset(k.isa.Bytes)
	k.isa.Store(v, m)
	return m
}

// replace makes v the value of what keep has returned.
func replace(isa vec.ISA, kept Op, v Register) {
	if m, ok := kept.(Mem); ok {
		isa.Store(v, m)
	} else {
		VMOVDQA64(v, kept)
	}
}

// respond emits the function that makes two rows of responses, for windows of 3 by 3
// pixels, block by block.
//
// A block is so many columns as a vector has words, and begins with an odd column.
// VPMADDWD of gradients with gradients sums the products of a column and the next; with
// every other one of them 0, it gives the product of the odd column alone. So there are
// sums of pairs and of odd columns; what is missing is that of the even ones.
//
// Of each product the sums of the two gradient rows before are kept for each block.
// The next two gradient rows complete two windows:
//
//	window of the first  = sums + row 0
//	sums                 = row 0 + row 1
//	window of the second = sums + row before
//
// Along the row a window is a pair and the column before, or after it: of the block
// before, only its last pair is needed, by a shift of one number.
func respond(isa vec.ISA) {
	r := vec.Func("respond" + isa.Name)
	var sums [4]Register
	for i := range sums {
		sums[i] = pointer(r, "sums", i)
	}
	state := Load(r.Field("state"), GP64())
	spans := Load(r.Field("spans").Base(), GP64())
	left := Load(r.Field("spans").Len(), GP64())
	responder := newResponder(isa, r)
	interleave := isa.Interleaver()
	words := isa.Words()
	// What is carried from block to block: of two windows and three products, the
	// sums of pairs and of the second columns of pairs.
	keeper := keeper{isa, address(r.Field("room").Index(0))}
	var pairs, seconds [2][3]Op
	for i := range 2 {
		for k := range 3 {
			pairs[i][k], seconds[i][k] = keeper.keep(isa.Zero()), keeper.keep(isa.Zero())
		}
	}

	x := GP64()
	XORQ(x, x)

	Label("span")
	var out [2]Register
	for i := range out {
		out[i] = GP64()
		MOVQ(Mem{Base: spans, Disp: 8 * i}, out[i])
	}
	blocks := GP64()
	MOVQ(Mem{Base: spans, Disp: 16}, blocks)
	vec.Align()
	Label("block")
	upper, lower := gradients(isa, sums[0], sums[1], x), gradients(isa, sums[2], sums[3], x)
	before := [2]Mem{{Base: state}, {Base: state, Disp: isa.Bytes}}
	var even, odd [2][3]Op
	for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
		// window returns both windows' sums, of pairs or of first columns.
		window := func(form int, other func(Op) Register) [2]Register {
			kept := Mem{Base: state, Disp: isa.Bytes * (2 + 2*k + form)}
			a, b := factors[0], factors[1]
			row := isa.Reuse(vec.MulPairs, other(upper[b]), upper[a])
			whole := isa.Reuse(vec.AddLong, isa.Load(kept), row)
			isa.AddProducts(row, other(lower[b]), lower[a])
			isa.Store(row, kept)
			isa.AddProducts(row, other(before[b]), isa.Operand(before[a]))
			return [2]Register{whole, row}
		}
		p := window(0, isa.Copy)
		e := window(1, func(v Op) Register { return isa.EvenWords(v, words) })
		for i := range 2 {
			o := isa.Do(vec.SubLong, p[i], e[i])
			sum := func(v, before Op, rest Register) Op {
				shifted := isa.ShiftIn(v.(Register), before, 1)
				isa.DoTo(vec.AddLong, shifted, rest, shifted)
				isa.ToFloat(shifted)
				return keeper.keep(shifted)
			}
			even[i][k] = sum(p[i], pairs[i][k], e[i])
			odd[i][k] = sum(o, seconds[i][k], p[i])
			replace(isa, pairs[i][k], p[i])
			replace(isa, seconds[i][k], o)
		}
	}
	isa.Store(lower[0], before[0])
	isa.Store(lower[1], before[1])
	responder.emit(interleave, out[:], even[:], odd[:])
	ADDQ(U8(isa.Bytes/2), x)
	ADDQ(U32(8*isa.Bytes), state)
	DECQ(blocks)
	JNE(LabelRef("block"))
	ADDQ(U8(24), spans)
	DECQ(left)
	JNE(LabelRef("span"))
	isa.End()
}
