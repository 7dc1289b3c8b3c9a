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

	// Of Collect.
	products *Products
	buffer   Register   // aligned
	slots    []Register // the ends of what is collected, for each vector of a group
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

	for part := range f.slots {
		LEAQ(f.slot(part), f.slots[part])
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

func (f *amd64) collect(buffer Component, p *Products) {
	f.products, f.buffer = p, GP64()
	LEAQ(Address(buffer.Index(0)).Offset(alignment-1), f.buffer)
	ANDQ(I8(-alignment), f.buffer)
	for range Lanes * 8 / f.Bytes {
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
		w := f.Vec()
		if f.ISA == AVX2 {
			VANDPD(v, f.mask, w)
		} else {
			VMOVUPD_Z(v, f.mask, w)
		}
		f.Move(w, Mem{Base: slot, Disp: i * f.Bytes})
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
			// As many rows as registers hold.
			count, n := 0, 0
			for i+n < len(rows) && count+len(rows[i+n]) <= most {
				count += len(rows[i+n])
				n++
			}
			f.addRows(fmt.Sprintf("rows%d_%d", part, i), part, slot, i, rows[i:i+n], first)
			i, first = i+n, first+count
		}
		LEAQ(f.slot(part), end)
		Label(next)
	}
}

// addRows emits a loop that adds to the sums of some rows. i is the number of the first row, and first
// that of its first sum.
func (f *amd64) addRows(label string, part int, slot Register, i int, rows [][]int, first int) {
	at := func(value int) Mem { return Mem{Base: slot, Disp: value * f.Bytes} }
	var sums []Register
	sum := func(k int) Mem { return Address(f.products.Sums.Index(first + k).Index(0)).Offset(part * f.Bytes) }
	for _, row := range rows {
		for range row {
			sums = append(sums, f.Load(sum(len(sums))))
		}
	}
	LEAQ(f.slot(part), slot)
	Align()
	Label(label)
	weight := Op(f.Load(at(0)))
	k := 0
	for r, row := range rows {
		weighted := weight
		if i+r < f.products.Factors-1 {
			weighted = f.Do(op.MulDouble, weight, at(1+i+r))
		}
		for _, factor := range row {
			product := weighted
			if factor >= 0 {
				product = f.Do(op.MulDouble, weighted, at(1+factor))
			}
			f.DoTo(op.AddDouble, sums[k], product, sums[k])
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
