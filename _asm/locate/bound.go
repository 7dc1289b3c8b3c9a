package main

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A bounder emits what the bounds of eight places are made of.
type bounder struct {
	isa, doubles             ISA // of floats, and of the doubles that these are made of
	r                        Component
	x                        Register
	products, sums2, squares Register
	zero                     Register

	// Of the places, floats.
	numerator, all, norm, rest Register
	root                       Register // of the norm
}

// bound emits the function that makes bounds, eight at a time. doubles is the instruction set for what
// has 64 bits.
func bound(doubles ISA) {
	isa := AVX2
	r := Func("bound" + doubles.Name)
	b := &bounder{
		isa: isa, doubles: doubles, r: r,
		products: Load(r.Field("products").Base(), GP64()),
		sums2:    Load(r.Field("sums2").Base(), GP64()),
		squares:  Load(r.Field("squares").Base(), GP64()),
		zero:     doubles.Zero(),
	}
	to, n := Load(r.Field("bounds").Base(), GP64()), Load(r.Field("n"), GP64())
	b.x = Counter()
	// The best places, of every eighth each.
	most, estimate, at, index := isa.Load(minusTwo()), isa.Load(minusTwo()), isa.Vec(), isa.Load(eightPlaces())
	VPCMPEQD(at, at, at)

	Align()
	Label("places")
	b.sums()
	b.root = isa.Vec()
	VSQRTPS(b.norm, b.root)
	isa.DoTo(op.AddFloat, b.numerator, isa.Do(op.MulFloat, b.root, b.float("error")), b.numerator)
	q := isa.Vec()
	VSQRTPS(b.rest, q)
	VMULPS(b.float("q"), q, q)
	bounds := b.score("bound", isa.Do(op.AddFloat, b.numerator, q))
	flat := isa.Vec()
	zero := b.zero.(VecVirtual).AsY()
	VCMPPS(U8(equals), zero, b.norm, flat)
	CMPL(Address(r.Field("largest")), U8(0))
	JEQ(LabelRef("flat"))
	isa.Move(zero, flat)
	Label("flat")
	VANDNPS(bounds, flat, bounds)
	VADDPS(b.float("slack"), bounds, bounds)

	Comment("The last places are not all there.")
	end, valid := XMM(), isa.Vec()
	VMOVD(n.(GPVirtual).As32(), end)
	VPBROADCASTD(end, valid)
	VPCMPGTD(index, valid, valid)
	next := GP64()
	LEAQ(Mem{Base: b.x, Disp: 8}, next)
	CMPQ(next, n)
	JGT(LabelRef("partial"))
	VMOVUPS(bounds, Mem{Base: to, Index: b.x, Scale: 4})
	JMP(LabelRef("stored"))
	Label("partial")
	VPMASKMOVD(bounds, valid, Mem{Base: to, Index: b.x, Scale: 4})
	Label("stored")
	low := isa.Load(minusTwo())
	VBLENDVPS(valid, bounds, low, low)
	VMAXPS(low, most, most)

	Comment("Does any place matter?")
	any, larger := GP32(), isa.Vec()
	VCMPPS(U8(atLeast), b.float("least"), bounds, larger)
	VANDPS(valid, larger, valid)
	VANDNPS(valid, flat, valid)
	VCMPPS(U8(greater), estimate, bounds, larger)
	VANDPS(larger, valid, valid)
	VMOVMSKPS(valid, any)
	TESTL(any, any)
	JEQ(LabelRef("next"))
	means := isa.Do(op.SubFloat, b.norm, b.rest)
	VMAXPS(oneFloat(), means, means)
	VSQRTPS(means, means)
	VMULPS(b.float("p"), means, means)
	VDIVPS(means, q, means)
	VADDPS(oneFloat(), means, means)
	VMULPS(b.numerator, means, means)
	e := b.score("estimate", means)
	VMINPS(bounds, e, e)
	VCMPPS(U8(greater), estimate, e, larger)
	VANDPS(valid, larger, larger)
	VBLENDVPS(larger, e, estimate, estimate)
	VBLENDVPS(larger, index, at, at)
	Label("next")
	VPADDD(eights(), index, index)
	MOVQ(next, b.x)
	CMPQ(b.x, n)
	JLT(LabelRef("places"))
	b.finish(most, estimate, at)
	isa.End()
}

// Predicates of VCMPPS, ordered.
const (
	equals  = 0
	atLeast = 13
	greater = 14
)

// field returns a register with a field, a double, in every place, and float one with a float.
func (b *bounder) field(name string) Register { return quad(b.doubles, Address(b.r.Field(name))) }

func (b *bounder) float(name string) Register { return b.isa.BroadcastFloat(Address(b.r.Field(name))) }

