package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// resize emits the function that makes rows of a resized image.
func resize(isa ISA) {
	r := Func("resize" + isa.Name)
	base := func(name string) Register { return Load(r.Field(name).Base(), GP64()) }
	dst, tap, rows := base("dst"), base("rows"), Load(r.Field("rows").Len(), GP64())
	next, length := Load(r.Field("next"), GP64()), Load(r.Field("even").Len(), GP64())
	sign, bias, order := isa.Vec(), isa.Vec(), isa.Vec()
	g := GP32()
	MOVL(U32(0x80808080), g)
	VMOVD(g, sign.AsX())
	VPBROADCASTD(sign.AsX(), sign)
	Load(r.Field("bias"), g)
	VMOVD(g, bias.AsX())
	VPBROADCASTD(bias.AsX(), bias)
	if isa == AVX512 {
		table := ByteTable("resizeOrder", isa.Bytes, func(i int) uint8 {
			if i%8 > 0 {
				return 0
			}
			return []uint8{0, 2, 4, 6, 1, 3, 5, 7}[i/8]
		})
		VMOVDQU64(table(), order)
	}
	// line returns the line of a row.
	line := func(row Register) Register {
		even, odd := base("even"), base("odd")
		BTQ(U8(0), row)
		CMOVQCS(odd, even)
		return even
	}

	Comment("The lines of both rows that a row is made of, unless they are there already.")
	Label("row")
	pair, size := Element("rows", tap)
	first, second := Load(pair.Field("first"), GP64()), Load(pair.Field("second"), GP64())
	CMPQ(next, first)
	CMOVQLT(first, next)
	Label("lines")
	CMPQ(next, second)
	JGT(LabelRef("blend"))
	interpolate(isa, r, next, line(next), length, sign)
	INCQ(next)
	JMP(LabelRef("lines"))

	Comment("Their weighted sum.")
	Label("blend")
	upper, lower := line(first), line(second)
	weights := isa.Vec()
	VPBROADCASTD(Address(pair.Field("weights")), weights)
	x := Counter()
	Loop("pixels", x, length, isa.Bytes, func() {
		var words [2]VecVirtual
		for i := range words {
			u := isa.Load(Mem{Base: upper, Index: x, Scale: 2, Disp: i * isa.Bytes})
			l := isa.Load(Mem{Base: lower, Index: x, Scale: 2, Disp: i * isa.Bytes})
			words[i] = isa.Vec()
			VPUNPCKLWD(l, u, words[i])
			VPUNPCKHWD(l, u, u)
			for _, v := range []VecVirtual{words[i], u} {
				VPMADDWD(weights, v, v)
				VPADDD(bias, v, v)
				VPSRLD(U8(16), v, v)
			}
			VPACKUSDW(u, words[i], words[i])
		}
		VPACKUSWB(words[1], words[0], words[0])
		if isa == AVX512 {
			VPERMQ(words[0], order, words[0])
		} else {
			VPERMQ(U8(0xd8), words[0], words[0])
		}
		isa.Store(words[0], Mem{Base: dst, Index: x, Scale: 1})
	})

	ADDQ(Load(r.Field("dstStride"), GP64()), dst)
	ADDQ(U8(size), tap)
	DECQ(rows)
	JNE(LabelRef("row"))
	Store(next, r.Field("next"))
	isa.End()
}

// interpolate emits the loop that makes a line of a row.
//
// It subtracts 128 from the pixels, which then are signed bytes. So the sum of two products,
// with weights of 256 in all, fits into 16 signed bits.
func interpolate(isa ISA, r Component, row, line, length Register, sign Register) {
	src := Load(r.Field("srcStride"), GP64())
	IMULQ(row, src)
	start := Load(r.Field("src").Base(), GP64())
	ADDQ(start, src)
	bases := Load(r.Field("bases").Base(), GP64())
	shuffles := Load(r.Field("shuffles").Base(), GP64())
	weights := Load(r.Field("weights").Base(), GP64())
	x := Counter()
	Loop("line", x, length, isa.Bytes/2, func() {
		var windows [2]GPVirtual
		pixels := isa.Vec()
		base := func(i int) Mem {
			windows[i] = GP64()
			MOVLQSX(Mem{Base: bases, Disp: 4 * i}, windows[i])
			return Mem{Base: src, Index: windows[i], Scale: 1}
		}
		shuffle := Mem{Base: shuffles, Index: x, Scale: 2}
		if isa == AVX512 {
			VPERMB(base(0), isa.Load(shuffle), pixels)
			ADDQ(U8(4), bases)
		} else {
			VMOVDQU(base(0), pixels.AsX())
			VINSERTI128(U8(1), base(1), pixels, pixels)
			VPSHUFB(shuffle, pixels, pixels)
			ADDQ(U8(8), bases)
		}
		isa.DoTo(op.Xor, pixels, sign, pixels)
		VPMADDUBSW(pixels, isa.Load(Mem{Base: weights, Index: x, Scale: 2}), pixels)
		isa.Store(pixels, Mem{Base: line, Index: x, Scale: 2})
	})
}
