package main

import (
	"fmt"

	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// taps is the number of pixels of a row, and of rows, that a smoothed pixel is made of.
const taps = 7

// smooth emits the function that smooths rows of 8 or 16 pixels. The sums of the last seven
// rows are in registers. With AVX2 these take turns, so an iteration of the loop does seven
// rows. With AVX-512 moving the sums is as fast, and shorter.
func smooth(isa ISA) {
	r := Func("smooth" + isa.Name)
	src := Load(r.Field("src").Base(), GP64())
	stride := Load(r.Field("stride"), GP64())
	dst := Load(r.Field("dst").Base(), GP64())
	dstStride := Load(r.Field("dstStride"), GP64())
	rows := Load(r.Field("rows"), GP64())
	all := Load(r.Field("weights"), GP64())
	var weights [taps/2 + 1]Register // from the middle on
	for i := range weights {
		weights[i] = isa.Vec()
		VBROADCASTSS(Mem{Base: all, Disp: 4 * (taps/2 + i)}, weights[i])
	}
	weight := func(i int) Register { return weights[max(i-taps/2, taps/2-i)] }

	var lines [taps]Register
	for i := range lines {
		lines[i] = isa.Vec()
	}
	phases := taps
	if isa == AVX512 {
		phases = 1
	}
	missing := GP64()
	MOVQ(U32(taps-1), missing)
	Comment("The sums along the next row, and then the sums down the columns.")
	Align()
	Label("rows")
	for phase := range phases {
		line := func(i int) Register { return lines[(phase+i)%taps] } // the sums from the upper one on
		last, pixels := line(taps-1), isa.Vec()
		for i := range taps {
			VPMOVZXBD(Mem{Base: src, Disp: i}, pixels)
			VCVTDQ2PS(pixels, pixels)
			if i == 0 {
				VMULPS(weight(0), pixels, last)
			} else {
				VFMADD231PS(weight(i), pixels, last)
			}
		}
		ADDQ(stride, src)
		next := fmt.Sprint("next", phase)
		SUBQ(U8(1), missing)
		JGE(LabelRef(next))
		sum, pair := isa.Vec(), isa.Vec()
		VMULPS(weight(taps/2), line(taps/2), sum)
		for d := 1; d <= taps/2; d++ {
			VADDPS(line(taps/2+d), line(taps/2-d), pair)
			VFMADD231PS(weight(taps/2+d), pair, sum)
		}
		VCVTPS2DQ(sum, sum)
		if isa == AVX512 {
			VPMOVUSDB(sum, Mem{Base: dst})
		} else {
			high := XMM()
			VEXTRACTI128(U8(1), sum, high)
			VPACKUSDW(high, sum.AsX(), high)
			VPACKUSWB(high, high, high)
			VMOVQ(high, Mem{Base: dst})
		}
		ADDQ(dstStride, dst)
		DECQ(rows)
		JEQ(LabelRef("done"))
		Label(next)
	}
	for i := phases; i < taps; i++ {
		VMOVAPS(lines[i], lines[i-phases])
	}
	JMP(LabelRef("rows"))
	Label("done")
	VZEROUPPER()
	RET()
}
