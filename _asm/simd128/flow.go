package main

import (
	"go/types"

	"github.com/fastcorners/fast/_asm/internal/layout"
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// A row of a template has three vectors for each chunk of eight columns: the gray values, and
// the derivatives along x and y, which are 0 beyond the window. The columns of a vector are in
// the order 0, 4, 1, 5, 2, 6, 3, 7, so that the sums of two products are those of OpenCV.
const (
	chunkColumns = 8
	chunkBytes   = 3 * 16
	alongX       = 16 // where the derivatives begin
	alongY       = 32
)

// column returns the column of a word of a vector.
func column(word int) int { return word/2 + word%2*4 }

// A windowFunction is a kernel for windows.
type windowFunction struct {
	*Function
	argument types.Type
}

// windows emits the kernels for windows. Those of portable Go define what they do.
func (b builder) windows() {
	b.template()
	b.tensor()
	b.step()
	b.difference()
}

func (b builder) window(name string) windowFunction {
	return windowFunction{b.kernel(name, "windowRun"), b.argument("windowRun")}
}

// place returns where a field of a window is, which is one of the argument.
func (f windowFunction) place(window, field string) int {
	return layout.Offset(f.argument, window) + layout.Offset(layout.Field(f.argument, window), field)
}

// of returns a field of a window.
func (f windowFunction) of(window, field string) Value {
	return f.Let(Load("i32.load", f.Local(0), f.place(window, field)))
}

// weights returns the weights of the upper and the lower pixels of a window, in pairs.
func (f windowFunction) weights(window string) [2]Value {
	at := f.place(window, "weights")
	pair := func(i int) Value { return f.Let(Load("v128.load32_splat", f.Local(0), at+4*i)) }
	return [2]Value{pair(0), pair(1)}
}

// chunks returns the number of chunks of a row.
func (f windowFunction) chunks() Value {
	return f.Let(Do("i32.shr_u", f.Int("w").Plus(chunkColumns-1), Int(3)))
}

// interpolate returns the weighted sums of eight columns of two rows, divided by a power of two
// and rounded, in the order of templates. Of each row there are the columns and those to the right
// of them.
func (f windowFunction) interpolate(upper, lower [2]Value, weights [2]Value, shift int) Value {
	rounding := Do("i32x4.splat", Int(1<<(shift-1)))
	half := func(from int) Value {
		pairs := func(row [2]Value) Value {
			return Shuffle(row[0], row[1], func(i int) int { return from + i/4*2 + i%2 + i%4/2*16 })
		}
		s := Do("i32x4.add", Do("i32x4.dot_i16x8_s", pairs(upper), weights[0]), Do("i32x4.dot_i16x8_s", pairs(lower), weights[1]))
		return f.Let(Do("i32x4.shr_s", Do("i32x4.add", s, rounding), Int(shift)))
	}
	return Shuffle(half(0), half(8), func(i int) int { return i/4*4 + i%2 + i%4/2*16 })
}

// pixels returns eight pixels and those to the right of them.
func (f windowFunction) pixels(row Value, offset int) [2]Value {
	return [2]Value{f.Let(Load("v128.load8x8_u", row, offset)), f.Let(Load("v128.load8x8_u", row, offset+1))}
}

// grayShift and slopeShift are the bits that sums of gray values and of derivatives lose.
const (
	grayShift  = 9
	slopeShift = 14
)

// columnNumbers are the columns of words, to compare them with numbers.
var columnNumbers = words(column)

// within returns a vector with all bits set for the columns of a chunk that are less than n.
func within(n Value) Value {
	return Do("i16x8.gt_s", Do("i16x8.splat", n), columnNumbers)
}

// slopes are what is known of a row of pixels: the differences of the neighbors of eight
// columns, and their weighted sums; and the same of those to the right.
type slopes struct{ differences, sums [2]Value }

// filter returns the slopes of a row.
func (f windowFunction) filter(row Value) (s slopes) {
	var p [4]Value
	for i := range p {
		p[i] = f.Let(Load("v128.load8x8_u", row, i))
	}
	for i := range 2 {
		s.differences[i] = f.Let(Do("i16x8.sub", p[i+2], p[i]))
		s.sums[i] = f.Let(scharr(p[i], p[i+1], p[i+2]))
	}
	return s
}

// scharr returns 3*a + 10*b + 3*c.
func scharr(a, b, c Value) Value {
	times := func(v Value, n int) Value { return Do("i16x8.mul", v, words(func(int) int { return n })) }
	return Do("i16x8.add", times(Do("i16x8.add", a, c), 3), times(b, 10))
}

// template emits the function that makes the template.
func (b builder) template() {
	f := b.window("template")
	pix, stride, weights := f.of("template", "pix"), f.of("template", "stride"), f.weights("template")
	values, count := f.Int("values"), f.chunks()
	top, bottom, h := f.Int("top"), f.Int("bottom"), f.Int("h")
	left := f.Let(f.Int("w"))
	rowBytes := f.Let(count.Times(chunkBytes))
	inside := f.Let(f.Local(0).Plus(layout.Offset(f.argument, "masks") + layout.Offset(layout.Field(f.argument, "masks"), "inside")))
	f.While(count, func() {
		// Downwards: a, b and c are the rows that the derivatives of a row are made of.
		row, out, y := f.Let(pix), f.Let(values), f.Let(Int(0))
		// The column right of the last one of 32 has no mask, but that one is beyond all windows.
		masks := [2]Value{f.Let(Load("v128.load", inside, 0)), f.Let(Load("v128.load", inside, 2))}
		valid := f.Let(within(left))
		a := f.filter(row)
		f.Set(row, sum(row, stride))
		b := f.filter(row)
		// derive returns the derivatives of row y, which are 0 outside of the image. Then row is the
		// one in the middle.
		derive := func() (x, yy [2]Value) {
			c := f.filter(sum(row, stride))
			in := Do("i32.and", Do("i32.le_s", top, y), Do("i32.lt_s", y, bottom))
			rows := f.Let(Do("i16x8.splat", Do("i32.sub", Int(0), in)))
			for i := range 2 {
				mask := f.Let(Do("v128.and", masks[i], rows))
				x[i] = f.Let(Do("v128.and", scharr(a.differences[i], b.differences[i], c.differences[i]), mask))
				yy[i] = f.Let(Do("v128.and", Do("i16x8.sub", c.sums[i], a.sums[i]), mask))
				f.Set(a.differences[i], b.differences[i])
				f.Set(a.sums[i], b.sums[i])
				f.Set(b.differences[i], c.differences[i])
				f.Set(b.sums[i], c.sums[i])
			}
			f.Advance(y, 1)
			return x, yy
		}
		x, yy := derive()
		f.While(Do("i32.le_s", y, h), func() {
			upper := f.pixels(row, 1)
			f.Set(row, sum(row, stride))
			f.Store("v128.store", out, 0, f.interpolate(upper, f.pixels(row, 1), weights, grayShift))
			nextX, nextY := derive()
			f.Store("v128.store", out, alongX, Do("v128.and", f.interpolate(x, nextX, weights, slopeShift), valid))
			f.Store("v128.store", out, alongY, Do("v128.and", f.interpolate(yy, nextY, weights, slopeShift), valid))
			for i := range 2 {
				f.Set(x[i], nextX[i])
				f.Set(yy[i], nextY[i])
			}
			f.Set(out, sum(out, rowBytes))
		})
		f.Advance(pix, chunkColumns)
		f.Advance(inside, 2*chunkColumns)
		f.Advance(values, chunkBytes)
		f.Advance(left, -chunkColumns)
		f.Advance(count, -1)
	})
}

// each emits a loop over the rows, and in it over the chunks of a row: those that are whole, and
// the tail, if there is one. values is the address of what the template has of a chunk.
func (f windowFunction) each(values Value, whole, tail, next func()) {
	blocks, rest := f.Let(Do("i32.shr_u", f.Int("w"), Int(3))), f.Let(Do("i32.and", f.Int("w"), Int(chunkColumns-1)))
	rows := f.Int("h")
	f.While(rows, func() {
		left := f.Let(blocks)
		f.While(left, func() {
			whole()
			f.Advance(values, chunkBytes)
			f.Advance(left, -1)
		})
		f.If(rest, func() {
			tail()
			f.Advance(values, chunkBytes)
		})
		if next != nil {
			next()
		}
		f.Advance(rows, -1)
	})
}

// lanes returns four sums of floats, in the order of OpenCV: those of the columns of whole chunks,
// which belong to the lanes in turn, or those of the columns of tails.
func (f windowFunction) lanes() Value { return f.Let(zero) }

// add adds integers to a vector of floats.
func (f windowFunction) add(to, integers Value) {
	f.Set(to, Do("f32x4.add", to, Do("f32x4.convert_i32x4_s", integers)))
}

// floatTotal returns the sum of the lanes and of a lane of the tails.
func floatTotal(lanes, tails Value, tail int) Value {
	lane := func(i int) Value { return Lane("f32x4.extract_lane", i, lanes) }
	all := Do("f32.add", Do("f32.add", lane(0), lane(2)), Do("f32.add", lane(1), lane(3)))
	return Do("f32.add", Lane("f32x4.extract_lane", tail, tails), all)
}

// addTail adds the products of a tail, column by column: those of the first and of the last four
// words of vectors, of which there are up to three. The tail has five columns or fewer, or else
// seven or fewer.
func (f windowFunction) addTail(tails Value, products ...[2]Value) {
	for i := range products {
		for j := range products[i] {
			products[i][j] = f.Let(products[i][j])
		}
	}
	add := func(c int) {
		word := c%4*2 + c/4
		half, lane := word/4, word%4
		pick := func(a, b Value, second int) Value {
			return Shuffle(a, b, func(i int) int {
				if i/4 == second {
					return 16 + 4*lane + i%4
				}
				if second == 1 {
					return 4*lane + i%4
				}
				return i
			})
		}
		v := pick(products[0][half], products[1][half], 1)
		if len(products) > 2 {
			v = pick(v, products[2][half], 2)
		}
		f.add(tails, v)
	}
	for c := range 5 {
		add(c)
	}
	f.If(Do("i32.lt_s", Int(5), Do("i32.and", f.Int("w"), Int(chunkColumns-1))), func() {
		add(5)
		add(6)
	})
}

// both returns the products of the first and of the last four words of two vectors.
func both(a, b Value) [2]Value {
	return [2]Value{Do("i32x4.extmul_low_i16x8_s", a, b), Do("i32x4.extmul_high_i16x8_s", a, b)}
}

// tensor emits the function that adds up the products of the derivatives.
func (b builder) tensor() {
	f := b.window("tensor")
	values := f.Int("values")
	var lanes [3]Value
	for i := range lanes {
		lanes[i] = f.lanes()
	}
	tails := f.lanes()
	load := func() (x, y Value) {
		return f.Let(Load("v128.load", values, alongX)), f.Let(Load("v128.load", values, alongY))
	}
	f.each(values, func() {
		x, y := load()
		// The first four columns, and then the others.
		for half := range 2 {
			mask := words(func(i int) int {
				if column(i)/4 == half {
					return 0xffff
				}
				return 0
			})
			xs, ys := f.Let(Do("v128.and", x, mask)), f.Let(Do("v128.and", y, mask))
			f.add(lanes[0], Do("i32x4.dot_i16x8_s", xs, x))
			f.add(lanes[1], Do("i32x4.dot_i16x8_s", xs, y))
			f.add(lanes[2], Do("i32x4.dot_i16x8_s", ys, y))
		}
	}, func() {
		x, y := load()
		f.addTail(tails, both(x, x), both(x, y), both(y, y))
	}, nil)
	for i := range lanes {
		f.SetPart("f32.store", "tensor", 4*i, floatTotal(lanes[i], tails, i))
	}
}

// differ returns a function that returns the differences between the pixels of a chunk and
// those of the template; and what moves on by a chunk, and by a row.
func (f windowFunction) differ(values Value) (difference func() Value, chunk, row func()) {
	pix, stride, weights := f.of("window", "pix"), f.of("window", "stride"), f.weights("window")
	upper, lower := f.Let(pix), f.Let(sum(pix, stride))
	difference = func() Value {
		pixels := f.interpolate(f.pixels(upper, 0), f.pixels(lower, 0), weights, grayShift)
		return f.Let(Do("i16x8.sub", pixels, Load("v128.load", values, 0)))
	}
	chunk = func() {
		f.Advance(upper, chunkColumns)
		f.Advance(lower, chunkColumns)
	}
	row = func() {
		f.Set(pix, sum(pix, stride))
		f.Set(upper, pix)
		f.Set(lower, sum(pix, stride))
	}
	return difference, chunk, row
}

// step emits the function that adds up the products of the differences and the derivatives.
func (b builder) step() {
	f := b.window("step")
	values := f.Int("values")
	difference, chunk, row := f.differ(values)
	lanes, tails := [2]Value{f.lanes(), f.lanes()}, f.lanes()
	f.each(values, func() {
		d := difference()
		f.add(lanes[0], Do("i32x4.dot_i16x8_s", d, Load("v128.load", values, alongX)))
		f.add(lanes[1], Do("i32x4.dot_i16x8_s", d, Load("v128.load", values, alongY)))
		chunk()
	}, func() {
		d := difference()
		x, y := f.Let(Load("v128.load", values, alongX)), f.Let(Load("v128.load", values, alongY))
		f.addTail(tails, both(d, x), both(d, y))
	}, row)
	for i := range lanes {
		f.SetPart("f32.store", "products", 4*i, floatTotal(lanes[i], tails, i))
	}
}

// difference emits the function that adds up the absolute differences. They are less than 1<<13,
// and a window has less than 1<<10 pixels, so that sums of floats are exact in any order.
func (b builder) difference() {
	f := b.window("difference")
	values := f.Int("values")
	difference, chunk, row := f.differ(values)
	valid := f.Let(within(Do("i32.and", f.Int("w"), Int(chunkColumns-1))))
	all := f.lanes()
	add := func(d Value) {
		ones := words(func(int) int { return 1 })
		f.Set(all, Do("i32x4.add", all, Do("i32x4.dot_i16x8_s", Do("i16x8.abs", d), ones)))
	}
	f.each(values, func() {
		add(difference())
		chunk()
	}, func() {
		add(Do("v128.and", difference(), valid))
	}, row)
	f.SetPart("f32.store", "difference", 0, Do("f32.convert_i32_s", total(all)))
}
