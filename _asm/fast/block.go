package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// A block is a block kernel, whose vectors hold blocks of w by h pixels.
type block struct {
	isa
	w, h int
}

var blocks = []block{
	{isa{SSE2}, 16, 1},
	{isa{AVX2}, 32, 1},
	{isa{AVX2}, 16, 2},
	{isa{AVX2}, 8, 4},
	{isa{AVX512}, 64, 1},
	{isa{AVX512}, 32, 2},
	{isa{AVX512}, 16, 4},
	{isa{AVX512}, 8, 8},
}

// radius is the largest distance of a ring pixel from the center, in rows or columns.
const radius = 3

// A pixel is a position relative to a block's upper left pixel.
type pixel struct{ x, y int }

// ring holds the ring pixels, ring pixel 1 of the literature first, and the
// center. Each quarter is the one before, turned.
var ring = func() (ring [17]pixel) {
	copy(ring[:], []pixel{{0, -3}, {1, -3}, {2, -2}, {3, -1}})
	for i := range center - 4 {
		ring[i+4] = pixel{-ring[i].y, ring[i].x}
	}
	return ring
}()

// checks holds the eight checks: two ring pixels each, counted from 1, and the pixel
// opposite both of them unless they are opposite each other.
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

func newRowPointer(run Component, h int) rowPointer {
	r := rowPointer{stride: GP64(), stride3: GP64()}
	r.top = Load(run.Field("pix"), GP64())
	Load(run.Field("stride"), r.stride)
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
		return b.ISA.Load(r.at(p))
	}
	// A block is put together in one fixed register, since the allocator does not know
	// its parts.
	v := b.Vec()
	if b.w == 32 {
		VMOVDQU(r.at(p), reg.Y15)
		VINSERTI64X4(U8(1), r.at(pixel{p.x, p.y + 1}), reg.Z15, v)
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
	if m := quarter(0, reg.X15); m != reg.X15 {
		VMOVDQU(m, reg.X15)
	}
	if b.ISA == AVX2 {
		VINSERTI128(U8(1), quarter(1, XMM()), reg.Y15, v)
		return v
	}
	VINSERTI32X4(U8(1), quarter(1, XMM()), reg.Z15, v)
	VINSERTI32X4(U8(2), quarter(2, XMM()), v, v)
	VINSERTI32X4(U8(3), quarter(3, XMM()), v, v)
	return v
}

// generate emits the kernel.
func (b block) generate() {
	run := Func(fmt.Sprintf("blocks%dx%d%s", b.w, b.h, b.Name))

	Comment("Rows of pixels, threshold, and rows of masks.")
	rows := newRowPointer(run, b.h)
	keep := b.keeper()
	keep.put(limit, b.Broadcast(run.Field("threshold")))
	threshold := keep.get(limit)
	masks := Load(run.Field("masks"), GP64())
	maskStride := GP64()
	if b.h > 1 {
		Load(run.Field("maskStride"), maskStride)
	}
	n := Load(run.Field("blocks"), GP64())

	Align()
	Label("block")
	pixels := b.load(rows, ring[center])
	keep.put(center, pixels)
	// A bright pixel is above high, a dark one below low.
	high := b.Do(op.AddSat, pixels, threshold)
	low := b.Do(op.SubSat, pixels, threshold)

	// bright is the minimum over the checks of what they leave of the bright hypothesis,
	// and dark the maximum of what they leave of the dark one.
	var bright, dark Register
	for i, c := range checks {
		Commentf("Check %d: ring pixels %d and %d.", i+1, c.a, c.b)
		x := b.load(rows, ring[c.a-1])
		keep.put(c.a-1, x)
		y := b.load(rows, ring[c.b-1])
		keep.put(c.b-1, y)
		if c.opposite == 0 {
			most := b.Do(op.Max, x, y)
			least := b.Do(op.Min, x, y)
			if bright == nil {
				bright, dark = most, least
			} else {
				b.DoTo(op.Min, bright, most, bright)
				b.DoTo(op.Max, dark, least, dark)
			}
		} else {
			// An arc without the opposite pixel contains both.
			both := b.Do(op.Max, b.Do(op.Min, x, y), keep.get(c.opposite-1))
			b.DoTo(op.Min, bright, both, bright)
			both = b.Do(op.Min, b.Do(op.Max, x, y), keep.get(c.opposite-1))
			b.DoTo(op.Max, dark, both, dark)
		}
		b.jumpIfDead(bright, high, dark, low, "next")
	}

	Comment("Something is left: the exact test.")
	test := arcTest(10, false)
	if b.ISA == AVX512 {
		// There are registers for the ring, and the other network is slower: the wait
		// for the polarity takes longer than what it saves.
		test = arcTestTwice(10)
	}
	mask := b.Exceed(b.compute(test, keep.get), threshold)
	row := masks
	if b.h > 1 {
		row = GP64()
		MOVQ(masks, row)
	}
	for y := 0; y < b.h; y++ {
		if y > 0 {
			SHRQ(U8(b.w), mask)
			ADDQ(maskStride, row)
		}
		b.storeBits(mask, Mem{Base: row})
	}

	Label("next")
	rows.advance(b.w)
	ADDQ(U8(b.w/8), masks)
	DECQ(n)
	JNE(LabelRef("block"))
	b.End()
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
	if b.ISA == AVX512 {
		k1, k2 := K(), K()
		VPCMPUB(U8(CmpGreater), high, bright, k1)
		VPCMPUB(U8(CmpLess), low, dark, k2)
		KORTESTQ(k1, k2)
		JEQ(LabelRef(label))
		return
	}
	above := b.Do(op.SubSat, bright, high)
	below := b.Do(op.SubSat, low, dark)
	if b.ISA == AVX2 {
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

// limit is the number of the threshold, where pixels have numbers.
const limit = center + 1

// A keeper holds the ring pixels and the pixels of a block and the threshold: in registers,
// or on the stack if there are too few.
type keeper struct {
	isa
	regs  *[limit + 1]Op
	stack []Mem
}

func (s isa) keeper() keeper {
	k := keeper{isa: s, regs: new([limit + 1]Op)}
	if s.ISA != AVX512 {
		k.stack = s.Stack(limit + 1)
	}
	return k
}

func (k keeper) put(i int, v Register) {
	k.regs[i] = v
	if k.ISA == AVX512 {
		return
	}
	m := k.stack[i]
	k.regs[i] = m
	if k.ISA == AVX2 {
		VMOVDQA(v, m)
	} else {
		MOVOA(v, m)
	}
}

func (k keeper) get(i int) Op {
	return k.regs[i]
}
