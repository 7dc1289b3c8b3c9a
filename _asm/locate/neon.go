package main

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonFunction is a function for NEON.
type neonFunction struct {
	neon.Function
}

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	f := &neonFunction{neon.Function{Assembler: a}}
	a.Table("fourPlaces", []byte{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0})
	f.multiply()
	f.place()
	f.slide()
	f.window()
	f.accumulate()
	f.span()
	f.blocks()
	f.multiplyBlocks()
	f.stride()
	f.sumBlocks()
	f.measure()
	f.bound()
}

// eachChannel emits a loop over the channels. body is given what returns a register with the base
// pointer of a field's slice for the channel.
func (f *neonFunction) eachChannel(body func(base func(field string) neon.R)) {
	f.Scope(func() {
		left, channel := f.Field("channels"), f.R()
		f.MOVD(f.Run, channel)
		f.Label("channel")
		body(func(field string) neon.R {
			r := f.R()
			f.MOVD(channel.Field(f.Argument.Name()+"_"+field), r)
			return r
		})
		f.ADD(neon.Imm(sliceBytes), channel)
		f.Repeat("channel", left, 1)
	})
}

// zeros returns n registers with zeros.
func (f *neonFunction) zeros(n int) []neon.V {
	var list []neon.V
	for range n {
		list = append(list, f.Zero())
	}
	return list
}

// words makes the 16 bytes of v words, in two registers.
func (f *neonFunction) words(v neon.V) [2]neon.V {
	w := [2]neon.V{f.V(), f.V()}
	f.VUXTL(neon.B8, v, w[0])
	f.VUXTL2(neon.B16, v, w[1])
	return w
}

// quads makes the signed numbers of 32 bits in v numbers of 64 bits, in two registers.
func (f *neonFunction) quads(v neon.V) [2]neon.V {
	w := [2]neon.V{f.V(), f.V()}
	f.ChangeTo(neon.SignedQuads, v, w[0])
	f.ChangeTo(neon.LastSignedQuads, v, w[1])
	return w
}

// addTo adds v to the numbers at m.
func (f *neonFunction) addTo(o op.Binary, v neon.V, m neon.Mem) {
	f.Scope(func() {
		w := f.V()
		f.FMOVQ(m, w)
		f.DoTo(o, w, v, w)
		f.FMOVQ(w, m)
	})
}

// A neonSummer emits prefix sums of numbers.
type neonSummer struct {
	*neonFunction
	lanes neon.Lanes
	add   op.Binary
	bytes int
	zero  neon.V
}

// longSums and quadSums return those of numbers of 32 and of 64 bits.
func (f *neonFunction) longSums() *neonSummer {
	return &neonSummer{f, neon.S4, op.AddLong, 4, f.Zero()}
}

func (f *neonFunction) quadSums() *neonSummer {
	return &neonSummer{f, neon.D2, op.AddQuad, 8, f.Zero()}
}

// Sum returns the prefix sums of v. It adds the last of them to carry, which has the sum of the vectors
// before in all places.
func (s *neonSummer) Sum(v, carry neon.V) neon.V {
	sums, shifted := s.V(), s.V()
	from := v
	for n := s.bytes; n < neon.Bytes; n *= 2 {
		s.VEXT(neon.Bytes-n, from, s.zero, shifted)
		s.DoTo(s.add, from, shifted, sums)
		from = sums
	}
	s.VDUPElement(s.lanes, sums.Element(s.lanes, neon.Bytes/s.bytes-1), shifted)
	s.DoTo(s.add, sums, carry, sums)
	s.DoTo(s.add, carry, shifted, carry)
	return sums
}

// multiply emits the function that multiplies a template with windows, in tiles of blockRows rows
// of group places.
func (f *neonFunction) multiply() {
	f.Begin("multiply")
	k := f.V() // which must be one of the first registers
	pix, stride, values := f.Field("pix"), f.Field("stride"), f.Field("values")
	products, apart, n := f.Field("products"), f.Field("apart"), f.Field("n")
	f.LSL(neon.Imm(3), apart)

	f.Label("tile")
	var sums [blockRows][]neon.V
	for row := range sums {
		sums[row] = f.zeros(4)
	}
	rows, row, v, q, pairs := f.Field("rows"), f.R(), f.R(), f.R(), f.R()
	f.MOVD(pix, row)
	f.MOVD(values, v)
	f.Comment("A row of pixels.")
	f.Label("row")
	f.MOVD(row, q)
	f.MOVD(f.Place("pairs"), pairs)
	f.Comment("A pair of columns of the template.")
	f.Loop("pair")
	f.FMOVQ(v.Post(neon.Bytes), k)
	for i := range 2 {
		f.Scope(func() {
			for half, words := range f.words(f.Load(q, i)) {
				for row := range sums {
					f.Scale(neon.AddScaled, words, k, 2*row+i, sums[row][2*half])
					f.Scale(neon.AddLastScaled, words, k, 2*row+i, sums[row][2*half+1])
				}
			}
		})
	}
	f.ADD(neon.Imm(2), q)
	f.Repeat("pair", pairs, 1)
	f.ADD(stride, row)
	f.Repeat("row", rows, 1)

	f.Comment("They are added to the products.")
	f.MOVD(products, q)
	for row := range sums {
		for i, v := range sums[row] {
			f.Scope(func() {
				for j, w := range f.quads(v) {
					f.addTo(op.AddQuad, w, q.At((2*i+j)*neon.Bytes))
				}
			})
		}
		if row < blockRows-1 {
			f.ADD(apart, q)
		}
	}
	f.ADD(neon.Imm(group), pix)
	f.ADD(neon.Imm(8*group), products)
	f.SUBS(neon.Imm(group), n, n)
	f.BNE("tile")
	f.RET()
}

