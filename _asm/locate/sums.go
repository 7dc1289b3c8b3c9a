package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	"github.com/fastcorners/fast/_asm/internal/prefix"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// slide emits the function that moves the sums of columns down by a row.
func slide(isa ISA) {
	r := Func("slide" + isa.Name)
	squares, count := Load(r.Field("squares").Base(), GP64()), Load(r.Field("count"), GP64())
	eachChannel(r, func(at Register) {
		entering, leaving, columns := channelBase(r, "entering", at), channelBase(r, "leaving", at), channelBase(r, "columns", at)
		x := Counter()
		// addTo emits what adds a vector to numbers.
		addTo := func(v, numbers Register) {
			m := Mem{Base: numbers, Index: x, Scale: 4}
			isa.Store(isa.Do(op.AddLong, v, m), m)
		}
		// move emits a loop that moves columns, or squares, or both.
		move := func(label string, moveColumns, moveSquares bool) {
			Loop(label, x, count, isa.Bytes/4, func() {
				in := isa.LoadLongs(Mem{Base: entering, Index: x, Scale: 1}, nil)
				out := isa.LoadLongs(Mem{Base: leaving, Index: x, Scale: 1}, nil)
				difference := isa.Do(op.SubLong, in, out)
				if moveColumns {
					addTo(difference, columns)
				}
				if moveSquares {
					// The upper words of sums are 0.
					v := isa.Do(op.AddLong, in, out)
					isa.DoTo(op.MulPairs, difference, v, v)
					addTo(v, squares)
				}
			})
		}
		CMPL(Address(r.Field("alone")), U8(0))
		JNE(LabelRef("squaresAlone"))
		CMPQ(Address(r.Field("squares").Len()), U8(0))
		JEQ(LabelRef("columnsAlone"))
		move("columns", true, true)
		JMP(LabelRef("slid"))
		move("columnsAlone", true, false)
		JMP(LabelRef("slid"))
		move("squaresAlone", false, true)
		Label("slid")
	})
	isa.End()
}

// window emits the function that makes the sums of windows of those of columns. Each is the sum
// of the first window, and of what all columns to the left bring that enter or leave.
func window(isa ISA) {
	r := Func("window" + isa.Name)
	width, n := Load(r.Field("width"), GP64()), Load(r.Field("n"), GP64())
	x, total := GP64(), GP64()
	carry := isa.Vec()
	// begin sets total to the sum of the first window, and carry, too.
	begin := func(label string, columns Register, broadcast func(...Op)) {
		XORQ(x, x)
		XORQ(total, total)
		Label(label)
		v := GP64()
		MOVL(Mem{Base: columns, Index: x, Scale: 4}, v.As32())
		ADDQ(v, total)
		INCQ(x)
		CMPQ(x, width)
		JLT(LabelRef(label))
		low := XMM()
		VMOVQ(total, low)
		broadcast(low, carry)
		XORQ(x, x)
	}
	last := GP64()
	s := prefix.NewSummer(isa, op.AddLong, 4)
	longs := func(label string, columns, sums Register) {
		begin(label+"First", columns, VPBROADCASTD)
		LEAQ(Mem{Base: columns, Index: width, Scale: 4}, last)
		sumLongs(isa, s, label, columns, last, sums, x, n, carry)
	}
	CMPL(Address(r.Field("alone")), U8(0))
	JNE(LabelRef("alone"))
	eachChannel(r, func(at Register) { longs("sums", channelBase(r, "columns", at), channelBase(r, "sums", at)) })
	Label("alone")
	Comment("The squares.")
	squares, sums := Load(r.Field("squares").Base(), GP64()), Load(r.Field("sums2").Base(), GP64())
	CMPQ(Address(r.Field("low").Len()), U8(0))
	JEQ(LabelRef("quads"))
	Load(r.Field("low").Base(), sums)
	longs("low", squares, sums)
	JMP(LabelRef("done"))
	Label("quads")
	s = prefix.NewSummer(isa, op.AddQuad, 8)
	begin("firstSquares", squares, VPBROADCASTQ)
	LEAQ(Mem{Base: squares, Index: width, Scale: 4}, last)
	Loop("squares", x, n, isa.Bytes/8, func() {
		v := unsignedQuads(isa, Mem{Base: last, Index: x, Scale: 4})
		isa.DoTo(op.SubQuad, v, unsignedQuads(isa, Mem{Base: squares, Index: x, Scale: 4}), v)
		isa.Store(isa.Do(op.SubQuad, s.Sum(v, carry), v), Mem{Base: sums, Index: x, Scale: 8})
	})
	Label("done")
	isa.End()
}

