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
	all := f.Field("squares")
	ones := f.Spread(neon.H8, 1)
	f.eachChannel(func(base func(string) neon.R) {
		entering, leaving, columns := base("entering"), base("leaving"), base("columns")
		squares, n := f.R(), f.Field("count")
		f.MOVD(all, squares)
		f.Loop("columns")
		in, out := f.V(), f.V()
		f.FMOVQ(entering.Post(group), in)
		f.FMOVQ(leaving.Post(group), out)
		for half, p := range [][2]neon.Product{{neon.ByteDifferences, neon.ByteSums}, {neon.LastByteDifferences, neon.LastByteSums}} {
			f.Scope(func() {
				difference, sum := f.V(), f.V()
				f.Multiply(p[0], in, out, difference)
				f.Multiply(p[1], in, out, sum)
				for i, p := range []neon.Product{neon.AddProducts, neon.AddLastProducts} {
					at := (2*half + i) * neon.Bytes
					f.Scope(func() {
						f.addProducts(p, difference, ones, columns.At(at))
						f.addProducts(p, difference, sum, squares.At(at))
					})
				}
			})
		}
		f.ADD(neon.Imm(4*group), columns)
		f.ADD(neon.Imm(4*group), squares)
		f.Repeat("columns", n, group)
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
	f.eachChannel(func(base func(string) neon.R) {
		columns, sums := base("columns"), base("sums")
		f.first("first", columns, width, last, neon.S4, carry)
		f.MOVD(f.Place("n"), n)
		s := f.longSums()
		f.Loop("sums")
		v, w := f.V(), f.V()
		f.FMOVQ(last.Post(neon.Bytes), v)
		f.FMOVQ(columns.Post(neon.Bytes), w)
		f.DoTo(op.SubLong, v, w, v)
		f.DoTo(op.SubLong, s.Sum(v, carry), v, w)
		f.FMOVQ(w, sums.Post(neon.Bytes))
		f.Repeat("sums", n, neon.Bytes/4)
	})
	f.Comment("The squares.")
	squares, sums := f.Field("squares"), f.Field("sums2")
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
	// within emits the loop over the places, with the sums from the beginning of the row.
	within := func(label string, until neon.R, add func(v neon.V)) {
		f.MOVD(f.Place("n"), n)
		f.Label(label)
		sums := f.zeros(group * 4 / neon.Bytes)
		p, left, from, to := f.R(), f.R(), f.R(), f.R()
		f.MOVD(begin, p)
		f.MOVD(count, left)
		f.Loop(label + "Span")
		f.MOVW(p.Field("span_begin"), from)
		f.MOVW(p.Field("span_end"), to)
		f.ADD(neon.Const("span__size"), p)
		f.ADD(from.LSL(2), until, from)
		f.ADD(to.LSL(2), until, to)
		for i := range sums {
			f.Scope(func() {
				f.DoTo(op.AddLong, sums[i], f.Load(to, i*neon.Bytes), sums[i])
				f.DoTo(op.SubLong, sums[i], f.Load(from, i*neon.Bytes), sums[i])
			})
		}
		f.Repeat(label+"Span", left, 1)
		for _, v := range sums {
			add(v)
		}
		f.ADD(neon.Imm(4*group), until)
		f.Repeat(label, n, group)
	}
	f.eachChannel(func(base func(string) neon.R) {
		until, sums := base("until"), base("sums")
		within("sums", until, func(v neon.V) {
			f.addTo(op.AddLong, v, sums.At(0))
			f.ADD(neon.Imm(neon.Bytes), sums)
		})
	})
	f.Comment("The squares.")
	f.Scope(func() {
		until, sums := f.Field("until2"), f.Field("sums2")
		within("squares", until, func(v neon.V) {
			f.Scope(func() {
				for _, w := range f.quads(v) {
					f.addTo(op.AddQuad, w, sums.At(0))
					f.ADD(neon.Imm(neon.Bytes), sums)
				}
			})
		})
	})
	f.RET()
}

// blocks emits the function that makes a row of the planes of blocks, as that for amd64 does.
func (f *neonFunction) blocks() {
	f.Begin("blocks")
	side, n := f.Field("side"), f.Field("n")
	pairs, squares := f.Field("pairs"), f.Field("squares")
	s := f.longSums()
	var columns [3]neon.R
	var carries [2]neon.V
	columns[0] = f.Field("columns")
	for i := range carries {
		columns[i+1], carries[i] = f.R(), f.V()
		f.first(fmt.Sprint("first", i), columns[i], side, columns[i+1], neon.S4, carries[i])
	}
	shift, reciprocal := f.V(), f.V()
	r := f.Field("shift")
	f.NEG(r, r)
	f.VDUP(neon.S4, r, shift)
	f.MOVD(f.Place("reciprocal"), r)
	f.VDUP(neon.D2, r, reciprocal)
	f.Loop("blocks")
	f.Scope(func() {
		var vectors, sums [2]neon.V
		at := [3]neon.V{}
		for i, p := range columns {
			at[i] = f.V()
			f.FMOVQ(p.Post(neon.Bytes), at[i])
		}
		for i, carry := range carries {
			vectors[i] = f.Do(op.SubLong, at[i+1], at[i])
			sums[i] = s.Sum(vectors[i], carry)
			f.DoTo(op.SubLong, sums[i], vectors[i], sums[i])
		}
		first, second := f.Do(op.ShiftLong, sums[0], shift), f.Do(op.ShiftLong, sums[1], shift)
		f.VSHL(neon.S4, 16, second, second)
		f.DoTo(op.Or, first, second, first)
		f.FMOVQ(first, pairs.Post(neon.Bytes))
		halves := f.quads(sums[0])
		for _, v := range halves {
			f.ChangeTo(neon.ToDouble, v, v)
			f.DoTo(op.MulDouble, v, v, v)
			f.DoTo(op.MulDouble, v, reciprocal, v)
			f.ChangeTo(neon.TruncateDouble, v, v)
		}
		all := f.V()
		f.ChangeTo(neon.LowerHalves, halves[0], all)
		f.ChangeTo(neon.LastLowerHalves, halves[1], all)
		f.addTo(op.AddLong, all, squares.At(0))
	})
	f.ADD(neon.Imm(neon.Bytes), squares)
	f.Repeat("blocks", n, neon.Bytes/4)
	f.RET()
}

// multiplyBlocks emits the function that adds the products of a row of blocks, for a group of places
// at a time.
func (f *neonFunction) multiplyBlocks() {
	f.Begin("multiplyBlocks")
	k := f.V() // which must be one of the first registers
	coefficients, count := f.Field("coefficients"), f.Len("coefficients")
	pairs, step := f.Field("pairs"), f.Field("step")
	products, n := f.Field("products"), f.Field("n")
	f.LSL(neon.Imm(2), step)
	f.Label("group")
	var sums [group * 4 / neon.Bytes]neon.V
	for i := range sums {
		sums[i] = f.Load(products, i*neon.Bytes)
	}
	c, left, p := f.R(), f.R(), f.R()
	f.MOVD(coefficients, c)
	f.MOVD(count, left)
	f.MOVD(pairs, p)
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
	f.Repeat("pairs", left, 2)
	for _, v := range sums {
		f.FMOVQ(v, products.Post(neon.Bytes))
	}
	f.ADD(neon.Imm(4*group), pairs)
	f.Repeat("group", n, group)
	f.RET()
}

// stride emits the function that makes the sums of blocks.
func (f *neonFunction) stride() {
	f.Begin("stride")
	entering, leaving := f.Field("entering"), f.Field("leaving")
	columns, count := f.Field("columns"), f.Field("count")
	f.Comment("The sums of columns.")
	f.Each(count, "columns", 4, func(n int) {
		f.Scope(func() {
			if n == 1 {
				v, w := f.R(), f.R()
				f.MOVWU(entering.Post(4), v)
				f.MOVWU(leaving.Post(4), w)
				f.SUB(w, v)
				f.MOVWU(columns.At(0), w)
				f.ADD(w, v)
				f.MOVW(v, columns.Post(4))
				return
			}
			v, w := f.V(), f.V()
			f.FMOVQ(entering.Post(neon.Bytes), v)
			f.FMOVQ(leaving.Post(neon.Bytes), w)
			f.DoTo(op.SubLong, v, w, v)
			f.DoTo(op.AddLong, v, f.Load(columns, 0), v)
			f.FMOVQ(v, columns.Post(neon.Bytes))
		})
	})
	f.Comment("The first sums.")
	side, sums, blocks, n := f.Field("side"), f.Field("sums"), f.Field("blocks"), f.Field("n")
	f.MOVD(f.Place("columns"), columns)
	first, bytes := f.R(), f.R()
	f.CMP(n, side)
	f.CSEL(neon.LT, side, n, first)
	f.LSL(neon.Imm(2), side, bytes)
	f.SUB(first, n)
	before, more := f.R(), f.R()
	f.MOVD(sums, before)
	f.MOVD(columns, more)
	f.Label("place")
	sum, left, p, v := f.R(), f.R(), f.R(), f.R()
	f.MOVD(neon.Imm(0), sum)
	f.MOVD(blocks, left)
	f.MOVD(more, p)
	f.Label("block")
	f.MOVWU(p.At(0), v)
	f.ADD(v, sum)
	f.ADD(bytes, p)
	f.Repeat("block", left, 1)
	f.MOVD(sum, sums.Post(8))
	f.ADD(neon.Imm(4), more)
	f.Repeat("place", first, 1)

	f.Comment("The others: what those side columns to the left have, more by a block and less by one.")
	f.CBZ(n, "done")
	f.MUL(blocks, bytes, v)
	f.ADD(v, columns, more)
	f.CMP(neon.Imm(4), side)
	f.BLT("one")
	f.Each(n, "sums", 4, func(count int) {
		f.Scope(func() {
			if count == 1 {
				f.Label("one")
				f.other(more, columns, before, sums)
				return
			}
			in, out := f.V(), f.V()
			f.FMOVQ(more.Post(neon.Bytes), in)
			f.FMOVQ(columns.Post(neon.Bytes), out)
			for _, p := range []neon.Product{neon.LongDifferences, neon.LastLongDifferences} {
				v, w := f.V(), f.V()
				f.Multiply(p, in, out, v)
				f.FMOVQ(before.Post(neon.Bytes), w)
				f.DoTo(op.AddQuad, v, w, v)
				f.FMOVQ(v, sums.Post(neon.Bytes))
			}
		})
	})
	f.Label("done")
	f.RET()
}

// other emits what makes one sum.
func (f *neonFunction) other(more, columns, before, sums neon.R) {
	v, w := f.R(), f.R()
	f.MOVWU(more.Post(4), v)
	f.MOVWU(columns.Post(4), w)
	f.SUB(w, v)
	f.MOVD(before.Post(8), w)
	f.ADD(w, v)
	f.MOVD(v, sums.Post(8))
}

// A neonBounder emits what the bounds of four places are made of.
type neonBounder struct {
	*neonFunction
	difference neon.R // not 0 for Difference
	x          neon.R
	zero       neon.V

	// Of the places, floats.
	numerator, all, norm, rest neon.V
	root                       neon.V // of the norm
}

// bound emits the function that makes bounds.
func (f *neonFunction) bound() {
	f.Begin("bound")
	b := &neonBounder{neonFunction: f, difference: f.R(), x: f.R(), zero: f.Zero()}
	f.MOVWU(f.Place("largest"), b.difference)
	products, sums2, squares := f.Field("products"), f.Field("sums2"), f.Field("squares")
	to, n := f.Field("bounds"), f.Field("n")
	f.MOVD(neon.Imm(0), b.x)
	// The best places, of every fourth each.
	most := f.Spread(neon.S4, uint64(math.Float32bits(-2)))
	estimate, at, index := f.V(), f.Fill(255), f.LoadTable("fourPlaces")
	f.VMOV(most, estimate)
	fours, end := f.Spread(neon.S4, 4), f.V()
	f.VDUP(neon.S4, n, end)

	f.Loop("places")
	for _, v := range []*neon.V{&b.numerator, &b.all, &b.norm, &b.rest, &b.root} {
		*v = f.V()
	}
	for half := range 2 {
		f.Scope(func() { b.sums(half, products, sums2, squares) })
	}
	f.ChangeTo(neon.Sqrt, b.norm, b.root)
	q, bounds, flat, valid := f.V(), f.V(), f.V(), f.V()
	f.VMOV(b.root, q)
	b.with(op.MulFloat, q, "error")
	f.DoTo(op.AddFloat, b.numerator, q, b.numerator)
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
		least, any := f.Broadcast("least"), f.R()
		f.DoTo(op.NotLessFloat, bounds, least, least)
		f.DoTo(op.And, valid, least, valid)
		f.VBIT(flat, b.zero, valid)
		f.DoTo(op.GreaterFloat, bounds, estimate, least)
		f.DoTo(op.And, valid, least, valid)
		f.VADDP(neon.S4, valid, valid, least)
		f.FMOVD(least, any)
		f.CBZ(any, "next")
	})
	f.Scope(func() {
		means, one := f.Do(op.SubFloat, b.norm, b.rest), f.Spread(neon.S4, uint64(math.Float32bits(1)))
		larger := f.Do(op.GreaterFloat, one, means)
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
	})
	f.Label("next")
	f.DoTo(op.AddLong, index, fours, index)
	f.CMP(n, b.x)
	f.BLT("places")
	f.finish(most, estimate, at)
	f.RET()
}