// place emits the function that makes the sums of one place.
func (f *neonFunction) place() {
	f.Begin("place")
	pix, stride, rows := f.Field("pix"), f.Field("stride"), f.Field("rows")
	values, mask, maskStride := f.Field("values"), f.Field("mask"), f.Field("maskStride")
	columns := f.Field("columns")
	f.LSL(neon.Imm(1), maskStride)
	products, squares := f.zeros(2), f.zeros(2)
	sums := f.Zero()
	f.Comment("A row.")
	f.Label("row")
	q, m, left := f.R(), f.R(), f.R()
	f.MOVD(pix, q)
	f.MOVD(mask, m)
	f.MOVD(columns, left)
	f.Loop("columns")
	bytes := f.V()
	f.FMOVQ(q.Post(group), bytes)
	for _, words := range f.words(bytes) {
		f.Scope(func() {
			v := f.V()
			f.FMOVQ(m.Post(neon.Bytes), v)
			f.DoTo(op.And, words, v, words)
			f.FMOVQ(values.Post(neon.Bytes), v)
			f.Multiply(neon.AddProducts, words, v, products[0])
			f.Multiply(neon.AddLastProducts, words, v, products[1])
			f.ChangeTo(neon.AddPairsOfWords, words, sums)
			f.Multiply(neon.AddProducts, words, words, squares[0])
			f.Multiply(neon.AddLastProducts, words, words, squares[1])
		})
	}
	f.Repeat("columns", left, group)
	f.ADD(stride, pix)
	f.ADD(maskStride, mask)
	f.Repeat("row", rows, 1)

	f.total("product", products...)
	f.total("sum", sums)
	f.total("sum2", squares...)
	f.RET()
}

// total emits the addition of the signed numbers of 32 bits in some registers to a field of 64 bits.
func (f *neonFunction) total(field string, vectors ...neon.V) {
	f.Comment(fmt.Sprintf("The %s.", field))
	f.Scope(func() {
		all := f.Zero()
		for _, v := range vectors {
			f.Scope(func() {
				for _, w := range f.quads(v) {
					f.DoTo(op.AddQuad, all, w, all)
				}
			})
		}
		sum := f.Field(field)
		for i := range 2 {
			r := f.R()
			f.VMOVElement(all.Element(neon.D2, i), r)
			f.ADD(r, sum)
		}
		f.MOVD(sum, f.Place(field))
	})
}

// slide emits the function that moves the sums of columns down by a row.
func (f *neonFunction) slide() {
	f.Begin("slide")
	all, some, alone := f.Field("squares"), f.Len("squares"), f.R()
	f.MOVWU(f.Place("alone"), alone)
	ones := f.Spread(neon.H8, 1)
	f.eachChannel(func(base func(string) neon.R) {
		entering, leaving, columns := base("entering"), base("leaving"), base("columns")
		squares, n := f.R(), f.Field("count")
		f.MOVD(all, squares)
		f.CBNZ(alone, "squaresAlone")
		f.CBZ(some, "columnsAlone")
		// vectors emits a loop that moves columns, or squares, or both.
		vectors := func(label string, moved, squared bool) {
			f.Scope(func() {
				f.Loop(label)
				in, out := f.V(), f.V()
				f.FMOVQ(entering.Post(group), in)
				f.FMOVQ(leaving.Post(group), out)
				for half, p := range [][2]neon.Product{{neon.ByteDifferences, neon.ByteSums}, {neon.LastByteDifferences, neon.LastByteSums}} {
					f.Scope(func() {
						difference, sum := f.V(), f.V()
						f.Multiply(p[0], in, out, difference)
						if squared {
							f.Multiply(p[1], in, out, sum)
						}
						for i, p := range []neon.Product{neon.AddProducts, neon.AddLastProducts} {
							at := (2*half + i) * neon.Bytes
							f.Scope(func() {
								if moved {
									f.addProducts(p, difference, ones, columns.At(at))
								}
								if squared {
									f.addProducts(p, difference, sum, squares.At(at))
								}
							})
						}
					})
				}
				if moved {
					f.ADD(neon.Imm(4*group), columns)
				}
				if squared {
					f.ADD(neon.Imm(4*group), squares)
				}
				f.Repeat(label, n, group)
			})
		}
		vectors("columns", true, true)
		f.JMP("slid")
		vectors("columnsAlone", true, false)
		f.JMP("slid")
		vectors("squaresAlone", false, true)
		f.Label("slid")
	})
	f.RET()
}

// addProducts adds products to the numbers at m.
func (f *neonFunction) addProducts(p neon.Product, x, y neon.V, m neon.Mem) {
	v := f.V()
	f.FMOVQ(m, v)
	f.Multiply(p, x, y, v)
	f.FMOVQ(v, m)
}

