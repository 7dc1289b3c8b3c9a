package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// foldParts is the number of lists that two neighbors have, in a row or in a column.
const foldParts = 3

// fold emits the function that folds a pair of rows.
func fold() {
	isa := AVX2
	r := Func("fold" + isa.Name)
	pix, stride := Load(r.Field("pix").Base(), GP64()), Load(r.Field("stride"), GP64())
	to, length := Load(r.Field("folded").Base(), GP64()), Load(r.Field("length"), GP64())
	x, apart, apart3 := Counter(), GP64(), GP64()
	LEAQ(Mem{Base: length, Index: length, Scale: 1}, apart)
	LEAQ(Mem{Base: apart, Index: apart, Scale: 2}, apart3)
	bytes := isa.Load(lowBytes())
	Loop("columns", x, apart, isa.Bytes, func() {
		// The odd columns, and the even ones before and after them.
		var rows [foldParts][foldParts]Register
		for i, at := range []Mem{
			{Base: pix, Index: stride, Scale: 1}, {Base: pix}, {Base: pix, Index: stride, Scale: 2},
		} {
			v := isa.Load(at)
			odd := isa.Vec()
			VPSRLW(U8(8), v, odd)
			rows[i] = [foldParts]Register{odd, isa.Do(op.And, v, bytes), isa.Do(op.And, bytes, at.Offset(2))}
		}
		p := GP64()
		LEAQ(Mem{Base: to, Index: x, Scale: 1}, p)
		for i, row := range rows {
			if i > 0 {
				for c, v := range row {
					isa.DoTo(op.SubWord, v, rows[0][c], v)
				}
			}
			isa.Store(row[0], Mem{Base: p})
			isa.Store(isa.Do(op.SubWord, row[1], row[0]), Mem{Base: p, Index: apart, Scale: 1})
			isa.Store(isa.Do(op.SubWord, row[2], row[0]), Mem{Base: p, Index: apart, Scale: 2})
			if i < foldParts-1 {
				ADDQ(apart3, p)
			}
		}
		ADDQ(U8(isa.Bytes), pix)
	})
	isa.End()
}

// lowBytes returns a table of words with the bits of their lower byte.
var lowBytes = ByteTable("lowBytes", 32, func(i int) uint8 { return uint8(i%2) - 1 })

// multiplyFolds emits the function that multiplies folded rows. A tile is 32 or 64 places in two rows: two or four
// vectors of products of even columns and as many of odd ones. Of either, a vector has those of the even numbers
// of a list, and the next one those of the odd numbers.
func multiplyFolds() {
	isa := AVX2
	r := Func("multiplyFolds" + isa.Name)
	folds, length := Load(r.Field("folds").Base(), GP64()), Load(r.Field("length"), GP64())
	products, left := Load(r.Field("products").Base(), GP64()), Load(r.Field("n"), GP64())
	stack := isa.Stack(8)
	down := GP64() // from one folded row to the next
	LEAQ(Mem{Base: length, Index: length, Scale: 8}, down)
	ADDQ(down, down)
	tile := func(label string, vectors int) {
		part, k := GP64(), Load(r.Field("coefficients").Base(), GP64())
		MOVQ(folds, part)
		// multiply emits what adds the products of a part to sums.
		multiply := func(label string, sums []Register) {
			row, rows := GP64(), Load(r.Field("rows"), GP64())
			MOVQ(part, row)
			Label(label + "Row")
			q, quads := GP64(), Load(r.Field("quads"), GP64())
			MOVQ(row, q)
			Align()
			Label(label)
			v := isa.BroadcastFloat(Mem{Base: k})
			for i, sum := range sums {
				isa.AddProducts(sum, v, Mem{Base: q, Disp: i/2*isa.Bytes + i%2*2})
			}
			ADDQ(U8(4), q)
			ADDQ(U8(4), k)
			DECQ(quads)
			JNE(LabelRef(label))
			ADDQ(down, row)
			DECQ(rows)
			JNE(LabelRef(label + "Row"))
			for range 2 {
				ADDQ(Address(r.Field("length")), part)
			}
		}
		to := GP64()
		MOVQ(products, to)
		for i := range foldParts {
			even, odd := make([]Register, vectors), make([]Register, vectors)
			for i := range odd {
				odd[i] = isa.Zero()
			}
			multiply(fmt.Sprint(label, i, "both"), odd)
			for i := range even {
				even[i] = isa.Vec()
				isa.Move(odd[i], even[i])
			}
			multiply(fmt.Sprint(label, i, "even"), even)
			multiply(fmt.Sprint(label, i, "odd"), odd)
			if i == 0 {
				for i := range even {
					isa.Store(even[i], stack[2*i])
					isa.Store(odd[i], stack[2*i+1])
				}
				continue
			}
			for i := range even {
				isa.DoTo(op.AddLong, even[i], stack[2*i], even[i])
				isa.DoTo(op.AddLong, odd[i], stack[2*i+1], odd[i])
			}
			for i := 0; i < vectors; i += 2 {
				places := fourths(isa, [4]Register{even[i], odd[i], even[i+1], odd[i+1]})
				for j, halves := range []U8{0x20, 0x31} {
					for l := range 2 {
						v := isa.Vec()
						VPERM2I128(halves, places[2*l+1], places[2*l], v)
						at := Mem{Base: to, Disp: (2*i + 2*j + l) * isa.Bytes}
						isa.DoTo(op.AddLong, v, at, v)
						isa.Store(v, at)
					}
				}
			}
			if i < foldParts-1 {
				apart := Load(r.Field("apart"), GP64())
				LEAQ(Mem{Base: to, Index: apart, Scale: 4}, to)
			}
		}
		ADDQ(U8(vectors*isa.Bytes/2), folds)
		ADDQ(I32(vectors*2*isa.Bytes), products)
		SUBQ(U8(vectors*isa.Bytes/2), left)
	}
	CMPQ(left, U8(32))
	JLE(LabelRef("last"))
	Label("tile")
	tile("tile", 4)
	CMPQ(left, U8(32))
	JG(LabelRef("tile"))
	TESTQ(left, left)
	JLE(LabelRef("done"))
	Comment("The last places.")
	Label("last")
	tile("last", 2)
	Label("done")
	isa.End()
}

// fourths interleaves the numbers of 32 bits of four vectors, within each 16 bytes of them. Vector i of the
// result has the numbers i of all four in each of these.
func fourths(isa ISA, v [4]Register) [4]Register {
	var result [4]Register
	for i, unpack := range []func(...Op){VPUNPCKLDQ, VPUNPCKHDQ} {
		first, second := isa.Vec(), isa.Vec()
		unpack(v[1], v[0], first)
		unpack(v[3], v[2], second)
		result[2*i], result[2*i+1] = isa.Vec(), isa.Vec()
		VPUNPCKLQDQ(second, first, result[2*i])
		VPUNPCKHQDQ(second, first, result[2*i+1])
	}
	return result
}
