package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/neon"
)

// neonLanes is the number of points that the functions for NEON refine at once: their doubles
// fill two vectors.
const neonLanes = neon.Bytes / floatSize

// refineSampleNEON emits what refineSample does. As with the other instruction sets, the pixels
// of all lanes are first put in the order of the samples, and the samples of the first row of
// pixels are replaced.
func refineSampleNEON(f *neon.Function) {
	const columns = 8
	f.Begin("refineSample")
	pixels := [neonLanes]neon.V{f.V(), f.V(), f.V(), f.V()} // neighboring registers
	var src [neonLanes]neon.R
	pix := f.Field("pix")
	for i := range src {
		src[i] = f.Index("start", i)
		f.I("ADD %v, %v", pix, src[i])
	}
	stride, side, all, upper, out := f.Field("stride"), f.Field("side"), f.Field("pixels"), f.Field("rows"), f.Field("out")
	load := func(field string, at int) neon.V {
		v := f.V()
		f.I("FMOVQ %s, F%d", f.Place(fmt.Sprintf("%s+%d", field, at)), v)
		return v
	}
	var weights [4]neon.V
	for i := range weights {
		weights[i] = load("weights", i*layout.Size(f.Element("weights")))
	}
	first, ratio := load("first", 0), [2]neon.V{load("ratio", 0), load("ratio", neon.Bytes)}
	rows, x, last, to, n, above, line := f.R(), f.R(), f.R(), f.R(), f.R(), f.R(), f.R()
	f.I("ADD $1, %v, %v", side, rows)
	f.I("SUB $%d, %v, %v", columns-1, side, last)
	f.I("MOVD %v, %v", out, line)

	f.Label("rows")
	f.I("MOVD $0, %v", x)
	f.I("PCALIGN $32")
	f.Label("pixels")
	for i, v := range pixels {
		f.I("FMOVD (%v)(%v), F%d", src[i], x, v)
	}
	f.I("ADD %v<<2, %v, %v", x, all, to)
	f.I("VST4 [%v.B8, %v.B8, %v.B8, %v.B8], (%v)", pixels[0], pixels[1], pixels[2], pixels[3], to)
	f.I("CMP %v, %v", last, x)
	f.I("BEQ samples")
	f.I("ADD $%d, %v", columns, x)
	f.I("CMP %v, %v", last, x)
	f.I("CSEL GT, %v, %v, %v", last, x, x)
	f.I("JMP pixels")

	f.Label("samples")
	f.I("MOVD %v, %v", all, to)
	f.I("MOVD %v, %v", upper, above)
	f.I("MOVD %v, %v", side, n)
	// column sets v to the weighted sum of the pixels of the next column in this row and in
	// the one before.
	column := func(weights []neon.V, v neon.V) {
		f.Scope(func() {
			below := f.V()
			f.I("FMOVQ (%v), F%d", above, v)
			f.I("FMOVS.P %d(%v), F%d", neonLanes, to, below)
			f.I("VUXTL %v.B8, %v.H8", below, below)
			f.I("VUXTL %v.H4, %v.S4", below, below)
			f.ChangeTo(neon.UnsignedToFloat, below, below)
			f.I("FMOVQ.P F%d, %d(%v)", below, neon.Bytes, above)
			f.DoTo(neon.MulFloat, v, weights[0], v)
			f.DoTo(neon.MulFloat, below, weights[1], below)
			f.DoTo(neon.AddFloat, v, below, v)
		})
	}
	left := f.V()
	column(weights[2:], left)
	f.DoTo(neon.MulFloat, left, first, left)
	f.I("PCALIGN $32")
	f.Label("columns")
	f.Scope(func() {
		right := [2]neon.V{f.V(), f.V()}
		column(weights[:2], right[0])
		f.DoTo(neon.AddFloat, left, right[0], left)
		f.I("FMOVQ.P F%d, %d(%v)", left, neon.Bytes, out)
		f.ChangeTo(neon.LastToDoubles, right[0], right[1])
		f.ChangeTo(neon.ToDoubles, right[0], right[0])
		for i, v := range right {
			f.DoTo(neon.MulDouble, v, ratio[i], v)
		}
		f.ChangeTo(neon.ToFloats, right[0], left)
		f.ChangeTo(neon.ToLastFloats, right[1], left)
	})
	f.I("SUBS $1, %v, %v", n, n)
	f.I("BNE columns")
	for _, p := range src {
		f.I("ADD %v, %v", stride, p)
	}
	f.I("CMP %v, %v", side, rows)
	f.I("CSEL GT, %v, %v, %v", line, out, out)
	f.I("SUBS $1, %v, %v", rows, rows)
	f.I("BNE rows")
	f.I("RET")
}

