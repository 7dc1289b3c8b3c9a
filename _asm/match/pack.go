package main

import (
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// packAtOnce is the number of descriptors that are packed at once, and of a block with AVX2.
const packAtOnce = 8

// packBlocks emits the function that makes blocks of descriptors, of which there is a whole number:
// with AVX-512 of 16, whose words of four bytes lie side by side, and with AVX2 of 8, where it is
// words of eight bytes, first those of the descriptors with even numbers and then the others.
func packBlocks(s ISA) {
	r := Func("pack" + s.Name)
	from, left := Load(r.Field("trains").Base(), GP64()), Load(r.Field("trains").Len(), GP64())
	to := Load(r.Field("packed").Base(), GP64())
	block := packAtOnce * s.Bytes / AVX2.Bytes
	Label("loop")
	for half := 0; half < descriptorBytes; half += descriptorBytes / 2 {
		// halves returns halves of descriptor i and of another one in the halves of a register.
		halves := func(i, other int) Register {
			at := func(i int) Mem { return Mem{Base: from, Disp: i*descriptorBytes + half} }
			return AVX2.LoadHalves(at(i), at(other))
		}
		if s == AVX512 {
			for first := 0; first < block; first += packAtOnce {
				var rows [4]Register
				for i := range rows {
					rows[i] = halves(first+i, first+i+4)
				}
				for i, column := range transposed(rows) {
					AVX2.Store(column, Mem{Base: to, Disp: (half+4*i)*block + 4*first})
				}
			}
			continue
		}
		for odd := range 2 {
			x, y := halves(odd, odd+4), halves(odd+2, odd+6)
			low, high := YMM(), YMM()
			VPUNPCKLQDQ(y, x, low)
			VPUNPCKHQDQ(y, x, high)
			at := Mem{Base: to, Disp: (odd*descriptorBytes + half) * block / 2}
			AVX2.Store(low, at)
			AVX2.Store(high, at.Offset(AVX2.Bytes))
		}
	}
	ADDQ(immediate(block*descriptorBytes), from)
	ADDQ(immediate(block*descriptorBytes), to)
	SUBQ(immediate(block), left)
	JNE(LabelRef("loop"))
	s.End()
}
