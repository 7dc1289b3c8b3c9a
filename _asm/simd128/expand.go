package main

import (
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// expand emits the function that maps luma from the limited to the full range, sixteen values at a
// time. With 16 subtracted it grows by 36/219 of itself, rounded: no value is in the middle between
// two integers, and 5387/32768 is near enough to round each as the fraction does. What is below 0 or
// above 255 is limited when the words become bytes.
func (b builder) expand() {
	const group = 16
	f := b.kernel("expand", "grayRun")
	dst, src, left := f.Int("dst"), f.Int("src"), f.Len("src")
	black, growth := words(func(int) int { return 16 }), words(func(int) int { return 5387 })
	half := func(offset int) Value {
		v := f.Let(Do("i16x8.sub", Load("v128.load8x8_u", src, offset), black))
		return Do("i16x8.add", v, Do("i16x8.q15mulr_sat_s", v, growth))
	}
	f.Set(left, Do("i32.shr_u", left, Int(4)))
	f.While(left, func() {
		f.Store("v128.store", dst, 0, Do("i8x16.narrow_i16x8_u", half(0), half(8)))
		f.Advance(dst, group)
		f.Advance(src, group)
		f.Advance(left, -1)
	})
}
