package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

const (
	// A row of a template for NEON has three vectors for each chunk of eight columns: the gray
	// values, and the derivatives along x and y. In the tail, a chunk that is not whole, those
	// of each column are next to each other, and those beyond the window are 0.
	neonChunk      = 8
	neonChunkBytes = 3 * neon.Bytes
)

// tables defines the tables of the functions for windows.
func (f *neonFunction) tables() {
	words := make([]byte, 2*neon.Bytes)
	for i := range neon.Bytes {
		words[i] = 0xff
	}
	f.Table("firstWords", words)
	for k, factors := range [2][4]byte{{0, 0, 1, 1}, {0, 1, 1, 1}} {
		for pair := range 2 {
			table := make([]byte, neon.Bytes)
			for i := range table {
				table[i] = byte(8*pair+4*(i/8)+i%2) + 2*factors[i/2%4]
			}
			f.Table(factorTable(k, pair), table)
		}
	}
}

// factorTable returns the name of a table for a tail's derivatives of four columns: those that
// are the first or the second factors of xx, xy and yy, of the first or the last two columns.
func factorTable(factor, pair int) string { return fmt.Sprintf("factors%d%d", factor, pair) }

// shapes emits variants of a function for all windows.
func (f *neonFunction) shapes(emit func(s shape)) {
	w := f.Field("w")
	for blocks := range 4 {
		for _, tail := range []int{0, 5, 7} {
			s := shape{blocks, tail}
			if s == (shape{0, 0}) {
				continue
			}
			f.prefix = fmt.Sprintf("blocks%dtail%d", blocks, tail)
			last := s == shape{3, 7}
			if !last {
				f.CMP(neon.Imm(neonChunk*blocks+tail), w)
				f.BGT(f.prefix + "Next")
			}
			f.Scope(func() { emit(s) })
			f.RET()
			if !last {
				f.Label(f.prefix + "Next")
			}
		}
	}
}

// loop emits a loop over n rows.
func (f *neonFunction) loop(label string, n neon.R, body func()) {
	f.Loop(f.prefix + label)
	f.Scope(body)
	f.Repeat(f.prefix+label, n, 1)
}

// chunks emits a loop over the chunks of the window's columns. body emits what is done with a
// block, or with the tail; next emits how to move on by a block.
func (f *neonFunction) chunks(body func(tail bool), next func()) {
	left := f.Field("w")
	f.Comment("The chunks of the window's columns.")
	f.Label("blocks")
	f.CMP(neon.Imm(neonChunk), left)
	f.BLT("tail")
	f.prefix = "block"
	f.Scope(func() { body(false) })
	next()
	f.SUB(neon.Imm(neonChunk), left)
	f.JMP("blocks")
	f.Label("tail")
	f.CBZ(left, "done")
	f.prefix = "tail"
	f.Scope(func() { body(true) })
	f.Label("done")
}

// tailMask returns a register with all bits set for the columns of the tail.
func (f *neonFunction) tailMask() neon.V {
	at, n := f.R(), f.Field("w")
	f.MOVD(neon.Address("firstWords"), at)
	f.AND(neon.Imm(neonChunk-1), n)
	f.SUB(n.LSL(1), at, at)
	v := f.Load(at, neon.Bytes)
	f.FreeR(at, n)
	return v
}

// rowBytes returns a register with the number of bytes of a row of the template.
func (f *neonFunction) rowBytes() neon.R {
	n, chunk := f.Field("w"), f.R()
	f.ADD(neon.Imm(neonChunk-1), n)
	f.LSR(neon.Imm(3), n, n)
	f.MOVD(neon.Imm(neonChunkBytes), chunk)
	f.MUL(chunk, n, n)
	f.FreeR(chunk)
	return n
}

// of returns the place of a field of a window, which is one of the windowRun.
func (f *neonFunction) of(window, field string) neon.Mem { return f.Place(window + "." + field) }

// field returns a register with a field of a window.
func (f *neonFunction) field(window, name string) neon.R { return f.Field(window + "." + name) }

// weights returns registers with the weights of the pixels of a window.
func (f *neonFunction) weights(window string) (weights [4]neon.V) {
	r := f.R()
	for i := range weights {
		weights[i] = f.V()
		f.MOVH(f.of(window, "weights").Offset(2*i), r)
		f.VDUP(neon.H8, r, weights[i])
	}
	f.FreeR(r)
	return weights
}

