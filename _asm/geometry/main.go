// Command geometry generates simd_amd64.s, the assembly of package geometry. It runs in
// the directory of the module _asm.
package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	WriteAMD64("../geometry", func() {
		for _, isa := range []ISA{AVX2, AVX512} {
			for _, sums := range []bool{false, true} {
				for _, projective := range []bool{false, true} {
					kernel(isa, sums, projective)
				}
			}
		}
	})
}

// lanes is the number of pairs of a group.
const lanes = 8

// Predicates of VCMPPD, false if an operand is NaN.
const (
	atMost  = 0x12
	greater = 0x1e
)

// A function is one of the kernels.
type function struct {
	ISA
	r          Component
	sums       bool
	projective bool
	zero       Register
	one, tiny  Mem // numbers
	far        Mem

	// Of the pairs that the function is at.
	part int      // the number of the vector in the group
	mask Register // of inliers: with AVX2 a vector, and otherwise of a bit for each
	kept int      // how many vectors are on the stack
}

// kernel emits the function that finds inliers and, if it is wanted, adds to the sums.
func kernel(isa ISA, sums, projective bool) {
	name := "score"
	if sums {
		name = "sum"
	}
	kind := "Affine"
	if projective {
		kind = "Projective"
	}
	f := &function{ISA: isa, r: Func(name + kind + isa.Name), sums: sums, projective: projective}
	f.zero = isa.Zero()
	f.one, f.tiny, f.far = number("one", 1), number("tiny", 1e-300), number("far", 16)
	var points [4]Register
	for i, field := range []string{"ax", "ay", "bx", "by"} {
		points[i] = Load(f.r.Field(field).Base(), GP64())
	}
	masks := Load(f.r.Field("masks").Base(), GP64())
	i, end := Load(f.r.Field("begin"), GP64()), Load(f.r.Field("end"), GP64())
	CMPQ(i, end)
	JGE(LabelRef("done"))
	stack := Mem{}
	if sums && isa == AVX2 {
		stack = AllocLocal(8 * isa.Bytes)
	}

	Comment("The next group of pairs.")
	Align()
	Label("group")
	bits := GP32()
	XORL(bits, bits)
	for f.part = range lanes * 8 / isa.Bytes {
		f.kept = 0
		next := fmt.Sprintf("next%d", f.part)
		var p [4]Register
		for k, base := range points {
			p[k] = isa.Load(Mem{Base: base, Index: i, Scale: 8, Disp: f.part * isa.Bytes})
		}
		f.pairs(p, stack, bits, next)
		Label(next)
	}
	index := GP64()
	MOVQ(i, index)
	SHRQ(U8(3), index)
	MOVB(bits.As8(), Mem{Base: masks, Index: index, Scale: 1})
	ADDQ(U8(lanes), i)
	CMPQ(i, end)
	JLT(LabelRef("group"))
	Label("done")
	isa.End()
}

var numbers = map[string]Mem{}

// number returns a number in memory.
func number(name string, v float64) Mem {
	m, ok := numbers[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		DATA(0, F64(v))
		numbers[name] = m
	}
	return m
}

// broadcast returns a vector of the number at m.
func (f *function) broadcast(m Mem) Register {
	v := f.Vec()
	VBROADCASTSD(m, v)
	return v
}

// field returns a vector of a field.
func (f *function) field(c Component) Register { return f.broadcast(Address(c)) }

func (f *function) add(x, y Op) Register { return f.Do(op.AddDouble, x, y) }
func (f *function) sub(x, y Op) Register { return f.Do(op.SubDouble, x, y) }
func (f *function) mul(x, y Op) Register { return f.Do(op.MulDouble, x, y) }

// squares returns x*x + y*y.
func (f *function) squares(x, y Register) Register { return f.add(f.mul(x, x), f.mul(y, y)) }

// row returns the product of a row of the matrix, which begins at element i, and x, y, 1.
func (f *function) row(matrix string, i int, x, y Register) Register {
	return f.add(f.linear(matrix, i, x, y), f.element(matrix, i+2))
}

// linear returns that product without the last element.
func (f *function) linear(matrix string, i int, x, y Register) Register {
	return f.add(f.mul(f.element(matrix, i), x), f.mul(f.element(matrix, i+1), y))
}

func (f *function) element(matrix string, i int) Register {
	return f.field(f.r.Field(matrix).Index(i))
}

