package pairs

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// An amd64 is a machine for AVX2 or AVX-512.
type amd64 struct {
	ISA
	r    Component
	zero Register

	// Of the pairs that the function is at.
	part  int      // the number of the vector in the group
	mask  Register // of inliers: with AVX2 a vector, and otherwise of a bit for each
	bits  Register // of the group
	next  string   // the label of what follows
	stack Mem
	kept  int // how many vectors are on the stack
}

// NewKernel begins the function of that name.
func NewKernel(isa ISA, name string) *Kernel {
	r := Func(name + isa.Name)
	return &Kernel{Machine: &amd64{ISA: isa, r: r, zero: isa.Zero()}, R: r}
}

func (f *amd64) Groups(fields [4]string, kept int, body func(p [4]Op)) {
	var points [4]Register
	for i, field := range fields {
		points[i] = Load(f.r.Field(field).Base(), GP64())
	}
	masks := Load(f.r.Field("masks").Base(), GP64())
	i, end := Load(f.r.Field("begin"), GP64()), Load(f.r.Field("end"), GP64())
	CMPQ(i, end)
	JGE(LabelRef("done"))
	if kept > 0 && f.ISA == AVX2 {
		f.stack = AllocLocal(kept * f.Bytes)
	}

	Comment("The next group of pairs.")
	Align()
	Label("group")
	f.bits = GP32()
	XORL(f.bits, f.bits)
	for f.part = range Lanes * 8 / f.Bytes {
		f.kept, f.mask = 0, nil
		f.next = fmt.Sprintf("next%d", f.part)
		var p [4]Op
		for k, base := range points {
			p[k] = f.Load(Mem{Base: base, Index: i, Scale: 8, Disp: f.part * f.Bytes})
		}
		body(p)
		Label(f.next)
	}
	index := GP64()
	MOVQ(i, index)
	SHRQ(U8(3), index)
	MOVB(f.bits.(GPVirtual).As8(), Mem{Base: masks, Index: index, Scale: 1})
	ADDQ(U8(Lanes), i)
	CMPQ(i, end)
	JLT(LabelRef("group"))
	Label("done")
	f.End()
}

func (f *amd64) Comment(lines ...string) { Comment(lines...) }

func (f *amd64) Do(o op.Binary, x, y Op) Op { return f.ISA.Do(o, x, y) }

var numbers = map[string]Mem{}

func (f *amd64) Number(name string, v float64) Op {
	m, ok := numbers[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		DATA(0, F64(v))
		numbers[name] = m
	}
	return f.broadcast(m)
}

func (f *amd64) Field(c Component) Op { return f.broadcast(Address(c)) }

// broadcast returns a vector of the number at m.
func (f *amd64) broadcast(m Mem) Register {
	v := f.Vec()
	VBROADCASTSD(m, v)
	return v
}

func (f *amd64) Zero() Op { return f.zero }

func (f *amd64) Restrict(p Predicate, x, y Op) {
	switch {
	case f.ISA == AVX2:
		m := YMM()
		VCMPPD(U8(p), y, x, m)
		if f.mask != nil {
			VANDPD(f.mask, m, m)
		}
		f.mask = m
	case f.mask == nil:
		f.mask = K()
		VCMPPD(U8(p), y, x, f.mask)
	default:
		m := K()
		VCMPPD(U8(p), y, x, f.mask, m)
		f.mask = m
	}
}

func (f *amd64) Either(first, second func()) {
	before := f.mask
	first()
	one := f.mask
	f.mask = before
	second()
	if f.ISA == AVX2 {
		VORPD(one, f.mask, f.mask)
	} else {
		KORB(one, f.mask, f.mask)
	}
}

func (f *amd64) Leave() { f.found() }

// found leaves the vector if no pair is in the mask, and returns the mask's bits.
func (f *amd64) found() Register {
	bits := GP32()
	if f.ISA == AVX2 {
		VMOVMSKPD(f.mask, bits)
	} else {
		KMOVB(f.mask, bits)
	}
	TESTL(bits, bits)
	JEQ(LabelRef(f.next))
	return bits
}

func (f *amd64) Found() {
	found := f.found()
	if f.part > 0 {
		SHLL(U8(f.part*f.Bytes/8), found)
	}
	ORL(found, f.bits)
}

func (f *amd64) Accumulate(array Component, v Op) {
	m := Address(array.Index(0)).Offset(f.part * f.Bytes)
	if f.ISA == AVX2 {
		f.Move(f.Do(op.AddDouble, v, m), m)
		return
	}
	sum := f.Load(m)
	VADDPD(v, sum, f.mask, sum)
	f.Store(sum, m)
}

func (f *amd64) Keep(v Op) Op {
	if f.ISA != AVX2 {
		return v
	}
	m := f.stack.Offset(f.kept * f.Bytes)
	f.kept++
	f.Move(v, m)
	return m
}

func (f *amd64) Kept(v Op) Op { return f.Register(v) }

func (f *amd64) Only(v Op) Op {
	if f.ISA != AVX2 {
		return v
	}
	w := YMM()
	VANDPD(v, f.mask, w)
	return w
}
