// Package response emits how elements of structure tensors become responses: what the
// generators for packages harris, lococo and internal/tensor share.
package response

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A Measure emits the response of the elements of structure tensors: a and b are
// those of the squared gradients, c is that of their products. It may change them. The
// constants are vectors in memory. No operation is fused: each is rounded.
type Measure func(isa vec.ISA, a, b, c Register, constants [2]Mem) Register

// measures are numbered as in package harris.
var measures = []Measure{
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

// A Responder emits how sums over windows become responses.
type Responder struct {
	isa       vec.ISA
	number    Register // of the measure
	Constants [2]Mem
}

// NewResponder loads the fields of a run.
func NewResponder(isa vec.ISA, r gotypes.Component) Responder {
	p := Responder{isa: isa, number: Load(r.Field("measure"), GP64())}
	for i := range p.Constants {
		p.Constants[i] = vec.Address(r.Field("constants").Index(i).Index(0))
	}
	return p
}

// Choose emits what is to be done for each measure.
func (p *Responder) Choose(emit func(m Measure)) {
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

// Emit emits the responses of rows, for the sums of even and of odd columns, as
// floats.
func (p *Responder) Emit(interleave func(even, odd Register) (low, high Register), out []Register, even, odd [][3]Op) {
	p.Choose(func(m Measure) {
		for i := range out {
			value := func(v [3]Op) Register {
				var sums [3]Register
				for k, op := range v {
					sums[k] = p.isa.Vec()
					p.isa.Move(op, sums[k])
				}
				return m(p.isa, sums[0], sums[1], sums[2], p.Constants)
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

// A Keeper keeps vectors: in registers with AVX-512, which has enough of them, and
// otherwise in memory.
type Keeper struct {
	isa  vec.ISA
	room Mem
}

// NewKeeper returns a Keeper with room in memory.
func NewKeeper(isa vec.ISA, room Mem) *Keeper {
	return &Keeper{isa, room}
}

// Keep returns v, or the place in memory where it is.
func (k *Keeper) Keep(v Register) Op {
	if k.isa == vec.AVX512 {
		return v
	}
	m := k.room
	k.room = m.Offset(k.isa.Bytes)
	k.isa.Store(v, m)
	return m
}

// Replace makes v the value of what Keep has returned.
func Replace(isa vec.ISA, kept Op, v Register) {
	if m, ok := kept.(Mem); ok {
		isa.Store(v, m)
	} else {
		VMOVDQA64(v, kept)
	}
}