// first emits the sum of the first width numbers of 32 bits at columns, in every place of carry. last
// becomes the place behind them.
func (f *neonFunction) first(label string, columns, width, last neon.R, l neon.Lanes, carry neon.V) {
	f.Scope(func() {
		total, left, v := f.R(), f.R(), f.R()
		f.MOVD(neon.Imm(0), total)
		f.MOVD(width, left)
		f.MOVD(columns, last)
		f.Label(label)
		f.MOVWU(last.Post(4), v)
		f.ADD(v, total)
		f.Repeat(label, left, 1)
		f.VDUP(l, total, carry)
	})
}

// window emits the function that makes the sums of windows of those of columns, as that for amd64
// does.
func (f *neonFunction) window() {
	f.Begin("window")
	width, last, n := f.Field("width"), f.R(), f.R()
	carry := f.V()
	longs := func(label string, columns, sums neon.R) {
		f.first(label+"First", columns, width, last, neon.S4, carry)
		f.MOVD(f.Place("n"), n)
		f.sumLongs(label, columns, last, sums, n, carry)
	}
	f.MOVWU(f.Place("alone"), n)
	f.CBNZ(n, "alone")
	f.eachChannel(func(base func(string) neon.R) { longs("sums", base("columns"), base("sums")) })
	f.Label("alone")
	f.Comment("The squares.")
	squares, sums, low := f.Field("squares"), f.Field("sums2"), f.Len("low")
	f.CBZ(low, "quads")
	f.MOVD(f.Place("low"), low)
	longs("low", squares, low)
	f.RET()
	f.Label("quads")
	f.first("firstSquares", squares, width, last, neon.D2, carry)
	f.MOVD(f.Place("n"), n)
	s := f.quadSums()
	f.Loop("squares")
	in, out := f.V(), f.V()
	f.FMOVQ(last.Post(neon.Bytes), in)
	f.FMOVQ(squares.Post(neon.Bytes), out)
	for _, p := range []neon.Product{neon.LongDifferences, neon.LastLongDifferences} {
		f.Scope(func() {
			v := f.V()
			f.Multiply(p, in, out, v)
			w := s.Sum(v, carry)
			f.DoTo(op.SubQuad, w, v, w)
			f.FMOVQ(w, sums.Post(neon.Bytes))
		})
	}
	f.Repeat("squares", n, neon.Bytes/4)
	f.RET()
}

// sumLongs emits a loop that sets n of sums, numbers of 32 bits: carry, which has the first one in every
// place, and what the columns from last on have that enter, less those that leave.
func (f *neonFunction) sumLongs(label string, columns, last, sums, n neon.R, carry neon.V) {
	f.Scope(func() {
		s := f.longSums()
		f.Loop(label)
		v, w := f.V(), f.V()
		f.FMOVQ(last.Post(neon.Bytes), v)
		f.FMOVQ(columns.Post(neon.Bytes), w)
		f.DoTo(op.SubLong, v, w, v)
		f.DoTo(op.SubLong, s.Sum(v, carry), v, w)
		f.FMOVQ(w, sums.Post(neon.Bytes))
		f.Repeat(label, n, neon.Bytes/4)
	})
}

// accumulate emits the function that sums up pixels and their squares from the beginning of a row. All
// sums are one place behind the pixel that they end with.
func (f *neonFunction) accumulate() {
	f.Begin("accumulate")
	s := f.longSums()
	until2, n := f.R(), f.Field("count")
	f.MOVD(f.Place("until2"), until2)
	none := f.R()
	f.MOVD(neon.Imm(0), none)
	f.MOVW(none, until2.Post(4))
	squares := f.R()
	f.MOVD(until2, squares)
	f.Label("clear")
	f.FMOVQ(s.zero, squares.Post(neon.Bytes))
	f.Repeat("clear", n, neon.Bytes/4)
	carries := f.zeros(2)
	f.eachChannel(func(base func(string) neon.R) {
		pix, until := base("pix"), base("until")
		f.MOVD(until2, squares)
		f.MOVD(f.Place("count"), n)
		f.MOVW(none, until.Post(4))
		for _, c := range carries {
			f.VMOV(s.zero, c)
		}
		f.Loop("pixels")
		bytes := f.V()
		f.FMOVQ(pix.Post(group), bytes)
		for _, words := range f.words(bytes) {
			for i, p := range []neon.Product{neon.Products, neon.LastProducts} {
				f.Scope(func() {
					v, square := f.V(), f.V()
					if i == 0 {
						f.VUXTL(neon.H4, words, v)
					} else {
						f.VUXTL2(neon.H8, words, v)
					}
					f.FMOVQ(s.Sum(v, carries[0]), until.Post(neon.Bytes))
					f.Multiply(p, words, words, square)
					f.addTo(op.AddLong, s.Sum(square, carries[1]), squares.At(0))
					f.ADD(neon.Imm(neon.Bytes), squares)
				})
			}
		}
		f.Repeat("pixels", n, group)
	})
	f.RET()
}

