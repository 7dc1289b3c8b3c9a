package main

import (
	"github.com/fastcorners/fast/_asm/internal/layout"
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// window is the number of pixels of a line that one vector makes.
const window = 8

// resize emits the function that interpolates rows to lines, and blends two lines each.
func (b builder) resize() {
	f := b.kernel("resize", "resizeRun")
	src, srcStride := f.Int("src"), f.Int("srcStride")
	dst, dstStride := f.Int("dst"), f.Int("dstStride")
	bases, windows := f.Int("bases"), f.Len("bases")
	shuffles, weights := f.Int("shuffles"), f.Int("weights")
	even, odd, next := f.Int("even"), f.Int("odd"), f.Int("next")
	bias := f.Let(Do("i32x4.splat", f.Int("bias")))
	low := words(func(int) int { return 0xff })
	top := words(func(int) int { return 0x8000 })
	line := func(row Value) Value {
		// 0 or all bits for the lines of even and odd rows
		mask := Do("i32.sub", Int(0), Do("i32.and", row, Int(1)))
		return Do("i32.xor", even, Do("i32.and", Do("i32.xor", even, odd), mask))
	}

	rows := f.Int("rows")
	tap := f.Element("rows")
	end := f.Let(sum(rows, f.Len("rows").Times(layout.Size(tap))))
	field := func(name string) Value { return f.Let(Load("i32.load", rows, layout.Offset(tap, name))) }
	f.While(Do("i32.ne", rows, end), func() {
		first, second, blend := field("first"), field("second"), field("weights")
		f.If(Do("i32.lt_s", next, first), func() { f.Set(next, first) })
		f.While(Do("i32.le_s", next, second), func() {
			row, out := f.Let(sum(src, Do("i32.mul", next, srcStride))), f.Let(line(next))
			base, shuffle, weight, left := f.Let(bases), f.Let(shuffles), f.Let(weights), f.Let(windows)
			f.While(left, func() {
				// The pixels and the weights of a pair are the bytes of a word.
				pixels := Load("v128.load", sum(row, Load("i32.load", base, 0)), 0)
				pairs := f.Let(Do("i8x16.swizzle", pixels, Load("v128.load", shuffle, 0)))
				both := f.Let(Load("v128.load", weight, 0))
				firsts := Do("i16x8.mul", Do("v128.and", pairs, low), Do("v128.and", both, low))
				seconds := Do("i16x8.mul", Do("i16x8.shr_u", pairs, Int(8)), Do("i16x8.shr_u", both, Int(8)))
				f.Store("v128.store", out, 0, Do("v128.xor", Do("i16x8.add", firsts, seconds), top))
				f.Advance(base, 4)
				f.Advance(shuffle, 2*window)
				f.Advance(weight, 2*window)
				f.Advance(out, 2*window)
				f.Advance(left, -1)
			})
			f.Advance(next, 1)
		})

		upper, lower, out := f.Let(line(first)), f.Let(line(second)), f.Let(dst)
		left := f.Let(windows)
		pair := f.Let(Do("i32x4.splat", blend))
		f.While(left, func() {
			f.Store("v128.store", out, 0, narrow(func(i int) Value {
				a, b := f.Let(Load("v128.load", upper, i*2*window)), f.Let(Load("v128.load", lower, i*2*window))
				half := func(from int) Value {
					words := Shuffle(a, b, func(i int) int { return from + i/4*2 + i%2 + i%4/2*16 })
					return Do("i32x4.shr_s", Do("i32x4.add", Do("i32x4.dot_i16x8_s", words, pair), bias), Int(16))
				}
				return Do("i16x8.narrow_i32x4_s", half(0), half(8))
			}))
			f.Advance(upper, 4*window)
			f.Advance(lower, 4*window)
			f.Advance(out, 2*window)
			f.Advance(left, -2)
		})
		f.Set(dst, sum(dst, dstStride))
		f.Advance(rows, layout.Size(tap))
	})
	f.SetInt("next", next)
}

// narrow returns the bytes of two vectors of words.
func narrow(words func(i int) Value) Value {
	first, second := words(0), words(1)
	return Do("i8x16.narrow_i16x8_u", first, second)
}

// harris emits the function that sums the products of the gradients around corners.
func (b builder) harris() {
	f := b.kernel("harris", "harrisRun")
	pix, stride := f.Int("pix"), f.Int("stride")
	corners, sums := f.Int("corners"), f.Int("sums")
	corner, each := f.Element("corners"), f.Element("sums")
	layout.RequireWords(each, 4, "xx", "yy", "xy")
	end := f.Let(sum(corners, f.Len("corners").Times(layout.Size(corner))))
	seven := words(func(i int) int {
		if i < 7 {
			return 0xffff
		}
		return 0
	})
	field := func(name string) Value { return Load("i32.load", corners, layout.Offset(corner, name)) }
	f.While(Do("i32.ne", corners, end), func() {
		row := f.Let(sum(pix, field("X"), Do("i32.mul", field("Y").Plus(-4), stride)).Plus(-4))
		products := map[string]Value{}
		add := func(name string, a, b Value) {
			v := Do("i32x4.dot_i16x8_s", a, b)
			if total, ok := products[name]; ok {
				f.Set(total, Do("i32x4.add", total, v))
			} else {
				products[name] = f.Let(v)
			}
		}
		var across, along [9]Value // the differences and the weighted sums of pixels of rows
		for i := range across {
			pixel := func(x int) Value { return f.Let(Load("v128.load8x8_u", row, x)) }
			west, here, east := pixel(0), pixel(1), pixel(2)
			across[i] = f.Let(Do("v128.and", Do("i16x8.sub", east, west), seven))
			along[i] = f.Let(Do("v128.and", reduce("i16x8.add", west, here, here, east), seven))
			f.Set(row, sum(row, stride))
			if i < 2 {
				continue
			}
			gx := f.Let(reduce("i16x8.add", across[i-2], across[i-1], across[i-1], across[i]))
			gy := f.Let(Do("i16x8.sub", along[i], along[i-2]))
			add("xx", gx, gx)
			add("yy", gy, gy)
			add("xy", gx, gy)
		}
		for _, name := range []string{"xx", "yy", "xy"} {
			f.Store("i32.store", sums, layout.Offset(each, name), total(products[name]))
		}
		f.Advance(corners, layout.Size(corner))
		f.Advance(sums, layout.Size(each))
	})
}

// total returns the sum of the four numbers in a local variable.
func total(v Value) Value {
	lane := func(i int) Value { return Lane("i32x4.extract_lane", i, v) }
	return sum(lane(0), lane(1), lane(2), lane(3))
}

// moments emits the function that sums the pixels of rows of 32 with two sets of weights.
func (b builder) moments() {
	f := b.kernel("moments", "momentRun")
	pix, stride, weights := f.Int("pix"), f.Int("stride"), f.Int("weights")
	size := layout.Size(f.Element("weights"))
	end := f.Let(sum(weights, f.Len("weights").Times(size)))
	sums := [2]Value{f.Let(zero), f.Let(zero)}
	f.While(Do("i32.ne", weights, end), func() {
		for x := 0; x < 32; x += 8 {
			pixels := f.Let(Load("v128.load8x8_u", pix, x))
			for i, s := range sums {
				products := Do("i32x4.dot_i16x8_s", pixels, Load("v128.load8x8_s", weights, 32*i+x))
				f.Set(s, Do("i32x4.add", s, products))
			}
		}
		f.Set(pix, sum(pix, stride))
		f.Advance(weights, size)
	})
	f.SetInt("m10", total(sums[0]))
	f.SetInt("m01", total(sums[1]))
}

// compare emits the function that compares the pixels of 256 pairs of places. The first
// places of all pairs come before the second ones.
func (b builder) compare() {
	const pairs, magic = 256, 3 << 22 // as a float32, it makes sums round to integers
	f := b.kernel("compare", "sampleRun")
	splat := func(name string) Value {
		return f.Let(Load("v128.load32_splat", f.Local(0), layout.Offset(b.argument("sampleRun"), name)))
	}
	sin, cos, stride := splat("sin"), splat("cos"), splat("stride")
	xs, ys, desc := f.Int("xs"), f.Int("ys"), f.Int("desc")
	rounder := Do("f32x4.splat", Float32(magic))
	// The bits of a float32 of magic+n are those of magic and n.
	bits := Do("i32x4.splat", Int(0x4b400000))
	pixel := Do("i32x4.splat", sum(f.Int("pix"), f.Int("at")))
	origin := f.Let(Do("i32x4.sub", Do("i32x4.sub", pixel, bits), Do("i32x4.mul", bits, stride)))
	// addresses returns those of the pixels of four places.
	addresses := func(place int) Value {
		x, y := f.Let(Load("v128.load", xs, 4*place)), f.Let(Load("v128.load", ys, 4*place))
		column := Do("f32x4.sub", Do("f32x4.mul", x, cos), Do("f32x4.mul", y, sin))
		row := Do("f32x4.add", Do("f32x4.mul", x, sin), Do("f32x4.mul", y, cos))
		rows := Do("i32x4.mul", Do("f32x4.add", row, rounder), stride)
		return f.Let(reduce("i32x4.add", rows, Do("f32x4.add", column, rounder), origin))
	}
	// values returns the pixels of 16 places.
	values := func(place int) Value {
		v := zero
		for i := 0; i < 16; i += 4 {
			from := addresses(place + i)
			for j := range 4 {
				v = LoadLane(8, Lane("i32x4.extract_lane", j, from), v, i+j)
			}
		}
		return f.Let(v)
	}
	end := f.Let(desc.Plus(pairs / 8))
	f.While(Do("i32.ne", desc, end), func() {
		first, second := values(0), values(pairs)
		f.Store("i32.store16", desc, 0, Do("i8x16.bitmask", Do("i8x16.lt_u", first, second)))
		f.Advance(xs, 64)
		f.Advance(ys, 64)
		f.Advance(desc, 2)
	})
}
