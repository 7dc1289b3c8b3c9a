package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A shape is how the columns of a window are added up: those of the blocks of eight in four
// elements, and the others, the tail, one by one.
type shape struct {
	blocks, tail int
}

// shapes emits variants of a function for all windows: tails are of up to five columns or of
// up to seven.
func (f *function) shapes(emit func(s shape)) {
	for blocks := range 4 {
		for _, tail := range []int{5, 7} {
			f.prefix = fmt.Sprintf("blocks%dtail%d", blocks, tail)
			last := blocks == 3 && tail == 7
			if !last {
				w := Load(f.field("w"), GP64())
				CMPQ(w, U8(8*blocks+tail))
				JGT(LabelRef(f.label("Next")))
			}
			emit(shape{blocks, tail})
			f.End()
			if !last {
				Label(f.label("Next"))
			}
		}
	}
}

// lateColumns tells where the columns from 16 on are in a row, relative to where they are in even
// ones. There are none if a window of this shape always has them there.
type lateColumns struct {
	values, deltas Register
}

// of returns the place of such columns, of which m would be the place in even rows.
func (l lateColumns) of(m Mem, offset Register) Mem {
	if offset == nil {
		return m
	}
	return m.Idx(offset, 1)
}

// twins begins the function for two arguments with windows of the same size. The processor works
// on one while it waits for sums of the other.
func twins(kind variant, name string) *function {
	f := newFunction(kind, name+"Twins")
	f.runs = append(f.runs, Dereference(f.r.Field("twin")))
	return f
}

// sums emits a function for all windows. add begins the sums of the windowRun that r points to, and
// returns what emits to add a row and what emits to store the sums.
func (f *function) sums(add func(s shape) (row, store func())) {
	f.shapes(func(s shape) {
		n := Load(f.field("h"), GP64())
		f.narrow = 8*(s.blocks+1) <= narrowColumns
		f.late = lateColumns{}
		if s.blocks == 2 {
			f.late = lateColumns{Counter(), Counter()}
		}
		var rows, stores []func()
		for _, f.r = range f.runs {
			row, store := add(s)
			rows, stores = append(rows, row), append(stores, store)
		}
		f.r = f.runs[0]
		Comment("The rows of the window.")
		f.loop("Row", n, func() {
			for _, row := range rows {
				row()
			}
			if s.blocks == 2 {
				XORQ(Address(f.field("late").Field("values")), f.late.values)
				XORQ(Address(f.field("late").Field("deltas")), f.late.deltas)
			}
		})
		for _, store := range stores {
			store()
		}
	})
}

// halves returns a vector with a half of x and the same half of y.
func halves(x, y Register, half int) Register {
	v := YMM()
	VPERM2F128(U8(0x20+0x11*half), y, x, v)
	return v
}

// slopes returns the derivatives of a block of eight columns: those along x in the lower half
// of the vector, and those along y in the upper one.
func (f *function) slopes(values Register, block int) Register {
	v := YMM()
	at := f.late.of(Mem{Base: values, Disp: f.valueBytes() + 16*block}, f.late.values)
	VMOVDQU(at, v.AsX())
	VINSERTI128(U8(1), at.Offset(f.valueBytes()), v, v)
	return v
}

// reduce adds up the four elements of each half of sum, as OpenCV does, by means of v.
func reduce(sum, v VecVirtual) {
	VPERMILPS(U8(0b01_00_11_10), sum, v)
	VADDPS(v, sum, sum)
	VPERMILPS(U8(0b10_11_00_01), sum, v)
	VADDPS(v, sum, sum)
}

// step emits the function that adds up the products of differences and derivatives as floats,
// in OpenCV's order. The differences are those that exact has stored.
func step(f *function) {
	f.sums(func(s shape) (row, store func()) {
		values, to := Load(f.field("values").Base(), GP64()), Address(f.field("products").Index(0))
		differences := Load(f.field("deltas").Base(), GP64())
		// Of the derivatives along x in the lower halves, and of those along y in the upper ones.
		elements, tail := YMM(), f.Zero()
		VPXOR(elements, elements, elements)
		multiply := func(d Register, slopes Op) Register {
			v := f.Do(op.MulPairs, d, slopes)
			f.ToFloat(v, v)
			return v
		}
		// both returns the differences of a block, twice.
		both := func(block int) Register {
			v := YMM()
			VBROADCASTI128(f.late.of(Mem{Base: differences, Disp: 16 * block}, f.late.deltas), v)
			return v
		}
		row = func() {
			block := 0
			for ; block+2 <= s.blocks; block += 2 {
				f.chunk = block / 2
				d := f.Load(Mem{Base: differences, Disp: 16 * block})
				x, y := multiply(d, f.value(values, 1)), multiply(d, f.value(values, 2))
				VADDPS(halves(x, y, 0), elements, elements)
				VADDPS(halves(x, y, 1), elements, elements)
			}
			if block < s.blocks {
				VADDPS(multiply(both(block), f.slopes(values, block)), elements, elements)
			}
			Comment("The columns of the tail one by one, the first four of them first.")
			d, slopes := both(s.blocks), f.slopes(values, s.blocks)
			high := f.Do(op.And, d, highWords())
			f.DoTo(op.SubLong, d, high, d)
			products := [2]Register{multiply(d, slopes), multiply(high, slopes)}
			for i := range s.tail {
				v := products[i/4]
				if i%4 > 0 {
					v = YMM()
					VPERMILPS(U8(0b01_01_01_01*(i%4)), products[i/4], v)
				}
				VADDPS(v, tail, tail)
			}
			ADDQ(I32(f.rowBytes()), values)
			ADDQ(I32(differenceBytes), differences)
		}
		store = func() {
			reduce(elements, YMM())
			VADDPS(tail, elements, elements)
			VMOVSS(elements.AsX(), to)
			VEXTRACTF128(U8(1), elements, elements.AsX())
			VMOVSS(elements.AsX(), to.Offset(4))
		}
		return row, store
	})
}

