package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonDowner is what down is made of for NEON. As a downer does, it smooths rows, of which it
// keeps every other column, in sums of 16 bits, and then adds up five of these. The first and
// the last sum of a row, for which columns are mirrored, are made one by one.
type neonDowner struct {
	*neonFunction
	half neon.R // the number of columns of the level
	// after is the distance from the first of the five pixels of the last sum to the fourth one,
	// which is mirrored if the number of columns is odd.
	after neon.R
	// The weights 4 and 6 in words, and 6 in bytes.
	four, six neon.V
	sixBytes  neon.V
}

// neonPixels is the number of pixels of a level that a neonDowner makes at a time.
const neonPixels = 16

const wordBytes = 2

// down emits the function that makes rows of a level.
func (f *neonFunction) down() {
	f.Begin("down")
	d := f.newDowner()
	sums := [5]neon.R{f.Field("sums")}
	for i := 1; i < len(sums); i++ {
		sums[i] = f.R()
		f.ADD(d.half.LSL(1), sums[i-1], sums[i])
	}
	f.Comment("The first three rows are smoothed.")
	for i := range 3 {
		f.Scope(func() { d.smoothRow(fmt.Sprint("smooth", i), f.Index("rows", i), sums[i]) })
	}

	rows := [2]neon.R{f.Index("rows", 3), f.Index("rows", 4)}
	to, n := f.Field("to"), f.Field("n")
	f.Label("row")
	f.Scope(func() { d.makeRow(rows, sums, to) })
	f.Scope(func() { d.advance(rows, sums, to) })
	f.Repeat("row", n, 1)
	f.RET()
}

// newDowner loads what all rows have in common.
func (f *neonFunction) newDowner() *neonDowner {
	d := &neonDowner{neonFunction: f, half: f.R(), after: f.R()}
	w := f.Field("w")
	f.ADD(neon.Imm(1), w, d.half)
	f.LSR(neon.Imm(1), d.half, d.half)
	f.AND(neon.Imm(1), w)
	f.MOVD(neon.Imm(3), d.after)
	f.SUB(w.LSL(1), d.after, d.after)
	f.FreeR(w)
	d.four, d.six, d.sixBytes = f.Spread(neon.H8, 4), f.Spread(neon.H8, 6), f.Fill(6)
	return d
}

// smoothRow emits the sums of a row.
func (d *neonDowner) smoothRow(label string, row, sums neon.R) {
	p, s, left := d.R(), d.R(), d.left()
	d.MOVD(row, p)
	d.ADD(neon.Imm(wordBytes), sums, s)
	d.within(label, left, neonPixels, func() {
		v := d.smooth(p)
		d.FSTPQ(v[0], v[1], s.Post(2*neon.Bytes))
	}, func() {
		d.ADD(left.LSL(1), p, p)
		d.ADD(left.LSL(1), s, s)
	})
	d.smoothFirst(row, sums)
	d.smoothLast(p, s)
}

// left returns a register with the number of sums but the first and the last one.
func (d *neonDowner) left() neon.R {
	left := d.R()
	d.SUB(neon.Imm(2), d.half, left)
	return left
}

// makeRow emits a row of the level, and the sums of the last two rows that it is made of.
func (d *neonDowner) makeRow(rows [2]neon.R, sums [5]neon.R, to neon.R) {
	left, pixels := d.left(), d.R()
	d.ADD(neon.Imm(1), to, pixels)
	var p [2]neon.R
	for i, row := range rows {
		p[i] = d.R()
		d.MOVD(row, p[i])
	}
	var s [5]neon.R
	for i, sum := range sums {
		s[i] = d.R()
		d.ADD(neon.Imm(wordBytes), sum, s[i])
	}
	d.within("columns", left, neonPixels, func() {
		var v [5][2]neon.V
		for i := range v {
			if i < 3 {
				v[i] = [2]neon.V{d.V(), d.V()}
				d.FLDPQ(s[i].Post(2*neon.Bytes), v[i][0], v[i][1])
				continue
			}
			v[i] = d.smooth(p[i-3])
			d.FSTPQ(v[i][0], v[i][1], s[i].Post(2*neon.Bytes))
		}
		var halves [2]neon.V
		for half := range halves {
			halves[half] = d.add([5]neon.V{v[0][half], v[1][half], v[2][half], v[3][half], v[4][half]})
		}
		d.ChangeTo(neon.Without8, halves[0], halves[0])
		d.ChangeTo(neon.LastWithout8, halves[1], halves[0])
		d.FMOVQ(halves[0], pixels.Post(neonPixels))
	}, func() {
		for _, r := range append(p[:], s[:]...) {
			d.ADD(left.LSL(1), r, r)
		}
		d.ADD(left, pixels)
	})
	d.FreeR(left)

	d.Comment("The first and the last pixels, with those whose columns are mirrored.")
	for i := range rows {
		d.smoothFirst(rows[i], sums[3+i])
		d.smoothLast(p[i], s[3+i])
	}
	const last = neon.Bytes/wordBytes - 1
	d.addEnd(sums, 0, to.At(0))
	d.addEnd(s, -last*wordBytes, pixels.At(-last))
}

