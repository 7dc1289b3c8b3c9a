package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/moment"
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonFunction is a function for NEON.
type neonFunction struct{ neon.Function }

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	a.Table("byteBits", bytes(func(i int) uint8 { return 1 << (i % 8) }))
	a.Table("sevenWords", bytes(func(i int) uint8 {
		if i < 14 {
			return 0xff
		}
		return 0
	}))
	f := &neonFunction{neon.Function{Assembler: a}}
	f.resize()
	f.smooth()
	f.harris()
	f.moments()
	f.sample()
	f.compare()
}

// bytes returns a table of the size of a vector.
func bytes(value func(i int) uint8) []byte {
	table := make([]byte, neon.Bytes)
	for i := range table {
		table[i] = value(i)
	}
	return table
}

// smooth emits smoothNEON, which smooths rows of 8 pixels in two halves.
func (f *neonFunction) smooth() {
	f.Begin("smooth")
	src, stride := f.Field("src"), f.Field("stride")
	dst, dstStride := f.Field("dst"), f.Field("dstStride")
	rows, all, p := f.Field("rows"), f.Field("weights"), f.R()
	var weights [taps/2 + 1]neon.V // from the middle on
	for i := range weights {
		weights[i] = f.V()
		f.ADD(neon.Imm(4*(taps/2+i)), all, p)
		f.VLD1R(neon.S4, p.At(0), weights[i])
	}
	weight := func(i int) neon.V { return weights[max(i-taps/2, taps/2-i)] }

	var lines [taps][2]neon.V
	for i := range lines {
		lines[i] = [2]neon.V{f.V(), f.V()}
	}
	line := func(i int) [2]neon.V { return lines[(i+taps)%taps] }
	// next makes the sums of the next row.
	next := func(sums [2]neon.V) {
		f.Scope(func() {
			// The first 8 of the 14 pixels, and the last 8.
			first, last := f.V(), f.V()
			f.FMOVD(src.At(0), first)
			f.FMOVD(src.At(taps-1), last)
			f.ADD(stride, src)
			var pixels [4]neon.V
			for i, v := range []neon.V{first, last} {
				f.VUXTL(neon.B8, v, v)
				if i == 1 {
					f.VEXT(4, v, v, v) // from the ninth on
				}
				pixels[2*i], pixels[2*i+1] = f.V(), v
				f.VUXTL(neon.H4, v, pixels[2*i])
				f.VUXTL2(neon.H8, v, pixels[2*i+1])
			}
			for _, v := range pixels {
				f.ChangeTo(neon.UnsignedToFloat, v, v)
			}
			from := f.V()
			for i := range taps {
				for half, sum := range sums {
					v := pixels[(i+4*half)/4]
					if i%4 > 0 {
						f.VEXT(4*(i%4), pixels[(i+4*half)/4+1], v, from)
						v = from
					}
					if i == 0 {
						f.DoTo(op.MulFloat, v, weight(i), sum)
					} else {
						f.VFMLA(neon.S4, weight(i), v, sum)
					}
				}
			}
		})
	}
	missing := f.R()
	f.MOVD(neon.Imm(taps-1), missing)
	f.Comment("The sums along the next row, and then the sums down the columns.")
	f.Loop("rows")
	for i := range taps {
		next(line(i + taps - 1))
		f.SUBS(neon.Imm(1), missing, missing)
		f.BGE(fmt.Sprint("next", i))
		f.Scope(func() {
			var out [2]neon.V
			pair := f.V()
			for half := range out {
				at := func(d int) neon.V { return line(i + taps/2 + d)[half] }
				out[half] = f.Do(op.MulFloat, weight(taps/2), at(0))
				for d := 1; d <= taps/2; d++ {
					f.DoTo(op.AddFloat, at(d), at(-d), pair)
					f.VFMLA(neon.S4, weight(taps/2+d), pair, out[half])
				}
				f.ChangeTo(neon.Round, out[half], out[half])
			}
			// No sum exceeds 255, because the weights add up to 1.
			f.VUZP1(neon.H8, out[1], out[0], pair)
			f.VUZP1(neon.B16, pair, pair, pair)
			f.FMOVD(pair, dst.At(0))
		})
		f.ADD(dstStride, dst)
		f.SUBS(neon.Imm(1), rows, rows)
		f.BEQ("done")
		f.Label(fmt.Sprint("next", i))
	}
	f.JMP("rows")
	f.Label("done")
	f.RET()
}

