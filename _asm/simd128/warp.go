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
	size                     int  // bytes of a pixel
	linear                   bool // pixels are interpolated, and places in 1/32 pixel
	pix, stride, to, n       Value
	x, y, x0, y0, shift      Value
	left, top, right, bottom Value
	constant                 Value // a vector of what is outside
	outer, outers            Value
}

func (b builder) sampler(name string, size int, linear bool) sampler {
	f := b.kernel(name, "sampleRun")
	constant := map[int]string{1: "i8x16.splat", 2: "i16x8.splat", 4: "i32x4.splat"}[size]
	return sampler{
		Function: f,
		size:     size,
		linear:   linear,
		constant: f.Let(Do(constant, f.Int("value"))),
		pix:      f.Int("pix"), stride: f.Int("stride"), to: f.Int("to"), n: f.Int("n"),
		x: f.Int("x"), y: f.Int("y"), x0: f.Int("x0"), y0: f.Int("y0"), shift: f.Int("shift"),
		left: f.Int("left"), top: f.Int("top"), right: f.Int("right"), bottom: f.Int("bottom"),
		outer: f.Int("outer"), outers: f.Let(Int(0)),
	}
}

// within is how the places of pixels of the source are compared with the last ones, as unsigned
// numbers. To interpolate pixels, those after them are used, too.
func (s sampler) within() string {
	if s.linear {
		return "lt_u"
	}
	return "le_u"
}