// advance moves on by a row of the level. The sums of the last three rows become those of the
// first ones.
func (d *neonDowner) advance(rows [2]neon.R, sums [5]neon.R, to neon.R) {
	d.Comment("The next row.")
	step, stride := d.Field("step"), d.Field("stride")
	d.ADD(stride, to)
	for _, row := range rows {
		d.ADD(step, row)
	}
	first := [2]neon.R{d.R(), d.R()}
	for i, sum := range sums {
		if i < len(first) {
			d.MOVD(sum, first[i])
		}
		d.MOVD([...]neon.R{sums[2], sums[3], sums[4], first[0], first[1]}[i], sum)
	}
}

// smooth returns the sums of the pixels from p on, the first eight and the last ones, and moves
// p on.
func (d *neonDowner) smooth(p neon.R) [2]neon.V {
	sums := [2]neon.V{d.V(), d.V()}
	d.Scope(func() {
		// The pixels from the first, the third and the fourth of five on.
		var pixels [3][2]neon.V
		for i := range pixels {
			pixels[i] = [2]neon.V{d.V(), d.V()}
		}
		d.FLDPQ(p.Post(2*neonPixels), pixels[0][0], pixels[0][1])
		for i, column := range []int{2, 3} {
			for half, v := range pixels[1+i] {
				d.FMOVQ(p.At(column+half*neon.Bytes-2*neonPixels), v)
			}
		}
		var v [5]neon.V // every other one, from each of the five on
		for i, from := range []int{0, 0, 1, 2, 2} {
			v[i] = d.V()
			first, last := pixels[from][0], pixels[from][1]
			if i == 1 || i == 4 {
				d.VUZP2(neon.B16, last, first, v[i])
			} else {
				d.VUZP1(neon.B16, last, first, v[i])
			}
		}
		fours := d.V() // the sums of the pixels with this weight
		for half, sum := range sums {
			add, product := neon.ByteSums, neon.AddByteProducts
			if half == 1 {
				add, product = neon.LastByteSums, neon.AddLastByteProducts
			}
			d.Multiply(add, v[0], v[4], sum)
			d.Multiply(add, v[1], v[3], fours)
			d.Multiply(product, v[2], d.sixBytes, sum)
			d.Multiply(neon.AddWordProducts, fours, d.four, sum)
		}
	})
	return sums
}

// smoothFirst makes the first sum of a row, for which the two columns to the left mirror those
// to the right.
func (d *neonDowner) smoothFirst(row, sums neon.R) {
	d.Scope(func() {
		var v [3]neon.R
		for i := range v {
			v[i] = d.R()
			d.MOVBU(row.At(i), v[i])
		}
		d.ADD(v[1].LSL(2), v[2], v[2])
		d.ADD(v[0].LSL(1), v[2], v[2])
		d.ADD(v[0], v[2])
		d.LSL(neon.Imm(1), v[2], v[2])
		d.MOVH(v[2], sums.At(0))
	})
}

// smoothLast makes the last sum of a row, of the pixels from p on, of which one or two are
// mirrored. It changes p.
func (d *neonDowner) smoothLast(p, sums neon.R) {
	d.Scope(func() {
		// The weights 1 4 6 4 1 are 1 0 2 0 1 and four times 0 1 1 1 0.
		sum, fours, v := d.R(), d.R(), d.R()
		d.MOVBU(p.At(0), sum)
		d.MOVBU(p.At(1), fours)
		d.MOVBU(p.At(2), v)
		d.ADD(v.LSL(1), sum, sum)
		d.ADD(v, fours)
		d.ADD(d.after, p)
		d.MOVBU(p.At(-1), v)
		d.ADD(v, sum)
		d.MOVBU(p.At(0), v)
		d.ADD(v, fours)
		d.ADD(fours.LSL(2), sum, sum)
		d.MOVH(sum, sums.At(0))
	})
}

// add returns the pixels of the level, in words without their rounding, made of the sums of five
// rows, which it overwrites.
func (d *neonDowner) add(v [5]neon.V) neon.V {
	d.DoTo(op.AddWord, v[0], v[4], v[0])
	d.DoTo(op.AddWord, v[1], v[3], v[1])
	d.Multiply(neon.AddWordProducts, v[1], d.four, v[0])
	d.Multiply(neon.AddWordProducts, v[2], d.six, v[0])
	return v[0]
}

// addEnd makes eight pixels of the level of the sums at a distance from pointers.
func (d *neonDowner) addEnd(sums [5]neon.R, disp int, to neon.Mem) {
	d.Scope(func() {
		var v [5]neon.V
		for i, sum := range sums {
			v[i] = d.Load(sum, disp)
		}
		made := d.add(v)
		d.ChangeTo(neon.Without8, made, made)
		d.FMOVD(made, to)
	})
}