// neonPlaces are the registers that turn the places of a pattern.
type neonPlaces struct {
	*neonFunction
	xs, ys           neon.R
	cos, sin, stride neon.V
}

// newPlaces loads the fields of a sampleRun.
func (f *neonFunction) newPlaces() neonPlaces {
	return neonPlaces{f, f.Field("xs"), f.Field("ys"), f.Broadcast("cos"), f.Broadcast("sin"), f.Broadcast("stride")}
}

// offsets returns the offsets of the pixels of four places, from the one of that number on,
// in pairs of 32 bits each.
func (p neonPlaces) offsets(place int) [2]neon.R {
	pairs := [2]neon.R{p.R(), p.R()}
	p.Scope(func() {
		p.Comment("No operations are fused, so each is rounded.")
		x, y := p.Load(p.xs, 4*place), p.Load(p.ys, 4*place)
		column, row, product := p.Do(op.MulFloat, x, p.cos), p.Do(op.MulFloat, x, p.sin), p.Do(op.MulFloat, y, p.sin)
		p.DoTo(op.SubFloat, column, product, column)
		p.DoTo(op.MulFloat, y, p.cos, product)
		p.DoTo(op.AddFloat, row, product, row)
		p.ChangeTo(neon.Round, column, column)
		p.ChangeTo(neon.Round, row, row)
		p.Multiply(neon.AddLongProducts, row, p.stride, column)
		p.FMOVD(column, pairs[0])
		p.VMOVElement(column.Element(neon.D2, 1), pairs[1])
	})
	return pairs
}

// advance moves on by n places.
func (p neonPlaces) advance(n int) {
	p.ADD(neon.Imm(4*n), p.xs)
	p.ADD(neon.Imm(4*n), p.ys)
}

// pixel returns a register with the pixel at offset i of four. The odd offsets are in the
// upper halves of their pairs.
func (p neonPlaces) pixel(pix neon.R, offsets [2]neon.R, i int) neon.R {
	v := p.R()
	if i%2 == 0 {
		p.ADD(offsets[i/2].SXTW(), pix, v)
	} else {
		p.ADD(offsets[i/2].ASR(32), pix, v)
	}
	p.MOVBU(v.At(0), v)
	return v
}

// keypoint returns a pointer to the pixel of the keypoint of a sampleRun.
func (f *neonFunction) keypoint() neon.R {
	pix, at := f.Field("pix"), f.Field("at")
	f.ADD(at, pix)
	f.FreeR(at)
	return pix
}

// sample emits sampleNEON.
func (f *neonFunction) sample() {
	f.Begin("sample")
	pix, values, n := f.keypoint(), f.Field("values"), f.Len("xs")
	p := f.newPlaces()
	f.Comment("The pixels of four places.")
	f.Loop("places")
	f.Scope(func() {
		offsets := p.offsets(0)
		f.Comment("The values of both places of 32 pairs.")
		for i := range 4 {
			v := p.pixel(pix, offsets, i)
			f.MOVB(v, values.At(i))
			f.FreeR(v)
		}
	})
	p.advance(4)
	f.ADD(neon.Imm(4), values)
	f.Repeat("places", n, 4)
	f.RET()
}

// compare emits compareNEON. It begins with the last pairs, since the bits that are shifted
// into a word first end up highest.
func (f *neonFunction) compare() {
	const word = 64
	f.Begin("compare")
	pix, desc := f.keypoint(), f.Field("desc")
	p := f.newPlaces()
	p.advance(pairs - 4)
	words, left, bits := f.R(), f.R(), f.R()
	f.MOVD(neon.Imm(pairs/word), words)
	f.Comment("The bits of a word.")
	f.Label("word")
	f.MOVD(neon.Imm(word), left)
	f.Loop("pairs")
	f.Scope(func() {
		first, second := p.offsets(0), p.offsets(pairs)
		for i := 3; i >= 0; i-- {
			a, b := p.pixel(pix, first, i), p.pixel(pix, second, i)
			f.CMP(b, a) // carries unless less
			f.ADC(bits, bits, bits)
			f.FreeR(a, b)
		}
	})
	p.advance(-4)
	f.Repeat("pairs", left, 4)
	f.MVN(bits, left)
	f.SUBS(neon.Imm(1), words, words)
	f.MOVD(left, desc.Index(words, 3))
	f.BNE("word")
	f.RET()
}

