package main

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A bounder emits what the bounds of a vector of places are made of.
type bounder struct {
	isa                    ISA
	r                      Component
	x                      Register
	products, norms, rests Register

	// Of the places, floats.
	numerator, norm, rest Register
	root                  Register // of the norm
}

// bound emits the function that makes bounds.
func bound(isa ISA) {
	b := &bounder{isa: isa, r: Func("bound" + isa.Name)}
	b.products, b.norms, b.rests = b.base("products"), b.base("norms"), b.base("rests")
	to, n := b.base("bounds"), Load(b.field("n"), GP64())
	last := GP64()
	lanes := isa.Bytes / 4
	LEAQ(Mem{Base: n, Disp: -lanes}, last)
	b.x = Counter()
	// The best places, those of each lane, and what their bounds must be more than.
	most, estimate, bar, at := isa.Load(minusTwo()), isa.Load(minusTwo()), b.float("bar"), isa.Vec()
	if isa == AVX2 {
		VPCMPEQD(at, at, at)
	} else {
		VPTERNLOGD(U8(0xff), at, at, at)
	}

	Align()
	Label("places")
	b.window()
	b.skip(to)
	b.root = isa.Vec()
	VSQRTPS(b.norm, b.root)
	q := isa.Vec()
	VSQRTPS(b.rest, q)
	VMULPS(b.float("q"), q, q)
	bounds := b.score("bound", isa.Do(op.AddFloat, b.numerator, q))
	zero := isa.Zero()
	flat := b.compare(equals, zero, b.norm)
	CMPL(Address(b.field("largest")), U8(0))
	JEQ(LabelRef("flat"))
	isa.Move(zero, flat)
	Label("flat")
	VANDNPS(bounds, flat, bounds)
	VADDPS(b.float("slack"), bounds, bounds)
	VMOVUPS(bounds, Mem{Base: to, Index: b.x, Scale: 4})
	VMAXPS(bounds, most, most)

	Comment("Does any place matter?")
	VANDNPS(b.compare(greater, bar, bounds), flat, flat)
	if isa == AVX2 {
		VTESTPS(flat, flat)
	} else {
		k := K()
		VPTESTMD(flat, flat, k)
		KTESTW(k, k)
	}
	JEQ(LabelRef("next"))
	rest := isa.Do(op.SubFloat, b.rest, b.float("lost"))
	VMAXPS(isa.Zero(), rest, rest)
	means := isa.Do(op.SubFloat, b.norm, rest)
	VSQRTPS(rest, q)
	VMULPS(b.float("q"), q, q)
	VMAXPS(oneFloat(), means, means)
	VSQRTPS(means, means)
	VMULPS(b.float("p"), means, means)
	VDIVPS(means, q, means)
	VADDPS(oneFloat(), means, means)
	VMULPS(b.numerator, means, means)
	e := b.score("estimate", means)
	VMINPS(bounds, e, e)
	larger := b.compare(greater, estimate, e)
	isa.DoTo(op.And, larger, flat, larger)
	b.blend(larger, e, estimate)
	VMAXPS(estimate, bar, bar)
	low, index := XMM(), isa.Vec()
	VMOVD(b.x.(GPVirtual).As32(), low)
	VPBROADCASTD(low, index)
	VPADDD(lanePlaces(), index, index)
	b.blend(larger, index, at)
	Label("next")
	CMPQ(b.x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(lanes), b.x)
	CMPQ(b.x, last)
	CMOVQGT(last, b.x)
	JMP(LabelRef("places"))
	Label("done")
	b.finish(most, estimate, at)
	isa.End()
}

// Predicates of VCMPPS, ordered.
const (
	equals  = U8(0)
	greater = U8(14)
)

// compare returns a vector of masks: where y compares with x.
func (b *bounder) compare(predicate U8, x, y Register) Register {
	v := b.isa.Vec()
	if b.isa == AVX2 {
		VCMPPS(predicate, x, y, v)
		return v
	}
	k := K()
	VCMPPS(predicate, x, y, k)
	VPMOVM2D(k, v)
	return v
}