// sumLongs emits a loop that sets n of sums, numbers of 32 bits: carry, which has the first one in every
// place, and what the columns from last on have that enter, less those that leave.
func sumLongs(isa ISA, s *prefix.Summer, label string, columns, last, sums, x, n, carry Register) {
	Loop(label, x, n, isa.Bytes/4, func() {
		v := isa.Load(Mem{Base: last, Index: x, Scale: 4})
		isa.DoTo(op.SubLong, v, Mem{Base: columns, Index: x, Scale: 4}, v)
		isa.Store(isa.Do(op.SubLong, s.Sum(v, carry), v), Mem{Base: sums, Index: x, Scale: 4})
	})
}

// accumulate emits the function that sums up pixels and their squares from the beginning of a
// row. All sums are one place behind the pixel that they end with.
func accumulate(isa ISA) {
	r := Func("accumulate" + isa.Name)
	count, squares := Load(r.Field("count"), GP64()), Load(r.Field("until2").Base(), GP64())
	x := Counter()
	zero := isa.Zero()
	XORQ(x, x)
	MOVL(x.As32(), Mem{Base: squares})
	Loop("clear", x, count, isa.Bytes/4, func() { isa.Store(zero, Mem{Base: squares, Index: x, Scale: 4, Disp: 4}) })
	s := prefix.NewSummer(isa, op.AddLong, 4)
	carry, carry2 := isa.Vec(), isa.Vec()
	eachChannel(r, func(at Register) {
		pix, until := channelBase(r, "pix", at), channelBase(r, "until", at)
		isa.Move(zero, carry)
		isa.Move(zero, carry2)
		XORQ(x, x)
		MOVL(x.As32(), Mem{Base: until})
		Loop("pixels", x, count, isa.Bytes/4, func() {
			v := isa.LoadLongs(Mem{Base: pix, Index: x, Scale: 1}, nil)
			m := Mem{Base: until, Index: x, Scale: 4, Disp: 4}
			isa.Store(s.Sum(v, carry), m)
			isa.DoTo(op.MulPairs, v, v, v)
			m.Base = squares
			isa.Store(isa.Do(op.AddLong, s.Sum(v, carry2), m), m)
		})
	})
	isa.End()
}

// span emits the function that adds the sums of spans, which are differences, to those of windows. The squares
// are summed up together with the first channel.
func span(isa ISA) {
	r := Func("span" + isa.Name)
	begin, end := Load(r.Field("spans").Base(), GP64()), Load(r.Field("spans").Len(), GP64())
	e, size := Element("spans", begin)
	if size != 16 {
		panic("the size of a span is not that of two integers")
	}
	SHLQ(U8(4), end)
	ADDQ(begin, end)
	x, p := GP64(), GP64()
	vectors := group * 4 / isa.Bytes
	// within emits the loop over the places, with sums from the beginning of rows.
	within := func(label string, untils, sums []Register) {
		XORQ(x, x)
		Align()
		Label(label)
		var list [][]Register
		for range untils {
			var zeros []Register
			for range vectors {
				zeros = append(zeros, isa.Zero())
			}
			list = append(list, zeros)
		}
		MOVQ(begin, p)
		Label(label + "Span")
		for _, side := range []struct {
			field string
			add   op.Binary
		}{{"end", op.AddLong}, {"begin", op.SubLong}} {
			m, at := Address(e.Field(side.field)), GP64()
			m.Base = p
			MOVQ(m, at)
			ADDQ(x, at)
			for i, until := range untils {
				for j, v := range list[i] {
					isa.DoTo(side.add, v, Mem{Base: until, Index: at, Scale: 4, Disp: j * isa.Bytes}, v)
				}
			}
		}
		ADDQ(U8(size), p)
		CMPQ(p, end)
		JNE(LabelRef(label + "Span"))
		for i, to := range sums {
			for j, v := range list[i] {
				m := Mem{Base: to, Index: x, Scale: 4, Disp: j * isa.Bytes}
				isa.DoTo(op.AddLong, v, m, v)
				isa.Store(v, m)
			}
		}
		ADDQ(U8(group), x)
		CMPQ(x, Address(r.Field("n")))
		JLT(LabelRef(label))
	}
	channel := Counter()
	within("both", []Register{channelBase(r, "until", channel), Load(r.Field("until2").Base(), GP64())},
		[]Register{channelBase(r, "sums", channel), Load(r.Field("low").Base(), GP64())})
	left := Load(r.Field("channels"), GP64())
	Label("channels")
	DECQ(left)
	JEQ(LabelRef("done"))
	ADDQ(U8(sliceBytes), channel)
	within("sums", []Register{channelBase(r, "until", channel)}, []Register{channelBase(r, "sums", channel)})
	JMP(LabelRef("channels"))
	Label("done")
	isa.End()
}
