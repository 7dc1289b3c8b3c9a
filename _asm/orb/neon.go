package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/neon"
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
	f.readPatch()
	f.comparePatch()
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
		f.I("ADD $%d, %v, %v", 4*(taps/2+i), all, p)
		f.I("VLD1R (%v), [%v.S4]", p, weights[i])
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
			f.I("FMOVD (%v), F%d", src, first)
			f.I("FMOVD %d(%v), F%d", taps-1, src, last)
			f.I("ADD %v, %v", stride, src)
			var pixels [4]neon.V
			for i, v := range []neon.V{first, last} {
				f.I("VUXTL %v.B8, %v.H8", v, v)
				if i == 1 {
					f.I("VEXT $4, %v.B16, %v.B16, %v.B16 // from the ninth on", v, v, v)
				}
				pixels[2*i], pixels[2*i+1] = f.V(), v
				f.I("VUXTL %v.H4, %v.S4", v, pixels[2*i])
				f.I("VUXTL2 %v.H8, %v.S4", v, pixels[2*i+1])
			}
			for _, v := range pixels {
				f.ChangeTo(neon.UnsignedToFloat, v, v)
			}
			from := f.V()
			for i := range taps {
				for half, sum := range sums {
					v := pixels[(i+4*half)/4]
					if i%4 > 0 {
						f.I("VEXT $%d, %v.B16, %v.B16, %v.B16", 4*(i%4), pixels[(i+4*half)/4+1], v, from)
						v = from
					}
					if i == 0 {
						f.DoTo(neon.MulFloat, v, weight(i), sum)
					} else {
						f.I("VFMLA %v.S4, %v.S4, %v.S4", weight(i), v, sum)
					}
				}
			}
		})
	}
	missing := f.R()
	f.I("MOVD $%d, %v", taps-1, missing)
	f.I("PCALIGN $32")
	f.Label("rows")
	for i := range taps {
		next(line(i + taps - 1))
		f.I("SUBS $1, %v, %v", missing, missing)
		f.I("BGE next%d", i)
		f.Scope(func() {
			var out [2]neon.V
			pair := f.V()
			for half := range out {
				at := func(d int) neon.V { return line(i + taps/2 + d)[half] }
				out[half] = f.Do(neon.MulFloat, weight(taps/2), at(0))
				for d := 1; d <= taps/2; d++ {
					f.DoTo(neon.AddFloat, at(d), at(-d), pair)
					f.I("VFMLA %v.S4, %v.S4, %v.S4", weight(taps/2+d), pair, out[half])
				}
				f.ChangeTo(neon.Round, out[half], out[half])
			}
			// No sum exceeds 255, because the weights add up to 1.
			f.I("VUZP1 %v.H8, %v.H8, %v.H8", out[1], out[0], pair)
			f.I("VUZP1 %v.B16, %v.B16, %v.B16", pair, pair, pair)
			f.I("FMOVD F%d, (%v)", pair, dst)
		})
		f.I("ADD %v, %v", dstStride, dst)
		f.I("SUBS $1, %v, %v", rows, rows)
		f.I("BEQ done")
		f.Label(fmt.Sprint("next", i))
	}
	f.I("JMP rows")
	f.Label("done")
	f.I("RET")
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
		// No operations are fused, so each is rounded.
		x, y := p.Load(p.xs, 4*place), p.Load(p.ys, 4*place)
		column, row, product := p.Do(neon.MulFloat, x, p.cos), p.Do(neon.MulFloat, x, p.sin), p.Do(neon.MulFloat, y, p.sin)
		p.DoTo(neon.SubFloat, column, product, column)
		p.DoTo(neon.MulFloat, y, p.cos, product)
		p.DoTo(neon.AddFloat, row, product, row)
		p.ChangeTo(neon.Round, column, column)
		p.ChangeTo(neon.Round, row, row)
		p.Multiply(neon.AddLongProducts, row, p.stride, column)
		p.I("FMOVD F%d, %v", column, pairs[0])
		p.I("VMOV %v.D[1], %v", column, pairs[1])
	})
	return pairs
}

