package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A shape is how the columns of a window are added up: those of the blocks of eight in four
// lanes, and the others, the tail, one by one.
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
	at := Mem{Base: values, Disp: 2*columns + 16*block}
	VMOVDQU(at, v.AsX())
	VINSERTI128(U8(1), at.Offset(2*columns), v, v)
	return v
}

// reduce adds up the four lanes of each half of sum, as OpenCV does, by means of v.
func reduce(sum, v VecVirtual) {
	VPERMILPS(U8(0b01_00_11_10), sum, v)
	VADDPS(v, sum, sum)
	VPERMILPS(U8(0b10_11_00_01), sum, v)
	VADDPS(v, sum, sum)
}

// step emits the function that adds up the products of differences and derivatives as floats,
// in OpenCV's order.
func step(kind variant) {
	f := newFunction(kind, "step")
	f.shapes(func(s shape) {
		pix, stride := Load(f.field("window").Field("pix").Base(), GP64()), Load(f.field("window").Field("stride"), GP64())
		values, n := Load(f.field("values").Base(), GP64()), Load(f.field("h"), GP64())
		weights := f.weights("window")
		// Of the derivatives along x in the lower halves, and of those along y in the upper ones.
		lanes, tail := YMM(), f.Zero()
		VPXOR(lanes, lanes, lanes)
		at := func(chunk int) Mem { return Mem{Base: pix, Disp: 16 * chunk} }
		upper := make([]pair, 1+s.blocks/2)
		for i := range upper {
			upper[i] = f.load(at(i), true)
		}
		multiply := func(d, slopes Op) Register {
			v := f.Do(vec.MulPairs, d, slopes)
			f.ToFloat(v, v)
			return v
		}
		f.loop("Row", n, func() {
			ADDQ(stride, pix)
			for i := range upper {
				f.chunk = i
				lower := f.load(at(i), true)
				d := f.Do(vec.SubWord, f.weigh(upper[i], lower, weights, grayRounding(), 9), f.value(values, 0))
				f.follow(upper[i], lower)
				switch s.blocks - 2*i {
				case 0:
				case 1:
					VADDPS(multiply(halves(d, d, 0), f.slopes(values, 2*i)), lanes, lanes)
				default:
					x, y := multiply(d, f.value(values, 1)), multiply(d, f.value(values, 2))
					VADDPS(halves(x, y, 0), lanes, lanes)
					VADDPS(halves(x, y, 1), lanes, lanes)
				}
				if s.blocks/2 != i {
					continue
				}
				// The columns of the tail one by one, the first four of them first.
				both, slopes := halves(d, d, s.blocks%2), f.slopes(values, s.blocks)
				high := f.Do(vec.And, both, highWords())
				f.DoTo(vec.SubLong, both, high, both)
				products := [2]Register{multiply(both, slopes), multiply(high, slopes)}
				for i := range s.tail {
					v := products[i/4]
					if i%4 > 0 {
						v = YMM()
						VPERMILPS(U8(0b01_01_01_01*(i%4)), products[i/4], v)
					}
					VADDPS(v, tail, tail)
				}
			}
			ADDQ(I32(rowBytes), values)
		})
		reduce(lanes, YMM())
		VADDPS(tail, lanes, lanes)
		to := vec.Address(f.field("products").Index(0))
		VMOVSS(lanes.AsX(), to)
		VEXTRACTF128(U8(1), lanes, lanes.AsX())
		VMOVSS(lanes.AsX(), to.Offset(4))
	})
}

// grayRounding returns what is added to the weighted sums of pixels.
var grayRounding = vec.ByteTable("grayRounding", 32, func(i int) uint8 { return [4]uint8{0, 1, 0, 0}[i%4] })

// highWords returns a mask of the upper halves of numbers of 32 bits.
var highWords = vec.ByteTable("highWords", 32, func(i int) uint8 { return [4]uint8{0, 0, 0xff, 0xff}[i%4] })

