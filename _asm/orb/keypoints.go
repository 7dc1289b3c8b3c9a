package main

import (
	"github.com/fastcorners/fast/_asm/internal/layout"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// harris emits the function that sums the products of the gradients around corners.
//
// Lane 0 of the vectors is for the gradients along x, and lane 1 for those along y. Both
// hold 7 words, for the pixels of a row. First come the differences p[x+1]-p[x-1] of a row
// in lane 0, and the sums p[x-1]+2p[x]+p[x+1] in lane 1; then the sums of two rows in lane
// 0, and their differences in lane 1; and then the sums of two of these, one row apart.
// That is Sobel's gradient in either lane.
func harris() {
	r := Func("harrisAVX2")
	pix, stride := Load(r.Field("pix").Base(), GP64()), Load(r.Field("stride"), GP64())
	corners, n := Load(r.Field("corners").Base(), GP64()), Load(r.Field("corners").Len(), GP64())
	sums := Load(r.Field("sums").Base(), GP64())
	layout.RequireWords(layout.Element(Points("r"), "sums"), 4, "xx", "yy", "xy")
	corner, cornerSize := Element("corners", corners)
	_, sumsSize := Element("sums", sums)
	const none = 0x80 // which a shuffle turns into 0
	// of makes a table of pairs of bytes for each of the 7 words of a lane.
	of := func(name string, rest uint8, pair func(lane, word int) [2]uint8) VecVirtual {
		table := ByteTable(name, 32, func(i int) uint8 {
			lane, word := i/16, i%16/2
			if word == 7 {
				return rest
			}
			return pair(lane, word)[i%2]
		})
		v := YMM()
		VMOVDQU(table(), v)
		return v
	}
	outer := of("harrisOuter", none, func(lane, word int) [2]uint8 {
		return [2]uint8{uint8(word), uint8(word + 2 - lane)}
	})
	weights := of("harrisWeights", 0, func(lane, word int) [2]uint8 {
		return [][2]uint8{{0xff, 1}, {1, 2}}[lane]
	})
	last := of("harrisLast", none, func(lane, word int) [2]uint8 {
		return [][2]uint8{{none, none}, {uint8(word + 2), none}}[lane]
	})
	signs := of("harrisSigns", 0, func(lane, word int) [2]uint8 {
		return [][2]uint8{{1, 0}, {0xff, 0xff}}[lane]
	})

	Comment("The window of a corner.")
	Align()
	Label("corner")
	at, x := Load(corner.Field("Y"), GP64()), Load(corner.Field("X"), GP64())
	SUBQ(U8(4), at)
	IMULQ(stride, at)
	ADDQ(x, at)
	ADDQ(pix, at)
	row := func() VecVirtual {
		pixels, sum := YMM(), YMM()
		VBROADCASTI128(Mem{Base: at, Disp: -4}, pixels)
		ADDQ(stride, at)
		VPSHUFB(outer, pixels, sum)
		VPMADDUBSW(weights, sum, sum)
		VPSHUFB(last, pixels, pixels)
		VPADDW(pixels, sum, sum)
		return sum
	}
	Comment("The sums of the products of gradients, row by row.")
	squares, products := YMM(), YMM()
	VPXOR(squares, squares, squares)
	VPXOR(products, products, products)
	var rowBefore, pairBefore Register
	for i := range 9 {
		sum := row()
		if i > 0 {
			pair := YMM()
			VPSIGNW(signs, rowBefore, pair)
			VPADDW(sum, pair, pair)
			if i > 1 {
				gradient, swapped := YMM(), YMM()
				VPADDW(pair, pairBefore, gradient)
				VPERMQ(U8(0x4e), gradient, swapped)
				VPMADDWD(gradient, swapped, swapped)
				VPMADDWD(gradient, gradient, gradient)
				VPADDD(gradient, squares, squares)
				VPADDD(swapped, products, products)
			}
			pairBefore = pair
		}
		rowBefore = sum
	}
	Comment("The sums of all columns.")
	VPHADDD(products, squares, squares)
	VPHADDD(squares, squares, squares)
	high := XMM()
	VEXTRACTI128(U8(1), squares, high)
	VPUNPCKLDQ(high, squares.AsX(), high)
	VMOVDQU(high, Mem{Base: sums})
	ADDQ(U8(cornerSize), corners)
	ADDQ(U8(sumsSize), sums)
	DECQ(n)
	JNE(LabelRef("corner"))
	VZEROUPPER()
	RET()
}

// moments emits the function that sums the pixels of rows of 32 with two sets of
// weights.
func moments() {
	r := Func("momentsAVX2")
	pix, stride := Load(r.Field("pix").Base(), GP64()), Load(r.Field("stride"), GP64())
	weights, rows := Load(r.Field("weights").Base(), GP64()), Load(r.Field("weights").Len(), GP64())
	ones := YMM()
	VPCMPEQW(ones, ones, ones)
	VPABSW(ones, ones)
	sums := [2]VecVirtual{YMM(), YMM()}
	for _, sum := range sums {
		VPXOR(sum, sum, sum)
	}
	Align()
	Label("row")
	Comment("The weighted sums of a row.")
	row, size := Element("weights", weights)
	pixels := YMM()
	VMOVDQU(Mem{Base: pix}, pixels)
	for i, sum := range sums {
		v := YMM()
		VPMADDUBSW(Address(row.Index(i).Index(0)), pixels, v)
		VPMADDWD(ones, v, v)
		VPADDD(v, sum, sum)
	}
	ADDQ(stride, pix)
	ADDQ(U8(size), weights)
	DECQ(rows)
	JNE(LabelRef("row"))
	Comment("The sums of all columns.")
	for i, field := range []string{"m10", "m01"} {
		half, g := XMM(), GP64()
		VEXTRACTI128(U8(1), sums[i], half)
		VPADDD(sums[i].AsX(), half, half)
		VPHADDD(half, half, half)
		VPHADDD(half, half, half)
		VMOVD(half, g.As32())
		MOVLQSX(g.As32(), g)
		Store(g, r.Field(field))
	}
	VZEROUPPER()
	RET()
}
