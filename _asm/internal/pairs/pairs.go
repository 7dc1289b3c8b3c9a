// Package pairs has what the kernels that find inliers among pairs of points share: a loop over
// groups of pairs, arithmetic on vectors of doubles, masks, and sums of each lane.
package pairs

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// Lanes is the number of pairs of a group.
const Lanes = 8

// A Predicate is one of VCMPPD, false if an operand is NaN.
type Predicate uint8

const (
	Less    Predicate = 0x11
	AtMost  Predicate = 0x12
	Greater Predicate = 0x1e
)

// A Kernel is one of the kernels. Its argument r points to a struct with the coordinates of
// the pairs, slices of a multiple of Lanes, with the first pair begin, with end, and with
// masks, which has a byte for each group.
type Kernel struct {
	ISA
	R    Component
	Zero Register

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
	return &Kernel{ISA: isa, R: Func(name + isa.Name), Zero: isa.Zero()}
}

// Groups emits the loop over the groups, and the end of the function. body emits what is done
// with a vector of pairs, the coordinates of which are in the given fields, and keeps up to
// kept vectors.
func (f *Kernel) Groups(fields [4]string, kept int, body func(p [4]Register)) {
	var points [4]Register
	for i, field := range fields {
		points[i] = Load(f.R.Field(field).Base(), GP64())
	}
	masks := Load(f.R.Field("masks").Base(), GP64())
	i, end := Load(f.R.Field("begin"), GP64()), Load(f.R.Field("end"), GP64())
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
		var p [4]Register
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

var numbers = map[string]Mem{}

// Number returns a number in memory, which has a name in the assembly.
func Number(name string, v float64) Mem {
	m, ok := numbers[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		DATA(0, F64(v))
		numbers[name] = m
	}
	return m
}

// Broadcast returns a vector of the number at m.
func (f *Kernel) Broadcast(m Mem) Register {
	v := f.Vec()
	VBROADCASTSD(m, v)
	return v
}

// Field returns a vector of a field.
func (f *Kernel) Field(c Component) Register { return f.Broadcast(Address(c)) }

func (f *Kernel) Add(x, y Op) Register { return f.Do(op.AddDouble, x, y) }
func (f *Kernel) Sub(x, y Op) Register { return f.Do(op.SubDouble, x, y) }
func (f *Kernel) Mul(x, y Op) Register { return f.Do(op.MulDouble, x, y) }
func (f *Kernel) Div(x, y Op) Register { return f.Do(op.DivDouble, x, y) }

// Squares returns x*x + y*y.
func (f *Kernel) Squares(x, y Register) Register { return f.Add(f.Mul(x, x), f.Mul(y, y)) }

// Row returns the product of a row of a matrix, elements of an array, and x, y, 1.
func (f *Kernel) Row(matrix Component, row [3]int, x, y Register) Register {
	return f.Add(f.Linear(matrix, row[0], row[1], x, y), f.Field(matrix.Index(row[2])))
}

// Linear returns the sum of the products of elements i and j of an array with x and y.
func (f *Kernel) Linear(array Component, i, j int, x, y Register) Register {
	return f.Add(f.Mul(f.Field(array.Index(i)), x), f.Mul(f.Field(array.Index(j)), y))
}

// Restrict removes the pairs from the mask for which a comparison of x and y is false.
func (f *Kernel) Restrict(p Predicate, x Register, y Op) {
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

// Either leaves the pairs in the mask that first or second leaves there.
func (f *Kernel) Either(first, second func()) {
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

// Leave leaves the vector if no pair is in the mask, and returns the mask's bits.
func (f *Kernel) Leave() Register {
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

// Found leaves the vector if no pair is in the mask, and adds the mask's bits to those of the
// group.
func (f *Kernel) Found() {
	found := f.Leave()
	if f.part > 0 {
		SHLL(U8(f.part*f.Bytes/8), found)
	}
	ORL(found, f.bits)
}

// Accumulate adds v, for the pairs in the mask, to the lanes in memory. With AVX2, v must be 0
// for the others.
func (f *Kernel) Accumulate(array Component, v Register) {
	m := Address(array.Index(0)).Offset(f.part * f.Bytes)
	if f.ISA == AVX2 {
		f.Store(f.Add(v, m), m)
		return
	}
	sum := f.Load(m)
	VADDPD(v, sum, f.mask, sum)
	f.Store(sum, m)
}

// Clear makes v 0 for the pairs that are not in the mask, with AVX2.
func (f *Kernel) Clear(v Register) {
	if f.ISA == AVX2 {
		VANDPD(f.mask, v, v)
	}
}

// Keep returns v as an operand, which with AVX2 is on the stack: there are too few registers.
func (f *Kernel) Keep(v Register) Op {
	if f.ISA != AVX2 {
		return v
	}
	m := f.stack.Offset(f.kept * f.Bytes)
	f.kept++
	f.Store(v, m)
	return m
}

// Only returns an operand, which with AVX2 becomes 0 for the pairs that are not in the mask.
func (f *Kernel) Only(v Op) Register {
	if f.ISA != AVX2 {
		return v.(Register)
	}
	w := YMM()
	VANDPD(v, f.mask, w)
	return w
}
