package main

import (
	"fmt"

	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// generateAMD64 emits the functions for AVX2.
func generateAMD64() {
	readPatch()
	comparePatch()
}

// patchRows is the number of rows of a patch, which have 16 pixels in memory.
const patchRows = 10

// readPatch emits the function that copies a patch and sums its pixels with two sets
// of weights. For two neighboring pixels, the sums over all rows fit into 16 signed bits.
func readPatch() {
	r := Func("readPatchAVX2")
	pix := Load(r.Field("pix").Base(), GP64())
	stride := Load(r.Field("stride"), GP64())
	weights := Load(r.Field("weights"), GP64())
	dst := Load(r.Field("patch"), GP64())
	m10, m01, ones := XMM(), XMM(), XMM()
	VPXOR(m10, m10, m10)
	VPXOR(m01, m01, m01)
	Comment("The rows of the patch, and their weighted sums.")
	for row := range patchRows {
		pixels, product := XMM(), XMM()
		VMOVDQU(Mem{Base: pix}, pixels)
		VMOVDQU(pixels, Mem{Base: dst, Disp: 16 * row})
		VPMADDUBSW(Mem{Base: weights, Disp: 32 * row}, pixels, product)
		VPADDW(product, m10, m10)
		VPMADDUBSW(Mem{Base: weights, Disp: 32*row + 16}, pixels, product)
		VPADDW(product, m01, m01)
		ADDQ(stride, pix)
	}
	Comment("The sums of all columns.")
	VPCMPEQW(ones, ones, ones)
	VPABSW(ones, ones)
	VPMADDWD(ones, m10, m10)
	VPMADDWD(ones, m01, m01)
	VPHADDD(m01, m10, m10)
	VPHADDD(m10, m10, m10)
	g := GP64()
	VMOVD(m10, g.As32())
	MOVLQSX(g.As32(), g)
	Store(g, r.Field("m10"))
	VPEXTRD(U8(1), m10, g.As32())
	MOVLQSX(g.As32(), g)
	Store(g, r.Field("m01"))
	RET()
}

// comparePatch emits the function that compares the pixels of a patch at 32 pairs of
// places. A place is 16 times its row, plus its column.
func comparePatch() {
	r := Func("comparePatchAVX2")
	p := Load(r.Field("patch"), GP64())
	at := Load(r.Field("places"), GP64())
	var places, values [2]VecVirtual
	for i := range places {
		places[i], values[i] = YMM(), YMM()
		VMOVDQU(Mem{Base: at, Disp: 32 * i}, places[i])
		VPXOR(values[i], values[i], values[i])
	}
	bytes := func(value uint8) VecVirtual {
		v := YMM()
		VPBROADCASTB(ByteTable(fmt.Sprintf("bytes%#x", value), 1, func(int) uint8 { return value })(), v)
		return v
	}
	next, other := bytes(0x10), bytes(0x70)
	Comment("The values of places in each row.")
	for row := range patchRows {
		pixels := YMM()
		VBROADCASTI128(Mem{Base: p, Disp: 16 * row}, pixels)
		for i := range places {
			// The highest bits of places in other rows are set, for which the shuffle
			// gives 0.
			value := YMM()
			VPADDUSB(other, places[i], value)
			VPSHUFB(value, pixels, value)
			VPOR(value, values[i], values[i])
			VPSUBB(next, places[i], places[i])
		}
	}
	// The difference is 0 where the first value is not the greater one.
	VPSUBUSB(values[1], values[0], values[0])
	VPXOR(values[1], values[1], values[1])
	VPCMPEQB(values[0], values[1], values[0])
	bits := GP32()
	VPMOVMSKB(values[0], bits)
	NOTL(bits)
	Store(bits, r.Field("bits"))
	VZEROUPPER()
	RET()
}
