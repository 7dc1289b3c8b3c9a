package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	f := &neon.Function{Assembler: a}
	sumNEON(f)
	gradientNEON(f)
	refineSampleNEON(f)
	refineMomentsNEON(f)
}

// sumNEON emits what sum does. The last vector ends with the rows.
func sumNEON(f *neon.Function) {
	f.Begin("sum")
	var rows, sums [4]neon.R
	for i := range rows {
		rows[i], sums[i] = f.Index("rows", i), f.Index("sums", i)
	}
	last, x, p := f.Field("n"), f.R(), f.R()
	f.SUB(neon.Imm(neon.Bytes), last)
	f.MOVD(neon.Imm(0), x)
	f.Loop("pixels")
	f.Comment("Sums and differences of the pixels of four rows.")
	var low, high [4]neon.V
	for i, row := range rows {
		f.ADD(x, row, p)
		pixels := f.Load(p, 0)
		low[i], high[i] = f.V(), pixels
		f.VUXTL(neon.B8, pixels, low[i])
		f.VUXTL2(neon.B16, pixels, high[i])
	}
	var made [4][2]neon.V
	for half, v := range [2][4]neon.V{low, high} {
		middle := f.Do(op.AddWord, v[1], v[2])
		upper, lower := f.Do(op.AddWord, v[0], v[1]), f.Do(op.AddWord, v[2], v[3])
		f.DoTo(op.AddWord, upper, middle, upper)
		f.DoTo(op.AddWord, lower, middle, lower)
		made[0][half], made[2][half] = upper, lower
		made[1][half], made[3][half] = f.Do(op.SubWord, v[2], v[0]), f.Do(op.SubWord, v[3], v[1])
	}
	for i, v := range made {
		f.ADD(x.LSL(1), sums[i], p)
		f.FSTPQ(v[0], v[1], p.At(0))
	}
	f.CMP(last, x)
	f.BEQ("done")
	f.ADD(neon.Imm(neon.Bytes), x)
	f.CMP(last, x)
	f.CSEL(neon.GT, last, x, x)
	f.JMP("pixels")
	f.Label("done")
	f.RET()
}

// gradientNEON emits what gradient does.
func gradientNEON(f *neon.Function) {
	f.Begin("gradient")
	sums, differences, left := f.Field("sums"), f.Field("differences"), f.Field("n")
	out := [2]neon.R{f.Field("out"), f.Index("out", 1)}
	f.Loop("pixels")
	const word = 2
	f.Comment("The gradients of a vector of pixels.")
	gx := f.Load(sums, word)
	f.DoTo(op.SubWord, gx, f.Load(sums, -word), gx)
	middle, gy := f.Load(differences, 0), f.Load(differences, -word)
	f.DoTo(op.AddWord, gy, middle, gy)
	f.DoTo(op.AddWord, middle, f.Load(differences, word), middle)
	f.DoTo(op.AddWord, gy, middle, gy)
	for i, v := range []neon.V{gx, gy} {
		f.FMOVQ(v, out[i].Post(neon.Bytes))
	}
	f.ADD(neon.Imm(neon.Bytes), sums)
	f.ADD(neon.Imm(neon.Bytes), differences)
	f.Repeat("pixels", left, neon.Bytes/word)
	f.RET()
}
