package pairs

import (
	"fmt"
	"log"
	"slices"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// An amd64 is a machine for AVX2 or AVX-512.
type amd64 struct {
	ISA
	numbers *numbers
	r       Component
	zero    Register

	// Of the pairs that the function is at.
	part   int      // the number of the vector in the group
	second Register // with two vectors of floats, in turn: 0, or the size of a vector
	mask   Register // of inliers: with AVX2 a vector, and otherwise of a bit for each
	bits   Register // of the group
	next   string   // the label of what follows
	i      Register // the first pair of the group
	stack  Mem
	kept   int // how many vectors are on the stack,
	most   int // which has room for these

	// Of Collect.
	products *Products
	buffer   Register   // aligned
	slots    []Register // the ends of what is collected, for each vector of a group
}

// NewKernel begins the function of that name, which computes with doubles.
func NewKernel(isa ISA, name string) *Kernel { return newKernel(isa, name, doubles) }

// NewFloatKernel begins the function of that name, which computes with floats. Its machine is a
// [Floats].
func NewFloatKernel(isa ISA, name string) *Kernel { return newKernel(isa, name, floats) }

func newKernel(isa ISA, name string, n *numbers) *Kernel {
	r := Func(name + isa.Name)
	return &Kernel{Machine: &amd64{ISA: isa, numbers: n, r: r, zero: isa.Zero()}, R: r, numbers: n}
}

func (f *amd64) Groups(fields []string, kept int, body func(p []Op)) {
	var points []Register
	for _, field := range fields {
		points = append(points, Load(f.r.Field(field).Base(), GP64()))
	}
	var masks Register
	if hasMasks(f.r) {
		masks = Load(f.r.Field("masks").Base(), GP64())
	}
	i, end := Load(f.r.Field("begin"), GP64()), Load(f.r.Field("end"), GP64())
	CMPQ(i, end)
	JGE(LabelRef("done"))
	f.i = i
	switch {
	case f.numbers == floats:
		f.stack = f.slot(len(f.slots))
	case kept > 0 && f.ISA == AVX2:
		f.stack = AllocLocal(kept * f.Bytes)
	}
	f.most = kept

	for part := range f.slots {
		LEAQ(f.slot(part), f.slots[part])
	}
	Comment("The next group of pairs.")
	Align()
	Label("group")
	f.bits = GP32()
	if f.numbers == floats {
		f.eachVector(masks, points, body)
	} else {
		if masks != nil {
			XORL(f.bits, f.bits)
		}
		for f.part = range groupBytes / f.Bytes {
			f.vector(points, body)
		}
		if masks != nil {
			MOVB(f.bits.(GPVirtual).As8(), f.maskAt(masks))
		}
		ADDQ(U8(Lanes), i)
	}
	if f.products != nil {
		CMPQ(i, end)
		JGE(LabelRef("sums"))
		for part, slot := range f.slots {
			full := GP64()
			LEAQ(f.slot(part).Offset(Slots*f.slotSize()), full)
			CMPQ(slot, full)
			JEQ(LabelRef("sums"))
		}
		JMP(LabelRef("group"))
		f.addCollected()
	}
	CMPQ(i, end)
	JLT(LabelRef("group"))
	Label("done")
	f.End()
}

// eachVector emits what is done with the one or two vectors of floats of a group, in a loop.
func (f *amd64) eachVector(masks Register, points []Register, body func(p []Op)) {
	two := f.ISA == AVX2
	if two {
		f.second = GP64()
		XORQ(f.second, f.second)
		Label("vector")
	}
	XORL(f.bits, f.bits)
	f.vector(points, body)
	if m, bits := f.maskAt(masks), f.bits.(GPVirtual); two {
		MOVB(bits.As8(), m)
	} else {
		MOVW(bits.As16(), m)
	}
	ADDQ(U8(f.Bytes/f.numbers.bytes), f.i)
	if two {
		XCHGQ(f.slots[0], f.slots[1])
		XORQ(U8(f.Bytes), f.second)
		JNE(LabelRef("vector"))
	}
}

// maskAt returns where the bits of the pairs are.
func (f *amd64) maskAt(masks Register) Mem {
	index := GP64()
	MOVQ(f.i, index)
	SHRQ(U8(3), index)
	return Mem{Base: masks, Index: index, Scale: 1}
}

// vector emits what is done with a vector of the group.
func (f *amd64) vector(points []Register, body func(p []Op)) {
	f.kept, f.mask = 0, nil
	f.next = fmt.Sprintf("next%d", f.part)
	var p []Op
	for _, base := range points {
		p = append(p, f.Load(f.pairs(base)))
	}
	body(p)
	Label(f.next)
}

// lanes returns where the lanes of the vector are in an array of the lanes of numbers.
func (f *amd64) lanes(array Component) Mem {
	m := Address(array.Index(0)).Offset(f.part * f.Bytes)
	if f.second != nil {
		m = m.Idx(f.second, 1)
	}
	return m
}

// pairs returns where a number of the pairs is in a slice with that base.
func (f *amd64) pairs(base Register) Mem {
	return Mem{Base: base, Index: f.i, Scale: uint8(f.numbers.bytes), Disp: f.part * f.Bytes}
}

func (f *amd64) collect(buffer Component, p *Products) {
	f.products, f.buffer = p, GP64()
	LEAQ(Address(buffer.Index(0)).Offset(alignment-1), f.buffer)
	ANDQ(I8(-alignment), f.buffer)
	for range groupBytes / f.Bytes {
		f.slots = append(f.slots, GP64())
	}
}

// alignment is that of what is collected: to cache lines.
const alignment = 64

// slotSize returns the number of bytes of what is collected of a vector.
func (f *amd64) slotSize() int { return (1 + f.products.Factors) * f.Bytes }

// slot returns where the first one of a vector of a group is.
func (f *amd64) slot(part int) Mem {
	return Mem{Base: f.buffer, Disp: part * Slots * f.slotSize()}
}

func (f *amd64) collected(values []Op) {
	slot := f.slots[f.part]
	for i, v := range values {
		to := Mem{Base: slot, Disp: i * f.Bytes}
		if i > 0 && f.products.Finite {
			f.Move(f.Register(v), to)
		} else {
			f.Move(f.masked(f.mask, v), to)
		}
	}
	ADDQ(I32(f.slotSize()), slot)
}

// addCollected emits what adds all that was collected to the sums, in the order of the groups. A part
// of the sums is in registers at a time.
func (f *amd64) addCollected() {
	Comment("The sums of what was collected.")
	Label("sums")
	most := 12 // besides the weight and two products
	if f.ISA != AVX2 {
		most = 28
	}
	for part, end := range f.slots {
		next := fmt.Sprintf("summed%d", part)
		slot := GP64()
		LEAQ(f.slot(part), slot)
		CMPQ(slot, end)
		JEQ(LabelRef(next))
		rows, first := f.products.rows(), 0
		for i := 0; i < len(rows); {
			// As many rows as registers hold, or a part of one.
			if long := rows[i]; len(long.others) > most {
				rows = slices.Insert(rows, i, row{long.own, long.others[:most]})
				rows[i+1].others = long.others[most:]
			}
			count, n := 0, 0
			for i+n < len(rows) && count+len(rows[i+n].others) <= most {
				count += len(rows[i+n].others)
				n++
			}
			f.addRows(fmt.Sprintf("rows%d_%d", part, i), part, slot, rows[i:i+n], first)
			i, first = i+n, first+count
		}
		LEAQ(f.slot(part), end)
		Label(next)
	}
}

// addRows emits a loop that adds to the sums of some rows. first is the number of the first sum.
func (f *amd64) addRows(label string, part int, slot Register, rows []row, first int) {
	at := func(value int) Mem { return Mem{Base: slot, Disp: value * f.Bytes} }
	var sums []Register
	sum := func(k int) Mem { return Address(f.products.Sums.Index(first + k).Index(0)).Offset(part * f.Bytes) }
	for _, row := range rows {
		for range row.others {
			sums = append(sums, f.Load(sum(len(sums))))
		}
	}
	LEAQ(f.slot(part), slot)
	Align()
	Label(label)
	weight := Op(f.Load(at(0)))
	k := 0
	for _, row := range rows {
		weighted := weight
		if row.own >= 0 {
			weighted = f.Do(f.numbers.mul, weight, at(1+row.own))
		}
		for _, factor := range row.others {
			product := weighted
			if factor >= 0 {
				product = f.Do(f.numbers.mul, weighted, at(1+factor))
			}
			f.DoTo(f.numbers.add, sums[k], product, sums[k])
			k++
		}
	}
	ADDQ(I32(f.slotSize()), slot)
	CMPQ(slot, f.slots[part])
	JLT(LabelRef(label))
	for k, v := range sums {
		f.Move(v, sum(k))
	}
}

func (f *amd64) Comment(lines ...string) { Comment(lines...) }

func (f *amd64) Do(o op.Binary, x, y Op) Op { return f.ISA.Do(o, x, y) }

// numbered has the places of numbers by their names.
var numbered = map[string]Mem{}

func (f *amd64) Number(name string, v float64) Op {
	m, ok := numbered[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		if f.numbers == floats {
			DATA(0, F32(v))
		} else {
			DATA(0, F64(v))
		}
		numbered[name] = m
	}
	return f.broadcast(m)
}

func (f *amd64) Field(c Component) Op { return f.broadcast(Address(c)) }

// broadcast returns a vector of the number at m.
func (f *amd64) broadcast(m Mem) Register {
	v := f.Vec()
	if f.numbers == floats {
		VBROADCASTSS(m, v)
	} else {
		VBROADCASTSD(m, v)
	}
	return v
}

func (f *amd64) Zero() Op { return f.zero }

func (f *amd64) Restrict(p Predicate, x, y Op) {
	switch {
	case f.mask == nil:
		f.mask = f.compare(p, x, y)
	case f.ISA == AVX2:
		m := f.compare(p, x, y)
		VANDPD(f.mask, m, m)
		f.mask = m
	default:
		m := K()
		f.choose(VCMPPD, VCMPPS)(U8(p), y, x, f.mask, m)
		f.mask = m
	}
}

// compare returns a mask.
func (f *amd64) compare(p Predicate, x, y Op) Register {
	var m Register = YMM()
	if f.ISA != AVX2 {
		m = K()
	}
	f.choose(VCMPPD, VCMPPS)(U8(p), y, x, m)
	return m
}

// choose returns the instruction for doubles or floats.
func (f *amd64) choose(double, float func(...Op)) func(...Op) {
	if f.numbers == floats {
		return float
	}
	return double
}

// masked returns v where the mask is, and 0 elsewhere.
func (f *amd64) masked(mask Register, v Op) VecVirtual {
	w := f.Vec()
	if f.ISA == AVX2 {
		VANDPD(v, mask, w)
	} else if f.numbers == floats {
		VMOVUPS_Z(v, mask, w)
	} else {
		VMOVUPD_Z(v, mask, w)
	}
	return w
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
	switch {
	case f.ISA != AVX2 && f.numbers == floats:
		KMOVW(f.mask, bits)
	case f.ISA != AVX2:
		KMOVB(f.mask, bits)
	case f.numbers == floats:
		VMOVMSKPS(f.mask, bits)
	default:
		VMOVMSKPD(f.mask, bits)
	}
	TESTL(bits, bits)
	JEQ(LabelRef(f.next))
	return bits
}

func (f *amd64) Found() {
	found := f.found()
	if f.part > 0 {
		SHLL(U8(f.part*f.Bytes/f.numbers.bytes), found)
	}
	ORL(found, f.bits)
}

func (f *amd64) Accumulate(array Component, v Op) {
	m := f.lanes(array)
	if f.ISA == AVX2 {
		f.Move(f.Do(f.numbers.add, v, m), m)
		return
	}
	sum := f.Load(m)
	f.choose(VADDPD, VADDPS)(v, sum, f.mask, sum)
	f.Store(sum, m)
}

func (f *amd64) Keep(v Op) Op {
	if f.ISA != AVX2 && f.numbers != floats {
		return v
	}
	if f.kept == f.most {
		log.Fatal("too many vectors are kept")
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
	return f.masked(f.mask, v)
}

func (f *amd64) Floor(v Op) Op {
	const down = 9 // without an exception for what is not whole
	w := f.Vec()
	if f.ISA == AVX2 {
		VROUNDPS(U8(down), v, w)
	} else {
		VRNDSCALEPS(U8(down), v, w)
	}
	return w
}

func (f *amd64) Sqrt(v Op) Op {
	w := f.Vec()
	f.choose(VSQRTPD, VSQRTPS)(v, w)
	return w
}

func (f *amd64) Mask(p Predicate, x, y Op) Op { return f.compare(p, x, y) }

func (f *amd64) Masked(mask, v Op) Op { return f.masked(mask.(Register), v) }

func (f *amd64) Gather(table Component, at Op) Op {
	base, index, v := GP64(), f.Vec(), f.ISA.Zero()
	LEAQ(Address(table.Index(0)), base)
	VCVTTPS2DQ(at, index)
	m := Mem{Base: base, Index: index, Scale: 4}
	if f.ISA == AVX2 {
		mask := f.Vec()
		VMOVDQU(f.mask, mask)
		VPGATHERDD(mask, m, v)
	} else {
		mask := K()
		KMOVW(f.mask, mask)
		VPGATHERDD(m, mask, v)
	}
	return v
}

func (f *amd64) Bit(numbers Op, i int) Op {
	v := f.Vec()
	VPSRLD(U8(i), numbers, v)
	f.DoTo(op.And, v, f.Number(integerOne()), v)
	VCVTDQ2PS(v, v)
	return v
}

func (f *amd64) Put(field string, v Op) {
	f.Move(v, f.pairs(Load(f.r.Field(field).Base(), GP64())))
}