// span emits the function that adds the sums of spans, which are differences, to those of windows.
func (f *neonFunction) span() {
	f.Begin("span")
	begin, count, n := f.Field("spans"), f.Len("spans"), f.R()
	// within emits the loop over the places, with sums from the beginning of rows.
	within := func(label string, until, to neon.R) {
		f.MOVD(f.Place("n"), n)
		f.Label(label)
		sums := f.zeros(group * 4 / neon.Bytes)
		p, left, from, end := f.R(), f.R(), f.R(), f.R()
		f.MOVD(begin, p)
		f.MOVD(count, left)
		f.Loop(label + "Span")
		f.MOVD(p.Field("interval_begin"), from)
		f.MOVD(p.Field("interval_end"), end)
		f.ADD(neon.Const("interval__size"), p)
		f.ADD(from.LSL(2), until, from)
		f.ADD(end.LSL(2), until, end)
		for i := range sums {
			f.Scope(func() {
				f.DoTo(op.AddLong, sums[i], f.Load(end, i*neon.Bytes), sums[i])
				f.DoTo(op.SubLong, sums[i], f.Load(from, i*neon.Bytes), sums[i])
			})
		}
		f.Repeat(label+"Span", left, 1)
		for _, v := range sums {
			f.addTo(op.AddLong, v, to.At(0))
			f.ADD(neon.Imm(neon.Bytes), to)
		}
		f.ADD(neon.Imm(4*group), until)
		f.Repeat(label, n, group)
	}
	f.eachChannel(func(base func(string) neon.R) { within("sums", base("until"), base("sums")) })
	f.Comment("The squares.")
	f.Scope(func() { within("squares", f.Field("until2"), f.Field("low")) })
	f.RET()
}

// blocks emits the function that makes a row of the planes of blocks, as that for amd64 does.
func (f *neonFunction) blocks() {
	f.Begin("blocks")
	side, columns, sums, n := f.Field("side"), f.Field("columns"), f.Field("sums"), f.Field("n")
	last, carry := f.R(), f.V()
	f.first("first", columns, side, last, neon.S4, carry)
	f.Scope(func() {
		count := f.R()
		f.ADD(side, n, count)
		f.ADD(neon.Imm(neon.Bytes/4-1), count)
		f.AND(neon.Imm(-neon.Bytes/4), count)
		f.sumLongs("sums", columns, last, sums, count, carry)
	})
	pairs, next := f.Field("pairs"), f.R()
	f.MOVD(f.Place("sums"), sums)
	f.ADD(side.LSL(2), sums, next)
	shift, signs := f.V(), f.Spread(neon.S4, signs)
	r := f.Field("shift")
	f.NEG(r, r)
	f.VDUP(neon.S4, r, shift)
	f.Loop("blocks")
	f.Scope(func() {
		v, second := f.V(), f.V()
		f.FMOVQ(sums.Post(neon.Bytes), v)
		f.FMOVQ(next.Post(neon.Bytes), second)
		first := f.Do(op.ShiftLong, v, shift)
		f.DoTo(op.ShiftLong, second, shift, second)
		f.VSHL(neon.S4, 16, second, second)
		f.DoTo(op.Or, first, second, first)
		f.DoTo(op.Xor, first, signs, first)
		f.FMOVQ(first, pairs.Post(neon.Bytes))
	})
	f.Repeat("blocks", n, neon.Bytes/4)
	f.RET()
}

// multiplyBlocks emits the function that makes the products of blocks, for a group of places at a time.
func (f *neonFunction) multiplyBlocks() {
	f.Begin("multiplyBlocks")
	k := f.V() // which must be one of the first registers
	pairs, step, down := f.Field("pairs"), f.Field("step"), f.Field("down")
	products, more, n := f.Field("products"), f.Field("more"), f.Field("n")
	f.LSL(neon.Imm(2), step)
	f.LSL(neon.Imm(2), down)
	f.Label("group")
	var sums [group * 4 / neon.Bytes]neon.V
	for i := range sums {
		sums[i] = f.V()
		f.FMOVQ(more.Post(neon.Bytes), sums[i])
	}
	c, left, p, rows, row := f.Field("coefficients"), f.R(), f.R(), f.Field("rows"), f.R()
	f.MOVD(pairs, row)
	f.Label("row")
	f.MOVD(f.Place("columns"), left)
	f.MOVD(row, p)
	f.Loop("pairs")
	f.FMOVS(c.Post(4), k)
	for i := 0; i < len(sums); i += 2 {
		f.Scope(func() {
			v, w := f.Load(p, i*neon.Bytes), f.Load(p, (i+1)*neon.Bytes)
			first, second := f.V(), f.V()
			f.VUZP1(neon.H8, w, v, first)
			f.VUZP2(neon.H8, w, v, second)
			for j, words := range []neon.V{first, second} {
				f.Scale(neon.AddScaled, words, k, j, sums[i])
				f.Scale(neon.AddLastScaled, words, k, j, sums[i+1])
			}
		})
	}
	f.ADD(step, p)
	f.Repeat("pairs", left, 1)
	f.ADD(down, row)
	f.Repeat("row", rows, 1)
	for _, v := range sums {
		f.FMOVQ(v, products.Post(neon.Bytes))
	}
	f.ADD(neon.Imm(4*group), pairs)
	f.Repeat("group", n, group)
	f.RET()
}

