package pairs

import (
	"cmp"
	"fmt"
	"log"
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
	numbers   *numbers
	steps     []step
	constants []*constant
	odd       neon.R // points 8 bytes beyond the argument
	found     neon.R // 32 bits for each bit of the mask
	bits      neon.R // of the group: those of even pairs in one half, and of odd ones in the other

	// Of the pairs that the function is at.
	part int
	mask *value
	next string

	// Of floats.
	kept, most int // vectors that are kept, and for which there is room
	buffer     int // the offset of that in the argument
	puts       []put
	at         neon.R // a place in a table
	vector     neon.R // the argument, as far behind its beginning as the vector in a group
	own        neon.R // the bits of the vector
}

// A put is a slice that is stored to.
type put struct {
	field string
	base  neon.R // points to the group
}

// A slot makes the place of a vector that is kept an operand.
type slot struct{ neon.Mem }

func (s slot) Asm() string { return s.String() }

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

// NewNEON begins the function of that name, which computes with doubles.
func NewNEON(a *neon.Assembler, name string) *Kernel { return newNEON(a, name, doubles) }

// NewFloatNEON begins the function of that name, which computes with floats. Its machine is a
// [Floats].
func NewFloatNEON(a *neon.Assembler, name string) *Kernel { return newNEON(a, name, floats) }