// refineMomentsNEON emits what refineMoments does. Every lane adds its terms in the order of
// the pixels.
func refineMomentsNEON(f *neon.Function) {
	f.Begin("refineMoments")
	above, weights, offsets, n := f.Field("samples"), f.Field("weights"), f.Field("offsets"), f.Len("offsets")
	// The samples to the left, above and below.
	left, below, row := f.R(), f.R(), f.R()
	f.I("ADD $2, %v, %v", n, row)
	f.I("LSL $4, %v, %v", row, row)
	f.I("ADD %v, %v, %v", row, above, left)
	f.I("ADD %v, %v, %v", row, left, below)
	for _, p := range []neon.R{above, below} {
		f.I("ADD $%d, %v", neon.Bytes, p)
	}
	var sums [5][2]neon.V
	for i := range sums {
		for half := range sums[i] {
			sums[i][half] = f.V()
			f.I("VMOVI $0, %v.B16", sums[i][half])
		}
	}
	rows, columns, x, y := f.R(), f.R(), f.R(), f.R()
	offsetY := f.V()
	f.I("MOVD %v, %v", n, rows)
	f.I("MOVD %v, %v", offsets, y)
	f.Label("rows")
	f.I("VLD1R.P %d(%v), [%v.D2]", doubleSize, y, offsetY)
	f.I("MOVD %v, %v", offsets, x)
	f.I("MOVD %v, %v", n, columns)
	f.I("PCALIGN $32")
	f.Label("columns")
	f.Scope(func() {
		// difference returns the differences of two vectors of samples, in doubles.
		difference := func(a, b neon.V) [2]neon.V {
			f.DoTo(neon.SubFloat, a, b, a)
			f.ChangeTo(neon.LastToDoubles, a, b)
			f.ChangeTo(neon.ToDoubles, a, a)
			return [2]neon.V{a, b}
		}
		next := func(p neon.R) neon.V {
			v := f.V()
			f.I("FMOVQ.P %d(%v), F%d", neon.Bytes, p, v)
			return v
		}
		right := f.Load(left, 2*neon.Bytes)
		gx := difference(right, next(left))
		gy := difference(next(below), next(above))
		weight, offsetX := f.V(), f.V()
		f.I("VLD1R.P %d(%v), [%v.D2]", doubleSize, weights, weight)
		f.I("VLD1R.P %d(%v), [%v.D2]", doubleSize, x, offsetX)
		for half := range gx {
			f.Scope(func() {
				x, y := gx[half], gy[half]
				xy := f.Do(neon.MulDouble, x, y)
				f.DoTo(neon.MulDouble, x, x, x)
				f.DoTo(neon.MulDouble, y, y, y)
				for i, v := range []neon.V{x, xy, y} {
					f.DoTo(neon.MulDouble, v, weight, v)
					f.DoTo(neon.AddDouble, sums[i][half], v, sums[i][half])
				}
				for i, pair := range [][2]neon.V{{x, xy}, {xy, y}} {
					f.Scope(func() {
						v, w := f.Do(neon.MulDouble, pair[0], offsetX), f.Do(neon.MulDouble, pair[1], offsetY)
						f.DoTo(neon.AddDouble, v, w, v)
						f.DoTo(neon.AddDouble, sums[3+i][half], v, sums[3+i][half])
					})
				}
			})
		}
	})
	f.I("SUBS $1, %v, %v", columns, columns)
	f.I("BNE columns")
	for _, p := range []neon.R{above, left, below} {
		f.I("ADD $%d, %v", 2*neon.Bytes, p)
	}
	f.I("SUBS $1, %v, %v", rows, rows)
	f.I("BNE rows")
	at := f.R()
	f.I("ADD $momentsRun_sums, %v, %v", f.Run, at)
	for i, sum := range sums {
		f.I("FSTPQ (F%d, F%d), %d(%v)", sum[0], sum[1], i*layout.Size(f.Element("sums")), at)
	}
	f.I("RET")
}
