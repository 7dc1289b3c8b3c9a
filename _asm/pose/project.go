package main

import (
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// directions is the number of vectors of the basis.
const directions = 7

// A projecting is a function that takes equations to a basis. A lane has what belongs to one of its
// vectors or, in a row of the matrix, to one of eight elements.
type projecting struct{ inLanes }

// project emits the function for an instruction set.
func project(isa ISA) {
	p := &projecting{newInLanes(isa, "project", func(r Component) Component { return r.Field("beta").Index(0) })}
	p.inTurn("reflect", func() {
		Comment("The basis.")
		var e [elements]numbers
		for i := range e {
			e[i] = p.load(p.basis(i))
		}
		for vector := 1; vector >= 0; vector-- {
			v := p.argument.Field("vectors").Index(vector)
			d := p.load(p.number(0))
			for i := vector; i < elements; i++ {
				d = p.add(d, p.mul(e[i], p.alike(v.Index(i))))
			}
			d = p.mul(d, p.alike(p.argument.Field("beta").Index(vector)))
			for i := vector; i < elements; i++ {
				e[i] = p.sub(e[i], p.mul(d, p.alike(v.Index(i))))
			}
		}
		for i, x := range e {
			p.store(x, p.basis(i))
		}
	})
	p.atOnce(func() {
		Comment("The right side, and then the rows.")
		right := Address(p.argument.Field("right").Index(0))
		p.store(p.combine(right), p.at(p.argument.Field("small").Field("b")))
		p.rows()
	})
	p.End()
}

// basis returns an element of all vectors.
func (p *projecting) basis(i int) numbers { return p.at(p.argument.Field("basis").Index(i)) }

// combine returns the products of the basis with a vector of nine elements at m.
func (p *projecting) combine(m Mem) numbers {
	var sum numbers
	for i := range elements {
		product := p.mul(p.everywhere(m.Offset(i*doubleSize)), p.basis(i))
		if i == 0 {
			sum = product
		} else {
			sum = p.add(sum, product)
		}
	}
	return sum
}

// rows emits a loop over the rows of the matrix.
func (p *projecting) rows() {
	vector, output, end := GP64(), GP64(), GP64()
	LEAQ(Address(p.argument.Field("basis").Index(0).Index(0)), vector)
	LEAQ(Address(p.argument.Field("small").Field("a").Index(0).Index(0)), output)
	LEAQ(Address(p.argument.Field("small").Field("a").Index(directions).Index(0)), end)
	row := p.argument.Field("row")
	Align()
	Label("row")
	// The products of the vector with eight rows, and with the last one.
	var sum numbers
	var last Register
	for i := range elements {
		x := p.everywhere(Mem{Base: vector, Disp: i * lanesSize})
		full := p.argument.Field("full").Index(i)
		product, lastProduct := p.mul(x, p.at(full)), XMM()
		VMULSD(Address(full.Index(elements-1)), x[0].(VecVirtual).AsX(), lastProduct)
		if i == 0 {
			sum, last = product, lastProduct
			continue
		}
		sum = p.add(sum, product)
		VADDSD(lastProduct, last, last)
	}
	p.store(sum, p.at(row))
	VMOVSD(last, Address(row.Index(elements-1)))
	products := p.combine(Address(row.Index(0)))
	for part, x := range products {
		p.Move(x, Mem{Base: output, Disp: part * p.Bytes})
	}
	ADDQ(U8(doubleSize), vector)
	ADDQ(U8(elements*doubleSize), output)
	CMPQ(output, end)
	JLT(LabelRef("row"))
}
