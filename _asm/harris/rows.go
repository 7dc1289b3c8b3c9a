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
	src, dst := Load(r.Field("src"), GP64()), Load(r.Field("dst"), GP64())
	ahead := Load(r.Field("ahead"), GP64())
	last := Load(r.Field("n"), GP64())
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
	middle, out := Load(r.Field("middle"), GP64()), Load(r.Field("out"), GP64())
	taps, count := Load(r.Field("taps").Base(), GP64()), Load(r.Field("taps").Len(), GP64())
	n := Load(r.Field("n"), GP64())
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
		first, second := Load(pair.Field("first"), GP64()), Load(pair.Field("second"), GP64())
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
	rowFunction(isa, "multiply", func(x Register, in, out func(i int) Mem) {
		a, b := isa.Load(in(0)), isa.Load(in(1))
		isa.Store(isa.Do(vec.MulFloat, a, a), out(0))
		isa.Store(isa.Do(vec.MulFloat, b, b), out(1))
		isa.Store(isa.Do(vec.MulFloat, a, b), out(2))
	})
}

// extremes emits the function that makes the maxima and the minima of those so far and
// of a row.
func extremes(isa vec.ISA) {
	rowFunction(isa, "extremes", func(x Register, in, out func(i int) Mem) {
		v := isa.Load(in(0))
		isa.Store(isa.Do(vec.MaxFloat, v, isa.Operand(in(1))), out(0))
		isa.Store(isa.Do(vec.MinFloat, v, isa.Operand(in(2))), out(1))
	})
}

// rowFunction emits a function that works on each vector of rows in turn.
func rowFunction(isa vec.ISA, name string, emit func(x Register, in, out func(i int) Mem)) {
	r := vec.Func(name + isa.Name)
	var in, out [3]Register
	for i := range in {
		in[i], out[i] = vec.Pointer(r, "in", i), vec.Pointer(r, "out", i)
	}
	n := Load(r.Field("n"), GP64())
	x := GP64()
	XORQ(x, x)
	at := func(rows [3]Register) func(i int) Mem {
		return func(i int) Mem { return Mem{Base: rows[i], Index: x, Scale: 4} }
	}
	vec.Align()
	Label("vector")
	emit(x, at(in), at(out))
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, n)
	JLT(LabelRef("vector"))
	isa.End()
}
