package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/response"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// Filters of seven taps, for Gaussians that reach 3 pixels. No operation is fused.

// gaussianWeights are the weights of a filter, from the middle on.
type gaussianWeights [4]Op

// loadWeights returns the weights of a field, in registers with AVX-512 and in memory otherwise.
func loadWeights(isa ISA, weights Component, field string) (w gaussianWeights) {
	for i := range w {
		m := Address(weights.Field(field).Index(i).Index(0))
		w[i] = m
		if isa == AVX512 {
			w[i] = isa.Load(m)
		}
	}
	return w
}

// smooth7 returns the weighted sum of seven values. It does not change them.
func smooth7(isa ISA, w gaussianWeights, v func(i int) Register) Register {
	sum := isa.Do(op.MulFloat, v(3), isa.Operand(w[0]))
	for i := 1; i <= 3; i++ {
		addPair(isa, sum, w[i], isa.Do(op.AddFloat, v(3-i), v(3+i)))
	}
	return sum
}

// derive7 returns the weighted sum of differences of seven values.
func derive7(isa ISA, w gaussianWeights, v func(i int) Register) Register {
	sum := isa.Do(op.SubFloat, v(4), v(2))
	isa.DoTo(op.MulFloat, sum, isa.Operand(w[1]), sum)
	for i := 2; i <= 3; i++ {
		addPair(isa, sum, w[i], isa.Do(op.SubFloat, v(3+i), v(3-i)))
	}
	return sum
}

// addPair adds a pair with its weight to a sum.
func addPair(isa ISA, sum Register, weight Op, v VecVirtual) {
	isa.DoTo(op.MulFloat, v, isa.Operand(weight), v)
	isa.DoTo(op.AddFloat, sum, v, sum)
}

// loop emits a loop over n floats.
func loop(isa ISA, r Component, body func(x Register)) {
	n, x := Load(r.Field("n"), GP64()), GP64()
	XORQ(x, x)
	Comment("The columns of a vector.")
	Loop("vector", x, n, isa.Bytes/4, func() {
		body(x)
	})
	isa.End()
}

// columns7 emits the function that smooths eight rows down the columns, to two, and with
// derivatives makes these of them, too.
func columns7(isa ISA, name string, derivatives bool) {
	r := Func(name + isa.Name)
	var rows [8]Register
	for i := range rows {
		rows[i] = Pointer(r, "rows", i)
	}
	var out [4]Register // sums of the one row and of the other one, and derivatives
	for i := range out {
		if i < 2 || derivatives {
			out[i] = Pointer(r, "out", i)
		}
	}
	weights := Dereference(r.Field("weights"))
	smoothing := loadWeights(isa, weights, "smooth")
	deriving := smoothing
	if derivatives {
		deriving = loadWeights(isa, weights, "derive")
	}
	loop(isa, r, func(x Register) {
		var v [8]Register
		for i := range v {
			v[i] = isa.Load(Mem{Base: rows[i], Index: x, Scale: 4})
		}
		for i := range 2 {
			at := func(j int) Register { return v[i+j] }
			isa.Store(smooth7(isa, smoothing, at), Mem{Base: out[i], Index: x, Scale: 4})
			if derivatives {
				isa.Store(derive7(isa, deriving, at), Mem{Base: out[2+i], Index: x, Scale: 4})
			}
		}
	})
}

// along returns the values of a row around those from x on.
//
// With AVX-512 every load that is not aligned straddles two cache lines: there the values
// are shifted in from both sides.
func along(isa ISA, row, x Register) func(i int) Register {
	at := func(i int) Register {
		return isa.Load(Mem{Base: row, Index: x, Scale: 4, Disp: 4 * i})
	}
	if isa != AVX512 {
		return func(i int) Register { return at(i - 3) }
	}
	before, here, after := at(-16), at(0), at(16)
	return func(i int) Register {
		switch {
		case i < 3:
			return isa.ShiftIn(here, before, 3-i)
		case i > 3:
			v := isa.Vec()
			VALIGND(U8(i-3), here, after, v)
			return v
		}
		return here
	}
}

// products7 emits the function that makes products of gradients of a row of sums and one
// of derivatives down the columns.
func products7(isa ISA) {
	r := Func("products7" + isa.Name)
	sums, derivatives := Pointer(r, "rows", 0), Pointer(r, "rows", 1)
	var out [3]Register
	for i := range out {
		out[i] = Pointer(r, "out", i)
	}
	weights := Dereference(r.Field("weights"))
	smoothing, deriving := loadWeights(isa, weights, "smooth"), loadWeights(isa, weights, "derive")
	loop(isa, r, func(x Register) {
		gx := derive7(isa, deriving, along(isa, sums, x))
		gy := smooth7(isa, smoothing, along(isa, derivatives, x))
		at := func(i int) Mem { return Mem{Base: out[i], Index: x, Scale: 4} }
		isa.Store(isa.Do(op.MulFloat, gx, gx), at(0))
		isa.Store(isa.Do(op.MulFloat, gx, gy), at(2))
		isa.Store(isa.Do(op.MulFloat, gy, gy), at(1))
	})
}

// respond7 emits the function that smooths three rows of sums of products along them, and
// makes responses.
func respond7(isa ISA) {
	r := Func("respond7" + isa.Name)
	var rows [3]Register
	for i := range rows {
		rows[i] = Pointer(r, "rows", i)
	}
	out := Pointer(r, "out", 0)
	weights := Dereference(r.Field("weights"))
	smoothing := loadWeights(isa, weights, "smooth")
	p := response.NewResponder(isa, r, nil)
	loop(isa, r, func(x Register) {
		var sums [3]Op
		for i, row := range rows {
			sums[i] = smooth7(isa, smoothing, along(isa, row, x))
		}
		p.Store(sums, Mem{Base: out, Index: x, Scale: 4})
	})
}
