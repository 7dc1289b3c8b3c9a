package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	doubleSize = 8
	perVector  = 4
	// unknowns is the number of rows of cubic equations, and of columns that become those of the unit
	// matrix. There are twice as many columns.
	unknowns = 10
	// firstSolved is the first row that becomes a solution.
	firstSolved = 4
	// elements is the number of rows of epipolar constraints, pairs that of their columns.
	elements, pairs = 9, 7
)

// An elimination is what eliminate and reduce are made of.
type elimination struct {
	ISA
	rows, columns       int
	base                Register // of the rows
	one, least, noSigns Mem
}

// eliminations emits the functions that solve ten cubic equations, and seven epipolar constraints.
func eliminations() {
	one, noSigns := ConstData("eliminateOne", F64(1)), ConstData("eliminateNoSigns", U64(1<<63-1))
	for _, cubic := range []bool{true, false} {
		e := &elimination{ISA: AVX2, rows: elements, columns: pairs + 1, one: one, noSigns: noSigns}
		name, least := "reduce", 1e-10
		if cubic {
			e.rows, e.columns = unknowns, 2*unknowns
			name, least = "eliminate", 1e-14
		}
		argument := Func(name + "AVX2")
		rows, solved := Address(argument.Field("rows").Index(0).Index(0)), Address(argument.Field("solved"))
		e.base = GP64()
		e.least = ConstData(name+"Least", F64(least))
		MOVB(U8(0), solved)
		LEAQ(rows, e.base)
		if cubic {
			e.eliminate()
		} else {
			e.reduce()
		}
		MOVB(U8(1), solved)
		Label("singular")
		e.End()
	}
}

// eliminate emits what solves ten cubic equations.
func (e *elimination) eliminate() {
	for k := range unknowns {
		e.forward(k)
	}
	for k := unknowns - 1; k > firstSolved; k-- {
		e.backward(k)
	}
}

// reduce emits what makes a triangle of the constraints of seven pairs.
func (e *elimination) reduce() {
	for k := range pairs {
		e.triangle(k)
	}
}

// at returns the place of an element of a row.
func at(row Register, column int) Mem { return Mem{Base: row, Disp: column * doubleSize} }

// at returns the place of an element.
func (e *elimination) at(row, column int) Mem {
	return Mem{Base: e.base, Disp: row*e.rowSize() + column*doubleSize}
}

// rowSize returns the number of bytes of a row.
func (e *elimination) rowSize() int { return e.columns * doubleSize }

// pivot emits the search for the largest element of a column, and returns its row and what it is.
func (e *elimination) pivot(k int) (row, largest Register) {
	Comment(fmt.Sprintf("Of column %d, the row with the largest element.", k))
	pivot := GP64()
	for i := k; i < e.rows; i++ {
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
	IMUL3Q(I32(e.rowSize()), pivot, pivot)
	ADDQ(e.base, pivot)
	x, size := XMM(), XMM()
	VMOVSD(at(pivot, k), x)
	VMOVQ(e.noSigns, size)
	VPAND(x, size, size)
	VUCOMISD(e.least, size)
	JLS(LabelRef("singular"))
	return pivot, x
}

// inverse returns a vector of 1 divided by x.
func (e *elimination) inverse(x Register) Register {
	inverse, factor := XMM(), e.Vec()
	VMOVSD(e.one, inverse)
	VDIVSD(x, inverse, inverse)
	VBROADCASTSD(inverse, factor)
	return factor
}

// below emits a loop over the rows below row k, with its element of column k in all elements of f.
func (e *elimination) below(k int, loop func(other, f Register)) {
	other, end := GP64(), GP64()
	LEAQ(e.at(k+1, 0), other)
	LEAQ(e.at(e.rows, 0), end)
	label := fmt.Sprintf("rows%d", k)
	Align()
	Label(label)
	f := e.Vec()
	VBROADCASTSD(at(other, k), f)
	loop(other, f)
	ADDQ(I32(e.rowSize()), other)
	CMPQ(other, end)
	JLT(LabelRef(label))
}

// forward removes an unknown from the rows below.
func (e *elimination) forward(k int) {
	pivot, x := e.pivot(k)
	Comment("It changes places, and is divided by that element.")
	factor := e.inverse(x)
	var row [2 * unknowns / perVector]Register
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
	e.below(k, func(other, f Register) {
		for v := (k + 1) / perVector; v < len(row); v++ {
			e.subtract(f, row[v], at(other, perVector*v))
		}
	})
}

// triangle makes the elements of a row the largest, and subtracts its multiples from the columns to
// the right, but for the last one, which has the numbers of the rows.
func (e *elimination) triangle(k int) {
	pivot, x := e.pivot(k)
	Comment("It changes places. Those below become less by its multiple, divided by that element.")
	var row [(pairs + 1) / perVector]Register
	for v := range row {
		row[v] = e.Load(at(pivot, perVector*v))
		other := e.Load(e.at(k, perVector*v))
		VMOVUPD(other, at(pivot, perVector*v))
		VMOVUPD(row[v], e.at(k, perVector*v))
	}
	if k == pairs-1 {
		return
	}
	factor := e.inverse(x)
	first := (k + 1) / perVector
	for v := first; v < len(row); v++ {
		e.DoTo(op.MulDouble, row[v], factor, row[v])
	}
	e.below(k, func(other, f Register) {
		for v := first; v < len(row); v++ {
			kept := uint8(0)
			for c := range perVector {
				if column := perVector*v + c; column <= k || column == pairs {
					kept |= 1 << c
				}
			}
			product := e.Do(op.MulDouble, f, row[v])
			old, rest := e.Load(at(other, perVector*v)), e.Vec()
			VSUBPD(product, old, rest)
			if kept > 0 {
				VBLENDPD(U8(kept), old, rest, rest)
			}
			VMOVUPD(rest, at(other, perVector*v))
		}
	})
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
