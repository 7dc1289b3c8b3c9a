package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// resize emits the functions that resize images.
func (f *neonFunction) resize() {
	f.halve("Gray")
	f.halve("Color")
	f.boxes()
	f.area()
	f.farther("Gray")
	f.farther("Color")
	for _, parts := range []int{1, 2, 8} {
		f.across(parts)
		f.both(parts)
	}
	f.down()
	f.nearestBytes()
}

// neonBlock is the number of values that are made at a time.
const neonBlock = neon.Bytes

// blocks emits a loop over the blocks of a row of n values. The last one ends with the row and may
// overlap the one before. What body emits is for the values from x on.
func (f *neonFunction) blocks(label string, n neon.R, body func(x neon.R)) {
	last, x := f.R(), f.R()
	f.SUB(neon.Imm(neonBlock), n, last)
	f.MOVD(neon.Imm(0), x)
	f.Loop(label)
	f.Scope(func() { body(x) })
	f.CMP(last, x)
	f.BEQ(label + "Done")
	f.ADD(neon.Imm(neonBlock), x)
	f.CMP(last, x)
	f.CSEL(neon.LT, x, last, x)
	f.JMP(label)
	f.Label(label + "Done")
	f.FreeR(last, x)
}

// store stores the values of a block from x on.
func (f *neonFunction) store(v neon.V, to, x neon.R) {
	p := f.R()
	f.ADD(x, to, p)
	f.FMOVQ(v, p.At(0))
	f.FreeR(p)
}

// halve emits the function that averages 2 by 2 pixels.
func (f *neonFunction) halve(channels string) {
	f.Begin("half" + channels)
	dst, src, n, rows := f.Field("dst"), f.Field("src"), f.Field("n"), f.Field("rows")
	dstStride, srcStride := f.Field("dstStride"), f.Field("srcStride")
	f.Label("row")
	f.blocks("pixels", n, func(x neon.R) {
		p := f.R()
		f.ADD(x.LSL(1), src, p)
		var pixels [2][2]neon.V // of both rows
		for i := range pixels {
			pixels[i] = [2]neon.V{f.V(), f.V()}
			f.FLDPQ(p.At(0), pixels[i][0], pixels[i][1])
			if i == 0 {
				f.ADD(srcStride, p)
			}
		}
		var sums [2]neon.V
		if channels == "Gray" {
			for i := range sums {
				sums[i] = f.V()
				f.ChangeTo(neon.PairsOfBytes, pixels[0][i], sums[i])
				f.ChangeTo(neon.AddPairsOfBytes, pixels[1][i], sums[i])
			}
		} else {
			sums = [2]neon.V{f.V(), f.V()}
			for i, row := range pixels {
				even, odd := f.V(), f.V()
				f.VUZP1(neon.S4, row[1], row[0], even)
				f.VUZP2(neon.S4, row[1], row[0], odd)
				if i == 0 {
					f.Multiply(neon.ByteSums, even, odd, sums[0])
					f.Multiply(neon.LastByteSums, even, odd, sums[1])
					continue
				}
				for _, v := range []neon.V{even, odd} {
					f.VUADDW(neon.B8, v, sums[0], sums[0])
					f.VUADDW2(neon.B16, v, sums[1], sums[1])
				}
			}
		}
		v := f.V()
		f.ChangeTo(neon.Without2, sums[0], v)
		f.ChangeTo(neon.LastWithout2, sums[1], v)
		f.store(v, dst, x)
	})
	f.ADD(dstStride, dst)
	f.ADD(srcStride.LSL(1), src)
	f.SUBS(neon.Imm(1), rows, rows)
	f.BNE("row")
	f.RET()
}

// A neonWindows is the registers with the tables of windows.
type neonWindows struct {
	*neonFunction
	bases, shuffle neon.R
}

func (f *neonFunction) windows() neonWindows {
	return neonWindows{f, f.Field("bases"), f.Field("shuffle")}
}

// next returns where the next window is in each of some rows.
func (w neonWindows) next(rows ...neon.R) []neon.R {
	base := w.R()
	w.MOVWU(w.bases.Post(4), base)
	list := []neon.R{base}
	for range rows[1:] {
		list = append(list, w.R())
	}
	for i := len(rows) - 1; i >= 0; i-- {
		w.ADD(base, rows[i], list[i])
	}
	return list
}

// index returns the next numbers of bytes.
func (w neonWindows) index() neon.V {
	v := w.V()
	w.FMOVQ(w.shuffle.Post(neon.Bytes), v)
	return v
}

