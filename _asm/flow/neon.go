package main

import "github.com/fastcorners/fast/_asm/internal/neon"

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

// words returns a register with eight times the same number, of at most 8 bits.
func (f *neonFunction) words(n int) neon.V {
	r, v := f.R(), f.V()
	f.I("MOVD $%d, %v", n, r)
	f.I("VDUP %v, %v.H8", r, v)
	f.FreeR(r)
	return v
}

// bytes returns a register with sixteen times the same byte.
func (f *neonFunction) bytes(n int) neon.V {
	v := f.V()
	f.I("VMOVI $%d, %v.B16", n, v)
	return v
}

// within emits a loop over n things, n >= atOnce, that does atOnce of them at a time. The last
// time ends with the last one: back emits how to move on by n, which is not positive then. body
// moves on by atOnce.
func (f *neonFunction) within(label string, n neon.R, atOnce int, body, back func()) {
	f.I("SUBS $%d, %v, %v", atOnce, n, n)
	f.I("BEQ %sLast", label)
	f.I("PCALIGN $32")
	f.Label(label)
	f.Scope(body)
	f.I("SUBS $%d, %v, %v", atOnce, n, n)
	f.I("BGT %s", label)
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
	f.I("ADD $1, %v, %v", odd, half)
	f.I("LSR $1, %v, %v", half, half)
	// The sums of one column more follow, and one number precedes the other list.
	f.I("ADD %v<<1, %v, %v", half, evens, both)
	f.I("ADD $%d, %v", 2*neon.Bytes, both)
	pairs := f.R() // the columns of pairs
	f.I("AND $-2, %v, %v", odd, pairs)
	f.I("AND $1, %v, %v", odd, odd)
	f.I("SUB %v, %v", pairs, step)
	// gap is from the end of a row of the level to the next one.
	gap := f.Field("stride")
	f.I("SUB %v, %v", half, gap)
	four, five, six := f.words(4), f.words(5), f.bytes(6)
	fours := f.bytes(4)
	left, e, b := f.R(), f.R(), f.R()

	f.Label("row")
	f.I("MOVD %v, %v", pairs, left)
	f.I("MOVD %v, %v", evens, e)
	f.I("MOVD %v, %v", both, b)
	f.within("columns", left, columns, func() {
		// The weights are 1 4 6 4 1.
		var v [5][2]neon.V
		for i := range v {
			v[i] = [2]neon.V{f.V(), f.V()}
			f.I("FLDPQ.P %d(%v), (F%d, F%d)", columns, rows[i], v[i][0], v[i][1])
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
			f.I("VUZP1 %v.H8, %v.H8, %v.H8", sum[1], sum[0], even[half])
		}
		f.I("FSTPQ.P (F%d, F%d), %d(%v)", even[0], even[1], columns, e)
		for half, sum := range sums {
			f.I("VUZP2 %v.H8, %v.H8, %v.H8", sum[1], sum[0], next)
			f.Multiply(neon.AddWordProducts, next, four, even[half])
		}
		f.I("FSTPQ.P (F%d, F%d), %d(%v)", even[0], even[1], columns, b)
	}, func() {
		for _, p := range append(rows[:], e, b) {
			f.I("ADD %v, %v", left, p)
		}
	})
	// mirror sets a sum to that of the even column at e+from and of the next one to that at
	// e+other.
	mirror := func(from, other, to int) {
		f.Scope(func() {
			sum, r := f.R(), f.R()
			f.I("MOVHU %d(%v), %v", from, e, sum)
			f.I("MOVHU %d(%v), %v", other, e, r)
			f.I("SUB %v, %v", r, sum)
			f.I("MOVHU %d(%v), %v", other, b, r)
			f.I("ADD %v, %v", r, sum)
			f.I("MOVH %v, %d(%v)", sum, to, b)
		})
	}
	mirrored := f.R()
	f.I("CBZ %v, even", odd)
	f.Scope(func() {
		// The last column is alone.
		var v [5]neon.R
		for i := range v {
			v[i] = f.R()
			f.I("MOVBU (%v), %v", rows[i], v[i])
		}
		f.I("ADD %v, %v", v[3], v[1])
		f.I("ADD %v, %v", v[2], v[1])
		f.I("ADD %v, %v", v[4], v[0])
		f.I("ADD %v<<2, %v, %v", v[1], v[0], v[0])
		f.I("ADD %v<<1, %v, %v", v[2], v[0], v[0])
		f.I("MOVH %v, (%v)", v[0], e)
	})
	mirror(0, -word, 0)
	f.I("MOVHU %d(%v), %v", -word, e, mirrored)
	f.I("MOVH %v, %d(%v)", mirrored, word, e)
	f.I("JMP first")
	f.Label("even")
	f.I("MOVHU %d(%v), %v", -word, e, mirrored)
	f.I("MOVH %v, (%v)", mirrored, e)
	f.Label("first")
	f.I("MOVD %v, %v", evens, e)
	f.I("MOVD %v, %v", both, b)
	mirror(word, 0, -word)

	f.I("MOVD %v, %v", half, left)
	f.within("pixels", left, columns/2, func() {
		// A pixel is the even sum before it and four times the odd one after that, the same
		// again, the even sum of the next pixel, and five times its own.
		var made [2]neon.V
		next, own := [2]neon.V{f.V(), f.V()}, [2]neon.V{f.V(), f.V()}
		for half := range made {
			made[half] = f.Load(b, half*neon.Bytes-word)
			f.I("FMOVQ %d(%v), F%d", half*neon.Bytes+word, e, next[half])
			f.DoTo(neon.AddWord, made[half], next[half], made[half])
		}
		f.I("FLDPQ.P %d(%v), (F%d, F%d)", columns, b, next[0], next[1])
		f.I("FLDPQ.P %d(%v), (F%d, F%d)", columns, e, own[0], own[1])
		for half := range made {
			f.DoTo(neon.AddWord, made[half], next[half], made[half])
			f.Multiply(neon.AddWordProducts, own[half], five, made[half])
		}
		f.ChangeTo(neon.Without8, made[0], made[0])
		f.ChangeTo(neon.LastWithout8, made[1], made[0])
		f.I("FMOVQ.P F%d, %d(%v)", made[0], neon.Bytes, to)
	}, func() {
		f.I("ADD %v, %v", left, to)
		f.I("ADD %v<<1, %v, %v", left, e, e)
		f.I("ADD %v<<1, %v, %v", left, b, b)
	})
	for _, row := range rows {
		f.I("ADD %v, %v", step, row)
	}
	f.I("ADD %v, %v", gap, to)
	f.I("SUBS $1, %v, %v", n, n)
	f.I("BNE row")
	f.I("RET")
}
