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

// An accumulator is the sums of two products, one in each half of the vectors.
type accumulator struct{ lanes, tail Register }

func (f *function) newAccumulator() accumulator {
	return accumulator{f.Zero(), f.Zero()}
}

// halves returns a vector with a half of x and the same half of y.
func halves(x, y Register, half int) Register {
	v := YMM()
	VPERM2F128(U8(0x20+0x11*half), y, x, v)
	return v
}

// addTail adds the columns of a half one by one: low has the first four, and high the others.
func (a accumulator) addTail(low, high [2]Register, half, tail int) {
	v := halves(low[0], low[1], half)
	for i := range tail {
		if i == 4 {
			v = halves(high[0], high[1], half)
		}
		if i%4 == 0 {
			VADDPS(v, a.tail, a.tail)
			continue
		}
		w := YMM()
		VPERMILPS(U8(0b01_01_01_01*(i%4)), v, w)
		VADDPS(w, a.tail, a.tail)
	}
}

// store stores the two sums.
func (a accumulator) store(to [2]Mem) {
	v := YMM()
	VPERMILPS(U8(0b01_00_11_10), a.lanes, v)
	VADDPS(v, a.lanes, v)
	w := YMM()
	VPERMILPS(U8(0b10_11_00_01), v, w)
	VADDPS(w, v, v)
	VADDPS(a.tail, v, v)
	VMOVSS(v.AsX(), to[0])
	x := XMM()
	VEXTRACTF128(U8(1), v, x)
	VMOVSS(x, to[1])
}

// step emits the function that adds up the products of differences and derivatives as floats,
// in OpenCV's order.
func step() {
	f := newFunction(variants[0], "step")
	f.shapes(func(s shape) {
		pix, stride := Load(f.field("window").Field("pix").Base(), GP64()), Load(f.field("window").Field("stride"), GP64())
		values, n := Load(f.field("values").Base(), GP64()), Load(f.field("h"), GP64())
		weights := f.weights("window")
		sums := f.newAccumulator()
		at := func(chunk int) Mem { return Mem{Base: pix, Disp: 16 * chunk} }
		upper := make([]pair, 1+s.blocks/2)
		for i := range upper {
			upper[i] = f.load(at(i), true)
		}
		f.loop("Row", n, func() {
			ADDQ(stride, pix)
			for i := range upper {
				f.chunk = i
				lower := f.load(at(i), true)
				d := f.Do(vec.SubWord, f.weigh(upper[i], lower, weights, grayRounding(), 9), f.value(values, 0))
				f.follow(upper[i], lower)
				var products, all [2]Register
				for k := range products {
					products[k] = f.Do(vec.MulPairs, d, f.value(values, 1+k))
					if s.blocks > 2*i {
						all[k] = f.Vec()
						f.ToFloat(products[k], all[k])
					}
				}
				for half := range min(2, s.blocks-2*i) {
					VADDPS(halves(all[0], all[1], half), sums.lanes, sums.lanes)
				}
				if s.blocks/2 != i {
					continue
				}
				f.DoTo(vec.And, d, lowWords(), d)
				var low [2]Register
				for k := range low {
					low[k] = f.Do(vec.MulPairs, d, f.value(values, 1+k))
					f.DoTo(vec.SubLong, products[k], low[k], products[k])
					f.ToFloat(low[k], low[k])
					f.ToFloat(products[k], products[k])
				}
				sums.addTail(low, products, s.blocks%2, s.tail)
			}
			ADDQ(I32(rowBytes), values)
		})
		to := vec.Address(f.field("products").Index(0))
		sums.store([2]Mem{to, to.Offset(4)})
	})
}

// grayRounding returns what is added to the weighted sums of pixels.
var grayRounding = vec.ByteTable("grayRounding", 32, func(i int) uint8 { return [4]uint8{0, 1, 0, 0}[i%4] })

// lowWords returns a mask of the lower halves of numbers of 32 bits.
var lowWords = vec.ByteTable("lowWords", 32, func(i int) uint8 { return [4]uint8{0xff, 0xff, 0, 0}[i%4] })

// tensor emits the function that adds up the products of the derivatives as floats, in
// OpenCV's order.
func tensor() {
	f := newFunction(variants[0], "tensor")
	f.shapes(func(s shape) {
		values, n := Load(f.field("values").Base(), GP64()), Load(f.field("h"), GP64())
		// Of x*x and x*y, and of y*y twice.
		sums := [2]accumulator{f.newAccumulator(), f.newAccumulator()}
		f.loop("Row", n, func() {
			for i := range 1 + s.blocks/2 {
				f.chunk = i
				x, y := f.Load(f.value(values, 1)), f.Load(f.value(values, 2))
				lowX, lowY := f.Do(vec.And, x, lowWords()), f.Do(vec.And, y, lowWords())
				var low, high [3]Register
				for k, factors := range [3][3]Register{{x, x, lowX}, {x, y, lowX}, {y, y, lowY}} {
					low[k] = f.Do(vec.MulPairs, factors[1], factors[2])
					high[k] = f.Do(vec.MulPairs, factors[0], factors[1])
					f.DoTo(vec.SubLong, high[k], low[k], high[k])
					f.ToFloat(low[k], low[k])
					f.ToFloat(high[k], high[k])
				}
				for k, list := range [2][2]int{{0, 1}, {2, 2}} {
					for half := range min(2, s.blocks-2*i) {
						VADDPS(halves(low[list[0]], low[list[1]], half), sums[k].lanes, sums[k].lanes)
						VADDPS(halves(high[list[0]], high[list[1]], half), sums[k].lanes, sums[k].lanes)
					}
					if s.blocks/2 == i {
						sums[k].addTail([2]Register{low[list[0]], low[list[1]]}, [2]Register{high[list[0]], high[list[1]]}, s.blocks%2, s.tail)
					}
				}
			}
			ADDQ(I32(rowBytes), values)
		})
		to := vec.Address(f.field("tensor").Index(0))
		sums[1].store([2]Mem{to.Offset(8), to.Offset(8)})
		sums[0].store([2]Mem{to, to.Offset(4)})
	})
}