// boxes emits the function that averages boxes of whole pixels.
func (f *neonFunction) boxes() {
	f.Begin("boxes")
	from, to, n := f.Field("from"), f.Field("to"), f.Len("to")
	stride, rows, w, scale := f.Field("stride"), f.Field("rows"), f.windows(), f.Broadcast("scale")
	f.blocks("pixels", n, func(x neon.R) {
		var values [4]neon.V
		for i := range values {
			sum := f.Zero()
			values[i] = sum
			f.Scope(func() {
				row, index, left, v := w.next(from)[0], w.index(), f.R(), f.V()
				f.MOVD(rows, left)
				label := fmt.Sprint("rows", i)
				f.Label(label)
				f.FMOVQ(row.At(0), v)
				f.ADD(stride, row)
				f.VTBL(neon.B16, index, []neon.V{v}, v)
				f.ChangeTo(neon.AddPairsOfBytes, v, sum)
				f.Repeat(label, left, 1)
			})
			f.ChangeTo(neon.PairsOfWords, sum, sum)
			f.ChangeTo(neon.ToFloat, sum, sum)
			f.DoTo(op.MulFloat, sum, scale, sum)
		}
		f.storeFloats(values, to, x)
	})
	f.RET()
}

// storeFloats rounds floats, which it overwrites, and stores them as the values of a block from x on. They
// are at most 255.
func (f *neonFunction) storeFloats(values [4]neon.V, to, x neon.R) {
	for _, v := range values {
		f.ChangeTo(neon.Round, v, v)
	}
	f.VUZP1(neon.H8, values[1], values[0], values[0])
	f.VUZP1(neon.H8, values[3], values[2], values[2])
	f.VUZP1(neon.B16, values[2], values[0], values[0])
	f.store(values[0], to, x)
}

// A neonAdder emits what adds sums along a row to those of the rows before.
type neonAdder struct {
	*neonFunction
	sums, to                     neon.R
	weight, next, scale, largest neon.V
}

func (f *neonFunction) adder() neonAdder {
	return neonAdder{f, f.Field("sums"), f.Field("to"), f.Broadcast("weight"), f.Broadcast("next"), f.Broadcast("scale"), f.Spread(neon.S4, 0x437f0000)} // 255
}

// block emits what adds the vectors of a block, which along returns, and if the row is the last one
// stores the values from x on.
func (a neonAdder) block(last bool, x neon.R, along func(i int) neon.V) {
	var values [4]neon.V
	for i := range values {
		v, before := along(i), a.Load(a.sums, 0)
		values[i] = a.Do(op.MulFloat, v, a.weight)
		a.DoTo(op.AddFloat, before, values[i], values[i])
		if last {
			a.DoTo(op.MulFloat, v, a.next, v)
			a.FMOVQ(v, a.sums.Post(neon.Bytes))
			a.DoTo(op.MulFloat, values[i], a.scale, values[i])
			a.Multiply(neon.MinFloats, values[i], a.largest, values[i])
		} else {
			a.FMOVQ(values[i], a.sums.Post(neon.Bytes))
		}
		a.FreeV(v, before)
	}
	if last {
		a.storeFloats(values, a.to, x)
	}
}

// loops emits the loops over the blocks of a row, for one that is not the last one and for one that is,
// and the ends of the function.
func (a neonAdder) loops(label string, along func(i int) neon.V) {
	n := a.Len("to")
	loop := func(label string, last bool) {
		a.blocks(label, n, func(x neon.R) { a.block(last, x, along) })
		a.RET()
	}
	a.CBNZ(n, label+"Last")
	a.MOVD(a.Place("sums").Offset(8), n) // the length
	loop(label+"Blocks", false)
	a.Label(label + "Last")
	loop(label+"LastBlocks", true)
	a.FreeR(n)
}

// area emits the function that adds areas of up to three or four pixels in a row.
func (f *neonFunction) area() {
	f.Begin("area")
	from, a, w, spread, taps := f.Field("from"), f.adder(), f.windows(), f.Field("spread"), f.Field("taps")
	mask := f.Spread(neon.S4, 255)
	variants := func(taps int) {
		a.loops(fmt.Sprint("taps", taps), func(int) neon.V {
			sum := f.V()
			f.Scope(func() {
				v := f.V()
				f.FMOVQ(w.next(from)[0].At(0), v)
				f.VTBL(neon.B16, w.index(), []neon.V{v}, v)
				f.products(v, mask, spread, sum, taps, true)
			})
			return sum
		})
	}
	f.CMP(neon.Imm(3), taps)
	f.BNE("four")
	variants(3)
	f.Label("four")
	variants(4)
}

