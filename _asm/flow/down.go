package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A downer is what down is made of. Rows are smoothed by the weights 1 4 6 4 1, and every other
// column is kept, in sums of 16 bits; a level's pixels are the sums of five rows of these, with
// the same weights. So only two rows need to be smoothed for each row of the level.
type downer struct {
	ISA
	// pixels is the number of pixels of a level that are made at a time.
	pixels     int
	w, x, last Register
	// factors are the weights of the first pair of pixels, and of the second one. low is a mask
	// of the first pixel of each pair.
	factors  [2]Register
	low      Register
	rounding Register
	// edges is a table of edgeBytes for the parity of w.
	edges Register
}

// down emits a function that makes rows of a level.
func down(isa ISA, name string, pixels int) {
	r := Func(name + isa.Name)
	d := &downer{ISA: isa, pixels: pixels, w: Load(r.Field("w"), GP64()), x: GP64(), last: GP64(), edges: GP64()}
	// The pixels need two columns more than twice as many.
	LEAQ(Mem{Base: d.w, Disp: -2*pixels - 2}, d.last)
	SHRQ(U8(1), d.last)
	d.factors = [2]Register{isa.Long(0x0401_0401), isa.Long(0x0406_0406)}
	d.low, d.rounding = isa.Long(0x00ff_00ff), isa.Long(0x0080_0080)
	MOVQ(d.w, d.edges)
	ANDQ(U8(1), d.edges)
	IMUL3Q(U8(3*32), d.edges, d.edges)
	table := GP64()
	LEAQ(edgeBytes(), table)
	ADDQ(table, d.edges)

	Comment("The rows of sums begin where those of the pixels from 1 on are aligned.")
	const line = 64
	pitch := GP64()
	LEAQ(Mem{Base: d.w, Disp: 2*line - 1}, pitch)
	ANDQ(I8(-line), pitch)
	sums := [5]Register{Load(r.Field("sums").Base(), GP64())}
	ADDQ(I32(line-1), sums[0])
	ANDQ(I8(-line), sums[0])
	ADDQ(U8(line-2), sums[0])
	for i := 1; i < len(sums); i++ {
		sums[i] = GP64()
		LEAQ(Mem{Base: sums[i-1], Index: pitch, Scale: 1}, sums[i])
	}

	Comment("The first three rows are smoothed.")
	for i := range 3 {
		row := d.row(r, i)
		d.half()
		d.smoothEdges(row, sums[i])
		d.columns(fmt.Sprintf("smooth%d", i), func() {
			for part := range d.parts() {
				d.Store(d.smooth(row, part), d.sum(sums[i], part))
			}
		})
	}

	rows := [2]Register{d.row(r, 3), d.row(r, 4)}
	to, n := Load(r.Field("to").Base(), GP64()), Load(r.Field("n"), GP64())
	Label("row")
	Comment("A row of the level: its first and last pixels, and then all between them.")
	d.addEdges(rows, sums, to)
	Comment(
		"The rows that are needed then are fetched. They follow each other, but for what is not",
		"seen of the image.",
	)
	ahead := GP64()
	MOVQ(rows[0], ahead)
	for range 2 {
		ADDQ(Address(r.Field("step")), ahead)
	}
	d.columns("columns", func() {
		for i := range 4 * pixels / line {
			PREFETCHT0(Mem{Base: ahead, Index: d.x, Scale: 4, Disp: line * i})
		}
		var all []Register
		for part := range d.parts() {
			var v [5]Register
			for i := range v {
				if i < 3 {
					v[i] = d.Load(d.sum(sums[i], part))
					continue
				}
				v[i] = d.smooth(rows[i-3], part)
				d.Store(v[i], d.sum(sums[i], part))
			}
			d.add(v, d.rounding)
			all = append(all, v[0])
		}
		place := Mem{Base: to, Index: d.x, Scale: 1}
		if isa == AVX512 {
			VPMOVWB(all[0], place)
			return
		}
		VPACKUSWB(all[len(all)-1], all[0], all[0])
		VPERMQ(U8(0b11_01_10_00), all[0], all[0])
		if len(all) == 1 {
			VMOVDQU(all[0].(VecVirtual).AsX(), place)
			return
		}
		d.Store(all[0], place)
	})
	ADDQ(Address(r.Field("stride")), to)
	for _, row := range rows {
		ADDQ(Address(r.Field("step")), row)
	}
	Comment("The sums of the last three rows become those of the first ones.")
	first := [2]Register{GP64(), GP64()}
	for i, sum := range sums {
		if i < 2 {
			MOVQ(sum, first[i])
		}
		MOVQ([...]Register{sums[2], sums[3], sums[4], first[0], first[1]}[i], sum)
	}
	DECQ(n)
	JNE(LabelRef("row"))
	isa.End()
}

// row returns where one of the five rows begins.
func (d *downer) row(r Component, i int) Register {
	return Load(r.Field("rows").Index(i).Base(), GP64())
}

// half sets x to the number of columns of the level.
func (d *downer) half() {
	LEAQ(Mem{Base: d.w, Disp: 1}, d.x)
	SHRQ(U8(1), d.x)
}