// blend replaces numbers of dst by those of v where a mask is set.
func (b *bounder) blend(mask, v, dst Register) {
	if b.isa == AVX2 {
		VBLENDVPS(mask, v, dst, dst)
	} else {
		VPTERNLOGD(U8(0xd8), mask, v, dst)
	}
}

// skip emits what goes on without roots and quotients where no place can reach the cutoff.
func (b *bounder) skip(to Register) {
	isa := b.isa
	CMPL(Address(b.field("skipMeans")), U8(0))
	JEQ(LabelRef("reach"))
	square, more := isa.Zero(), isa.Vec()
	VMAXPS(b.numerator, square, square)
	isa.DoTo(op.MulFloat, square, square, square)
	VMULPS(b.float("skipMeans"), square, more)
	VADDPS(b.rest, more, more)
	all, numerator := isa.Do(op.MulFloat, b.norm, b.float("skipAll")), isa.Do(op.MulFloat, b.norm, b.float("skipNumerator"))
	if isa == AVX2 {
		VCMPPS(greater, all, more, more)
		VCMPPS(greater, numerator, square, square)
		VTESTPS(more, square)
	} else {
		k, both := K(), K()
		VCMPPS(greater, all, more, k)
		VCMPPS(greater, numerator, square, k, both)
		KTESTW(both, both)
	}
	JNE(LabelRef("reach"))
	isa.Store(isa.Load(minusTwo()), Mem{Base: to, Index: b.x, Scale: 4})
	JMP(LabelRef("next"))
	Label("reach")
}

// field returns a field of the argument, or of a struct that it embeds.
func (b *bounder) field(name string) Component { return Field(b.r, name) }

// base returns a register with the address of a slice.
func (b *bounder) base(name string) Register { return Load(b.field(name).Base(), GP64()) }

// float returns a register with a field, of 32 bits, in every place.
func (b *bounder) float(name string) Register { return b.isa.BroadcastFloat(Address(b.field(name))) }

// element is float for an element of an array.
func (b *bounder) element(name string, c int) Register {
	return b.isa.BroadcastFloat(Address(b.field(name).Index(c)))
}

// longs returns the address of numbers of 32 bits of the places.
func (b *bounder) longs(p Register) Mem { return Mem{Base: p, Index: b.x, Scale: 4} }

// channel is longs for a slice, an element of an array.
func (b *bounder) channel(name string, c int) Mem {
	return b.longs(Load(b.field(name).Index(c).Base(), GP64()))
}

// means returns the address of the means of a channel.
func (b *bounder) means(c int) Mem {
	return Mem{Base: Load(b.field("means").Index(c).Base(), GP64()), Index: b.x, Scale: 1}
}

// eachChannel emits what body does for each channel.
func (b *bounder) eachChannel(body func(c int)) {
	for c := range 3 {
		if c == 1 {
			CMPQ(Address(b.field("channels")), U8(1))
			JEQ(LabelRef("windows"))
		}
		body(c)
	}
	Label("windows")
}

// unless emits what body does if a field, of 32 bits, is not 0.
func (b *bounder) unless(field, label string, body func()) {
	CMPL(Address(b.field(field)), U8(0))
	JEQ(LabelRef(label))
	body()
	Label(label)
}

// window sets the numbers of a vector of places.
func (b *bounder) window() {
	isa := b.isa
	product, numerator := isa.Load(b.longs(b.products)), b.float("margin")
	b.eachChannel(func(c int) {
		mean, v := isa.LoadLongs(b.means(c), nil), isa.Vec()
		VPMULLD(b.element("meanProducts", c), mean, v)
		isa.DoTo(op.AddLong, product, v, product)
		b.unless("offset", fmt.Sprint("even", c), func() {
			VCVTDQ2PS(mean, v)
			isa.DoTo(op.AddFloat, numerator, isa.Do(op.MulFloat, v, b.element("meanOffsets", c)), numerator)
		})
		b.unless("rest", fmt.Sprint("whole", c), func() {
			VMULPS(b.channel("lacks", c), b.element("restMeans", c), v)
			isa.DoTo(op.AddFloat, numerator, v, numerator)
		})
	})
	VCVTDQ2PS(product, product)
	isa.DoTo(op.MulFloat, product, b.float("scale"), product)
	b.numerator = isa.Do(op.AddFloat, product, numerator)
	b.norm, b.rest = isa.Load(b.longs(b.norms)), isa.Load(b.longs(b.rests))
}

