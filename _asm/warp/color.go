package main

import (
	"github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pairs is the order of the bytes of two neighboring pixels, channel by channel.
var pairs = vec.ByteTable("pairs", 64, func(i int) uint8 { return uint8(i%16/8*8 + i%2*4 + i%8/2) })

// repeats are the numbers of pixels, each twice, of half of a group.
var repeats = [2]func() Mem{
	vec.ByteTable("repeatsFirst", 64, func(i int) uint8 { return repeat(i, 0) }),
	vec.ByteTable("repeatsSecond512", 64, func(i int) uint8 { return repeat(i, 8) }),
}

// repeatsSecond is repeats[1] of AVX2.
var repeatsSecond = vec.ByteTable("repeatsSecond", 32, func(i int) uint8 { return repeat(i, 4) })

func repeat(i, first int) uint8 {
	if i%4 > 0 {
		return 0
	}
	return uint8(first + i/8)
}

// order puts the pixels of both halves of a group in their order, with AVX-512.
var order = vec.ByteTable("order", 64, func(i int) uint8 {
	if i%8 > 0 {
		return 0
	}
	return [8]uint8{0, 2, 4, 6, 1, 3, 5, 7}[i/8]
})

// mixColor returns the pixels, of four channels, at offsets.
func (s *sampler) mixColor(offsets, px, py, inside Register) Register {
	isa := s.isa
	wx, wy := s.weights(px, py)
	keptX, keptY := Op(wx), Op(wy)
	lower := GP64()
	LEAQ(Mem{Base: s.pix, Index: s.stride, Scale: 1}, lower)
	first, next := GP64(), GP64()
	saved := s.room(0)
	if isa == vec.AVX512 {
		VMOVDQU32_Z(offsets, inside, offsets)
		isa.Store(offsets, saved)
	} else {
		VPAND(inside, offsets, offsets)
		isa.Store(offsets, saved)
		keptX, keptY = s.room(1), s.room(2)
		isa.Store(wx, keptX.(Mem))
		isa.Store(wy, keptY.(Mem))
	}
	MOVL(saved, first.As32())
	LEAQ(Mem{Base: s.pix, Index: first, Scale: 1}, next)
	s.prefetch(next)
	var both [2]Register
	for k := range both {
		upper, below := isa.Vec(), isa.Vec()
		for i, base := range []Register{s.pix, lower} {
			v := []VecVirtual{upper, below}[i]
			s.loadPairs(base, saved.Offset(isa.Bytes/2*k), v)
			VPSHUFB(pairs(), v, v)
		}
		columns, rows := isa.Vec(), isa.Vec()
		which := repeats[k]()
		if k == 1 && isa == vec.AVX2 {
			which = repeatsSecond()
		}
		numbers := isa.Load(which)
		VPERMD(keptX, numbers, columns)
		VPERMD(keptY, numbers, rows)
		VPMADDUBSW(columns, upper, upper)
		VPMADDUBSW(columns, below, below)
		var sums [2]Register
		for i := range sums {
			v, w := isa.Vec(), isa.Vec()
			if i == 0 {
				VPUNPCKLWD(below, upper, v)
				VPSHUFD(U8(0x00), rows, w)
			} else {
				VPUNPCKHWD(below, upper, v)
				VPSHUFD(U8(0xaa), rows, w)
			}
			VPMADDWD(w, v, v)
			isa.DoTo(vec.AddLong, v, half(), v)
			VPSRLD(U8(10), v, v)
			sums[i] = v
		}
		v := isa.Vec()
		VPACKUSDW(sums[1], sums[0], v)
		both[k] = v
	}
	v := isa.Vec()
	VPACKUSWB(both[1], both[0], v)
	if isa == vec.AVX512 {
		VPERMQ(v, isa.Load(order()), v)
	} else {
		VPERMQ(U8(0xd8), v, v)
	}
	return v
}

// loadPairs loads two neighboring pixels at each offset.
func (s *sampler) loadPairs(base Register, offsets Mem, v VecVirtual) {
	s.isa.DoTo(vec.Xor, v, v, v) // so that all of v is defined for the register allocator
	if s.isa == vec.AVX512 {
		high := YMM()
		VPXOR(high, high, high)
		loadFour(base, offsets, v.AsY())
		loadFour(base, offsets.Offset(16), high)
		VINSERTI64X4(U8(1), high, v, v)
		return
	}
	loadFour(base, offsets, v.AsY())
}

// loadFour loads two neighboring pixels at each of four offsets.
func loadFour(base Register, offsets Mem, v Register) {
	high := XMM()
	low := asX(v)
	for i, x := range []Register{low, high} {
		a, b := GP64(), GP64()
		MOVL(offsets.Offset(8*i), a.As32())
		MOVL(offsets.Offset(8*i+4), b.As32())
		VMOVQ(Mem{Base: base, Index: a, Scale: 1}, x)
		VMOVHPS(Mem{Base: base, Index: b, Scale: 1}, x, x)
	}
	VINSERTI128(U8(1), high, v, v)
}

// room returns place i on the stack for a vector.
func (s *sampler) room(i int) Mem {
	for len(s.rooms) <= i {
		s.rooms = append(s.rooms, AllocLocal(s.isa.Bytes))
	}
	return s.rooms[i]
}