// pixel makes pixel i by interpolate, which gets the address of the pixel of the source, or of the
// first one of four pixels and the fractions of the place. A pixel that uses others outside of the
// source is left out.
func (s sampler) pixel(i Value, interpolate func(at, fx, fy Value)) {
	place := func(list, first Value) Value {
		return s.Let(Do("i32.shr_s", Do("i32.add", first, Load("i32.load", sum(list, i.Times(4)), 0)), s.shift))
	}
	whole := func(place, first Value) Value {
		if s.linear {
			place = Do("i32.shr_s", place, Int(placeBits))
		}
		return s.Let(Do("i32.sub", place, first))
	}
	px, py := place(s.x, s.x0), place(s.y, s.y0)
	column, row := whole(px, s.left), whole(py, s.top)
	inside := s.Let(Do("i32.and", Do("i32."+s.within(), column, s.right), Do("i32."+s.within(), row, s.bottom)))
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
// uses others outside of the source, make returns them; it gets, for each vector, the addresses and
// the fractions that interpolate would get. If all pixels of a group use only such ones, they are the
// constant, if there is one. Other pixels are made one by one, by interpolate, as those of an
// incomplete group.
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
			if to := sum(s.to, i.Times(s.size)); 4*vectors*s.size == 16 {
				s.Store("v128.store", to, 0, pixels)
			} else {
				s.Store("i64.store", to, 0, Lane("i64x2.extract_lane", 0, pixels))
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
				whole := func(place, first Value) Value {
					if s.linear {
						place = Do("i32x4.shr_s", place, Int(placeBits))
					}
					return s.Let(Do("i32x4.sub", place, first))
				}
				px, py := place(s.x, x0), place(s.y, y0)
				column, row := whole(px, left), whole(py, top)
				within := "i32x4." + s.within()
				s.Set(inside, reduce("v128.and", inside, Do(within, column, right), Do(within, row, bottom)))
				columns, rows = append(columns, column), append(rows, row)
				offset := Do("i32x4.shl", column, Int(bits.Len(uint(s.size))-1))
				at = append(at, s.Let(reduce("i32x4.add", pix, Do("i32x4.mul", row, stride), offset)))
				fraction := Do("i32x4.splat", Int(1<<placeBits-1))
				fx, fy = append(fx, s.Let(Do("v128.and", px, fraction))), append(fy, s.Let(Do("v128.and", py, fraction)))
			}
			s.Set(made, Do("i8x16.all_true", inside))
			s.If(made, func() { put(make(at, fx, fy)) })
			s.If(Do("i32.lt_u", made, constant), func() { // not made, and there is a constant
				// To interpolate, columns from -1 to the last one use pixels.
				one := Do("i32x4.splat", Int(1))
				beyond := func(place, last Value) Value {
					if s.linear {
						place, last = Do("i32x4.add", place, one), Do("i32x4.add", last, one)
					}
					return Do("i32x4.gt_u", place, last)
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
	f := b.kernel("project", "projectRun")
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

// scale emits the function that makes places of a map. Those that do not fit into 32 bits, or are
// not numbers, are the least number.
func (b builder) scale() {
	f := b.kernel("scale", "scaleRun")
	from, to, k := f.Int("from"), f.Int("to"), f.Field("v128.load32_splat", "k")
	limit := Do("f32x4.splat", Float32(-math.MinInt32))
	eachVector(f, f.Int("n"), 4, func(i Value) {
		v := f.Let(Do("f32x4.mul", Load("v128.load", sum(from, i.Times(4)), 0), k))
		rounded := Do("i32x4.trunc_sat_f32x4_s", Do("f32x4.nearest", v))
		fits := Do("f32x4.lt", Do("f32x4.abs", v), limit)
		f.Store("v128.store", sum(to, i.Times(4)), 0, Do("v128.bitselect", rounded, Do("i32x4.splat", Int(math.MinInt32)), fits))
	})
}

// unpack emits the function that makes places of a fixed map.
func (b builder) unpack() {
	f := b.kernel("unpack", "unpackRun")
	xy, fractions, x, y := f.Int("xy"), f.Int("fraction"), f.Int("x"), f.Int("y")
	eachVector(f, f.Int("n"), 4, func(i Value) {
		at := f.Let(i.Times(4))
		both := f.Let(Load("v128.load", sum(xy, at), 0))
		fraction := f.Let(Load("v128.load16x4_u", sum(fractions, i.Times(2)), 0))
		shifted := func(name string, v Value, bits int) Value { return Do(name, v, Int(bits)) }
		place := func(whole, fraction Value) Value {
			low := Do("v128.and", fraction, Do("i32x4.splat", Int(1<<placeBits-1)))
			return Do("v128.or", shifted("i32x4.shl", whole, placeBits), low)
		}
		first := shifted("i32x4.shr_s", shifted("i32x4.shl", both, 16), 16)
		f.Store("v128.store", sum(x, at), 0, place(first, fraction))
		second := shifted("i32x4.shr_s", both, 16)
		f.Store("v128.store", sum(y, at), 0, place(second, shifted("i32x4.shr_s", fraction, placeBits)))
	})
}

// linear emits the functions that interpolate pixels. Those of portable Go define what they do.
func (b builder) linear() {
	b.linearGray()
	b.linearGray16()
	b.linearColor()
}

// nearest emits the functions that copy pixels.
func (b builder) nearest() {
	for _, c := range []struct {
		name    string
		vectors int
		size    int
		load    string
		store   string
	}{
		{"nearestGray", 2, 1, "i32.load8_u", "i32.store8"},
		{"nearestGray16", 2, 2, "i32.load16_u", "i32.store16"},
		{"nearestColor", 1, 4, "i32.load", "i32.store"},
	} {
		s := b.sampler(c.name, c.size, false)
		s.pixels(c.vectors, func(at, _, _ []Value) Value {
			pixels := zero
			for j := range 4 * c.vectors {
				pixels = LoadLane(8*c.size, Lane("i32x4.extract_lane", j%4, at[j/4]), pixels, j)
			}
			return pixels
		}, func(i, at, _, _ Value) {
			s.Store(c.store, sum(s.to, i.Times(c.size)), 0, Load(c.load, at, 0))
		})
	}
}

// rounded returns weighted sums of four pixels, divided by the sum of the weights.
func rounded(v Value) Value {
	return Do("i32x4.shr_s", Do("i32x4.add", v, Do("i32x4.splat", Int(1<<(weightBits-1)))), Int(weightBits))
}

// linearGray emits the function for one channel, which makes eight pixels at a time.
func (b builder) linearGray() {
	const group = 8
	s := b.sampler("linearGray", 1, true)
	s.pixels(group/4, func(at, fx, fy []Value) Value {
		// Two pixels beside each other are the bytes of a word.
		upper, lower := zero, zero
		for j := range group {
			from := s.Let(Lane("i32x4.extract_lane", j%4, at[j/4]))
			upper = LoadLane(16, from, upper, j)
			lower = LoadLane(16, sum(from, s.stride), lower, j)
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

// linearGray16 emits the function for one channel of 16 bits, which makes four pixels at a time.
func (b builder) linearGray16() {
	s := b.sampler("linearGray16", 2, true)
	// mix returns four pixels, or one four times, each in 32 bits, given two pixels of the upper row
	// and two of the lower one in 32 bits each, and fractions.
	mix := func(upper, lower, fx, fy Value) Value {
		// deep returns the first or the second one of two pixels, whose upper byte is first.
		deep := func(two Value, second int) Value {
			order := Bytes(func(i int) uint8 {
				if i%4 > 1 {
					return 0x80 // a byte of 0
				}
				return uint8(i/4*4 + 2*second + 1 - i%4)
			})
			return Do("f32x4.convert_i32x4_s", Do("i8x16.swizzle", two, order))
		}
		splat := func(v float32) Value { return Do("f32x4.splat", Float32(v)) }
		times := func(a, b Value) Value { return Do("f32x4.mul", a, b) }
		x := s.Let(Do("f32x4.convert_i32x4_s", fx))
		y := s.Let(times(Do("f32x4.convert_i32x4_s", fy), splat(1./(1<<weightBits))))
		left := s.Let(Do("f32x4.sub", splat(1<<placeBits), x))
		top := s.Let(Do("f32x4.sub", splat(1./(1<<placeBits)), y))
		// What is added to an integer without room for a fraction is rounded.
		return reduce("f32x4.add",
			times(deep(upper, 0), times(left, top)), times(deep(upper, 1), times(x, top)),
			times(deep(lower, 0), times(left, y)), times(deep(lower, 1), times(x, y)), splat(1<<23))
	}
	// narrowed returns the lower two bytes of numbers, in the other order.
	narrowed := func(v Value) Value {
		return Do("i8x16.swizzle", v, Bytes(func(i int) uint8 { return uint8(i/2%4*4 + 1 - i%2) }))
	}
	s.pixels(1, func(at, fx, fy []Value) Value {
		upper, lower := zero, zero
		for j := range 4 {
			from := s.Let(Lane("i32x4.extract_lane", j, at[0]))
			upper = LoadLane(32, from, upper, j)
			lower = LoadLane(32, sum(from, s.stride), lower, j)
		}
		return narrowed(mix(s.Let(upper), s.Let(lower), fx[0], fy[0]))
	}, func(i, at, fx, fy Value) {
		splat := func(v Value) Value { return Do("i32x4.splat", v) }
		two := func(at Value) Value { return s.Let(Load("v128.load32_splat", at, 0)) }
		v := narrowed(mix(two(at), two(sum(at, s.stride)), splat(fx), splat(fy)))
		s.Store("i32.store16", sum(s.to, i.Times(2)), 0, Lane("i32x4.extract_lane", 0, v))
	})
}

// linearColor emits the function for four channels, which makes four pixels at a time.
func (b builder) linearColor() {
	s := b.sampler("linearColor", 4, true)
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
