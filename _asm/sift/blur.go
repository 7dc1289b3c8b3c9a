package main

import (
	"fmt"

	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// double emits the function that makes a row of the doubled image, 16 pixels of the image at a
// time.
func double(isa ISA) {
	r := Func("double" + isa.Name)
	near, far := Load(r.Field("near").Base(), GP64()), Load(r.Field("far").Base(), GP64())
	dst, n, x := Load(r.Field("dst").Base(), GP64()), Load(r.Field("dst").Len(), GP64()), Counter()
	SHRQ(U8(1), n)
	scale := isa.Long(0x3d800000) // 1/16
	Comment("Sixteen pixels of the image make 32.")
	Loop("pixels", x, n, 16, func() {
		var quarters [3]VecVirtual // three parts of a pixel of the nearest row and one of the other
		for i := range quarters {
			a, b := isa.Vec(), isa.Vec()
			VPMOVZXBW(Mem{Base: near, Index: x, Scale: 1, Disp: i}, a)
			VPMOVZXBW(Mem{Base: far, Index: x, Scale: 1, Disp: i}, b)
			VPADDW(a, b, b)
			VPADDW(a, a, a)
			VPADDW(a, b, b)
			quarters[i] = b
		}
		left, center, right := quarters[0], quarters[1], quarters[2]
		triple := isa.Vec()
		VPADDW(center, center, triple)
		VPADDW(center, triple, triple)
		VPADDW(triple, left, left)
		VPADDW(triple, right, right)
		low, high := isa.Vec(), isa.Vec()
		VPUNPCKLWD(right, left, low)
		VPUNPCKHWD(right, left, high)
		for half := range 2 {
			for i, v := range []VecVirtual{low, high} {
				words, f := XMM(), isa.Vec()
				VEXTRACTI128(U8(half), v, words)
				VPMOVZXWD(words, f)
				VCVTDQ2PS(f, f)
				VMULPS(scale, f, f)
				VMOVUPS(f, Mem{Base: dst, Index: x, Scale: 8, Disp: 64*half + 32*i})
			}
		}
	})
	isa.End()
}

// halve emits the function that takes every second pixel.
func halve(isa ISA) {
	r := Func("halve" + isa.Name)
	src := Load(r.Field("src").Base(), GP64())
	dst, n, x := Load(r.Field("dst").Base(), GP64()), Load(r.Field("dst").Len(), GP64()), Counter()
	Comment("The pixels of a vector.")
	Loop("pixels", x, n, isa.Bytes/4, func() {
		v := isa.Load(Mem{Base: src, Index: x, Scale: 8})
		VSHUFPS(U8(0x88), Mem{Base: src, Index: x, Scale: 8, Disp: isa.Bytes}, v, v)
		VPERMPD(U8(0xd8), v, v)
		isa.Store(v, Mem{Base: dst, Index: x, Scale: 4})
	})
	isa.End()
}

// rows emits the function that filters a row. Eight sums at a time hide how long an operation
// takes; the last eight overlap those before them.
func rows(isa ISA) {
	const sums = 8
	r := Func("rows" + isa.Name)
	src, dst := Load(r.Field("src").Base(), GP64()), Load(r.Field("dst").Base(), GP64())
	n := Load(r.Field("dst").Len(), GP64())
	weights, taps := Load(r.Field("weights").Base(), GP64()), Load(r.Field("weights").Len(), GP64())
	pixels, copied := Load(r.Field("pixels").Base(), GP64()), Load(r.Field("pixels").Len(), GP64())
	x, last := Counter(), GP64()
	lanes := isa.Bytes / 4

	Comment("Rows that have fewer than eight vectors go through them one by one.")
	MOVQ(n, last)
	SUBQ(U8(sums*lanes), last)
	JLT(LabelRef("few"))
	var twin *rowTwin
	if isa != AVX512 {
		twin = copyRow(isa, r, src)
	}
	Align()
	Label("blocks")
	filterVectors(isa, "block", sums, src, twin, x, weights, taps, dst, pixels, copied)
	CMPQ(x, last)
	JEQ(LabelRef("done"))
	ADDQ(U8(sums*lanes), x)
	CMPQ(x, last)
	CMOVQGT(last, x)
	JMP(LabelRef("blocks"))

	Label("few")
	filterVectors(isa, "vector", 1, src, nil, x, weights, taps, dst, pixels, copied)
	ADDQ(U8(lanes), x)
	CMPQ(x, n)
	JLT(LabelRef("few"))
	Label("done")
	isa.End()
}

// A rowTwin is a copy of a row, displaced by half a cache line. Where eight neighboring pixels straddle
// two lines, they do not do so in the copy, and vice versa: which of both serves the first of two
// vectors, and which the second, changes with every eighth tap.
type rowTwin struct {
	row  Register // of the copy
	pair Register // that of four with which the pairs of taps begin
}

// copyRow emits what makes the copy of a row, and exchanges both if the copy is to serve the first
// of two vectors.
func copyRow(isa ISA, r Component, src Register) *rowTwin {
	twin, x, last := Load(r.Field("twin").Base(), GP64()), Counter(), Load(r.Field("src").Len(), GP64())
	pair, place := GP64(), GP64()
	LEAQ(Mem{Base: src, Disp: lineBytes / 2}, place)
	SUBQ(twin, place)
	ANDQ(U8(lineBytes-1), place)
	ADDQ(place, twin)
	const vectors = 4
	SUBQ(U8(vectors*isa.Bytes/4), last)
	block := func(x Register) {
		for i := range vectors {
			isa.Store(isa.Load(Mem{Base: src, Index: x, Scale: 4, Disp: i * isa.Bytes}), Mem{Base: twin, Index: x, Scale: 4, Disp: i * isa.Bytes})
		}
	}
	Loop("copy", x, last, vectors*isa.Bytes/4, func() { block(x) })
	block(last)
	XORQ(x, x)
	LEAQ(Mem{Base: src, Disp: 4}, pair)
	SHRQ(U8(3), pair)
	TESTQ(U32(4), pair)
	JEQ(LabelRef("inPlace"))
	XCHGQ(src, twin)
	Label("inPlace")
	ANDQ(U8(3), pair)
	return &rowTwin{twin, pair}
}

// lineBytes is the size of a line of the caches.
const lineBytes = 64

// Planes are read and written that many bytes behind what is prefetched of them.
const (
	planeAhead = 2048 // those that are written
	layerAhead = 64   // those that are searched
)

// filterVectors emits what filters a number of vectors. If there is a copy of the row, every second one
// of them is taken from there.
func filterVectors(isa ISA, label string, count int, src Register, twin *rowTwin, x, weights, taps, dst, pixels, copied Register) {
	at := func(base Register, i int) Mem { return Mem{Base: base, Index: x, Scale: 4, Disp: i * isa.Bytes} }
	sums := make([]VecVirtual, count)
	weight := isa.Vec()
	VBROADCASTSS(Mem{Base: weights}, weight)
	for i := range sums {
		sums[i] = isa.Vec()
		VMULPS(at(src, i), weight, sums[i])
	}
	from, k := [2]Register{GP64(), GP64()}, GP64()
	LEAQ(Mem{Base: src, Index: x, Scale: 4}, from[0])
	MOVQ(U32(1), k)
	Comment("The taps but the first, in pairs.")
	pairs := 1
	if twin == nil {
		from[1] = from[0]
	} else {
		pairs = 4
		LEAQ(Mem{Base: twin.row, Index: x, Scale: 4}, from[1])
		CMPQ(twin.pair, U8(1))
		JEQ(LabelRef(label + "Taps1"))
		JGT(LabelRef(label + "Later"))
	}
	Align()
	Label(label + "Taps0")
	tap := func(i int) Mem { return Mem{Base: from[i%2], Index: k, Scale: 4, Disp: i * isa.Bytes} }
	for pair := range pairs {
		if pair > 0 {
			Label(fmt.Sprint(label, "Taps", pair))
		}
		if isa == AVX512 {
			// A load that is not aligned straddles two cache lines. Half of the vectors are made of
			// two others, to spare loads.
			v := make([]VecVirtual, count+1)
			for i := range v {
				v[i] = isa.Load(tap(i))
			}
			VBROADCASTSS(Mem{Base: weights, Index: k, Scale: 4}, weight)
			second := isa.Vec()
			VBROADCASTSS(Mem{Base: weights, Index: k, Scale: 4, Disp: 4}, second)
			for i, sum := range sums {
				VFMADD231PS(weight, v[i], sum)
				VALIGND(U8(1), v[i], v[i+1], v[i])
			}
			for i, sum := range sums {
				VFMADD231PS(second, v[i], sum)
			}
		} else {
			for second := range 2 {
				VBROADCASTSS(Mem{Base: weights, Index: k, Scale: 4, Disp: 4 * second}, weight)
				for i, sum := range sums {
					VFMADD231PS(tap(i).Offset(4*second), weight, sum)
				}
			}
		}
		ADDQ(U8(2), k)
		if pair < pairs-1 {
			CMPQ(k, taps)
			JGE(LabelRef(label + "Summed"))
		}
	}
	if twin != nil {
		XCHGQ(from[0], from[1])
	}
	CMPQ(k, taps)
	JLT(LabelRef(label + "Taps0"))
	if twin != nil {
		JMP(LabelRef(label + "Summed"))
		Label(label + "Later")
		CMPQ(twin.pair, U8(3))
		JLT(LabelRef(label + "Taps2"))
		JMP(LabelRef(label + "Taps3"))
		Label(label + "Summed")
	}
	for i, sum := range sums {
		isa.Store(sum, at(dst, i))
	}
	TESTQ(copied, copied)
	JEQ(LabelRef(label + "Copied"))
	SHRQ(U8(1), k)
	for i := range sums {
		isa.Store(isa.Load(tap(i)), at(pixels, i))
		if i*isa.Bytes%lineBytes == 0 {
			PREFETCHT0(at(pixels, i).Offset(planeAhead))
		}
	}
	Label(label + "Copied")
}

// columns emits the function that filters the columns of a batch of rows. Sums of as many rows
// as registers allow share what they load: with each step outward, one row enters the window
// below and one that above.
func columns(isa ISA) {
	const batch = 8
	count := 4
	if isa == AVX512 {
		count = batch
	}
	r := Func("columns" + isa.Name)
	ring, places := Load(r.Field("ring").Base(), GP64()), Load(r.Field("places").Base(), GP64())
	weights, radius := Load(r.Field("weights").Base(), GP64()), Load(r.Field("weights").Len(), GP64())
	n, x := Load(r.Field("dst").Index(0).Len(), GP64()), Counter()
	DECQ(radius)
	LEAQ(Mem{Base: places, Index: radius, Scale: 8}, places)
	Comment("The columns of a vector.")
	Loop("columns", x, n, isa.Bytes/4, func() {
		for first := 0; first < batch; first += count {
			sums := filterWindow(isa, fmt.Sprint("rows", first), ring, places, weights, radius, count, first)
			for i, sum := range sums {
				dst := Load(r.Field("dst").Index(first+i).Base(), GP64())
				isa.Store(sum, Mem{Base: dst, Index: x, Scale: 4})
			}
		}
		ADDQ(U8(isa.Bytes), ring)
	})
	isa.End()
}

// filterWindow emits what filters the columns of count rows of the batch, and returns the sums.
func filterWindow(isa ISA, label string, ring, places, weights, radius Register, count, first int) []VecVirtual {
	sums, below, above := make([]VecVirtual, count), make([]VecVirtual, count), make([]VecVirtual, count)
	place := GP64()
	row := func(at Mem) Mem {
		MOVQ(at, place)
		return Mem{Base: ring, Index: place, Scale: 4}
	}
	weight, pair := isa.Vec(), isa.Vec()
	VBROADCASTSS(Mem{Base: weights}, weight)
	for i := range count {
		below[i] = isa.Load(row(Mem{Base: places, Disp: 8 * (first + i)}))
		above[i], sums[i] = isa.Vec(), isa.Vec()
		VMOVAPS(below[i], above[i])
		VMULPS(below[i], weight, sums[i])
	}
	up, down, next, left := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: places, Disp: 8 * first}, up)
	LEAQ(Mem{Base: places, Disp: 8 * (first + count - 1)}, down)
	MOVQ(weights, next)
	MOVQ(radius, left)
	Align()
	Label(label)
	for step := 1; step <= count; step++ {
		// The windows turn: what leaves them gives its register to what enters.
		enters := below[(step-1)%count]
		isa.Move(row(Mem{Base: down, Disp: 8 * step}), enters)
		enters = above[(2*count-step)%count]
		isa.Move(row(Mem{Base: up, Disp: -8 * step}), enters)
		VBROADCASTSS(Mem{Base: next, Disp: 4 * step}, weight)
		for i, sum := range sums {
			VADDPS(below[(step+i)%count], above[(2*count-step+i)%count], pair)
			VFMADD231PS(weight, pair, sum)
		}
		DECQ(left)
		JEQ(LabelRef(label + "Done"))
	}
	ADDQ(U8(8*count), down)
	SUBQ(U8(8*count), up)
	ADDQ(U8(4*count), next)
	JMP(LabelRef(label))
	Label(label + "Done")
	return sums
}
