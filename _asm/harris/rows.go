package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// widen emits the function that converts bytes to floats. The last vector ends with
// the row.
func widen(isa ISA) {
	r := Func("widen" + isa.Name)
	src, dst := Load(r.Field("src").Base(), GP64()), Load(r.Field("dst").Base(), GP64())
	ahead := Load(r.Field("ahead"), GP64())
	last := Load(r.Field("dst").Len(), GP64())
	SUBQ(U8(isa.Bytes/4), last)
	zero := isa.Zero()
	x := Counter()
	Comment("The pixels of a vector.")
	LoopWithin("pixels", x, last, isa.Bytes/4, func() {
		PREFETCHT0(Mem{Base: ahead, Index: x, Scale: 1})
		v := isa.LoadLongs(Mem{Base: src, Index: x, Scale: 1}, zero)
		isa.ToFloat(v, v)
		isa.Store(v, Mem{Base: dst, Index: x, Scale: 4})
	})
	isa.End()
}

// weigh emits the function that computes a weighted sum of lines: of the middle one, and of
// pairs of others, whose lines are added, or the first subtracted from the second. No
// operation is fused.
func weigh(isa ISA, name string, combine op.Binary) {
	r := Func(name + isa.Name)
	lines := Load(r.Field("lines").Base(), GP64())
	weights, weightsEnd := Load(r.Field("weights").Base(), GP64()), Load(r.Field("weights").Len(), GP64())
	_, lineSize := Element("lines", lines)
	half := GP64() // the offset of the middle line
	IMUL3Q(U8(lineSize), weightsEnd, half)
	LEAQ(Mem{Base: lines, Index: half, Scale: 1, Disp: -lineSize}, lines)
	LEAQ(Mem{Base: weights, Index: weightsEnd, Scale: 4}, weightsEnd)
	data := func(line Register) Register {
		element, _ := Element("lines", line)
		return Load(element.Base(), GP64())
	}
	middle, weight := data(lines), isa.BroadcastFloat(Mem{Base: weights})
	ADDQ(U8(4), weights)
	out, n := Load(r.Field("out").Base(), GP64()), Load(r.Field("out").Len(), GP64())
	x, before, after, w := GP64(), GP64(), GP64(), GP64()
	XORQ(x, x)
	// vectors emits the loop that does a number of vectors at a time.
	vectors := func(label string, several int) {
		Comment("The weighted middle line.")
		Label(label)
		at := func(p Register, i int) Mem {
			return Mem{Base: p, Index: x, Scale: 4, Disp: i * isa.Bytes}
		}
		sums := make([]VecVirtual, several)
		for i := range sums {
			sums[i] = isa.Do(op.MulFloat, weight, isa.Operand(at(middle, i)))
		}
		Comment("The pairs of lines, from the middle on.")
		MOVQ(lines, before)
		MOVQ(lines, after)
		MOVQ(weights, w)
		JMP(LabelRef(label + "next"))
		Label(label + "pair")
		SUBQ(U8(lineSize), before)
		ADDQ(U8(lineSize), after)
		first, second := data(before), data(after)
		factor := isa.BroadcastFloat(Mem{Base: w})
		for i, sum := range sums {
			v := isa.Load(at(second, i))
			isa.DoTo(combine, v, isa.Operand(at(first, i)), v)
			isa.DoTo(op.MulFloat, v, factor, v)
			isa.DoTo(op.AddFloat, sum, v, sum)
		}
		ADDQ(U8(4), w)
		Label(label + "next")
		CMPQ(w, weightsEnd)
		JNE(LabelRef(label + "pair"))
		for i, sum := range sums {
			isa.Store(sum, at(out, i))
		}
		ADDQ(U8(several*isa.Bytes/4), x)
	}
	const unrolled = 4
	end := GP64()
	LEAQ(Mem{Base: n, Disp: -unrolled * isa.Bytes / 4}, end)
	CMPQ(x, end)
	JGT(LabelRef("rest"))
	vectors("several", unrolled)
	CMPQ(x, end)
	JLE(LabelRef("several"))
	Label("rest")
	CMPQ(x, n)
	JGE(LabelRef("done"))
	vectors("one", 1)
	CMPQ(x, n)
	JLT(LabelRef("one"))
	Label("done")
	isa.End()
}

// multiply emits the function that computes the products of gradients.
func multiply(isa ISA) {
	r := Func("multiply" + isa.Name)
	gx, gy := Load(r.Field("x").Base(), GP64()), Load(r.Field("y").Base(), GP64())
	var products [3]Register
	for i := range products {
		products[i] = Load(r.Field("products").Index(i).Base(), GP64())
	}
	n := Load(r.Field("x").Len(), GP64())
	x := Counter()
	Comment("The products of a vector.")
	Loop("vector", x, n, isa.Bytes/4, func() {
		at := func(row Register) Mem { return Mem{Base: row, Index: x, Scale: 4} }
		a, b := isa.Load(at(gx)), isa.Load(at(gy))
		isa.Store(isa.Do(op.MulFloat, a, a), at(products[0]))
		isa.Store(isa.Do(op.MulFloat, b, b), at(products[1]))
		isa.Store(isa.Do(op.MulFloat, a, b), at(products[2]))
	})
	isa.End()
}

