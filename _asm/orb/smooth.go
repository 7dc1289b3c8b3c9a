package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// taps is the number of pixels of a row, and of rows, that a smoothed pixel is made of.
const taps = 7

// smooth emits the function that smooths rows of 8 or 16 pixels.
//
// The sums of seven rows are in registers that take turns, so an iteration of the loop does
// seven rows.
func smooth(isa vec.ISA) {
	r := vec.Func("smooth" + isa.Name)
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
	line := func(i int) Register { return lines[(i+taps)%taps] }
	// next makes the sum of the next row.
	next := func(sum Register) {
		pixels := isa.Vec()
		for i := range taps {
			VPMOVZXBD(Mem{Base: src, Disp: i}, pixels)
			VCVTDQ2PS(pixels, pixels)
			if i == 0 {
				VMULPS(weight(0), pixels, sum)
			} else {
				VFMADD231PS(weight(i), pixels, sum)
			}
		}
		ADDQ(stride, src)
	}
	for i := range taps - 1 {
		next(line(i))
	}
	vec.Align()
	Label("rows")
	for i := range taps {
		next(line(i + taps - 1))
		sum, pair := isa.Vec(), isa.Vec()
		VMULPS(weight(taps/2), line(i+taps/2), sum)
		for d := 1; d <= taps/2; d++ {
			VADDPS(line(i+taps/2+d), line(i+taps/2-d), pair)
			VFMADD231PS(weight(taps/2+d), pair, sum)
		}
		VCVTPS2DQ(sum, sum)
		if isa == vec.AVX512 {
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
	}
	JMP(LabelRef("rows"))
	Label("done")
	VZEROUPPER()
	RET()
}