// sums sets the numbers of eight places, which are made as doubles, a vector of them at a time.
func (b *bounder) sums() {
	isa := b.doubles
	list := []*Register{&b.numerator, &b.all, &b.norm, &b.rest}
	for half := range 64 / isa.Bytes {
		numerator := doubleQuad(isa, Mem{Base: b.products, Index: b.x, Scale: 4, Disp: 16 * half})
		VMULPD(b.field("scale"), numerator, numerator)
		VADDPD(b.field("margin"), numerator, numerator)
		all := b.double(Mem{Base: b.sums2, Index: b.x, Scale: 8, Disp: 32 * half})
		left := isa.Do(op.SubDouble, all, b.double(Mem{Base: b.squares, Index: b.x, Scale: 8, Disp: 32 * half}))
		variation := isa.Do(op.MulDouble, all, b.field("factor"))
		b.addWindows(half, numerator, variation, left)
		VMULPD(b.field("unit"), variation, variation)
		VMAXPD(b.zero, left, left)
		VADDPD(least(), left, left)
		for i, v := range []Register{numerator, all, variation, left} {
			if isa == AVX512 {
				*list[i] = YMM()
				VCVTPD2PS(v, *list[i])
				continue
			}
			x := XMM()
			VCVTPD2PSY(v, x)
			if half == 0 {
				*list[i] = x.AsY()
			} else {
				VINSERTF128(U8(1), x, *list[i], *list[i])
			}
		}
	}
}

// double returns the integers of 64 bits at m, not negative and of less than 53 bits, as doubles.
func (b *bounder) double(m Mem) Register {
	v := b.doubles.Do(op.Or, b.doubles.Load(m), lowMagic())
	VSUBPD(lowMagic(), v, v)
	return v
}

// addWindows adds what the sums of windows bring to the numerators, and subtracts what they take
// from the variations and from what is left without means.
func (b *bounder) addWindows(half int, numerator, variation, left Register) {
	isa, r := b.doubles, b.r
	for c := range 3 {
		if c == 1 {
			CMPQ(Address(r.Field("channels")), U8(1))
			JEQ(LabelRef(fmt.Sprint("windows", half)))
		}
		p := Load(r.Field("sums").Index(c).Base(), GP64())
		m := Mem{Base: p, Index: b.x, Scale: 4, Disp: 16 * half}
		sum := doubleQuad(isa, m)
		v := isa.Do(op.MulDouble, sum, b.field("centered"))
		VMULPD(sum, v, v)
		VSUBPD(v, variation, variation)
		VMULPD(quad(isa, Address(r.Field("offsets").Index(c))), sum, sum)
		VADDPD(sum, numerator, numerator)
		whole := fmt.Sprintf("whole%d%d", half, c)
		CMPQ(Address(r.Field("rest")), U8(0))
		JEQ(LabelRef(whole))
		d := isa.Vec()
		low := lower(isa, d)
		VMOVDQU(m, low)
		m.Base = Load(r.Field("inner").Index(c).Base(), GP64())
		VPSUBD(m, low, low)
		VCVTDQ2PD(low, d)
		VMULPD(d, d, d)
		VMULPD(b.field("rest"), d, d)
		VSUBPD(d, left, left)
		Label(whole)
	}
	Label(fmt.Sprint("windows", half))
}

// score returns the scores of numerators. Its labels begin with label.
func (b *bounder) score(label string, numerator Register) Register {
	isa := b.isa
	v, w := isa.Vec(), isa.Vec()
	CMPL(Address(b.r.Field("largest")), U8(0))
	JNE(LabelRef(label + "Difference"))
	VMULPS(b.float("t"), b.root, w)
	VDIVPS(w, numerator, v)
	JMP(LabelRef(label + "Scored"))
	Label(label + "Difference")
	VADDPS(b.float("sum2"), b.all, w)
	VADDPS(numerator, numerator, v)
	VSUBPS(v, w, w)
	VDIVPS(b.float("largest"), w, w)
	VMOVUPS(oneFloat(), v)
	VSUBPS(w, v, v)
	Label(label + "Scored")
	return v
}

// finish stores the best of the places. Of equal estimates the first one counts.
func (b *bounder) finish(most, estimate, at Register) {
	for _, order := range []U8{0, 0b01_00_11_10, 0b10_11_00_01} {
		swapped := func(v Register) Register {
			w := b.isa.Vec()
			if order == 0 {
				VPERM2I128(U8(1), v, v, w) // the halves
			} else {
				VPSHUFD(order, v, w)
			}
			return w
		}
		VMAXPS(swapped(most), most, most)
		other, place := swapped(estimate), swapped(at)
		equal, first := b.isa.Vec(), b.isa.Vec()
		VCMPPS(U8(equals), estimate, other, equal)
		VPCMPGTD(place, at, first)
		VPAND(equal, first, first)
		VCMPPS(U8(greater), estimate, other, equal)
		VPOR(equal, first, first)
		VBLENDVPS(first, other, estimate, estimate)
		VBLENDVPS(first, place, at, at)
	}
	low := func(v Register) Register { return v.(VecVirtual).AsX() }
	VMOVSS(low(most), Address(b.r.Field("most")))
	VMOVSS(low(estimate), Address(b.r.Field("estimate")))
	g := GP64()
	VMOVD(low(at), g.As32())
	MOVLQSX(g.As32(), g)
	Store(g, b.r.Field("at"))
}

var (
	least = doubles("least", 1e-3)

	minusTwo    = longs("minusTwo", func(int) uint32 { return math.Float32bits(-2) })
	oneFloat    = longs("oneFloat", func(int) uint32 { return math.Float32bits(1) })
	eights      = longs("eights", func(int) uint32 { return 8 })
	eightPlaces = longs("eightPlaces", func(i int) uint32 { return uint32(i) })
)

// longs returns a function that returns a table of eight numbers of 32 bits.
func longs(name string, value func(i int) uint32) func() Mem {
	return ByteTable(name, 32, func(i int) uint8 { return uint8(value(i/4) >> (8 * (i % 4))) })
}
