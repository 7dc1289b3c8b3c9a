package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// prefetchBytes is how far ahead of the lowest row that a block reads the
// pixels are fetched from memory.
const prefetchBytes = 8192

// screen emits the first stage of the sieve, for arcs of up to 11 ring pixels
// or for those of 12: the pixels that may be corners by the four ring pixels
// straight above, below, left and right.
//
// Any arc of 9 to 11 holds one at least of each two that lie opposite, and an
// arc of 12 three of the four.
func (s isa) screen(name string, arc12 bool) {
	TEXT(name+s.name, NOSPLIT,
		"func(masks *uint64, pix *byte, stride int, rows int, blocks int, first uint64, last uint64, threshold uint8)")
	masks := Load(Param("masks"), GP64())
	pix := Load(Param("pix"), GP64())
	stride := Load(Param("stride"), GP64())
	rows := Load(Param("rows"), GP64())
	blocks := Load(Param("blocks"), GP64())
	threshold := s.broadcast("threshold")
	north, south := GP64(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, south)
	MOVQ(south, north)
	NEGQ(north)
	sides := s.newSides()

	Label("row")
	p := GP64()
	MOVQ(pix, p)
	begin := GP64()
	MOVQ(masks, begin)
	n := GP64()
	MOVQ(blocks, n)
	sides.start(p)

	align()
	Label("block")
	if s == avx512 {
		PREFETCHT0(Mem{Base: p, Index: south, Scale: 1, Disp: prefetchBytes})
	}
	up := s.load(Mem{Base: p, Index: north, Scale: 1})
	down := s.load(Mem{Base: p, Index: south, Scale: 1})
	left, centre, right := sides.load(p)
	most := s.do(minimum, s.do(maximum, up, down), s.do(maximum, left, right))
	least := s.do(maximum, s.do(minimum, up, down), s.do(minimum, left, right))
	if arc12 {
		most, least = s.do(minimum, most, least), s.do(maximum, most, least)
	}
	s.doTo(subSat, most, centre, most)
	s.doTo(maximum, most, s.do(subSat, centre, least), most)
	s.storeMask(most, threshold, Mem{Base: masks})
	ADDQ(U8(8), masks)
	ADDQ(U8(s.bytes), p)
	DECQ(n)
	JNE(LabelRef("block"))

	Comment("The ends of the row.")
	end := GP64()
	Load(Param("first"), end)
	ANDQ(end, Mem{Base: begin})
	Load(Param("last"), end)
	ANDQ(end, Mem{Base: masks, Disp: -8})
	ADDQ(stride, pix)
	DECQ(rows)
	JNE(LabelRef("row"))
	s.end()
}

// storeMask stores the bit mask of the pixels with v > threshold; v is lost.
func (s isa) storeMask(v, threshold Register, m Mem) {
	if s == avx512 {
		k := K()
		VPCMPUB(U8(cmpGreater), threshold, v, k)
		KMOVQ(k, m)
		return
	}
	MOVQ(s.exceed(v, threshold), m)
}

// sides loads a block with what lies 3 pixels to its left and right. With
// AVX-512 it reads each pixel once and permutes the block and its neighbours,
// since every other load would straddle two cache lines.
type sides struct {
	isa
	toLeft, toRight        Register // indexes of the permutations
	previous, centre, next Register
}

func (s isa) newSides() *sides {
	if s != avx512 {
		return &sides{isa: s}
	}
	index := s.load(iota64())
	shift := func(by int) Register {
		g, v := GP32(), ZMM()
		MOVL(U32(by), g)
		VPBROADCASTB(g, v)
		VPADDB(index, v, v)
		return v
	}
	// previous and centre are one table of 128 bytes, and so are centre and
	// next.
	return &sides{s, shift(64 - 3), shift(3), ZMM(), ZMM(), ZMM()}
}

// start begins a row.
func (s *sides) start(p Register) {
	if s.isa == avx512 {
		VMOVDQU8(Mem{Base: p, Disp: -64}, s.previous)
		VMOVDQU8(Mem{Base: p}, s.next)
	}
}

func (s *sides) load(p Register) (left, centre, right Register) {
	if s.isa != avx512 {
		return s.isa.load(Mem{Base: p, Disp: -3}), s.isa.load(Mem{Base: p}), s.isa.load(Mem{Base: p, Disp: 3})
	}
	left, right = ZMM(), ZMM()
	VMOVDQA64(s.previous, left)
	VMOVDQA64(s.next, s.centre)
	VMOVDQA64(s.next, s.previous)
	VMOVDQA64(s.next, right)
	VMOVDQU8(Mem{Base: p, Disp: 64}, s.next)
	VPERMT2B(s.centre, s.toLeft, left)
	VPERMT2B(s.next, s.toRight, right)
	return left, s.centre, right
}

// exact emits the second stage of the sieve: the whole test of the blocks that
// are left.
func (s isa) exact(n int) {
	TEXT(fmt.Sprintf("exact%d%s", n, s.name), NOSPLIT,
		"func(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8)")
	masks := Load(Param("masks"), GP64())
	origins := Load(Param("origins"), GP64())
	blocks := Load(Param("n"), GP64())
	pix := Load(Param("pix"), GP64())
	threshold := s.broadcast("threshold")
	stride, stride2, stride3 := GP64(), GP64(), GP64()
	Load(Param("stride"), stride)
	MOVQ(stride, stride2)
	ADDQ(stride, stride2)
	LEAQ(Mem{Base: stride, Index: stride2, Scale: 1}, stride3)
	LEAQ(Mem{Base: masks, Index: blocks, Scale: 8}, masks)
	LEAQ(Mem{Base: origins, Index: blocks, Scale: 4}, origins)
	NEGQ(blocks)

	align()
	Label("block")
	p, x := GP64(), GP64()
	MOVL(Mem{Base: origins, Index: blocks, Scale: 4}, p.As32())
	MOVWLZX(p.As16(), x.As32())
	SHRL(U8(16), p.As32())
	IMULQ(stride, p)
	ADDQ(pix, p)
	ADDQ(x, p)
	q := GP64()
	MOVQ(p, q)
	SUBQ(stride3, q)
	at := func(d pixel) Mem {
		m := Mem{Base: p, Disp: d.x}
		switch d.y {
		case -3, -2, -1:
			m.Base = q
			m.Index, m.Scale = []Register{nil, stride, stride2}[d.y+3], 1
			if d.y == -3 {
				m.Scale = 0
			}
		case 1, 2:
			m.Index, m.Scale = stride, uint8(d.y)
		case 3:
			m.Index, m.Scale = stride3, 1
		}
		return m
	}
	var loaded [16]Op
	best := s.arcTest(n, func(i int) Op {
		switch {
		case s == avx2 && !s.sideBySide(n):
			return at(ring[i])
		case s != avx512:
			return s.load(at(ring[i]))
		case loaded[i] == nil:
			loaded[i] = s.load(at(ring[i]))
		}
		return loaded[i]
	}, func() Register { return s.load(Mem{Base: p}) })
	m := Mem{Base: masks, Index: blocks, Scale: 8}
	if s == avx512 {
		k := K()
		KMOVQ(m, k)
		VPCMPUB(U8(cmpGreater), threshold, best, k, k)
		KMOVQ(k, m)
	} else {
		ANDQ(s.exceed(best, threshold), m)
	}
	INCQ(blocks)
	JNE(LabelRef("block"))
	s.end()
}
