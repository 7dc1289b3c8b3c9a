package main

import (
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A lowScorer emits what the scores of a vector of places are made of, whose numbers have 32 bits.
type lowScorer struct {
	isa              ISA
	r                Component
	x, channels      Register
	products, sums2  Register
	sums             []Register
	factor, centered Register
}

// newLowScorer returns a lowScorer with what is in r.
func newLowScorer(isa ISA, r Component) *lowScorer {
	return &lowScorer{
		isa: isa, r: r,
		channels: Load(r.Field("channels"), GP64()),
		products: Load(r.Field("products").Base(), GP64()),
		sums2:    Load(r.Field("sums2").Base(), GP64()),
		sums:     Bases(r, "sums", 3),
		factor:   isa.BroadcastFloat(Address(r.Field("factor"))),
		centered: isa.BroadcastFloat(Address(r.Field("centered"))),
	}
}

// integers returns the numerators and the variations of windows.
func (s *lowScorer) integers() (numerator, variation Register) {
	isa := s.isa
	times := func(base Register) Register {
		v := isa.Vec()
		VPMULLD(Mem{Base: base, Index: s.x, Scale: 4}, s.factor, v)
		return v
	}
	numerator, variation = times(s.products), times(s.sums2)
	for c, sums := range s.sums {
		if c == 1 {
			CMPQ(s.channels, U8(1))
			JEQ(LabelRef("summed"))
		}
		v, w := isa.Load(Mem{Base: sums, Index: s.x, Scale: 4}), isa.Vec()
		VPMULLD(isa.BroadcastFloat(Address(s.r.Field("offsets").Index(c))), v, w)
		isa.DoTo(op.AddLong, numerator, w, numerator)
		VPMULLD(v, v, v)
		isa.DoTo(op.And, v, s.centered, v)
		isa.DoTo(op.SubLong, variation, v, variation)
	}
	Label("summed")
	return numerator, variation
}

// respondLow emits the function that makes scores as float32 of numbers of 32 bits. It rounds approximations,
// and where one of them is so close to the middle between two neighbors that it may lie on the wrong side,
// the scores of its vector are made anew.
//
// An estimate of 1/sqrt(w), off by less than 1.5*2^-12, is off by less than 2^-21 after a step of Newton's
// method in floats, and by less than 2^-41 after one in doubles.
func respondLow(isa ISA) {
	r := Func("respondLow" + isa.Name)
	s := newLowScorer(isa, r)
	to, n := Load(r.Field("responses").Base(), GP64()), Load(r.Field("n"), GP64())
	template := func() Register { return quad(isa, Address(r.Field("variation"))) }
	three, fourth, floats, least := isa.Load(threeQuarters()), isa.Vec(), isa.Long(math.Float32bits(3)), isa.Long(1)
	VSQRTPD(template(), fourth)
	isa.DoTo(op.DivDouble, three, fourth, three)
	isa.DoTo(op.MulDouble, three, isa.Load(twelfth()), fourth)
	s.x = Counter()
	Loop("places", s.x, n, isa.Bytes/4, func() {
		numerator, variation := s.integers()
		Comment("A window without variation has the numerator 0.")
		isa.DoTo(op.MaxLong, variation, least, variation)
		w, y := isa.Vec(), isa.Vec()
		VCVTDQ2PS(variation, w)
		if isa == AVX512 {
			VRSQRT14PS(w, y)
		} else {
			VRSQRTPS(w, y)
		}
		isa.DoTo(op.MulFloat, w, y, w)
		isa.DoTo(op.MulFloat, w, y, w)
		isa.DoTo(op.SubFloat, floats, w, w)
		isa.DoTo(op.MulFloat, w, y, y)
		Comment("These are y near 2/sqrt(w). Then y*(3/4 - w*y*y/16) has twice as many right bits of 1/sqrt(w).")
		numerators, variations, roots := doublesOf(isa, numerator, VCVTDQ2PD), doublesOf(isa, variation, VCVTDQ2PD), doublesOf(isa, y, VCVTPS2PD)
		var scores [2]Register
		for i, z := range roots {
			t := isa.Do(op.MulDouble, z, z)
			isa.DoTo(op.MulDouble, t, variations[i], t)
			isa.DoTo(op.MulDouble, t, fourth, t)
			isa.DoTo(op.SubDouble, three, t, t)
			isa.DoTo(op.MulDouble, z, numerators[i], z)
			scores[i] = isa.Do(op.MulDouble, z, t)
		}
		low := isa.Vec() // the lower halves of all scores
		VSHUFPS(U8(0b10_00_10_00), scores[1], scores[0], low)
		isa.DoTo(op.AddLong, low, toMiddle32(), low)
		doubtful := GP32()
		if isa == AVX512 {
			k := K()
			VPTESTNMD(farther32(), low, k)
			KMOVW(k, doubtful)
		} else {
			isa.DoTo(op.And, low, farther32(), low)
			VPCMPEQD(isa.Zero(), low, low)
			VMOVMSKPS(low, doubtful)
		}
		TESTL(doubtful, doubtful)
		JEQ(LabelRef("sure"))
		for i, numerator := range numerators {
			product, root := isa.Do(op.MulDouble, variations[i], template()), isa.Vec()
			VSQRTPD(product, root)
			isa.DoTo(op.DivDouble, numerator, root, scores[i])
		}
		Label("sure")
		for i, v := range scores {
			isa.StoreFloats(v, Mem{Base: to, Index: s.x, Scale: 4, Disp: i * isa.Bytes / 2})
		}
	})
	isa.End()
}

// doublesOf returns the numbers of 32 bits in v as two vectors of doubles.
func doublesOf(isa ISA, v Register, convert func(...Op)) [2]Register {
	var list [2]Register
	for i, half := range halves(isa, v) {
		list[i] = isa.Vec()
		convert(half, list[i])
	}
	return list
}

// seekLow emits the function that looks for a score. Where numerators are more than 0, their squares are
// compared with threshold2 times the variations of windows, as floats.
func seekLow(isa ISA) {
	r := Func("seekLow" + isa.Name)
	s := newLowScorer(isa, r)
	n := Load(r.Field("n"), GP64())
	s.x = Load(r.Field("place"), GP64())
	threshold, zero := isa.BroadcastFloat(Address(r.Field("threshold2"))), isa.Zero()
	CMPQ(s.x, n)
	JGE(LabelRef("found"))
	Align()
	Label("places")
	numerator, variation := s.integers()
	VCVTDQ2PS(numerator, numerator)
	VCVTDQ2PS(variation, variation)
	VMAXPS(zero, numerator, numerator)
	isa.DoTo(op.MulFloat, numerator, numerator, numerator)
	isa.DoTo(op.MulFloat, variation, threshold, variation)
	any := GP32()
	if isa == AVX2 {
		VCMPPS(U8(greater), variation, numerator, numerator)
		VMOVMSKPS(numerator, any)
	} else {
		k := K()
		VCMPPS(U8(greater), variation, numerator, k)
		KMOVW(k, any)
	}
	TESTL(any, any)
	JNE(LabelRef("found"))
	ADDQ(U8(isa.Bytes/4), s.x)
	CMPQ(s.x, n)
	JLT(LabelRef("places"))
	Label("found")
	Store(s.x, r.Field("place"))
	isa.End()
}

var (
	twelfth       = doubles("twelfth", 1./12)
	threeQuarters = doubles("threeQuarters", 3./4)

	// toMiddle32 and farther32 are the lower halves of toMiddle and farther.
	toMiddle32 = longs("toMiddle32", func(int) uint32 { return 1<<28 + doubt })
	farther32  = longs("farther32", func(int) uint32 { return 1<<29 - 2*doubt })
)