// highWords returns a mask of the upper halves of numbers of 32 bits.
var highWords = ByteTable("highWords", 32, func(i int) uint8 { return [4]uint8{0, 0, 0xff, 0xff}[i%4] })

// float returns the lower words of numbers of 32 bits if half is 0, or the upper ones, times
// 1<<16, as floats.
func (f *function) float(v Register, half int) VecVirtual {
	w := f.Vec()
	if half == 0 {
		VPSLLD(U8(16), v, w)
	} else {
		f.DoTo(op.And, v, highWords(), w)
	}
	f.ToFloat(w, w)
	return w
}

// tensor emits the function that adds up the products of the derivatives as floats, in
// OpenCV's order. The products of two floats are rounded as those of integers are when they
// become floats.
func tensor(f *function) {
	f.sums(func(s shape) (row, store func()) {
		values, to := Load(f.field("values").Base(), GP64()), Address(f.field("tensor").Index(0))
		// Of xx in the lower half and of yy in the upper one; of xy; and of xx, xy and yy.
		squares, mixed, tail := YMM(), XMM(), XMM()
		for _, sum := range []Register{squares, mixed, tail} {
			VPXOR(sum, sum, sum)
		}
		row = func() {
			for i := range (s.blocks + 1) / 2 {
				f.chunk = i
				if s.blocks == 2*i+1 {
					slopes := f.slopes(values, 2*i)
					for k := range 2 {
						xy, y := f.float(slopes, k), XMM()
						VEXTRACTF128(U8(1), xy, y)
						VMULPS(y, xy.AsX(), y)
						VADDPS(y, mixed, mixed)
						VMULPS(xy, xy, xy)
						VADDPS(xy, squares, squares)
					}
					continue
				}
				// Of the lower columns and of the upper ones, the sums of the second block, which
				// are added after those of the first one.
				var laterSquares, laterMixed [2]Register
				x, y := f.Load(f.value(values, 1)), f.Load(f.value(values, 2))
				for k := range laterSquares {
					u, v := f.float(x, k), f.float(y, k)
					xy := f.Do(op.MulFloat, u, v)
					VADDPS(xy.AsX(), mixed, mixed)
					VEXTRACTF128(U8(1), xy, xy.AsX())
					VMULPS(u, u, u)
					VMULPS(v, v, v)
					VADDPS(halves(u, v, 0), squares, squares)
					VPERM2F128(U8(0x31), v, u, u)
					laterSquares[k], laterMixed[k] = u, xy.AsX()
				}
				for k := range laterSquares {
					VADDPS(laterMixed[k], mixed, mixed)
					VADDPS(laterSquares[k], squares, squares)
				}
			}
			Comment("The columns of the tail one by one, two products at a time.")
			slopes := f.slopes(values, s.blocks)
			var four VecVirtual
			for i := 0; i < s.tail; i += 2 {
				if i%4 == 0 {
					four = f.float(slopes, i/4)
				}
				var factors [2]VecVirtual
				for k := range factors {
					factors[k] = YMM()
					VPERMPS(four, f.Load(tailFactors().Offset(64*k+32*(i/2%2))), factors[k])
				}
				product := factors[0]
				VMULPS(factors[1], product, product)
				VADDPS(product.AsX(), tail, tail)
				if i+1 < s.tail {
					VEXTRACTF128(U8(1), product, product.AsX())
					VADDPS(product.AsX(), tail, tail)
				}
			}
			ADDQ(I32(f.rowBytes()), values)
		}
		store = func() {
			reduce(squares, YMM())
			reduce(mixed, XMM())
			sums, yy := XMM(), XMM()
			VUNPCKLPS(mixed, squares.AsX(), sums)
			VEXTRACTF128(U8(1), squares, yy)
			VMOVLHPS(yy, sums, sums)
			VADDPS(tail, sums, sums)
			unscale := XMM()
			VBROADCASTSS(tensorScale(), unscale)
			VMULPS(unscale, sums, sums)
			VMOVQ(sums, to)
			VEXTRACTPS(U8(2), sums, to.Offset(8))
		}
		return row, store
	})
}

// tensorScale returns 1/(1<<32) as a float.
var tensorScale = ByteTable("tensorScale", 4, func(i int) uint8 { return [4]uint8{3: 0x2f, 2: 0x80}[i] })

// tailFactors has, for the first two of four columns and for the last two, where the first
// factors of xx, xy and yy of both columns are in a vector of slopes, and then where the second
// ones are.
var tailFactors = ByteTable("tailFactors", 4*32, func(i int) uint8 {
	factor, pair, column, product, part := i/64, i/32%2, i/16%2, i/4%4, i%4
	if part > 0 {
		return 0
	}
	along := [2][4]int{{0, 0, 1, 0}, {0, 1, 1, 0}}[factor][product] // x or y
	return uint8(4*along + 2*pair + column)
})
