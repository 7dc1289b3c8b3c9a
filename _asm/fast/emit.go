package main

import (
	"fmt"
	"go/types"

	"github.com/fastcorners/fast/_asm/internal/layout"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// compactAVX512 emits the function that lists the masks that are not zero.
func compactAVX512() {
	c := newCompact("AVX512")
	start := GP64()
	MOVQ(c.masks, start)
	// eight handles the masks that have a bit in valid.
	eight := func(valid Register, allowed bool) {
		k, found := K(), GP32()
		list, listOrigins := ZMM(), YMM()
		VMOVDQU64(Mem{Base: c.from}, list)
		if allowed {
			VPANDNQ(Mem{Base: c.allowed}, list, list)
		}
		VMOVDQU32(Mem{Base: c.fromOrigins}, listOrigins)
		VPTESTMQ(list, list, valid, k)
		KMOVB(k, found)
		VPCOMPRESSQ_Z(list, k, list)
		VPCOMPRESSD_Z(listOrigins, k, listOrigins)
		VMOVDQU64(list, Mem{Base: c.masks})
		VMOVDQU32(listOrigins, Mem{Base: c.origins})
		POPCNTL(found, found)
		LEAQ(Mem{Base: c.masks, Index: found.As64(), Scale: 8}, c.masks)
		LEAQ(Mem{Base: c.origins, Index: found.As64(), Scale: 4}, c.origins)
	}
	all := K()
	KXNORB(all, all, all)
	Comment("Eight masks at a time.")
	c.twice(func(prefix string, allowed bool) {
		each(c.n, prefix, 8, func() {
			eight(all, allowed)
			ADDQ(U8(64), c.from)
			ADDQ(U8(64), c.allowed)
			ADDQ(U8(32), c.fromOrigins)
		}, func() {
			bits, some := GP32(), K()
			MOVL(I32(-1), bits)
			BZHIL(c.n.As32(), bits, bits)
			KMOVB(bits, some)
			eight(some, allowed)
		})
	})
	SUBQ(start, c.masks)
	SHRQ(U8(3), c.masks)
	Store(c.masks, c.run.Field("count"))
	VZEROUPPER()
	RET()
}

// compactBits emits the same for other processors. Every mask is stored at the end of the
// list, which then grows unless the mask is zero, without a branch. The grid has the pixels
// that are not allowed. With AVX2, four masks at a time are permuted so that those that are not
// zero come first.
func compactBits(s isa) {
	c := newCompact(s.Name)
	k := GP64()
	XORQ(k, k)
	one := func(i int, allowed bool) {
		mask, origin := GP64(), GP32()
		from := Mem{Base: c.from, Disp: 8 * i}
		switch {
		case allowed && s.ISA == AVX2:
			MOVL(from, mask.As32())
			NOTL(mask.As32())
		case allowed:
			MOVWLZX(from, mask.As32())
			XORL(U32(0xffff), mask.As32())
		default:
			MOVQ(from, mask)
		}
		MOVL(Mem{Base: c.fromOrigins, Disp: 4 * i}, origin)
		MOVQ(mask, Mem{Base: c.masks, Index: k, Scale: 8})
		MOVL(origin, Mem{Base: c.origins, Index: k, Scale: 4})
		countSet(k, mask)
	}
	four := func(allowed bool) {
		for i := range 4 {
			one(i, allowed)
		}
	}
	if s.ISA == AVX2 {
		zero, low := s.Zero(), s.Vec()
		VPCMPEQD(low, low, low)
		VPSRLQ(U8(32), low, low)
		four = func(allowed bool) { c.four(k, zero, low, allowed) }
	}
	Comment("Each mask is stored, and kept unless it is zero.")
	c.twice(func(prefix string, allowed bool) {
		eachOrOne(c.n, prefix, 4, func(count int) {
			if count == 4 {
				four(allowed)
			} else {
				one(0, allowed)
			}
			ADDQ(U8(8*count), c.from)
			ADDQ(U8(4*count), c.fromOrigins)
		})
	})
	Store(k, c.run.Field("count"))
	s.End()
}

// four does four masks with AVX2. low has the low half of all masks set.
func (c compact) four(k, zero, low Register, allowed bool) {
	masks, origins, empty := YMM(), XMM(), YMM()
	VMOVDQU(Mem{Base: c.from}, masks)
	if allowed {
		VPANDN(low, masks, masks)
	}
	VMOVDQU(Mem{Base: c.fromOrigins}, origins)
	VPCMPEQQ(zero, masks, empty)
	which, n, table := GP64(), GP64(), GP64()
	VMOVMSKPD(empty, which.As32())
	POPCNTQ(which, n)
	SHLQ(U8(4), which)
	LEAQ(keptOrigins(), table)
	VPERMILPS(Mem{Base: table, Index: which, Scale: 1}, origins, origins)
	LEAQ(keptMasks(), table)
	order := YMM()
	VMOVDQU(Mem{Base: table, Index: which, Scale: 2}, order)
	VPERMD(masks, order, masks)
	VMOVDQU(masks, Mem{Base: c.masks, Index: k, Scale: 8})
	VMOVDQU(origins, Mem{Base: c.origins, Index: k, Scale: 4})
	SUBQ(n, k)
	ADDQ(U8(4), k)
}

// keptMasks and keptOrigins return tables with an entry for each set of four masks that are
// zero: the order of the halves of masks, and that of origins, in which the others come first.
var (
	keptMasks   = keptTable("keptMasks", 2)
	keptOrigins = keptTable("keptOrigins", 1)
)

// keptTable returns such a table for things of some numbers of 32 bits.
func keptTable(name string, size int) func() Mem {
	return ByteTable(name, 16*4*size*4, func(i int) uint8 {
		if i%4 > 0 {
			return 0
		}
		empty, place := i/4/(4*size), i/4%(4*size)
		var order []int
		for kept := range 2 {
			for mask := range 4 {
				if empty>>mask&1 == kept {
					order = append(order, mask)
				}
			}
		}
		return uint8(order[place/size]*size + place%size)
	})
}

// A compact holds what the functions that list masks have in common.
type compact struct {
	run                        Component
	masks, origins             Register
	from, allowed, fromOrigins Register
	n                          GPVirtual
}

func newCompact(name string) compact {
	c := compact{run: Func("compact" + name)}
	c.masks = Load(c.run.Field("masks").Base(), GP64())
	c.origins = Load(c.run.Field("origins").Base(), GP64())
	c.from = Load(c.run.Field("from").Base(), GP64())
	c.allowed = Load(c.run.Field("allowed").Base(), GP64())
	c.fromOrigins = Load(c.run.Field("fromOrigins").Base(), GP64())
	c.n = GP64()
	Load(c.run.Field("from").Len(), c.n)
	return c
}

// twice emits do for the case that allowed tells which pixels are, and for the other.
func (c compact) twice(do func(prefix string, allowed bool)) {
	TESTQ(c.allowed, c.allowed)
	JEQ(LabelRef("all"))
	do("allowed", true)
	JMP(LabelRef("end"))
	Label("all")
	do("all", false)
	Label("end")
}

// countSet adds 1 to k unless mask is zero.
func countSet(k, mask Register) {
	CMPQ(mask, U8(1)) // sets carry when it is
	SBBQ(I8(-1), k)
}

// packAVX512 emits the function that lists the positions in masks.
func packAVX512() {
	r := Func("packAVX512")
	corners := Load(r.Field("packed").Base(), GP64())
	masks, origins, n := list(r)
	packedScores := Load(r.Field("packedScores").Base(), GP64())
	scores := Load(r.Field("scores").Base(), GP64())
	scoreStride := Load(r.Field("scoreStride"), GP64())
	start := GP64()
	MOVQ(corners, start)
	one := ZMM()
	VPTERNLOGD(U8(0xff), one, one, one) // -1, to be added
	columns := ZMM()
	VMOVDQU8(Iota64(), columns)

	Comment("The positions in a mask.")
	Label("mask")
	mask, k := GP64(), K()
	MOVQ(Mem{Base: masks}, mask)
	KMOVQ(mask, k)
	set := ZMM()
	VPCOMPRESSB_Z(columns, k, set)
	origin := ZMM()
	VPBROADCASTD(Mem{Base: origins}, origin)
	xs := ZMM()
	VPMOVZXBD(set.AsX(), xs)
	VPADDD(origin, xs, xs)
	VMOVDQU32(xs, Mem{Base: corners})
	POPCNTQ(mask, mask)
	CMPQ(mask, U8(16))
	JGT(LabelRef("many"))
	Comment("Their scores.")
	Label("scores")
	TESTQ(scores, scores)
	JEQ(LabelRef("next"))
	v := ZMM()
	VPADDB(Mem{Base: address(origins, scores, scoreStride)}, one, v)
	VPCOMPRESSB_Z(v, k, v)
	VMOVDQU8(v, Mem{Base: packedScores})
	ADDQ(mask, packedScores)
	Label("next")
	LEAQ(Mem{Base: corners, Index: mask, Scale: 4}, corners)
	ADDQ(U8(8), masks)
	ADDQ(U8(4), origins)
	DECQ(n)
	JNE(LabelRef("mask"))
	SUBQ(start, corners)
	SHRQ(U8(2), corners)
	Store(corners, r.Field("corners"))
	VZEROUPPER()
	RET()

	Comment("More than 16 corners in a mask: the other three quarters.")
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

// A bitLister lists the bits of a mask.
type bitLister struct {
	isa
	mask, bit    GPVirtual // bit is the one that is listed
	count        GPVirtual // of bits, which is added up unless the processor counts them
	origin       Register  // the position of the first bit
	corners      Register  // where positions go
	block        Register  // the scores of the block, or nil
	packedScores Register  // where they go
}

// list stores the lowest bit as corner i, and clears it in mask. If mask is zero, it stores
// something arbitrary that the next mask overwrites.
func (l bitLister) list(i Mem) {
	if l.ISA == AVX2 {
		TZCNTQ(l.mask, l.bit)
		BLSRQ(l.mask, l.mask)
	} else {
		BSFQ(l.mask, l.bit) // unchanged if mask is zero
		countSet(l.count, l.mask)
		rest := GP64()
		LEAQ(Mem{Base: l.mask, Disp: -1}, rest)
		ANDQ(rest, l.mask)
	}
	position := GP64()
	LEAQ(Mem{Base: l.origin, Index: l.bit, Scale: 1}, position)
	i.Base = l.corners
	if i.Index != nil {
		i.Scale = 4
	}
	i.Disp *= 4
	MOVL(position.As32(), i)
	if l.block == nil {
		return
	}
	score := GP32()
	MOVBLZX(Mem{Base: l.block, Index: l.bit, Scale: 1}, score)
	DECL(score)
	i.Base = l.packedScores
	if i.Index != nil {
		i.Scale = 1
	}
	i.Disp /= 4
	MOVB(score.As8(), i)
}

// packBits emits the same for other processors. Most masks have few bits, and fewer after
// suppression: the first few are listed without a branch, and the others four at a time.
func packBits(s isa) {
	r := Func("pack" + s.Name)
	corners := Load(r.Field("packed").Base(), GP64())
	masks, origins, n := list(r)
	packedScores := Load(r.Field("packedScores").Base(), GP64())
	bit := GP64()
	XORQ(bit, bit)
	scores := Load(r.Field("scores").Base(), GP64())
	TESTQ(scores, scores)
	JNE(LabelRef("scoredMask"))

	// loop emits the loop over the masks. Its labels begin with prefix.
	loop := func(prefix string, scored bool) {
		few := 4
		if s.ISA == AVX2 && !scored {
			few = 6
		}
		Comment("The first positions in a mask.")
		Align()
		Label(prefix + "Mask")
		mask, origin, count := GP64(), GP64(), GP64()
		MOVQ(Mem{Base: masks}, mask)
		MOVLQZX(Mem{Base: origins}, origin)
		if s.ISA == AVX2 {
			POPCNTQ(mask, count)
		} else {
			XORQ(count, count)
		}
		var block Register
		if scored {
			block = address(origins, Load(r.Field("scores").Base(), GP64()), Load(r.Field("scoreStride"), GP64()))
		}
		l := bitLister{s, mask, bit, count, origin, corners, block, packedScores}
		for i := range few {
			l.list(Mem{Disp: i})
		}
		TESTQ(mask, mask)
		JNE(LabelRef(prefix + "More"))
		Label(prefix + "Next")
		LEAQ(Mem{Base: corners, Index: count, Scale: 4}, corners)
		if scored {
			ADDQ(count, packedScores)
		}
		ADDQ(U8(8), masks)
		ADDQ(U8(4), origins)
		DECQ(n)
		JNE(LabelRef(prefix + "Mask"))
		SUBQ(Load(r.Field("packed").Base(), GP64()), corners)
		SHRQ(U8(2), corners)
		Store(corners, r.Field("corners"))
		RET()

		Comment("The other positions.")
		Label(prefix + "More")
		i := GP64()
		MOVQ(U32(few), i)
		Label(prefix + "Another")
		for range 4 {
			l.list(Mem{Index: i})
			INCQ(i)
		}
		TESTQ(mask, mask)
		JNE(LabelRef(prefix + "Another"))
		JMP(LabelRef(prefix + "Next"))
	}
	loop("plain", false)
	loop("scored", true)
}

// requireCorner ends the program unless t, the type Corner, is what the functions write:
// three words of four bytes, the last one with the Score in its first byte and zeros in the
// others.
func requireCorner(t types.Type) { layout.RequireWords(t, 3, "X", "Y", "Score") }

// newWiden begins a function that turns packed positions into Corners.
func newWiden(name string) (r Component, corners, packed, n Register) {
	r = Func("widen" + name)
	requireCorner(Points("dst"))
	corners = Load(Param("dst"), GP64())
	packed = Load(r.Field("packed").Base(), GP64())
	n = Load(r.Field("corners"), GP64())
	return r, corners, packed, n
}

// widenAVX512 emits the function in steps of 16.
func widenAVX512() {
	r, corners, packed, n := newWiden("AVX512")
	left, top, column := ZMM(), ZMM(), ZMM()
	VPBROADCASTD(Load(r.Field("x"), GP32()), left)
	VPBROADCASTD(Load(r.Field("y"), GP32()), top)
	low := GP32()
	MOVL(U32(0xffff), low)
	VPBROADCASTD(low, column)

	// 16 Corners are three vectors in which X, Y and Score alternate. The tables tell
	// which X, 0 to 15, or Y, 16 to 31, belongs in each place.
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
	scores := Load(r.Field("packedScores").Base(), GP64())
	// sixteen emits the three vectors of 16 corners, and a label.
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

	Comment("The positions of 16 corners.")
	SUBQ(U8(16), n)
	JLT(LabelRef("tail"))
	Align()
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
	r, corners, packed, n := newWiden("SSE2")
	SUBQ(U8(4), n)
	JLT(LabelRef("done"))
	broadcast := func(g Register) Register {
		v := XMM()
		MOVD(g, v)
		PSHUFD(U8(0), v, v)
		return v
	}
	left, top := broadcast(Load(r.Field("x"), GP32())), broadcast(Load(r.Field("y"), GP32()))
	// Masks of the three vectors of four corners: everything but the Scores.
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

	scores := Load(r.Field("packedScores").Base(), GP64())
	zero := SSE2.Zero()

	Comment("The positions of four corners.")
	Align()
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
	Comment("Three vectors in which X, Y and Score alternate.")
	out := [3]Register{XMM(), XMM(), XMM()}
	PSHUFD(U8(0b10_00_01_00), low, out[0])
	MOVO(low, out[1])
	SHUFPS(U8(0b01_00_00_11), xs, out[1])
	PSHUFD(U8(0b00_11_10_00), xs, out[2])
	for i, v := range out {
		// Scores belong in every third place.
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
	JGE(LabelRef("four"))
	Label("done")
	RET()
}
