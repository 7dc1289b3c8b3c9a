package main

import (
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// down emits the function that makes rows of a level of a pyramid. Five rows are added up with the
// weights 1 4 6 4 1, to sums of words of even columns and of odd ones, and then five columns.
func (b builder) down() {
	const slice, group = 24, 16
	f := b.kernel("down", "downRun")
	var rows [5]Value
	for i := range rows {
		rows[i] = f.Part("i32.load", "rows", slice*i)
	}
	w, step, to, stride, left := f.Int("w"), f.Int("step"), f.Int("to"), f.Int("stride"), f.Int("n")
	out := f.Let(Do("i32.shr_u", w.Plus(1), Int(1)))
	odds := f.Let(Do("i32.and", w, Int(1)))
	// An even number, so that all groups begin with an even column. The rest is the last one.
	f.Set(w, Do("i32.sub", w, odds))
	const room = 16 // at both ends, for mirrored columns
	even := f.Let(f.Int("sums").Plus(room))
	odd := f.Let(sum(even, out.Times(2)).Plus(2 * room))
	f.While(left, func() {
		eachVector(f, w, group, func(x Value) {
			var pixels [5]Value
			for i, row := range rows {
				pixels[i] = f.Let(Load("v128.load", sum(row, x), 0))
			}
			low := words(func(int) int { return 0xff })
			for _, half := range []struct {
				sums  Value
				words func(v Value) Value
			}{
				{even, func(v Value) Value { return Do("v128.and", v, low) }},
				{odd, func(v Value) Value { return Do("i16x8.shr_u", v, Int(8)) }},
			} {
				var v [5]Value
				for i, p := range pixels {
					v[i] = f.Let(half.words(p))
				}
				f.Store("v128.store", sum(half.sums, x), 0, smoothed5(v[0], v[1], v[2], v[3], v[4]))
			}
		})
		// An even column is as many bytes from the first one as its number, and the odd one after it,
		// too. Columns -2 and -1 are mirrored, and those after the last one that are needed.
		mirror := func(sums, column, from Value) {
			f.Store("i32.store16", sum(sums, column), 0, Load("i32.load16_u", sum(sums, from), 0))
		}
		mirror(even, Int(-2), Int(2))
		mirror(odd, Int(-2), Int(0))
		f.If(odds, func() {
			v := Int(0)
			for i, weight := range []int{1, 4, 6, 4, 1} {
				v = sum(v, Load("i32.load8_u", sum(rows[i], w), 0).Times(weight))
			}
			f.Store("i32.store16", sum(even, w), 0, v)
			mirror(odd, w, w.Plus(-2))
			mirror(even, w.Plus(2), w.Plus(-2))
		})
		f.If(Do("i32.eqz", odds), func() { mirror(even, w, w.Plus(-2)) })
		eachVector(f, out, group, func(x Value) {
			at := f.Let(x.Times(2))
			evens, odds := f.Let(sum(even, at).Plus(-2)), f.Let(sum(odd, at).Plus(-2))
			f.Store("v128.store", sum(to, x), 0, narrow(func(i int) Value {
				column := func(sums Value, n int) Value { return Load("v128.load", sums, 16*i+2*n) }
				s := smoothed5(column(evens, 0), column(odds, 0), f.Let(column(evens, 1)), column(odds, 1), column(evens, 2))
				return Do("i16x8.shr_u", Do("i16x8.add", s, words(func(int) int { return 128 })), Int(8))
			}))
		})
		for _, row := range rows {
			f.Set(row, sum(row, step))
		}
		f.Set(to, sum(to, stride))
		f.Advance(left, -1)
	})
}

// smoothed5 returns the sum of words with the weights 1 4 6 4 1.
func smoothed5(a, b, c, d, e Value) Value {
	times := func(v Value, bits int) Value { return Do("i16x8.shl", v, Int(bits)) }
	return reduce("i16x8.add", a, e, times(reduce("i16x8.add", b, c, d), 2), times(c, 1))
}
