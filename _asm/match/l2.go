package main

import (
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A block of vectors fills two vector registers with the first words of all, then with the second
// ones, and so on. A step multiplies a word of each with the same word of each query vector.
const (
	blockVectors = 2
	stepsAtOnce  = 8 // that are not in a loop
	wordBytes    = 4
)

// vectorLoop compares eight query vectors at a time with blocks of 32. A word is four numbers:
// those of query vectors without sign, and those of train vectors with one.
func (s avx512) vectorLoop(f *function, m mode) {
	room := f.base("room")
	keep := func() Mem { return Mem{Base: room} }
	keysLoop(s.ISA, f, m, shape{8, blockVectors, keep}, func(queries Register) func(b *blocks) [][]Register {
		return vectorDistances(s.ISA, f, m, 8, queries, vectorBytes, func(query, train, sum Register) {
			VPDPBUSD(train, query, sum)
		})
	})
}

// vectorLoop compares four query vectors at a time with blocks of 16. A word is two numbers of 16
// bits.
func (s avx2) vectorLoop(f *function, m mode) {
	const (
		queries = 4
		wide    = 2 * vectorBytes
	)
	room := f.base("room")
	keep := func() Mem { return Mem{Base: room, Disp: queries * wide} }
	keysLoop(s.ISA, f, m, shape{queries, blockVectors, keep}, func(at Register) func(b *blocks) [][]Register {
		Comment("The numbers of the query vectors, with 16 bits each.")
		low, to, left := s.Vec(), GP64(), GP64()
		VPCMPEQW(low, low, low)
		VPSRLW(U8(8), low, low)
		MOVQ(room, to)
		MOVQ(U32(queries*vectorBytes), left)
		Label(m.prefix + "Widen")
		v := s.Load(Mem{Base: at})
		s.Store(s.Do(op.And, v, low), Mem{Base: to})
		VPSRLW(U8(8), v, v)
		s.Store(v, Mem{Base: to, Disp: s.Bytes})
		ADDQ(U8(s.Bytes), at)
		ADDQ(U8(2*s.Bytes), to)
		SUBQ(U8(s.Bytes), left)
		JNE(LabelRef(m.prefix + "Widen"))
		return vectorDistances(s.ISA, f, m, queries, room, wide, func(query, train, sum Register) {
			s.DoTo(op.AddLong, sum, s.Do(op.MulPairs, query, train), sum)
		})
	})
}

// vectorDistances returns a function that emits the distances between query vectors, of size bytes
// each, and those of a block. step adds the products of a word.
func vectorDistances(s ISA, f *function, m mode, queries int, at Register, size int, step func(query, train, sum Register)) func(b *blocks) [][]Register {
	end := GP64()
	LEAQ(Mem{Base: at, Disp: size}, end)
	return func(b *blocks) [][]Register {
		sums := make([][]Register, blockVectors)
		for h := range sums {
			for range queries {
				sums[h] = append(sums[h], s.Zero())
			}
		}
		left := GP64()
		MOVQ(I32(-size), left)
		Comment("The next words.")
		Align()
		Label(m.prefix + "Step")
		for k := range stepsAtOnce {
			var trains [blockVectors]Register
			for h := range trains {
				trains[h] = s.Load(Mem{Base: b.packed, Disp: (k*blockVectors + h) * s.Bytes})
			}
			for i := range queries {
				query := s.Vec()
				VPBROADCASTD(Mem{Base: end, Index: left, Scale: 1, Disp: i*size + k*wordBytes}, query)
				for h, train := range trains {
					step(query, train, sums[h][i])
				}
			}
		}
		ADDQ(I32(stepsAtOnce*blockVectors*s.Bytes), b.packed)
		ADDQ(U8(stepsAtOnce*wordBytes), left)
		JNE(LabelRef(m.prefix + "Step"))

		Comment("The distances.")
		norms := f.base("queryNorms")
		for h, list := range sums {
			train := s.Load(b.at(b.norms).Offset(h * s.Bytes))
			for i, sum := range list {
				query := s.Vec()
				VPBROADCASTD(Mem{Base: norms, Index: f.number, Scale: keyBytes, Disp: keyBytes * i}, query)
				s.DoTo(op.AddLong, query, train, query)
				VPSLLD(U8(vectorIndexBits+1), sum, sum) // twice
				s.DoTo(op.SubLong, query, sum, sum)
			}
		}
		return sums
	}
}

// distances emits the function that lists the distances of a vector and some others.
func distances(s ISA) {
	r := Func("distances" + s.Name)
	center, others := Load(r.Field("center"), GP64()), Load(r.Field("others").Base(), GP64())
	candidates, left := Load(r.Field("candidates").Base(), GP64()), Load(r.Field("candidates").Len(), GP64())
	list := Load(r.Field("list").Base(), GP64())
	half := s.Bytes / 2 // of bytes in a vector of words
	var words []Register
	for at := 0; at < vectorBytes; at += half {
		words = append(words, s.LoadWords(Mem{Base: center, Disp: at}, nil))
	}
	TESTQ(left, left)
	JEQ(LabelRef("done"))
	Label("loop")
	other, sum := GP64(), s.Zero()
	MOVLQSX(Mem{Base: candidates}, other)
	IMUL3Q(immediate(vectorBytes), other, other)
	ADDQ(others, other)
	for i, w := range words {
		differ := s.Do(op.SubWord, w, s.LoadWords(Mem{Base: other, Disp: i * half}, nil))
		s.AddProducts(sum, differ, differ)
	}
	VMOVD(total(s, sum), Mem{Base: list})
	ADDQ(U8(keyBytes), candidates)
	ADDQ(U8(keyBytes), list)
	DECQ(left)
	JNE(LabelRef("loop"))
	Label("done")
	s.End()
}

// total returns the sum of the numbers of v, which it changes.
func total(s ISA, v Register) Register {
	y, x := v.(VecVirtual).AsY(), v.(VecVirtual).AsX()
	if s == AVX512 {
		upper := YMM()
		VEXTRACTI64X4(U8(1), v, upper)
		VPADDD(upper, y, y)
	}
	other := XMM()
	VEXTRACTI128(U8(1), y, other)
	VPADDD(other, x, x)
	for _, swap := range []U8{0b01_00_11_10, 0b10_11_00_01} {
		VPSHUFD(swap, x, other)
		VPADDD(other, x, x)
	}
	return x
}
