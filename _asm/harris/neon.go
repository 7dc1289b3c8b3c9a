package main

import "github.com/fastcorners/fast/_asm/internal/neon"

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	sumNEON(a)
	gradientNEON(a)
}

// sumNEON emits what sum does. The last vector ends with the rows.
func sumNEON(a *neon.Assembler) {
	a.Func("sumNEON", 8)
	r := a.R()
	a.I("MOVD r+0(FP), %v", r)
	var rows, sums [4]neon.R
	for i := range rows {
		rows[i], sums[i] = a.R(), a.R()
		a.I("MOVD sumRun_rows+%d(%v), %v", 8*i, r, rows[i])
		a.I("MOVD sumRun_sums+%d(%v), %v", 8*i, r, sums[i])
	}
	last, x, p := a.R(), a.R(), a.R()
	a.I("MOVD sumRun_n(%v), %v", r, last)
	a.I("SUB $%d, %v", neon.Bytes, last)
	a.I("MOVD $0, %v", x)
	a.I("PCALIGN $32")
	a.Label("pixels")
	var low, high [4]neon.V
	for i, row := range rows {
		a.I("ADD %v, %v, %v", x, row, p)
		pixels := a.Load(p, 0)
		low[i], high[i] = a.V(), pixels
		a.I("VUXTL %v.B8, %v.H8", pixels, low[i])
		a.I("VUXTL2 %v.B16, %v.H8", pixels, high[i])
	}
	var made [4][2]neon.V
	for half, v := range [2][4]neon.V{low, high} {
		middle := a.Do(neon.AddWord, v[1], v[2])
		upper, lower := a.Do(neon.AddWord, v[0], v[1]), a.Do(neon.AddWord, v[2], v[3])
		a.DoTo(neon.AddWord, upper, middle, upper)
		a.DoTo(neon.AddWord, lower, middle, lower)
		made[0][half], made[2][half] = upper, lower
		made[1][half], made[3][half] = a.Do(neon.SubWord, v[2], v[0]), a.Do(neon.SubWord, v[3], v[1])
	}
	for i, v := range made {
		a.I("ADD %v<<1, %v, %v", x, sums[i], p)
		a.I("FSTPQ (F%d, F%d), (%v)", v[0], v[1], p)
	}
	a.I("CMP %v, %v", last, x)
	a.I("BEQ done")
	a.I("ADD $%d, %v", neon.Bytes, x)
	a.I("CMP %v, %v", last, x)
	a.I("CSEL GT, %v, %v, %v", last, x, x)
	a.I("JMP pixels")
	a.Label("done")
	a.I("RET")
}

// gradientNEON emits what gradient does.
func gradientNEON(a *neon.Assembler) {
	a.Func("gradientNEON", 8)
	r := a.R()
	a.I("MOVD r+0(FP), %v", r)
	sums, differences, left := a.R(), a.R(), a.R()
	a.I("MOVD gradientRun_sums(%v), %v", r, sums)
	a.I("MOVD gradientRun_differences(%v), %v", r, differences)
	a.I("MOVD gradientRun_n(%v), %v", r, left)
	out := [2]neon.R{a.R(), a.R()}
	for i := range out {
		a.I("MOVD gradientRun_out+%d(%v), %v", 8*i, r, out[i])
	}
	a.I("PCALIGN $32")
	a.Label("pixels")
	const word = 2
	gx := a.Load(sums, word)
	a.DoTo(neon.SubWord, gx, a.Load(sums, -word), gx)
	middle, gy := a.Load(differences, 0), a.Load(differences, -word)
	a.DoTo(neon.AddWord, gy, middle, gy)
	a.DoTo(neon.AddWord, middle, a.Load(differences, word), middle)
	a.DoTo(neon.AddWord, gy, middle, gy)
	for i, v := range []neon.V{gx, gy} {
		a.I("FMOVQ.P F%d, %d(%v)", v, neon.Bytes, out[i])
	}
	a.I("ADD $%d, %v", neon.Bytes, sums)
	a.I("ADD $%d, %v", neon.Bytes, differences)
	a.I("SUBS $%d, %v, %v", neon.Bytes/word, left, left)
	a.I("BNE pixels")
	a.I("RET")
}