// double returns a register with a field, a double, in both places.
func (b *neonBounder) double(name string) neon.V {
	r, v := b.Field(name), b.V()
	b.VDUP(neon.D2, r, v)
	b.FreeR(r)
	return v
}

// with emits an operation on v and a field, a float, which replaces v.
func (b *neonBounder) with(o op.Binary, v neon.V, name string) {
	b.Scope(func() { b.DoTo(o, v, b.Broadcast(name), v) })
}

// sums sets the numbers of two of the four places, which are made as doubles.
func (b *neonBounder) sums(half int, products, sums2, squares neon.R) {
	numerator, all, variation, left := b.V(), b.V(), b.V(), b.V()
	b.FMOVD(products.Post(8), numerator)
	b.ChangeTo(neon.SignedQuads, numerator, numerator)
	b.ChangeTo(neon.ToDouble, numerator, numerator)
	b.DoTo(op.MulDouble, numerator, b.double("scale"), numerator)
	b.DoTo(op.AddDouble, numerator, b.double("margin"), numerator)
	b.FMOVQ(sums2.Post(neon.Bytes), all)
	b.ChangeTo(neon.ToDouble, all, all)
	b.FMOVQ(squares.Post(neon.Bytes), left)
	b.ChangeTo(neon.ToDouble, left, left)
	b.DoTo(op.SubDouble, all, left, left)
	b.DoTo(op.MulDouble, all, b.double("factor"), variation)
	b.addWindows(half, numerator, variation, left)
	b.DoTo(op.MulDouble, variation, b.double("unit"), variation)
	b.DoTo(op.MaxDouble, left, b.zero, left)
	b.DoTo(op.AddDouble, left, b.Spread(neon.D2, math.Float64bits(1e-3)), left)
	convert := []neon.Unary{neon.ToFloats, neon.ToLastFloats}[half]
	for i, v := range []neon.V{numerator, all, variation, left} {
		b.ChangeTo(convert, v, []neon.V{b.numerator, b.all, b.norm, b.rest}[i])
	}
}