// advance moves on by n places.
func (p neonPlaces) advance(n int) {
	p.I("ADD $%d, %v", 4*n, p.xs)
	p.I("ADD $%d, %v", 4*n, p.ys)
}

// pixel returns a register with the pixel at offset i of four. The odd offsets are in the
// upper halves of their pairs.
func (p neonPlaces) pixel(pix neon.R, offsets [2]neon.R, i int) neon.R {
	v := p.R()
	if i%2 == 0 {
		p.I("ADD %v.SXTW, %v, %v", offsets[i/2], pix, v)
	} else {
		p.I("ADD %v->32, %v, %v", offsets[i/2], pix, v)
	}
	p.I("MOVBU (%v), %v", v, v)
	return v
}

// keypoint returns a pointer to the pixel of the keypoint of a sampleRun.
func (f *neonFunction) keypoint() neon.R {
	pix, at := f.Field("pix"), f.Field("at")
	f.I("ADD %v, %v", at, pix)
	f.FreeR(at)
	return pix
}

// sample emits sampleNEON.
func (f *neonFunction) sample() {
	f.Begin("sample")
	pix, values, n := f.keypoint(), f.Field("values"), f.Len("xs")
	p := f.newPlaces()
	f.I("PCALIGN $32")
	f.Label("places")
	f.Scope(func() {
		offsets := p.offsets(0)
		for i := range 4 {
			v := p.pixel(pix, offsets, i)
			f.I("MOVB %v, %d(%v)", v, i, values)
			f.FreeR(v)
		}
	})
	p.advance(4)
	f.I("ADD $4, %v", values)
	f.I("SUBS $4, %v, %v", n, n)
	f.I("BNE places")
	f.I("RET")
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
	f.I("MOVD $%d, %v", pairs/word, words)
	f.Label("word")
	f.I("MOVD $%d, %v", word, left)
	f.I("PCALIGN $32")
	f.Label("pairs")
	f.Scope(func() {
		first, second := p.offsets(0), p.offsets(pairs)
		for i := 3; i >= 0; i-- {
			a, b := p.pixel(pix, first, i), p.pixel(pix, second, i)
			f.I("CMP %v, %v // carries unless less", b, a)
			f.I("ADC %v, %v, %v", bits, bits, bits)
			f.FreeR(a, b)
		}
	})
	p.advance(-4)
	f.I("SUBS $4, %v, %v", left, left)
	f.I("BNE pairs")
	f.I("MVN %v, %v", bits, left)
	f.I("SUBS $1, %v, %v", words, words)
	f.I("MOVD %v, (%v)(%v<<3)", left, desc, words)
	f.I("BNE word")
	f.I("RET")
}

