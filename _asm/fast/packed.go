package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// lumaSSE2 emits the function that sets the luma of packed pixels, 16 at a time.
func lumaSSE2() {
	r := Func("lumaSSE2")
	dst, n := Load(r.Field("dst").Base(), GP64()), GP64()
	Load(r.Field("dst").Len(), n)
	src := Load(r.Field("src").Base(), GP64())
	shift, low := XMM(), XMM()
	MOVQ(Load(r.Field("shift"), GP64()), shift)
	PCMPEQB(low, low)
	PSRLW(U8(8), low)
	SUBQ(U8(16), n)
	JLT(LabelRef("done"))
	Comment("The luma of the pixels of a vector.")
	Align()
	Label("pixels")
	var luma [2]Register
	for i := range luma {
		v := XMM()
		MOVOU(Mem{Base: src, Disp: 16 * i}, v)
		PSRLW(shift, v)
		PAND(low, v)
		luma[i] = v
	}
	PACKUSWB(luma[1], luma[0])
	MOVOU(luma[0], Mem{Base: dst})
	ADDQ(U8(32), src)
	ADDQ(U8(16), dst)
	SUBQ(U8(16), n)
	JGE(LabelRef("pixels"))
	Label("done")
	RET()
}

// luma emits the same for NEON.
func (f *neonFunction) luma() {
	f.Begin("luma")
	dst, n, src, shift := f.Field("dst"), f.Len("dst"), f.Field("src"), f.Field("shift")
	// A load puts the bytes of pixels into two neighboring registers.
	bytes := []neon.V{f.V(), f.V()}
	f.SUBS(neon.Imm(16), n, n)
	f.BLT("done")
	f.CBNZ(shift, "second")
	for i, label := range []string{"first", "second"} {
		f.Comment("The luma of 16 pixels.")
		f.Label(label)
		f.VLD2(neon.B16, src.Post(32), bytes[0], bytes[1])
		f.VST1(neon.B16, dst.Post(16), bytes[i])
		f.SUBS(neon.Imm(16), n, n)
		f.BGE(label)
		if i == 0 {
			f.Label("done")
			f.RET()
		}
	}
	f.RET()
}
