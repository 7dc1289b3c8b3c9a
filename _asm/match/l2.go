package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A block of vectors fills two vector registers with the first words of all, then with the second
// ones, and so on. A word is four numbers: those of query vectors without sign, and those of train
// vectors, which are less by 128, with one.
const (
	blockVectors = 2
	wordBytes    = 4
)

// vectorLoop compares eight query vectors at a time with blocks of 32.
func (s avx512) vectorLoop(f *function) {
	const queries, words = 8, 8 // words that are not in a loop
	room := f.base("room")
	keysLoop(s.ISA, f, shape{queries, blockVectors, &Mem{Base: room}}, func(at Register) func(b *blocks) [][]Register {
		return vectorDistances(s.ISA, f, queries, at, words*wordBytes, func(p *products) {
			for k := range words {
				trains := [blockVectors]Register{s.Load(p.train(k, 0)), s.Load(p.train(k, 1))}
				for i := range queries {
					query := s.Vec()
					VPBROADCASTD(p.query(i, k), query)
					for h, train := range trains {
						VPDPBUSD(train, query, p.sums[h][i])
					}
				}
			}
		}, nil)
	})
}

// Query vectors of AVX2, and where they are in the room.
const (
	avx2Queries = 4
	// The sums of two products of bytes have 16 bits. Those of two words can be added, and lie between
	// -1<<15 and 1<<15-1, if the numbers of the query vector are not more than 1<<mostOfFour together.
	mostOfFour = 8
	// What is too much of a query vector is in a list of words, each of them with its place.
	excessKinds = 3
	excessWords = vectorBytes / 2 / wordBytes * excessKinds
	excessBytes = 2 * wordBytes * excessWords
	excessAt    = avx2Queries * vectorBytes
	endsAt      = excessAt + avx2Queries*excessBytes
	excessesAt  = endsAt + avx2Queries*pointerBytes
	keepAt      = excessesAt + excessWords*wordBytes

	pointerBytes = 8
)

// vectorLoop compares four query vectors at a time with blocks of 16. VPMADDUBSW adds two products of
// bytes, with 16 bits, and VPADDW those of two words, before VPMADDWD adds all four with 32 bits.
func (s avx2) vectorLoop(f *function) {
	room := f.base("room")
	keysLoop(s.ISA, f, shape{avx2Queries, blockVectors, &Mem{Base: room, Disp: keepAt}}, func(at Register) func(b *blocks) [][]Register {
		ones := s.Vec()
		VPCMPEQW(ones, ones, ones)
		VPSRLW(U8(15), ones, ones)
		s.limit(at, room, ones)
		// Half of the words that are not in a loop are of one register, and half of the next one.
		const words = 2 * vectorBytes / 4 / wordBytes
		return vectorDistances(s.ISA, f, avx2Queries, room, words*wordBytes, func(p *products) {
			for k := range words / 2 {
				var trains [2][blockVectors]Op
				for h := range blockVectors {
					trains[0][h], trains[1][h] = s.Load(p.train(k, h)), p.train(words/2+partner(k), h)
				}
				trains[1][0] = s.Register(trains[1][0])
				for i := range avx2Queries {
					queries := [2]Register{s.Vec(), s.Vec()}
					VPBROADCASTD(p.query(i, k), queries[0])
					VPBROADCASTD(p.query(i, words/2+k), queries[1])
					for h := range blockVectors {
						v, w := s.Vec(), s.Vec()
						VPMADDUBSW(trains[0][h], queries[0], v)
						VPMADDUBSW(trains[1][h], queries[1], w)
						VPADDW(w, v, v)
						VPMADDWD(ones, v, v)
						s.DoTo(op.AddLong, p.sums[h][i], v, p.sums[h][i])
					}
				}
			}
		}, func(p *products) {
			Comment("Products that would have overflowed.")
			for i := range avx2Queries {
				label := fmt.Sprint("excess", i)
				next, end, place := GP64(), GP64(), GP64()
				LEAQ(Mem{Base: p.end, Disp: excessAt + i*excessBytes - vectorBytes}, next)
				MOVQ(Mem{Base: p.end, Disp: endsAt + i*pointerBytes - vectorBytes}, end)
				CMPQ(next, end)
				JEQ(LabelRef(label + "Added"))
				Label(label)
				MOVLQSX(Mem{Base: next}, place)
				query := s.Vec()
				VPBROADCASTD(Mem{Base: next, Disp: wordBytes}, query)
				for h := range blockVectors {
					v := s.Vec()
					VPMADDUBSW(Mem{Base: p.packed, Index: place, Scale: 1, Disp: h * s.Bytes}, query, v)
					VPMADDWD(ones, v, v)
					s.DoTo(op.AddLong, p.sums[h][i], v, p.sums[h][i])
				}
				ADDQ(U8(2*wordBytes), next)
				CMPQ(next, end)
				JNE(LabelRef(label))
				Label(label + "Added")
			}
		})
	})
}