// extremes emits the function that updates maxima and minima with the values of a row, 16
// at a time. The last ones end with the row.
func extremes(isa ISA) {
	const values = 16
	r := Func("extremes" + isa.Name)
	row, last := Load(r.Field("row").Base(), GP64()), Load(r.Field("row").Len(), GP64())
	SUBQ(U8(values), last)
	lanes := isa.Bytes / 4
	largest, smallest := make([]Register, values/lanes), make([]Register, values/lanes)
	at := func(field string, i int) Mem { return Address(r.Field(field).Index(i * lanes)) }
	for i := range largest {
		largest[i], smallest[i] = isa.Load(at("largest", i)), isa.Load(at("smallest", i))
	}
	x := Counter()
	Comment("The values of the row.")
	LoopWithin("values", x, last, values, func() {
		for i := range largest {
			v := isa.Load(Mem{Base: row, Index: x, Scale: 4, Disp: i * isa.Bytes})
			isa.DoTo(op.MaxFloat, largest[i], v, largest[i])
			isa.DoTo(op.MinFloat, smallest[i], v, smallest[i])
		}
	})
	for i := range largest {
		isa.Store(largest[i], at("largest", i))
		isa.Store(smallest[i], at("smallest", i))
	}
	isa.End()
}

// slideDoubles emits the function that adds the products of a row of gradients to sums of
// columns, and subtracts those of another row. All of them are integers that doubles hold
// exactly.
func slideDoubles(isa ISA) {
	r := Func("slideDoubles" + isa.Name)
	var enter, leave [2]Register
	for i, field := range []string{"x", "y"} {
		enter[i] = Load(r.Field("enter").Field(field).Base(), GP64())
		leave[i] = Load(r.Field("leave").Field(field).Base(), GP64())
	}
	sums := Bases(r, "sums", 3)
	n := Load(r.Field("n"), GP64())
	x := Counter()
	Comment("The sums of a vector of columns.")
	Loop("vector", x, n, isa.Bytes/8, func() {
		var added, removed [2]Register
		for i := range 2 {
			added[i] = isa.LoadDoubles(Mem{Base: enter[i], Index: x, Scale: 4})
			removed[i] = isa.LoadDoubles(Mem{Base: leave[i], Index: x, Scale: 4})
		}
		for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
			at := Mem{Base: sums[k], Index: x, Scale: 8}
			a, b := factors[0], factors[1]
			sum := isa.Load(at)
			isa.DoTo(op.AddDouble, sum, isa.Do(op.MulDouble, added[a], added[b]), sum)
			isa.DoTo(op.SubDouble, sum, isa.Do(op.MulDouble, removed[a], removed[b]), sum)
			isa.Store(sum, at)
		}
	})
	isa.End()
}

// boxDoubles emits the function that adds up neighbors in each of three rows, the same
// number for each sum, and converts the sums to floats.
func boxDoubles(isa ISA) {
	const unrolled = 4
	r := Func("boxDoubles" + isa.Name)
	side, n := Load(r.Field("side"), GP64()), Load(r.Field("n"), GP64())
	in, out := Address(r.Field("in").Index(0).Base()), Address(r.Field("out").Index(0).Base())
	row := in.Base // the argument, moved on by a slice for each row
	slice := Address(r.Field("in").Index(1).Base()).Disp - in.Disp
	rows, from, to, at, left := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(U32(3), rows)
	Comment("Each of the three rows.")
	Label("rows")
	MOVQ(in, from)
	MOVQ(out, to)
	x := Counter()
	Loop("vectors", x, n, unrolled*isa.Bytes/8, func() {
		LEAQ(Mem{Base: from, Index: x, Scale: 8}, at)
		sums := make([]Register, unrolled)
		for i := range sums {
			sums[i] = isa.Load(Mem{Base: at, Disp: i * isa.Bytes})
		}
		MOVQ(side, left)
		JMP(LabelRef("next"))
		Label("column")
		ADDQ(U8(8), at)
		for i, sum := range sums {
			isa.DoTo(op.AddDouble, sum, isa.Operand(Mem{Base: at, Disp: i * isa.Bytes}), sum)
		}
		Label("next")
		DECQ(left)
		JNE(LabelRef("column"))
		for i, sum := range sums {
			isa.StoreFloats(sum, Mem{Base: to, Index: x, Scale: 4, Disp: i * isa.Bytes / 2})
		}
	})
	ADDQ(U8(slice), row)
	DECQ(rows)
	JNE(LabelRef("rows"))
	isa.End()
}