// resize emits resizeNEON, for windows of 8 pixels.
func (f *neonFunction) resize() {
	f.Begin("resize")
	src, srcStride := f.Field("src"), f.Field("srcStride")
	dst, dstStride, length := f.Field("dst"), f.Field("dstStride"), f.Len("even")
	taps, rows, next := f.Field("rows"), f.Len("rows"), f.Field("next")
	lines := [2]neon.R{f.Field("even"), f.Field("odd")}
	bias, sign, p := f.Broadcast("bias"), f.V(), f.R()
	f.MOVD(neon.Bits(0x8000), p)
	f.VDUP(neon.H8, p, sign)
	// line makes p the line of a row.
	line := func(row, p neon.R) {
		f.TST(neon.Imm(1), row)
		f.CSEL(neon.EQ, lines[0], lines[1], p)
	}
	first, second, left := f.R(), f.R(), f.R()

	f.Comment("The lines of both rows that a row is made of, unless they are there already.")
	f.Label("row")
	f.MOVW(taps.Field("tap_first"), first)
	f.MOVW(taps.Field("tap_second"), second)
	f.CMP(first, next)
	f.CSEL(neon.LT, first, next, next)
	f.Label("lines")
	f.CMP(second, next)
	f.BGT("blend")
	f.Scope(func() {
		f.Comment("A window of a row gives 8 pixels, each of two bytes.")
		row, out := f.R(), f.R()
		f.MADD(srcStride, src, next, row)
		line(next, out)
		bases, shuffles, weights := f.Field("bases"), f.Field("shuffles"), f.Field("weights")
		f.MOVD(length, left)
		f.Loop("window")
		f.MOVW(bases.Post(4), p)
		f.ADD(row, p)
		window, shuffle, weight, product := f.Load(p, 0), f.V(), f.V(), f.V()
		f.FMOVQ(shuffles.Post(16), shuffle)
		f.FMOVQ(weights.Post(16), weight)
		f.VTBL(neon.B16, shuffle, []neon.V{window}, window)
		f.Multiply(neon.ByteProducts, window, weight, product)
		f.Multiply(neon.LastByteProducts, window, weight, window)
		f.VADDP(neon.H8, window, product, product)
		f.DoTo(op.Xor, product, sign, product)
		f.FMOVQ(product, out.Post(16))
		f.Repeat("window", left, 8)
	})
	f.ADD(neon.Imm(1), next)
	f.JMP("lines")

	f.Comment("Their weighted sum.")
	f.Label("blend")
	f.Scope(func() {
		from, weights := [2]neon.R{f.R(), f.R()}, [2]neon.V{f.V(), f.V()}
		for i, row := range []neon.R{first, second} {
			line(row, from[i])
			f.MOVHU(taps.Field("tap_weights").Offset(2*i), p)
			f.VDUP(neon.H8, p, weights[i])
		}
		f.MOVD(length, left)
		f.MOVD(dst, p)
		f.Loop("pixels")
		var sums [4]neon.V
		for i := range sums {
			sums[i] = f.V()
			f.VMOV(bias, sums[i])
		}
		for i := range from {
			a, b := f.V(), f.V()
			f.FLDPQ(from[i].Post(32), a, b)
			for half, v := range []neon.V{a, b} {
				f.Multiply(neon.AddProducts, v, weights[i], sums[2*half])
				f.Multiply(neon.AddLastProducts, v, weights[i], sums[2*half+1])
			}
		}
		for i := 0; i < 4; i += 2 {
			f.VUZP2(neon.H8, sums[i+1], sums[i], sums[i])
		}
		f.VUZP1(neon.B16, sums[2], sums[0], sums[0])
		f.FMOVQ(sums[0], p.Post(16))
		f.Repeat("pixels", left, 16)
	})
	f.ADD(dstStride, dst)
	f.ADD(neon.Const("tap__size"), taps)
	f.Repeat("row", rows, 1)
	f.MOVD(next, f.Place("next"))
	f.RET()
}

