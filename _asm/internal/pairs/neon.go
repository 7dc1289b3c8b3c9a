package pairs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	"github.com/mmcloughlin/avo/gotypes"
)

// An arm64 is a machine for NEON. What is done with the pairs is recorded as steps, which are
// emitted when it is known how many registers they leave for numbers that are the same for all
// pairs.
type arm64 struct {
	neon.Function
	steps     []step
	constants []*constant
	odd       neon.R // points 8 bytes beyond the argument
	found     neon.R // 32 bits for each bit of the mask
	bits      neon.R // of the group: those of even pairs in one half, and of odd ones in the other

	// Of the pairs that the function is at.
	part int
	mask *value
	next string
}

// A value is a vector in a register.
type value struct {
	neon.V
	uses     int       // by steps that have not been emitted
	constant *constant // that it is a copy of, or nil
}

// Asm makes a value an operand.
func (v *value) Asm() string { return v.String() }

// fixed reports whether v has its register for the whole loop.
func (v *value) fixed() bool { return v.constant != nil && v.constant.fixed }

// A constant is a number that is the same for all pairs: a field of the argument, if name is
// empty.
type constant struct {
	name   string
	offset int // of the field
	number float64
	uses   int

	fixed bool // in a register, v, during the loop, and otherwise in memory
	v     neon.V
	m     neon.Mem
}

// A step emits what makes a value of others.
type step struct {
	from []*value
	to   *value // or nil
	emit func()
}

// NewNEON begins the function of that name.
func NewNEON(a *neon.Assembler, name string) *Kernel {
	f := &arm64{Function: neon.Function{Assembler: a}}
	f.Begin(name)
	return &Kernel{Machine: f, R: gotypes.NewComponent(f.Argument.Type(), Mem{})}
}

// record adds a step with a result.
func (f *arm64) record(emit func(to neon.V), from ...*value) *value {
	to := &value{}
	f.steps = append(f.steps, step{from, to, func() { emit(to.V) }})
	return to
}

// then adds a step without a result.
func (f *arm64) then(emit func(), from ...*value) {
	f.steps = append(f.steps, step{from, nil, emit})
}

// walk goes through the steps, takes registers and gives them back where values are no longer
// needed. If emit is set, it emits the steps. It returns the most registers that were in use.
func (f *arm64) walk(emit bool) int {
	for _, s := range f.steps {
		for _, v := range s.from {
			v.uses++
		}
	}
	used, most := 0, 0
	for _, s := range f.steps {
		for _, v := range s.from {
			v.uses--
			if v.uses == 0 && !v.fixed() {
				f.FreeV(v.V)
				used--
			}
		}
		if s.to != nil && s.to.fixed() {
			s.to.V = s.to.constant.v
			continue
		}
		if s.to != nil {
			s.to.V = f.V()
			used++
			most = max(most, used)
		}
		if emit {
			s.emit()
		}
	}
	return most
}

func (f *arm64) Groups(fields [4]string, _ int, body func(p [4]Op)) {
	var points [4]neon.R
	for i, field := range fields {
		points[i] = f.Function.Field(field)
	}
	masks, i, n := f.Function.Field("masks"), f.Function.Field("begin"), f.Function.Field("end")
	f.CMP(n, i)
	f.BGE("done")
	for _, p := range points {
		f.ADD(i.LSL(3), p)
	}
	f.ADD(i.LSR(3), masks)
	f.SUB(i, n)
	f.odd, f.found, f.bits = f.R(), f.R(), f.R()
	f.ADD(neon.Imm(8), f.Run, f.odd)

	for f.part = range Lanes / 2 {
		f.mask, f.next = nil, fmt.Sprintf("next%d", f.part)
		var p [4]Op
		for k, base := range points {
			p[k] = f.record(func(to neon.V) { f.FMOVQ(base.Post(neon.Bytes), to) })
		}
		body(p)
		next := f.next
		f.then(func() { f.Label(next) })
	}
	f.place()

	f.Function.Comment("The next group of pairs.")
	f.Loop("group")
	f.MOVD(neon.Imm(0), f.bits)
	f.walk(true)
	f.LSR(neon.Imm(32), f.bits, f.found)
	f.AND(neon.Bits(0x5555555555555555), f.bits)
	f.AND(neon.Bits(0xaaaaaaaaaaaaaaaa), f.found)
	f.ORR(f.found, f.bits)
	f.MOVB(f.bits, masks.Post(1))
	f.Repeat("group", n, Lanes)
	f.Label("done")
	f.RET()
}

