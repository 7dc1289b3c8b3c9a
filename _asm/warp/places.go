package main

import (
	"math"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// float returns a register with a number in every place.
func float(isa ISA, n float64) Register {
	g, x, v := GP64(), XMM(), isa.Vec()
	MOVQ(U64(math.Float64bits(n)), g)
	VMOVQ(g, x)
	VPBROADCASTQ(x, v)
	return v
}

// counts are the first integers, as float64.
var counts = ByteTable("counts", 64, func(i int) uint8 { return uint8(math.Float64bits(float64(i/8)) >> (i % 8 * 8)) })

// project emits the function that makes places of a homography.
func project(isa ISA) {
	r := Func("project" + isa.Name)
	step := isa.Bytes / 8
	field := func(name string) Register {
		v := isa.Vec()
		VBROADCASTSD(Address(r.Field(name)), v)
		return v
	}
	x, y, n, i := Load(r.Field("x").Base(), GP64()), Load(r.Field("y").Base(), GP64()), Load(r.Field("n"), GP64()), Counter()
	x0, y0, w0, dx, dy, dw := field("x0"), field("y0"), field("w0"), field("dx"), field("dy"), field("dw")
	k := field("k")
	high := float(isa, math.MaxInt32)
	count, zero := isa.Load(counts()), isa.Zero()
	next := ByteTable("step"+isa.Name, isa.Bytes, func(i int) uint8 { return uint8(math.Float64bits(float64(step)) >> (i % 8 * 8)) })
	TESTQ(n, n)
	JEQ(LabelRef("done"))
	Comment("The places of a vector of pixels.")
	Loop("loop", i, n, step, func() {
		w := isa.Do(op.AddDouble, w0, isa.Do(op.MulDouble, dw, count))
		const notEqual = 4
		if isa == AVX512 {
			mask := K()
			VCMPPD(U8(notEqual), zero, w, mask)
			VDIVPD_Z(w, k, mask, w)
		} else {
			mask := isa.Vec()
			VCMPPD(U8(notEqual), zero, w, mask)
			VDIVPD(w, k, w)
			VANDPD(mask, w, w)
		}
		for _, c := range []struct{ first, step, to Register }{{x0, dx, x}, {y0, dy, y}} {
			v := isa.Do(op.AddDouble, c.first, isa.Do(op.MulDouble, c.step, count))
			VMULPD(w, v, v)
			Comment(
				"The second operand, which comes first here, is kept if it is not a number. Such a number",
				"is converted to the least one, and so are those that are less.",
			)
			VMINPD(v, high, v)
			to := Mem{Base: c.to, Index: i, Scale: 4}
			if isa == AVX512 {
				half := YMM()
				VCVTPD2DQ(v, half)
				VMOVDQU(half, to)
			} else {
				half := XMM()
				VCVTPD2DQY(v, half)
				VMOVDQU(half, to)
			}
		}
		VADDPD(next(), count, count)
	})
	Label("done")
	isa.End()
}

// scale emits the function that makes places of a map.
func scale(isa ISA) {
	r := Func("scale" + isa.Name)
	step := isa.Bytes / 4
	from, to, last, i := Load(r.Field("from").Base(), GP64()), Load(r.Field("to").Base(), GP64()), Load(r.Field("n"), GP64()), Counter()
	SUBQ(U8(step), last)
	k := isa.BroadcastFloat(Address(r.Field("k")))
	Comment("The places of a vector of pixels.")
	LoopWithin("loop", i, last, step, func() {
		v := isa.Do(op.MulFloat, k, Mem{Base: from, Index: i, Scale: 4})
		VCVTPS2DQ(v, v)
		isa.Store(v, Mem{Base: to, Index: i, Scale: 4})
	})
	isa.End()
}

// unpack emits the function that makes places of a fixed map.
func unpack(isa ISA) {
	r := Func("unpack" + isa.Name)
	step := isa.Bytes / 4
	xy, fraction := Load(r.Field("xy").Base(), GP64()), Load(r.Field("fraction").Base(), GP64())
	x, y := Load(r.Field("x").Base(), GP64()), Load(r.Field("y").Base(), GP64())
	last, i := Load(r.Field("n"), GP64()), Counter()
	SUBQ(U8(step), last)
	bits := isa.Long(31)
	Comment("The places of a vector of pixels.")
	LoopWithin("loop", i, last, step, func() {
		row, f := isa.Load(Mem{Base: xy, Index: i, Scale: 4}), isa.Vec()
		VPMOVZXWD(Mem{Base: fraction, Index: i, Scale: 2}, f)
		column := isa.Vec()
		VPSLLD(U8(16), row, column)
		VPSRAD(U8(16-5), column, column)
		VPSRAD(U8(16), row, row)
		VPSLLD(U8(5), row, row)
		low := isa.Do(op.And, f, bits)
		VPSRLD(U8(5), f, f)
		isa.DoTo(op.And, f, bits, f)
		isa.Store(isa.Do(op.AddLong, column, low), Mem{Base: x, Index: i, Scale: 4})
		isa.Store(isa.Do(op.AddLong, row, f), Mem{Base: y, Index: i, Scale: 4})
	})
	isa.End()
}
