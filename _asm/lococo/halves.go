package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// halves emits the function that computes a row of gradients, for kernels with the given reach,
// in rows whose halves lie in the halves of vectors, and moves the sums down the columns that they
// are made of.
func halves(isa ISA, reach int) {
	const columns = 8 // of half a vector of words
	r := Func(fmt.Sprintf("halves%d%s", reach, isa.Name))
	var rows [3][2]Register // of pixels: where each half begins
	second := Load(r.Field("second"), GP64())
	for i, field := range []string{"here", "enter", "ahead"} {
		rows[i] = [2]Register{Load(r.Field(field), GP64()), GP64()}
		LEAQ(Mem{Base: rows[i][0], Index: second, Scale: 1}, rows[i][1])
	}
	n := Load(r.Field("columns"), GP64())
	above, middle, sums := Load(r.Field("above"), GP64()), Load(r.Field("middle"), GP64()), Load(r.Field("sums"), GP64())
	out := [2]Register{Pointer(r, "out", 0), Pointer(r, "out", 1)}
	zero := isa.Zero()
	wholes, differences := newTrail(isa, reach, reach), newTrail(isa, 2*reach)
	x, next := Counter(), GP64()
	pixel := func(half Register) Mem { return Mem{Base: half, Index: x, Scale: 1} }
	// load returns the pixels of 16 columns of each half.
	load := func(row int) Register { return isa.LoadHalves(pixel(rows[row][0]), pixel(rows[row][1])) }
	// vector emits the gradients of the first or the last 8 of these columns.
	vector := func(widen func(...Op), offset int, here, enter Register) {
		at := func(row Register) Mem { return Mem{Base: row, Index: x, Scale: 4, Disp: offset} }
		leaving, entering, whole, difference := isa.Vec(), isa.Vec(), isa.Vec(), isa.Vec()
		widen(zero, here, leaving)
		widen(zero, enter, entering)
		sum := isa.Load(at(above))
		isa.DoTo(op.SubWord, sum, leaving, sum)
		isa.DoTo(op.AddWord, sum, at(middle), whole)
		isa.DoTo(op.AddWord, sum, entering, sum)
		isa.DoTo(op.SubWord, sum, at(sums), difference)
		isa.Store(sum, at(sums))
		wholes.next(whole)
		gx := isa.Do(op.SubWord, wholes.sum(reach), wholes.shifted(reach, reach+1))
		isa.Store(gx, at(out[0]))
		differences.next(difference)
		gy := isa.Do(op.SubWord, differences.sum(2*reach), difference)
		isa.Store(gy, at(out[1]))
	}
	Comment("The gradients of 16 columns of each half.")
	MOVQ(U32(2*columns), next)
	Align()
	Label("columns")
	for _, half := range rows[2] {
		PREFETCHT0(pixel(half))
	}
	here, enter := load(0), load(1)
	vector(VPUNPCKLBW, 0, here, enter)
	vector(VPUNPCKHBW, isa.Bytes, here, enter)
	wholes.keep()
	differences.keep()
	MOVQ(next, x)
	ADDQ(U8(2*columns), next)
	CMPQ(next, n)
	JLE(LabelRef("columns"))
	Comment("Those of the last 8 columns, if there are any.")
	CMPQ(x, n)
	JEQ(LabelRef("done"))
	SUBQ(U8(columns), x)
	vector(VPUNPCKHBW, isa.Bytes, load(0), load(1))
	Label("done")
	isa.End()
}

// most is the largest number of words of the sums of a trail.
const most = 8

// A trail is the sums of the last words up to each one, in the halves of vectors, by their numbers
// of words.
type trail struct {
	isa  ISA
	sums [most + 1]Register // nil if not yet computed
	// before is those of the vector before, and kept where they are when the loop begins anew: both
	// are nil unless they are shifted.
	before, kept [most + 1]Register
}

// newTrail returns the trail for sums of n words. Those of the numbers in shifted are shifted, too.
func newTrail(isa ISA, n int, shifted ...int) *trail {
	t := &trail{isa: isa}
	for _, n := range append(parts(n), shifted...) {
		if t.kept[n] == nil {
			t.kept[n] = isa.Zero()
		}
	}
	t.before = t.kept
	return t
}

// half returns the largest power of 2 that is less than n.
func half(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

// parts returns the numbers of words of the sums that are shifted for those of n words.
func parts(n int) []int {
	if n == 1 {
		return nil
	}
	k := half(n)
	return append(append(parts(k), parts(n-k)...), n-k)
}

// next begins the vector v.
func (t *trail) next(v Register) {
	if t.sums[1] != nil {
		t.before = t.sums
	}
	t.sums = [most + 1]Register{1: v}
}

// sum returns the sums of the last n words.
func (t *trail) sum(n int) Register {
	if t.sums[n] == nil {
		k := half(n)
		t.sums[n] = t.isa.Do(op.AddWord, t.sum(k), t.shifted(n-k, k))
	}
	return t.sums[n]
}

// shifted returns the sums of the last n words before the given number of others.
func (t *trail) shifted(n, words int) Register {
	return t.isa.ShiftHalves(t.sum(n), t.before[n], 2*words)
}

// keep ends the loop: the next vector is the first one of a round or follows the loop.
func (t *trail) keep() {
	for n, v := range t.kept {
		if v != nil {
			t.isa.Move(t.sums[n], v)
		}
	}
	t.before, t.sums = t.kept, [most + 1]Register{}
}
