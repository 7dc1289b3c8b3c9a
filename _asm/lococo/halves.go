package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// halves emits the function that computes a row of gradients, for kernels with the given reach,
// of rows whose halves lie in the halves of vectors, and moves the sums over columns that they are
// made of.
func halves(isa ISA, reach int) {
	const columns = 8 // of half a vector
	r := Func(fmt.Sprintf("halves%d%s", reach, isa.Name))
	here, enter, ahead := Load(r.Field("here"), GP64()), Load(r.Field("enter"), GP64()), Load(r.Field("ahead"), GP64())
	second, n := Load(r.Field("second"), GP64()), Load(r.Field("columns"), GP64())
	above, middle, sums := Load(r.Field("above"), GP64()), Load(r.Field("middle"), GP64()), Load(r.Field("sums"), GP64())
	out := [2]Register{Pointer(r, "out", 0), Pointer(r, "out", 1)}
	var seconds [3]Register
	for i, p := range []Register{here, enter, ahead} {
		seconds[i] = GP64()
		LEAQ(Mem{Base: p, Index: second, Scale: 1}, seconds[i])
	}
	zero := isa.Zero()
	wholes, differences := newTrail(isa, reach, reach), newTrail(isa, 2*reach)
	x := Counter()
	load := func(row, second Register) Register {
		return isa.LoadHalves(Mem{Base: row, Index: x, Scale: 1}, Mem{Base: second, Index: x, Scale: 1})
	}
	// half emits the gradients of the columns of either half of two vectors of pixels.
	half := func(high bool, here, enter Register) {
		widen, offset := VPUNPCKLBW, 0
		if high {
			widen, offset = VPUNPCKHBW, isa.Bytes
		}
		at := func(row Register) Mem { return Mem{Base: row, Index: x, Scale: 4, Disp: offset} }
		below, whole, difference, entering := isa.Vec(), isa.Vec(), isa.Vec(), isa.Vec()
		widen(zero, here, below)
		VPSUBW(below, isa.Load(at(above)), below)
		VPADDW(at(middle), below, whole)
		widen(zero, enter, entering)
		VPADDW(entering, below, below)
		VPSUBW(at(sums), below, difference)
		isa.Store(below, at(sums))

		wholes.next(whole)
		right := wholes.sum(reach)
		isa.Store(isa.Do(op.SubWord, right, wholes.shifted(reach, reach+1)), at(out[0]))
		differences.next(difference)
		isa.Store(isa.Do(op.SubWord, differences.sum(2*reach), difference), at(out[1]))
	}
	Comment("The gradients of 16 columns of each half.")
	next, rest := GP64(), GP64()
	_ = rest
	MOVQ(U32(2*columns), next)
	Align()
	Label("columns")
	PREFETCHT0(Mem{Base: ahead, Index: x, Scale: 1})
	PREFETCHT0(Mem{Base: seconds[2], Index: x, Scale: 1})
	pixels, entering := load(here, seconds[0]), load(enter, seconds[1])
	half(false, pixels, entering)
	half(true, pixels, entering)
	wholes.keep()
	differences.keep()
	MOVQ(next, x)
	ADDQ(U8(2*columns), next)
	CMPQ(next, n)
	JLE(LabelRef("columns"))
	Comment("The last 8 columns.")
	CMPQ(x, n)
	JEQ(LabelRef("done"))
	SUBQ(U8(columns), x)
	half(true, load(here, seconds[0]), load(enter, seconds[1]))
	Label("done")
	isa.End()
}

// A trail is the sums of the last words up to each one, in the halves of vectors.
type trail struct {
	isa    ISA
	kept   map[int]Register // the sums of the vector before at the beginning of the loop, by their numbers of words
	before map[int]Register // the same of the vector before
	sums   map[int]Register // those of the current vector
}

// newTrail returns the trail of sums of n words. Those of the numbers in shifted are shifted
// later.
func newTrail(isa ISA, n int, shifted ...int) *trail {
	t := &trail{isa: isa, kept: map[int]Register{}, before: map[int]Register{}}
	for _, n := range append(parts(n), shifted...) {
		if t.kept[n] == nil {
			t.kept[n] = isa.Zero()
			t.before[n] = t.kept[n]
		}
	}
	return t
}

// large returns the largest power of 2 that is less than n.
func large(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

// parts returns the numbers of words of sums that are shifted for the sum of n words.
func parts(n int) []int {
	if n == 1 {
		return nil
	}
	k := large(n)
	return append(append(parts(k), parts(n-k)...), n-k)
}

// next begins with the words of the next vector.
func (t *trail) next(v Register) {
	for n := range t.before {
		if t.sums != nil {
			t.before[n] = t.sums[n]
		}
	}
	t.sums = map[int]Register{1: v}
}

// sum returns the sums of the last n words.
func (t *trail) sum(n int) Register {
	if t.sums[n] == nil {
		k := large(n)
		t.sums[n] = t.isa.Do(op.AddWord, t.sum(k), t.shifted(n-k, k))
	}
	return t.sums[n]
}

// shifted returns the sums of the last n words before the given number of others.
func (t *trail) shifted(n, words int) Register {
	return t.isa.ShiftHalves(t.sum(n), t.before[n], 2*words)
}

// keep makes the vector the one before at the beginning of the loop.
func (t *trail) keep() {
	for n := range t.kept {
		t.isa.Move(t.sums[n], t.kept[n])
		t.before[n] = t.kept[n]
	}
	t.sums = nil
}
