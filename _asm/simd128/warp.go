package main

import (
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
	pix, stride, to, n       Value
	x, y, x0, y0, shift      Value
	left, top, right, bottom Value
	outer, outers            Value
}

func (b builder) sampler(name string) sampler {
	f := b.kernel(name, "sampling")
	return sampler{
		Function: f,
		pix:      f.Int("pix"), stride: f.Int("stride"), to: f.Int("to"), n: f.Int("n"),
		x: f.Int("x"), y: f.Int("y"), x0: f.Int("x0"), y0: f.Int("y0"), shift: f.Int("shift"),
		left: f.Int("left"), top: f.Int("top"), right: f.Int("right"), bottom: f.Int("bottom"),
		outer: f.Int("outer"), outers: f.Let(Int(0)),
	}
}

// pixel makes pixel i, of some bytes, by interpolate, which gets the address of the first one of
// four pixels, and the fractions of the place. A pixel that uses others outside of the source is
// left out.
func (s sampler) pixel(i Value, size int, interpolate func(at, fx, fy Value)) {
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
		at := s.Let(sum(s.pix, Do("i32.mul", row, s.stride), column.Times(size)))
		interpolate(at, fraction(px), fraction(py))
	})
	s.If(Do("i32.xor", inside, Int(1)), func() {
		s.Store("i32.store", sum(s.outer, s.outers.Times(4)), 0, i)
		s.Advance(s.outers, 1)
	})
}

// linear emits the functions that interpolate pixels. Those of portable Go define what they do.
func (b builder) linear() {
	b.linearGray()
	b.linearColor()
}

// linearGray emits the function for one channel. It makes eight pixels at a time if all of them
// are inside of the source, and others one by one.
func (b builder) linearGray() {
	const group = 8
	s := b.sampler("linearGray")
	i := s.Let(Int(0))
	splat := func(v Value) Value { return s.Let(Do("i32x4.splat", v)) }
	x0, y0 := splat(s.x0), splat(s.y0)
	left, top, right, bottom, stride := splat(s.left), splat(s.top), splat(s.right), splat(s.bottom), splat(s.stride)
	pix := splat(s.pix)
	s.While(Do("i32.lt_s", i, s.n), func() {
		end, made := s.Let(i.Plus(group)), s.Let(Int(0))
		s.If(Do("i32.le_s", end, s.n), func() {
			var at, fx, fy [2]Value // of four pixels each
			inside := s.Let(Do("i8x16.eq", zero, zero))
			for k := range at {
				place := func(list, first Value) Value {
					v := Load("v128.load", sum(list, i.Times(4)), 16*k)
					return s.Let(Do("i32x4.shr_s", Do("i32x4.add", first, v), s.shift))
				}
				px, py := place(s.x, x0), place(s.y, y0)
				column := s.Let(Do("i32x4.sub", Do("i32x4.shr_s", px, Int(placeBits)), left))
				row := s.Let(Do("i32x4.sub", Do("i32x4.shr_s", py, Int(placeBits)), top))
				s.Set(inside, reduce("v128.and", inside, Do("i32x4.lt_u", column, right), Do("i32x4.lt_u", row, bottom)))
				at[k] = s.Let(reduce("i32x4.add", pix, Do("i32x4.mul", row, stride), column))
				fraction := Do("i32x4.splat", Int(1<<placeBits-1))
				fx[k], fy[k] = s.Let(Do("v128.and", px, fraction)), s.Let(Do("v128.and", py, fraction))
			}
			s.Set(made, Do("i8x16.all_true", inside))
			s.If(made, func() {
				// Two pixels beside each other are the bytes of a word.
				upper, lower := zero, zero
				for j := range group {
					from := s.Let(Lane("i32x4.extract_lane", j%4, at[j/4]))
					upper = LoadWord(from, upper, j)
					lower = LoadWord(sum(from, s.stride), lower, j)
				}
				low, whole := words(func(int) int { return 0xff }), words(func(int) int { return 1 << placeBits })
				narrowed := func(v [2]Value) Value { return s.Let(Do("i16x8.narrow_i32x4_s", v[0], v[1])) }
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
					v := Do("i32x4.dot_i16x8_s", both(u, l), both(rest, y))
					return Do("i32x4.shr_s", Do("i32x4.add", v, Do("i32x4.splat", Int(1<<(weightBits-1)))), Int(weightBits))
				}
				pixels := s.Let(Do("i16x8.narrow_i32x4_s", half(0), half(8)))
				s.Store("i64.store", sum(s.to, i), 0, Lane("i64x2.extract_lane", 0, Do("i8x16.narrow_i16x8_u", pixels, pixels)))
				s.Set(i, end)
			})
		})
		s.If(Do("i32.xor", made, Int(1)), func() {
			s.Set(end, Do("select", end, s.n, Do("i32.lt_s", end, s.n)))
			s.While(Do("i32.lt_s", i, end), func() {
				s.pixel(i, 1, func(at, fx, fy Value) {
					mean := func(at Value) Value {
						first := Do("i32.mul", Do("i32.sub", Int(1<<placeBits), fx), Load("i32.load8_u", at, 0))
						return sum(first, Do("i32.mul", fx, Load("i32.load8_u", at, 1)))
					}
					first := Do("i32.mul", Do("i32.sub", Int(1<<placeBits), fy), mean(at))
					v := sum(first, Do("i32.mul", fy, mean(sum(at, s.stride))), Int(1<<(weightBits-1)))
					s.Store("i32.store8", sum(s.to, i), 0, Do("i32.shr_u", v, Int(weightBits)))
				})
				s.Advance(i, 1)
			})
		})
	})
	s.SetInt("outers", s.outers)
}

// linearColor emits the function for four channels.
func (b builder) linearColor() {
	s := b.sampler("linearColor")
	i := s.Let(Int(0))
	s.While(Do("i32.lt_s", i, s.n), func() {
		s.pixel(i, 4, func(at, fx, fy Value) {
			// weighted returns the channels of two pixels, times a weight.
			weighted := func(at, weight Value) Value {
				return Do("i16x8.mul", Load("v128.load8x8_u", at, 0), Do("i16x8.splat", weight))
			}
			rest := func(v Value) Value { return Do("i32.sub", Int(1<<placeBits), v) }
			rows := s.Let(Do("i16x8.add", weighted(at, rest(fy)), weighted(sum(at, s.stride), fy)))
			// The channels of both pixels are next to each other.
			pairs := Shuffle(rows, rows, func(i int) int { return i/4*2 + i%2 + i%4/2*8 })
			weights := Do("i32x4.splat", Do("i32.or", rest(fx), Do("i32.shl", fx, Int(16))))
			v := Do("i32x4.add", Do("i32x4.dot_i16x8_s", pairs, weights), Do("i32x4.splat", Int(1<<(weightBits-1))))
			v = s.Let(Do("i32x4.shr_s", v, Int(weightBits)))
			v = s.Let(Do("i16x8.narrow_i32x4_s", v, v))
			s.Store("i32.store", sum(s.to, i.Times(4)), 0, Lane("i32x4.extract_lane", 0, Do("i8x16.narrow_i16x8_u", v, v)))
		})
		s.Advance(i, 1)
	})
	s.SetInt("outers", s.outers)
}