// A blend interpolates between pixels. It has the weight of the upper left pixel, that of the
// lower left one, and the sum of the weights of the upper ones. The weights of all four add up
// to 1, so that three products are enough:
//
//	lower right + upper left * (upper left - upper right)
//	            + lower left * (lower left - lower right) + both upper * (upper right - lower right)
type blend struct {
	*neonFunction
	left, lowerLeft, upper neon.V
}

func (f *neonFunction) newBlend(window string) blend {
	w := f.weights(window)
	f.DoTo(op.AddWord, w[1], w[0], w[1])
	f.FreeV(w[3])
	return blend{f, w[0], w[2], w[1]}
}

// An upper is what a blend keeps of a row of pixels for the next one: those to the right, and
// how much more their neighbors to the left are.
type upper struct{ right, difference neon.V }

// begin returns the upper row of a chunk.
func (b blend) begin(pix neon.R, at int) upper {
	u := upper{b.V(), b.V()}
	b.pixels(pix, at, u.difference)
	b.pixels(pix, at+1, u.right)
	b.Multiply(neon.ByteDifferences, u.difference, u.right, u.difference)
	return u
}

// pixels loads those of a chunk.
func (f *neonFunction) pixels(pix neon.R, at int, v neon.V) { f.FMOVD(pix.At(at), v) }

// row returns a new register with the gray values between an upper row and the next one, which
// becomes the upper row.
func (b blend) row(u upper, pix neon.R, at int) neon.V {
	made := b.V()
	b.Scope(func() {
		right, low, high := b.V(), b.V(), b.V()
		b.Multiply(neon.Products, u.difference, b.left, low)
		b.Multiply(neon.LastProducts, u.difference, b.left, high)
		b.pixels(pix, at, u.difference)
		b.pixels(pix, at+1, right)
		b.Multiply(neon.ByteDifferences, u.right, right, made)
		b.Multiply(neon.ByteDifferences, u.difference, right, u.difference)
		b.pixels(pix, at+1, u.right) // a load is cheaper than a move
		b.Multiply(neon.AddProducts, made, b.upper, low)
		b.Multiply(neon.AddLastProducts, made, b.upper, high)
		b.Multiply(neon.AddProducts, u.difference, b.lowerLeft, low)
		b.Multiply(neon.AddLastProducts, u.difference, b.lowerLeft, high)
		b.ChangeTo(neon.Without9, low, made)
		b.ChangeTo(neon.LastWithout9, high, made)
		b.VUSHLL(neon.B8, 5, right, right)
		b.DoTo(op.AddWord, made, right, made)
	})
	return made
}

// template emits the function that makes the template.
func (f *neonFunction) template() {
	f.Begin("template")
	pix, stride, values := f.field("template", "pix"), f.field("template", "stride"), f.Field("values")
	inside, row := f.R(), f.rowBytes()
	f.ADD(neon.Const("windowRun_masks+masks_inside"), f.Run, inside)
	f.chunks(func(tail bool) {
		f.gray(pix, stride, values, row)
		f.Comment("Where all pixels are in the image, no derivatives are to be cleared.")
		n, at := f.R(), f.R()
		f.MOVD(f.Place("top"), n)
		f.MOVD(f.Place("left"), at)
		f.ORR(at, n)
		for _, side := range [][2]string{{"w", "right"}, {"h", "bottom"}} {
			limit := f.Field(side[0])
			f.MOVD(f.Place(side[1]), at)
			f.SUB(limit, at)
			f.SUB(neon.Imm(1), at)
			f.ORR(at, n)
			f.FreeR(limit)
		}
		f.CBNZ(n, f.prefix+"Edge")
		f.FreeR(n, at)
		prefix := f.prefix
		f.Scope(func() { f.derive(pix, stride, values, row, -1, tail) })
		f.JMP(prefix + "Done")
		f.Label(prefix + "Edge")
		f.prefix += "Edge"
		f.Scope(func() { f.derive(pix, stride, values, row, inside, tail) })
		f.Label(prefix + "Done")
	}, func() {
		f.ADD(neon.Imm(neonChunk), pix)
		f.ADD(neon.Imm(neonChunkBytes), values)
		f.ADD(neon.Imm(neon.Bytes), inside)
	})
	f.RET()
}

