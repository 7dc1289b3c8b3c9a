package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	// blockRows is the number of rows of places whose products are made at a time.
	blockRows = 4
	// group is what numbers of places are multiples of.
	group = 16
)

// multiply emits the function that multiplies a template with windows. It makes tiles of
// blockRows rows of places, as many in each as a vector has words: the products of the even
// places and those of the odd ones.
func multiply() {
	isa := AVX2
	m := newMultiplier(isa, "multiply", "pairs", "products", 8)
	interleave := isa.Interleaver()
	var sums [2][blockRows]Register
	m.tile(func() {
		for i := range sums {
			for row := range sums[i] {
				sums[i][row] = isa.Zero()
			}
		}
	}, func(q, k Register) {
		var pixels [2]Register
		for i := range pixels {
			pixels[i] = isa.LoadWords(Mem{Base: q, Disp: i}, nil)
		}
		for row := range blockRows {
			v := isa.BroadcastFloat(Mem{Base: k, Disp: 4 * row})
			for i := range sums {
				isa.AddProducts(sums[i][row], pixels[i], v)
			}
		}
		ADDQ(U8(2), q)
	})
	for row := range blockRows {
		sums[0][row], sums[1][row] = interleave(sums[0][row], sums[1][row])
	}
	m.add(func(row int) []Register { return []Register{sums[0][row], sums[1][row]} })
	JNE(LabelRef("tile"))
	isa.End()
}

// multiplyBytes emits the same for a template of bytes, and for products of a size in bytes. A tile has as many
// places as a vector has bytes: four vectors of sums for each row of places, those of every fourth place.
func multiplyBytes(name, products string, size int) {
	isa := AVX512
	m := newMultiplier(isa, name, "quads", products, size)
	var sums [4][blockRows]Register
	m.tile(func() {
		for i := range sums {
			for row := range sums[i] {
				sums[i][row] = isa.Zero()
			}
		}
	}, func(q, k Register) {
		var pixels [4]Register
		for i := range pixels {
			pixels[i] = isa.Load(Mem{Base: q, Disp: i})
		}
		for row := range blockRows {
			v := isa.BroadcastFloat(Mem{Base: k, Disp: 4 * row})
			for i := range sums {
				VPDPBUSD(v, pixels[i], sums[i][row])
			}
		}
		ADDQ(U8(4), q)
	})
	Comment("Each quarter of a vector has the sums of a group. They become those of four neighbors, and a vector of all.")
	for row := range blockRows {
		quarters := fourths(isa, [4]Register{sums[0][row], sums[1][row], sums[2][row], sums[3][row]})
		for i, halves := range []U8{0b01_00_01_00, 0b11_10_11_10} {
			first, second := isa.Vec(), isa.Vec()
			VSHUFI32X4(halves, quarters[1], quarters[0], first)
			VSHUFI32X4(halves, quarters[3], quarters[2], second)
			VSHUFI32X4(U8(0b10_00_10_00), second, first, sums[2*i][row])
			VSHUFI32X4(U8(0b11_01_11_01), second, first, sums[2*i+1][row])
		}
	}
	for part := range sums {
		m.add(func(row int) []Register { return sums[part][row:][:1] })
		if part < len(sums)-1 {
			JEQ(LabelRef("done"))
		}
	}
	JNE(LabelRef("tile"))
	Label("done")
	isa.End()
}

// A multiplier emits what multiplies a template with windows.
type multiplier struct {
	isa                    ISA
	r                      Component
	columns                string // the field with their number, of pairs or of more
	pix, stride, values    Register
	products, apart, n, to Register
	size                   int // of a product in bytes
}

// newMultiplier begins a function for values of 32 bits for so many columns, and for products of a size in
// bytes.
func newMultiplier(isa ISA, name, columns, products string, size int) *multiplier {
	r := Func(name + isa.Name)
	values := "values"
	if columns == "quads" {
		values = "bytes"
	}
	m := &multiplier{
		isa: isa, r: r, columns: columns,
		pix: Load(r.Field("pix").Base(), GP64()), stride: Load(r.Field("stride"), GP64()), values: Load(r.Field(values).Base(), GP64()),
		products: Load(r.Field(products).Base(), GP64()), apart: Load(r.Field("apart"), GP64()), n: Load(r.Field("n"), GP64()), to: GP64(),
		size: size,
	}
	SHLQ(U8(size/4+1), m.apart)
	return m
}

