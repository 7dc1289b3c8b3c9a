package main

import (
	"fmt"
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// prefetchBytes is how far ahead of a block's lowest row pixels are prefetched.
const prefetchBytes = 8192

// screen emits the first stage of the sieve, for arcs of up to 11 ring pixels or for those
// of 12. It finds the pixels that cannot be corners, judging by the four ring pixels straight
// above, below, left and right.
//
// Any arc of 9 to 11 contains at least one of any two opposite ring pixels, and an arc of
// 12 contains three of the four.
func (s isa) screen(arc12 bool) {
	f := s.newScreen("screen", arc12)
	sides := s.newSides()
	var zero Register
	if s.ISA != AVX512 {
		zero = s.Zero()
	}
	stride, width, left := GP64(), GP64(), GP64()
	Load(f.run.Field("stride"), stride)
	Load(f.run.Field("blocks"), width)
	MOVQ(f.n, left)

	Comment("Where no bytes lie between the rows they are worked as one.")
	bytes := GP64()
	MOVQ(width, bytes)
	SHLQ(U8(bits.TrailingZeros(uint(s.Bytes))), bytes)
	CMPQ(bytes, stride)
	CMOVQEQ(left, width)

	Comment("The blocks of a row, or of all rows.")
	Label("row")
	p, g, n := GP64(), GP64(), GP64()
	MOVQ(f.pix, p)
	MOVQ(f.grid, g)
	CMPQ(left, width)
	CMOVQLT(left, width) // the last row may be shorter
	MOVQ(width, n)
	sides.start(p)
	eachOrOne(n, "", 4, func(count int) {
		for i := range count {
			at := func(rows Register, x int) Mem {
				m := Mem{Base: p, Disp: i*s.Bytes + x}
				if rows != nil {
					m.Index, m.Scale = rows, 1
				}
				return m
			}
			if i*s.Bytes%64 == 0 {
				PREFETCHT0(at(f.below, prefetchBytes))
			}
			up, down := s.Load(at(f.above, 0)), s.Load(at(f.below, 0))
			west, center, east := sides.load(at(nil, 0))
			most := s.Reuse(op.Min, s.Do(op.Max, up, down), s.Do(op.Max, west, east))
			least := s.Reuse(op.Max, s.Reuse(op.Min, up, down), s.Reuse(op.Min, west, east))
			if arc12 {
				most, least = s.Do(op.Min, most, least), s.Reuse(op.Max, least, most)
			}
			s.DoTo(op.SubSat, most, center, most)
			s.DoTo(op.Max, most, s.Reuse(op.SubSat, center, least), most)
			sides.next()
			if s.ISA == AVX512 {
				k := K()
				VPCMPUB(U8(CmpAtMost), f.threshold, most, k)
				KMOVQ(k, Mem{Base: g, Disp: 8 * i})
			} else {
				mask := GP32()
				s.MoveMask(s.AtMost(most, f.threshold, zero), mask)
				MOVQ(mask.As64(), Mem{Base: g, Disp: 8 * i})
			}
		}
		ADDQ(U32(count*s.Bytes), p)
		ADDQ(U8(8*count), g)
	})
	ADDQ(stride, f.pix)
	LEAQ(Mem{Base: f.grid, Index: width, Scale: 8}, f.grid)
	SUBQ(width, left)
	JNE(LabelRef("row"))
	if s.ISA != AVX512 {
		f.ends()
	}
	s.End()
}

// ends adds the pixels that are not allowed at the ends of the rows to the grid, so that
// compact need not check.
func (f screen) ends() {
	allowed, grid, blocks, left := GP64(), GP64(), GP64(), GP64()
	Comment("The pixels that are not allowed, at both ends of each row.")
	Load(f.run.Field("allowed").Base(), allowed)
	TESTQ(allowed, allowed)
	JEQ(LabelRef("end"))
	Load(f.run.Field("grid").Base(), grid)
	Load(f.run.Field("grid").Len(), left)
	Load(f.run.Field("blocks"), blocks)
	first, last := GP64(), GP64()
	MOVQ(Mem{Base: allowed}, first)
	NOTQ(first)
	MOVQ(Mem{Base: allowed, Index: blocks, Scale: 8, Disp: -8}, last)
	NOTQ(last)
	Label("ends")
	ORQ(first, Mem{Base: grid})
	SUBQ(blocks, left)
	JLT(LabelRef("end"))
	LEAQ(Mem{Base: grid, Index: blocks, Scale: 8}, grid)
	ORQ(last, Mem{Base: grid, Disp: -8})
	TESTQ(left, left)
	JNE(LabelRef("ends"))
	Label("end")
}

// A screen holds what the functions of the first stage have in common.
type screen struct {
	run          Component
	grid, n, pix Register
	above, below Register // from a row to those of the ring pixels 1 and 9
	threshold    Register
}

func (s isa) newScreen(name string, arc12 bool) screen {
	if arc12 {
		name += "12"
	}
	f := screen{run: Func(name + s.Name), above: GP64(), below: GP64()}
	f.grid = Load(f.run.Field("grid").Base(), GP64())
	f.n = Load(f.run.Field("grid").Len(), GP64())
	f.pix = pixelAt(f.run, "first")
	Load(f.run.Field("stride"), f.below)
	LEAQ(Mem{Base: f.below, Index: f.below, Scale: 2}, f.below)
	MOVQ(f.below, f.above)
	NEGQ(f.above)
	f.threshold = s.Broadcast(f.run.Field("threshold"))
	return f
}

// each emits a loop over n things that does a number of them at a time, and what rest emits
// for the n that are left. Its labels begin with prefix.
func each(n Register, prefix string, atOnce int, do, rest func()) {
	SUBQ(U8(atOnce), n)
	JLT(LabelRef(prefix + "few"))
	Align()
	Label(prefix + "block")
	do()
	SUBQ(U8(atOnce), n)
	JGE(LabelRef(prefix + "block"))
	Label(prefix + "few")
	ADDQ(U8(atOnce), n)
	JEQ(LabelRef(prefix + "done"))
	rest()
	Label(prefix + "done")
}

// eachOrOne is each, but does the rest one by one.
func eachOrOne(n Register, prefix string, atOnce int, do func(count int)) {
	each(n, prefix, atOnce, func() { do(atOnce) }, func() {
		Label(prefix + "one")
		do(1)
		DECQ(n)
		JNE(LabelRef(prefix + "one"))
	})
}

// sides loads a block and the pixels 3 to the left and right of its own. With AVX-512 it
// reads each pixel once and permutes the block and its neighbors, since every other load
// would straddle two cache lines.
type sides struct {
	isa
	toLeft, toRight       Register // indexes of the permutations
	before, block, behind Register
}

func (s isa) newSides() sides {
	if s.ISA != AVX512 {
		return sides{isa: s}
	}
	index := s.Load(Iota64())
	from := func(begin int) Register {
		g, v := GP32(), ZMM()
		MOVL(U32(begin), g)
		VPBROADCASTB(g, v)
		VPADDB(index, v, v)
		return v
	}
	// Two neighbors are one table of 128 bytes.
	return sides{s, from(64 - radius), from(radius), ZMM(), ZMM(), ZMM()}
}

// start begins a row.
func (s sides) start(p Register) {
	if s.ISA == AVX512 {
		VMOVDQU8(Mem{Base: p, Disp: -64}, s.before)
		VMOVDQU8(Mem{Base: p}, s.block)
	}
}

func (s sides) load(m Mem) (left, center, right Register) {
	by := func(pixels int) Mem {
		m := m
		m.Disp += pixels
		return m
	}
	if s.ISA != AVX512 {
		return s.Load(by(-radius)), s.Load(m), s.Load(by(radius))
	}
	VMOVDQU8(by(64), s.behind)
	left, right = s.before, ZMM()
	VPERMT2B(s.block, s.toLeft, left)
	VMOVDQA64(s.block, right)
	VPERMT2B(s.behind, s.toRight, right)
	return left, s.block, right
}

// next advances to the next block. The block before is no longer needed.
func (s sides) next() {
	if s.ISA == AVX512 {
		VMOVDQA64(s.block, s.before)
		VMOVDQA64(s.behind, s.block)
	}
}

// exact emits the second stage of the sieve: the complete test of the remaining blocks.
func (s isa) exact(n int) {
	r := Func(fmt.Sprintf("exact%d%s", n, s.Name))
	masks, origins, count := list(r)
	pix := pixelAt(r, "base")
	stride, stride2, stride3 := GP64(), GP64(), GP64()
	Load(r.Field("stride"), stride)
	MOVQ(stride, stride2)
	ADDQ(stride, stride2)
	LEAQ(Mem{Base: stride, Index: stride2, Scale: 1}, stride3)
	scores := Load(r.Field("scores").Base(), GP64())
	scoreStride := Load(r.Field("scoreStride"), GP64())

	// blocks emits a loop over them. Its argument gets the addresses of the ring pixels,
	// counted from 0.
	blocks := func(label string, do func(at func(i int) Mem)) {
		Align()
		Label(label)
		Comment("The next block of the list.")
		p := address(origins, pix, stride)
		q := GP64()
		MOVQ(p, q)
		SUBQ(stride3, q)
		do(func(i int) Mem {
			d := ring[i]
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
		})
		ADDQ(U8(8), masks)
		ADDQ(U8(4), origins)
		DECQ(count)
		JNE(LabelRef(label))
		s.End()
	}
	if s.ISA == AVX512 {
		c := newComparisons(r.Field("threshold"))
		TESTQ(scores, scores)
		JNE(LabelRef("scored"))
		blocks("block", func(at func(i int) Mem) {
			k := K()
			KMOVQ(Mem{Base: masks}, k)
			VPTESTMB(c.top, c.corners(n, &ringPixels{at: at}), k, k)
			KMOVQ(k, Mem{Base: masks})
		})
		blocks("scored", func(at func(i int) Mem) {
			best := c.differences(n, &ringPixels{at: at})
			s.test(best, c.threshold, Mem{Base: masks}, func(corners Register) {
				s.Store(s.Only(best, corners), Mem{Base: address(origins, scores, scoreStride)})
			})
		})
		return
	}
	threshold := s.Broadcast(r.Field("threshold"))
	found, corners := s.Vec(), GP64() // of a block: the scores and 1, and the mask
	test := arcTest(n, false)
	blocks("block", func(at func(i int) Mem) {
		best := s.compute(test, func(i int) Op {
			if s.ISA == SSE2 {
				return s.Load(at(i))
			}
			return at(i)
		})
		Comment("The corners, of those in the mask.")
		fails, all := s.AtMost(best, threshold, s.Zero()), GP64()
		s.MoveMask(fails, all.As32())
		XORL(U32(1<<s.Bytes-1), all.As32())
		MOVQ(Mem{Base: masks}, corners)
		ANDQ(all, corners)
		MOVQ(corners, Mem{Base: masks})
		TESTQ(scores, scores)
		JEQ(LabelRef("next"))
		s.Move(s.Without(best, fails), found)
		CMPQ(all, corners)
		JNE(LabelRef("outside"))
		Label("store")
		s.Store(found, Mem{Base: address(origins, scores, scoreStride)})
		Label("next")
	})
	Comment("Seldom there are corners that are not in the mask, at the ends of rows.")
	Label("outside")
	s.Move(s.Only(found, corners), found)
	JMP(LabelRef("store"))
}

// compute emits a network. ring returns the operand with ring pixel i, counted from 0, or
// for center the pixels themselves. With SSE2 the registers that it returns are overwritten.
func (s isa) compute(w network, ring func(i int) Op) Register {
	place := compute(w, func(v *value) Op {
		if v.uses > 1 {
			return s.Register(ring(v.pixel))
		}
		return ring(v.pixel)
	}, s.operation)
	return place.(Register)
}

// operation emits an operation of a network.
func (s isa) operation(o op.Binary, x, y operand[Op]) Op {
	switch o {
	case op.NotLower:
		return s.AtMost(s.Register(y.place), x.place, s.Zero())
	case op.Min, op.Max, op.Xor:
		// One of the two is in a register and, with SSE2, may be overwritten.
		if InMemory(x.place) && !InMemory(y.place) || s.ISA == SSE2 && !x.last && y.last {
			x, y = y, x
		}
	}
	if x.last {
		return s.Reuse(o, s.Register(x.place), y.place)
	}
	return s.Do(o, s.Register(x.place), y.place)
}

// list returns the addresses of the listed masks of the run r and of their origins, and the
// number of masks.
func list(r Component) (masks, origins, count Register) {
	masks = Load(r.Field("masks").Base(), GP64())
	origins = Load(r.Field("origins").Base(), GP64())
	return masks, origins, Load(r.Field("count"), GP64())
}

// pixelAt returns the address of the pixel of the run r whose index is in a field.
func pixelAt(r Component, index string) Register {
	p := Load(r.Field("pix").Base(), GP64())
	ADDQ(Load(r.Field(index), GP64()), p)
	return p
}

// address returns the address of the pixel, or of the score, at the next origin.
func address(origins, base, stride Register) Register {
	p, x := GP64(), GP64()
	MOVLQZX(Mem{Base: origins}, p)
	MOVWQZX(p.As16(), x)
	SHRQ(U8(16), p)
	IMULQ(stride, p)
	ADDQ(base, p)
	ADDQ(x, p)
	return p
}

// test clears the bits of the mask at m where v <= limit. It passes the remaining mask to
// use: in a mask register with AVX-512, otherwise in a general register.
func (s isa) test(v, limit Register, m Mem, use func(mask Register)) {
	if s.ISA == AVX512 {
		k := K()
		KMOVQ(m, k)
		VPCMPUB(U8(CmpGreater), limit, v, k, k)
		KMOVQ(k, m)
		use(k)
		return
	}
	bits := s.Exceed(v, limit)
	ANDQ(m, bits)
	MOVQ(bits, m)
	use(bits)
}

// peaks emits non-maximum suppression: it clears the bits of pixels unless their scores
// exceed all eight around them, where tie is subtracted from the later ones.
func (s isa) peaks() {
	r := Func("peaks" + s.Name)
	masks, origins, count := list(r)
	scores := Load(r.Field("scores").Base(), GP64())
	stride := GP64()
	Load(r.Field("scoreStride"), stride)
	above := GP64()
	MOVQ(stride, above)
	NEGQ(above)
	tie := s.Broadcast(r.Field("tie"))

	Align()
	Label("block")
	Comment("The largest score before each pixel, and the largest one after it.")
	p := address(origins, scores, stride)
	row := func(stride Register, x int) Register {
		m := Mem{Base: p, Disp: x}
		if stride != nil {
			m.Index, m.Scale = stride, 1
		}
		return s.Load(m)
	}
	earlier, later := row(above, -1), row(nil, 1)
	for x := range 3 {
		later = s.Reuse(op.Max, later, row(stride, x-1))
	}
	later = s.Reuse(op.SubSat, later, tie)
	for _, other := range []Register{row(above, 0), row(above, 1), row(nil, -1), later} {
		earlier = s.Reuse(op.Max, earlier, other)
	}
	s.test(row(nil, 0), earlier, Mem{Base: masks}, func(Register) {})
	ADDQ(U8(8), masks)
	ADDQ(U8(4), origins)
	DECQ(count)
	JNE(LabelRef("block"))
	s.End()
}

// wipe emits the function that sets the scores of blocks to zero.
func (s isa) wipe() {
	r := Func("wipe" + s.Name)
	origins := Load(r.Field("origins").Base(), GP64())
	count := Load(r.Field("count"), GP64())
	scores := Load(r.Field("scores").Base(), GP64())
	stride := Load(r.Field("scoreStride"), GP64())
	zero := s.Zero()

	Align()
	Label("block")
	Comment("The block's scores.")
	s.Store(zero, Mem{Base: address(origins, scores, stride)})
	ADDQ(U8(4), origins)
	DECQ(count)
	JNE(LabelRef("block"))
	s.End()
}
