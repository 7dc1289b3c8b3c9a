package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
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

// pack emits the function that makes blocks of vectors: for AVX2 of 16 with words of two numbers
// each, for AVX-512 of 32 with words of four numbers that are less by 128. It takes four vectors
// at a time, and the last one again if they are fewer.
func pack(s ISA) {
	const (
		atOnce = 4
		half   = 16 // bytes of half a register of AVX2, which is enough for both
	)
	wide := s == AVX2
	block, size, steps := blockVectors*s.Bytes/wordBytes, vectorBytes, stepsAtOnce // the steps of a register
	if wide {
		size, steps = 2*vectorBytes, 2*stepsAtOnce
	}
	r := Func("packL2" + s.Name)
	from, left := Load(r.Field("others").Base(), GP64()), Load(r.Field("others").Len(), GP64())
	to := Load(r.Field("packed").Base(), GP64())
	last, places, constant := GP64(), GP64(), YMM()
	IMUL3Q(immediate(vectorBytes), left, last)
	LEAQ(Mem{Base: from, Index: last, Scale: 1, Disp: -vectorBytes}, last)
	MOVQ(U32(block/atOnce), places)
	VPCMPEQW(constant, constant, constant)
	if wide {
		Comment("The lower bytes of words.")
		VPSRLW(U8(8), constant, constant)
	} else {
		Comment("The upper bits of bytes.")
		VPSLLW(U8(15), constant, constant)
		VPACKSSWB(constant, constant, constant)
	}
	Label("loop")
	var vectors [atOnce]Register
	for i := range vectors {
		v := GP64()
		vectors[i] = v
		LEAQ(Mem{Base: from, Disp: i * vectorBytes}, v)
		if i > 0 {
			CMPQ(v, last)
			CMOVQHI(last, v)
		}
	}
	for k := 0; k < vectorBytes; k += AVX2.Bytes {
		var words [atOnce]Register
		for i, v := range vectors {
			words[i] = AVX2.Load(Mem{Base: v, Disp: k})
		}
		// store transposes words and stores them from a step on.
		store := func(words [atOnce]Register, step int) {
			for i, column := range transposed(words) {
				at := Mem{Base: to, Disp: wordBytes * block * (step + i)}
				AVX2.Store(column.(VecVirtual).AsX(), at)
				VEXTRACTI128(U8(1), column, at.Offset(wordBytes*block*half/wordBytes))
			}
		}
		step := k / AVX2.Bytes * steps
		var changed [atOnce]Register
		for i, w := range words {
			if wide {
				changed[i] = AVX2.Do(op.And, w, constant)
			} else {
				changed[i] = AVX2.Do(op.Xor, w, constant)
			}
		}
		store(changed, step)
		if wide {
			for _, w := range words {
				VPSRLW(U8(8), w, w)
			}
			store(words, step+stepsAtOnce)
		}
	}
	ADDQ(immediate(atOnce*vectorBytes), from)
	ADDQ(U8(atOnce*wordBytes), to)
	DECQ(places)
	JNE(LabelRef("next"))
	Comment("The next block.")
	ADDQ(immediate(block*(size-wordBytes)), to)
	MOVQ(U32(block/atOnce), places)
	Label("next")
	SUBQ(U8(atOnce), left)
	JGT(LabelRef("loop"))
	s.End()
}