// floats returns the lower words of numbers of 32 bits and the upper ones, times 1<<16, as
// floats.
func (f *function) floats(v Register) (list [2]VecVirtual) {
	low := f.Vec()
	VPSLLD(U8(16), v, low)
	list = [2]VecVirtual{low, f.Do(vec.And, v, highWords())}
	for _, v := range list {
		f.ToFloat(v, v)
	}
	return list
}

// tensor emits the function that adds up the products of the derivatives as floats, in
// OpenCV's order. The products of two floats are rounded as those of integers are when they
// become floats.
func tensor() {
	f := newFunction(variants[0], "tensor")
	f.shapes(func(s shape) {
		values, n := Load(f.field("values").Base(), GP64()), Load(f.field("h"), GP64())
		// Of xx in the lower half and of yy in the upper one; of xy; and of xx, xy and yy.
		squares, mixed, tail := YMM(), XMM(), XMM()
		for _, sum := range []Register{squares, mixed, tail} {
			VPXOR(sum, sum, sum)
		}
		f.loop("Row", n, func() {
			for i := range (s.blocks + 1) / 2 {
				f.chunk = i
				if s.blocks == 2*i+1 {
					for _, xy := range f.floats(f.slopes(values, 2*i)) {
						y := XMM()
						VEXTRACTF128(U8(1), xy, y)
						VMULPS(y, xy.AsX(), y)
						VADDPS(y, mixed, mixed)
						VMULPS(xy, xy, xy)
						VADDPS(xy, squares, squares)
					}
					continue
				}
				x, y := f.floats(f.Load(f.value(values, 1))), f.floats(f.Load(f.value(values, 2)))
				var xy [2]VecVirtual
				for k := range xy {
					xy[k] = f.Do(vec.MulFloat, x[k], y[k])
					VADDPS(xy[k].AsX(), mixed, mixed)
					VMULPS(x[k], x[k], x[k])
					VMULPS(y[k], y[k], y[k])
					VADDPS(halves(x[k], y[k], 0), squares, squares)
				}
				for k := range xy {
					v := XMM()
					VEXTRACTF128(U8(1), xy[k], v)
					VADDPS(v, mixed, mixed)
					VADDPS(halves(x[k], y[k], 1), squares, squares)
				}
			}
			// The columns of the tail one by one, two products at a time.
			slopes := f.floats(f.slopes(values, s.blocks))
			for i := 0; i < s.tail; i += 2 {
				var factors [2]VecVirtual
				for k := range factors {
					factors[k] = YMM()
					VPERMPS(slopes[i/4], f.Load(tailFactors().Offset(64*k + 32*(i/2%2))), factors[k])
				}
				product := f.Do(vec.MulFloat, factors[0], factors[1])
				VADDPS(product.AsX(), tail, tail)
				if i+1 < s.tail {
					VEXTRACTF128(U8(1), product, product.AsX())
					VADDPS(product.AsX(), tail, tail)
				}
			}
			ADDQ(I32(rowBytes), values)
		})
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
		to := vec.Address(f.field("tensor").Index(0))
		VMOVQ(sums, to)
		VEXTRACTPS(U8(2), sums, to.Offset(8))
	})
}

// tensorScale returns 1/(1<<32) as a float.
var tensorScale = vec.ByteTable("tensorScale", 4, func(i int) uint8 { return [4]uint8{3: 0x2f, 2: 0x80}[i] })

// tailFactors has, for the first two of four columns and for the last two, where the first
// factors of xx, xy and yy of both columns are in a vector of slopes, and then where the second
// ones are.
var tailFactors = vec.ByteTable("tailFactors", 4*32, func(i int) uint8 {
	factor, pair, column, product, part := i/64, i/32%2, i/16%2, i/4%4, i%4
	if part > 0 {
		return 0
	}
	along := [2][4]int{{0, 0, 1, 0}, {0, 1, 1, 0}}[factor][product] // x or y
	return uint8(4*along + 2*pair + column)
})
