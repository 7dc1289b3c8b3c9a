package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sumBands emits the function that makes the sums of bands up to each column.
func sumBands(isa vec.ISA) {
	r := vec.Func("sumBands" + isa.Name)
	var bands, out [2]Register
	for i := range bands {
		bands[i], out[i] = vec.Pointer(r, "bands", i), vec.Pointer(r, "out", i)
	}
	n := Load(r.Field("n"), GP64())
	s := newSummer(isa, vec.AddLong, 4)
	carries := [2]Register{isa.Zero(), isa.Zero()}
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("columns")
	for i, band := range bands {
		v := s.sum(isa.LoadLongWords(Mem{Base: band, Index: x, Scale: 2}), carries[i])
		isa.Store(v, Mem{Base: out[i], Index: x, Scale: 4})
	}
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, n)
	JLT(LabelRef("columns"))
	isa.End()
}

// differentiate emits the function that makes a row of gradients of the sums of bands, as
// floats.
func differentiate(isa vec.ISA) {
	r := vec.Func("differentiate" + isa.Name)
	wholes, halves := vec.Pointer(r, "sums", 0), vec.Pointer(r, "sums", 1)
	out := [2]Register{vec.Pointer(r, "out", 0), vec.Pointer(r, "out", 1)}
	reach, n := Load(r.Field("reach"), GP64()), Load(r.Field("n"), GP64())
	// Where the boxes begin and end, for the kernel whose first column is that of x.
	left, leftEnd, right, bottom := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: wholes, Index: reach, Scale: 4}, leftEnd)
	LEAQ(Mem{Base: leftEnd, Index: reach, Scale: 4}, right)
	LEAQ(Mem{Base: halves, Index: reach, Scale: 8, Disp: -4}, bottom)
	MOVQ(wholes, left)
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("columns")
	at := func(p Register, i int) Mem { return Mem{Base: p, Index: x, Scale: 4, Disp: 4 * i} }
	gx := isa.Load(at(right, 0))
	isa.DoTo(vec.SubLong, gx, isa.Operand(at(leftEnd, 0)), gx)
	isa.DoTo(vec.SubLong, gx, isa.Operand(at(leftEnd, -1)), gx)
	isa.DoTo(vec.AddLong, gx, isa.Operand(at(left, -1)), gx)
	gy := isa.Load(at(bottom, 0))
	isa.DoTo(vec.SubLong, gy, isa.Operand(at(halves, 0)), gy)
	for i, v := range []Register{gx, gy} {
		isa.ToFloat(v, v)
		isa.Store(v, at(out[i], 0))
	}
	ADDQ(U8(isa.Bytes/4), x)
	CMPQ(x, n)
	JLT(LabelRef("columns"))
	isa.End()
}

// columns emits the function that moves sums of products of gradients, over the rows of
// windows and up to each column, down by a row. They are integers of 64 bits, but doubles
// with SSE2, which cannot multiply signed ones.
func columns(isa vec.ISA) {
	r := vec.Func("columns" + isa.Name)
	var enter, leave [2]Register
	for i := range enter {
		enter[i], leave[i] = vec.Pointer(r, "enter", i), vec.Pointer(r, "leave", i)
	}
	sums := Load(r.Field("sums"), GP64())
	stride := Load(r.Field("stride"), GP64())
	n := Load(r.Field("n"), GP64())
	SHLQ(U8(3), stride)
	add, sub, mul := vec.AddQuad, vec.SubQuad, vec.MulQuad
	if isa == vec.SSE2 {
		add, sub, mul = vec.AddDouble, vec.SubDouble, vec.MulDouble
	}
	s := newSummer(isa, add, 8)
	carries := [3]Register{isa.Zero(), isa.Zero(), isa.Zero()}
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("columns")
	var added, removed [2]Register
	for i := range 2 {
		added[i] = isa.LoadQuads(Mem{Base: enter[i], Index: x, Scale: 4})
		removed[i] = isa.LoadQuads(Mem{Base: leave[i], Index: x, Scale: 4})
	}
	for k, factors := range [3][2]int{{0, 0}, {1, 1}, {0, 1}} {
		a, b := factors[0], factors[1]
		at := Mem{Base: sums, Index: stride, Scale: uint8(k)}
		if k == 0 {
			at = Mem{Base: sums}
		}
		v := isa.Do(mul, added[a], added[b])
		isa.DoTo(sub, v, isa.Do(mul, removed[a], removed[b]), v)
		isa.Store(isa.Do(add, s.sum(v, carries[k]), isa.Operand(at)), at)
	}
	ADDQ(U8(isa.Bytes), sums)
	ADDQ(U8(isa.Bytes/8), x)
	CMPQ(x, n)
	JLT(LabelRef("columns"))
	isa.End()
}

// windows emits the function that makes sums over windows of those up to each column, as
// floats.
func windows(isa vec.ISA) {
	r := vec.Func("windows" + isa.Name)
	in, out := Load(r.Field("in"), GP64()), Load(r.Field("out"), GP64())
	side, n := Load(r.Field("side"), GP64()), Load(r.Field("n"), GP64())
	last := GP64()
	LEAQ(Mem{Base: in, Index: side, Scale: 8, Disp: -8}, last)
	sub := vec.SubQuad
	if isa == vec.SSE2 {
		sub = vec.SubDouble
	}
	magic := isa.Magic()
	x := GP64()
	XORQ(x, x)
	vec.Align()
	Label("columns")
	v := isa.Load(Mem{Base: last, Index: x, Scale: 8})
	isa.DoTo(sub, v, isa.Operand(Mem{Base: in, Index: x, Scale: 8, Disp: -8}), v)
	isa.StoreQuads(v, magic, Mem{Base: out, Index: x, Scale: 4})
	ADDQ(U8(isa.Bytes/8), x)
	CMPQ(x, n)
	JLT(LabelRef("columns"))
	isa.End()
}