// gray emits the gray values of a chunk of the template.
func (f *neonFunction) gray(pix, stride, values, row neon.R) {
	f.Scope(func() {
		at, to, n := f.R(), f.R(), f.Field("h")
		f.Comment("The gray values of the chunk.")
		b := f.newBlend("template")
		f.ADD(stride, pix, at)
		f.MOVD(values, to)
		upper := b.begin(at, 1)
		f.loop("Gray", n, func() {
			f.ADD(stride, at)
			f.FMOVQ(b.row(upper, at, 1), to.At(0))
			f.ADD(row, to)
		})
	})
}

// A neonLoader loads the vectors of a row of a template, from the first one on.
type neonLoader struct {
	*neonFunction
	values  neon.R
	at      int // in bytes
	end     int
	already []neon.V
}

// next returns a new register with the next vector. Most are loaded in pairs.
func (l *neonLoader) next() neon.V {
	if len(l.already) > 0 {
		v := l.already[0]
		l.already = nil
		return v
	}
	at := l.at
	if at+neon.Bytes == l.end {
		l.at = l.end
		return l.Load(l.values, at)
	}
	v, w := l.V(), l.V()
	l.FLDPQ(l.values.At(at), v, w)
	l.at += 2 * neon.Bytes
	l.already = []neon.V{w}
	return v
}

// add adds numbers of 32 bits to floats. They become floats.
func (f *neonFunction) add(v, sum neon.V) {
	f.ChangeTo(neon.ToFloat, v, v)
	f.DoTo(op.AddFloat, sum, v, sum)
}

// addTail adds the two halves of a vector of numbers of 32 bits one by one, or only the first
// one. They become floats.
func (f *neonFunction) addTail(v, sum neon.V, both bool) {
	f.add(v, sum)
	if both {
		f.VEXT(neon.Bytes/2, v, v, v)
		f.DoTo(op.AddFloat, sum, v, sum)
	}
}

// total stores the sum of elements and of place i of the tail. It overwrites the elements.
func (f *neonFunction) total(elements, tail neon.V, i int, to neon.Mem) {
	f.Scope(func() {
		v := f.V()
		for _, n := range []int{8, 4} {
			f.VEXT(n, elements, elements, v)
			f.DoTo(op.AddFloat, elements, v, elements)
		}
		f.VEXT(4*i, tail, tail, v)
		f.FADDS(v, elements, elements)
		f.FMOVS(elements, to)
	})
}

// step emits the function that adds up the products of differences and derivatives as floats,
// in OpenCV's order.
func (f *neonFunction) step() {
	f.Begin("step")
	f.shapes(func(s shape) {
		pix, stride := f.field("window", "pix"), f.field("window", "stride")
		values, n := f.Field("values"), f.Field("h")
		b := f.newBlend("window")
		elements, tail := [2]neon.V{f.Zero(), f.Zero()}, f.Zero()
		chunks := s.blocks
		if s.tail > 0 {
			chunks++
		}
		uppers := make([]upper, chunks)
		for i := range uppers {
			uppers[i] = b.begin(pix, neonChunk*i)
		}
		f.Comment("The rows of the window.")
		f.loop("Row", n, func() {
			f.ADD(stride, pix)
			loader := &neonLoader{neonFunction: f, values: values, end: chunks * neonChunkBytes}
			for i, upper := range uppers {
				d := b.row(upper, pix, neonChunk*i)
				gray := loader.next()
				f.DoTo(op.SubWord, d, gray, d)
				f.FreeV(gray)
				if i < s.blocks {
					for _, sum := range elements {
						g, products := loader.next(), f.V()
						f.Multiply(neon.Products, d, g, products)
						f.Multiply(neon.AddLastProducts, d, g, products)
						f.add(products, sum)
						f.FreeV(g, products)
					}
					f.FreeV(d)
					continue
				}
				for half, zip := range []func(l neon.Lanes, x, y, to neon.V){f.VZIP1, f.VZIP2} {
					g, twice := loader.next(), f.V()
					zip(neon.H8, d, d, twice)
					for pair := range 2 {
						if left := s.tail - 4*half - 2*pair; left > 0 {
							products := f.V()
							if pair == 0 {
								f.Multiply(neon.Products, twice, g, products)
							} else {
								f.Multiply(neon.LastProducts, twice, g, products)
							}
							f.addTail(products, tail, left > 1)
							f.FreeV(products)
						}
					}
					f.FreeV(g, twice)
				}
				f.FreeV(d)
			}
			f.ADD(neon.Imm(chunks*neonChunkBytes), values)
		})
		for i, sum := range elements {
			f.total(sum, tail, i, f.ElementPlace("products", i))
		}
	})
}

