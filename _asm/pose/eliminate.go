package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	doubleSize = 8
	// unknowns is the number of rows, and of columns that become those of the unit matrix.
	unknowns, columns = 10, 20
	// firstSolved is the first row that becomes a solution.
	firstSolved = 4
	perVector   = 4
	rowSize     = columns * doubleSize
)

// An elimination is what eliminate is made of.
type elimination struct {
	ISA
	base                Register // of the rows
	one, least, noSigns Mem
}

// eliminate emits the function that solves ten cubic equations.
func eliminate() {
	argument := Func("eliminateAVX2")
	rows, solved := Address(argument.Field("rows").Index(0).Index(0)), Address(argument.Field("solved"))
	e := &elimination{
		ISA:     AVX2,
		base:    GP64(),
		one:     ConstData("eliminateOne", F64(1)),
		least:   ConstData("eliminateLeast", F64(1e-14)),
		noSigns: ConstData("eliminateNoSigns", U64(1<<63-1)),
	}
	MOVB(U8(0), solved)
	LEAQ(rows, e.base)
	for k := range unknowns {
		e.forward(k)
	}
	for k := unknowns - 1; k > firstSolved; k-- {
		e.backward(k)
	}
	MOVB(U8(1), solved)
	Label("singular")
	e.End()
}

// at returns the place of an element of a row.
func at(row Register, column int) Mem { return Mem{Base: row, Disp: column * doubleSize} }

// at returns the place of an element.
func (e *elimination) at(row, column int) Mem {
	return Mem{Base: e.base, Disp: row*rowSize + column*doubleSize}
}

// forward removes an unknown from the rows below.
func (e *elimination) forward(k int) {
	Comment(fmt.Sprintf("Of column %d, the row with the largest element.", k))
	pivot := GP64()
	for i := k; i < unknowns; i++ {
		x := GP64()
		if i == k {
			x = pivot
		}
		MOVQ(e.at(i, k), x)
		SHLQ(U8(1), x)
		ANDQ(I8(-16), x)
		if i > 0 {
			ORQ(I8(i), x)
		}
		if i > k {
			CMPQ(x, pivot)
			CMOVQHI(x, pivot)
		}
	}
	ANDQ(I8(15), pivot)
	IMUL3Q(I32(rowSize), pivot, pivot)
	ADDQ(e.base, pivot)
	x, size := XMM(), XMM()
	VMOVSD(at(pivot, k), x)
	VMOVQ(e.noSigns, size)
	VPAND(x, size, size)
	VUCOMISD(e.least, size)
	JLS(LabelRef("singular"))

	Comment("It changes places, and is divided by that element.")
	inverse := XMM()
	VMOVSD(e.one, inverse)
	VDIVSD(x, inverse, inverse)
	factor := e.Vec()
	VBROADCASTSD(inverse, factor)
	var row [columns / perVector]Register
	for v := k / perVector; v < len(row); v++ {
		row[v] = e.Load(at(pivot, perVector*v))
		other := e.Load(e.at(k, perVector*v))
		VMOVUPD(other, at(pivot, perVector*v))
		e.DoTo(op.MulDouble, row[v], factor, row[v])
		VMOVUPD(row[v], e.at(k, perVector*v))
	}
	if k == unknowns-1 {
		return
	}
	other, end := GP64(), GP64()
	LEAQ(e.at(k+1, 0), other)
	LEAQ(e.at(unknowns, 0), end)
	label := fmt.Sprintf("rows%d", k)
	Align()
	Label(label)
	f := e.Vec()
	VBROADCASTSD(at(other, k), f)
	for v := (k + 1) / perVector; v < len(row); v++ {
		e.subtract(f, row[v], at(other, perVector*v))
	}
	ADDQ(I32(rowSize), other)
	CMPQ(other, end)
	JLT(LabelRef(label))
}

// subtract subtracts the product of f and x from what lies at m.
func (e *elimination) subtract(f, x Register, m Mem) {
	product := e.Do(op.MulDouble, f, x)
	rest := e.Load(m)
	e.DoTo(op.SubDouble, rest, product, rest)
	VMOVUPD(rest, m)
}

// backward removes an unknown from the rows above that become solutions.
func (e *elimination) backward(k int) {
	Comment(fmt.Sprintf("Column %d of the rows above.", k))
	first, second, third := XMM(), e.Load(e.at(k, 12)), e.Load(e.at(k, 16))
	VMOVUPD(e.at(k, 10), first)
	for i := k - 1; i >= firstSolved; i-- {
		f := e.Vec()
		VBROADCASTSD(e.at(i, k), f)
		product, rest := XMM(), XMM()
		VMULPD(first, f.AsX(), product)
		VMOVUPD(e.at(i, 10), rest)
		VSUBPD(product, rest, rest)
		VMOVUPD(rest, e.at(i, 10))
		e.subtract(f, second, e.at(i, 12))
		e.subtract(f, third, e.at(i, 16))
	}
}
