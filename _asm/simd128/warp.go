package main

import (
	"math"
	"math/bits"

	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// A place is in 1/32 pixel, and weights are of that kind: those of two pixels beside each other
// add up to 32, and those of four to 1<<weightBits.
const (
	placeBits  = 5
	weightBits = 2 * placeBits
)

// A sampler is a kernel that makes a row of pixels.
type sampler struct {
	*Function
	size                     int // bytes of a pixel
	pix, stride, to, n       Value
	x, y, x0, y0, shift      Value
	left, top, right, bottom Value
	constant                 Value // a vector of what is outside
	outer, outers            Value
}

func (b builder) sampler(name string, size int) sampler {
	f := b.kernel(name, "sampling")
	constant := "i32x4.splat"
	if size == 1 {
		constant = "i8x16.splat"
	}
	return sampler{
		Function: f,
		size:     size,
		constant: f.Let(Do(constant, f.Int("value"))),
		pix:      f.Int("pix"), stride: f.Int("stride"), to: f.Int("to"), n: f.Int("n"),
		x: f.Int("x"), y: f.Int("y"), x0: f.Int("x0"), y0: f.Int("y0"), shift: f.Int("shift"),
		left: f.Int("left"), top: f.Int("top"), right: f.Int("right"), bottom: f.Int("bottom"),
		outer: f.Int("outer"), outers: f.Let(Int(0)),
	}
}

// pixel makes pixel i by interpolate, which gets the address of the first one of
// four pixels, and the fractions of the place. A pixel that uses others outside of the source is
// left out.
func (s sampler) pixel(i Value, interpolate func(at, fx, fy Value)) {
	place := func(list, first Value) Value {
		return s.Let(Do("i32.shr_s", Do("i32.add", first, Load("i32.load", sum(list, i.Times(4)), 0)), s.shift))
	}
	whole := func(place, first Value) Value {
		return s.Let(Do("i32.sub", Do("i32.shr_s", place, Int(placeBits)), first))
	}
	px, py := place(s.x, s.x0), place(s.y, s.y0)
	column, row := whole(px, s.left), whole(py, s.top)
	inside := s.Let(Do("i32.and", Do("i32.lt_u", column, s.right), Do("i32.lt_u", row, s.bottom)))
	s.If(inside, func() {
		fraction := func(place Value) Value { return s.Let(Do("i32.and", place, Int(1<<placeBits-1))) }
		at := s.Let(sum(s.pix, Do("i32.mul", row, s.stride), column.Times(s.size)))
		interpolate(at, fraction(px), fraction(py))
	})
	s.If(Do("i32.xor", inside, Int(1)), func() {
		s.Store("i32.store", sum(s.outer, s.outers.Times(4)), 0, i)
		s.Advance(s.outers, 1)
	})
}

// pixels emits a loop over all pixels, a group of vectors of four at a time. If no pixel of a group
// uses others outside of the source, make returns them; it gets, for each vector, the addresses of
// the first ones of four pixels and the fractions of the places. If all pixels of a group use only
// such ones, they are the constant, if there is one. Other pixels are made one by one, by
// interpolate, as those of an incomplete group.
func (s sampler) pixels(vectors int, make func(at, fx, fy []Value) Value, interpolate func(i, at, fx, fy Value)) {
	i := s.Let(Int(0))
	splat := func(v Value) Value { return s.Let(Do("i32x4.splat", v)) }
	x0, y0 := splat(s.x0), splat(s.y0)
	left, top, right, bottom, stride := splat(s.left), splat(s.top), splat(s.right), splat(s.bottom), splat(s.stride)
	pix := splat(s.pix)
	constant := s.Int("constant")
	s.While(Do("i32.lt_s", i, s.n), func() {
		end, made := s.Let(i.Plus(4*vectors)), s.Let(Int(0))
		put := func(pixels Value) {
			if s.size == 1 {
				s.Store("i64.store", sum(s.to, i), 0, Lane("i64x2.extract_lane", 0, pixels))
			} else {
				s.Store("v128.store", sum(s.to, i.Times(s.size)), 0, pixels)
			}
			s.Set(i, end)
		}
		s.If(Do("i32.le_s", end, s.n), func() {
			var at, fx, fy, columns, rows []Value
			inside := s.Let(Do("i8x16.eq", zero, zero))
			for k := range vectors {
				place := func(list, first Value) Value {
					v := Load("v128.load", sum(list, i.Times(4)), 16*k)
					return s.Let(Do("i32x4.shr_s", Do("i32x4.add", first, v), s.shift))
				}
				px, py := place(s.x, x0), place(s.y, y0)
				column := s.Let(Do("i32x4.sub", Do("i32x4.shr_s", px, Int(placeBits)), left))
				row := s.Let(Do("i32x4.sub", Do("i32x4.shr_s", py, Int(placeBits)), top))
				s.Set(inside, reduce("v128.and", inside, Do("i32x4.lt_u", column, right), Do("i32x4.lt_u", row, bottom)))
				columns, rows = append(columns, column), append(rows, row)
				offset := Do("i32x4.shl", column, Int(bits.Len(uint(s.size))-1))
				at = append(at, s.Let(reduce("i32x4.add", pix, Do("i32x4.mul", row, stride), offset)))
				fraction := Do("i32x4.splat", Int(1<<placeBits-1))
				fx, fy = append(fx, s.Let(Do("v128.and", px, fraction))), append(fy, s.Let(Do("v128.and", py, fraction)))
			}
			s.Set(made, Do("i8x16.all_true", inside))
			s.If(made, func() { put(make(at, fx, fy)) })
			s.If(Do("i32.lt_u", made, constant), func() { // not made, and there is a constant
				// Columns from -1 to the last one use pixels.
				one := Do("i32x4.splat", Int(1))
				beyond := func(place, last Value) Value {
					return Do("i32x4.gt_u", Do("i32x4.add", place, one), Do("i32x4.add", last, one))
				}
				outside := Do("i8x16.eq", zero, zero)
				for k := range vectors {
					outside = Do("v128.and", outside, Do("v128.or", beyond(columns[k], right), beyond(rows[k], bottom)))
				}
				s.Set(made, Do("i8x16.all_true", outside))
				s.If(made, func() { put(s.constant) })
			})
		})
		s.If(Do("i32.xor", made, Int(1)), func() {
			s.Set(end, Do("select", end, s.n, Do("i32.lt_s", end, s.n)))
			s.While(Do("i32.lt_s", i, end), func() {
				s.pixel(i, func(at, fx, fy Value) { interpolate(i, at, fx, fy) })
				s.Advance(i, 1)
			})
		})
	})
	s.SetInt("outers", s.outers)
}

// project emits the function that makes places of a homography, four at a time.
func (b builder) project() {
	// Sums with it have the integer that a number rounds to in their low bits.
	const toInteger = 3 << 51
	f := b.kernel("project", "projection")
	field := func(name string) Value { return f.Field("v128.load64_splat", name) }
	splat := func(v float64) Value { return f.Let(Do("f64x2.splat", Float64(v))) }
	x0, y0, w0, dx, dy, dw, k := field("x0"), field("y0"), field("w0"), field("dx"), field("dy"), field("dw"), field("k")
	x, y, left := f.Int("x"), f.Int("y"), f.Int("n")
	low, high, integer, two := splat(math.MinInt32), splat(math.MaxInt32), splat(toInteger), splat(2)
	count := f.Let(Bytes(func(i int) uint8 { return uint8(math.Float64bits(1) >> (i % 8 * 8) * uint64(i/8)) }))
	f.While(left, func() {
		var xs, ys [2]Value
		for i := range xs {
			line := func(first, step Value) Value { return Do("f64x2.add", first, Do("f64x2.mul", step, count)) }
			w := f.Let(line(w0, dw))
			w = f.Let(Do("v128.and", Do("f64x2.div", k, w), Do("f64x2.ne", w, zero)))
			place := func(first, step Value) Value {
				// What is not a number becomes the least one.
				v := f.Let(Do("f64x2.mul", line(first, step), w))
				v = Do("f64x2.pmin", Do("f64x2.pmax", low, v), high)
				return f.Let(Do("f64x2.add", v, integer))
			}
			xs[i], ys[i] = place(x0, dx), place(y0, dy)
			f.Set(count, Do("f64x2.add", count, two))
		}
		for _, c := range []struct {
			to     Value
			places [2]Value
		}{{x, xs}, {y, ys}} {
			f.Store("v128.store", c.to, 0, Shuffle(c.places[0], c.places[1], func(i int) int { return i/4*8 + i%4 }))
			f.Advance(c.to, 16)
		}
		f.Advance(left, -4)
	})
}

// linear emits the functions that interpolate pixels. Those of portable Go define what they do.
func (b builder) linear() {
	b.linearGray()
	b.linearColor()
}

// rounded returns weighted sums of four pixels, divided by the sum of the weights.
func rounded(v Value) Value {
	return Do("i32x4.shr_s", Do("i32x4.add", v, Do("i32x4.splat", Int(1<<(weightBits-1)))), Int(weightBits))
}

// linearGray emits the function for one channel, which makes eight pixels at a time.
func (b builder) linearGray() {
	const group = 8
	s := b.sampler("linearGray", 1)
	s.pixels(group/4, func(at, fx, fy []Value) Value {
		// Two pixels beside each other are the bytes of a word.
		upper, lower := zero, zero
		for j := range group {
			from := s.Let(Lane("i32x4.extract_lane", j%4, at[j/4]))
			upper = LoadWord(from, upper, j)
			lower = LoadWord(sum(from, s.stride), lower, j)
		}
		low, whole := words(func(int) int { return 0xff }), words(func(int) int { return 1 << placeBits })
		narrowed := func(v []Value) Value { return s.Let(Do("i16x8.narrow_i32x4_s", v[0], v[1])) }
		x, y := narrowed(fx), narrowed(fy)
		beside := func(pairs Value) Value {
			pairs = s.Let(pairs)
			first := Do("i16x8.mul", Do("v128.and", pairs, low), Do("i16x8.sub", whole, x))
			return s.Let(Do("i16x8.add", first, Do("i16x8.mul", Do("i16x8.shr_u", pairs, Int(8)), x)))
		}
		u, l := beside(upper), beside(lower)
		rest := s.Let(Do("i16x8.sub", whole, y))
		half := func(from int) Value {
			both := func(a, b Value) Value {
				return Shuffle(a, b, func(i int) int { return from + i/4*2 + i%2 + i%4/2*16 })
			}
			return rounded(Do("i32x4.dot_i16x8_s", both(u, l), both(rest, y)))
		}
		pixels := s.Let(Do("i16x8.narrow_i32x4_s", half(0), half(8)))
		return Do("i8x16.narrow_i16x8_u", pixels, pixels)
	}, func(i, at, fx, fy Value) {
		mean := func(at Value) Value {
			first := Do("i32.mul", Do("i32.sub", Int(1<<placeBits), fx), Load("i32.load8_u", at, 0))
			return sum(first, Do("i32.mul", fx, Load("i32.load8_u", at, 1)))
		}
		first := Do("i32.mul", Do("i32.sub", Int(1<<placeBits), fy), mean(at))
		v := sum(first, Do("i32.mul", fy, mean(sum(at, s.stride))), Int(1<<(weightBits-1)))
		s.Store("i32.store8", sum(s.to, i), 0, Do("i32.shr_u", v, Int(weightBits)))
	})
}

// linearColor emits the function for four channels, which makes four pixels at a time.
func (b builder) linearColor() {
	s := b.sampler("linearColor", 4)
	// The channels of two pixels beside each other, each with the same one of the other pixel, as
	// words.
	pairs := s.Let(Bytes(func(i int) uint8 {
		if i%2 == 1 {
			return 0x80 // a byte of 0
		}
		return uint8(i/4 + i%4/2*4)
	}))
	// weigh returns the weighted sums of the channels of four pixels, given the weights of the upper
	// and of the lower ones.
	weigh := func(at, upper, lower Value) Value {
		product := func(at, weights Value) Value {
			return Do("i32x4.dot_i16x8_s", Do("i8x16.swizzle", Load("v128.load64_zero", at, 0), pairs), weights)
		}
		return rounded(Do("i32x4.add", product(at, upper), product(sum(at, s.stride), lower)))
	}
	// weights returns those of two pixels, in the words of a number, for the upper and the lower ones.
	weights := func(fx, fy Value) (upper, lower Value) {
		twice := func(v Value) Value { return Do("v128.or", v, Do("i32x4.shl", v, Int(16))) }
		whole := Do("i32x4.splat", Int(1<<placeBits))
		beside := s.Let(Do("v128.or", Do("i32x4.sub", whole, fx), Do("i32x4.shl", fx, Int(16))))
		y := s.Let(twice(fy))
		rest := Do("i16x8.sub", words(func(int) int { return 1 << placeBits }), y)
		return s.Let(Do("i16x8.mul", beside, rest)), s.Let(Do("i16x8.mul", beside, y))
	}
	s.pixels(1, func(at, fx, fy []Value) Value {
		upper, lower := weights(fx[0], fy[0])
		var pixels [4]Value
		for j := range pixels {
			of := func(v Value) Value { return Shuffle(v, v, func(i int) int { return 4*j + i%4 }) }
			pixels[j] = weigh(s.Let(Lane("i32x4.extract_lane", j, at[0])), of(upper), of(lower))
		}
		return narrow(func(half int) Value {
			return Do("i16x8.narrow_i32x4_s", pixels[2*half], pixels[2*half+1])
		})
	}, func(i, at, fx, fy Value) {
		upper, lower := weights(Do("i32x4.splat", fx), Do("i32x4.splat", fy))
		v := s.Let(weigh(at, upper, lower))
		v = s.Let(Do("i16x8.narrow_i32x4_s", v, v))
		s.Store("i32.store", sum(s.to, i.Times(4)), 0, Lane("i32x4.extract_lane", 0, Do("i8x16.narrow_i16x8_u", v, v)))
	})
}