// resize emits resizeNEON, for windows of 8 pixels.
func (f *neonFunction) resize() {
	f.Begin("resize")
	src, srcStride := f.Field("src"), f.Field("srcStride")
	dst, dstStride, length := f.Field("dst"), f.Field("dstStride"), f.Len("even")
	taps, rows, next := f.Field("rows"), f.Len("rows"), f.Field("next")
	lines := [2]neon.R{f.Field("even"), f.Field("odd")}
	bias, sign, p := f.Broadcast("bias"), f.V(), f.R()
	f.I("MOVD $0x8000, %v", p)
	f.I("VDUP %v, %v.H8", p, sign)
	// line makes p the line of a row.
	line := func(row, p neon.R) {
		f.I("TST $1, %v", row)
		f.I("CSEL EQ, %v, %v, %v", lines[0], lines[1], p)
	}
	first, second, left := f.R(), f.R(), f.R()

	f.Label("row")
	f.I("MOVW tap_first(%v), %v", taps, first)
	f.I("MOVW tap_second(%v), %v", taps, second)
	f.I("CMP %v, %v", first, next)
	f.I("CSEL LT, %v, %v, %v", first, next, next)
	f.Label("lines")
	f.I("CMP %v, %v", second, next)
	f.I("BGT blend")
	f.Scope(func() {
		// A window of a row gives 8 pixels, each of two bytes.
		row, out := f.R(), f.R()
		f.I("MADD %v, %v, %v, %v", srcStride, src, next, row)
		line(next, out)
		bases, shuffles, weights := f.Field("bases"), f.Field("shuffles"), f.Field("weights")
		f.I("MOVD %v, %v", length, left)
		f.I("PCALIGN $32")
		f.Label("window")
		f.I("MOVW.P 4(%v), %v", bases, p)
		f.I("ADD %v, %v", row, p)
		window, shuffle, weight, product := f.Load(p, 0), f.V(), f.V(), f.V()
		f.I("FMOVQ.P 16(%v), F%d", shuffles, shuffle)
		f.I("FMOVQ.P 16(%v), F%d", weights, weight)
		f.I("VTBL %v.B16, [%v.B16], %v.B16", shuffle, window, window)
		f.Multiply(neon.ByteProducts, window, weight, product)
		f.Multiply(neon.LastByteProducts, window, weight, window)
		f.I("VADDP %v.H8, %v.H8, %v.H8", window, product, product)
		f.DoTo(neon.Xor, product, sign, product)
		f.I("FMOVQ.P F%d, 16(%v)", product, out)
		f.I("SUBS $8, %v, %v", left, left)
		f.I("BNE window")
	})
	f.I("ADD $1, %v", next)
	f.I("JMP lines")

	f.Label("blend")
	f.Scope(func() {
		from, weights := [2]neon.R{f.R(), f.R()}, [2]neon.V{f.V(), f.V()}
		for i, row := range []neon.R{first, second} {
			line(row, from[i])
			f.I("MOVHU tap_weights+%d(%v), %v", 2*i, taps, p)
			f.I("VDUP %v, %v.H8", p, weights[i])
		}
		f.I("MOVD %v, %v", length, left)
		f.I("MOVD %v, %v", dst, p)
		f.I("PCALIGN $32")
		f.Label("pixels")
		var sums [4]neon.V
		for i := range sums {
			sums[i] = f.V()
			f.I("VMOV %v.B16, %v.B16", bias, sums[i])
		}
		for i := range from {
			a, b := f.V(), f.V()
			f.I("FLDPQ.P 32(%v), (F%d, F%d)", from[i], a, b)
			for half, v := range []neon.V{a, b} {
				f.Multiply(neon.AddProducts, v, weights[i], sums[2*half])
				f.Multiply(neon.AddLastProducts, v, weights[i], sums[2*half+1])
			}
		}
		for i := 0; i < 4; i += 2 {
			f.I("VUZP2 %v.H8, %v.H8, %v.H8", sums[i+1], sums[i], sums[i])
		}
		f.I("VUZP1 %v.B16, %v.B16, %v.B16", sums[2], sums[0], sums[0])
		f.I("FMOVQ.P F%d, 16(%v)", sums[0], p)
		f.I("SUBS $16, %v, %v", left, left)
		f.I("BNE pixels")
	})
	f.I("ADD %v, %v", dstStride, dst)
	f.I("ADD $tap__size, %v", taps)
	f.I("SUBS $1, %v, %v", rows, rows)
	f.I("BNE row")
	f.I("MOVD %v, %s", next, f.Place("next"))
	f.I("RET")
}