// products sets sum to a sum of products, or adds them unless it is the first one: of the bytes of the
// numbers of 32 bits in v, the lowest one first, and of vectors of weights, which spread moves on by.
func (f *neonFunction) products(v, mask neon.V, spread neon.R, sum neon.V, taps int, first bool) {
	for k := range taps {
		f.Scope(func() {
			p, w := f.V(), f.V()
			f.FMOVQ(spread.Post(neon.Bytes), w)
			from := v
			if k > 0 {
				f.VUSHR(neon.S4, 8*k, v, p)
				from = p
			}
			if k < 3 {
				f.DoTo(op.And, from, mask, p)
			}
			f.ChangeTo(neon.ToFloat, p, p)
			if first && k == 0 {
				f.DoTo(op.MulFloat, p, w, sum)
				return
			}
			f.DoTo(op.MulFloat, p, w, p)
			f.DoTo(op.AddFloat, sum, p, sum)
		})
	}
}

// farther emits the function that adds areas of any number of pixels in a row: first the sums along the
// row, in rounds of four pixels, and then as area does.
func (f *neonFunction) farther(channels string) {
	f.Begin("farther" + channels)
	along := f.R()
	f.Scope(func() {
		from, bases, rounds, spread, vectors := f.Field("from"), f.Field("bases"), f.Field("rounds"), f.Field("spread"), f.Len("rounds")
		f.MOVD(f.Place("along"), along)
		mask := f.Spread(neon.S4, 255)
		windows := 4
		if channels == "Color" {
			windows = 1
		}
		f.Label("vector")
		left, sum := f.R(), f.Zero()
		f.MOVWU(rounds.Post(4), left)
		var at []neon.R
		for range windows {
			p := f.R()
			f.MOVWU(bases.Post(4), p)
			f.ADD(from, p)
			at = append(at, p)
		}
		f.Label("round")
		v := f.V()
		if channels == "Gray" {
			for i, p := range at {
				f.VLD1(p.Post(4), v.Element(neon.S4, i))
			}
			f.products(v, mask, spread, sum, 4, false)
		} else {
			weights := f.V()
			f.FMOVQ(at[0].Post(neon.Bytes), v)
			f.FMOVQ(spread.Post(neon.Bytes), weights)
			for k, p := range f.longs(v) {
				w := f.V()
				f.ChangeTo(neon.ToFloat, p, p)
				f.VDUPElement(neon.S4, weights.Element(neon.S4, k), w)
				f.DoTo(op.MulFloat, p, w, p)
				f.DoTo(op.AddFloat, sum, p, sum)
			}
		}
		f.Repeat("round", left, 1)
		f.FMOVQ(sum, along.Post(neon.Bytes))
		f.Repeat("vector", vectors, 1)
		f.MOVD(f.Place("along"), along)
	})

	f.Comment("The sums down the columns.")
	f.adder().loops("", func(int) neon.V {
		v := f.V()
		f.FMOVQ(along.Post(neon.Bytes), v)
		return v
	})
}

// longs returns the bytes of v as numbers of 32 bits.
func (f *neonFunction) longs(v neon.V) []neon.V {
	low, high := f.V(), f.V()
	f.VUXTL(neon.B8, v, low)
	f.VUXTL2(neon.B16, v, high)
	var list []neon.V
	for _, words := range []neon.V{low, high} {
		a, b := f.V(), f.V()
		f.VUXTL(neon.H4, words, a)
		f.VUXTL2(neon.H8, words, b)
		list = append(list, a, b)
	}
	return list
}

// A neonLiner emits what interpolates along rows, eight values at a time from a number of windows.
type neonLiner struct {
	neonWindows
	parts     int
	high, low neon.R
}

func (f *neonFunction) liner(parts int) neonLiner {
	return neonLiner{f.windows(), parts, f.Field("high"), f.Field("low")}
}

// next returns the next eight values of the lines of rows.
func (l neonLiner) next(rows ...neon.R) []neon.V {
	var lines []neon.V
	for range rows {
		lines = append(lines, l.V())
	}
	l.Scope(func() {
		pixels := make([]neon.V, len(rows))
		for i := range pixels {
			pixels[i] = l.V()
		}
		for part := range l.parts {
			l.Scope(func() {
				index := l.index()
				for i, p := range l.neonWindows.next(rows...) {
					v := l.V()
					l.FMOVQ(p.At(0), v)
					if part == 0 {
						l.VTBL(neon.B16, index, []neon.V{v}, pixels[i])
					} else {
						l.VTBX(neon.B16, index, []neon.V{v}, pixels[i])
					}
				}
			})
		}
		high, low := l.V(), l.V()
		l.FMOVQ(l.high.Post(neon.Bytes), high)
		l.FMOVQ(l.low.Post(neon.Bytes), low)
		for i, line := range lines {
			l.pairs(pixels[i], high, line)
			rest := l.V()
			l.pairs(pixels[i], low, rest)
			l.VUSHR(neon.H8, 4, rest, rest)
			l.DoTo(op.AddWord, line, rest, line)
		}
	})
	return lines
}