// stride emits the function that makes the sums of the squares of blocks.
func (f *neonFunction) stride() {
	f.Begin("stride")
	columns, count := f.R(), f.R()
	f.Comment("The sums of columns.")
	f.eachChannel(func(base func(string) neon.R) {
		entering, leaving := base("entering"), base("leaving")
		signs, reciprocal, zero := f.Spread(neon.S4, signs), f.Broadcast("reciprocal"), f.Zero()
		f.MOVD(f.Place("columns"), columns)
		f.MOVD(f.Place("count"), count)
		f.Loop("columns")
		squares := func(p neon.R) neon.V {
			v := f.V()
			f.FMOVQ(p.Post(neon.Bytes), v)
			f.DoTo(op.Xor, v, signs, v)
			f.VTRN1(neon.H8, zero, v, v)
			f.ChangeTo(neon.ToFloat, v, v)
			f.DoTo(op.MulFloat, v, v, v)
			f.DoTo(op.MulFloat, v, reciprocal, v)
			f.ChangeTo(neon.Truncate, v, v)
			return v
		}
		f.Scope(func() { f.addTo(op.AddLong, f.Do(op.SubLong, squares(entering), squares(leaving)), columns.At(0)) })
		f.ADD(neon.Imm(neon.Bytes), columns)
		f.Repeat("columns", count, neon.Bytes/4)
	})
	n := f.Field("n")
	f.CBZ(n, "done")
	f.MOVD(f.Place("columns"), columns)
	f.strides("", columns, f.Field("sums"), f.Field("side"), f.Field("blocks"), n)
	f.Label("done")
	f.RET()
}

// sumBlocks emits the function that makes the sums of blocks and of their squares.
func (f *neonFunction) sumBlocks() {
	f.Begin("sumBlocks")
	f.Comment("The columns.")
	f.eachChannel(func(base func(string) neon.R) {
		entering, leaving, columns := base("entering"), base("leaving"), base("columns")
		squares, count := f.Field("squares"), f.Field("count")
		words, ones := f.Broadcast("words"), f.Spread(neon.H8, 1)
		f.Loop("columns")
		f.Scope(func() {
			in, out := f.V(), f.V()
			f.FMOVQ(entering.Post(neon.Bytes), in)
			f.FMOVQ(leaving.Post(neon.Bytes), out)
			f.DoTo(op.And, in, words, in)
			f.DoTo(op.And, out, words, out)
			difference := f.Do(op.SubWord, in, out)
			f.DoTo(op.AddWord, in, out, in)
			// pairs adds the sums of the products of two words to numbers.
			pairs := func(v, w neon.V, to neon.R) {
				first, last := f.V(), f.V()
				f.Multiply(neon.Products, v, w, first)
				f.Multiply(neon.LastProducts, v, w, last)
				f.VADDP(neon.S4, last, first, first)
				f.addTo(op.AddLong, first, to.At(0))
				f.ADD(neon.Imm(neon.Bytes), to)
			}
			pairs(difference, in, squares)
			pairs(difference, ones, columns)
		})
		f.Repeat("columns", count, neon.Bytes/4)
		f.FreeR(entering, leaving, columns, squares)
		n := f.Field("n")
		f.CBZ(n, "moved")
		f.strides("", base("columns"), base("sums"), f.Field("step"), f.Field("strides"), n)
		f.Label("moved")
	})
	f.Comment("The squares.")
	n := f.Field("n")
	f.CBZ(n, "done")
	f.strides("squares", f.Field("squares"), f.Field("sums2"), f.Field("step"), f.Field("strides"), n)
	f.Label("done")
	f.RET()
}

// strides emits what sets n of sums to those of count columns that are step apart. It changes columns, sums
// and n. Its labels begin with label.
func (f *neonFunction) strides(label string, columns, sums, step, count, n neon.R) {
	label += "Stride"
	// change emits what adds what enters and subtracts what leaves, for n numbers.
	change := func(n int, entering, leaving, before, to neon.R) {
		f.Scope(func() {
			if n == 1 {
				v, w := f.R(), f.R()
				f.MOVWU(entering.Post(4), v)
				f.MOVWU(leaving.Post(4), w)
				f.SUB(w, v)
				f.MOVWU(before.Post(4), w)
				f.ADD(w, v)
				f.MOVW(v, to.Post(4))
				return
			}
			v, w := f.V(), f.V()
			f.FMOVQ(entering.Post(neon.Bytes), v)
			f.FMOVQ(leaving.Post(neon.Bytes), w)
			f.DoTo(op.SubLong, v, w, v)
			f.FMOVQ(before.Post(neon.Bytes), w)
			f.DoTo(op.AddLong, v, w, v)
			f.FMOVQ(v, to.Post(neon.Bytes))
		})
	}
	f.Scope(func() {
		f.Comment("The first sums.")
		before, first, bytes, more := f.R(), f.R(), f.R(), f.R()
		f.CMP(n, step)
		f.CSEL(neon.LT, step, n, first)
		f.LSL(neon.Imm(2), step, bytes)
		f.SUB(first, n)
		f.MOVD(sums, before)
		f.MOVD(columns, more)
		f.Label(label + "Place")
		sum, left, p, v := f.R(), f.R(), f.R(), f.R()
		f.MOVD(neon.Imm(0), sum)
		f.MOVD(count, left)
		f.MOVD(more, p)
		f.Label(label + "Column")
		f.MOVWU(p.At(0), v)
		f.ADD(v, sum)
		f.ADD(bytes, p)
		f.Repeat(label+"Column", left, 1)
		f.MOVW(sum, sums.Post(4))
		f.ADD(neon.Imm(4), more)
		f.Repeat(label+"Place", first, 1)

		f.Comment("The others: what those step columns to the left have, more by a column and less by one.")
		f.CBZ(n, label+"Done")
		f.MUL(count, bytes, v)
		f.ADD(v, columns, more)
		f.CMP(neon.Imm(4), step)
		f.BLT(label + "One")
		f.Each(n, label+"Others", 4, func(count int) {
			if count == 1 {
				f.Label(label + "One")
			}
			change(count, more, columns, before, sums)
		})
		f.Label(label + "Done")
	})
}

