package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A block is a block kernel: it fills a vector with a block of w by h pixels.
type block struct {
	isa
	w, h int
}

var blocks = []block{
	{sse2, 16, 1},
	{avx2, 32, 1},
	{avx2, 16, 2},
	{avx2, 8, 4},
	{avx512, 64, 1},
	{avx512, 32, 2},
	{avx512, 16, 4},
	{avx512, 8, 8},
}

// A pixel is a position relative to a block's upper left pixel.
type pixel struct{ x, y int }

// ring holds the ring pixels, ring pixel 1 of the literature first, and the
// centre.
var ring = [17]pixel{
	{0, -3},
	{1, -3},
	{2, -2},
	{3, -1},
	{3, 0},
	{3, 1},
	{2, 2},
	{1, 3},
	{0, 3},
	{-1, 3},
	{-2, 2},
	{-3, 1},
	{-3, 0},
	{-3, -1},
	{-2, -2},
	{-1, -3},
	centre: {0, 0},
}

// checks holds the eight checks: two ring pixels each, counted from 1, and for
// those that do not lie opposite each other the pixel that lies opposite to
// both.
var checks = []struct{ a, b, opposite int }{
	{1, 9, 0},
	{5, 13, 0},
	{3, 11, 0},
	{7, 15, 0},
	{2, 16, 9},
	{8, 10, 1},
	{12, 14, 5},
	{4, 6, 13},
}

// A rowPointer addresses the rows -3 to 10 of the image, relative to the first
// row of a block.
type rowPointer struct {
	top, middle              Register // the rows -3 and 4, at the block's column
	stride, stride3, stride5 Register
}

func newRowPointer(h int) rowPointer {
	r := rowPointer{stride: GP64(), stride3: GP64()}
	r.top = Load(Param("pix"), GP64())
	Load(Param("stride"), r.stride)
	LEAQ(Mem{Base: r.stride, Index: r.stride, Scale: 2}, r.stride3)
	SUBQ(r.stride3, r.top)
	r.stride5 = GP64()
	LEAQ(Mem{Base: r.stride, Index: r.stride, Scale: 4}, r.stride5)
	if h > 1 {
		r.middle = GP64()
		LEAQ(Mem{Base: r.top, Index: r.stride5, Scale: 1}, r.middle)
		LEAQ(Mem{Base: r.middle, Index: r.stride, Scale: 2}, r.middle)
	}
	return r
}

// at returns the address of the pixel.
func (r rowPointer) at(p pixel) Mem {
	base, row := r.top, p.y+3
	if row >= 7 {
		base, row = r.middle, row-7
	}
	m := Mem{Base: base, Disp: p.x}
	switch row {
	case 1, 2, 4:
		m.Index, m.Scale = r.stride, uint8(row)
	case 3, 6:
		m.Index, m.Scale = r.stride3, uint8(row/3)
	case 5:
		m.Index, m.Scale = r.stride5, 1
	}
	return m
}

// advance moves to the right by n pixels.
func (r rowPointer) advance(n int) {
	ADDQ(U8(n), r.top)
	if r.middle != nil {
		ADDQ(U8(n), r.middle)
	}
}

// load returns a register with the block of pixels whose first one is p.
func (b block) load(r rowPointer, p pixel) Register {
	if b.h == 1 {
		return b.isa.load(r.at(p))
	}
	// A block is put together in one register, which is the same for all so
	// that the allocator need not follow its parts.
	v := b.vec()
	if b.w == 32 {
		VMOVDQU(r.at(p), Y15)
		VINSERTI64X4(U8(1), r.at(pixel{p.x, p.y + 1}), Z15, v)
		return v
	}
	quarter := func(i int, x Register) Op {
		m := r.at(pixel{p.x, p.y + i*16/b.w})
		if b.w == 16 {
			return m
		}
		VMOVQ(m, x)
		VPINSRQ(U8(1), r.at(pixel{p.x, p.y + i*16/b.w + 1}), x, x)
		return x
	}
	if m := quarter(0, X15); m != X15 {
		VMOVDQU(m, X15)
	}
	if b.isa == avx2 {
		VINSERTI128(U8(1), quarter(1, XMM()), Y15, v)
		return v
	}
	VINSERTI32X4(U8(1), quarter(1, XMM()), Z15, v)
	VINSERTI32X4(U8(2), quarter(2, XMM()), v, v)
	VINSERTI32X4(U8(3), quarter(3, XMM()), v, v)
	return v
}