// pairs sets to to the sums of two neighboring products of bytes.
func (l neonLiner) pairs(x, y, to neon.V) {
	last := l.V()
	l.Multiply(neon.ByteProducts, x, y, to)
	l.Multiply(neon.LastByteProducts, x, y, last)
	l.VADDP(neon.H8, last, to, to)
	l.FreeV(last)
}

// suffix returns what the names of functions for a number of windows end with.
func suffix(parts int) string {
	if parts == 1 {
		return ""
	}
	return fmt.Sprint(parts)
}

// across emits the function that makes a line of a row.
func (f *neonFunction) across(parts int) {
	f.Begin("across" + suffix(parts))
	l, row, line, n := f.liner(parts), f.Field("upper"), f.Field("upperLine"), f.Len("upperLine")
	f.Loop("line")
	f.Scope(func() {
		f.FMOVQ(l.next(row)[0], line.Post(neon.Bytes))
	})
	f.Repeat("line", n, neon.Bytes/2)
	f.RET()
}

// A neonBlender emits what interpolates down columns.
type neonBlender struct {
	*neonFunction
	above, below neon.V
}

func (f *neonFunction) blender() neonBlender {
	words := func(name string) neon.V {
		r, v := f.R(), f.V()
		f.MOVWU(f.Place(name), r)
		f.VDUP(neon.H8, r, v)
		f.FreeR(r)
		return v
	}
	return neonBlender{f, words("above"), words("below")}
}

// blend sets upper to what lies between two lines, as words without 2 bits.
func (b neonBlender) blend(upper, lower neon.V) {
	for _, v := range []struct{ line, weight neon.V }{{upper, b.above}, {lower, b.below}} {
		b.Multiply(neon.DoubleUpperWords, v.line, v.weight, v.line)
		b.VUSHR(neon.H8, 1, v.line, v.line)
	}
	b.DoTo(op.AddWord, upper, lower, upper)
}

// rows emits the loop that makes a row of dst of vectors that lie between lines, which next returns.
func (b neonBlender) rows(next func() (upper, lower neon.V)) {
	to, n := b.Field("to"), b.Len("to")
	b.blocks("pixels", n, func(x neon.R) {
		out := b.V()
		for _, narrow := range []neon.Unary{neon.Without2, neon.LastWithout2} {
			b.Scope(func() {
				upper, lower := next()
				b.blend(upper, lower)
				b.ChangeTo(narrow, upper, out)
			})
		}
		b.store(out, to, x)
	})
	b.RET()
}

// both emits the function that makes a row of two rows.
func (f *neonFunction) both(parts int) {
	f.Begin("both" + suffix(parts))
	l, upper, lower := f.liner(parts), f.Field("upper"), f.Field("lower")
	f.blender().rows(func() (neon.V, neon.V) {
		lines := l.next(upper, lower)
		return lines[0], lines[1]
	})
}

// down emits the function that makes a row of two lines.
func (f *neonFunction) down() {
	f.Begin("down")
	upper, lower := f.Field("upperLine"), f.Field("lowerLine")
	f.blender().rows(func() (neon.V, neon.V) {
		a, b := f.V(), f.V()
		f.FMOVQ(upper.Post(neon.Bytes), a)
		f.FMOVQ(lower.Post(neon.Bytes), b)
		return a, b
	})
}

// nearestBytes emits the function that takes bytes of rows, eight at a time from a window.
func (f *neonFunction) nearestBytes() {
	f.Begin("nearestBytes")
	from, to, n, w := f.Field("from"), f.Field("to"), f.Len("to"), f.windows()
	f.blocks("pixels", n, func(x neon.R) {
		p := f.R()
		f.ADD(x, to, p)
		for range 2 {
			f.Scope(func() {
				v, index := f.V(), f.V()
				f.FMOVQ(w.next(from)[0].At(0), v)
				f.FMOVD(w.shuffle.Post(8), index)
				f.VTBL(neon.B8, index, []neon.V{v}, v)
				f.FMOVD(v, p.Post(8))
			})
		}
	})
	f.RET()
}
