// Package response emits the computation of responses from structure tensors, which the
// generators for packages harris and internal/tensor share.
package response

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A Responder emits the computation of responses for amd64.
type Responder struct {
	isa       ISA
	number    Register // of the measure
	constants [2]Op
}

// NewResponder loads the fields of the argument. The constants are in registers, or where the
// Keeper keeps them if there is one.
func NewResponder(isa ISA, r Component, k *Keeper) *Responder {
	p := &Responder{isa: isa, number: Load(r.Field("measure"), GP64())}
	for i := range p.constants {
		v := isa.BroadcastFloat(Address(r.Field("constants").Index(i)))
		p.constants[i] = v
		if k != nil {
			p.constants[i] = k.Keep(v)
		}
	}
	return p
}

func (p *Responder) Do(o op.Binary, x, y Op) Op     { return p.isa.Do(o, x, y) }
func (p *Responder) DoTo(o op.Binary, x, y, dst Op) { p.isa.DoTo(o, x, y, dst.(Register)) }
func (p *Responder) Sqrt(x Op)                      { p.isa.Sqrt(x.(Register)) }
func (p *Responder) Constant(i int) Op              { return p.isa.Operand(p.constants[i]) }
func (p *Responder) Jump(label string)              { JMP(LabelRef(label)) }
func (p *Responder) Label(name string)              { Label(name) }
func (p *Responder) Unless(number int, label string) {
	CMPQ(p.number, U8(number))
	JNE(LabelRef(label))
}

// Store emits code that stores the responses of structure tensors, for each measure. It
// leaves the elements unchanged.
func (p *Responder) Store(elements [3]Op, out Mem) {
	Choose(p, func(m Measure[Op]) { p.isa.Store(p.respond(m, elements), out) })
}

// respond returns responses. It leaves the elements unchanged.
func (p *Responder) respond(m Measure[Op], elements [3]Op) Register {
	var v [3]Register
	for k, op := range elements {
		v[k] = p.isa.Vec()
		p.isa.Move(op, v[k])
	}
	return m(v[0], v[1], v[2]).(Register)
}

// Emit emits code that stores the responses of rows, whose structure tensors have even and
// odd columns apart.
func (p *Responder) Emit(interleave func(even, odd Register) (low, high Register), out []Register, even, odd [][3]Op) {
	Choose(p, func(m Measure[Op]) {
		for i := range out {
			low, high := interleave(p.respond(m, even[i]), p.respond(m, odd[i]))
			p.isa.Store(low, Mem{Base: out[i]})
			p.isa.Store(high, Mem{Base: out[i], Disp: p.isa.Bytes})
		}
	})
	for _, o := range out {
		ADDQ(U32(2*p.isa.Bytes), o)
	}
}

// Reuse emits code that stores the responses of structure tensors in registers, each with its even
// and its odd columns apart, for each measure. It overwrites the elements.
func (p *Responder) Reuse(elements [3][2]Register, store func(even, odd Register)) {
	Choose(p, func(m Measure[Op]) {
		var responses [2]Register
		for i := range responses {
			responses[i] = m(elements[0][i], elements[1][i], elements[2][i]).(Register)
		}
		store(responses[0], responses[1])
	})
}

// Spans are the registers of a loop over the spans of a run.
type Spans struct{ next, left Register }

// LoadSpans loads the spans of a run.
func LoadSpans(r Component) Spans {
	spans := r.Field("spans")
	return Spans{Load(spans.Base(), GP64()), Load(spans.Len(), GP64())}
}

// EachBlock emits a loop over the blocks of all spans. block emits what is done with one,
// whose responses belong in rows at out, and advances these.
func (s Spans) EachBlock(rows int, block func(out []Register)) {
	Label("span")
	span, size := Element("spans", s.next)
	out := make([]Register, rows)
	for i := range out {
		out[i] = Pointer(span, "Out", i)
	}
	blocks := Load(span.Field("Blocks"), GP64())
	Align()
	Label("block")
	block(out)
	DECQ(blocks)
	JNE(LabelRef("block"))
	ADDQ(U8(size), s.next)
	DECQ(s.left)
	JNE(LabelRef("span"))
}

// A Keeper keeps vectors, in registers with AVX-512, which has enough of them, and otherwise in
// memory that the field room points to.
type Keeper struct {
	isa  ISA
	room Mem
}

// NewKeeper loads the field room of the argument if it is needed.
func NewKeeper(isa ISA, r Component) *Keeper {
	k := &Keeper{isa: isa}
	if isa != AVX512 {
		k.room.Base = Load(r.Field("room"), GP64())
	}
	return k
}

// Keep returns v, or the place in memory where it is.
func (k *Keeper) Keep(v Register) Op {
	if k.isa == AVX512 {
		return v
	}
	m := k.room
	k.room = m.Offset(k.isa.Bytes)
	k.isa.Store(v, m)
	return m
}

// Replace replaces a vector that Keep has returned by v.
func Replace(isa ISA, kept Op, v Register) {
	if m, ok := kept.(Mem); ok {
		isa.Store(v, m)
	} else {
		VMOVDQA64(v, kept)
	}
}