// A neonBounder emits what the bounds of four places are made of.
type neonBounder struct {
	*neonFunction
	difference neon.R // not 0 for Difference
	x          neon.R
	zero       neon.V

	// Of the places, floats.
	numerator, norm, rest neon.V
	root                  neon.V // of the norm
}

// bound emits the function that makes bounds.
func (f *neonFunction) bound() {
	f.Begin("bound")
	b := &neonBounder{neonFunction: f, difference: f.R(), x: f.R(), zero: f.Zero()}
	f.MOVWU(f.Place("largest"), b.difference)
	products, norms, rests := f.Field("products"), f.Field("norms"), f.Field("rests")
	to, n := f.Field("bounds"), f.Field("n")
	f.MOVD(neon.Imm(0), b.x)
	// The best places, of every fourth each, and what their bounds must be more than.
	most, bar := f.Spread(neon.S4, uint64(math.Float32bits(-2))), f.Broadcast("bar")
	estimate, at, index := f.V(), f.Fill(255), f.LoadTable("fourPlaces")
	f.VMOV(most, estimate)
	fours, end := f.Spread(neon.S4, 4), f.V()
	f.VDUP(neon.S4, n, end)

	f.Loop("places")
	for _, v := range []*neon.V{&b.numerator, &b.norm, &b.rest, &b.root} {
		*v = f.V()
	}
	b.window(products)
	f.FMOVQ(norms.Post(neon.Bytes), b.norm)
	f.FMOVQ(rests.Post(neon.Bytes), b.rest)
	f.ChangeTo(neon.Sqrt, b.norm, b.root)
	q, bounds, flat, valid := f.V(), f.V(), f.V(), f.V()
	f.ChangeTo(neon.Sqrt, b.rest, q)
	b.with(op.MulFloat, q, "q")
	f.DoTo(op.AddFloat, b.numerator, q, bounds)
	b.score("bound", bounds)
	f.Comment("A window without variation has the score 0, but for Difference.")
	f.DoTo(op.NotLessFloat, b.zero, b.norm, flat)
	f.CBZ(b.difference, "flat")
	f.VMOV(b.zero, flat)
	f.Label("flat")
	f.VBIT(flat, b.zero, bounds)
	b.with(op.AddFloat, bounds, "slack")

	f.Comment("The last places are not all there.")
	f.DoTo(op.HigherLong, end, index, valid)
	f.Scope(func() {
		left := f.R()
		f.SUB(b.x, n, left)
		f.ADD(neon.Imm(4), b.x)
		f.CMP(neon.Imm(4), left)
		f.BLT("partial")
		f.FMOVQ(bounds, to.Post(neon.Bytes))
		f.JMP("stored")
		f.Label("partial")
		v := f.V()
		f.VMOV(bounds, v)
		f.Label("one")
		f.FMOVS(v, to.Post(4))
		f.VEXT(4, v, v, v)
		f.Repeat("one", left, 1)
		f.Label("stored")
	})
	f.Scope(func() {
		larger := f.Do(op.GreaterFloat, bounds, most)
		f.DoTo(op.And, larger, valid, larger)
		f.VBIT(larger, bounds, most)
	})

	f.Comment("Does any place matter?")
	f.Scope(func() {
		larger, any := f.Do(op.GreaterFloat, bounds, bar), f.R()
		f.DoTo(op.And, valid, larger, valid)
		f.VBIT(flat, b.zero, valid)
		f.VADDP(neon.S4, valid, valid, larger)
		f.FMOVD(larger, any)
		f.CBZ(any, "next")
	})
	f.Scope(func() {
		b.with(op.SubFloat, b.rest, "lost")
		larger := f.Do(op.GreaterFloat, b.zero, b.rest)
		f.VBIT(larger, b.zero, b.rest)
		f.ChangeTo(neon.Sqrt, b.rest, q)
		b.with(op.MulFloat, q, "q")
		means, one := f.Do(op.SubFloat, b.norm, b.rest), f.Spread(neon.S4, uint64(math.Float32bits(1)))
		f.DoTo(op.GreaterFloat, one, means, larger)
		f.VBIT(larger, one, means)
		f.ChangeTo(neon.Sqrt, means, means)
		b.with(op.MulFloat, means, "p")
		f.DoTo(op.DivFloat, q, means, means)
		f.DoTo(op.AddFloat, means, one, means)
		f.DoTo(op.MulFloat, means, b.numerator, means)
		b.score("estimate", means)
		f.DoTo(op.GreaterFloat, means, bounds, larger)
		f.VBIT(larger, bounds, means)
		f.DoTo(op.GreaterFloat, means, estimate, larger)
		f.DoTo(op.And, larger, valid, larger)
		f.VBIT(larger, means, estimate)
		f.VBIT(larger, index, at)
		f.DoTo(op.GreaterFloat, estimate, bar, larger)
		f.VBIT(larger, estimate, bar)
	})
	f.Label("next")
	f.DoTo(op.AddLong, index, fours, index)
	f.CMP(n, b.x)
	f.BLT("places")
	f.finish(most, estimate, at)
	f.RET()
}

