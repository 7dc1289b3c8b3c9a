package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gradient emits the function that makes Sobel's gradients of a row of sums and
// differences down the columns.
func gradient(isa vec.ISA) {
	r := vec.Func("gradient" + isa.Name)
	sums, differences := Load(r.Field("sums"), GP64()), Load(r.Field("differences"), GP64())
	out := [2]Register{pointer(r, "out", 0), pointer(r, "out", 1)}
	n := Load(r.Field("n"), GP64())
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("pixels")
	for i, v := range gradients(isa, sums, differences, x) {
		isa.Store(v, Mem{Base: out[i], Index: x, Scale: 2})
	}
	ADDQ(U8(isa.Bytes/2), x)
	CMPQ(x, n)
	JLT(LabelRef("pixels"))
	isa.End()
}

// gradients returns the gradients along x and y of the pixels from x on.
func gradients(isa vec.ISA, sums, differences, x Register) [2]Register {
	at := func(p Register, i int) Mem { return Mem{Base: p, Index: x, Scale: 2, Disp: 2 * i} }
	gx := isa.Load(at(sums, 1))
	isa.DoTo(vec.SubWord, gx, isa.Operand(at(sums, -1)), gx)
	middle, gy := isa.Load(at(differences, 0)), isa.Load(at(differences, -1))
	isa.DoTo(vec.AddWord, gy, middle, gy)
	isa.DoTo(vec.AddWord, middle, isa.Operand(at(differences, 1)), middle)
	isa.DoTo(vec.AddWord, gy, middle, gy)
	return [2]Register{gx, gy}
}

// A window is how the sums over windows come from those of columns, for the columns
// that lie so many before those of a block. Of columns there are the sums of pairs, of
// their first and of their second ones, which are shifted by so many pairs.
type window struct {
	side      int
	lag       int
	even, odd []part
}

// A part is sums of columns, shifted by so many pairs.
type part struct {
	kind  int
	pairs int
}

// The kinds of a part.
const (
	pair = iota
	first
	second
)

// windows has a window of each side.
var windows = []window{
	{2, 0, []part{{second, 1}, {first, 0}}, []part{{pair, 0}}},
	{5, 2, []part{{pair, 2}, {pair, 1}, {first, 0}}, []part{{second, 2}, {pair, 1}, {pair, 0}}},
	{7, 4, []part{{second, 4}, {pair, 3}, {pair, 2}, {pair, 1}}, []part{{pair, 3}, {pair, 2}, {pair, 1}, {first, 0}}},
}

// slide emits the function that makes a row of responses of gradients, for windows of
// this side: the row of gradients that enters the windows is added to the sums of
// the columns, and the one that leaves them is taken away, both by one VPMADDWD of
// words that alternate.
func slide(isa vec.ISA, w window) {
	r := vec.Func(fmt.Sprintf("slide%d%s", w.side, isa.Name))
	var enter, leave [2]Register
	for i := range 2 {
		enter[i], leave[i] = pointer(r, "enter", i), pointer(r, "leave", i)
	}
	state := Load(r.Field("state"), GP64())
	spans := Load(r.Field("spans").Base(), GP64())
	left := Load(r.Field("spans").Len(), GP64())
	responder := newResponder(isa, r)
	interleave := isa.Interleaver()
	keeper := keeper{isa, address(r.Field("room").Index(0))}
	var before [3][3]Op // by product and kind
	for k := range before {
		for kind := range before[k] {
			if kind != first {
				before[k][kind] = keeper.keep(isa.Zero())
			}
		}
	}
	words := isa.Words()
	high := isa.HighWords()

	Label("span")
	out := GP64()
	MOVQ(Mem{Base: spans}, out)
	blocks := GP64()
	MOVQ(Mem{Base: spans, Disp: 16}, blocks)
	vec.Align()
	Label("block")
	// The words of the row that enters and the one that leaves in turn, for even and
	// odd columns; and the same with the sign of the latter changed.
	var both, signed [2][2]Register
	for column := range both {
		for i := range 2 {
			at := func(p Register, offset int) Mem { return Mem{Base: p, Disp: 2 * offset} }
			both[column][i] = isa.Alternate(at(enter[i], column), at(leave[i], column-1), words)
			signed[column][i] = isa.Negate(both[column][i], high)
		}
	}
	var even, odd [3]Op
	for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
		var sums [3]Register
		for column, kind := range []int{first, second} {
			kept := Mem{Base: state, Disp: isa.Bytes * (2*k + column)}
			sum := isa.Load(kept)
			isa.AddProducts(sum, isa.Copy(both[column][factors[0]]), signed[column][factors[1]])
			isa.Store(sum, kept)
			sums[kind] = sum
		}
		sums[pair] = isa.Do(vec.AddLong, sums[first], sums[second])
		shifted := map[part]Register{}
		add := func(parts []part) Op {
			var total Register
			for _, p := range parts {
				v := sums[p.kind]
				if p.pairs > 0 {
					if shifted[p] == nil {
						shifted[p] = isa.ShiftIn(v, before[k][p.kind], p.pairs)
					}
					v = shifted[p]
				}
				switch {
				case total == nil:
					total = v
				default:
					total = isa.Do(vec.AddLong, total, v)
				}
			}
			f := isa.Vec()
			isa.Move(total, f)
			isa.ToFloat(f)
			return keeper.keep(f)
		}
		even[k], odd[k] = add(w.even), add(w.odd)
		for kind, kept := range before[k] {
			if kept != nil {
				replace(isa, kept, sums[kind])
			}
		}
	}
	responder.emit(interleave, []Register{out}, [][3]Op{even}, [][3]Op{odd})
	for i := range 2 {
		ADDQ(U8(isa.Bytes), enter[i])
		ADDQ(U8(isa.Bytes), leave[i])
	}
	ADDQ(U32(6*isa.Bytes), state)
	DECQ(blocks)
	JNE(LabelRef("block"))
	ADDQ(U8(24), spans)
	DECQ(left)
	JNE(LabelRef("span"))
	isa.End()
}
