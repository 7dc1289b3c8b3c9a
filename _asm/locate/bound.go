package main

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A bounder emits what the bounds of four places are made of.
type bounder struct {
	scorer
	centered Register // a mask

	// Of the places.
	all  Register // the sums of squares, as doubles
	root Register // the norms of the windows
}

// bound emits the function that makes bounds.
func bound() {
	isa := AVX2
	r := Func("bound" + isa.Name)
	b := &bounder{
		scorer: scorer{
			isa: isa, r: r,
			products: Load(r.Field("products").Base(), GP64()),
			sums2:    Load(r.Field("sums2").Base(), GP64()),
			factor:   quad(isa, Address(r.Field("factor"))),
		},
		centered: isa.Do(op.SubQuad, isa.Zero(), quad(isa, Address(r.Field("centered")))),
	}
	squares := Load(r.Field("squares").Base(), GP64())
	to, n := Load(r.Field("bounds").Base(), GP64()), Load(r.Field("n"), GP64())
	b.x = Counter()
	// The best places, of every fourth each.
	most, estimate, at := XMM(), XMM(), XMM()
	VBROADCASTSS(minusTwo(), most)
	VMOVAPS(most, estimate)
	VPCMPEQD(at, at, at)
	index := XMM()
	VMOVDQU(fourPlaces(), index)

	Align()
	Label("places")
	numerator := doubleQuad(isa, Mem{Base: b.products, Index: b.x, Scale: 4})
	variation := b.times(Mem{Base: b.sums2, Index: b.x, Scale: 8})
	VMULPD(b.field("scale"), numerator, numerator)
	VADDPD(b.field("margin"), numerator, numerator)
	b.all = b.double(isa.Load(Mem{Base: b.sums2, Index: b.x, Scale: 8}))
	left := isa.Do(op.SubDouble, b.all, b.double(isa.Load(Mem{Base: squares, Index: b.x, Scale: 8})))
	b.addWindows(numerator, variation, left)
	flat := isa.Vec()
	VPCMPEQQ(isa.Zero(), variation, flat)
	VPANDN(flat, b.isDifference(), flat)

	norm := isa.Do(op.MulDouble, b.double(variation), b.field("unit"))
	VMAXPD(isa.Zero(), left, left)
	VADDPD(least(), left, left)
	b.root = isa.Vec()
	VSQRTPD(norm, b.root)
	VADDPD(isa.Do(op.MulDouble, b.root, b.field("error")), numerator, numerator)
	rest := isa.Vec()
	VSQRTPD(left, rest)
	VMULPD(b.field("q"), rest, rest)
	v := b.score("bound", isa.Do(op.AddDouble, numerator, rest))
	VADDPD(b.field("slack"), v, v)
	VBLENDVPD(flat, b.field("slack"), v, v)
	bounds, valid := XMM(), XMM()
	VCVTPD2PSY(v, bounds)

	Comment("The last places are not all there.")
	end := XMM()
	VMOVD(n.(GPVirtual).As32(), end)
	VPBROADCASTD(end, end)
	VPCMPGTD(index, end, valid)
	next := GP64()
	LEAQ(Mem{Base: b.x, Disp: 4}, next)
	CMPQ(next, n)
	JGT(LabelRef("partial"))
	VMOVUPS(bounds, Mem{Base: to, Index: b.x, Scale: 4})
	JMP(LabelRef("stored"))
	Label("partial")
	VPMASKMOVD(bounds, valid, Mem{Base: to, Index: b.x, Scale: 4})
	Label("stored")
	low := XMM()
	VBROADCASTSS(minusTwo(), low)
	VBLENDVPS(valid, bounds, low, low)
	VMAXPS(low, most, most)

	Comment("Does any place matter?")
	limit, any := XMM(), GP32()
	VBROADCASTSS(Address(r.Field("least")), limit)
	VCMPPS(U8(atLeast), limit, bounds, bounds)
	VANDPS(valid, bounds, bounds)
	VMOVMSKPS(bounds, any)
	TESTL(any, any)
	JEQ(LabelRef("next"))
	means := isa.Do(op.SubDouble, norm, left)
	VMAXPD(one(), means, means)
	VSQRTPD(means, means)
	VMULPD(b.field("p"), means, means)
	VDIVPD(means, rest, means)
	VADDPD(one(), means, means)
	VMULPD(numerator, means, means)
	v = b.score("estimate", means)
	VBLENDVPD(flat, minusTwos(), v, v)
	e, larger := XMM(), XMM()
	VCVTPD2PSY(v, e)
	VCMPPS(U8(greater), estimate, e, larger)
	VANDPS(bounds, larger, larger)
	VBLENDVPS(larger, e, estimate, estimate)
	VBLENDVPS(larger, index, at, at)
	Label("next")
	VPADDD(fours(), index, index)
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

// field returns a register with a field, a double, in every place.
func (b *bounder) field(name string) Register {
	return quad(b.isa, Address(b.r.Field(name)))
}

// isDifference returns a mask that is set for Difference.
func (b *bounder) isDifference() Register {
	v := b.isa.Vec()
	VCMPPD(U8(4), b.isa.Zero(), b.field("largest"), v) // not equal
	return v
}

// addWindows adds what the sums of windows bring to the numerators, and subtracts what they take
// from the variations and from what is left without means.
func (b *bounder) addWindows(numerator, variation, left Register) {
	isa, r := b.isa, b.r
	for c := range 3 {
		if c == 1 {
			CMPQ(Address(r.Field("channels")), U8(1))
			JEQ(LabelRef("windows"))
		}
		p := Load(r.Field("sums").Index(c).Base(), GP64())
		m := Mem{Base: p, Index: b.x, Scale: 4}
		sum := doubleQuad(isa, m)
		VMULPD(quad(isa, Address(r.Field("offsets").Index(c))), sum, sum)
		VADDPD(sum, numerator, numerator)
		v := signedQuads(isa, m)
		isa.DoTo(op.MulQuad, v, v, v)
		isa.DoTo(op.And, v, b.centered, v)
		isa.DoTo(op.SubQuad, variation, v, variation)
		whole := fmt.Sprint("whole", c)
		CMPQ(Address(r.Field("rest")), U8(0))
		JEQ(LabelRef(whole))
		d := isa.Vec()
		VMOVDQU(m, d.AsX())
		m.Base = Load(r.Field("inner").Index(c).Base(), GP64())
		VPSUBD(m, d.AsX(), d.AsX())
		VCVTDQ2PD(d.AsX(), d)
		VMULPD(d, d, d)
		VMULPD(b.field("rest"), d, d)
		VSUBPD(d, left, left)
		Label(whole)
	}
	Label("windows")
}

// score returns the scores of numerators. Its labels begin with label.
func (b *bounder) score(label string, numerator Register) Register {
	isa := b.isa
	v, w := isa.Vec(), isa.Vec()
	CMPQ(Address(b.r.Field("largest")), U8(0))
	JNE(LabelRef(label + "Difference"))
	VMULPD(b.field("t"), b.root, w)
	VDIVPD(w, numerator, v)
	JMP(LabelRef(label + "Scored"))
	Label(label + "Difference")
	VADDPD(b.field("sum2"), b.all, w)
	VADDPD(numerator, numerator, v)
	VSUBPD(v, w, w)
	VDIVPD(b.field("largest"), w, w)
	VMOVUPD(one(), v)
	VSUBPD(w, v, v)
	Label(label + "Scored")
	return v
}

// finish stores the best of the places. Of equal estimates the first one counts.
func (b *bounder) finish(most, estimate, at Register) {
	for _, order := range []U8{0b01_00_11_10, 0b10_11_00_01} {
		other, place, equal, first := XMM(), XMM(), XMM(), XMM()
		VPSHUFD(order, most, other)
		VMAXPS(other, most, most)
		VPSHUFD(order, estimate, other)
		VPSHUFD(order, at, place)
		VCMPPS(U8(equals), estimate, other, equal)
		VPCMPGTD(place, at, first)
		VPAND(equal, first, first)
		VCMPPS(U8(greater), estimate, other, equal)
		VPOR(equal, first, first)
		VBLENDVPS(first, other, estimate, estimate)
		VBLENDVPS(first, place, at, at)
	}
	VMOVSS(most, Address(b.r.Field("most")))
	VMOVSS(estimate, Address(b.r.Field("estimate")))
	g := GP64()
	VMOVD(at, g.As32())
	MOVLQSX(g.As32(), g)
	Store(g, b.r.Field("at"))
}

var (
	least     = doubles("least", 1e-3)
	minusTwos = doubles("minusTwos", -2)

	minusTwo   = longs("minusTwo", func(int) uint32 { return math.Float32bits(-2) })
	fours      = longs("fours", func(int) uint32 { return 4 })
	fourPlaces = longs("fourPlaces", func(i int) uint32 { return uint32(i) })
)

// longs returns a function that returns a table of four numbers of 32 bits.
func longs(name string, value func(i int) uint32) func() Mem {
	return ByteTable(name, 16, func(i int) uint8 { return uint8(value(i/4) >> (8 * (i % 4))) })
}
