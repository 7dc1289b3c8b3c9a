// Command tensor generates simd_amd64.s and simd_arm64.s, the assembly of package tensor.
// It runs in the directory of the module _asm.
package main

import (
	"fmt"
	"slices"

	"github.com/fastcorners/fast/_asm/internal/generate"
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/response"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	generate.Write("../internal/tensor", generateAMD64, generateNEON)
}

// generateAMD64 emits the functions for SSE2, AVX2 and AVX-512.
func generateAMD64() {
	for _, isa := range []ISA{SSE2, AVX2, AVX512} {
		for _, w := range windows {
			slide(isa, w)
		}
		respond(isa)
	}
}

// A window tells how the sums over windows with a side are made of sums over columns, for the
// columns that precede those of a block by lag. The columns come in pairs: there are the sums
// of both, of the first and of the second one, each shifted by a number of pairs. Some of
// these belong to the windows of even columns, some to those of odd columns.
type window struct {
	side            int
	lag             int
	both, even, odd []part
	// unsigned reports whether sums of squares need all 32 bits.
	unsigned bool
}

// A part is sums over columns, shifted by a number of pairs.
type part struct {
	kind  int
	pairs int
}

// The kinds of a part.
const (
	pair = iota
	first
	second
	two  // a pair and the one before
	four // these and the two before
	kinds
)

// windows holds a window for each side.
var windows = []window{
	{side: 2, lag: 0, even: []part{{second, 1}, {first, 0}}, odd: []part{{pair, 0}}},
	{side: 3, lag: 2, both: []part{{pair, 1}}, even: []part{{second, 2}}, odd: []part{{first, 0}}},
	{side: 5, lag: 2, both: []part{{pair, 1}}, even: []part{{pair, 2}, {first, 0}}, odd: []part{{second, 2}, {pair, 0}}},
	{side: 7, lag: 4, both: []part{{pair, 3}, {pair, 2}, {pair, 1}}, even: []part{{second, 4}}, odd: []part{{first, 0}}},
	{
		side: 9, lag: 4, even: []part{{four, 1}, {first, 0}}, odd: []part{{second, 4}, {four, 0}},
		unsigned: true,
	},
}

// shifts reports whether sums of a kind are shifted.
func (w *window) shifts(kind int) bool {
	for _, p := range slices.Concat(w.both, w.even, w.odd) {
		if p.kind == kind && p.pairs > 0 {
			return true
		}
		if p.kind == four && (kind == pair || kind == two) {
			return true
		}
	}
	return false
}

// slide emits the function that computes a row of responses from gradients, for windows of
// the given side. The products of the row of gradients that enters the windows are added to
// the sums over columns, and those of the row that leaves them are subtracted, both by one
// VPMADDWD of words that alternate.
func slide(isa ISA, w window) {
	r := Func(fmt.Sprintf("slide%d%s", w.side, isa.Name))
	var enter, leave [2]Register
	for i := range 2 {
		enter[i], leave[i] = Pointer(r, "enter", i), Pointer(r, "leave", i)
	}
	state := Load(r.Field("state"), GP64())
	spans := response.LoadSpans(r)
	keeper := response.NewKeeper(isa, r)
	responder := response.NewResponder(isa, r, keeper)
	interleave := isa.Interleaver()
	var before [3][kinds]Op // by product and kind
	for k := range before {
		for kind := range before[k] {
			if w.shifts(kind) {
				before[k][kind] = keeper.Keep(isa.Zero())
			}
		}
	}
	words := isa.Words()
	negate := isa.Negater()

	Comment("The blocks of each span.")
	spans.EachBlock(1, func(out []Register) {
		Comment(
			"Words that alternate between the row that enters and the one that leaves, for even and",
			"odd columns, and the same with the words of the latter negated.",
		)
		var mixed, signed [2][2]Register
		for column := range mixed {
			for i := range 2 {
				at := func(p Register, offset int) Mem { return Mem{Base: p, Disp: 2 * offset} }
				mixed[column][i] = isa.Alternate(at(enter[i], column), at(leave[i], column-1), words)
				signed[column][i] = negate(mixed[column][i])
			}
		}
		var even, odd [3]Op
		for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
			var sums [kinds]Register
			for column, kind := range []int{first, second} {
				kept := Mem{Base: state, Disp: isa.Bytes * (2*k + column)}
				sum := isa.Load(kept)
				isa.AddProducts(sum, isa.Copy(mixed[column][factors[0]]), signed[column][factors[1]])
				isa.Store(sum, kept)
				sums[kind] = sum
			}
			totals := w.add(isa, &sums, &before[k])
			floats := [2]Register{isa.Vec(), isa.Vec()}
			if w.unsigned && factors[0] == factors[1] {
				isa.UnsignedToFloat(fmt.Sprintf("squares%d", k), totals, floats)
			} else {
				isa.ToFloat(totals[0], floats[0])
				isa.ToFloat(totals[1], floats[1])
			}
			even[k], odd[k] = keeper.Keep(floats[0]), keeper.Keep(floats[1])
			for kind, kept := range before[k] {
				if kept != nil {
					response.Replace(isa, kept, sums[kind])
				}
			}
		}
		Comment("The responses.")
		responder.Emit(interleave, out, [][3]Op{even}, [][3]Op{odd})
		for i := range 2 {
			ADDQ(U8(isa.Bytes), enter[i])
			ADDQ(U8(isa.Bytes), leave[i])
		}
		ADDQ(U32(6*isa.Bytes), state)
	})
	isa.End()
}

// add returns the sums over the windows of even and of odd columns, made of the sums over the
// first columns of pairs and over the second ones, and of those that precede them. It sets the
// other sums.
func (w *window) add(isa ISA, sums *[kinds]Register, before *[kinds]Op) [2]Register {
	sums[pair] = isa.Do(op.AddLong, sums[first], sums[second])
	var shift [kinds]func(pairs int) VecVirtual
	for kind, kept := range before {
		if kept == nil {
			continue
		}
		switch kind {
		case two:
			sums[two] = isa.Do(op.AddLong, sums[pair], shift[pair](1))
		case four:
			sums[four] = isa.Do(op.AddLong, sums[two], shift[two](2))
		}
		shift[kind] = isa.Shifter(sums[kind], kept)
	}
	// add adds parts to total, which may be nil.
	add := func(total Register, parts []part) Register {
		for _, p := range parts {
			v := sums[p.kind]
			if p.pairs > 0 {
				v = shift[p.kind](p.pairs)
			}
			if total == nil {
				total = v
			} else {
				total = isa.Do(op.AddLong, total, v)
			}
		}
		return total
	}
	both := add(nil, w.both)
	return [2]Register{add(both, w.even), add(both, w.odd)}
}

// respond emits the function that computes a row of responses of structure tensors. The
// last vector ends with the row.
func respond(isa ISA) {
	r := Func("respond" + isa.Name)
	in := Bases(r, "in", 3)
	out := Load(r.Field("out").Base(), GP64())
	last := Load(r.Field("out").Len(), GP64())
	SUBQ(U8(isa.Bytes/4), last)
	p := response.NewResponder(isa, r, nil)
	x := Counter()
	Comment("The responses of a vector of structure tensors.")
	LoopWithin("vector", x, last, isa.Bytes/4, func() {
		at := func(p Register) Mem { return Mem{Base: p, Index: x, Scale: 4} }
		p.Store([3]Op{at(in[0]), at(in[1]), at(in[2])}, at(out))
	})
	isa.End()
}
