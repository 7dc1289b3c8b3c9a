package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// bands emits the function that moves bands down by a row. The last vector ends where the
// bands do.
func bands(isa ISA) {
	pixels := isa.Bytes / 2
	r := Func("bands" + isa.Name)
	rows := Bases(r, "rows", 6)
	ahead := Load(r.Field("ahead"), GP64())
	old, out := Bases(r, "old", 2), Bases(r, "out", 2)
	last := Load(r.Field("rows").Index(0).Len(), GP64())
	SUBQ(U8(pixels), last)
	zero := isa.Zero()
	x := Counter()
	Comment("The sums of a vector of columns.")
	LoopWithin("pixels", x, last, pixels, func() {
		PREFETCHT0(Mem{Base: ahead, Index: x, Scale: 1})
		move := func(old, out Register, enter, leave []int) {
			v := isa.Load(Mem{Base: old, Index: x, Scale: 2})
			for _, row := range enter {
				isa.DoTo(op.AddWord, v, isa.LoadWords(Mem{Base: rows[row], Index: x, Scale: 1}, zero), v)
			}
			for _, row := range leave {
				isa.DoTo(op.SubWord, v, isa.LoadWords(Mem{Base: rows[row], Index: x, Scale: 1}, zero), v)
			}
			isa.Store(v, Mem{Base: out, Index: x, Scale: 2})
		}
		move(old[0], out[0], []int{4}, []int{1})
		move(old[1], out[1], []int{5, 0}, []int{3, 2})
	})
	isa.End()
}

// gradients emits the function that computes a row of gradients from bands, for kernels with
// the given reach. The first gradients, of as many columns as a kernel has, are wrong.
func gradients(isa ISA, reach int) {
	r := Func(fmt.Sprintf("gradients%d%s", reach, isa.Name))
	bands, out := Bases(r, "bands", 2), Bases(r, "out", 2)
	n := Load(r.Field("out").Index(0).Len(), GP64())
	x := Counter()
	right := newSlidingSum(isa, bands[0], 1, reach)
	left := newSlidingSum(isa, bands[0], -reach, -1)
	middle := newSlidingSum(isa, bands[1], 1-reach, reach-1)
	Comment("The gradients of a vector of columns.")
	Loop("columns", x, n, isa.Bytes/2, func() {
		gx := right.at(x)
		isa.DoTo(op.SubWord, gx, left.at(x), gx)
		isa.Store(gx, Mem{Base: out[0], Index: x, Scale: 2})
		isa.Store(middle.at(x), Mem{Base: out[1], Index: x, Scale: 2})
	})
	isa.End()
}

// A slidingSum is the sums of the words from first to last around the words of a vector. Most
// vectors that begin elsewhere straddle cache lines, so only the last words and pairs of
// words are loaded, and the others are shifted from these.
type slidingSum struct {
	isa         ISA
	band        Register
	first, last int
	word, pair  Register // those of the vector before
}

func newSlidingSum(isa ISA, band Register, first, last int) *slidingSum {
	s := &slidingSum{isa: isa, band: band, first: first, last: last}
	if n := last - first + 1; s.shifts() {
		s.pair = isa.Zero()
		if n%2 == 1 {
			s.word = isa.Zero()
		}
	}
	return s
}

// shifts reports whether words are shifted. With SSE2 they are not, since that is slower.
func (s *slidingSum) shifts() bool {
	return s.isa != SSE2 && s.last-s.first+1 > 3
}

// at emits the sums around x.
func (s *slidingSum) at(x Register) VecVirtual {
	at := func(i int) Mem { return Mem{Base: s.band, Index: x, Scale: 2, Disp: 2 * i} }
	n := s.last - s.first + 1
	if !s.shifts() {
		sum := s.isa.Load(at(s.first))
		for i := s.first + 1; i <= s.last; i++ {
			s.isa.DoTo(op.AddWord, sum, s.isa.Operand(at(i)), sum)
		}
		return sum
	}
	word := s.isa.Load(at(s.last))
	pair := s.isa.Do(op.AddWord, word, at(s.last-1))
	shift := s.isa.Shifter(pair, s.pair)
	sum := s.isa.Do(op.AddWord, pair, shift(1))
	for i := 2; i < n/2; i++ {
		s.isa.DoTo(op.AddWord, sum, shift(i), sum)
	}
	if n%2 == 1 {
		s.isa.DoTo(op.AddWord, sum, s.isa.ShiftIn(word, s.word, n/2), sum)
		s.isa.Move(word, s.word)
	}
	s.isa.Move(pair, s.pair)
	return sum
}
