package main

import (
	"fmt"
	"math/bits"

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

	Comment("Where no bytes lie between the rows they are worked as one.")
	n, lines := GP64(), GP64()
	MOVQ(blocks, n)
	MOVQ(rows, lines)
	width := GP64()
	MOVQ(blocks, width)
	SHLQ(U8(bits.TrailingZeros(uint(s.bytes))), width)
	CMPQ(width, stride)
	JNE(LabelRef("row"))
	IMULQ(rows, n)
	MOVQ(U32(1), lines)

	Label("row")
	p, mask, left := GP64(), GP64(), GP64()
	MOVQ(pix, p)
	MOVQ(masks, mask)
	MOVQ(n, left)
	sides.start(p)
	align()
	Label("block")
	// Three at a time, since that many registers hold a block and its
	// neighbours in turn.
	for i := range 3 {
		at := func(rows Register) Mem {
			m := Mem{Base: p, Disp: i * s.bytes}
			if rows != nil {
				m.Index, m.Scale = rows, 1
			}
			return m
		}
		if i*s.bytes%64 == 0 {
			m := at(south)
			m.Disp += prefetchBytes
			PREFETCHT0(m)
		}
		up, down := s.load(at(north)), s.load(at(south))
		west, centre, east := sides.load(at(nil))
		most := s.reuse(minimum, s.do(maximum, up, down), s.do(maximum, west, east))
		least := s.reuse(maximum, s.reuse(minimum, up, down), s.reuse(minimum, west, east))
		if arc12 {
			most, least = s.do(minimum, most, least), s.reuse(maximum, least, most)
		}
		s.doTo(subSat, most, centre, most)
		s.doTo(maximum, most, s.reuse(subSat, centre, least), most)
		s.storeMask(most, threshold, Mem{Base: mask, Disp: 8 * i})
		DECQ(left)
		JEQ(LabelRef("rowdone"))
	}
	ADDQ(U32(3*s.bytes), p)
	ADDQ(U8(3*8), mask)
	JMP(LabelRef("block"))
	Label("rowdone")
	LEAQ(Mem{Base: masks, Index: n, Scale: 8}, masks)
	ADDQ(stride, pix)
	DECQ(lines)
	JNE(LabelRef("row"))

	Comment("The ends of the rows.")
	first, last := GP64(), GP64()
	Load(Param("masks"), masks)
	Load(Param("first"), first)
	Load(Param("last"), last)
	Label("ends")
	ANDQ(first, Mem{Base: masks})
	LEAQ(Mem{Base: masks, Index: blocks, Scale: 8}, masks)
	ANDQ(last, Mem{Base: masks, Disp: -8})
	DECQ(rows)
	JNE(LabelRef("ends"))
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
	toLeft, toRight Register    // indexes of the permutations
	near            [3]Register // the block before, the block and the next one
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
	// Two neighbours are one table of 128 bytes.
	return &sides{s, shift(64 - 3), shift(3), [3]Register{ZMM(), ZMM(), ZMM()}}
}

// start begins a row.
func (s *sides) start(p Register) {
	if s.isa == avx512 {
		VMOVDQU8(Mem{Base: p, Disp: -64}, s.near[0])
		VMOVDQU8(Mem{Base: p}, s.near[1])
	}
}

func (s *sides) load(m Mem) (left, centre, right Register) {
	by := func(pixels int) Mem {
		m := m
		m.Disp += pixels
		return m
	}
	if s.isa != avx512 {
		return s.isa.load(by(-3)), s.isa.load(m), s.isa.load(by(3))
	}
	left, centre, next := s.near[0], s.near[1], s.near[2]
	right = ZMM()
	VMOVDQA64(centre, right)
	VMOVDQU8(by(64), next)
	VPERMT2B(centre, s.toLeft, left)
	VPERMT2B(next, s.toRight, right)
	s.near = [3]Register{centre, next, left}
	return left, centre, right
}

