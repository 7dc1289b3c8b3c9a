package main

import (
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// places are the registers that turn the places of a pattern.
type places struct {
	xs, ys           Register
	cos, sin, stride VecVirtual
}

// newPlaces loads the fields of a sampleRun.
func newPlaces(r Component) places {
	broadcast := func(name string) VecVirtual {
		field, err := r.Field(name).Resolve()
		if err != nil {
			panic(err)
		}
		v := YMM()
		VPBROADCASTD(field.Addr, v)
		return v
	}
	return places{
		xs:     Load(r.Field("xs").Base(), GP64()),
		ys:     Load(r.Field("ys").Base(), GP64()),
		cos:    broadcast("cos"),
		sin:    broadcast("sin"),
		stride: broadcast("stride"),
	}
}

// offsets returns the offsets of the pixels of 8 places, from the one of that number on.
func (p *places) offsets(place int) VecVirtual {
	// No operations are fused, so each is rounded.
	x, y, column, row, product := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: p.xs, Disp: 4 * place}, x)
	VMOVUPS(Mem{Base: p.ys, Disp: 4 * place}, y)
	VMULPS(p.cos, x, column)
	VMULPS(p.sin, y, product)
	VSUBPS(product, column, column)
	VMULPS(p.sin, x, row)
	VMULPS(p.cos, y, product)
	VADDPS(product, row, row)
	VCVTPS2DQ(column, column)
	VCVTPS2DQ(row, row)
	VPMULLD(p.stride, row, row)
	VPADDD(column, row, row)
	return row
}

// advance moves on by n places.
func (p *places) advance(n int) {
	ADDQ(U8(4*n), p.xs)
	ADDQ(U8(4*n), p.ys)
}

// keypoint returns a pointer to the pixel of the keypoint of a sampleRun.
func keypoint(r Component) Register {
	pix := Load(r.Field("pix").Base(), GP64())
	ADDQ(Load(r.Field("at"), GP64()), pix)
	return pix
}

// sample emits the function that reads the pixels of a pattern, turned.
func sample() {
	r := Func("sampleAVX2")
	pix := keypoint(r)
	values := Load(r.Field("values").Base(), GP64())
	n := Load(r.Field("xs").Len(), GP64())
	p := newPlaces(r)
	buffer := AllocLocal(32)
	Comment("The pixels of eight places.")
	Align()
	Label("eight")
	VMOVDQU(p.offsets(0), buffer)
	for i := range 8 {
		offset, value := GP64(), GP32()
		MOVLQSX(buffer.Offset(4*i), offset)
		MOVBLZX(Mem{Base: pix, Index: offset, Scale: 1}, value)
		MOVB(value.As8(), Mem{Base: values, Disp: i})
	}
	p.advance(8)
	ADDQ(U8(8), values)
	SUBQ(U8(8), n)
	JNE(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

// pairs is the number of pairs of places in a pattern.
const pairs = 256

// compare emits the function that compares the pixels of pairs of places, 32 pairs at a
// time. The first places of all pairs come before the second ones.
//
// Reading what has just been written costs more than reading it a while later. So the
// places of the next 32 pairs are turned before the pixels of these are compared.
func compare() {
	const group = 32
	r := Func("compareAVX2")
	pix := keypoint(r)
	desc := Load(r.Field("desc"), GP64())
	p := newPlaces(r)
	buffers := AllocLocal(2 * 8 * group)
	these, next := GP64(), GP64()
	LEAQ(buffers, these)
	LEAQ(buffers.Offset(8*group), next)
	left := GP64() // the pairs to compare; in the first round a group more
	MOVQ(U32(pairs+group), left)
	Comment("The offsets of a group of pairs.")
	Align()
	Label("group")
	CMPQ(left, U32(group))
	JEQ(LabelRef("compare"))
	for i := 0; i < group; i += 8 {
		first, second, pair := p.offsets(i), p.offsets(pairs+i), YMM()
		VPUNPCKLDQ(second, first, pair)
		VMOVDQU(pair, Mem{Base: next, Disp: 8 * i})
		VPUNPCKHDQ(second, first, pair)
		VMOVDQU(pair, Mem{Base: next, Disp: 8*i + 32})
	}
	p.advance(group)
	CMPQ(left, U32(pairs+group))
	JEQ(LabelRef("next"))
	Comment("The bits of the comparisons.")
	Label("compare")
	bits := GP32()
	XORL(bits, bits)
	for i := group - 1; i >= 0; i-- {
		// Unpacking leaves the order 0 1 4 5 2 3 6 7.
		place := i&^6 | i&2<<1 | i&4>>1
		first, second, value := GP64(), GP64(), GP32()
		MOVQ(Mem{Base: these, Disp: 8 * place}, second)
		MOVLQSX(second.As32(), first)
		SARQ(U8(32), second)
		MOVBLZX(Mem{Base: pix, Index: first, Scale: 1}, value)
		CMPB(value.As8(), Mem{Base: pix, Index: second, Scale: 1}) // carries if less
		ADCL(bits, bits)
	}
	MOVL(bits, Mem{Base: desc})
	ADDQ(U8(4), desc)
	Label("next")
	XCHGQ(these, next)
	SUBQ(U8(group), left)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}
