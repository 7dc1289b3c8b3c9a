package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// slideDoubles emits the function that adds the products of a row of gradients to sums
// of columns, and subtracts those of another one. All of them are integers, which
// doubles hold.
func slideDoubles(isa vec.ISA) {
	r := vec.Func("slideDoubles" + isa.Name)
	var enter, leave [2]Register
	for i, field := range []string{"x", "y"} {
		enter[i] = Load(r.Field("enter").Field(field).Base(), GP64())
		leave[i] = Load(r.Field("leave").Field(field).Base(), GP64())
	}
	var sums [3]Register
	for i := range sums {
		sums[i] = Load(r.Field("sums").Index(i).Base(), GP64())
	}
	n := Load(r.Field("n"), GP64())
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("vector")
	var added, removed [2]Register
	for i := range 2 {
		added[i] = isa.LoadDoubles(Mem{Base: enter[i], Index: x, Scale: 4})
		removed[i] = isa.LoadDoubles(Mem{Base: leave[i], Index: x, Scale: 4})
	}
	for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
		at := Mem{Base: sums[k], Index: x, Scale: 8}
		a, b := factors[0], factors[1]
		sum := isa.Load(at)
		isa.DoTo(vec.AddDouble, sum, isa.Do(vec.MulDouble, added[a], added[b]), sum)
		isa.DoTo(vec.SubDouble, sum, isa.Do(vec.MulDouble, removed[a], removed[b]), sum)
		isa.Store(sum, at)
	}
	ADDQ(U8(isa.Bytes/8), x)
	CMPQ(x, n)
	JLT(LabelRef("vector"))
	isa.End()
}

// boxDoubles emits the function that sums neighbours in each of three rows, the same
// number for each sum, and makes floats of the sums.
func boxDoubles(isa vec.ISA) {
	r := vec.Func("boxDoubles" + isa.Name)
	side, n := Load(r.Field("side"), GP64()), Load(r.Field("n"), GP64())
	for k := range 3 {
		in, out := Load(r.Field("in").Index(k).Base(), GP64()), Load(r.Field("out").Index(k).Base(), GP64())
		boxRow(isa, fmt.Sprint(k), in, out, side, n)
	}
	isa.End()
}

// boxRow emits the loop over a row. The labels end with the name of the row.
func boxRow(isa vec.ISA, name string, in, out, side, n Register) {
	const unrolled = 4
	x, at, left := GP64(), GP64(), GP64()
	XORQ(x, x)
	vec.Align()
	Label("vectors" + name)
	LEAQ(Mem{Base: in, Index: x, Scale: 8}, at)
	sums := make([]Register, unrolled)
	for i := range sums {
		sums[i] = isa.Load(Mem{Base: at, Disp: i * isa.Bytes})
	}
	MOVQ(side, left)
	JMP(LabelRef("next" + name))
	Label("column" + name)
	ADDQ(U8(8), at)
	for i, sum := range sums {
		isa.DoTo(vec.AddDouble, sum, isa.Operand(Mem{Base: at, Disp: i * isa.Bytes}), sum)
	}
	Label("next" + name)
	DECQ(left)
	JNE(LabelRef("column" + name))
	for i, sum := range sums {
		isa.StoreFloats(sum, Mem{Base: out, Index: x, Scale: 4, Disp: i * isa.Bytes / 2})
	}
	ADDQ(U8(unrolled*isa.Bytes/8), x)
	CMPQ(x, n)
	JLT(LabelRef("vectors" + name))
}
