package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/response"
)

// A neonFunction is a function for NEON.
type neonFunction struct{ neon.Function }

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	f := &neonFunction{neon.Function{Assembler: a}}
	for _, w := range windows {
		f.slide(w)
	}
	f.respond()
}

// neonColumns is the number of columns of a block.
const neonColumns = neon.Bytes / 2

// slide emits the function that computes a row of responses from gradients, for windows of
// the given side. The products of the row of gradients that enters the windows are added to
// the sums over columns, and those of the row that leaves them are subtracted.
func (f *neonFunction) slide(w window) {
	f.Begin(fmt.Sprintf("slide%d", w.side))
	// The gradients of the row that enters, along x and y, and of the one that leaves.
	gradients := [4]neon.R{f.Field("enter"), f.Index("enter", 1), f.Field("leave"), f.Index("leave", 1)}
	state := f.Field("state")
	spans, left := f.Field("spans"), f.Len("spans")
	responder := f.newResponder()
	out, blocks := f.R(), f.R()
	var before [3][2]neon.V // sums over the columns of the block before, by product
	for k := range before {
		for i := range before[k] {
			before[k][i] = f.Zero()
		}
	}

	f.Comment("The blocks of each span.")
	f.Label("span")
	f.MOVD(spans.Field("Span_Out"), out)
	f.MOVD(spans.Field("Span_Blocks"), blocks)
	f.Loop("block")
	f.Scope(func() {
		var sums [2][3]neon.V // over the windows of half a block, by product
		for k := range sums[0] {
			sums[0][k], sums[1][k] = f.V(), f.V()
		}
		f.Scope(func() {
			var g [4]neon.V
			for i, p := range gradients {
				g[i] = f.V()
				f.FMOVQ(p.Post(neon.Bytes), g[i])
			}
			for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
				f.Scope(func() {
					a, b := factors[0], factors[1]
					column := [2]neon.V{f.V(), f.V()}
					f.FLDPQ(state.At(2*neon.Bytes*k), column[0], column[1])
					f.Multiply(neon.AddProducts, g[a], g[b], column[0])
					f.Multiply(neon.AddLastProducts, g[a], g[b], column[1])
					f.Multiply(neon.SubProducts, g[2+a], g[2+b], column[0])
					f.Multiply(neon.SubLastProducts, g[2+a], g[2+b], column[1])
					f.FSTPQ(column[0], column[1], state.At(2*neon.Bytes*k))
					convert := neon.ToFloat
					if w.unsigned && a == b {
						convert = neon.UnsignedToFloat
					}
					for i, sum := range f.windowSums(w, [4]neon.V{before[k][0], before[k][1], column[0], column[1]}) {
						f.ChangeTo(convert, sum, sums[i][k])
					}
					for i := range column {
						f.VMOV(column[i], before[k][i])
					}
				})
			}
		})
		f.ADD(neon.Imm(3*2*neon.Bytes), state)
		f.Comment("The responses.")
		responder.choose(func(m response.Measure[neon.V]) {
			low, high := m(sums[0][0], sums[0][1], sums[0][2]), m(sums[1][0], sums[1][1], sums[1][2])
			f.FSTPQ(low, high, out.Post(2*neon.Bytes))
		})
	})
	f.Repeat("block", blocks, 1)
	f.ADD(neon.Const("Span__size"), spans)
	f.Repeat("span", left, 1)
	f.RET()
}

// windowSums returns the sums over the windows of a block, made from those of its columns
// and of the block before.
func (f *neonFunction) windowSums(w window, columns [4]neon.V) [2]neon.V {
	// The first column of the first window.
	first := neonColumns - w.lag - w.side/2
	var from [16]neon.V // four columns from this one on
	for i := range from {
		from[i] = -1
	}
	column := func(i int) neon.V {
		if i%4 == 0 {
			return columns[i/4]
		}
		if from[i] < 0 {
			from[i] = f.V()
			f.VEXT(4*(i%4), columns[i/4+1], columns[i/4], from[i])
		}
		return from[i]
	}
	// sum returns a new register with the sums of n columns from i on, at least two.
	sum := func(i, n int) neon.V {
		v := f.Do(op.AddLong, column(i), column(i+1))
		for j := i + 2; j < i+n; j++ {
			f.DoTo(op.AddLong, v, column(j), v)
		}
		return v
	}
	// Large windows of both halves share columns.
	if w.side < 6 {
		return [2]neon.V{sum(first, w.side), sum(first+4, w.side)}
	}
	shared, low, high := sum(first+4, w.side-4), sum(first, 4), sum(first+w.side, 4)
	f.DoTo(op.AddLong, low, shared, low)
	f.DoTo(op.AddLong, high, shared, high)
	return [2]neon.V{low, high}
}

// A neonResponder emits responses, as a response.Machine.
type neonResponder struct {
	*neonFunction
	number    neon.R
	constants [2]neon.V
}

// newResponder loads the fields of the argument.
func (f *neonFunction) newResponder() neonResponder {
	r := neonResponder{neonFunction: f, number: f.Field("measure")}
	for i := range r.constants {
		r.constants[i] = f.V()
		f.FMOVS(f.ElementPlace("constants", i), r.constants[i])
		f.VDUPElement(neon.S4, r.constants[i].Element(neon.S4, 0), r.constants[i])
	}
	return r
}

func (r neonResponder) Sqrt(x neon.V)         { r.ChangeTo(neon.Sqrt, x, x) }
func (r neonResponder) Constant(i int) neon.V { return r.constants[i] }
func (r neonResponder) Jump(label string)     { r.JMP(label) }

func (r neonResponder) Unless(number int, label string) {
	r.CMP(neon.Imm(number), r.number)
	r.BNE(label)
}

// choose emits a case for each measure.
func (r neonResponder) choose(emit func(m response.Measure[neon.V])) {
	response.Choose(r, func(m response.Measure[neon.V]) { r.Scope(func() { emit(m) }) })
}

// respond emits the function that computes a row of responses of structure tensors. The
// last vector ends with the row.
func (f *neonFunction) respond() {
	f.Begin("respond")
	in := [3]neon.R{f.Field("in"), f.Index("in", 1), f.Index("in", 2)}
	out, last := f.Field("out"), f.Len("out")
	responder := f.newResponder()
	x, p := f.R(), f.R()
	f.SUB(neon.Imm(neon.Bytes/4), last)
	f.MOVD(neon.Imm(0), x)
	f.Comment("The responses of a vector of structure tensors.")
	f.Loop("vector")
	f.Scope(func() {
		var elements [3]neon.V
		for k := range elements {
			f.ADD(x.LSL(2), in[k], p)
			elements[k] = f.Load(p, 0)
		}
		f.ADD(x.LSL(2), out, p)
		responder.choose(func(m response.Measure[neon.V]) {
			f.FMOVQ(m(elements[0], elements[1], elements[2]), p.At(0))
		})
	})
	f.CMP(last, x)
	f.BEQ("done")
	f.ADD(neon.Imm(neon.Bytes/4), x)
	f.CMP(last, x)
	f.CSEL(neon.GT, last, x, x)
	f.JMP("vector")
	f.Label("done")
	f.RET()
}