// with emits an operation on v and a field, a float, which replaces v.
func (b *neonBounder) with(o op.Binary, v neon.V, name string) {
	b.Scope(func() { b.DoTo(o, v, b.Broadcast(name), v) })
}

// element returns a register with an element of a field, of 32 bits, in every place.
func (b *neonBounder) element(name string, c int) neon.V {
	v := b.V()
	b.Scope(func() {
		r := b.R()
		b.MOVWU(b.ElementPlace(name, c), r)
		b.VDUP(neon.S4, r, v)
	})
	return v
}

// eachChannel emits what body does for each channel.
func (b *neonBounder) eachChannel(body func(c int)) {
	for c := range 3 {
		b.Scope(func() {
			if c == 1 {
				channels := b.Field("channels")
				b.CMP(neon.Imm(1), channels)
				b.BEQ("windows")
			}
			body(c)
		})
	}
	b.Label("windows")
}

// unless emits what body does if a field, of 32 bits, is not 0.
func (b *neonBounder) unless(field, label string, body func()) {
	b.Scope(func() {
		r := b.R()
		b.MOVWU(b.Place(field), r)
		b.CBZ(r, label)
		body()
		b.Label(label)
	})
}

// channel returns a register with the address of the numbers of the places, of some bytes each, in a slice, an
// element of an array.
func (b *neonBounder) channel(field string, c, bytes int) neon.R {
	p := b.R()
	b.MOVD(b.ElementPlace(field, c), p)
	if bytes == 1 {
		b.ADD(b.x, p)
	} else {
		b.ADD(b.x.LSL(2), p)
	}
	return p
}

// window sets the numerators of four places.
func (b *neonBounder) window(products neon.R) {
	b.Scope(func() {
		product := b.V()
		b.FMOVQ(products.Post(neon.Bytes), product)
		margin := b.Broadcast("margin")
		b.eachChannel(func(c int) {
			mean := b.V()
			b.FMOVS(b.channel("means", c, 1).At(0), mean)
			b.VUXTL(neon.B8, mean, mean)
			b.VUXTL(neon.H4, mean, mean)
			b.Multiply(neon.AddLongProducts, mean, b.element("meanProducts", c), product)
			b.unless("offset", fmt.Sprint("even", c), func() {
				b.ChangeTo(neon.ToFloat, mean, mean)
				b.DoTo(op.MulFloat, mean, b.element("meanOffsets", c), mean)
				b.DoTo(op.AddFloat, margin, mean, margin)
			})
			b.unless("rest", fmt.Sprint("whole", c), func() {
				lack := b.Load(b.channel("lacks", c, 4), 0)
				b.DoTo(op.MulFloat, lack, b.element("restMeans", c), lack)
				b.DoTo(op.AddFloat, margin, lack, margin)
			})
		})
		b.ChangeTo(neon.ToFloat, product, product)
		b.with(op.MulFloat, product, "scale")
		b.DoTo(op.AddFloat, product, margin, b.numerator)
	})
}

// measure emits the function that makes what bounds need to know of windows.
func (f *neonFunction) measure() {
	f.Begin("measure")
	b := &neonBounder{neonFunction: f, x: f.R(), zero: f.Zero()}
	sums2, from, norms, rests := f.Field("sums2"), f.Field("squares"), f.Field("norms"), f.Field("rests")
	n := f.Field("n")
	f.MOVD(neon.Imm(0), b.x)
	f.Loop("places")
	f.Scope(func() {
		squares, left, all, less, leftLess := f.V(), f.V(), f.V(), f.V(), f.V()
		f.FMOVQ(sums2.Post(neon.Bytes), squares)
		f.VMOV(squares, left)
		for _, v := range []neon.V{all, less, leftLess} {
			f.VMOV(b.zero, v)
		}
		b.eachChannel(func(c int) {
			sum := f.Load(b.channel("sums", c, 4), 0)
			mean := b.mean(sum, "reciprocal")
			f.Scope(func() {
				bytes := f.V()
				f.VUZP1(neon.H8, mean, mean, bytes)
				f.VUZP1(neon.B16, bytes, bytes, bytes)
				f.FMOVS(bytes, b.channel("means", c, 1).At(0))
				lack := b.lack(sum, mean, "pixels")
				more := f.Do(op.AddLong, sum, lack)
				b.addSquares(lack, "reciprocal", less)
				f.DoTo(op.SubLong, b.zero, mean, lack)
				f.Multiply(neon.AddLongProducts, lack, more, squares)
				f.ChangeTo(neon.ToFloat, mean, lack)
				f.ChangeTo(neon.ToFloat, more, more)
				f.DoTo(op.MulFloat, more, lack, more)
				f.DoTo(op.AddFloat, all, more, all)
			})
			b.unless("rest", fmt.Sprint("whole", c), func() {
				f.DoTo(op.SubLong, sum, f.Load(b.channel("inner", c, 4), 0), sum)
				lack := b.lack(sum, mean, "rest")
				f.ChangeTo(neon.ToFloat, lack, lack)
				f.FMOVQ(lack, b.channel("lacks", c, 4).At(0))
				mean = b.mean(sum, "restReciprocal")
				lack = b.lack(sum, mean, "rest")
				f.DoTo(op.AddLong, sum, lack, sum)
				f.DoTo(op.SubLong, b.zero, mean, mean)
				f.Multiply(neon.AddLongProducts, mean, sum, left)
				b.addSquares(lack, "restReciprocal", leftLess)
			})
		})
		blocks, factor := f.V(), f.Broadcast("factor")
		f.FMOVQ(from.Post(neon.Bytes), blocks)
		f.DoTo(op.SubLong, b.zero, blocks, blocks)
		f.Multiply(neon.AddLongProducts, left, factor, blocks)
		f.VUSHR(neon.S4, 1, blocks, left)
		f.DoTo(op.AddLong, left, f.Spread(neon.S4, 1), left)
		f.ChangeTo(neon.ToFloat, squares, squares)
		f.ChangeTo(neon.ToFloat, left, left)
		b.with(op.MulFloat, left, "unit")
		norm := f.Do(op.SubFloat, squares, less)
		b.unless("raw", "centered", func() { f.DoTo(op.AddFloat, squares, all, norm) })
		f.FMOVQ(norm, norms.Post(neon.Bytes))
		f.DoTo(op.SubFloat, left, leftLess, left)
		larger := f.Do(op.GreaterFloat, b.zero, left)
		f.VBIT(larger, b.zero, left)
		f.DoTo(op.GreaterFloat, left, norm, larger)
		f.VBIT(larger, norm, left)
		f.DoTo(op.AddFloat, left, f.Spread(neon.S4, uint64(math.Float32bits(1e-3))), left)
		f.FMOVQ(left, rests.Post(neon.Bytes))
	})
	f.ADD(neon.Imm(4), b.x)
	f.CMP(n, b.x)
	f.BLT("places")
	f.RET()
}

