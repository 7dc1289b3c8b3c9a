package main

import (
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// generateAMD64 emits the functions for AVX2 and AVX-512.
func generateAMD64() {
	for _, isa := range []ISA{AVX2, AVX512} {
		slide(isa)
		window(isa)
		accumulate(isa)
		span(isa)
		normalize(isa)
		differ(isa)
		respond(isa)
		seek(isa)
		respondLow(isa)
		seekLow(isa)
		blocks(isa)
		multiplyBlocks(isa)
		multiplyBands(isa)
		stride(isa)
		sumBlocks(isa)
		measure(isa)
		bound(isa)
	}
	multiply()
	multiplyBytes("multiply", "products", 8)
	multiplyBytes("multiplyLow", "lows", 4)
	fold()
	multiplyFolds()
	place()
}

// sliceBytes is the size of a slice, such as those of channels.
const sliceBytes = 24

// channelBase returns a register with the base pointer of a slice, an element of an array that
// is a field. at is the number of bytes before the element.
func channelBase(r Component, field string, at Register) GPVirtual {
	p := GP64()
	m := Address(r.Field(field).Index(0).Base())
	m.Index, m.Scale = at, 1
	MOVQ(m, p)
	return p
}

// eachChannel emits a loop over the channels. at is the number of bytes before an element of an
// array of slices.
func eachChannel(r Component, body func(at Register)) {
	at, left := Counter(), Load(r.Field("channels"), GP64())
	Label("channel")
	body(at)
	ADDQ(U8(sliceBytes), at)
	DECQ(left)
	JNE(LabelRef("channel"))
}

// widened returns the numbers of 32 bits in v, signed ones, as two vectors of numbers of 64 bits.
func widened(isa ISA, v Register) [2]Register {
	var list [2]Register
	for i, half := range halves(isa, v) {
		list[i] = isa.Vec()
		VPMOVSXDQ(half, list[i])
	}
	return list
}

// halves returns the lower and the upper half of a register.
func halves(isa ISA, v Register) [2]Register {
	if isa == AVX2 {
		x := XMM()
		VEXTRACTI128(U8(1), v, x)
		return [2]Register{lower(isa, v), x}
	}
	y := YMM()
	VEXTRACTI64X4(U8(1), v, y)
	return [2]Register{lower(isa, v), y}
}

// lower returns the lower half of a register.
func lower(isa ISA, v Register) Register {
	if isa == AVX2 {
		return v.(VecVirtual).AsX()
	}
	return v.(VecVirtual).AsY()
}

// unsignedQuads returns the numbers of 32 bits at m as numbers of 64 bits.
func unsignedQuads(isa ISA, m Mem) Register {
	v := isa.Vec()
	VPMOVZXDQ(m, v)
	return v
}

// signedQuads is unsignedQuads for signed numbers.
func signedQuads(isa ISA, m Mem) Register {
	v := isa.Vec()
	VPMOVSXDQ(m, v)
	return v
}

// quad returns a register with the 64 bits at m in every place.
func quad(isa ISA, m Mem) Register {
	v := isa.Vec()
	VPBROADCASTQ(m, v)
	return v
}