// restrict removes the pairs from the mask for which x is not greater than y, or at most y.
func (f *function) restrict(predicate uint8, x, y Register) {
	switch {
	case f.ISA == AVX2:
		m := YMM()
		VCMPPD(U8(predicate), y, x, m)
		if f.mask != nil {
			VANDPD(f.mask, m, m)
		}
		f.mask = m
	case f.mask == nil:
		f.mask = K()
		VCMPPD(U8(predicate), y, x, f.mask)
	default:
		m := K()
		VCMPPD(U8(predicate), y, x, f.mask, m)
		f.mask = m
	}
}

// leave jumps to a label if no pair is in the mask, and returns the mask's bits.
func (f *function) leave(label string) Register {
	bits := GP32()
	if f.ISA == AVX2 {
		VMOVMSKPD(f.mask, bits)
	} else {
		KMOVB(f.mask, bits)
	}
	TESTL(bits, bits)
	JEQ(LabelRef(label))
	return bits
}

// accumulate adds v, for the pairs in the mask, to the lanes in memory. With AVX2, v must be 0
// for the others.
func (f *function) accumulate(array Component, v Register) {
	m := Address(array.Index(0)).Offset(f.part * f.Bytes)
	if f.ISA == AVX2 {
		f.Store(f.add(v, m), m)
		return
	}
	sum := f.Load(m)
	VADDPD(v, sum, f.mask, sum)
	f.Store(sum, m)
}

// keep returns a function that returns v for the pairs in the mask. With AVX2, there are too
// few registers meanwhile, and v becomes 0 for the others.
func (f *function) keep(v Register, stack Mem) func() Register {
	if f.ISA != AVX2 {
		return func() Register { return v }
	}
	m := stack.Offset(f.kept * f.Bytes)
	f.kept++
	f.Store(v, m)
	return func() Register {
		w := YMM()
		VANDPD(m, f.mask, w)
		return w
	}
}

// kept are the values that the sums are made of. Those that are not needed are nil.
type kept struct{ x, y, inverse, mx, my, dx, dy func() Register }

// limitA and limitB return squared thresholds in A and in B.
func (f *function) limitA() Register { return f.field(f.r.Field("limitA")) }
func (f *function) limitB() Register { return f.field(f.r.Field("limitB")) }

// pairs emits what is done with a vector of pairs, x, y in A and u, v in B. It adds to the bits
// of the group, or jumps to next if there are no inliers.
func (f *function) pairs(p [4]Register, stack Mem, bits Register, next string) {
	f.mask = nil
	if f.projective && f.sums {
		for k := range p {
			p[k] = f.sub(p[k], f.field(f.r.Field("shift").Index(k)))
		}
	}
	var kept kept
	if f.sums {
		kept.x, kept.y = f.keep(p[0], stack), f.keep(p[1], stack)
	}
	// The squared distance in B is b/perB, and that in A is a/perA, in squared thresholds.
	dx, dy, perB := f.forward(p, stack, &kept)
	if f.sums {
		kept.dx, kept.dy = f.keep(dx, stack), f.keep(dy, stack)
	}
	if perB == nil {
		perB = f.limitB()
	}
	Comment("Pairs that are far apart in B are not inliers.")
	b := f.squares(dx, dy)
	f.restrict(atMost, b, f.mul(perB, f.broadcast(f.far)))
	f.leave(next)

	Comment("The distance in A.")
	a, perA := f.backward(p, dx, dy)
	f.restrict(atMost, a, f.mul(perA, f.broadcast(f.far)))
	Comment("The mean of both distances.")
	divisor := f.add(f.mul(a, perB), f.mul(b, perA))
	divisor = f.Do(op.MaxDouble, f.broadcast(f.tiny), divisor) // NaN stays
	product := f.mul(a, b)
	m := f.Do(op.DivDouble, f.add(product, product), divisor)
	one := f.broadcast(f.one)
	f.restrict(atMost, m, one)
	found := f.leave(next)
	if f.part > 0 {
		SHLL(U8(f.part*f.Bytes/8), found)
	}
	ORL(found, bits)

	gain := f.sub(one, m)
	f.clear(gain)
	f.accumulate(f.r.Field("support"), gain)
	if f.sums {
		f.addSums(gain, kept)
	}
}

// clear makes v 0 for the pairs that are not in the mask, with AVX2.
func (f *function) clear(v Register) {
	if f.ISA == AVX2 {
		VANDPD(f.mask, v, v)
	}
}