// harris emits harrisNEON.
func (f *neonFunction) harris() {
	f.Begin("harris")
	pix, stride := f.Field("pix"), f.Field("stride")
	corners, n, sums := f.Field("corners"), f.Len("corners"), f.Field("sums")
	corner := f.Element("corners") // package fast's, of which go_asm.h has no symbols
	seven := f.LoadTable("sevenWords")
	at, x := f.R(), f.R()
	f.I("PCALIGN $32")
	f.Label("corner")
	f.I("MOVW %d(%v), %v", layout.Offset(corner, "Y"), corners, at)
	f.I("MOVW %d(%v), %v", layout.Offset(corner, "X"), corners, x)
	f.I("ADD $%d, %v", layout.Size(corner), corners)
	f.I("SUB $4, %v", at)
	f.I("MADD %v, %v, %v, %v", stride, pix, at, at)
	f.I("ADD %v, %v", x, at)
	f.I("SUB $4, %v", at)
	var totals [3][2]neon.V
	for k := range totals {
		for i := range totals[k] {
			totals[k][i] = f.V()
			f.I("VMOVI $0, %v.B16", totals[k][i])
		}
	}
	// The differences and the weighted sums of the pixels of each row, and the sums of the
	// differences of two rows.
	var differences, smooth, pairs [9]neon.V
	for i := range differences {
		var pixels [3]neon.V
		pixels[0] = f.V()
		f.I("FMOVQ (%v), F%d", at, pixels[0])
		f.I("ADD %v, %v", stride, at)
		for j := 1; j < 3; j++ {
			pixels[j] = f.V()
			f.I("VEXT $%d, %v.B16, %v.B16, %v.B16", j, pixels[0], pixels[0], pixels[j])
		}
		for _, v := range pixels {
			f.I("VUXTL %v.B8, %v.H8", v, v)
		}
		differences[i] = f.Do(neon.SubWord, pixels[2], pixels[0])
		smooth[i] = f.Do(neon.AddWord, pixels[0], pixels[2])
		f.DoTo(neon.AddWord, pixels[1], pixels[1], pixels[1])
		f.DoTo(neon.AddWord, smooth[i], pixels[1], smooth[i])
		// The last one of 8 columns does not belong to the window.
		f.DoTo(neon.And, differences[i], seven, differences[i])
		f.DoTo(neon.And, smooth[i], seven, smooth[i])
		f.FreeV(pixels[:]...)
		if i == 0 {
			continue
		}
		pairs[i] = f.Do(neon.AddWord, differences[i-1], differences[i])
		f.FreeV(differences[i-1])
		if i == 1 {
			continue
		}
		g := [2]neon.V{pairs[i-1], smooth[i-2]}
		f.DoTo(neon.AddWord, g[0], pairs[i], g[0])
		f.DoTo(neon.SubWord, smooth[i], g[1], g[1])
		for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
			f.Multiply(neon.AddProducts, g[factors[0]], g[factors[1]], totals[k][0])
			f.Multiply(neon.AddLastProducts, g[factors[0]], g[factors[1]], totals[k][1])
		}
		f.FreeV(g[:]...)
	}
	for k, field := range []string{"xx", "yy", "xy"} {
		total := totals[k]
		f.DoTo(neon.AddLong, total[0], total[1], total[0])
		f.I("VADDV %v.S4, %v", total[0], total[0])
		f.I("FMOVS F%d, harrisSums_%s(%v)", total[0], field, sums)
	}
	f.I("ADD $harrisSums__size, %v", sums)
	f.I("SUBS $1, %v, %v", n, n)
	f.I("BNE corner")
	f.I("RET")
}

// weigh emits the weighted sums of 16 pixels with two sets of weights. The first set is
// disp bytes from the register, and the second one apart bytes further on.
func (f *neonFunction) weigh(pixels neon.V, weights neon.R, disp, apart int, sums [2]neon.V) {
	f.Scope(func() {
		low, high := f.V(), f.V()
		f.I("VUXTL %v.B8, %v.H8", pixels, low)
		f.I("VUXTL2 %v.B16, %v.H8", pixels, high)
		for i, sum := range sums {
			f.Scope(func() {
				last := f.Load(weights, disp+i*apart)
				first := f.V()
				f.ChangeTo(neon.SignedWords, last, first)
				f.ChangeTo(neon.LastSignedWords, last, last)
				f.Multiply(neon.AddProducts, low, first, sum)
				f.Multiply(neon.AddLastProducts, low, first, sum)
				f.Multiply(neon.AddProducts, high, last, sum)
				f.Multiply(neon.AddLastProducts, high, last, sum)
			})
		}
	})
}