// transposed returns the numbers of 32 bits at each place of both halves of four registers of
// AVX2.
func transposed(rows [4]Register) [4]Register {
	var pairs, columns [4]Register
	for i := range pairs {
		pairs[i], columns[i] = YMM(), YMM()
	}
	for i := 0; i < 4; i += 2 {
		VPUNPCKLDQ(rows[i+1], rows[i], pairs[i])
		VPUNPCKHDQ(rows[i+1], rows[i], pairs[i+1])
	}
	for i := range 2 {
		VPUNPCKLQDQ(pairs[2+i], pairs[i], columns[2*i])
		VPUNPCKHQDQ(pairs[2+i], pairs[i], columns[2*i+1])
	}
	return columns
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

// vectorDistances returns the distances between each of some query vectors and those of the next
// block, in the upper bits of words: for each vector register of the block those of each query
// vector.
func (f *neonFunction) vectorDistances(m mode, queries, packed, norms, trainNorms neon.R) [][]neon.V {
	sums := make([]neonSums, f.vectors*f.queries)
	for i := range sums {
		sums[i].first = f.Zero()
		if f.set == "NEON" {
			sums[i].last = f.Zero()
		}
	}
	f.Scope(func() {
		next, left := f.each(queries), f.R()
		f.MOVD(neon.Imm(vectorBytes/neon.Bytes), left)
		f.Comment("The next words.")
		f.Label(m.prefix + "Step")
		query := make([]neon.V, f.queries) // four words of each
		for i := range query {
			query[i] = f.V()
			f.FMOVQ(next[i].Post(neon.Bytes), query[i])
		}
		for k := range neon.Bytes / wordBytes {
			f.Scope(func() {
				trains := []neon.V{f.V()}
				if f.vectors == 1 {
					f.FMOVQ(packed.Post(neon.Bytes), trains[0])
				} else {
					trains = append(trains, f.V())
					f.FLDPQ(packed.Post(2*neon.Bytes), trains[0], trains[1])
				}
				for h, train := range trains {
					for i := range query {
						f.addProducts(sums[h*f.queries+i], train, query[i], k)
					}
				}
			})
		}
		f.Repeat(m.prefix+"Step", left, 1)
	})
	f.Comment("The distances.")
	found := make([][]neon.V, f.vectors)
	f.Scope(func() {
		train, query, at := f.V(), f.V(), f.R()
		for h := range found {
			f.FMOVQ(trainNorms.Post(neon.Bytes), train)
			f.MOVD(norms, at)
			for _, sum := range sums[h*f.queries:][:f.queries] {
				if f.set == "NEON" {
					f.VADDP(neon.S4, sum.last, sum.first, sum.first)
				}
				f.VLD1R(neon.S4, at.Post(keyBytes), query)
				f.DoTo(op.AddLong, query, train, query)
				f.VSHL(neon.S4, vectorIndexBits+1, sum.first, sum.first) // twice
				f.DoTo(op.SubLong, query, sum.first, sum.first)
				found[h] = append(found[h], sum.first)
			}
		}
	})
	for _, sum := range sums {
		if f.set == "NEON" {
			f.FreeV(sum.last)
		}
	}
	return found
}

// neonSums are sums of products: with dot products those of four vectors, otherwise two for each
// of the first two vectors and of the last two.
type neonSums struct{ first, last neon.V }

// addProducts adds the products of a word of each train vector and word k of a query vector.
func (f *neonFunction) addProducts(sum neonSums, train, query neon.V, k int) {
	if f.set != "NEON" {
		f.Multiply(neon.DotProducts[k], train, query, sum.first)
		return
	}
	f.Scope(func() {
		word, products := f.V(), f.V()
		f.VDUPElement(neon.S4, query.Element(neon.S4, k), word)
		f.Multiply(neon.ByteProducts, train, word, products)
		f.ChangeTo(neon.AddPairsOfWords, products, sum.first)
		f.Multiply(neon.LastByteProducts, train, word, products)
		f.ChangeTo(neon.AddPairsOfWords, products, sum.last)
	})
}

// listDistances emits the function that lists the distances of a vector and some others.
func (f *neonFunction) listDistances() {
	f.Begin("distances")
	center, others := f.Field("center"), f.Field("others")
	candidates, left, list := f.Field("candidates"), f.Len("candidates"), f.Field("list")
	var query []neon.V
	for i := range vectorBytes / neon.Bytes {
		query = append(query, f.Load(center, i*neon.Bytes))
	}
	f.CBZ(left, "done")
	at, sum, v, products := f.R(), f.V(), f.V(), f.V()
	f.Label("loop")
	f.MOVW(candidates.Post(keyBytes), at)
	f.ADD(at.LSL(7), others, at)
	f.VMOVI(0, sum)
	for _, q := range query {
		f.FMOVQ(at.Post(neon.Bytes), v)
		f.Multiply(neon.AbsDifferences, q, v, v)
		f.Multiply(neon.ByteProducts, v, v, products)
		f.ChangeTo(neon.AddPairsOfWords, products, sum)
		f.Multiply(neon.LastByteProducts, v, v, products)
		f.ChangeTo(neon.AddPairsOfWords, products, sum)
	}
	f.VADDV(neon.S4, sum, sum)
	f.FMOVS(sum, list.Post(keyBytes))
	f.Repeat("loop", left, 1)
	f.Label("done")
	f.RET()
}
