package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// compactAVX512 emits the function that drops the words without hits.
func compactAVX512() {
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

// compactSSE2 emits the same for other processors. A word is stored where the
// next one belongs unless it turns out to be zero, without a branch.
func compactSSE2() {
	TEXT("compactSSE2", NOSPLIT,
		"func(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int")
	hits := Load(Param("hits"), GP64())
	origins := Load(Param("origins"), GP64())
	from := Load(Param("from"), GP64())
	fromOrigins := Load(Param("fromOrigins"), GP64())
	n := Load(Param("n"), GP64())
	k := GP64()
	XORQ(k, k)
	words := func(count int) {
		for i := range count {
			word, origin := GP64(), GP32()
			MOVQ(Mem{Base: from, Disp: 8 * i}, word)
			MOVL(Mem{Base: fromOrigins, Disp: 4 * i}, origin)
			MOVQ(word, Mem{Base: hits, Index: k, Scale: 8})
			MOVL(origin, Mem{Base: origins, Index: k, Scale: 4})
			countSet(k, word)
		}
		ADDQ(U8(8*count), from)
		ADDQ(U8(4*count), fromOrigins)
	}
	SUBQ(U8(4), n)
	JLT(LabelRef("tail"))
	align()
	Label("four")
	words(4)
	SUBQ(U8(4), n)
	JGE(LabelRef("four"))
	Label("tail")
	ADDQ(U8(4), n)
	JEQ(LabelRef("done"))
	Label("one")
	words(1)
	DECQ(n)
	JNE(LabelRef("one"))
	Label("done")
	Store(k, ReturnIndex(0))
	RET()
}

// countSet adds 1 to k unless word is zero.
func countSet(k, word Register) {
	CMPQ(word, U8(1)) // sets carry when it is
	SBBQ(I8(-1), k)
}

const packSignature = "func(packed *uint32, hits *uint64, origins *uint32, n int, packedScores *byte, scores *byte, scoreStride int) int"

// packAVX512 emits the function that lists the corners of words with hits.
func packAVX512() {
	TEXT("packAVX512", NOSPLIT, packSignature)
	corners := Load(Param("packed"), GP64())
	hits := Load(Param("hits"), GP64())
	origins := Load(Param("origins"), GP64())
	n := Load(Param("n"), GP64())
	packedScores := Load(Param("packedScores"), GP64())
	scores := Load(Param("scores"), GP64())
	scoreStride := Load(Param("scoreStride"), GP64())
	start := GP64()
	MOVQ(corners, start)
	one := ZMM()
	VPTERNLOGD(U8(0xff), one, one, one) // -1, to be added
	columns := ZMM()
	VMOVDQU8(iota64(), columns)

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
	Label("scores")
	TESTQ(scores, scores)
	JEQ(LabelRef("next"))
	v := ZMM()
	VPADDB(Mem{Base: place(origins, scores, scoreStride)}, one, v)
	VPCOMPRESSB_Z(v, k, v)
	VMOVDQU8(v, Mem{Base: packedScores})
	ADDQ(word, packedScores)
	Label("next")
	LEAQ(Mem{Base: corners, Index: word, Scale: 4}, corners)
	ADDQ(U8(8), hits)
	ADDQ(U8(4), origins)
	DECQ(n)
	JNE(LabelRef("word"))
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
	JMP(LabelRef("scores"))
}

// packBits emits the same for other processors. Most words have few bits: as
// many as few are listed without asking, and then four at a time.
func packBits(s isa) {
	few := 4
	if s == avx2 {
		few = 6
	}
	TEXT("pack"+s.name, NOSPLIT, packSignature)
	corners := Load(Param("packed"), GP64())
	hits := Load(Param("hits"), GP64())
	origins := Load(Param("origins"), GP64())
	n := Load(Param("n"), GP64())
	packedScores := Load(Param("packedScores"), GP64())
	bit := GP64()
	XORQ(bit, bit)
	scores := Load(Param("scores"), GP64())
	TESTQ(scores, scores)
	JNE(LabelRef("scoredWord"))

	// loop does all words. Its labels begin with a prefix.
	loop := func(prefix string, scored bool) {
		align()
		Label(prefix + "Word")
		word, origin, count := GP64(), GP64(), GP64()
		MOVQ(Mem{Base: hits}, word)
		MOVLQZX(Mem{Base: origins}, origin)
		if s == avx2 {
			POPCNTQ(word, count)
		} else {
			XORQ(count, count)
		}
		var block Register
		if scored {
			block = place(origins, Load(Param("scores"), GP64()), Load(Param("scoreStride"), GP64()))
		}
		// list stores the lowest bit as corner i, and takes it from word. For a
		// word of zero it stores anything, which the next bit overwrites.
		list := func(i Mem) {
			if s == avx2 {
				TZCNTQ(word, bit)
				BLSRQ(word, word)
			} else {
				BSFQ(word, bit) // left as it was when word is zero
				countSet(count, word)
				rest := GP64()
				LEAQ(Mem{Base: word, Disp: -1}, rest)
				ANDQ(rest, word)
			}
			position := GP64()
			LEAQ(Mem{Base: origin, Index: bit, Scale: 1}, position)
			i.Base = corners
			if i.Index != nil {
				i.Scale = 4
			}
			i.Disp *= 4
			MOVL(position.As32(), i)
			if scored {
				score := GP32()
				MOVBLZX(Mem{Base: block, Index: bit, Scale: 1}, score)
				DECL(score)
				i.Base = packedScores
				if i.Index != nil {
					i.Scale = 1
				}
				i.Disp /= 4
				MOVB(score.As8(), i)
			}
		}
		for i := range few {
			list(Mem{Disp: i})
		}
		TESTQ(word, word)
		JNE(LabelRef(prefix + "More"))
		Label(prefix + "Next")
		LEAQ(Mem{Base: corners, Index: count, Scale: 4}, corners)
		if scored {
			ADDQ(count, packedScores)
		}
		ADDQ(U8(8), hits)
		ADDQ(U8(4), origins)
		DECQ(n)
		JNE(LabelRef(prefix + "Word"))
		SUBQ(Load(Param("packed"), GP64()), corners)
		SHRQ(U8(2), corners)
		Store(corners, ReturnIndex(0))
		RET()

		Label(prefix + "More")
		i := GP64()
		MOVQ(U32(few), i)
		Label(prefix + "Another")
		for range 4 {
			list(Mem{Index: i})
			INCQ(i)
		}
		TESTQ(word, word)
		JNE(LabelRef(prefix + "Another"))
		JMP(LabelRef(prefix + "Next"))
	}
	loop("plain", false)
	loop("scored", true)
}

const widenSignature = "func(corners *struct{X, Y int32; Score uint8}, packed *uint32, n int, x int32, y int32, packedScores *byte)"

// widenAVX512 emits the function that makes Corners of packed positions.
func widenAVX512() {
	TEXT("widenAVX512", NOSPLIT, widenSignature)
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
	var index, isScore [3]Register
	for i := range index {
		table := GLOBL(fmt.Sprintf("corners%d", i), RODATA|NOPTR)
		mask := uint32(0)
		for j := range 16 {
			corner, field := (16*i+j)/3, (16*i+j)%3
			DATA(4*j, U32(corner+field%2*16))
			if field == 2 {
				mask |= 1 << j
			}
		}
		index[i], isScore[i] = ZMM(), K()
		VMOVDQU32(table, index[i])
		g := GP32()
		MOVL(U32(mask), g)
		KMOVW(g, isScore[i])
	}
	scores := Load(Param("packedScores"), GP64())
	// sixteen makes the three vectors of 16 corners. label is one that it may
	// define.
	sixteen := func(label string, store func(i int, v Register, m Mem)) {
		xs, ys := ZMM(), ZMM()
		VMOVDQU32(Mem{Base: packed}, ys)
		VPANDD(column, ys, xs)
		VPSRLD(U8(16), ys, ys)
		VPADDD(left, xs, xs)
		VPADDD(top, ys, ys)
		ss := ZMM()
		VPXORD(ss, ss, ss)
		TESTQ(scores, scores)
		JEQ(LabelRef(label))
		VPMOVZXBD(Mem{Base: scores}, ss)
		ADDQ(U8(16), scores)
		Label(label)
		for i := range index {
			v := ZMM()
			VMOVDQA64(xs, v)
			VPERMT2D(ys, index[i], v)
			VPERMD(ss, index[i], isScore[i], v)
			store(i, v, Mem{Base: corners, Disp: 64 * i})
		}
	}

	SUBQ(U8(16), n)
	JLT(LabelRef("tail"))
	align()
	Label("corners")
	sixteen("xy", func(_ int, v Register, m Mem) { VMOVDQU32(v, m) })
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
	sixteen("xytail", func(i int, v Register, m Mem) {
		k := K()
		KMOVW(fields.As32(), k)
		SHRQ(U8(16), fields)
		VMOVDQU32(v, k, m)
	})
	Label("done")
	VZEROUPPER()
	RET()
}

// widenSSE2 emits the same for other processors, in steps of four.
func widenSSE2() {
	TEXT("widenSSE2", NOSPLIT, widenSignature)
	corners := Load(Param("corners"), GP64())
	packed := Load(Param("packed"), GP64())
	n := Load(Param("n"), GP64())
	broadcast := func(g Register) Register {
		v := XMM()
		MOVD(g, v)
		PSHUFD(U8(0), v, v)
		return v
	}
	left, top := broadcast(Load(Param("x"), GP32())), broadcast(Load(Param("y"), GP32()))
	// What is kept of the three vectors of four corners: all but the Scores.
	keep := [3]Register{XMM(), XMM(), XMM()}
	for i, v := range keep {
		table := GLOBL(fmt.Sprintf("fields%d", i), RODATA|NOPTR)
		for j := range 4 {
			mask := uint32(0xffffffff)
			if (4*i+j)%3 == 2 {
				mask = 0
			}
			DATA(4*j, U32(mask))
		}
		MOVOU(table, v)
	}

	scores := Load(Param("packedScores"), GP64())
	zero := sse2.zero()

	align()
	Label("four")
	ss := XMM()
	PXOR(ss, ss)
	TESTQ(scores, scores)
	JEQ(LabelRef("xy"))
	MOVD(Mem{Base: scores}, ss)
	PUNPCKLBW(zero, ss)
	PUNPCKLWL(zero, ss)
	ADDQ(U8(4), scores)
	Label("xy")
	xs, ys := XMM(), XMM()
	MOVOU(Mem{Base: packed}, ys)
	MOVO(ys, xs)
	PSRLL(U8(16), ys)
	PSLLL(U8(16), xs)
	PSRLL(U8(16), xs)
	PADDL(left, xs)
	PADDL(top, ys)
	low := XMM()
	MOVO(xs, low)
	PUNPCKLLQ(ys, low) // X0 Y0 X1 Y1
	PUNPCKHLQ(ys, xs)  // X2 Y2 X3 Y3
	out := [3]Register{XMM(), XMM(), XMM()}
	PSHUFD(U8(0b10_00_01_00), low, out[0])
	MOVO(low, out[1])
	SHUFPS(U8(0b01_00_00_11), xs, out[1])
	PSHUFD(U8(0b00_11_10_00), xs, out[2])
	for i, v := range out {
		// A Score goes to the place of the same number modulo 3.
		fill, score := XMM(), XMM()
		PSHUFD(U8([]uint8{0b00_00_00_00, 0b01_01_01_01, 0b11_10_10_10}[i]), ss, score)
		MOVO(keep[i], fill)
		PANDN(score, fill)
		PAND(keep[i], v)
		POR(fill, v)
		MOVOU(v, Mem{Base: corners, Disp: 16 * i})
	}
	ADDQ(U8(16), packed)
	ADDQ(U8(48), corners)
	SUBQ(U8(4), n)
	JGT(LabelRef("four"))
	RET()
}
