package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// pairs is the order of the bytes of two neighboring pixels, channel by channel.
var pairs = ByteTable("pairs", 64, func(i int) uint8 { return uint8(i%16/8*8 + i%2*4 + i%8/2) })

// The words of a place that become 1024 times its fraction, twice.
var (
	shareSpread = ByteTable("shareSpread", 64, func(i int) uint8 { return [2]uint8{0x80, uint8(i / 4 * 4 % 16)}[i%2] })
	share       = words("share", 31<<10)
	round       = words("round", 1<<10)
)

// makeColors emits what makes and stores a group of pixels of four channels that are all inside,
// and the next groups until the row ends or pixels are not. While pixels are made, the offsets of
// the next ones are found, since a group takes longer than the scheduler sees ahead.
func (s *sampler) makeColors(column, row, px, py, last Register) {
	offsets, next, inside := s.isa.Vec(), GP64(), GP32()
	s.offsets(column, row, offsets)
	Label("ahead")
	s.isa.Store(offsets, s.saved)
	LEAQ(Mem{Base: s.i, Disp: s.group}, next)
	CMPQ(next, last)
	CMOVQGT(last, next)
	column, row, nextX, nextY, all := s.places(next)
	VMOVMSKPS(all, inside)
	s.offsets(column, row, offsets)
	s.store(s.mixColor(px, py))
	CMPQ(s.i, last)
	JEQ(LabelRef("done"))
	MOVQ(next, s.i)
	s.isa.Move(nextX, px)
	s.isa.Move(nextY, py)
	CMPL(inside, U32(0xff))
	JEQ(LabelRef("ahead"))
	JMP(LabelRef("loop"))
}

// mixColor returns the pixels, of four channels, at the saved offsets.
func (s *sampler) mixColor(px, py Register) Register {
	isa := s.isa
	wx, fy := s.columnWeights(px), s.shares(py)
	lower := GP64()
	LEAQ(Mem{Base: s.pix, Index: s.stride, Scale: 1}, lower)
	first, next := GP64(), GP64()
	MOVL(s.saved, first.As32())
	LEAQ(Mem{Base: s.pix, Index: first, Scale: 1}, next)
	s.prefetch(next)
	// The first two pixels of each four, and the last two.
	var both [2]Register
	for k := range both {
		upper, below := s.loadPairs(lower, s.saved.Offset(8*k))
		columns, rows := isa.Vec(), isa.Vec()
		if k == 0 {
			VPUNPCKLDQ(wx, wx, columns)
			VPUNPCKLDQ(fy, fy, rows)
		} else {
			VPUNPCKHDQ(wx, wx, columns)
			VPUNPCKHDQ(fy, fy, rows)
		}
		for _, v := range []Register{upper, below} {
			VPSHUFB(pairs(), v, v)
			VPMADDUBSW(columns, v, v)
		}
		mixRows(upper, below, rows, round())
		both[k] = below
	}
	v := isa.Vec()
	VPACKUSWB(both[1], both[0], v)
	return v
}

// shares returns 1024 times the fraction of the row of each place, in both words.
func (s *sampler) shares(py Register) Register {
	fy := s.isa.Vec()
	VPSHUFB(shareSpread(), py, fy)
	VPSLLW(U8(2), fy, fy)
	s.isa.DoTo(op.And, fy, share(), fy)
	return fy
}

// loadPairs loads two neighboring pixels of the upper and of the lower row at the first two of
// each four offsets.
func (s *sampler) loadPairs(lower Register, offsets Mem) (upper, below Register) {
	rows := [2]VecVirtual{s.isa.Vec(), s.isa.Vec()}
	for lane := range s.isa.Bytes / 16 {
		at := [2]GPVirtual{GP64(), GP64()}
		for k, g := range at {
			MOVL(offsets.Offset(16*lane+4*k), g.As32())
		}
		for i, base := range []Register{s.pix, lower} {
			s.loadLane(rows[i], lane, Mem{Base: base, Index: at[0], Scale: 1}, Mem{Base: base, Index: at[1], Scale: 1})
		}
	}
	return rows[0], rows[1]
}

// loadLane loads the 8 bytes at a and those at b to a lane of v, the first lane before others.
func (s *sampler) loadLane(v VecVirtual, lane int, a, b Mem) {
	if lane == 0 {
		VPBROADCASTQ(a, v)
	}
	switch {
	case s.isa == AVX2: // more ports blend than shuffle
		for k, m := range []Mem{a, b} {
			if place := 2*lane + k; place > 0 {
				x := YMM()
				VPBROADCASTQ(m, x)
				VPBLENDD(U8(3<<(2*place)), x, v, v)
			}
		}
	case lane == 0:
		VMOVHPS(b, v.AsX(), v.AsX())
	default:
		x := XMM()
		VMOVQ(a, x)
		VMOVHPS(b, x, x)
		VINSERTI32X4(U8(lane), x, v, v)
	}
}