// partner returns the word of the next register that is added to word k of one. It belongs to the
// opposite directions of cells of SIFT's descriptor, which are seldom large both.
func partner(k int) int { return k ^ 1 }

// limit puts query vectors into the room, and what is too much of them into lists. Words of the second
// and the fourth register are in the places of their partners.
func (s avx2) limit(at, room, ones Register) {
	bytes, most := s.Vec(), s.Vec()
	VPACKUSWB(ones, ones, bytes)
	VPSLLW(U8(mostOfFour), ones, most)
	excess, to, list, ends, left := GP64(), GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: room, Disp: excessAt}, list)
	LEAQ(Mem{Base: room, Disp: endsAt}, ends)
	LEAQ(Mem{Base: room, Disp: excessesAt}, excess)
	MOVQ(room, to)
	MOVQ(U32(avx2Queries), left)
	zero := s.Zero()
	Comment("What sums of products have room for, and the rest.")
	Label("limit")
	rest := GP64()
	XORQ(rest, rest)
	for half := range 2 {
		move := func(n int) int { return (2*half + n) * s.Bytes }
		v, w := s.Load(Mem{Base: at, Disp: move(0)}), s.Vec()
		VPSHUFD(U8(0b10_11_00_01), Mem{Base: at, Disp: move(1)}, w) // the partners
		first, second, both := s.Vec(), s.Vec(), s.Vec()
		VPMADDUBSW(bytes, v, first)
		VPMADDUBSW(bytes, w, second)
		VPADDW(second, first, both)
		for _, sum := range []Register{first, second, both} {
			VPCMPGTW(most, sum, sum)
		}
		// One of two numbers goes if both are too much, and the second two if all are.
		VPSLLW(U8(8), first, first)
		VPSLLW(U8(8), second, second)
		VPAND(v, first, first)
		VPXOR(first, v, v)
		VPAND(w, both, both)
		VPXOR(both, w, w)
		VPAND(both, second, second)
		VPXOR(second, both, both)
		s.Store(v, Mem{Base: to, Disp: move(0)})
		s.Store(w, Mem{Base: to, Disp: move(1)})
		for kind, e := range [excessKinds]Register{first, both, second} {
			number := excessKinds*half + kind
			s.Store(e, Mem{Base: excess, Disp: number * s.Bytes})
			VPCMPEQD(zero, e, e)
			bits := GP64()
			VMOVMSKPS(e, bits.As32())
			SHLQ(U8(8*number), bits)
			ORQ(bits, rest)
		}
	}
	next, places, i := GP64(), GP64(), GP64()
	MOVQ(list, next)
	LEAQ(excessPlaces(), places)
	MOVQ(U64(1<<excessWords-1), i)
	XORQ(i, rest)
	JEQ(LabelRef("limited"))
	Label("list")
	word := GP32()
	TZCNTQ(rest, i)
	MOVL(Mem{Base: places, Index: i, Scale: wordBytes}, word)
	MOVL(word, Mem{Base: next})
	MOVL(Mem{Base: excess, Index: i, Scale: wordBytes}, word)
	MOVL(word, Mem{Base: next, Disp: wordBytes})
	ADDQ(U8(2*wordBytes), next)
	BLSRQ(rest, rest)
	JNE(LabelRef("list"))
	Label("limited")
	MOVQ(next, Mem{Base: ends})
	ADDQ(U8(pointerBytes), ends)
	ADDQ(immediate(excessBytes), list)
	ADDQ(immediate(vectorBytes), at)
	ADDQ(immediate(vectorBytes), to)
	DECQ(left)
	JNE(LabelRef("limit"))
}

// excessPlaces returns a table of where the train words are, relative to the end of a block, that
// belong to what is too much.
var excessPlaces = ByteTable("excessPlaces", excessWords*wordBytes, func(i int) uint8 {
	const lanes = 8
	number, k := i/wordBytes/lanes, i/wordBytes%lanes
	word := number / excessKinds * 2 * lanes
	if number%excessKinds == 0 {
		word += k
	} else {
		word += lanes + partner(k)
	}
	block := blockVectors * 32
	return uint8((word*block - vectorBytes/wordBytes*block) >> (8 * (i % wordBytes)))
})

