package main

import (
	"math/bits"

	"github.com/fastcorners/fast/_asm/internal/op"
	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// An avx512 compares two query descriptors at a time with blocks of 16. A block has the
// first words of all its descriptors, then the second ones, and so on.
type avx512 struct{ ISA }

// An avx2 compares one query descriptor at a time with blocks of eight. The first
// half of a block has the descriptors of even numbers: their first words of eight
// bytes, then the second ones, and so on. The second half has the others.
type avx2 struct{ ISA }

func (s avx512) name() string { return "AVX512" }
func (s avx2) name() string   { return "AVX2" }

func (s avx512) loop(f *function, m mode) {
	if f.l2 {
		s.vectorLoop(f, m)
		return
	}
	keysLoop(s.ISA, f, m, shape{queries: 2, vectors: 1}, func(queries Register) func(b *blocks) [][]Register {
		if f.flat {
			return one(s.flatDistances(f.wordsOf(queries, m.prefix, 16)))
		}
		q := make([][8]Register, 2)
		for i := range q {
			for k := range f.words(4) {
				q[i][k] = ZMM()
				VPBROADCASTD(Mem{Base: queries, Disp: i*descriptorBytes + 4*k}, q[i][k])
			}
		}
		return one(func(packed Register) []Register { return s.distances(f.metric, q, packed) })
	})
}

// distances returns the distances between each of q and the descriptors of a block, in
// the upper bits of words.
func (s avx512) distances(m metric, q [][8]Register, packed Register) []Register {
	sums := make([]Register, len(q))
	for k := range m.words(4) {
		if m.cells && k%4 >= 2 {
			continue // counted with the upper bits of the same cells
		}
		at := Mem{Base: packed, Disp: 64 * k}
		words := s.Load(at)
		var lower Register
		if m.cells {
			lower = s.Load(at.Offset(2 * 64))
		}
		for i := range q {
			differ := s.Do(op.Xor, q[i][k], words)
			if m.cells {
				// A cell also differs where the lower bits do.
				VPTERNLOGD(U8(0xf0|(0xcc^0xaa)), lower, q[i][k+2], differ)
			}
			VPOPCNTD(differ, differ)
			if sums[i] == nil {
				sums[i] = differ
			} else {
				VPADDD(differ, sums[i], sums[i])
			}
		}
	}
	for _, sum := range sums {
		VPSLLD(U8(indexBits), sum, sum)
	}
	return sums
}

// flatDistances returns a function that emits the distances between two flat query
// descriptors and those of a block.
func (s avx512) flatDistances(eachWord func(Register, func(query Mem))) func(packed Register) []Register {
	return func(packed Register) []Register {
		sums := []Register{s.Zero(), s.Zero()}
		eachWord(packed, func(query Mem) {
			for half := range 2 {
				words := s.Load(Mem{Base: packed, Disp: 64 * half})
				for i, sum := range sums {
					differ := ZMM()
					VPXORD_BCST(query.Offset(flatBytes*i+4*half), words, differ)
					VPOPCNTD(differ, differ)
					VPADDD(differ, sum, sum)
				}
			}
		})
		for _, sum := range sums {
			VPSLLD(U8(indexBits), sum, sum)
		}
		return sums
	}
}

func (s avx2) loop(f *function, m mode) {
	if f.l2 {
		s.vectorLoop(f, m)
		return
	}
	c := nibbles{YMM(), YMM()}
	VBROADCASTI128(nibbleCounts(), c.counts)
	VBROADCASTI128(nibbleMask(), c.low)
	keysLoop(s.ISA, f, m, shape{queries: 1, vectors: 1}, func(query Register) func(b *blocks) [][]Register {
		if f.flat {
			return one(s.flatDistances(c, f.wordsOf(query, m.prefix, 8)))
		}
		var q [4]Register
		for k := range f.words(8) {
			q[k] = YMM()
			VPBROADCASTQ(Mem{Base: query, Disp: 8 * k}, q[k])
		}
		return one(func(packed Register) []Register {
			even := s.half(f.metric, c, q, Mem{Base: packed})
			VPSLLQ(U8(indexBits), even, even)
			odd := s.half(f.metric, c, q, Mem{Base: packed, Disp: 128})
			VPSLLQ(U8(32+indexBits), odd, odd)
			VPOR(odd, even, even)
			return []Register{even}
		})
	})
}

// flatDistances returns a function that emits the distances between a flat query descriptor
// and those of a block, of which each word has the descriptors of even numbers first.
func (s avx2) flatDistances(c nibbles, eachWord func(Register, func(query Mem))) func(packed Register) []Register {
	return func(packed Register) []Register {
		halves := []Register{s.Zero(), s.Zero()} // sums of bytes, up to 128
		eachWord(packed, func(query Mem) {
			q := YMM()
			VPBROADCASTQ(query, q)
			for i, sum := range halves {
				differ := s.Do(op.Xor, q, Mem{Base: packed, Disp: 32 * i})
				VPADDB(c.of(differ), sum, sum)
			}
		})
		zero := s.Zero()
		for i, sum := range halves {
			VPSADBW(zero, sum, sum)
			VPSLLQ(U8(32*i+indexBits), sum, sum)
		}
		VPOR(halves[1], halves[0], halves[0])
		return halves[:1]
	}
}

// nibbleCounts returns a table of the number of bits set in each number of four bits.
var nibbleCounts = ByteTable("nibbleCounts", 16, func(i int) uint8 { return uint8(bits.OnesCount8(uint8(i))) })

// nibbleMask returns bytes whose lower four bits are set.
var nibbleMask = ByteTable("nibbleMask", 16, func(int) uint8 { return 15 })

// nibbles are the registers that counting bits needs: the table of nibbleCounts and the
// mask of nibbleMask.
type nibbles struct{ counts, low Register }

// of returns the number of bits set in each byte of v. It overwrites v.
func (c nibbles) of(v Register) Register {
	upper := YMM()
	VPSRLW(U8(4), v, upper)
	VPAND(c.low, v, v)
	VPAND(c.low, upper, upper)
	VPSHUFB(v, c.counts, v)
	VPSHUFB(upper, c.counts, upper)
	VPADDB(upper, v, v)
	return v
}

// half returns the distances between q and four descriptors, in words of eight bytes.
func (s avx2) half(m metric, c nibbles, q [4]Register, at Mem) Register {
	differ := func(k int) Register {
		v := YMM()
		VPXOR(at.Offset(32*k), q[k], v)
		return v
	}
	var sum Register
	if m.short {
		sum = c.of(differ(0))
	} else if m.cells {
		for k := 0; k < len(q); k += 2 {
			v := differ(k)
			VPOR(differ(k+1), v, v)
			v = c.of(v)
			if sum == nil {
				sum = v
			} else {
				VPADDB(v, sum, sum)
			}
		}
	} else {
		// A full adder turns three bits into their sum and a carry, which counts
		// twice.
		carry, both := YMM(), YMM()
		sum = differ(0)
		v := differ(1)
		VPAND(sum, v, carry)
		VPXOR(sum, v, sum)
		v = differ(2)
		VPAND(sum, v, both)
		VPXOR(sum, v, sum)
		VPOR(both, carry, carry)
		VPADDB(c.of(carry), carry, carry)
		VPADDB(c.of(sum), carry, carry)
		sum = carry
		VPADDB(c.of(differ(3)), sum, sum)
	}
	VPSADBW(s.Zero(), sum, sum)
	return sum
}

// A shape is what a loop compares at a time.
type shape struct {
	queries int // query descriptors
	vectors int // of train descriptors, a block
	// keep is where the least keys of each query descriptor and what belongs to it are kept,
	// vectors one after the other, or nil for registers.
	keep func() Mem
}

// one returns a function that emits the distances for the one vector of a block.
func one(distances func(packed Register) []Register) func(b *blocks) [][]Register {
	return func(b *blocks) [][]Register { return [][]Register{distances(b.packed)} }
}

// keysLoop emits the loops of a function with vectors of keys. compare gets a pointer to some
// query descriptors, and returns a function that emits the distances between the descriptors of
// each vector of a block and each of these, in the upper bits of words.
func keysLoop(s ISA, f *function, m mode, l shape, compare func(queries Register) func(b *blocks) [][]Register) {
	columns := make([]Op, l.queries) // keys without their distances
	if m.columns && l.keep == nil {
		for i := range columns {
			v := s.Vec()
			columns[i] = v
			if i > 0 {
				VPSUBD(noKeys(), columns[i-1], v)
			} else {
				VPBROADCASTD(Address(f.field("firstQuery")), v)
			}
		}
	}
	f.eachQuery(m.prefix, l.queries, func(at Register) {
		distances := compare(at)
		least := make([]minima, l.queries)
		for i := range least {
			least[i] = minima{ISA: s}
		}
		if l.keep != nil {
			f.keep(s, m, l.keep(), least, columns)
		} else if !m.store {
			for i := range least {
				least[i].best = s.Load(noKeys())
				if m.second {
					least[i].second = s.Load(noKeys())
				}
			}
		}
		f.eachBlock(m, l.vectors*s.Bytes/keyBytes, func(b *blocks) {
			for h, keys := range distances(b) {
				at := func(end Register) Mem { return b.at(end).Offset(h * s.Bytes) }
				if m.columns {
					lowest := s.Do(op.Or, keys[0], columns[0])
					for i := 1; i < l.queries; i++ {
						s.DoTo(op.MinLong, lowest, s.Do(op.Or, keys[i], columns[i]), lowest)
					}
					s.DoTo(op.MinLong, lowest, at(b.columns), lowest)
					s.Store(lowest, at(b.columns))
				}
				row := b.keys
				for i, k := range keys {
					s.DoTo(op.Or, k, at(b.index), k)
					if !m.store {
						least[i].lower(k, nil)
						continue
					}
					if i > 0 {
						next := GP64()
						LEAQ(Mem{Base: row, Index: b.row, Scale: 1}, next)
						row = next
					}
					s.Store(k, at(row))
				}
			}
		})
		for i := range least {
			if m.columns && l.keep == nil {
				for range l.queries {
					VPSUBD(noKeys(), columns[i], columns[i].(Register))
				}
			}
			if m.store {
				continue
			}
			least[i].join()
			VMOVD(least[i].best.(VecVirtual).AsX(), f.result("best", i))
			if m.second {
				VMOVD(least[i].second.(VecVirtual).AsX(), f.result("second", i))
			}
		}
	})
	s.End()
}

// keep sets least and columns to places from that one on, with what they are for the next query
// descriptors.
func (f *function) keep(s ISA, m mode, place Mem, least []minima, columns []Op) {
	next := func() Mem {
		at := place
		place = place.Offset(s.Bytes)
		return at
	}
	none := s.Load(noKeys())
	var number GPVirtual
	if m.columns {
		number = Load(f.field("firstQuery"), GP32()).(GPVirtual)
		ADDL(f.number.As32(), number)
	}
	for i := range least {
		if !m.store {
			best := next()
			s.Store(none, best)
			least[i].best = best
		}
		if m.second {
			second := next()
			s.Store(none, second)
			least[i].second = second
		}
		if m.columns {
			column, v := next(), s.Vec()
			VMOVD(number, v.AsX())
			VPBROADCASTD(v.AsX(), v)
			s.Store(v, column)
			columns[i] = column
			INCL(number)
		}
	}
}

// noKeys returns a vector of keys that are greater than all others, or of -1.
var noKeys = ByteTable("noKeys", 64, func(int) uint8 { return 0xff })

// minima are the least key in each place of the vectors and, unless second is nil, the
// second least. Both are registers or lie in memory.
type minima struct {
	ISA
	best, second Op
}

// lower takes keys into account, and the second least ones unless seconds is nil. It
// overwrites both.
func (l *minima) lower(keys, seconds Register) {
	if l.second != nil {
		l.lowerTo(l.second, l.Do(op.MaxLong, keys, l.best))
		if seconds != nil {
			l.lowerTo(l.second, seconds)
		}
	}
	l.lowerTo(l.best, keys)
}

// lowerTo lowers minima to keys.
func (l *minima) lowerTo(least Op, keys Register) {
	if at, ok := least.(Mem); ok {
		l.Store(l.Do(op.MinLong, keys, at), at)
	} else {
		l.DoTo(op.MinLong, least, keys, least.(Register))
	}
}

// join gives every place the least keys of all places, in registers.
func (l *minima) join() {
	const (
		halves    = 0b01_00_11_10
		neighbors = 0b10_11_00_01
	)
	l.best = l.Register(l.best)
	if l.second != nil {
		l.second = l.Register(l.second)
	}
	// fold brings together places that swap exchanges.
	fold := func(swap func(v, w Register)) {
		best, second := l.Vec(), Register(nil)
		swap(l.best.(Register), best)
		if l.second != nil {
			second = l.Vec()
			swap(l.second.(Register), second)
		}
		l.lower(best, second)
	}
	if l.ISA == AVX512 {
		fold(func(v, w Register) { VSHUFI64X2(U8(halves), v, v, w) })
		fold(func(v, w Register) { VSHUFI64X2(U8(neighbors), v, v, w) })
	} else {
		fold(func(v, w Register) { VPERMQ(U8(halves), v, w) })
	}
	fold(func(v, w Register) { VPSHUFD(U8(halves), v, w) })
	fold(func(v, w Register) { VPSHUFD(U8(neighbors), v, w) })
}
