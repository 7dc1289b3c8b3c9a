package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// Words are those of a vector of pixels.
type words [2]neon.V

// responsesNEON emits what responses does.
func responsesNEON(f *neon.Function) {
	f.Begin("responses")
	base, stride, out, n := f.Field("pix"), f.Field("stride"), f.Field("responses"), f.Len("responses")
	pointers := map[int]neon.R{}
	for row := range rows[len(rows)-1] + 1 {
		if contains(row) {
			pointers[row] = f.R()
			f.ADD(neon.Imm(0), base, pointers[row])
		}
		f.ADD(stride, base)
	}
	pixels := func(p pixel) neon.V {
		v := f.V()
		f.FMOVQ(pointers[p.row].At(p.column), v)
		return v
	}
	// each emits an operation on both halves.
	each := func(o op.Binary, x, y, to words) {
		for k := range to {
			f.DoTo(o, x[k], y[k], to[k])
		}
	}
	absolute := func(v words) {
		for _, v := range v {
			f.ChangeTo(neon.AbsWord, v, v)
		}
	}
	free := func(list ...words) {
		for _, v := range list {
			f.FreeV(v[:]...)
		}
	}
	sumsOf := func(x, y neon.V) words {
		sums := words{f.V(), f.V()}
		f.Multiply(neon.ByteSums, x, y, sums[0])
		f.Multiply(neon.LastByteSums, x, y, sums[1])
		return sums
	}
	zero, largest := f.Zero(), f.Zero()
	sums, differences, total := words{f.V(), f.V()}, words{f.V(), f.V()}, words{f.V(), f.V()}
	// add adds what four pixels say, or begins with it.
	add := func(n int, begins bool) {
		at := quarters(n)
		var pairs [2]words
		for k := range pairs {
			a, b := pixels(at[2*k]), pixels(at[2*k+1])
			pairs[k] = sumsOf(a, b)
			f.Multiply(neon.AbsDifferences, a, b, a)
			if begins && k == 0 {
				f.VUXTL(neon.B8, a, differences[0])
				f.VUXTL2(neon.B16, a, differences[1])
			} else {
				f.VUADDW(neon.B8, a, differences[0], differences[0])
				f.VUADDW2(neon.B16, a, differences[1], differences[1])
			}
			f.FreeV(a, b)
		}
		apart := words{f.V(), f.V()}
		each(op.SubWord, pairs[0], pairs[1], apart)
		absolute(apart)
		each(op.AddWord, pairs[0], pairs[1], pairs[0])
		if begins {
			for k := range sums {
				f.VMOV(apart[k], sums[k])
				f.VMOV(pairs[0][k], total[k])
			}
		} else {
			each(op.AddWord, sums, apart, sums)
			each(op.AddWord, total, pairs[0], total)
		}
		free(pairs[0], pairs[1], apart)
	}
	last := f.R()
	f.SUB(neon.Imm(neon.Bytes), n, last)
	x := f.R()
	f.MOVD(neon.Imm(0), x)
	f.Comment("The responses of a vector of pixels.")
	f.Loop("pixels")
	add(0, true)
	add(2, false)
	f.Comment("Most vectors end here.")
	mask := words{f.V(), f.V()}
	each(op.GreaterWord, sums, differences, mask)
	some, bits := f.V(), f.R()
	f.DoTo(op.Or, mask[0], mask[1], some)
	f.VUZP1(neon.B16, some, some, some)
	f.FMOVD(some, bits)
	f.FSTPQ(zero, zero, out.At(0))
	f.CBZ(bits, "next")
	add(1, false)
	add(3, false)
	f.Comment("The mean of the ring against that of the pixels beside the middle.")
	a, b, c, d := pixels(beside[0]), pixels(beside[1]), pixels(beside[2]), pixels(beside[3])
	four, more := sumsOf(a, b), sumsOf(c, d)
	each(op.AddWord, four, more, four)
	for _, v := range four {
		f.VSHL(neon.H8, 2, v, v)
	}
	each(op.SubWord, total, four, total)
	absolute(total)
	each(op.SubWord, sums, differences, sums)
	each(op.SubWord, sums, total, sums)
	for k, v := range sums {
		f.DoTo(op.MaxWord, v, zero, v)
		f.DoTo(op.And, v, mask[k], v)
		f.DoTo(op.MaxWord, largest, v, largest)
	}
	f.FSTPQ(sums[0], sums[1], out.At(0))
	f.Label("next")
	f.Comment("The last vector ends where the row does.")
	f.CMP(last, x)
	f.BEQ("done")
	step := f.R()
	f.SUB(x, last, step)
	sixteen := f.R()
	f.MOVD(neon.Imm(neon.Bytes), sixteen)
	f.CMP(sixteen, step)
	f.CSEL(neon.LT, step, sixteen, step)
	f.ADD(step, x)
	f.ADD(step.LSL(1), out)
	for _, row := range rows {
		f.ADD(step, pointers[row])
	}
	f.JMP("pixels")
	f.Label("done")
	half := f.V()
	for _, bytes := range []int{8, 4, 2} {
		f.VEXT(bytes, largest, largest, half)
		f.DoTo(op.MaxWord, largest, half, largest)
	}
	f.FMOVS(largest, bits)
	f.MOVH(bits, f.Place("largest"))
	f.RET()
}
