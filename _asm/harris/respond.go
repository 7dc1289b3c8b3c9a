package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/response"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// sum emits the function that computes sums and differences down the columns of rows a, b,
// c and d: a+2b+c and c-a, b+2c+d and d-b. The last vector ends with the rows.
func sum(isa ISA) {
	r := Func("sum" + isa.Name)
	pixels := isa.Bytes / 2
	var rows, sums [4]Register
	for i := range rows {
		rows[i], sums[i] = Pointer(r, "rows", i), Pointer(r, "sums", i)
	}
	last := Load(r.Field("n"), GP64())
	SUBQ(U8(pixels), last)
	ahead := [2]Register{Pointer(r, "ahead", 0), Pointer(r, "ahead", 1)}
	x := Counter()
	zero := isa.Zero()

	Comment("Sums and differences of the pixels of four rows.")
	LoopWithin("pixels", x, last, pixels, func() {
		for _, row := range ahead {
			PREFETCHT0(Mem{Base: row, Index: x, Scale: 1})
		}
		var v [4]Register
		for i, row := range rows {
			v[i] = isa.LoadWords(Mem{Base: row, Index: x, Scale: 1}, zero)
		}
		middle := isa.Do(op.AddWord, v[1], v[2])
		store := func(v Register, i int) {
			isa.Store(v, Mem{Base: sums[i], Index: x, Scale: 2})
		}
		upper := isa.Do(op.AddWord, v[0], v[1])
		isa.DoTo(op.AddWord, upper, middle, upper)
		store(upper, 0)
		lower := isa.Do(op.AddWord, v[2], v[3])
		isa.DoTo(op.AddWord, lower, middle, lower)
		store(lower, 2)
		store(isa.Do(op.SubWord, v[2], v[0]), 1)
		store(isa.Do(op.SubWord, v[3], v[1]), 3)
	})
	isa.End()
}

// gradient emits the function that computes Sobel's gradients from a row of sums and
// differences down the columns.
func gradient(isa ISA) {
	r := Func("gradient" + isa.Name)
	sums, differences := Load(r.Field("sums"), GP64()), Load(r.Field("differences"), GP64())
	out := [2]Register{Pointer(r, "out", 0), Pointer(r, "out", 1)}
	n := Load(r.Field("n"), GP64())
	x := Counter()
	Comment("The gradients of a vector of pixels.")
	Loop("pixels", x, n, isa.Bytes/2, func() {
		for i, v := range gradients(isa, sums, differences, x) {
			isa.Store(v, Mem{Base: out[i], Index: x, Scale: 2})
		}
	})
	isa.End()
}

// gradients returns the gradients along x and y of the pixels from x on.
func gradients(isa ISA, sums, differences, x Register) [2]Register {
	at := func(p Register, i int) Mem { return Mem{Base: p, Index: x, Scale: 2, Disp: 2 * i} }
	gx := isa.Load(at(sums, 1))
	isa.DoTo(op.SubWord, gx, isa.Operand(at(sums, -1)), gx)
	middle, gy := isa.Load(at(differences, 0)), isa.Load(at(differences, -1))
	isa.DoTo(op.AddWord, gy, middle, gy)
	isa.DoTo(op.AddWord, middle, isa.Operand(at(differences, 1)), middle)
	isa.DoTo(op.AddWord, gy, middle, gy)
	return [2]Register{gx, gy}
}

// respond emits the function that computes two rows of responses, for windows of 3 by 3
// pixels, block by block.
//
// A block has one column for each word of a vector, and begins with an odd column. VPMADDWD
// of gradients with gradients adds up the products of two neighboring columns; if every
// other gradient is 0, it gives the product of the odd column alone. The difference of both
// is the product of the even column.
//
// For each block and product, the sum of the last two gradient rows is kept. The next two
// gradient rows complete two windows:
//
//	window of the first  = sums + row 0
//	sums                 = row 0 + row 1
//	window of the second = sums + row before
//
// Along the row, a window is a pair and the column before or after it. Only the last pair
// of the block before is needed, which a shift by one number brings in.
func respond(isa ISA) {
	r := Func("respond" + isa.Name)
	var sums [4]Register
	for i := range sums {
		sums[i] = Pointer(r, "sums", i)
	}
	state := Load(r.Field("state"), GP64())
	spans := response.LoadSpans(r)
	keeper := response.NewKeeper(isa, r)
	responder := response.NewResponder(isa, r, keeper)
	interleave := isa.Interleaver()
	words := isa.Words()
	Comment(
		"The sums of pairs and of the second columns of pairs, for two windows and three",
		"products, which are carried from block to block.",
	)
	var pairs, seconds [2][3]Op
	for i := range 2 {
		for k := range 3 {
			pairs[i][k], seconds[i][k] = keeper.Keep(isa.Zero()), keeper.Keep(isa.Zero())
		}
	}

	x := Counter()

	Comment("The blocks of each span.")
	spans.EachBlock(2, func(out []Register) {
		upper, lower := gradients(isa, sums[0], sums[1], x), gradients(isa, sums[2], sums[3], x)
		before := [2]Mem{{Base: state}, {Base: state, Disp: isa.Bytes}}
		Comment("The sums over the windows, of each product.")
		var even, odd [2][3]Op
		for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
			// window returns the sums of both windows, of pairs or of first columns.
			window := func(form int, other func(Op) Register) [2]Register {
				kept := Mem{Base: state, Disp: isa.Bytes * (2 + 2*k + form)}
				a, b := factors[0], factors[1]
				row := isa.Reuse(op.MulPairs, other(upper[b]), upper[a])
				whole := isa.Reuse(op.AddLong, isa.Load(kept), row)
				isa.AddProducts(row, other(lower[b]), lower[a])
				isa.Store(row, kept)
				isa.AddProducts(row, other(before[b]), isa.Operand(before[a]))
				return [2]Register{whole, row}
			}
			p := window(0, isa.Copy)
			e := window(1, func(v Op) Register { return isa.EvenWords(v, words) })
			for i := range 2 {
				o := isa.Do(op.SubLong, p[i], e[i])
				sum := func(v, before Op, rest Register) Op {
					shifted := isa.ShiftIn(v.(Register), before, 1)
					isa.DoTo(op.AddLong, shifted, rest, shifted)
					isa.ToFloat(shifted, shifted)
					return keeper.Keep(shifted)
				}
				even[i][k] = sum(p[i], pairs[i][k], e[i])
				odd[i][k] = sum(o, seconds[i][k], p[i])
				response.Replace(isa, pairs[i][k], p[i])
				response.Replace(isa, seconds[i][k], o)
			}
		}
		isa.Store(lower[0], before[0])
		isa.Store(lower[1], before[1])
		responder.Emit(interleave, out, even[:], odd[:])
		ADDQ(U8(isa.Bytes/2), x)
		ADDQ(U32(8*isa.Bytes), state)
	})
	isa.End()
}