// place emits what puts the constants in their places: those that are used most into the
// registers that the steps leave.
func (f *arm64) place() {
	slices.SortStableFunc(f.constants, func(c, d *constant) int { return cmp.Compare(d.uses, c.uses) })
	count := min(len(f.constants), 32-f.walk(false))
	var stack neon.R
	if count < len(f.constants) {
		stack = f.Stack(len(f.constants) - count)
	}
	f.Function.Comment("The numbers that are the same for all pairs.")
	for i, c := range f.constants {
		c.v = f.V()
		if c.name != "" {
			f.MOVD(neon.Bits(math.Float64bits(c.number)), f.found)
			f.VDUP(neon.D2, f.found, c.v)
		} else {
			f.ADD(neon.Imm(c.offset), f.Run, f.found)
			f.VLD1R(neon.D2, f.found.At(0), c.v)
		}
		c.fixed = i < count
		if !c.fixed {
			c.m = stack.At((i - count) * neon.Bytes)
			f.FMOVQ(c.v, c.m)
			f.FreeV(c.v)
		}
	}
}

func (f *arm64) Comment(lines ...string) {
	f.then(func() { f.Function.Comment(lines...) })
}

func (f *arm64) Do(o op.Binary, x, y Op) Op { return f.do(o, x.(*value), y.(*value)) }

// do is Do for values.
func (f *arm64) do(o op.Binary, x, y *value) *value {
	return f.record(func(to neon.V) { f.DoTo(o, x.V, y.V, to) }, x, y)
}

func (f *arm64) Number(name string, v float64) Op { return f.use(constant{name: name, number: v}) }
func (f *arm64) Field(c Component) Op             { return f.use(constant{offset: Address(c).Disp}) }
func (f *arm64) Zero() Op                         { return f.Number("zero", 0) }

// use returns a constant that may have been used before.
func (f *arm64) use(c constant) *value {
	i := slices.IndexFunc(f.constants, func(d *constant) bool { return d.name == c.name && d.offset == c.offset })
	if i < 0 {
		i = len(f.constants)
		f.constants = append(f.constants, &c)
	}
	used := f.constants[i]
	used.uses++
	v := f.record(func(to neon.V) { f.FMOVQ(used.m, to) })
	v.constant = used
	return v
}

func (f *arm64) Restrict(p Predicate, x, y Op) {
	o := op.GreaterDouble
	switch p {
	case Less:
		x, y = y, x
	case AtMost:
		x, y, o = y, x, op.NotLessDouble
	}
	m := f.do(o, x.(*value), y.(*value))
	if f.mask != nil {
		m = f.do(op.And, f.mask, m)
	}
	f.mask = m
}

func (f *arm64) Either(first, second func()) {
	before := f.mask
	first()
	one := f.mask
	f.mask = before
	second()
	f.mask = f.do(op.Or, one, f.mask)
}

func (f *arm64) Leave() {
	mask, next := f.mask, f.next
	halves := f.record(func(to neon.V) { f.VUZP1(neon.S4, mask.V, mask.V, to) }, mask)
	f.then(func() {
		f.FMOVD(halves.V, f.found)
		f.CBZ(f.found, next)
	}, halves)
}

func (f *arm64) Found() {
	f.Leave()
	own := neon.Bits(0x300000003 << (2 * f.part))
	f.then(func() {
		f.AND(own, f.found)
		f.ORR(f.found, f.bits)
	})
}

func (f *arm64) Keep(v Op) Op { return v }
func (f *arm64) Kept(v Op) Op { return v }
func (f *arm64) Only(v Op) Op { return f.Do(op.And, f.mask, v) }

func (f *arm64) Accumulate(array Component, v Op) {
	offset := Address(array.Index(0)).Disp + f.part*neon.Bytes
	// Instructions have room for multiples of 16 only.
	m := f.Run.At(offset)
	if offset%neon.Bytes != 0 {
		m = f.odd.At(offset - 8)
	}
	before := f.record(func(to neon.V) { f.FMOVQ(m, to) })
	sum := f.do(op.AddDouble, v.(*value), before)
	f.then(func() { f.FMOVQ(sum.V, m) }, sum)
}