// tensor emits the function that adds up the products of the derivatives as floats, in
// OpenCV's order.
func (f *neonFunction) tensor() {
	f.Begin("tensor")
	f.shapes(func(s shape) {
		values, n := f.Field("values"), f.Field("h")
		elements, tail := [3]neon.V{f.Zero(), f.Zero(), f.Zero()}, f.Zero()
		var factors [2][2]neon.V
		if s.tail > 0 {
			for k := range factors {
				for pair := range factors[k] {
					factors[k][pair] = f.LoadTable(factorTable(k, pair))
				}
			}
		}
		bytes := s.blocks * neonChunkBytes
		f.Comment("The rows of the window.")
		f.loop("Row", n, func() {
			for i := range s.blocks {
				f.Scope(func() {
					x, y := f.V(), f.V()
					f.FLDPQ(values.At(i*neonChunkBytes+neon.Bytes), x, y)
					for _, product := range []neon.Product{neon.Products, neon.LastProducts} {
						for k, factors := range [3][2]neon.V{{x, x}, {x, y}, {y, y}} {
							f.Scope(func() {
								products := f.V()
								f.Multiply(product, factors[0], factors[1], products)
								f.add(products, elements[k])
							})
						}
					}
				})
			}
			for half := 0; 4*half < s.tail; half++ {
				f.Scope(func() {
					g := f.Load(values, s.blocks*neonChunkBytes+(1+half)*neon.Bytes)
					for pair := range 2 {
						left := s.tail - 4*half - 2*pair
						if left <= 0 {
							break
						}
						f.Scope(func() {
							var v [2]neon.V
							for k := range v {
								v[k] = f.V()
								f.VTBL(neon.B16, factors[k][pair], []neon.V{g}, v[k])
							}
							products := f.V()
							f.Multiply(neon.Products, v[0], v[1], products)
							f.add(products, tail)
							if left > 1 {
								f.Multiply(neon.LastProducts, v[0], v[1], products)
								f.add(products, tail)
							}
						})
					}
				})
			}
			if s.tail > 0 {
				bytes = (s.blocks + 1) * neonChunkBytes
			}
			f.ADD(neon.Imm(bytes), values)
		})
		for i, sum := range elements {
			f.total(sum, tail, i, f.ElementPlace("tensor", i))
		}
	})
}

// difference emits the function that adds up absolute differences, in integers.
func (f *neonFunction) difference() {
	f.Begin("difference")
	pix, stride, values, row := f.field("window", "pix"), f.field("window", "stride"), f.Field("values"), f.rowBytes()
	b, sum := f.newBlend("window"), f.Zero()
	f.chunks(func(tail bool) {
		f.Comment("The absolute differences of the chunk.")
		at, from, n := f.R(), f.R(), f.Field("h")
		f.MOVD(pix, at)
		f.MOVD(values, from)
		var columns neon.V
		if tail {
			columns = f.tailMask()
		}
		upper := b.begin(at, 0)
		f.loop("Row", n, func() {
			f.ADD(stride, at)
			d, gray := b.row(upper, at, 0), f.Load(from, 0)
			f.DoTo(op.SubWord, d, gray, d)
			if tail {
				f.DoTo(op.And, d, columns, d)
			}
			f.ChangeTo(neon.AbsWord, d, d)
			f.ChangeTo(neon.AddPairsOfWords, d, sum)
			f.ADD(row, from)
		})
	}, func() {
		f.ADD(neon.Imm(neonChunk), pix)
		f.ADD(neon.Imm(neonChunkBytes), values)
	})
	f.VADDV(neon.S4, sum, sum)
	f.ChangeTo(neon.ToFloat, sum, sum)
	f.FMOVS(sum, f.Place("difference"))
	f.RET()
}
