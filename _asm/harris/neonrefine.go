package main

import (
	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// neonElements is the number of points that the functions for NEON refine at once: their doubles
// fill two vectors.
const neonElements = neon.Bytes / floatSize

// refineSampleNEON emits what refineSample does. As with the other instruction sets, the pixels
// of all elements are first put in the order of the samples, and the samples of the first row of
// pixels are replaced.
func refineSampleNEON(f *neon.Function) {
	const columns = 8
	f.Begin("refineSample")
	pixels := [neonElements]neon.V{f.V(), f.V(), f.V(), f.V()} // neighboring registers
	var src [neonElements]neon.R
	pix := f.Field("pix")
	for i := range src {
		src[i] = f.Index("start", i)
		f.ADD(pix, src[i])
	}
	stride, side, all, upper, out := f.Field("stride"), f.Field("side"), f.Field("pixels"), f.Field("rows"), f.Field("out")
	load := func(field string, at int) neon.V {
		v := f.V()
		f.FMOVQ(f.Place(field).Offset(at), v)
		return v
	}
	var weights [4]neon.V
	for i := range weights {
		weights[i] = load("weights", i*layout.Size(f.Element("weights")))
	}
	first, ratio := load("first", 0), [2]neon.V{load("ratio", 0), load("ratio", neon.Bytes)}
	rows, x, last, to, n, above, line := f.R(), f.R(), f.R(), f.R(), f.R(), f.R(), f.R()
	f.ADD(neon.Imm(1), side, rows)
	f.SUB(neon.Imm(columns-1), side, last)
	f.MOVD(out, line)

	f.Label("rows")
	f.Comment("The pixels of the row, those of the same column next to each other.")
	f.MOVD(neon.Imm(0), x)
	f.Loop("pixels")
	for i, v := range pixels {
		f.FMOVD(src[i].Index(x, 0), v)
	}
	f.ADD(x.LSL(2), all, to)
	f.VST4(neon.B8, to.At(0), pixels[0], pixels[1], pixels[2], pixels[3])
	f.CMP(last, x)
	f.BEQ("samples")
	f.ADD(neon.Imm(columns), x)
	f.CMP(last, x)
	f.CSEL(neon.GT, last, x, x)
	f.JMP("pixels")

	f.Comment("The samples between the row before and this one.")
	f.Label("samples")
	f.MOVD(all, to)
	f.MOVD(upper, above)
	f.MOVD(side, n)
	// column sets v to the weighted sum of the pixels of the next column in this row and in
	// the one before.
	column := func(weights []neon.V, v neon.V) {
		f.Scope(func() {
			below := f.V()
			f.FMOVQ(above.At(0), v)
			f.FMOVS(to.Post(neonElements), below)
			f.VUXTL(neon.B8, below, below)
			f.VUXTL(neon.H4, below, below)
			f.ChangeTo(neon.UnsignedToFloat, below, below)
			f.FMOVQ(below, above.Post(neon.Bytes))
			f.DoTo(op.MulFloat, v, weights[0], v)
			f.DoTo(op.MulFloat, below, weights[1], below)
			f.DoTo(op.AddFloat, v, below, v)
		})
	}
	left := f.V()
	column(weights[2:], left)
	f.DoTo(op.MulFloat, left, first, left)
	f.Loop("columns")
	f.Scope(func() {
		right := [2]neon.V{f.V(), f.V()}
		column(weights[:2], right[0])
		f.DoTo(op.AddFloat, left, right[0], left)
		f.FMOVQ(left, out.Post(neon.Bytes))
		f.ChangeTo(neon.LastToDoubles, right[0], right[1])
		f.ChangeTo(neon.ToDoubles, right[0], right[0])
		for i, v := range right {
			f.DoTo(op.MulDouble, v, ratio[i], v)
		}
		f.ChangeTo(neon.ToFloats, right[0], left)
		f.ChangeTo(neon.ToLastFloats, right[1], left)
	})
	f.Repeat("columns", n, 1)
	for _, p := range src {
		f.ADD(stride, p)
	}
	f.CMP(side, rows)
	f.CSEL(neon.GT, line, out, out)
	f.Repeat("rows", rows, 1)
	f.RET()
}

// refineMomentsNEON emits what refineMoments does. Every element adds its terms in the order of
// the pixels.
func refineMomentsNEON(f *neon.Function) {
	f.Begin("refineMoments")
	above, weights, offsets, n := f.Field("samples"), f.Field("weights"), f.Field("offsets"), f.Len("offsets")
	// The samples to the left, above and below.
	left, below, row := f.R(), f.R(), f.R()
	f.ADD(neon.Imm(2), n, row)
	f.LSL(neon.Imm(4), row, row)
	f.ADD(row, above, left)
	f.ADD(row, left, below)
	for _, p := range []neon.R{above, below} {
		f.ADD(neon.Imm(neon.Bytes), p)
	}
	var sums [5][2]neon.V
	for i := range sums {
		for half := range sums[i] {
			sums[i][half] = f.Zero()
		}
	}
	rows, columns, x, y := f.R(), f.R(), f.R(), f.R()
	offsetY := f.V()
	f.MOVD(n, rows)
	f.MOVD(offsets, y)
	f.Label("rows")
	f.Comment("The moments of the gradients of a row.")
	f.VLD1R(neon.D2, y.Post(doubleSize), offsetY)
	f.MOVD(offsets, x)
	f.MOVD(n, columns)
	f.Loop("columns")
	f.Scope(func() {
		// difference returns the differences of two vectors of samples, in doubles.
		difference := func(a, b neon.V) [2]neon.V {
			f.DoTo(op.SubFloat, a, b, a)
			f.ChangeTo(neon.LastToDoubles, a, b)
			f.ChangeTo(neon.ToDoubles, a, a)
			return [2]neon.V{a, b}
		}
		next := func(p neon.R) neon.V {
			v := f.V()
			f.FMOVQ(p.Post(neon.Bytes), v)
			return v
		}
		right := f.Load(left, 2*neon.Bytes)
		gx := difference(right, next(left))
		gy := difference(next(below), next(above))
		weight, offsetX := f.V(), f.V()
		f.VLD1R(neon.D2, weights.Post(doubleSize), weight)
		f.VLD1R(neon.D2, x.Post(doubleSize), offsetX)
		for half := range gx {
			f.Scope(func() {
				x, y := gx[half], gy[half]
				xy := f.Do(op.MulDouble, x, y)
				f.DoTo(op.MulDouble, x, x, x)
				f.DoTo(op.MulDouble, y, y, y)
				for i, v := range []neon.V{x, xy, y} {
					f.DoTo(op.MulDouble, v, weight, v)
					f.DoTo(op.AddDouble, sums[i][half], v, sums[i][half])
				}
				for i, pair := range [][2]neon.V{{x, xy}, {xy, y}} {
					f.Scope(func() {
						v, w := f.Do(op.MulDouble, pair[0], offsetX), f.Do(op.MulDouble, pair[1], offsetY)
						f.DoTo(op.AddDouble, v, w, v)
						f.DoTo(op.AddDouble, sums[3+i][half], v, sums[3+i][half])
					})
				}
			})
		}
	})
	f.Repeat("columns", columns, 1)
	for _, p := range []neon.R{above, left, below} {
		f.ADD(neon.Imm(2*neon.Bytes), p)
	}
	f.Repeat("rows", rows, 1)
	f.Comment("The sums are stored.")
	at := f.R()
	f.ADD(neon.Const("momentsRun_sums"), f.Run, at)
	for i, sum := range sums {
		f.FSTPQ(sum[0], sum[1], at.At(i*layout.Size(f.Element("sums"))))
	}
	f.RET()
}