// measure emits the function that makes what bounds need to know of windows.
func measure(isa ISA) {
	b := &bounder{isa: isa, r: Func("measure" + isa.Name)}
	sums2, from, norms, rests := b.base("sums2"), b.base("squares"), b.base("norms"), b.base("rests")
	n := Load(b.field("n"), GP64())
	b.x = Counter()
	one := isa.Long(1)
	Loop("places", b.x, n, isa.Bytes/4, func() {
		squares := isa.Load(b.longs(sums2))
		left := isa.Vec()
		isa.Move(squares, left)
		all, less, rest := isa.Zero(), isa.Zero(), isa.Zero()
		b.eachChannel(func(c int) {
			sum := isa.Load(b.channel("sums", c))
			mean := b.mean(sum, "reciprocal")
			b.storeBytes(mean, b.means(c))
			lack := b.lack(sum, mean, "pixels")
			more, v := isa.Do(op.AddLong, sum, lack), isa.Vec()
			VPMULLD(mean, more, v)
			isa.DoTo(op.SubLong, squares, v, squares)
			b.addSquares(lack, "reciprocal", less)
			b.unless("raw", fmt.Sprint("centered", c), func() {
				VCVTDQ2PS(mean, v)
				VCVTDQ2PS(more, more)
				isa.DoTo(op.AddFloat, all, isa.Do(op.MulFloat, more, v), all)
			})
			b.unless("rest", fmt.Sprint("whole", c), func() {
				isa.DoTo(op.SubLong, sum, b.channel("inner", c), sum)
				lack = b.lack(sum, mean, "rest")
				VCVTDQ2PS(lack, lack)
				VMOVUPS(lack, b.channel("lacks", c))
				mean = b.mean(sum, "restReciprocal")
				lack = b.lack(sum, mean, "rest")
				isa.DoTo(op.AddLong, sum, lack, sum)
				VPMULLD(mean, sum, sum)
				isa.DoTo(op.SubLong, left, sum, left)
				b.addSquares(lack, "restReciprocal", rest)
			})
		})
		VPMULLD(b.float("factor"), left, left)
		isa.DoTo(op.SubLong, left, b.longs(from), left)
		VPSRLD(U8(1), left, left)
		isa.DoTo(op.AddLong, left, one, left)
		VCVTDQ2PS(squares, squares)
		VCVTDQ2PS(left, left)
		isa.DoTo(op.MulFloat, left, b.float("unit"), left)
		norm := isa.Do(op.SubFloat, squares, less)
		b.unless("raw", "centered", func() { VADDPS(all, squares, norm) })
		VMOVUPS(norm, b.longs(norms))
		isa.DoTo(op.SubFloat, left, rest, left)
		VMAXPS(isa.Zero(), left, left)
		VMINPS(norm, left, left)
		VADDPS(least(), left, left)
		VMOVUPS(left, b.longs(rests))
	})
	isa.End()
}

// storeBytes stores numbers of 32 bits, at most 255, as bytes.
func (b *bounder) storeBytes(v Register, m Mem) {
	if b.isa == AVX512 {
		VPMOVDB(v, m)
		return
	}
	w, high := b.isa.Vec(), XMM()
	VPACKUSDW(v, v, w)
	VPACKUSWB(w, w, w)
	VEXTRACTI128(U8(1), w, high)
	low := lower(b.isa, w)
	VPUNPCKLDQ(high, low, low)
	VMOVQ(low, m)
}

// mean returns sums times a reciprocal, rounded to integers.
func (b *bounder) mean(sum Register, reciprocal string) Register {
	v := b.isa.Vec()
	VCVTDQ2PS(sum, v)
	VMULPS(b.float(reciprocal), v, v)
	VCVTPS2DQ(v, v)
	return v
}

