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

// scores emits a function that makes scores and stores them in a field, scores or responses. prepare
// returns what emits a vector of them.
func scores(isa ISA, name, field string, prepare func(s *scorer) func() Register) {
	r := Func(name + isa.Name)
	s := newScorer(isa, r)
	to, n := Load(r.Field(field).Base(), GP64()), Load(r.Field("n"), GP64())
	emit := prepare(s)
	s.x = Counter()
	Loop("places", s.x, n, isa.Bytes/8, func() {
		v := emit()
		if field == "scores" {
			isa.Store(v, Mem{Base: to, Index: s.x, Scale: 8})
		} else {
			isa.StoreFloats(v, Mem{Base: to, Index: s.x, Scale: 4})
		}
	})
	isa.End()
}

// newScorer returns a scorer with what is in r.
func newScorer(isa ISA, r Component) *scorer {
	return &scorer{
		isa: isa, r: r,
		channels: Load(r.Field("channels"), GP64()),
		products: Load(r.Field("products").Base(), GP64()),
		sums2:    Load(r.Field("sums2").Base(), GP64()),
		sums:     Bases(r, "sums", 3),
		factor:   quad(isa, Address(r.Field("factor"))),
	}
}

// normalize emits the function that makes the scores of Correlation and Cosine.
func normalize(isa ISA) {
	scores(isa, "normalize", "scores", func(s *scorer) func() Register {
		centered := s.centered()
		return func() Register { return s.quotient(s.operands(centered)) }
	})
}

// centered returns a mask that is set where the squares of sums count.
func (s *scorer) centered() Register {
	return s.isa.Do(op.SubQuad, s.isa.Zero(), quad(s.isa, Address(s.r.Field("centered"))))
}

// operands returns what the scores of Correlation and Cosine are made of, as doubles: the numerators,
// and the products of the variations of the template and of windows. varies is as varying returns it.
func (s *scorer) operands(centered Register) (numerator, product, varies Register) {
	numerator, variation := s.integers(centered)
	varies = varying(s.isa, variation)
	product = s.isa.Do(op.MulDouble, s.double(variation), quad(s.isa, Address(s.r.Field("variation"))))
	return s.double(numerator), product, varies
}

// integers returns the numerators and the variations of windows.
func (s *scorer) integers(centered Register) (numerator, variation Register) {
	numerator = s.times(Mem{Base: s.products, Index: s.x, Scale: 8})
	variation = s.times(Mem{Base: s.sums2, Index: s.x, Scale: 8})
	s.addSums(numerator, variation, centered)
	return numerator, variation
}

// quotient returns scores, each operation rounded once.
func (s *scorer) quotient(numerator, product, varies Register) Register {
	root := s.isa.Vec()
	VSQRTPD(product, root)
	v := s.isa.Do(op.DivDouble, numerator, root)
	VMINPD(one(), v, v)
	if s.isa == AVX2 {
		VMAXPD(minusOne(), v, v)
		VPANDN(v, varies, v)
	} else {
		VMAXPD_Z(minusOne(), v, varies, v)
	}
	return v
}

// approximation returns scores that are not clipped, with AVX-512, off by less than 2^-40 of themselves.
//
// An estimate y of 1/sqrt(p), off by less than 2^-14, has e = 1 - p*y*y, which is less than 2^-12.9. The
// series y * (1 + e/2 + 3/8*e^2) leaves out less than 0.32*e^3, and rounding takes less than 2^-50.
func (s *scorer) approximation(numerator, product, varies Register) Register {
	y, v, c := s.isa.Vec(), s.isa.Vec(), s.isa.Load(threeEighths())
	VRSQRT14PD(product, y)
	e := s.isa.Do(op.MulDouble, product, y)
	VFNMADD213PD(one(), y, e)
	VMULPD(y, numerator, v)
	VFMADD213PD(half(), e, c)
	VMULPD(e, c, c)
	VFMADD213PD_Z(v, v, varies, c)
	return c
}

// respond emits the function that makes scores as float32. With AVX-512 it rounds approximations, and
// where one of them is so close to the middle between two neighbors that it may lie on the wrong side,
// those of its vector are made anew. With AVX2 roots and quotients take no longer.
func respond(isa ISA) {
	scores(isa, "respond", "responses", func(s *scorer) func() Register {
		centered := s.centered()
		return func() Register {
			numerator, product, varies := s.operands(centered)
			if isa == AVX2 {
				return s.quotient(numerator, product, varies)
			}
			v := s.approximation(numerator, product, varies)
			w, k, doubtful := isa.Do(op.AddQuad, v, toMiddle()), K(), GP32()
			VPTESTNMQ(farther(), w, k)
			KMOVB(k, doubtful)
			TESTL(doubtful, doubtful)
			JEQ(LabelRef("sure"))
			isa.Move(s.quotient(numerator, product, varies), v)
			Label("sure")
			VMINPD(one(), v, v)
			VMAXPD(minusOne(), v, v)
			return v
		}
	})
}

// seek emits the function that looks for a score. Where numerators are more than 0, their squares are
// compared with that of the threshold times the variations of the template and of windows.
func seek(isa ISA) {
	r := Func("seek" + isa.Name)
	s := newScorer(isa, r)
	n := Load(r.Field("n"), GP64())
	s.x = Load(r.Field("place"), GP64())
	centered, threshold, zero := s.centered(), quad(isa, Address(r.Field("threshold"))), isa.Zero()
	isa.DoTo(op.MulDouble, threshold, threshold, threshold)
	isa.DoTo(op.MulDouble, threshold, quad(isa, Address(r.Field("variation"))), threshold)
	CMPQ(s.x, n)
	JGE(LabelRef("found"))
	Align()
	Label("places")
	numerator, variation := s.integers(centered)
	v := s.double(numerator)
	VMAXPD(zero, v, v)
	isa.DoTo(op.MulDouble, v, v, v)
	w := isa.Do(op.MulDouble, s.double(variation), threshold)
	any := GP32()
	if isa == AVX2 {
		VCMPPD(U8(greater), w, v, v)
		VMOVMSKPD(v, any)
	} else {
		k := K()
		VCMPPD(U8(greater), w, v, k)
		KMOVB(k, any)
	}
	TESTL(any, any)
	JNE(LabelRef("found"))
	ADDQ(U8(isa.Bytes/8), s.x)
	CMPQ(s.x, n)
	JLT(LabelRef("places"))
	Label("found")
	Store(s.x, r.Field("place"))
	isa.End()
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
	scores(isa, "differ", "scores", func(s *scorer) func() Register {
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

	half         = doubles("half", 1./2)
	threeEighths = doubles("threeEighths", 3./8)

	// The lower 29 bits of a double, plus toMiddle, have none of those of farther if they are within
	// doubt of the middle between two floats: 2^-39 of the double at least.
	toMiddle = quads("toMiddle", 1<<28+doubt)
	farther  = quads("farther", 1<<29-2*doubt)

	lowMagic  = doubles("lowMagic", 1<<52)
	highMagic = doubles("highMagic", 3<<67)
	bothMagic = doubles("bothMagic", 3<<67+1<<52)
)

// doubt is how far an approximation may be off, in units of the last bit of a double. It is a power of
// two.
const doubt = 1 << 14

// doubles returns a function that returns a table of equal doubles.
func doubles(name string, v float64) func() Mem { return quads(name, math.Float64bits(v)) }

// quads returns a function that returns a table of equal numbers of 64 bits.
func quads(name string, v uint64) func() Mem {
	return ByteTable(name, 64, func(i int) uint8 { return uint8(v >> (8 * (i % 8))) })
}
