package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// widen emits the function that converts bytes to floats. The last vector ends with
// the row.
func widen(isa vec.ISA) {
	r := vec.Func("widen" + isa.Name)
	src, dst := Load(r.Field("src").Base(), GP64()), Load(r.Field("dst").Base(), GP64())
	ahead := Load(r.Field("ahead"), GP64())
	last := Load(r.Field("dst").Len(), GP64())
	SUBQ(U8(isa.Bytes/4), last)
	zero := isa.Zero()
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("pixels")
	PREFETCHT0(Mem{Base: ahead, Index: x, Scale: 1})
	v := isa.LoadLongs(Mem{Base: src, Index: x, Scale: 1}, zero)
	isa.ToFloat(v, v)
	isa.Store(v, Mem{Base: dst, Index: x, Scale: 4})
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("pixels"))
	Label("done")
	isa.End()
}

// weigh emits the function that sums rows with weights: that of the middle, and pairs
// of others, which are added to each other, or the first of them taken from the
// second. No operation is fused.
func weigh(isa vec.ISA, name string, combine vec.Binary) {
	r := vec.Func(name + isa.Name)
	middle, out := Load(r.Field("middle").Base(), GP64()), Load(r.Field("out").Base(), GP64())
	taps, count := Load(r.Field("taps").Base(), GP64()), Load(r.Field("taps").Len(), GP64())
	n := Load(r.Field("out").Len(), GP64())
	weight := isa.BroadcastFloat(vec.Address(r.Field("weight")))
	x, tap, left := GP64(), GP64(), GP64()
	XORQ(x, x)
	// vectors emits the loop over so many vectors at once.
	vectors := func(label string, several int) {
		Label(label)
		at := func(p Register, i int) Mem {
			return Mem{Base: p, Index: x, Scale: 4, Disp: i * isa.Bytes}
		}
		sums := make([]VecVirtual, several)
		for i := range sums {
			sums[i] = isa.Do(vec.MulFloat, weight, isa.Operand(at(middle, i)))
		}
		MOVQ(taps, tap)
		MOVQ(count, left)
		Label(label + "taps")
		pair, size := vec.Element("taps", tap)
		first, second := Load(pair.Field("first").Base(), GP64()), Load(pair.Field("second").Base(), GP64())
		w := isa.BroadcastFloat(vec.Address(pair.Field("weight")))
		for i, sum := range sums {
			v := isa.Load(at(second, i))
			isa.DoTo(combine, v, isa.Operand(at(first, i)), v)
			isa.DoTo(vec.MulFloat, v, w, v)
			isa.DoTo(vec.AddFloat, sum, v, sum)
		}
		ADDQ(U8(size), tap)
		DECQ(left)
		JNE(LabelRef(label + "taps"))
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

// multiply emits the function that makes the products of gradients.
func multiply(isa vec.ISA) {
	r := vec.Func("multiply" + isa.Name)
	gx, gy := Load(r.Field("x").Base(), GP64()), Load(r.Field("y").Base(), GP64())
	var products [3]Register
	for i := range products {
		products[i] = Load(r.Field("products").Index(i).Base(), GP64())
	}
	n := Load(r.Field("x").Len(), GP64())
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("vector")
	at := func(row Register) Mem { return Mem{Base: row, Index: x, Scale: 4} }
	a, b := isa.Load(at(gx)), isa.Load(at(gy))
	isa.Store(isa.Do(vec.MulFloat, a, a), at(products[0]))
	isa.Store(isa.Do(vec.MulFloat, b, b), at(products[1]))
	isa.Store(isa.Do(vec.MulFloat, a, b), at(products[2]))
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, n)
	JLT(LabelRef("vector"))
	isa.End()
}

// extremes emits the function that makes the maxima and the minima of those so far and
// of a row, 16 values at a time. The last ones end with the row.
func extremes(isa vec.ISA) {
	const values = 16
	r := vec.Func("extremes" + isa.Name)
	row, last := Load(r.Field("row").Base(), GP64()), Load(r.Field("row").Len(), GP64())
	SUBQ(U8(values), last)
	lanes := isa.Bytes / 4
	largest, smallest := make([]Register, values/lanes), make([]Register, values/lanes)
	at := func(field string, i int) Mem { return vec.Address(r.Field(field).Index(i * lanes)) }
	for i := range largest {
		largest[i], smallest[i] = isa.Load(at("largest", i)), isa.Load(at("smallest", i))
	}
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("values")
	for i := range largest {
		v := isa.Load(Mem{Base: row, Index: x, Scale: 4, Disp: i * isa.Bytes})
		isa.DoTo(vec.MaxFloat, largest[i], v, largest[i])
		isa.DoTo(vec.MinFloat, smallest[i], v, smallest[i])
	}
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(values), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("values"))
	Label("done")
	for i := range largest {
		isa.Store(largest[i], at("largest", i))
		isa.Store(smallest[i], at("smallest", i))
	}
	isa.End()
}
