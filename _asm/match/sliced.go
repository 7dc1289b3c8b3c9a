package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

const (
	descriptorBits = 8 * descriptorBytes
	similarityBits = 10
	// planesAtOnce is the number of planes that are added at once.
	planesAtOnce = 16
)

// slice emits the function that finds the first block with a lane that is more similar to a query
// descriptor than the limit, with vectors as long as planes.
func slice(s ISA) {
	r := Func("slice" + s.Name)
	block, left := Load(r.Field("blocks").Base(), GP64()), Load(r.Field("blocks").Len(), GP64())
	_, blockBytes := Element("blocks", block)
	list, end := Load(r.Field("list").Base(), GP64()), Load(r.Field("list").Len(), GP64())
	ADDQ(list, end)
	next := GP64()
	Label("block")
	Comment("The similarities begin with the numbers of the block. The planes count twice.")
	var sums [similarityBits]Register
	for i := range sums {
		if i < similarityBits-1 {
			sums[i] = s.Load(Mem{Base: block, Disp: (descriptorBits + i) * s.Bytes})
		} else {
			sums[i] = s.Zero()
		}
	}
	s.Store(sums[0], Address(r.Field("similarities").Index(0).Index(0)))
	MOVQ(list, next)
	CMPQ(next, end)
	JEQ(LabelRef("added"))
	Align()
	Label("planes")
	offset := 0
	plane := func() Register {
		at := GP64()
		MOVWQZX(Mem{Base: next, Disp: offset}, at)
		offset += 2
		return s.Load(Mem{Base: block, Index: at, Scale: 1})
	}
	// add adds 1<<n planes to the sums, and returns their carry, which belongs to bit 1+n.
	var add func(n int) Register
	add = func(n int) Register {
		if n == 0 {
			return plane()
		}
		first := add(n - 1)
		return fullAdd(s, sums[n], first, add(n-1))
	}
	carry := add(4)
	const last = similarityBits - 1
	for _, sum := range sums[5:last] {
		next := s.Do(op.And, sum, carry)
		s.DoTo(op.Xor, sum, carry, sum)
		carry = next
	}
	s.DoTo(op.Xor, sums[last], carry, sums[last])
	ADDQ(U8(2*planesAtOnce), next)
	CMPQ(next, end)
	JNE(LabelRef("planes"))
	Label("added")
	Comment("The lanes that are above the limit, from bit to bit.")
	above := s.Zero()
	for i, sum := range sums {
		place := Address(r.Field("similarities").Index(i).Index(0))
		if i == 0 {
			sum = s.Load(place)
		} else {
			s.Store(sum, place)
		}
		either := s.Do(op.Or, sum, above)
		limit := s.Vec()
		VPBROADCASTQ(Address(r.Field("limit").Index(i)), limit)
		s.DoTo(op.And, either, limit, either)
		s.DoTo(op.And, above, sum, above)
		s.DoTo(op.Or, above, either, above)
	}
	VPTEST(above, above)
	JNE(LabelRef("found"))
	ADDQ(U32(blockBytes), block)
	DECQ(left)
	JNE(LabelRef("block"))
	Label("found")
	s.Store(above, Address(r.Field("above").Index(0)))
	number := Load(r.Field("blocks").Len(), GP64())
	SUBQ(left, number)
	Store(number, r.Field("found"))
	s.End()
}

// fullAdd adds two carries to a sum of the same bit, and returns the carry of the next bit, in place of
// the first one.
func fullAdd(s ISA, sum, x, y Register) Register {
	one := s.Do(op.Xor, sum, x)
	s.DoTo(op.And, x, sum, x)
	s.DoTo(op.Xor, one, y, sum)
	s.DoTo(op.And, one, y, one)
	s.DoTo(op.Or, x, one, x)
	return x
}
