package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// A sampler emits the function that samples an image. It has as many places at once as a vector has
// numbers of 64 bits.
type sampler struct {
	isa ISA
	r   Component
	// The first pixel, the offset of the last four bytes in every place, and a byte.
	pix, most, byte Register
}

// half returns a new register for as many numbers of 32 bits as a vector has of 64.
func (s *sampler) half() VecVirtual {
	if s.isa == AVX512 {
		return YMM()
	}
	return XMM()
}

// double returns a field of 64 bits in every place.
func (s *sampler) double(field Component) Register {
	v := s.isa.Vec()
	VBROADCASTSD(Address(field), v)
	return v
}

// long returns a field of 32 bits in every place.
func (s *sampler) long(m Mem) Register {
	v := s.half()
	VPBROADCASTD(m, v)
	return v
}

// sample emits the function.
func sample(isa ISA) {
	s := &sampler{isa: isa, r: Func("sample" + isa.Name)}
	r := s.r
	s.pix = Load(r.Field("pix").Base(), GP64())
	n, i := Load(r.Field("values").Len(), GP64()), Counter()
	u, v, values := Load(r.Field("u").Base(), GP64()), Load(r.Field("v").Base(), GP64()), Load(r.Field("values").Base(), GP64())
	const word = 4
	last := s.spread(func(g reg.GPVirtual) {
		Load(r.Field("pix").Len(), g)
		SUBQ(U8(word), g)
	})
	s.most = last
	stride := s.spread(func(g reg.GPVirtual) { Load(r.Field("stride"), g) })
	s.byte = s.spread(func(g reg.GPVirtual) { MOVQ(U64(0xff), g) })
	TESTQ(n, n)
	JEQ(LabelRef("done"))
	Loop("places", i, n, isa.Bytes/8, func() {
		at := [2]Register{isa.Load(Mem{Base: u, Index: i, Scale: 8}), isa.Load(Mem{Base: v, Index: i, Scale: 8})}
		row := func(k int) Register {
			sum := isa.Do(op.MulDouble, at[0], s.double(r.Field("homography").Index(k)))
			isa.DoTo(op.AddDouble, sum, isa.Do(op.MulDouble, at[1], s.double(r.Field("homography").Index(k+1))), sum)
			isa.DoTo(op.AddDouble, sum, s.double(r.Field("homography").Index(k+2)), sum)
			return sum
		}
		w := row(6)
		column, fx := s.split(isa.Do(op.DivDouble, row(0), w), "right", "lastX")
		line, fy := s.split(isa.Do(op.DivDouble, row(3), w), "bottom", "lastY")
		upper, lower := s.half(), s.half()
		VPMULLD(stride, line, upper)
		VPADDD(column, upper, upper)
		VPADDD(stride, upper, lower)
		a, b := s.between(upper, fx), s.between(lower, fx)
		isa.DoTo(op.SubDouble, b, a, b)
		isa.DoTo(op.MulDouble, b, fy, b)
		isa.DoTo(op.AddDouble, a, b, a)
		isa.Store(a, Mem{Base: values, Index: i, Scale: 8})
	})
	Label("done")
	isa.End()
}

// spread returns the lower 32 bits of a number in every place.
func (s *sampler) spread(load func(g reg.GPVirtual)) Register {
	g, x, v := GP64(), XMM(), s.half()
	load(g)
	VMOVQ(g, x)
	VPBROADCASTD(x, v)
	return v
}

// split returns coordinates as the number of a pixel, up to that in a field, and as what is more. Those
// beyond the image are at its edge.
func (s *sampler) split(at Register, last, most string) (pixel, more Register) {
	isa := s.isa
	Comment("Zero, which comes first here, replaces what is not a number.")
	VMAXPD(isa.Zero(), at, at)
	VMINPD(s.double(s.r.Field(last)), at, at)
	pixel = s.half()
	if isa == AVX512 {
		VCVTTPD2DQ(at, pixel)
	} else {
		VCVTTPD2DQY(at, pixel)
	}
	VPMINSD(s.long(Address(s.r.Field(most))), pixel, pixel)
	whole := isa.Vec()
	VCVTDQ2PD(pixel, whole)
	isa.DoTo(op.SubDouble, at, whole, at)
	return pixel, at
}

// between returns the brightness between the pixel with an offset and the next one. Four bytes are read,
// which begin earlier where they would reach beyond the last pixel.
func (s *sampler) between(offset VecVirtual, share Register) Register {
	isa := s.isa
	from, pixels, mask := s.half(), s.half(), s.half()
	VPMINSD(s.most, offset, from)
	VPSUBD(from, offset, offset)
	VPSLLD(U8(3), offset, offset)
	m := Mem{Base: s.pix, Index: from, Scale: 1}
	if isa == AVX512 {
		k := K()
		KXNORB(k, k, k)
		VPGATHERDD(m, k, pixels)
	} else {
		VPCMPEQD(mask, mask, mask)
		VPGATHERDD(mask, m, pixels)
	}
	VPSRLVD(offset, pixels, pixels)
	next := s.half()
	VPSRLD(U8(8), pixels, next)
	VPAND(s.byte, next, next)
	VPAND(s.byte, pixels, pixels)
	VPSUBD(pixels, next, next)
	a, d := isa.Vec(), isa.Vec()
	VCVTDQ2PD(pixels, a)
	VCVTDQ2PD(next, d)
	isa.DoTo(op.MulDouble, d, share, d)
	isa.DoTo(op.AddDouble, a, d, a)
	return a
}