// lack returns sums less the means of a number of pixels.
func (b *bounder) lack(sum, mean Register, pixels string) Register {
	v := b.isa.Vec()
	VPMULLD(b.float(pixels), mean, v)
	VPSUBD(v, sum, v)
	return v
}

// addSquares makes numbers floats and adds their squares, times a reciprocal, to a sum.
func (b *bounder) addSquares(v Register, reciprocal string, sum Register) {
	VCVTDQ2PS(v, v)
	w := b.isa.Do(op.MulFloat, v, v)
	b.isa.DoTo(op.MulFloat, w, b.float(reciprocal), w)
	b.isa.DoTo(op.AddFloat, sum, w, sum)
}

// score returns the scores of numerators. Its labels begin with label.
func (b *bounder) score(label string, numerator Register) Register {
	isa := b.isa
	v, w := isa.Vec(), isa.Vec()
	CMPL(Address(b.field("largest")), U8(0))
	JNE(LabelRef(label + "Difference"))
	VDIVPS(b.root, numerator, v)
	JMP(LabelRef(label + "Scored"))
	Label(label + "Difference")
	VMULPS(b.float("error"), b.root, v)
	VADDPS(numerator, v, v)
	VADDPS(v, v, v)
	VADDPS(b.float("sum2"), b.norm, w)
	VSUBPS(v, w, w)
	VDIVPS(b.float("largest"), w, w)
	VMOVUPS(oneFloat(), v)
	VSUBPS(w, v, v)
	Label(label + "Scored")
	return v
}

// finish stores the best of the places. Of equal estimates the first one counts.
func (b *bounder) finish(most, estimate, at Register) {
	isa := b.isa
	type swap func(v, w Register)
	var swaps []swap
	if isa == AVX2 {
		swaps = append(swaps, func(v, w Register) { VPERM2I128(U8(1), v, v, w) })
	}
	for _, order := range []U8{0b01_00_11_10, 0b10_11_00_01} {
		if isa == AVX512 {
			swaps = append(swaps, func(v, w Register) { VSHUFI64X2(order, v, v, w) })
		}
	}
	for _, order := range []U8{0b01_00_11_10, 0b10_11_00_01} {
		swaps = append(swaps, func(v, w Register) { VPSHUFD(order, v, w) })
	}
	for _, s := range swaps {
		swapped := func(v Register) Register {
			w := isa.Vec()
			s(v, w)
			return w
		}
		VMAXPS(swapped(most), most, most)
		other, place := swapped(estimate), swapped(at)
		first := isa.Vec()
		if isa == AVX2 {
			VPCMPGTD(place, at, first)
		} else {
			k := K()
			VPCMPGTD(place, at, k)
			VPMOVM2D(k, first)
		}
		isa.DoTo(op.And, b.compare(equals, estimate, other), first, first)
		isa.DoTo(op.Or, b.compare(greater, estimate, other), first, first)
		b.blend(first, other, estimate)
		b.blend(first, place, at)
	}
	low := func(v Register) Register { return v.(VecVirtual).AsX() }
	VMOVSS(low(most), Address(b.field("most")))
	VMOVSS(low(estimate), Address(b.field("estimate")))
	g := GP64()
	VMOVD(low(at), g.As32())
	MOVLQSX(g.As32(), g)
	Store(g, b.field("at"))
}

var (
	least = longs("least", func(int) uint32 { return math.Float32bits(1e-3) })

	minusTwo   = longs("minusTwo", func(int) uint32 { return math.Float32bits(-2) })
	oneFloat   = longs("oneFloat", func(int) uint32 { return math.Float32bits(1) })
	lanePlaces = longs("lanePlaces", func(i int) uint32 { return uint32(i) })
)

// longs returns a function that returns a table of sixteen numbers of 32 bits.
func longs(name string, value func(i int) uint32) func() Mem {
	return ByteTable(name, 64, func(i int) uint8 { return uint8(value(i/4) >> (8 * (i % 4))) })
}