// parts returns how many vectors the sums of pixels fill.
func (d *downer) parts() int { return 2 * d.pixels / d.Bytes }

// columns emits a loop over the pixels from 1 on, but the last ones.
func (d *downer) columns(name string, body func()) {
	MOVQ(U32(1), d.x)
	Align()
	Label(name)
	body()
	CMPQ(d.x, d.last)
	JEQ(LabelRef(name + "Done"))
	ADDQ(U8(d.pixels), d.x)
	CMPQ(d.x, d.last)
	CMOVQGT(d.last, d.x)
	JMP(LabelRef(name))
	Label(name + "Done")
}

// sum returns where a part of a row of sums is.
func (d *downer) sum(sums Register, part int) Mem {
	return Mem{Base: sums, Index: d.x, Scale: 2, Disp: part * d.Bytes}
}

// smooth returns a part of a row, smoothed.
func (d *downer) smooth(row Register, part int) Register {
	var v [3]Register
	for i := range v {
		v[i] = d.Load(Mem{Base: row, Index: d.x, Scale: 2, Disp: part*d.Bytes + 2*i - 2})
	}
	VPMADDUBSW(d.factors[0], v[0], v[0])
	VPMADDUBSW(d.factors[1], v[1], v[1])
	d.DoTo(op.And, v[2], d.low, v[2])
	d.DoTo(op.AddWord, v[0], v[1], v[0])
	d.DoTo(op.AddWord, v[0], v[2], v[0])
	return v[0]
}

// add makes the first of the sums of five rows the pixels of the level, in words.
func (d *downer) add(v [5]Register, rounding Register) {
	VPADDW(v[3], v[1], v[1])
	VPADDW(v[2], v[1], v[1])
	VPSLLW(U8(2), v[1], v[1])
	VPADDW(v[2], v[2], v[2])
	VPADDW(v[4], v[0], v[0])
	VPADDW(rounding, v[2], v[2])
	VPADDW(v[2], v[0], v[0])
	VPADDW(v[1], v[0], v[0])
	VPSRLW(U8(8), v[0], v[0])
}

// edge returns a vector of 32 bytes of which the first half is at the beginning of a row, and
// the other one the number of bytes of half a vector before its end, which is n elements of
// the given size further.
func edge(row, n Register, size uint8) VecVirtual {
	v := YMM()
	VBROADCASTI128(Mem{Base: row}, v)
	VINSERTI128(U8(1), Mem{Base: row, Index: n, Scale: size, Disp: -16}, v, v)
	return v
}

// smoothEdges smooths the first and the last pixels of a row, and stores 8 sums at either end,
// but the last one of the first ones and the first one of the last ones are wrong. x is half.
func (d *downer) smoothEdges(row, sums Register) Register {
	pixels := edge(row, d.w, 1)
	var v [3]Register
	for i := range v {
		v[i] = YMM()
		VPSHUFB(Mem{Base: d.edges, Disp: 32 * i}, pixels, v[i])
	}
	for i, factor := range d.factors {
		VPMADDUBSW(factor.(VecVirtual).AsY(), v[i], v[i])
	}
	VPADDW(v[1], v[0], v[0])
	VPADDW(v[2], v[0], v[0])
	VMOVDQU(v[0].(VecVirtual).AsX(), Mem{Base: sums})
	VEXTRACTI128(U8(1), v[0], Mem{Base: sums, Index: d.x, Scale: 2, Disp: -16})
	return v[0]
}

// addEdges makes the first and the last pixels of a row of the level, and smooths those of two
// rows.
func (d *downer) addEdges(rows [2]Register, sums [5]Register, to Register) {
	d.half()
	var v [5]Register
	for i := range v {
		if i < 3 {
			v[i] = edge(sums[i], d.x, 2)
		} else {
			v[i] = d.smoothEdges(rows[i-3], sums[i])
		}
	}
	d.add(v, d.rounding.(VecVirtual).AsY())
	VPACKUSWB(v[0], v[0], v[0])
	VMOVQ(v[0].(VecVirtual).AsX(), Mem{Base: to})
	x := XMM()
	VEXTRACTI128(U8(1), v[0], x)
	VMOVQ(x, Mem{Base: to, Index: d.x, Scale: 1, Disp: -8})
}

// edgeBytes returns tables of the bytes that the first and the last pixels of a row need, for an
// even and for an odd number of columns: of the first pairs of pixels, of the second ones, and
// of the pixels after these, with 0 next to them.
var edgeBytes = ByteTable("edgeBytes", 2*3*32, func(i int) uint8 {
	const zero = 0x80
	odd, part, right, pixel, second := i/96, i/32%3, i%32 >= 16, i%16/2, i%2
	if part == 2 && second == 1 {
		return zero
	}
	at := 2*pixel + 2*part - 2 + second
	if !right {
		at = max(at, -at)
	} else if at += odd; at > 15 {
		at = 30 - at
	}
	if at < 0 || at > 15 {
		return zero
	}
	return uint8(at)
})
