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
func multiply(isa ISA) {
	columns := isa.Bytes / 2
	r := Func("multiply" + isa.Name)
	pix, stride, values := Load(r.Field("pix").Base(), GP64()), Load(r.Field("stride"), GP64()), Load(r.Field("values").Base(), GP64())
	products, apart, n := Load(r.Field("products").Base(), GP64()), Load(r.Field("apart"), GP64()), Load(r.Field("n"), GP64())
	SHLQ(U8(3), apart)
	interleave := isa.Interleaver()

	Label("tile")
	var sums [2][blockRows]Register
	for i := range sums {
		for row := range sums[i] {
			sums[i][row] = isa.Zero()
		}
	}
	row, k, rows := GP64(), GP64(), Load(r.Field("rows"), GP64())
	MOVQ(pix, row)
	MOVQ(values, k)
	Comment("A row of pixels.")
	Label("row")
	q, pairs := GP64(), Load(r.Field("pairs"), GP64())
	MOVQ(row, q)
	Comment("A pair of columns of the template.")
	Align()
	Label("pair")
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
	ADDQ(U8(4*blockRows), k)
	DECQ(pairs)
	JNE(LabelRef("pair"))
	ADDQ(stride, row)
	DECQ(rows)
	JNE(LabelRef("row"))

	Comment("They are added to the products, group by group.")
	for row := range blockRows {
		sums[0][row], sums[1][row] = interleave(sums[0][row], sums[1][row])
	}
	to := GP64()
	vectors := 2 * group / columns // of a group
	for part := range columns / group {
		MOVQ(products, to)
		for row := range blockRows {
			at := 0
			for i := range vectors {
				for _, w := range widened(isa, sums[part+i][row]) {
					m := Mem{Base: to, Disp: at}
					isa.DoTo(op.AddQuad, w, m, w)
					isa.Store(w, m)
					at += isa.Bytes
				}
			}
			if row < blockRows-1 {
				ADDQ(apart, to)
			}
		}
		ADDQ(U8(group), pix)
		ADDQ(I32(8*group), products)
		SUBQ(U8(group), n)
		if part < columns/group-1 {
			JEQ(LabelRef("done"))
		}
	}
	JNE(LabelRef("tile"))
	Label("done")
	isa.End()
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