// harris emits harrisNEON.
func (f *neonFunction) harris() {
	f.Begin("harris")
	pix, stride := f.Field("pix"), f.Field("stride")
	corners, n, sums := f.Field("corners"), f.Len("corners"), f.Field("sums")
	corner := f.Element("corners") // package fast's, of which go_asm.h has no symbols
	seven := f.LoadTable("sevenWords")
	at, x := f.R(), f.R()
	f.Comment("The window of a corner.")
	f.Loop("corner")
	f.MOVW(corners.At(layout.Offset(corner, "Y")), at)
	f.MOVW(corners.At(layout.Offset(corner, "X")), x)
	f.ADD(neon.Imm(layout.Size(corner)), corners)
	f.SUB(neon.Imm(4), at)
	f.MADD(stride, pix, at, at)
	f.ADD(x, at)
	f.SUB(neon.Imm(4), at)
	var totals [3][2]neon.V
	for k := range totals {
		for i := range totals[k] {
			totals[k][i] = f.Zero()
		}
	}
	// The differences and the weighted sums of the pixels of each row, and the sums of the
	// differences of two rows.
	var differences, smooth, pairs [9]neon.V
	for i := range differences {
		var pixels [3]neon.V
		pixels[0] = f.V()
		f.FMOVQ(at.At(0), pixels[0])
		f.ADD(stride, at)
		for j := 1; j < 3; j++ {
			pixels[j] = f.V()
			f.VEXT(j, pixels[0], pixels[0], pixels[j])
		}
		for _, v := range pixels {
			f.VUXTL(neon.B8, v, v)
		}
		differences[i] = f.Do(op.SubWord, pixels[2], pixels[0])
		smooth[i] = f.Do(op.AddWord, pixels[0], pixels[2])
		f.DoTo(op.AddWord, pixels[1], pixels[1], pixels[1])
		f.DoTo(op.AddWord, smooth[i], pixels[1], smooth[i])
		// The last one of 8 columns does not belong to the window.
		f.DoTo(op.And, differences[i], seven, differences[i])
		f.DoTo(op.And, smooth[i], seven, smooth[i])
		f.FreeV(pixels[:]...)
		if i == 0 {
			continue
		}
		pairs[i] = f.Do(op.AddWord, differences[i-1], differences[i])
		f.FreeV(differences[i-1])
		if i == 1 {
			continue
		}
		g := [2]neon.V{pairs[i-1], smooth[i-2]}
		f.DoTo(op.AddWord, g[0], pairs[i], g[0])
		f.DoTo(op.SubWord, smooth[i], g[1], g[1])
		for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
			f.Multiply(neon.AddProducts, g[factors[0]], g[factors[1]], totals[k][0])
			f.Multiply(neon.AddLastProducts, g[factors[0]], g[factors[1]], totals[k][1])
		}
		f.FreeV(g[:]...)
	}
	f.Comment("The sums of all columns.")
	for k, field := range []string{"xx", "yy", "xy"} {
		total := totals[k]
		f.DoTo(op.AddLong, total[0], total[1], total[0])
		f.VADDV(neon.S4, total[0], total[0])
		f.FMOVS(total[0], sums.Field("harrisSums_"+field))
	}
	f.ADD(neon.Const("harrisSums__size"), sums)
	f.Repeat("corner", n, 1)
	f.RET()
}

// moments emits momentsNEON.
func (f *neonFunction) moments() {
	f.Begin("moments")
	pix, stride := f.Field("pix"), f.Field("stride")
	weights, rows := f.Field("weights"), f.Len("weights")
	sums := moment.New(&f.Function)
	f.Comment("The weighted sums of a row.")
	f.Loop("row")
	pixels := [2]neon.V{f.V(), f.V()}
	f.FLDPQ(pix.At(0), pixels[0], pixels[1])
	f.ADD(stride, pix)
	for i, v := range pixels {
		sums.Add(&f.Function, v, weights, neon.Bytes*i, 2*neon.Bytes)
	}
	f.ADD(neon.Imm(4*neon.Bytes), weights)
	f.Repeat("row", rows, 1)
	sums.Return(&f.Function)
}