// products are the sums of a block, to which the products of words are added.
type products struct {
	ISA
	packed    Register                 // points to the next words of the block
	end, left Register                 // the end of a query vector, and the bytes that are left, negative
	sums      [blockVectors][]Register // of each query vector
}

// train returns the words that are k behind the next ones, those of a register.
func (p *products) train(k, register int) Mem {
	return Mem{Base: p.packed, Disp: (k*blockVectors + register) * p.Bytes}
}

// query returns the word of query vector i that is k behind the next one.
func (p *products) query(i, k int) Mem {
	return Mem{Base: p.end, Index: p.left, Scale: 1, Disp: i*vectorBytes + k*wordBytes}
}

// vectorDistances returns a function that emits the distances between query vectors and those of a
// block. add adds the products of the next words, of size bytes in all, and rest, unless it is nil,
// those that are left.
func vectorDistances(s ISA, f *function, queries int, at Register, size int, add, rest func(p *products)) func(b *blocks) [][]Register {
	end := GP64()
	LEAQ(Mem{Base: at, Disp: vectorBytes}, end)
	return func(b *blocks) [][]Register {
		p := &products{ISA: s, packed: b.packed, end: end}
		for h := range p.sums {
			for range queries {
				p.sums[h] = append(p.sums[h], s.Zero())
			}
		}
		left := GP64()
		p.left = left
		MOVQ(I32(-vectorBytes), left)
		Comment("The next words.")
		Align()
		Label("step")
		add(p)
		ADDQ(I32(size/wordBytes*blockVectors*s.Bytes), b.packed)
		ADDQ(U8(size), left)
		JNE(LabelRef("step"))
		if rest != nil {
			rest(p)
		}

		Comment("The distances.")
		norms := f.base("queryNorms")
		var distances [][]Register
		for h, list := range p.sums {
			train := s.Load(b.at(b.norms).Offset(h * s.Bytes))
			for i, sum := range list {
				query := s.Vec()
				VPBROADCASTD(Mem{Base: norms, Index: f.number, Scale: keyBytes, Disp: keyBytes * i}, query)
				s.DoTo(op.AddLong, query, train, query)
				VPSLLD(U8(vectorIndexBits+1), sum, sum) // twice
				s.DoTo(op.SubLong, query, sum, sum)
			}
			distances = append(distances, list)
		}
		return distances
	}
}

// packVectors emits the function that makes blocks of vectors with words of four numbers that are less by
// 128: for AVX2 of 16 vectors, for AVX-512 of 32. It takes four vectors at a time, and the last one again if they
// are fewer.
func packVectors(s ISA) {
	const (
		atOnce = 4
		half   = 16 // bytes of half a register of AVX2, which is enough for both
	)
	block := blockVectors * s.Bytes / wordBytes
	r := Func("packL2" + s.Name)
	from, left := Load(r.Field("vectors").Base(), GP64()), Load(r.Field("vectors").Len(), GP64())
	to := Load(r.Field("packed").Base(), GP64())
	last, places, upper := GP64(), GP64(), YMM()
	IMUL3Q(immediate(vectorBytes), left, last)
	LEAQ(Mem{Base: from, Index: last, Scale: 1, Disp: -vectorBytes}, last)
	MOVQ(U32(block/atOnce), places)
	Comment("The upper bits of bytes.")
	VPCMPEQW(upper, upper, upper)
	VPSLLW(U8(15), upper, upper)
	VPACKSSWB(upper, upper, upper)
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
			words[i] = AVX2.Do(op.Xor, upper, Mem{Base: v, Disp: k})
		}
		for i, column := range transposed(words) {
			at := Mem{Base: to, Disp: block * (k + wordBytes*i)}
			AVX2.Store(column.(VecVirtual).AsX(), at)
			VEXTRACTI128(U8(1), column, at.Offset(block*half))
		}
	}
	ADDQ(immediate(atOnce*vectorBytes), from)
	ADDQ(U8(atOnce*wordBytes), to)
	DECQ(places)
	JNE(LabelRef("next"))
	Comment("The next block.")
	ADDQ(immediate(block*(vectorBytes-wordBytes)), to)
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
func (f *neonFunction) vectorDistances(queries, packed, norms, trainNorms neon.R) [][]neon.V {
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
		f.Label("step")
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
		f.Repeat("step", left, 1)
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