// forward returns the differences of the transformed points of A from those of B, and what their
// squares are divided by unless that is limitB.
func (f *function) forward(p [4]Register, stack Mem, kept *kept) (dx, dy, perB Register) {
	x, y, u, v := p[0], p[1], p[2], p[3]
	if !f.projective {
		if !f.sums {
			return f.sub(f.row("forward", 0, x, y), u), f.sub(f.row("forward", 3, x, y), v), nil
		}
		return f.sub(u, f.row("forward", 0, x, y)), f.sub(v, f.row("forward", 3, x, y)), nil
	}
	w := f.row("forward", 6, x, y)
	f.restrict(greater, w, f.zero)
	if !f.sums {
		dx = f.sub(f.row("forward", 0, x, y), f.mul(u, w))
		dy = f.sub(f.row("forward", 3, x, y), f.mul(v, w))
		return dx, dy, f.mul(f.mul(w, w), f.limitB())
	}
	inverse := f.Do(op.DivDouble, f.broadcast(f.one), w)
	kept.inverse = f.keep(inverse, stack)
	mx := f.mul(f.row("forward", 0, x, y), inverse)
	my := f.mul(f.row("forward", 3, x, y), inverse)
	kept.mx, kept.my = f.keep(mx, stack), f.keep(my, stack)
	return f.sub(u, mx), f.sub(v, my), nil
}

// backward returns the squared distances in A, and what they are divided by.
func (f *function) backward(p [4]Register, dx, dy Register) (a, perA Register) {
	if !f.projective {
		return f.squares(f.linear("backward", 0, dx, dy), f.linear("backward", 3, dx, dy)), f.limitA()
	}
	x, y, u, v := p[0], p[1], p[2], p[3]
	z := f.row("backward", 6, u, v)
	f.restrict(greater, z, f.zero)
	ex := f.sub(f.row("backward", 0, u, v), f.mul(x, z))
	ey := f.sub(f.row("backward", 3, u, v), f.mul(y, z))
	return f.squares(ex, ey), f.mul(f.mul(z, z), f.limitA())
}

// addSums adds to the sums of the equations that the transform follows from.
func (f *function) addSums(gain Register, kept kept) {
	Comment("The sums, weighted.")
	weight := f.add(f.mul(f.mul(gain, gain), f.field(f.r.Field("steep"))), f.field(f.r.Field("flat")))
	f.clear(weight)
	n := 0
	put := func(list ...Register) {
		for _, v := range list {
			f.accumulate(f.r.Field("sums").Index(n), v)
			n++
		}
	}
	if f.projective {
		f.projectiveSums(weight, kept, put)
	} else {
		f.affineSums(weight, kept, put)
	}
}

// affineSums puts the sums of an affine transform.
func (f *function) affineSums(weight Register, kept kept, put func(...Register)) {
	x, y := kept.x(), kept.y()
	wx, wy := f.mul(weight, x), f.mul(weight, y)
	put(weight, wx, wy)
	for _, factors := range [][2]Register{{wx, x}, {wx, y}, {wy, y}} {
		put(f.mul(factors[0], factors[1]))
	}
	for _, d := range []Register{kept.dx(), kept.dy()} {
		for _, w := range []Register{weight, wx, wy} {
			put(f.mul(w, d))
		}
	}
}

// projectiveSums puts the sums of a homography.
func (f *function) projectiveSums(weight Register, kept kept, put func(...Register)) {
	qw := kept.inverse()
	qx, qy := f.mul(kept.x(), qw), f.mul(kept.y(), qw)
	wx, wy, ww := f.mul(weight, qx), f.mul(weight, qy), f.mul(weight, qw)
	put(f.mul(ww, qw))
	products := []Register{f.mul(wx, qw), f.mul(wy, qw), f.mul(wx, qx), f.mul(wx, qy), f.mul(wy, qy)}
	put(products...)
	mx, my, dx, dy := kept.mx(), kept.my(), kept.dx(), kept.dy()
	for _, d := range []Register{dx, dy} {
		for _, w := range []Register{ww, wx, wy} {
			put(f.mul(w, d))
		}
	}
	for _, m := range []Register{mx, my} {
		for _, p := range products {
			put(f.mul(m, p))
		}
	}
	square := f.squares(mx, my)
	for _, p := range products[2:] {
		put(f.mul(square, p))
	}
	e := f.add(f.mul(mx, dx), f.mul(my, dy))
	for _, w := range []Register{wx, wy} {
		put(f.mul(w, e))
	}
}