// mean returns sums times a reciprocal, rounded to integers.
func (b *neonBounder) mean(sum neon.V, reciprocal string) neon.V {
	v := b.V()
	b.ChangeTo(neon.ToFloat, sum, v)
	b.with(op.MulFloat, v, reciprocal)
	b.ChangeTo(neon.Round, v, v)
	return v
}

// lack returns sums less the means of a number of pixels.
func (b *neonBounder) lack(sum, mean neon.V, pixels string) neon.V {
	v := b.V()
	b.VMOV(sum, v)
	b.Scope(func() {
		r, minus := b.R(), b.V()
		b.MOVWU(b.Place(pixels), r)
		b.NEG(r, r)
		b.VDUP(neon.S4, r, minus)
		b.Multiply(neon.AddLongProducts, mean, minus, v)
	})
	return v
}

// addSquares makes numbers floats and adds their squares, times a reciprocal, to a sum.
func (b *neonBounder) addSquares(v neon.V, reciprocal string, sum neon.V) {
	b.ChangeTo(neon.ToFloat, v, v)
	b.Scope(func() {
		w := b.Do(op.MulFloat, v, v)
		b.with(op.MulFloat, w, reciprocal)
		b.DoTo(op.AddFloat, sum, w, sum)
	})
}

// score replaces numerators by scores. Its labels begin with label.
func (b *neonBounder) score(label string, numerator neon.V) {
	b.Scope(func() {
		v := b.V()
		b.CBNZ(b.difference, label+"Difference")
		b.DoTo(op.DivFloat, numerator, b.root, numerator)
		b.JMP(label + "Scored")
		b.Label(label + "Difference")
		b.VMOV(b.root, v)
		b.with(op.MulFloat, v, "error")
		b.DoTo(op.AddFloat, numerator, v, numerator)
		b.VMOV(b.norm, v)
		b.with(op.AddFloat, v, "sum2")
		b.DoTo(op.AddFloat, numerator, numerator, numerator)
		b.DoTo(op.SubFloat, v, numerator, v)
		b.with(op.DivFloat, v, "largest")
		b.DoTo(op.SubFloat, b.Spread(neon.S4, uint64(math.Float32bits(1))), v, numerator)
		b.Label(label + "Scored")
	})
}

// finish stores the best of the places. Of equal estimates the first one counts.
func (f *neonFunction) finish(most, estimate, at neon.V) {
	for _, bytes := range []int{8, 4} {
		f.Scope(func() {
			shift := func(v neon.V) neon.V {
				w := f.V()
				f.VEXT(bytes, v, v, w)
				return w
			}
			other := shift(most)
			larger := f.Do(op.GreaterFloat, other, most)
			f.VBIT(larger, other, most)
			other, place := shift(estimate), shift(at)
			f.DoTo(op.GreaterFloat, other, estimate, larger)
			equal := f.Do(op.NotLessFloat, other, estimate)
			f.DoTo(op.And, equal, f.Do(op.HigherLong, at, place), equal)
			f.DoTo(op.Or, larger, equal, larger)
			f.VBIT(larger, other, estimate)
			f.VBIT(larger, place, at)
		})
	}
	f.FMOVS(most, f.Place("most"))
	f.FMOVS(estimate, f.Place("estimate"))
	r := f.R()
	f.FMOVS(at, r)
	f.MOVW(r, r)
	f.MOVD(r, f.Place("at"))
}