// tile emits the loops over the rows of pixels and over the columns of a tile. body moves q on, but not k.
func (m *multiplier) tile(clear func(), body func(q, k Register)) {
	Label("tile")
	clear()
	row, k, rows := GP64(), GP64(), Load(m.r.Field("rows"), GP64())
	MOVQ(m.pix, row)
	MOVQ(m.values, k)
	Comment("A row of pixels.")
	Label("row")
	q, columns := GP64(), Load(m.r.Field(m.columns), GP64())
	MOVQ(row, q)
	Comment("Some columns of the template.")
	Align()
	Label("columns")
	body(q, k)
	ADDQ(U8(4*blockRows), k)
	DECQ(columns)
	JNE(LabelRef("columns"))
	ADDQ(m.stride, row)
	DECQ(rows)
	JNE(LabelRef("row"))
}

// add emits what adds sums to a group of products in each row, and goes on to the next one. sums returns
// those of a row. The flags tell whether there is another group.
func (m *multiplier) add(sums func(row int) []Register) {
	Comment("A group of sums is added to the products.")
	add := op.AddQuad
	if m.size == 4 {
		add = op.AddLong
	}
	MOVQ(m.products, m.to)
	for row := range blockRows {
		list := sums(row)
		if m.size == 8 {
			var wide []Register
			for _, v := range list {
				w := widened(m.isa, v)
				wide = append(wide, w[:]...)
			}
			list = wide
		}
		for i, v := range list {
			at := Mem{Base: m.to, Disp: i * m.isa.Bytes}
			m.isa.DoTo(add, v, at, v)
			m.isa.Store(v, at)
		}
		if row < blockRows-1 {
			ADDQ(m.apart, m.to)
		}
	}
	ADDQ(U8(group), m.pix)
	ADDQ(I32(m.size*group), m.products)
	SUBQ(U8(group), m.n)
}

// place emits the function that makes the sums of one place.
func place() {
	isa := AVX2
	r := Func("place" + isa.Name)
	pix, stride, rows := Load(r.Field("pix").Base(), GP64()), Load(r.Field("stride"), GP64()), Load(r.Field("rows"), GP64())
	values, mask, maskStride := Load(r.Field("values").Base(), GP64()), Load(r.Field("mask").Base(), GP64()), Load(r.Field("maskStride"), GP64())
	columns := Load(r.Field("columns"), GP64())
	SHLQ(U8(1), maskStride)
	g, ones := GP32(), isa.Vec()
	MOVL(U32(0x10001), g)
	x := XMM()
	VMOVD(g, x)
	VPBROADCASTD(x, ones)
	sums := []Register{isa.Zero(), isa.Zero(), isa.Zero()}

	Comment("A row.")
	Label("row")
	column := Counter()
	Loop("columns", column, columns, group, func() {
		v := isa.LoadWords(Mem{Base: pix, Index: column, Scale: 1}, nil)
		isa.DoTo(op.And, v, Mem{Base: mask, Index: column, Scale: 2}, v)
		for i, w := range []Op{Mem{Base: values, Index: column, Scale: 2}, ones, v} {
			isa.AddProducts(sums[i], v, w)
		}
	})
	ADDQ(stride, pix)
	LEAQ(Mem{Base: values, Index: columns, Scale: 2}, values)
	ADDQ(maskStride, mask)
	DECQ(rows)
	JNE(LabelRef("row"))

	for i, field := range []string{"product", "sum", "sum2"} {
		Comment(fmt.Sprintf("The %s.", field))
		w := widened(isa, sums[i])
		v := isa.Do(op.AddQuad, w[0], w[1])
		x, y, g := XMM(), v.AsX(), GP64()
		VEXTRACTI128(U8(1), v, x)
		VPADDQ(x, y, y)
		VPSHUFD(U8(0b11_10_11_10), y, x)
		VPADDQ(x, y, y)
		VMOVQ(y, g)
		ADDQ(g, Address(r.Field(field)))
	}
	isa.End()
}
