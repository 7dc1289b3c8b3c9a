package main

import (
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A mover works on the moveRun that r points to. Vectors have the numbers of four searches, two of
// each, such as those along x and y.
type mover struct {
	ISA
	r Component
}

// list returns where the numbers of a field are.
func (m mover) list(field string) Mem { return Address(m.r.Field(field).Index(0).Index(0)) }

// points is list of a field of structs, whose first field has that name.
func (m mover) points(field, first string) Mem {
	return Address(m.r.Field(field).Index(0).Field(first))
}

// swapped returns v with both numbers of each search in the other's place.
func (m mover) swapped(v Register) Register {
	w := m.Vec()
	VPERMILPS(U8(0b10_11_00_01), v, w)
	return w
}

// both returns the first number of each search twice, and the second one twice.
func (m mover) both(v Register) (first, second Register) {
	first, second = m.Vec(), m.Vec()
	VMOVSLDUP(v, first)
	VMOVSHDUP(v, second)
	return first, second
}

// float returns a vector of a number.
func (m mover) float(v float32) Register { return m.Long(math.Float32bits(v)) }

// place emits the function that sets the integer parts and the weights of positions.
func place() {
	m := mover{AVX2, Func("placeAVX2")}
	m.place(m.Load(m.points("positions", "X")))
	m.End()
}

// place stores the integer parts and the weights of positions.
func (m mover) place(positions Register) {
	floor, at, far := m.Vec(), m.Vec(), m.Vec()
	const down = 1
	VROUNDPS(U8(down), positions, floor)
	VCVTTPS2DQ(floor, at)
	m.Store(at, m.list("at"))
	VSUBPS(floor, positions, far)
	near := m.Vec()
	VSUBPS(far, m.float(1), near)
	nearX, nearY := m.both(near)
	farX, farY := m.both(far)
	row := m.Vec() // the weights of a pixel and of the one to the right
	VBLENDPS(U8(0b10101010), farX, nearX, row)
	unit := m.float(1 << 14)
	weights := func(y Register) Register {
		v := m.Do(op.MulFloat, row, y)
		VMULPS(unit, v, v)
		VCVTPS2DQ(v, v)
		return v
	}
	upper, lower := weights(nearY), weights(farY)
	Comment("The last one is what is left.")
	left, v := m.Vec(), m.Vec()
	VPSUBD(upper, m.Long(1<<14), left)
	VPSHUFD(U8(0b10_11_00_01), upper, v)
	VPSUBD(v, left, left)
	VPSHUFD(U8(0b10_10_00_00), lower, v)
	VPSUBD(v, left, left)
	VPBLENDD(U8(0b10101010), left, lower, lower)
	VPACKSSDW(lower, upper, upper)
	VPSHUFD(U8(0b11_01_10_00), upper, upper)
	m.Store(upper, m.list("weights"))
}

// equate emits the function that makes the equations of the steps.
func equate() {
	m := mover{AVX2, Func("equateAVX2")}
	Comment("The tensors, by their components.")
	var tensors [4]VecVirtual
	for i := range tensors {
		tensor := m.r.Field("tensors").Index(i)
		tensors[i] = XMM()
		VMOVQ(Address(tensor.Index(0)), tensors[i])
		VINSERTPS(U8(0b00_10_0000), Address(tensor.Index(2)), tensors[i], tensors[i])
	}
	var low, high [2]VecVirtual
	for i := range low {
		low[i], high[i] = XMM(), XMM()
		VUNPCKLPS(tensors[2*i+1], tensors[2*i], low[i])
		VUNPCKHPS(tensors[2*i+1], tensors[2*i], high[i])
	}
	scale := m.float(1. / (1 << 20)).(VecVirtual).AsX()
	a11, a12, a22 := XMM(), XMM(), XMM()
	VMOVLHPS(low[1], low[0], a11)
	VMOVHLPS(low[0], low[1], a12)
	VMOVLHPS(high[1], high[0], a22)
	for _, v := range []VecVirtual{a11, a12, a22} {
		VMULPS(scale, v, v)
	}

	Comment("The determinants, and the smaller eigenvalues.")
	product := func(x, y Op) VecVirtual {
		v := XMM()
		VMULPS(y, x, v)
		return v
	}
	one := m.float(1).(VecVirtual).AsX()
	determinant, inverse := product(a11, a22), XMM()
	VSUBPS(product(a12, a12), determinant, determinant)
	VDIVPS(determinant, one, inverse)
	difference, root, eigenvalue := XMM(), XMM(), XMM()
	VSUBPS(a22, a11, difference)
	VADDPS(product(product(a12, m.float(4).(VecVirtual).AsX()), a12), product(difference, difference), root)
	VSQRTPS(root, root)
	VADDPS(a11, a22, eigenvalue)
	VSUBPS(root, eigenvalue, eigenvalue)
	pixels, least := XMM(), XMM()
	VBROADCASTSS(Address(m.r.Field("pixels")), pixels)
	VDIVPS(pixels, eigenvalue, eigenvalue)

	Comment("The searches with enough structure.")
	const less = 17
	VBROADCASTSS(Address(m.r.Field("eigenvalue")), least)
	VCMPPS(U8(less), least, eigenvalue, eigenvalue)
	VCMPPS(U8(less), m.float(1./(1<<23)).(VecVirtual).AsX(), determinant, determinant)
	VORPS(determinant, eigenvalue, eigenvalue)
	flat, moving := GP32(), Load(m.r.Field("moving"), GP32())
	VMOVMSKPS(eigenvalue, flat)
	NOTL(flat)
	ANDL(moving, flat)
	Store(flat, m.r.Field("moving"))
	for i, pair := range [2][2]VecVirtual{{a12, inverse}, {a22, a11}} {
		to := [2]Mem{m.points("mixed", "a12"), m.points("squares", "a22")}[i]
		v := XMM()
		VUNPCKLPS(pair[1], pair[0], v)
		VMOVUPS(v, to)
		VUNPCKHPS(pair[1], pair[0], v)
		VMOVUPS(v, to.Offset(16))
	}
	m.End()
}

// move emits the function that makes a step of the searches that move, and places their windows.
func move() {
	m := mover{AVX2, Func("moveAVX2")}
	Comment("The step is the solution of the equations.")
	products, squares := m.Load(m.list("products")), m.points("squares", "a22")
	VMULPS(m.float(1./(1<<20)), products, products)
	mixed, inverse := m.both(m.Load(m.points("mixed", "a12")))
	step := m.Do(op.MulFloat, mixed, m.swapped(products))
	VMULPS(squares, products, products)
	VSUBPS(products, step, step)
	VMULPS(inverse, step, step)
	position, result := m.Vec(), m.Vec()
	VADDPS(m.points("positions", "X"), step, position)
	VBROADCASTSD(Address(m.r.Field("half").Field("X")), result)
	VADDPS(position, result, result)

	Comment("Whether it is so short that it is the last one.")
	sum, high := m.Vec(), m.Vec()
	VEXTRACTF128(U8(1), step, high.AsX())
	VCVTPS2PD(high.AsX(), high)
	VCVTPS2PD(step.AsX(), sum)
	VMULPD(high, high, high)
	VMULPD(sum, sum, sum)
	VHADDPD(high, sum, sum)
	epsilon := m.Vec()
	VBROADCASTSD(Address(m.r.Field("epsilon")), epsilon)
	const atMost = 18
	VCMPPD(U8(atMost), epsilon, sum, sum)
	arrived := sum
	VPERMPD(U8(0b11_01_10_00), arrived, arrived)

	Comment("Whether it cancels out the one before, of which half remains.")
	cancels := m.Vec()
	VADDPS(m.points("steps", "X"), step, cancels)
	VANDPS(m.Long(1<<31-1), cancels, cancels)
	VCMPPS(U8(atMost), m.float(0.01), cancels, cancels)
	VANDPS(m.swapped(cancels), cancels, cancels)
	VANDNPS(cancels, arrived, cancels)
	back := m.Do(op.MulFloat, step, m.float(0.5))
	VANDPS(cancels, back, back)
	VSUBPS(back, result, result)

	Comment("The searches that move, and those that move on.")
	moving, bits := m.Vec(), m.Load(searchBits())
	VPBROADCASTD(Address(m.r.Field("moving")), moving)
	VPAND(bits, moving, moving)
	VPCMPEQD(bits, moving, moving)
	results := m.Load(m.points("results", "X"))
	VBLENDVPS(moving, result, results, results)
	m.Store(results, m.points("results", "X"))
	m.Store(position, m.points("positions", "X"))
	m.Store(step, m.points("steps", "X"))
	VORPS(cancels, arrived, arrived)
	VANDNPS(moving, arrived, moving)
	mask := GP32()
	VMOVMSKPD(moving, mask)
	Store(mask, m.r.Field("moving"))
	m.place(position)
	m.End()
}

// searchBits has the bits of the searches, twice each.
var searchBits = ByteTable("searchBits", 32, func(i int) uint8 {
	if i%4 > 0 {
		return 0
	}
	return 1 << (i / 8)
})