// zeros returns two registers with zeros.
func (f *neonFunction) zeros() [2]neon.V {
	sums := [2]neon.V{f.V(), f.V()}
	for _, v := range sums {
		f.I("VMOVI $0, %v.B16", v)
	}
	return sums
}

// storeMoments stores sums and returns.
func (f *neonFunction) storeMoments(sums [2]neon.V) {
	r := f.R()
	for i, field := range []string{"m10", "m01"} {
		f.I("VADDV %v.S4, %v", sums[i], sums[i])
		f.I("FMOVS F%d, %v", sums[i], r)
		f.I("MOVW %v, %v", r, r)
		f.I("MOVD %v, %s", r, f.Place(field))
	}
	f.I("RET")
}

// moments emits momentsNEON.
func (f *neonFunction) moments() {
	f.Begin("moments")
	pix, stride := f.Field("pix"), f.Field("stride")
	weights, rows := f.Field("weights"), f.Len("weights")
	sums := f.zeros()
	f.I("PCALIGN $32")
	f.Label("row")
	pixels := [2]neon.V{f.V(), f.V()}
	f.I("FLDPQ (%v), (F%d, F%d)", pix, pixels[0], pixels[1])
	f.I("ADD %v, %v", stride, pix)
	for i, v := range pixels {
		f.weigh(v, weights, neon.Bytes*i, 2*neon.Bytes, sums)
	}
	f.I("ADD $%d, %v", 4*neon.Bytes, weights)
	f.I("SUBS $1, %v, %v", rows, rows)
	f.I("BNE row")
	f.storeMoments(sums)
}

// readPatch emits readPatchNEON.
func (f *neonFunction) readPatch() {
	f.Begin("readPatch")
	pix, stride := f.Field("pix"), f.Field("stride")
	weights, dst := f.Field("weights"), f.Field("patch")
	sums := f.zeros()
	pixels := f.V()
	for row := range patchRows {
		f.I("FMOVQ (%v), F%d", pix, pixels)
		f.I("ADD %v, %v", stride, pix)
		f.I("FMOVQ F%d, %d(%v)", pixels, neon.Bytes*row, dst)
		f.weigh(pixels, weights, 2*neon.Bytes*row, neon.Bytes, sums)
	}
	f.storeMoments(sums)
}

// comparePatch emits comparePatchNEON. The table of the first four rows gives 0 for places
// beyond it. Those of the next rows leave the values of places that are not theirs as they
// are.
func (f *neonFunction) comparePatch() {
	f.Begin("comparePatch")
	p, at := f.Field("patch"), f.Field("places")
	var rows [patchRows]neon.V // neighboring registers
	for row := range rows {
		rows[row] = f.Load(p, neon.Bytes*row)
	}
	byteBits, table := f.LoadTable("byteBits"), f.V()
	f.I("VMOVI $%d, %v.B16", 4*neon.Bytes, table)
	var values [2][2]neon.V
	for i := range 4 {
		place, value := f.Load(at, neon.Bytes*i), f.V()
		for first := 0; first < patchRows; first += 4 {
			instruction := "VTBX"
			if first == 0 {
				instruction = "VTBL"
			} else {
				f.DoTo(neon.Sub, place, table, place)
			}
			list := fmt.Sprintf("%v.B16", rows[first])
			for _, v := range rows[first+1 : min(first+4, patchRows)] {
				list += fmt.Sprintf(", %v.B16", v)
			}
			f.I("%s %v.B16, [%s], %v.B16", instruction, place, list, value)
		}
		values[i/2][i%2] = value
	}
	greater := values[0]
	for i, v := range greater {
		f.DoTo(neon.Higher, v, values[1][i], v)
		f.DoTo(neon.And, v, byteBits, v)
	}
	f.DoTo(neon.AddPairs, greater[0], greater[1], greater[0])
	f.DoTo(neon.AddPairs, greater[0], greater[0], greater[0])
	f.DoTo(neon.AddPairs, greater[0], greater[0], greater[0])
	f.I("FMOVS F%d, %s", greater[0], f.Place("bits"))
	f.I("RET")
}