// exact emits the second stage of the sieve: the whole test of the blocks that
// are left.
func (s isa) exact(n int) {
	TEXT(fmt.Sprintf("exact%d%s", n, s.name), NOSPLIT,
		"func(masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int)")
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
	scores := Load(Param("scores"), GP64())
	scoreStride := Load(Param("scoreStride"), GP64())

	align()
	Label("block")
	p := place(origins, pix, stride)
	q := GP64()
	MOVQ(p, q)
	SUBQ(stride3, q)
	at := func(d pixel) Mem {
		switch d.y {
		case -3:
			return Mem{Base: q, Disp: d.x}
		case -2:
			return Mem{Base: q, Disp: d.x, Index: stride, Scale: 1}
		case -1:
			return Mem{Base: q, Disp: d.x, Index: stride2, Scale: 1}
		case 1, 2:
			return Mem{Base: p, Disp: d.x, Index: stride, Scale: uint8(d.y)}
		case 3:
			return Mem{Base: p, Disp: d.x, Index: stride3, Scale: 1}
		}
		return Mem{Base: p, Disp: d.x}
	}
	var loaded [17]Op
	best := s.arcTest(n, func(i int) Op {
		m := at(ring[i])
		switch {
		case s == avx2:
			return m
		case s == sse2:
			return s.load(m)
		case loaded[i] == nil:
			loaded[i] = s.load(m)
		}
		return loaded[i]
	})
	s.test(best, threshold, Mem{Base: masks}, func(corners Register) {
		TESTQ(scores, scores)
		JEQ(LabelRef("next"))
		s.store(s.only(best, corners), Mem{Base: place(origins, scores, scoreStride)})
	})
	Label("next")
	ADDQ(U8(8), masks)
	ADDQ(U8(4), origins)
	DECQ(blocks)
	JNE(LabelRef("block"))
	s.end()
}

// place returns the address of the first pixel of the block whose origin is
// next.
func place(origins, base, stride Register) Register {
	p, x := GP64(), GP64()
	MOVLQZX(Mem{Base: origins}, p)
	MOVWQZX(p.As16(), x)
	SHRQ(U8(16), p)
	IMULQ(stride, p)
	ADDQ(base, p)
	ADDQ(x, p)
	return p
}

// test clears the bits of the mask at m where v <= limit. It passes what is left
// to use: as a mask register with AVX-512, otherwise as bits.
func (s isa) test(v, limit Register, m Mem, use func(mask Register)) {
	if s == avx512 {
		k := K()
		KMOVQ(m, k)
		VPCMPUB(U8(cmpGreater), limit, v, k, k)
		KMOVQ(k, m)
		use(k)
		return
	}
	bits := s.exceed(v, limit)
	ANDQ(m, bits)
	MOVQ(bits, m)
	use(bits)
}

// peaks emits non-maximum suppression: it clears the bits of the pixels whose
// score is not greater than all eight around it.
func (s isa) peaks() {
	TEXT("peaks"+s.name, NOSPLIT,
		"func(masks *uint64, origins *uint32, n int, scores *byte, scoreStride int)")
	masks := Load(Param("masks"), GP64())
	origins := Load(Param("origins"), GP64())
	n := Load(Param("n"), GP64())
	scores := Load(Param("scores"), GP64())
	stride := GP64()
	Load(Param("scoreStride"), stride)
	above := GP64()
	MOVQ(stride, above)
	NEGQ(above)

	align()
	Label("block")
	p := place(origins, scores, stride)
	row := func(stride Register, x int) Register {
		m := Mem{Base: p, Disp: x}
		if stride != nil {
			m.Index, m.Scale = stride, 1
		}
		return s.load(m)
	}
	most := row(above, -1)
	for _, other := range []struct {
		stride Register
		x      int
	}{{above, 0}, {above, 1}, {nil, -1}, {nil, 1}, {stride, -1}, {stride, 0}, {stride, 1}} {
		most = s.reuse(maximum, most, row(other.stride, other.x))
	}
	s.test(row(nil, 0), most, Mem{Base: masks}, func(Register) {})
	ADDQ(U8(8), masks)
	ADDQ(U8(4), origins)
	DECQ(n)
	JNE(LabelRef("block"))
	s.end()
}

// wipe emits the function that sets the scores of blocks to zero.
func (s isa) wipe() {
	TEXT("wipe"+s.name, NOSPLIT, "func(origins *uint32, n int, scores *byte, scoreStride int)")
	origins := Load(Param("origins"), GP64())
	n := Load(Param("n"), GP64())
	scores := Load(Param("scores"), GP64())
	stride := Load(Param("scoreStride"), GP64())
	zero := s.zero()

	align()
	Label("block")
	s.store(zero, Mem{Base: place(origins, scores, stride)})
	ADDQ(U8(4), origins)
	DECQ(n)
	JNE(LabelRef("block"))
	s.end()
}
