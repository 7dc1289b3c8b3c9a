package main

import (
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// smoothed is the number of pixels of a strip, and reach the distance of the outermost ones
// that each depends on.
const (
	smoothed = 16
	reach    = 3
)

// weights are those of the pixels at a distance of 0 to 3, as package orb computes them.
var weights = func() (list [reach + 1]float32) {
	const (
		gauss1 = 0.88249690258459540286
		gauss2 = 0.60653065971263342360
		gauss3 = 0.32465246735834973510
		gauss  = 1 + 2*(gauss1+gauss2+gauss3)
	)
	return [reach + 1]float32{1 / gauss, gauss1 / gauss, gauss2 / gauss, gauss3 / gauss}
}()

// smooth emits the function that smooths rows of a strip.
//
// Portable Go rounds as fused operations do, which there are none of. The sums here are
// rounded otherwise, and differ from those by less than tolerance: seven roundings of sums
// below 256 in one direction and four in the other, here and there, change the result by
// no more than 22 * 2^-17, and those of sums of two pixels before they are weighted by no
// more than 6 * 2^-16 * 0.18. So the same integer is the nearest one, except for sums that
// lie so close to the middle between two integers. These pixels are computed once more.
func (b builder) smooth() {
	const tolerance = 1.0 / 2048
	exact := b.smoothExact()
	f := b.kernel("smooth", "smoothRun")
	src, stride, dst, dstStride := f.Int("src"), f.Int("stride"), f.Int("dst"), f.Int("dstStride")
	left := f.Int("rows")
	rounder := Do("f32x4.splat", Float32(3<<22))
	f.While(left, func() {
		// Downwards: the columns of the 22 pixels that 16 depend on. columns[x] is those
		// of the four from x on.
		columns := map[int]Value{}
		var rows [2*reach + 1]Value
		for i := range rows {
			if i == 0 {
				rows[i] = src
			} else {
				rows[i] = f.Let(sum(rows[i-1], stride))
			}
		}
		for _, x := range []int{0, 8, 14} {
			pixels := func(row int) Value { return Load("v128.load8x8_u", rows[row], x) }
			words := [reach + 1]Value{f.Let(pixels(reach))}
			for i := 1; i <= reach; i++ {
				words[i] = f.Let(Do("i16x8.add", pixels(reach-i), pixels(reach+i)))
			}
			columns[x] = f.Let(weigh(func(i int) Value {
				return Do("f32x4.convert_i32x4_s", Do("i32x4.extend_low_i16x8_s", words[i]))
			}))
			columns[x+4] = f.Let(weigh(func(i int) Value {
				return Do("f32x4.convert_i32x4_s", Do("i32x4.extend_high_i16x8_s", words[i]))
			}))
		}
		// four makes columns[x] of two others.
		four := func(x int) Value {
			if v, ok := columns[x]; ok {
				return v
			}
			first, second := x&^3, x&^3+4 // the last ones begin at 14 and 18
			if x > 14 {
				first, second = 14, 18
			} else if second > 12 {
				first, second = x&^3, 14
			}
			columns[x] = f.Let(Shuffle(columns[first], columns[second], func(i int) int {
				at := x + i/4
				if at < first+4 {
					return 4*(at-first) + i%4
				}
				return 16 + 4*(at-second) + i%4
			}))
			return columns[x]
		}
		// Sideways.
		var integers [smoothed / 4]Value
		unsure := f.Let(Int(0))
		for i := range integers {
			x := 4 * i
			sums := [reach + 1]Value{four(x + reach)}
			for d := 1; d <= reach; d++ {
				sums[d] = Do("f32x4.add", four(x+reach-d), four(x+reach+d))
			}
			v := f.Let(weigh(func(i int) Value { return sums[i] }))
			shifted := f.Let(Do("f32x4.add", v, rounder))
			distance := Do("f32x4.abs", Do("f32x4.sub", v, Do("f32x4.sub", shifted, rounder)))
			close := Do("i32x4.bitmask", Do("f32x4.gt", distance, Do("f32x4.splat", Float32(0.5-tolerance))))
			f.Set(unsure, Do("i32.or", unsure, Do("i32.shl", close, Int(x))))
			integers[i] = f.Let(Do("i32x4.sub", shifted, Do("i32x4.splat", Int(0x4b400000))))
		}
		f.Store("v128.store", dst, 0, narrow(func(i int) Value {
			return Do("i16x8.narrow_i32x4_s", integers[2*i], integers[2*i+1])
		}))
		f.While(unsure, func() {
			x := f.Let(Do("i32.ctz", unsure))
			f.Store("i32.store8", sum(dst, x), 0, exact.Call(sum(src, x), stride))
			f.Set(unsure, Do("i32.and", unsure, unsure.Plus(-1)))
		})
		f.Set(src, sum(src, stride))
		f.Set(dst, sum(dst, dstStride))
		f.Advance(left, -1)
	})
}

// weigh returns the weighted sum of the values of four distances.
func weigh(value func(distance int) Value) Value {
	part := func(i int) Value {
		return Do("f32x4.mul", value(i), Do("f32x4.splat", Float32(weights[i])))
	}
	return reduce("f32x4.add", part(0), part(1), part(2), part(3))
}

// smoothExact emits the function that smooths one pixel exactly as portable Go does. It gets
// the address of the pixel 3 rows above and 3 columns to the left, and the stride.
func (b builder) smoothExact() *Function {
	fma := b.fma()
	f := b.Function(I32, I32, I32)
	row, stride := f.Local(0), f.Local(1)
	var lines [2*reach + 1]Value
	for i := range lines {
		var line Value
		for j := range lines {
			weight := Float64(float64(weights[max(j-reach, reach-j)]))
			product := Do("f64.mul", weight, Do("f64.convert_i32_u", Load("i32.load8_u", row, j)))
			if j > 0 {
				product = Do("f64.add", Do("f64.promote_f32", line), product)
			}
			line = Do("f32.demote_f64", product)
		}
		lines[i] = f.Let(line)
		f.Set(row, sum(row, stride))
	}
	v := Do("f32.mul", Float32(weights[0]), lines[reach])
	for i := 1; i <= reach; i++ {
		v = fma.Call(Do("f32.add", lines[reach-i], lines[reach+i]), Float32(weights[i]), v)
	}
	f.Return(Do("i32.trunc_f32_s", Do("f32.min", Do("f32.nearest", v), Float32(255))))
	return f
}

// fma emits the function that returns x*y+z, rounded once, for a sum that is not negative.
func (b builder) fma() *Function {
	f := b.Function(F32, F32, F32, F32)
	wide := func(i int) Value { return Do("f64.promote_f32", f.Local(i)) }
	// The product is exact. Rounding the sum twice is wrong only if it lies in the middle
	// between two float32 after it was rounded once.
	product, z := f.Let(Do("f64.mul", wide(0), wide(1))), f.Let(wide(2))
	rounded := f.Let(Do("f64.add", product, z))
	bits := f.Let(Do("i64.reinterpret_f64", rounded))
	f.If(Do("i64.eq", Do("i64.and", bits, Int64(1<<29-1)), Int64(1<<28)), func() {
		part := f.Let(Do("f64.sub", rounded, product))
		lost := f.Let(Do("f64.add", Do("f64.sub", product, Do("f64.sub", rounded, part)), Do("f64.sub", z, part)))
		step := Do("i32.sub", Do("f64.gt", lost, Float64(0)), Do("f64.lt", lost, Float64(0)))
		f.Set(rounded, Do("f64.reinterpret_i64", Do("i64.add", bits, Do("i64.extend_i32_s", step))))
	})
	f.Return(Do("f32.demote_f64", rounded))
	return f
}
