package main

import "github.com/fastcorners/fast/_asm/internal/neon"

// A neonFunction is a function for NEON.
type neonFunction struct {
	*neon.Assembler
	argument string // the type of what it works on
	run      neon.R // points to that
}

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	(&neonFunction{Assembler: a, argument: "smoothRun"}).smooth()
	(&neonFunction{Assembler: a, argument: "sampleRun"}).sample()
	(&neonFunction{Assembler: a, argument: "sampleRun"}).compare()
}

func (f *neonFunction) begin(name string) {
	f.Func(name+"NEON", 8)
	f.run = f.R()
	f.I("MOVD r+0(FP), %v", f.run)
}

// field returns a register with a field of the argument, a word of eight bytes.
func (f *neonFunction) field(name string) neon.R {
	r := f.R()
	f.I("MOVD %s_%s(%v), %v", f.argument, name, f.run, r)
	return r
}

// broadcast returns a register with a field of four bytes in all places.
func (f *neonFunction) broadcast(name string) neon.V {
	r, v := f.R(), f.V()
	f.I("MOVWU %s_%s(%v), %v", f.argument, name, f.run, r)
	f.I("VDUP %v, %v.S4", r, v)
	f.FreeR(r)
	return v
}

// smooth emits what smooth does, for rows of 8 pixels, in two halves.
func (f *neonFunction) smooth() {
	f.begin("smooth")
	src, stride := f.field("src"), f.field("stride")
	dst, dstStride := f.field("dst"), f.field("dstStride")
	rows, kernel, p := f.field("rows"), f.field("kernel"), f.R()
	// The weights from the middle on.
	var weights [taps/2 + 1]neon.V
	for i := range weights {
		weights[i] = f.V()
		f.I("ADD $%d, %v, %v", 4*(taps/2+i), kernel, p)
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
	for i := range taps - 1 {
		next(line(i))
	}
	f.I("PCALIGN $32")
	f.Label("rows")
	for i := range taps {
		next(line(i + taps - 1))
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
			// No sum exceeds 255: the weights add up to 1.
			f.I("VUZP1 %v.H8, %v.H8, %v.H8", out[1], out[0], pair)
			f.I("VUZP1 %v.B16, %v.B16, %v.B16", pair, pair, pair)
			f.I("FMOVD F%d, (%v)", pair, dst)
		})
		f.I("ADD %v, %v", dstStride, dst)
		f.I("SUBS $1, %v, %v", rows, rows)
		f.I("BEQ done")
	}
	f.I("JMP rows")
	f.Label("done")
	f.I("RET")
}

// neonPlaces are what turns the places of a pattern.
type neonPlaces struct {
	*neonFunction
	xs, ys           neon.R
	cos, sin, stride neon.V
}

// newPlaces loads the fields of a sampleRun.
func (f *neonFunction) newPlaces() neonPlaces {
	return neonPlaces{f, f.field("xs"), f.field("ys"), f.broadcast("cos"), f.broadcast("sin"), f.broadcast("stride")}
}

// offsets returns where four places lie, from the place of that number on, in pairs of
// numbers of 32 bits.
func (p neonPlaces) offsets(place int) [2]neon.R {
	pairs := [2]neon.R{p.R(), p.R()}
	p.Scope(func() {
		// No operation is fused: each is rounded.
		x, y := p.Load(p.xs, 4*place), p.Load(p.ys, 4*place)
		column, row, product := p.Do(neon.MulFloat, x, p.cos), p.Do(neon.MulFloat, x, p.sin), p.Do(neon.MulFloat, y, p.sin)
		p.DoTo(neon.SubFloat, column, product, column)
		p.DoTo(neon.MulFloat, y, p.cos, product)
		p.DoTo(neon.AddFloat, row, product, row)
		p.ChangeTo(neon.Round, column, column)
		p.ChangeTo(neon.Round, row, row)
		p.Accumulate(neon.AddProduct, row, p.stride, column)
		p.I("FMOVD F%d, %v", column, pairs[0])
		p.I("VMOV %v.D[1], %v", column, pairs[1])
	})
	return pairs
}

// advance goes on by so many places.
func (p neonPlaces) advance(n int) {
	p.I("ADD $%d, %v", 4*n, p.xs)
	p.I("ADD $%d, %v", 4*n, p.ys)
}

// pixel returns a register with the pixel at one of four offsets, the odd ones of which
// come last.
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

// sample emits what sample does.
func (f *neonFunction) sample() {
	f.begin("sample")
	pix, values, n := f.field("pix"), f.field("values"), f.field("n")
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

// compare emits what compare does. It begins with the last pairs, whose bits come first
// into a word.
func (f *neonFunction) compare() {
	const word = 64
	f.begin("compare")
	pix, desc := f.field("pix"), f.field("desc")
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
