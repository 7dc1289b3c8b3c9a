package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// down emits the function that makes rows of a level. It first adds up columns, in words, and
// then those sums.
func down(isa vec.ISA) {
	const margin = 64 // bytes before the first sum
	words := isa.Bytes / 2
	r := vec.Func("down" + isa.Name)
	rows := vec.Bases(r, "rows", 5)
	sums, to := Load(r.Field("sums").Base(), GP64()), Load(r.Field("to").Base(), GP64())
	w, last, n := Load(r.Field("w"), GP64()), GP64(), Load(r.Field("n"), GP64())
	ADDQ(U8(margin), sums)
	LEAQ(Mem{Base: w, Disp: -words}, last)
	var weights [3]Register
	for i, pair := range []uint32{1 | 4<<16, 6 | 4<<16, 1} {
		weights[i] = isa.Long(pair)
	}
	rounding := isa.Long(1 << 7)

	Label("row")
	x := vec.Counter()
	vec.LoopWithin("columns", x, last, words, func() {
		var v [5]Register
		for i := range v {
			v[i] = isa.LoadWords(Mem{Base: rows[i], Index: x, Scale: 1}, nil)
		}
		// The weights are 1 4 6 4 1.
		middle := v[2]
		sum := isa.Do(vec.AddWord, v[1], v[3])
		isa.DoTo(vec.AddWord, sum, middle, sum)
		VPSLLW(U8(2), sum, sum)
		isa.DoTo(vec.AddWord, middle, middle, middle)
		isa.DoTo(vec.AddWord, sum, middle, sum)
		isa.DoTo(vec.AddWord, v[0], v[4], v[0])
		isa.DoTo(vec.AddWord, sum, v[0], sum)
		isa.Store(sum, Mem{Base: sums, Index: x, Scale: 2})
	})
	g := GP32()
	for _, mirrored := range [][2]int{{-1, 1}, {-2, 2}} {
		MOVW(Mem{Base: sums, Disp: 2 * mirrored[1]}, g.As16())
		MOVW(g.As16(), Mem{Base: sums, Disp: 2 * mirrored[0]})
	}
	for _, mirrored := range [][2]int{{0, -2}, {1, -3}} {
		MOVW(Mem{Base: sums, Index: w, Scale: 2, Disp: 2 * mirrored[1]}, g.As16())
		MOVW(g.As16(), Mem{Base: sums, Index: w, Scale: 2, Disp: 2 * mirrored[0]})
	}

	half := GP64()
	LEAQ(Mem{Base: w, Disp: 1}, half)
	SHRQ(U8(1), half)
	x = vec.Counter()
	vec.Loop("pixels", x, half, 16, func() {
		parts := make([]Register, 16*4/isa.Bytes)
		for i := range parts {
			at := func(column int) Mem {
				return Mem{Base: sums, Index: x, Scale: 4, Disp: i*isa.Bytes + 2*column}
			}
			sum := isa.Vec()
			for k, weight := range weights {
				if k == 0 {
					VPMADDWD(at(-2), weight, sum)
					isa.DoTo(vec.AddLong, sum, rounding, sum)
					continue
				}
				v := isa.Vec()
				VPMADDWD(at(2*k-2), weight, v)
				isa.DoTo(vec.AddLong, sum, v, sum)
			}
			VPSRLD(U8(8), sum, sum)
			parts[i] = sum
		}
		place := Mem{Base: to, Index: x, Scale: 1}
		if isa == vec.AVX512 {
			VPMOVDB(parts[0], place)
			return
		}
		VPACKUSDW(parts[1], parts[0], parts[0])
		VPERMQ(U8(0b11_01_10_00), parts[0], parts[0])
		v := XMM()
		VEXTRACTI128(U8(1), parts[0], v)
		VPACKUSWB(v, parts[0].(VecVirtual).AsX(), v)
		VMOVDQU(v, place)
	})
	ADDQ(half, to)
	step := Load(r.Field("step"), GP64())
	for _, row := range rows {
		ADDQ(step, row)
	}
	DECQ(n)
	JNE(LabelRef("row"))
	isa.End()
}
