package main

import (
	"fmt"
	"sync"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// compact emits the function that drops the words without hits.
func compact() {
	TEXT("compactAVX512", NOSPLIT,
		"func(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int")
	hits := Load(Param("hits"), GP64())
	origins := Load(Param("origins"), GP64())
	from := Load(Param("from"), GP64())
	fromOrigins := Load(Param("fromOrigins"), GP64())
	n := GP64()
	Load(Param("n"), n)
	start := GP64()
	MOVQ(hits, start)

	// eight handles the words of which valid has a bit.
	eight := func(valid Register) {
		k := K()
		words, places := ZMM(), YMM()
		VMOVDQU64(Mem{Base: from}, words)
		VMOVDQU32(Mem{Base: fromOrigins}, places)
		VPTESTMQ(words, words, valid, k)
		count := GP32()
		KMOVB(k, count)
		VPCOMPRESSQ_Z(words, k, words)
		VPCOMPRESSD_Z(places, k, places)
		VMOVDQU64(words, Mem{Base: hits})
		VMOVDQU32(places, Mem{Base: origins})
		POPCNTL(count, count)
		LEAQ(Mem{Base: hits, Index: count.As64(), Scale: 8}, hits)
		LEAQ(Mem{Base: origins, Index: count.As64(), Scale: 4}, origins)
	}
	all := K()
	KXNORB(all, all, all)
	SUBQ(U8(8), n)
	JLT(LabelRef("tail"))
	align()
	Label("words")
	eight(all)
	ADDQ(U8(64), from)
	ADDQ(U8(32), fromOrigins)
	SUBQ(U8(8), n)
	JGE(LabelRef("words"))

	Label("tail")
	ADDQ(U8(8), n)
	JEQ(LabelRef("done"))
	bits, some := GP32(), K()
	MOVL(I32(-1), bits)
	BZHIL(n.As32(), bits, bits)
	KMOVB(bits, some)
	eight(some)

	Label("done")
	SUBQ(start, hits)
	SHRQ(U8(3), hits)
	Store(hits, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// compactGeneric emits compact for processors without AVX-512.
func compactGeneric() {
	TEXT("compactSSE2", NOSPLIT,
		"func(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int")
	hits := Load(Param("hits"), GP64())
	origins := Load(Param("origins"), GP64())
	from := Load(Param("from"), GP64())
	fromOrigins := Load(Param("fromOrigins"), GP64())
	n := Load(Param("n"), GP64())
	k := GP64()
	XORQ(k, k)
	LEAQ(Mem{Base: from, Index: n, Scale: 8}, from)
	LEAQ(Mem{Base: fromOrigins, Index: n, Scale: 4}, fromOrigins)
	NEGQ(n)

	align()
	Label("word")
	word, origin := GP64(), GP32()
	MOVQ(Mem{Base: from, Index: n, Scale: 8}, word)
	MOVL(Mem{Base: fromOrigins, Index: n, Scale: 4}, origin)
	MOVQ(word, Mem{Base: hits, Index: k, Scale: 8})
	MOVL(origin, Mem{Base: origins, Index: k, Scale: 4})
	CMPQ(word, U8(1)) // carry when it is zero
	SBBQ(I8(-1), k)
	INCQ(n)
	JNE(LabelRef("word"))
	Store(k, ReturnIndex(0))
	RET()
}

// pack emits the function that lists the corners of words with hits.
func pack() {
	TEXT("packAVX512", NOSPLIT,
		"func(corners *uint32, hits *uint64, origins *uint32, n int) int")
	corners := Load(Param("corners"), GP64())
	hits := Load(Param("hits"), GP64())
	origins := Load(Param("origins"), GP64())
	n := Load(Param("n"), GP64())
	start := GP64()
	MOVQ(corners, start)
	columns := ZMM()
	VMOVDQU8(iota64(), columns)

	TESTQ(n, n)
	JLE(LabelRef("done"))
	Label("word")
	word, k := GP64(), K()
	MOVQ(Mem{Base: hits}, word)
	KMOVQ(word, k)
	set := ZMM()
	VPCOMPRESSB_Z(columns, k, set)
	origin := ZMM()
	VPBROADCASTD(Mem{Base: origins}, origin)
	xs := ZMM()
	VPMOVZXBD(set.AsX(), xs)
	VPADDD(origin, xs, xs)
	VMOVDQU32(xs, Mem{Base: corners})
	POPCNTQ(word, word)
	CMPQ(word, U8(16))
	JGT(LabelRef("many"))
	Label("next")
	LEAQ(Mem{Base: corners, Index: word, Scale: 4}, corners)
	ADDQ(U8(8), hits)
	ADDQ(U8(4), origins)
	DECQ(n)
	JNE(LabelRef("word"))
	Label("done")
	SUBQ(start, corners)
	SHRQ(U8(2), corners)
	Store(corners, ReturnIndex(0))
	VZEROUPPER()
	RET()

	Comment("More than 16 corners in a word: the other three quarters.")
	Label("many")
	for i := 1; i < 4; i++ {
		quarter := XMM()
		VEXTRACTI32X4(U8(i), set, quarter)
		VPMOVZXBD(quarter, xs)
		VPADDD(origin, xs, xs)
		VMOVDQU32(xs, Mem{Base: corners, Disp: 64 * i})
	}
	JMP(LabelRef("next"))
}

// widen emits the function that makes Corners of packed positions.
func widen() {
	TEXT("widenAVX512", NOSPLIT,
		"func(corners *struct{X, Y int32; Score uint8}, packed *uint32, n int, x int32, y int32)")
	corners := Load(Param("corners"), GP64())
	packed := Load(Param("packed"), GP64())
	n := GP64()
	Load(Param("n"), n)
	left, top, column := ZMM(), ZMM(), ZMM()
	VPBROADCASTD(Load(Param("x"), GP32()), left)
	VPBROADCASTD(Load(Param("y"), GP32()), top)
	low := GP32()
	MOVL(U32(0xffff), low)
	VPBROADCASTD(low, column)

	// 16 Corners are three vectors of X, Y and Score in turn. The tables say
	// which X, 0 to 15, or Y, 16 to 31, a place takes.
	var index, filled [3]Register
	for i := range index {
		table := GLOBL(fmt.Sprintf("corners%d", i), RODATA|NOPTR)
		mask := uint32(0)
		for j := range 16 {
			corner, field := (16*i+j)/3, (16*i+j)%3
			DATA(4*j, U32(corner+field%2*16))
			if field < 2 {
				mask |= 1 << j
			}
		}
		index[i], filled[i] = ZMM(), K()
		VMOVDQU32(table, index[i])
		g := GP32()
		MOVL(U32(mask), g)
		KMOVW(g, filled[i])
	}
	// sixteen makes the three vectors of 16 corners.
	sixteen := func(store func(i int, v Register, m Mem)) {
		xs, ys := ZMM(), ZMM()
		VMOVDQU32(Mem{Base: packed}, ys)
		VPANDD(column, ys, xs)
		VPSRLD(U8(16), ys, ys)
		VPADDD(left, xs, xs)
		VPADDD(top, ys, ys)
		for i := range index {
			v := ZMM()
			VMOVDQA64(xs, v)
			VPERMT2D_Z(ys, index[i], filled[i], v)
			store(i, v, Mem{Base: corners, Disp: 64 * i})
		}
	}

	SUBQ(U8(16), n)
	JLT(LabelRef("tail"))
	align()
	Label("corners")
	sixteen(func(_ int, v Register, m Mem) { VMOVDQU32(v, m) })
	ADDQ(U8(64), packed)
	ADDQ(U32(16*12), corners)
	SUBQ(U8(16), n)
	JGE(LabelRef("corners"))

	Label("tail")
	ADDQ(U8(16), n)
	JEQ(LabelRef("done"))
	Comment("Of the last corners, fewer than 16, no more than 3n fields are stored.")
	LEAQ(Mem{Base: n, Index: n, Scale: 2}, n)
	fields := GP64()
	MOVQ(I32(-1), fields)
	BZHIQ(n, fields, fields)
	sixteen(func(i int, v Register, m Mem) {
		k := K()
		KMOVW(fields.As32(), k)
		SHRQ(U8(16), fields)
		VMOVDQU32(v, k, m)
	})
	Label("done")
	VZEROUPPER()
	RET()
}

// iota64 returns a table of the bytes 0 to 63.
var iota64 = sync.OnceValue(func() Mem {
	m := GLOBL("iota64", RODATA|NOPTR)
	for i := range 64 {
		DATA(i, U8(i))
	}
	return m
})