func newNEON(a *neon.Assembler, name string, n *numbers) *Kernel {
	f := &arm64{Function: neon.Function{Assembler: a}, numbers: n}
	f.Begin(name)
	return &Kernel{Machine: f, R: gotypes.NewComponent(f.Argument.Type(), Mem{}), numbers: n}
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

func (f *arm64) Groups(fields []string, kept int, body func(p []Op)) {
	var points []neon.R
	for _, field := range fields {
		points = append(points, f.Function.Field(field))
	}
	var masks neon.R
	told := hasMasks(gotypes.NewComponent(f.Argument.Type(), Mem{}))
	if told {
		masks = f.Function.Field("masks")
	}
	i, n := f.Function.Field("begin"), f.Function.Field("end")
	f.CMP(n, i)
	f.BGE("done")
	shift := 3
	if f.numbers == floats {
		shift = 2
	}
	for _, p := range points {
		f.ADD(i.LSL(shift), p)
	}
	if told {
		f.ADD(i.LSR(3), masks)
	}
	f.SUB(i, n)
	f.odd, f.found, f.bits = f.R(), f.R(), f.R()
	if f.numbers == floats {
		f.at, f.vector, f.own = f.R(), f.R(), f.R()
	}
	f.ADD(neon.Imm(8), f.Run, f.odd)
	f.most = kept

	vectors := groupBytes / neon.Bytes
	if f.numbers == floats {
		vectors = 1 // in a loop
	}
	for f.part = range vectors {
		f.mask, f.next, f.kept = nil, fmt.Sprintf("next%d", f.part), 0
		var p []Op
		for _, base := range points {
			p = append(p, f.record(func(to neon.V) { f.FMOVQ(base.Post(neon.Bytes), to) }))
		}
		body(p)
		next := f.next
		f.then(func() { f.Label(next) })
	}
	for k := range f.puts {
		f.ADD(i.LSL(shift), f.puts[k].base)
	}
	f.place()

	f.Function.Comment("The next group of pairs.")
	f.Loop("group")
	if told {
		f.MOVD(neon.Imm(0), f.bits)
	}
	switch {
	case f.numbers == floats:
		f.eachVector()
		f.MOVH(f.bits, masks.Post(2))
	case !told:
		f.walk(true)
	default:
		f.walk(true)
		f.LSR(neon.Imm(32), f.bits, f.found)
		f.AND(neon.Bits(0x5555555555555555), f.bits)
		f.AND(neon.Bits(0xaaaaaaaaaaaaaaaa), f.found)
		f.ORR(f.found, f.bits)
		f.MOVB(f.bits, masks.Post(1))
	}
	f.Repeat("group", n, f.numbers.lanes())
	f.Label("done")
	f.RET()
}

// eachVector emits what is done with the vectors of a group of floats, in a loop, and leaves the bits of
// the mask in order.
func (f *arm64) eachVector() {
	f.MOVD(f.Run, f.vector)
	f.MOVD(neon.Bits(0x0008000400020001), f.own)
	f.Label("vector")
	f.walk(true)
	for _, p := range f.puts {
		f.ADD(neon.Imm(neon.Bytes), p.base)
	}
	f.ADD(neon.Imm(neon.Bytes), f.vector)
	f.LSL(neon.Imm(neon.Bytes/floats.bytes), f.own)
	f.SUB(f.Run, f.vector, f.found)
	f.CMP(neon.Imm(groupBytes), f.found)
	f.BNE("vector")
	for _, bits := range []neon.Imm{32, 16} {
		f.LSR(bits, f.bits, f.found)
		f.ORR(f.found, f.bits)
	}
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
			bits, lanes := math.Float64bits(c.number), neon.D2
			if f.numbers == floats {
				bits, lanes = uint64(math.Float32bits(float32(c.number))), neon.S4
			}
			f.MOVD(neon.Bits(bits), f.found)
			f.VDUP(lanes, f.found, c.v)
		} else {
			lanes := neon.D2
			if f.numbers == floats {
				lanes = neon.S4
			}
			f.ADD(neon.Imm(c.offset), f.Run, f.found)
			f.VLD1R(lanes, f.found.At(0), c.v)
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
	m := f.compare(p, x, y)
	if f.mask != nil {
		m = f.do(op.And, f.mask, m)
	}
	f.mask = m
}

// compare returns a mask.
func (f *arm64) compare(p Predicate, x, y Op) *value {
	greater, notLess := op.GreaterDouble, op.NotLessDouble
	if f.numbers == floats {
		greater, notLess = op.GreaterFloat, op.NotLessFloat
	}
	o := greater
	switch p {
	case Less:
		x, y = y, x
	case AtMost:
		x, y, o = y, x, notLess
	}
	return f.do(o, x.(*value), y.(*value))
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
	mask, next, lanes := f.mask, f.next, neon.S4
	if f.numbers == floats {
		lanes = neon.H8
	}
	halves := f.record(func(to neon.V) { f.VUZP1(lanes, mask.V, mask.V, to) }, mask)
	f.then(func() {
		f.FMOVD(halves.V, f.found)
		f.CBZ(f.found, next)
	}, halves)
}

func (f *arm64) Found() {
	f.Leave()
	own := neon.Bits(0x300000003 << (2 * f.part))
	f.then(func() {
		if f.numbers == floats {
			f.AND(f.own, f.found)
		} else {
			f.AND(own, f.found)
		}
		f.ORR(f.found, f.bits)
	})
}

func (f *arm64) keepIn(buffer Component) { f.buffer = Address(buffer.Index(0)).Disp }

func (f *arm64) Keep(v Op) Op {
	if f.numbers != floats {
		return v
	}
	if f.kept == f.most {
		log.Fatal("too many vectors are kept")
	}
	m := f.Run.At(f.buffer + f.kept*neon.Bytes)
	f.kept++
	from := v.(*value)
	f.then(func() { f.FMOVQ(from.V, m) }, from)
	return slot{m}
}

func (f *arm64) Kept(v Op) Op {
	if s, ok := v.(slot); ok {
		return f.record(func(to neon.V) { f.FMOVQ(s.Mem, to) })
	}
	return v
}

func (f *arm64) Only(v Op) Op { return f.Do(op.And, f.mask, f.Kept(v)) }

func (f *arm64) unary(u neon.Unary, v Op) Op {
	from := v.(*value)
	return f.record(func(to neon.V) { f.ChangeTo(u, from.V, to) }, from)
}

func (f *arm64) Floor(v Op) Op { return f.unary(neon.FloorFloat, v) }

func (f *arm64) Sqrt(v Op) Op {
	if f.numbers == floats {
		return f.unary(neon.Sqrt, v)
	}
	return f.unary(neon.SqrtDouble, v)
}

func (f *arm64) Mask(p Predicate, x, y Op) Op { return f.compare(p, x, y) }
func (f *arm64) Masked(mask, v Op) Op         { return f.Do(op.And, mask, v) }

func (f *arm64) Gather(table Component, at Op) Op {
	index := f.Do(op.And, f.mask, f.unary(neon.Truncate, at)).(*value)
	offset := neon.Imm(Address(table.Index(0)).Disp)
	return f.record(func(to neon.V) {
		for lane := range neon.Bytes / floats.bytes {
			f.VMOVElement(index.Element(neon.S4, lane), f.at)
			f.ADD(f.at.LSL(2), f.Run, f.at)
			f.ADD(offset, f.at)
			f.VLD1(f.at.At(0), to.Element(neon.S4, lane))
		}
	}, index)
}

func (f *arm64) Bit(numbers Op, i int) Op {
	v := numbers.(*value)
	if i > 0 {
		from := v
		v = f.record(func(to neon.V) { f.VUSHR(neon.S4, i, from.V, to) }, from)
	}
	return f.unary(neon.ToFloat, f.Do(op.And, v, f.Number(integerOne())))
}

func (f *arm64) Put(field string, v Op) {
	k := slices.IndexFunc(f.puts, func(p put) bool { return p.field == field })
	if k < 0 {
		k = len(f.puts)
		f.puts = append(f.puts, put{field, f.Function.Field(field)})
	}
	from, m := v.(*value), f.puts[k].base.At(0)
	f.then(func() { f.FMOVQ(from.V, m) }, from)
}

func (f *arm64) Accumulate(array Component, v Op) {
	offset := Address(array.Index(0)).Disp + f.part*neon.Bytes
	// Instructions have room for multiples of 16 only.
	m := f.Run.At(offset)
	if f.numbers == floats {
		m = f.vector.At(offset)
	} else if offset%neon.Bytes != 0 {
		m = f.odd.At(offset - 8)
	}
	before := f.record(func(to neon.V) { f.FMOVQ(m, to) })
	sum := f.do(f.numbers.add, v.(*value), before)
	f.then(func() { f.FMOVQ(sum.V, m) }, sum)
}
