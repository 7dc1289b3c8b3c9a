package main

import (
	"math/bits"

	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// blockNeighbors are what is added to the number of a byte in a block of 8, 16 or 32 columns,
// for its right, lower and lower right neighbors.
var blockNeighbors = map[int]func() Mem{
	8:  ByteTable("blockNeighbors8", 64, func(i int) uint8 { return uint8(i%2 + i%4/2*8) }),
	16: ByteTable("blockNeighbors16", 64, func(i int) uint8 { return uint8(i%2 + i%4/2*16) }),
	32: ByteTable("blockNeighbors32", 64, func(i int) uint8 { return uint8(i%2 + i%4/2*32) }),
}

// blockSpread repeats the lowest byte of each number.
var blockSpread = ByteTable("blockSpread", 64, func(i int) uint8 { return uint8(i % 16 / 4 * 4) })

// block emits what makes a group of pixels of one channel that are all inside and come from a
// block of 32 columns and 8 rows, 16 columns and 16 rows, or 8 columns and 24 rows, which is
// loaded as a whole: a permutation takes the four neighbors of all pixels of it. If they come from
// elsewhere, nothing is done. The block is that of the first pixel and the last one; that the
// others come from there is checked.
func (s *sampler) block(column, row, px, py Register) {
	isa := s.isa
	ends := func(base Register, from, left string) (low, span GPVirtual) {
		a, b, low, shift := GP32(), GP32(), GP32(), GP32()
		MOVL(Address(s.r.Field("shift")), shift)
		for i, g := range []GPVirtual{a, b} {
			MOVL(s.at(base).Offset(4*(s.group-1)*i), g)
			ADDL(Address(s.r.Field(from)), g)
			SARXL(shift, g, g)
			SARL(U8(5), g)
		}
		MOVL(a, low)
		CMPL(b, a)
		CMOVLLT(b, low)
		CMOVLLT(a, b)
		SUBL(low, b)
		SUBL(Address(s.r.Field(left)), low)
		return low, b
	}
	left, columns := ends(s.x, "x0", "left")
	top, rows := ends(s.y, "y0", "top")
	quarters := []Register{isa.Vec(), isa.Vec(), isa.Vec(), isa.Vec()}
	index := isa.Vec()
	for i, b := range []struct {
		label            string
		columns, rows    int
		tooWide, tooHigh string // labels
	}{
		{"", 32, 8, "gather", "turned"},
		{"turned", 8, 24, "diagonal", "gather"},
		{"diagonal", 16, 16, "gather", "gather"},
	} {
		if i > 0 {
			JMP(LabelRef("loaded"))
			Label(b.label)
		}
		CMPL(columns, U8(b.columns-2))
		JHI(LabelRef(b.tooWide))
		CMPL(rows, U8(b.rows-2))
		JHI(LabelRef(b.tooHigh))
		s.loadBlock(column, row, left, top, b.columns, b.rows, quarters, index)
	}
	Label("loaded")
	second := K()
	VPMOVB2M(index, second)
	VPERMT2B(quarters[1], index, quarters[0])
	VPERMT2B(quarters[3], index, quarters[2])
	VMOVDQU8(quarters[2], second, quarters[0])
	s.store(s.blendGray(quarters[0], px, py))
	JMP(LabelRef("next"))
	Label("gather")
}

// loadBlock loads a block of the given size, of at most 256 bytes, which numbers of 8 bits tell
// apart. Its first column and row are left and top, or less so that all of it is inside of the
// source. It sets index to the numbers of the neighbors of each pixel in it.
func (s *sampler) loadBlock(column, row Register, left, top GPVirtual, width, height int, quarters []Register, index Register) {
	isa := s.isa
	relative := func(v Register, first GPVirtual, field string, n int) Register {
		most, p := GP32(), isa.Vec()
		MOVL(Address(s.r.Field(field)), most)
		SUBL(U8(n-1), most)
		JLT(LabelRef("gather"))
		CMPL(first, most)
		CMOVLGT(most, first)
		VPBROADCASTD(first, p)
		VPSUBD(p, v, p)
		return p
	}
	x, y := relative(column, left, "right", width), relative(row, top, "bottom", height)
	k := K()
	VPCMPUD(U8(CmpAtMost), isa.Long(uint32(width)-2), x, k)
	VPCMPUD(U8(CmpAtMost), isa.Long(uint32(height)-2), y, k, k)
	KORTESTW(k, k)
	JCC(LabelRef("gather"))
	VPSLLD(U8(bits.TrailingZeros(uint(width))), y, y)
	VPADDD(x, y, index)
	VPSHUFB(blockSpread(), index, index)
	VPADDB(blockNeighbors[width](), index, index)

	at, first, three := GP64(), GP64(), GP64()
	MOVL(top, at.As32())
	IMULQ(s.stride, at)
	MOVL(left, first.As32())
	ADDQ(first, at)
	ADDQ(s.pix, at)
	LEAQ(Mem{Base: s.stride, Index: s.stride, Scale: 2}, three)
	here := []Mem{{Base: at}, {Base: at, Index: s.stride, Scale: 1}, {Base: at, Index: s.stride, Scale: 2}, {Base: at, Index: three, Scale: 1}}
	for i, q := range quarters {
		v := q.(VecVirtual)
		if i == 3 {
			s.prefetch(at) // the row below the block
		}
		switch width {
		case 16:
			VMOVDQU32(here[0], v.AsX())
			for part := 1; part < 4; part++ {
				VINSERTI32X4(U8(part), here[part], v, v)
			}
			if i < 3 {
				LEAQ(Mem{Base: at, Index: s.stride, Scale: 4}, at)
			}
		case 32:
			VMOVDQU32(here[i%2*2], v.AsY())
			VINSERTI64X4(U8(1), here[i%2*2+1], v, v)
			if i == 1 {
				LEAQ(Mem{Base: at, Index: s.stride, Scale: 4}, at)
			}
		case 8:
			if i == 3 {
				VMOVDQA64(quarters[2], v) // anything, since no pixel is there
				break
			}
			for part := range 4 {
				x := asX(v)
				if part > 0 {
					x = XMM()
				}
				VMOVQ(here[part%2*2], x)
				VMOVHPS(here[part%2*2+1], x, x)
				if part > 0 {
					VINSERTI32X4(U8(part), x, v, v)
				}
				if part%2 == 1 {
					LEAQ(Mem{Base: at, Index: s.stride, Scale: 4}, at)
				}
			}
		}
	}
}
