package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonFunction is a function for NEON.
type neonFunction struct {
	neon.Function
	prefix string // of labels
}

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	f := &neonFunction{Function: neon.Function{Assembler: a}}
	f.tables()
	f.down()
	f.template()
	f.tensor()
	f.step()
	f.difference()
}

// within emits a loop over n things, n >= atOnce, that does atOnce of them at a time. The last
// time ends with the last one: back emits how to move on by n, which is not positive then. body
// moves on by atOnce.
func (f *neonFunction) within(label string, n neon.R, atOnce int, body, back func()) {
	f.SUBS(neon.Imm(atOnce), n, n)
	f.BEQ(label + "Last")
	f.Loop(label)
	f.Scope(body)
	f.SUBS(neon.Imm(atOnce), n, n)
	f.BGT(label)
	f.Label(label + "Last")
	back()
	f.Scope(body)
}

// down emits the function that makes rows of a level. It first adds up columns, in words: the
// sums of even columns are one list, and in another one four times the sum of the next column
// is added to each.
func (f *neonFunction) down() {
	const (
		word    = 2
		columns = 2 * neon.Bytes // and half as many pixels
	)
	f.Begin("down")
	var rows [5]neon.R
	for i := range rows {
		rows[i] = f.Index("rows", i)
	}
	to, step, n := f.Field("to"), f.Field("step"), f.Field("n")
	half, odd := f.R(), f.Field("w")
	evens, both := f.Field("sums"), f.R()
	f.ADD(neon.Imm(1), odd, half)
	f.LSR(neon.Imm(1), half, half)
	// The sums of one column more follow, and one number precedes the other list.
	f.ADD(half.LSL(1), evens, both)
	f.ADD(neon.Imm(2*neon.Bytes), both)
	pairs := f.R() // the columns of pairs
	f.AND(neon.Imm(-2), odd, pairs)
	f.AND(neon.Imm(1), odd, odd)
	f.SUB(pairs, step)
	// gap is from the end of a row of the level to the next one.
	gap := f.Field("stride")
	f.SUB(half, gap)
	four, five, six := f.Spread(neon.H8, 4), f.Spread(neon.H8, 5), f.Fill(6)
	fours := f.Fill(4)
	left, e, b := f.R(), f.R(), f.R()

	f.Label("row")
	f.MOVD(pairs, left)
	f.MOVD(evens, e)
	f.MOVD(both, b)
	f.within("columns", left, columns, func() {
		// The weights are 1 4 6 4 1.
		var v [5][2]neon.V
		for i := range v {
			v[i] = [2]neon.V{f.V(), f.V()}
			f.FLDPQ(rows[i].Post(columns), v[i][0], v[i][1])
		}
		var sums [2][2]neon.V
		for half := range sums {
			sums[half] = [2]neon.V{f.V(), f.V()}
			for part, sum := range sums[half] {
				add, product := neon.ByteSums, neon.AddByteProducts
				if part == 1 {
					add, product = neon.LastByteSums, neon.AddLastByteProducts
				}
				f.Multiply(add, v[0][half], v[4][half], sum)
				f.Multiply(product, v[1][half], fours, sum)
				f.Multiply(product, v[2][half], six, sum)
				f.Multiply(product, v[3][half], fours, sum)
			}
		}
		even, next := [2]neon.V{f.V(), f.V()}, f.V()
		for half, sum := range sums {
			f.VUZP1(neon.H8, sum[1], sum[0], even[half])
		}
		f.FSTPQ(even[0], even[1], e.Post(columns))
		for half, sum := range sums {
			f.VUZP2(neon.H8, sum[1], sum[0], next)
			f.Multiply(neon.AddWordProducts, next, four, even[half])
		}
		f.FSTPQ(even[0], even[1], b.Post(columns))
	}, func() {
		for _, p := range append(rows[:], e, b) {
			f.ADD(left, p)
		}
	})
	// mirror sets a sum to that of the even column at e+from and of the next one to that at
	// e+other.
	mirror := func(from, other, to int) {
		f.Scope(func() {
			sum, r := f.R(), f.R()
			f.MOVHU(e.At(from), sum)
			f.MOVHU(e.At(other), r)
			f.SUB(r, sum)
			f.MOVHU(b.At(other), r)
			f.ADD(r, sum)
			f.MOVH(sum, b.At(to))
		})
	}
	mirrored := f.R()
	f.CBZ(odd, "even")
	f.Scope(func() {
		// The last column is alone.
		var v [5]neon.R
		for i := range v {
			v[i] = f.R()
			f.MOVBU(rows[i].At(0), v[i])
		}
		f.ADD(v[3], v[1])
		f.ADD(v[2], v[1])
		f.ADD(v[4], v[0])
		f.ADD(v[1].LSL(2), v[0], v[0])
		f.ADD(v[2].LSL(1), v[0], v[0])
		f.MOVH(v[0], e.At(0))
	})
	mirror(0, -word, 0)
	f.MOVHU(e.At(-word), mirrored)
	f.MOVH(mirrored, e.At(word))
	f.JMP("first")
	f.Label("even")
	f.MOVHU(e.At(-word), mirrored)
	f.MOVH(mirrored, e.At(0))
	f.Label("first")
	f.MOVD(evens, e)
	f.MOVD(both, b)
	mirror(word, 0, -word)

	f.MOVD(half, left)
	f.within("pixels", left, columns/2, func() {
		// A pixel is the even sum before it and four times the odd one after that, the same
		// again, the even sum of the next pixel, and five times its own.
		var made [2]neon.V
		next, own := [2]neon.V{f.V(), f.V()}, [2]neon.V{f.V(), f.V()}
		for half := range made {
			made[half] = f.Load(b, half*neon.Bytes-word)
			f.FMOVQ(e.At(half*neon.Bytes+word), next[half])
			f.DoTo(op.AddWord, made[half], next[half], made[half])
		}
		f.FLDPQ(b.Post(columns), next[0], next[1])
		f.FLDPQ(e.Post(columns), own[0], own[1])
		for half := range made {
			f.DoTo(op.AddWord, made[half], next[half], made[half])
			f.Multiply(neon.AddWordProducts, own[half], five, made[half])
		}
		f.ChangeTo(neon.Without8, made[0], made[0])
		f.ChangeTo(neon.LastWithout8, made[1], made[0])
		f.FMOVQ(made[0], to.Post(neon.Bytes))
	}, func() {
		f.ADD(left, to)
		f.ADD(left.LSL(1), e, e)
		f.ADD(left.LSL(1), b, b)
	})
	for _, row := range rows {
		f.ADD(step, row)
	}
	f.ADD(gap, to)
	f.Repeat("row", n, 1)
	f.RET()
}
