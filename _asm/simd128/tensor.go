package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/layout"
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/response"
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// tensors emits the functions for responses of structure tensors.
func (b builder) tensors() {
	for _, side := range []int{2, 3, 5, 7, 9} {
		b.slide(side)
	}
	b.respond()
}

// blockColumns is the number of columns of a block of gradients, which are one vector.
const blockColumns = 8

// slide emits the function that computes a row of responses from gradients, for windows of the
// given side. The products of the row of gradients that enters the windows are added to the sums
// over columns, and those of the row that leaves them are subtracted, both by one instruction.
func (b builder) slide(side int) {
	f := b.kernel(fmt.Sprintf("slide%d", side), "slideRun")
	var enter, leave [2]Value
	for i := range 2 {
		enter[i], leave[i] = f.Part("i32.load", "enter", 8*i), f.Part("i32.load", "leave", 8*i)
	}
	state := f.Int("state")
	spans, left := f.Int("spans"), f.Len("spans")
	span := f.Element("spans")
	respond := newResponder(f)
	var before [3][2]Value // sums over the columns of the block before, by product
	for k := range before {
		before[k] = [2]Value{f.Let(zero), f.Let(zero)}
	}
	f.While(left, func() {
		out := f.Let(Load("i32.load", spans, layout.Offset(span, "Out")))
		blocks := f.Let(Load("i32.load", spans, layout.Offset(span, "Blocks")))
		f.While(blocks, func() {
			// Words that alternate between the row that enters and the one that leaves, for the
			// first and the last columns, and the same with those of the latter negated.
			var mixed, signed [2][2]Value
			for i := range 2 {
				in, old := f.Let(Load("v128.load", enter[i], 0)), f.Let(Load("v128.load", leave[i], 0))
				negative := f.Let(Do("i16x8.neg", old))
				for half := range 2 {
					alternate := func(other Value) Value {
						return f.Let(Shuffle(in, other, func(j int) int { return 8*half + j/4*2 + j%2 + j%4/2*16 }))
					}
					mixed[i][half], signed[i][half] = alternate(old), alternate(negative)
				}
			}
			var elements [2][3]Value // of the tensors of half a block, by product
			for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
				x, y := factors[0], factors[1]
				var columns [2]Value
				for half := range columns {
					at := 16 * (2*k + half)
					products := Do("i32x4.dot_i16x8_s", mixed[x][half], signed[y][half])
					columns[half] = f.Let(Do("i32x4.add", Load("v128.load", state, at), products))
					f.Store("v128.store", state, at, columns[half])
				}
				convert := "f32x4.convert_i32x4_s"
				if side == 9 && x == y {
					convert = "f32x4.convert_i32x4_u" // sums of squares need all bits
				}
				all := [4]Value{before[k][0], before[k][1], columns[0], columns[1]}
				for half, sums := range windowSums(f, side, all) {
					elements[half][k] = f.Let(Do(convert, sums))
				}
				for half := range columns {
					f.Set(before[k][half], columns[half])
				}
			}
			respond.store(elements[:], out)
			for i := range 2 {
				f.Advance(enter[i], 2*blockColumns)
				f.Advance(leave[i], 2*blockColumns)
			}
			f.Advance(state, 3*4*blockColumns)
			f.Advance(out, 4*blockColumns)
			f.Advance(blocks, -1)
		})
		f.Advance(spans, layout.Size(span))
		f.Advance(left, -1)
	})
}

// windowSums returns the sums over the windows of a block, made from those of its columns and of
// the block before. The columns of the block are two or four behind those of the windows, of which
// that is the number of columns on each side, rounded up to an even number.
func windowSums(f *Function, side int, columns [4]Value) [2]Value {
	lag := (side + 1) / 4 * 2
	first := blockColumns - lag - side/2 // column of the first window
	column := func(i int) Value {
		if i%4 == 0 {
			return columns[i/4]
		}
		return Shuffle(columns[i/4], columns[i/4+1], func(j int) int { return 4*(i%4) + j })
	}
	// add returns the sums of n columns from i on.
	add := func(i, n int) Value {
		v := column(i)
		for j := i + 1; j < i+n; j++ {
			v = Do("i32x4.add", v, column(j))
		}
		return v
	}
	// Large windows of both halves share columns.
	if side < 6 {
		return [2]Value{add(first, side), add(first+4, side)}
	}
	shared := f.Let(add(first+4, side-4))
	return [2]Value{
		Do("i32x4.add", shared, add(first, 4)),
		Do("i32x4.add", shared, add(first+side, 4)),
	}
}

// respond emits the function that computes a row of responses of structure tensors. The last
// vector ends with the row.
func (b builder) respond() {
	f := b.kernel("respond", "respondRun")
	respond := newResponder(f)
	const slice = 24 // bytes
	var in [3]Value
	for k := range in {
		in[k] = f.Part("i32.load", "in", slice*k)
	}
	out := f.Int("out")
	eachVector(f, f.Len("out"), 4, func(x Value) {
		at := func(row Value) Value { return f.Let(sum(row, x.Times(4))) }
		var elements [3]Value
		for k := range elements {
			elements[k] = f.Let(Load("v128.load", at(in[k]), 0))
		}
		respond.store([][3]Value{elements}, at(out))
	})
}

// eachVector emits a loop over a row of n elements, which fill a vector of so many at least. body
// gets the number of the first one of each vector. The last vector ends with the row.
func eachVector(f *Function, n Value, elements int, body func(x Value)) {
	last, x := f.Let(n.Plus(-elements)), f.Let(Int(0))
	f.While(Do("i32.lt_s", x, n), func() {
		f.Set(x, Do("select", x, last, Do("i32.lt_s", x, last)))
		body(x)
		f.Advance(x, elements)
	})
}

// A responder emits responses, as a response.Arithmetic.
type responder struct {
	f         *Function
	number    Value // of the measure
	constants [2]Value
}

// newResponder loads the fields of the argument.
func newResponder(f *Function) responder {
	r := responder{f: f, number: f.Int("measure")}
	size := layout.Size(f.Element("constants"))
	for i := range r.constants {
		r.constants[i] = f.Part("v128.load32_splat", "constants", size*i)
	}
	return r
}

// store emits code that stores the responses of vectors of tensors, for each measure.
func (r responder) store(elements [][3]Value, out Value) {
	for number, measure := range response.Measures[Value](r) {
		r.f.If(Do("i32.eq", r.number, Int(number)), func() {
			for i, e := range elements {
				r.f.Store("v128.store", out, 16*i, measure(r.f.Let(e[0]), r.f.Let(e[1]), r.f.Let(e[2])))
			}
		})
	}
}

// floatOperations are the names of the instructions for floats.
var floatOperations = map[op.Binary]string{
	op.AddFloat: "f32x4.add",
	op.SubFloat: "f32x4.sub",
	op.MulFloat: "f32x4.mul",
	op.DivFloat: "f32x4.div",
}

func (r responder) Do(o op.Binary, x, y Value) Value  { return r.f.Let(Do(floatOperations[o], x, y)) }
func (r responder) DoTo(o op.Binary, x, y, dst Value) { r.f.Set(dst, Do(floatOperations[o], x, y)) }
func (r responder) Sqrt(x Value)                      { r.f.Set(x, Do("f32x4.sqrt", x)) }
func (r responder) Constant(i int) Value              { return r.constants[i] }