// generate emits the kernel.
func (b block) generate() {
	TEXT(fmt.Sprintf("blocks%dx%d%s", b.w, b.h, b.name), NOSPLIT,
		"func(hits *uint64, hitStride int, pix *byte, stride int, n int, threshold uint8)")

	Comment("Rows of pixels, threshold, and rows of hits.")
	rows := newRowPointer(b.h)
	keep := b.keeper()
	keep.put(limit, b.broadcast("threshold"))
	threshold := keep.get(limit)
	hits := Load(Param("hits"), GP64())
	hitStride := GP64()
	if b.h > 1 {
		Load(Param("hitStride"), hitStride)
	}
	n := Load(Param("n"), GP64())

	align()
	Label("block")
	pixels := b.load(rows, ring[centre])
	keep.put(centre, pixels)
	// A bright pixel is above high, a dark one below low.
	high := b.do(addSat, pixels, threshold)
	low := b.do(subSat, pixels, threshold)

	// Of every check, what is left of the bright hypothesis is the minimum, and
	// of the dark one the maximum, of what it found.
	var bright, dark Register
	for i, c := range checks {
		Commentf("Check %d: ring pixels %d and %d.", i+1, c.a, c.b)
		x := b.load(rows, ring[c.a-1])
		keep.put(c.a-1, x)
		y := b.load(rows, ring[c.b-1])
		keep.put(c.b-1, y)
		if c.opposite == 0 {
			most := b.do(maximum, x, y)
			least := b.do(minimum, x, y)
			if bright == nil {
				bright, dark = most, least
			} else {
				b.doTo(minimum, bright, most, bright)
				b.doTo(maximum, dark, least, dark)
			}
		} else {
			// An arc without the opposite pixel holds both.
			both := b.do(maximum, b.do(minimum, x, y), keep.get(c.opposite-1))
			b.doTo(minimum, bright, both, bright)
			both = b.do(minimum, b.do(maximum, x, y), keep.get(c.opposite-1))
			b.doTo(maximum, dark, both, dark)
		}
		b.jumpIfDead(bright, high, dark, low, "next")
	}

	Comment("Something is left: the exact test.")
	mask := b.exceed(b.arcTest(10, keep.get), threshold)
	row := hits
	if b.h > 1 {
		row = GP64()
		MOVQ(hits, row)
	}
	for y := 0; y < b.h; y++ {
		if y > 0 {
			SHRQ(U8(b.w), mask)
			ADDQ(hitStride, row)
		}
		b.storeBits(mask, Mem{Base: row})
	}

	Label("next")
	rows.advance(b.w)
	ADDQ(U8(b.w/8), hits)
	DECQ(n)
	JNE(LabelRef("block"))
	b.end()
}

// storeBits stores the lowest w bits of mask.
func (b block) storeBits(mask GPVirtual, m Mem) {
	switch b.w {
	case 8:
		MOVB(mask.As8(), m)
	case 16:
		MOVW(mask.As16(), m)
	case 32:
		MOVL(mask.As32(), m)
	default:
		MOVQ(mask, m)
	}
}

// jumpIfDead jumps where no pixel has bright > high or dark < low.
func (b block) jumpIfDead(bright, high, dark, low Register, label string) {
	if b.isa == avx512 {
		k1, k2 := K(), K()
		VPCMPUB(U8(cmpGreater), high, bright, k1)
		VPCMPUB(U8(cmpLess), low, dark, k2)
		KORTESTQ(k1, k2)
		JEQ(LabelRef(label))
		return
	}
	above := b.do(subSat, bright, high)
	below := b.do(subSat, low, dark)
	if b.isa == avx2 {
		VPOR(above, below, above)
		VPTEST(above, above)
		JEQ(LabelRef(label))
		return
	}
	POR(below, above)
	PXOR(below, below)
	PCMPEQB(below, above)
	g := GP32()
	PMOVMSKB(above, g)
	CMPL(g, U32(0xffff))
	JEQ(LabelRef(label))
}

// limit stands for the threshold where numbers stand for pixels.
const limit = centre + 1

// A keeper holds the ring pixels of a block, its own and the threshold: in registers, or on the stack
// where there are too few.
type keeper struct {
	isa
	regs  *[limit + 1]Op
	stack Register
}

func (s isa) keeper() keeper {
	k := keeper{isa: s, regs: new([limit + 1]Op)}
	if s != avx512 {
		k.stack = GP64()
		LEAQ(AllocLocal((limit+2)*s.bytes), k.stack)
		ADDQ(U8(s.bytes-1), k.stack)
		ANDQ(I8(-s.bytes), k.stack)
	}
	return k
}

func (k keeper) put(i int, v Register) {
	k.regs[i] = v
	if k.isa == avx512 {
		return
	}
	m := Mem{Base: k.stack, Disp: i * k.bytes}
	k.regs[i] = m
	if k.isa == avx2 {
		VMOVDQA(v, m)
	} else {
		MOVOA(v, m)
	}
}

func (k keeper) get(i int) Op {
	return k.regs[i]
}
