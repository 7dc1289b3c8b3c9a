package main

import (
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A scorer emits what the scores of a vector of places are made of.
type scorer struct {
	isa             ISA
	r               Component
	x               Register
	channels        Register
	products, sums2 Register
	sums            []Register
	factor          Register
}

// scores emits a function that makes scores. prepare returns what emits a vector of them.
func scores(isa ISA, name string, prepare func(s *scorer) func() Register) {
	r := Func(name + isa.Name)
	s := &scorer{
		isa: isa, r: r,
		channels: Load(r.Field("channels"), GP64()),
		products: Load(r.Field("products").Base(), GP64()),
		sums2:    Load(r.Field("sums2").Base(), GP64()),
		sums:     Bases(r, "sums", 3),
		factor:   quad(isa, Address(r.Field("factor"))),
	}
	to, n := Load(r.Field("scores").Base(), GP64()), Load(r.Field("n"), GP64())
	emit := prepare(s)
	s.x = Counter()
	Loop("places", s.x, n, isa.Bytes/8, func() {
		isa.Store(emit(), Mem{Base: to, Index: s.x, Scale: 8})
	})
	isa.End()
}

// normalize emits the function that makes the scores of Correlation and Cosine.
func normalize(isa ISA) {
	scores(isa, "normalize", func(s *scorer) func() Register {
		centered := isa.Do(op.SubQuad, isa.Zero(), quad(isa, Address(s.r.Field("centered")))) // a mask
		return func() Register {
			numerator := s.times(Mem{Base: s.products, Index: s.x, Scale: 8})
			variation := s.times(Mem{Base: s.sums2, Index: s.x, Scale: 8})
			s.addSums(numerator, variation, centered)
			varies := varying(isa, variation)
			root := isa.Do(op.MulDouble, s.double(variation), quad(isa, Address(s.r.Field("variation"))))
			VSQRTPD(root, root)
			v := isa.Do(op.DivDouble, s.double(numerator), root)
			VMINPD(one(), v, v)
			if isa == AVX2 {
				VMAXPD(minusOne(), v, v)
				VPANDN(v, varies, v)
			} else {
				VMAXPD_Z(minusOne(), v, varies, v)
			}
			return v
		}
	})
}

// varying returns a mask of the numbers that are not 0, and with AVX2 of the others.
func varying(isa ISA, v Register) Register {
	if isa == AVX2 {
		w := isa.Vec()
		VPCMPEQQ(isa.Zero(), v, w)
		return w
	}
	k := K()
	VPTESTMQ(v, v, k)
	return k
}

// differ emits the function that makes the scores of Difference.
func differ(isa ISA) {
	scores(isa, "differ", func(s *scorer) func() Register {
		return func() Register {
			numerator := s.times(Mem{Base: s.products, Index: s.x, Scale: 8})
			s.addSums(numerator, nil, nil)
			VPSLLQ(U8(1), numerator, numerator)
			v := isa.Do(op.AddQuad, quad(isa, Address(s.r.Field("sum2"))), Mem{Base: s.sums2, Index: s.x, Scale: 8})
			isa.DoTo(op.SubQuad, v, numerator, v)
			w := isa.Do(op.DivDouble, s.double(v), quad(isa, Address(s.r.Field("largest"))))
			return isa.Do(op.SubDouble, isa.Load(one()), w)
		}
	})
}

// times returns the numbers of 64 bits at m times the factor, which has 32 bits.
func (s *scorer) times(m Mem) Register {
	isa := s.isa
	v := isa.Load(m)
	high := isa.Vec()
	VPSRLQ(U8(32), v, high)
	VPMULUDQ(s.factor, v, v)
	VPMULUDQ(s.factor, high, high)
	VPSLLQ(U8(32), high, high)
	isa.DoTo(op.AddQuad, v, high, v)
	return v
}

// addSums adds the sums of each channel times its offset to the numerators. It subtracts their
// squares from the variations, which may be nil, where the mask centered is set.
func (s *scorer) addSums(numerator, variation, centered Register) {
	isa := s.isa
	for c, sums := range s.sums {
		if c == 1 {
			CMPQ(s.channels, U8(1))
			JEQ(LabelRef("summed"))
		}
		v := signedQuads(isa, Mem{Base: sums, Index: s.x, Scale: 4})
		isa.DoTo(op.AddQuad, numerator, isa.Do(op.MulQuad, v, quad(isa, Address(s.r.Field("offsets").Index(c)))), numerator)
		if variation != nil {
			isa.DoTo(op.MulQuad, v, v, v)
			isa.DoTo(op.And, v, centered, v)
			isa.DoTo(op.SubQuad, variation, v, variation)
		}
	}
	Label("summed")
}

// double returns integers of 64 bits as doubles.
func (s *scorer) double(v Register) Register {
	isa := s.isa
	w := isa.Vec()
	if isa == AVX512 {
		VCVTQQ2PD(v, w)
		return w
	}
	// The upper 16 bits and the lower 48 are exact as the lower bits of larger doubles, so that only
	// their sum is rounded.
	VPSRAD(U8(16), v, w)
	VPBLENDW(U8(0b0011_0011), isa.Zero(), w, w)
	isa.DoTo(op.AddQuad, w, highMagic(), w)
	low := isa.Vec()
	VPBLENDW(U8(0b1000_1000), lowMagic(), v, low)
	isa.DoTo(op.SubDouble, w, bothMagic(), w)
	isa.DoTo(op.AddDouble, w, low, w)
	return w
}

var (
	one      = doubles("one", 1)
	minusOne = doubles("minusOne", -1)

	lowMagic  = doubles("lowMagic", 1<<52)
	highMagic = doubles("highMagic", 3<<67)
	bothMagic = doubles("bothMagic", 3<<67+1<<52)
)

// doubles returns a function that returns a table of equal doubles.
func doubles(name string, v float64) func() Mem {
	return ByteTable(name, 64, func(i int) uint8 { return uint8(math.Float64bits(v) >> (8 * (i % 8))) })
}
