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
			slide("slide", isa, w, newRows)
		}
		if isa == AVX2 {
			for _, w := range windowsOfHalves {
				slide("slideHalves", isa, w, newHalves)
			}
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
	less            []part // what even has too much
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
		side: 9, lag: 4, both: []part{{four, 0}}, even: []part{{pair, 4}}, less: []part{{second, 0}}, odd: []part{{second, 4}},
		unsigned: true,
	},
}

// windowsOfHalves holds a window for each side for rows whose halves lie in the halves of vectors.
// All have half of their sides as lags.
var windowsOfHalves = []window{
	{side: 3, lag: 1, even: []part{{pair, 1}, {first, 0}}, odd: []part{{second, 1}, {pair, 0}}},
	windows[2],
	{side: 7, lag: 3, both: []part{{pair, 1}, {pair, 2}}, even: []part{{pair, 3}, {first, 0}}, odd: []part{{second, 3}, {pair, 0}}},
	windows[4],
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

// A layout is how the columns of rows lie in vectors.
type layout struct {
	// shifter is like [ISA.Shifter].
	shifter func(v Register, before Op) func(pairs int) Op
	rows    int // of responses
	// store stores the responses of a block.
	store func(out []Register, even, odd Register)
}

// newRows returns the layout of rows whose columns follow each other.
func newRows(isa ISA) layout {
	interleave := isa.Interleaver()
	return layout{
		shifter: func(v Register, before Op) func(pairs int) Op {
			shift := isa.Shifter(v, before)
			return func(pairs int) Op { return shift(pairs) }
		},
		rows: 1,
		store: func(out []Register, even, odd Register) {
			low, high := interleave(even, odd)
			isa.Store(low, Mem{Base: out[0]})
			isa.Store(high, Mem{Base: out[0], Disp: isa.Bytes})
		},
	}
}

// newHalves returns the layout of rows whose halves lie in the halves of vectors, with AVX2. Their
// responses are two rows.
func newHalves(isa ISA) layout {
	const half = 16 // bytes of a vector
	return layout{
		shifter: func(v Register, before Op) func(pairs int) Op {
			return func(pairs int) Op {
				if pairs == 4 {
					return before
				}
				return isa.ShiftHalves(v, before, 4*pairs)
			}
		},
		rows: 2,
		store: func(out []Register, even, odd Register) {
			low, high := isa.Vec(), isa.Vec()
			VUNPCKLPS(odd, even, low)
			VUNPCKHPS(odd, even, high)
			for i, v := range []VecVirtual{low, high} {
				isa.StoreHalves(v, Mem{Base: out[0], Disp: half * i}, Mem{Base: out[1], Disp: half * i})
			}
		},
	}
}

// slide emits the function that computes a row of responses from gradients, for windows of
// the given side. The products of the row of gradients that enters the windows are added to
// the sums over columns, and those of the row that leaves them are subtracted, both by one
// VPMADDWD of words that alternate.
func slide(name string, isa ISA, w window, newLayout func(isa ISA) layout) {
	r := Func(fmt.Sprintf("%s%d%s", name, w.side, isa.Name))
	var enter, leave [2]Register
	for i := range 2 {
		enter[i], leave[i] = Pointer(r, "enter", i), Pointer(r, "leave", i)
	}
	state := Load(r.Field("state"), GP64())
	spans := response.LoadSpans(r)
	keeper := response.NewKeeper(isa, r)
	responder := response.NewResponder(isa, r, keeper)
	l := newLayout(isa)
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

	large := func() {} // emits what is done with sums of squares that need all 32 bits
	Comment("The blocks of each span.")
	spans.EachBlock(l.rows, func(out []Register) {
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
		var totals, floats [3][2]Register // of even and odd columns
		for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
			var sums [kinds]Register
			for column, kind := range []int{first, second} {
				kept := Mem{Base: state, Disp: isa.Bytes * (2*k + column)}
				sums[kind] = isa.SumProducts(kept, isa.Copy(mixed[column][factors[0]]), signed[column][factors[1]])
				isa.Store(sums[kind], kept)
			}
			totals[k] = w.add(isa, l.shifter, &sums, &before[k])
			for kind, kept := range before[k] {
				if kept != nil {
					response.Replace(isa, kept, sums[kind])
				}
			}
			floats[k] = [2]Register{isa.Vec(), isa.Vec()}
			switch {
			case !w.unsigned || k == 2:
				for column := range 2 {
					isa.ToFloat(totals[k][column], floats[k][column])
				}
			case k == 1:
				large = isa.UnsignedToFloat("squares", slices.Concat(totals[0][:], totals[1][:]), slices.Concat(floats[0][:], floats[1][:]))
			}
		}
		Comment("The responses.")
		responder.Reuse(floats, func(even, odd Register) { l.store(out, even, odd) })
		for _, o := range out {
			ADDQ(U32(2*isa.Bytes/l.rows), o)
		}
		for i := range 2 {
			ADDQ(U8(isa.Bytes), enter[i])
			ADDQ(U8(isa.Bytes), leave[i])
		}
		ADDQ(U32(6*isa.Bytes), state)
	})
	isa.End()
	large()
}

// add returns the sums over the windows of even and of odd columns, made of the sums over the
// first columns of pairs and over the second ones, and of those that precede them. It sets the
// other sums.
func (w *window) add(isa ISA, shifter func(v Register, before Op) func(pairs int) Op, sums *[kinds]Register, before *[kinds]Op) [2]Register {
	sums[pair] = isa.Do(op.AddLong, sums[first], sums[second])
	var shift [kinds]func(pairs int) Op
	for kind, kept := range before {
		if kept == nil {
			continue
		}
		if kind == two {
			sums[two] = isa.Do(op.AddLong, sums[pair], shift[pair](1))
		}
		shift[kind] = shifter(sums[kind], kept)
		if kind == two {
			sums[four] = isa.Do(op.AddLong, sums[two], shift[two](2))
		}
	}
	// combine adds parts to total, which may be nil, or subtracts them.
	combine := func(o op.Binary, total Register, parts []part) Register {
		for _, p := range parts {
			var v Op = sums[p.kind]
			if p.pairs > 0 {
				v = shift[p.kind](p.pairs)
			}
			if total == nil {
				total = v.(Register)
			} else {
				total = isa.Do(o, total, v)
			}
		}
		return total
	}
	both := combine(op.AddLong, nil, w.both)
	even := combine(op.SubLong, combine(op.AddLong, both, w.even), w.less)
	return [2]Register{even, combine(op.AddLong, both, w.odd)}
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
