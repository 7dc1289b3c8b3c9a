package main

import (
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// An extreme is one of the two kinds, as extremes goes along a row: greatest values or least
// ones.
type extreme struct {
	of                func(ops ...Op) // VMAXPS or VMINPS
	dst               Register
	before, here      VecVirtual // of the last two vectors; with AVX2, before are the halves of both that meet
	next, left, right VecVirtual
}

// extremes emits the function that computes the difference of two layers, and the greatest and
// least of nine differences.
func extremes(isa ISA) {
	r := Func("extremes" + isa.Name)
	var layers [4]Register
	for i := range layers {
		layers[i] = Load(r.Field("layers").Index(i).Base(), GP64())
	}
	center, n, x := Load(r.Field("center").Base(), GP64()), Load(r.Field("center").Len(), GP64()), Counter()
	kinds := []*extreme{
		{of: VMAXPS, dst: Load(r.Field("greatest").Base(), GP64())},
		{of: VMINPS, dst: Load(r.Field("least").Base(), GP64())},
	}
	for _, k := range kinds {
		k.before, k.here, k.next, k.left, k.right = isa.Vec(), isa.Vec(), isa.Vec(), isa.Vec(), isa.Vec()
	}
	// read computes the differences of a vector, and their extremes.
	read := func(dst func(k *extreme) VecVirtual) {
		at := func(i int) Mem { return Mem{Base: layers[i], Index: x, Scale: 4} }
		b, c := isa.Load(at(1)), isa.Load(at(2))
		first, middle, last := isa.Vec(), isa.Vec(), isa.Load(at(3))
		for i := range layers {
			PREFETCHT0(at(i).Offset(layerAhead))
		}
		VSUBPS(at(0), b, first)
		VSUBPS(b, c, middle)
		VSUBPS(c, last, last)
		isa.Store(middle, Mem{Base: center, Index: x, Scale: 4})
		for _, k := range kinds {
			k.of(first, middle, dst(k))
			k.of(last, dst(k), dst(k))
		}
	}
	// write stores the extremes of the vector before the one that was read, and of what is beside
	// its pixels.
	write := func() {
		for _, k := range kinds {
			if isa == AVX512 {
				VALIGND(U8(15), k.before, k.here, k.left)
				VALIGND(U8(1), k.here, k.next, k.right)
				VMOVAPS(k.here, k.before)
			} else {
				VPALIGNR(U8(12), k.before, k.here, k.left)
				VPERM2F128(U8(0x21), k.next, k.here, k.before)
				VPALIGNR(U8(4), k.here, k.before, k.right)
			}
			k.of(k.left, k.here, k.left)
			k.of(k.right, k.left, k.left)
			isa.Store(k.left, Mem{Base: k.dst, Index: x, Scale: 4, Disp: -isa.Bytes})
			VMOVAPS(k.next, k.here)
		}
	}
	read(func(k *extreme) VecVirtual { return k.here })
	for _, k := range kinds {
		if isa == AVX512 {
			VMOVAPS(k.here, k.before)
		} else {
			VPERM2F128(U8(0x21), k.here, k.here, k.before)
		}
		VMOVAPS(k.here, k.next)
	}
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, n)
	JGE(LabelRef("last"))
	Comment("The differences of a vector, and the extremes of the one before it.")
	Loop("vector", x, n, isa.Bytes/4, func() {
		read(func(k *extreme) VecVirtual { return k.next })
		write()
	})
	Label("last")
	write()
	isa.End()
}

// Predicates of VCMPPS.
const (
	ordLess    = 0x11
	ordAtMost  = 0x12
	ordAtLeast = 0x1d
	ordGreater = 0x1e
)

// candidates emits the function that marks extrema.
func candidates(isa ISA) {
	r := Func("candidates" + isa.Name)
	center := Load(r.Field("center").Base(), GP64())
	var greatest, least [3]Register
	for i := range greatest {
		greatest[i] = Load(r.Field("greatest").Index(i).Base(), GP64())
		least[i] = Load(r.Field("least").Index(i).Base(), GP64())
	}
	marks, n, x := Load(r.Field("marks").Base(), GP64()), Load(r.Field("marks").Len(), GP64()), Counter()
	threshold, negative := isa.Vec(), isa.Vec()
	VBROADCASTSS(Address(r.Field("threshold")), threshold)
	VXORPS(negative.AsX(), negative.AsX(), negative.AsX())
	VSUBPS(threshold, negative, negative)
	Comment("Sixteen pixels.")
	Align()
	Label("pixels")
	all := GP32()
	XORL(all, all)
	for part := range 64 / isa.Bytes {
		at := func(base Register) Mem { return Mem{Base: base, Index: x, Scale: 4, Disp: part * isa.Bytes} }
		v := isa.Load(at(center))
		bits := GP32()
		// extreme returns the extremes of all rows.
		extreme := func(of func(ops ...Op), rows [3]Register) VecVirtual {
			e := isa.Load(at(rows[0]))
			of(at(rows[1]), e, e)
			of(at(rows[2]), e, e)
			return e
		}
		most, fewest := extreme(VMAXPS, greatest), extreme(VMINPS, least)
		if isa == AVX512 {
			above, below := K(), K()
			VCMPPS(U8(ordGreater), threshold, v, above)
			VCMPPS(U8(ordAtLeast), most, v, above, above)
			VCMPPS(U8(ordLess), negative, v, below)
			VCMPPS(U8(ordAtMost), fewest, v, below, below)
			KORW(above, below, above)
			KMOVW(above, bits)
		} else {
			above, below := isa.Vec(), isa.Vec()
			VCMPPS(U8(ordGreater), threshold, v, above)
			VCMPPS(U8(ordAtLeast), most, v, most)
			VANDPS(most, above, above)
			VCMPPS(U8(ordLess), negative, v, below)
			VCMPPS(U8(ordAtMost), fewest, v, fewest)
			VANDPS(fewest, below, below)
			VORPS(above, below, above)
			VMOVMSKPS(above, bits)
			SHLL(U8(8*part), bits)
		}
		ORL(bits, all)
	}
	MOVW(all.As16(), Mem{Base: marks})
	ADDQ(U8(2), marks)
	ADDQ(U8(16), x)
	DECQ(n)
	JNE(LabelRef("pixels"))
	isa.End()
}