// addWindows adds what the sums of the windows bring to the numerators, and subtracts what they take
// from the variations and from what is left without means.
func (b *neonBounder) addWindows(half int, numerator, variation, left neon.V) {
	for c := range 3 {
		b.Scope(func() {
			if c == 1 {
				channels := b.Field("channels")
				b.CMP(neon.Imm(1), channels)
				b.BEQ(fmt.Sprint("windows", half))
			}
			at := func(field string) neon.Mem {
				p := b.R()
				b.MOVD(b.ElementPlace(field, c), p)
				b.ADD(b.x.LSL(2), p)
				return p.At(8 * half)
			}
			sums, double, v := b.V(), b.V(), b.V()
			b.FMOVD(at("sums"), sums)
			b.ChangeTo(neon.SignedQuads, sums, double)
			b.ChangeTo(neon.ToDouble, double, double)
			b.DoTo(op.MulDouble, double, b.double("centered"), v)
			b.DoTo(op.MulDouble, v, double, v)
			b.DoTo(op.SubDouble, variation, v, variation)
			r := b.R()
			b.MOVD(b.ElementPlace("offsets", c), r)
			b.VDUP(neon.D2, r, v)
			b.DoTo(op.MulDouble, double, v, double)
			b.DoTo(op.AddDouble, numerator, double, numerator)
			whole := fmt.Sprintf("whole%d%d", half, c)
			b.MOVD(b.Place("rest"), r)
			b.CBZ(r, whole)
			b.FMOVD(at("inner"), v)
			b.DoTo(op.SubLong, sums, v, v)
			b.ChangeTo(neon.SignedQuads, v, v)
			b.ChangeTo(neon.ToDouble, v, v)
			b.DoTo(op.MulDouble, v, v, v)
			b.VDUP(neon.D2, r, double)
			b.DoTo(op.MulDouble, v, double, v)
			b.DoTo(op.SubDouble, left, v, left)
			b.Label(whole)
		})
	}
	b.Label(fmt.Sprint("windows", half))
}

// score replaces numerators by scores. Its labels begin with label.
func (b *neonBounder) score(label string, numerator neon.V) {
	b.Scope(func() {
		v := b.V()
		b.CBNZ(b.difference, label+"Difference")
		b.VMOV(b.root, v)
		b.with(op.MulFloat, v, "t")
		b.DoTo(op.DivFloat, numerator, v, numerator)
		b.JMP(label + "Scored")
		b.Label(label + "Difference")
		b.VMOV(b.all, v)
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
