package main

import (
	"fmt"
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

func (s avx512) loop(f *function) {
	if f.l2 {
		s.vectorLoop(f)
		return
	}
	if f.short && !f.store {
		// For one word of each descriptor, branches for each block take too long.
		for _, field := range []string{"columns", "second"} {
			p := f.base(field)
			TESTQ(p, p)
			JNE(LabelRef("more"))
		}
		f.alone, f.prefix = true, "best"
		s.bitLoop(f)
		f.alone, f.prefix = false, "next"
		Label("more")
		f.load()
	}
	s.bitLoop(f)
}

// bitLoop emits the loop for all descriptors but vectors, and the end of the function.
func (s avx512) bitLoop(f *function) {
	keysLoop(s.ISA, f, shape{queries: 2, vectors: 1}, func(queries Register) func(b *blocks) [][]Register {
		if f.flat {
			return one(s.flatDistances(f.wordsOf(queries, 16)))
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

func (s avx2) loop(f *function) {
	if f.l2 {
		s.vectorLoop(f)
		return
	}
	c := nibbles{YMM(), YMM()}
	VBROADCASTI128(nibbleCounts(), c.counts)
	VBROADCASTI128(nibbleMask(), c.low)
	keysLoop(s.ISA, f, shape{queries: 1, vectors: 1}, func(query Register) func(b *blocks) [][]Register {
		if f.flat {
			return one(s.flatDistances(c, f.wordsOf(query, 8)))
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
	// kept is where the state of each query descriptor is kept, one after the other, or nil for
	// registers.
	kept *Mem
}

// A state is what belongs to a query descriptor, vectors in registers or in memory: the least
// key in each place, the second least one, and the number of the query descriptor, which is what a
// column's key is besides its distance.
type state struct{ best, second, column Op }

// stateVectors is the number of vectors of a state.
const stateVectors = 3

// states returns those of the query descriptors.
func (l shape) states(s ISA) []state {
	list := make([]state, l.queries)
	for i := range list {
		if l.kept == nil {
			list[i] = state{s.Vec(), s.Vec(), s.Vec()}
		} else {
			list[i] = stateAt(s, l.kept.Offset(i*stateVectors*s.Bytes))
		}
	}
	return list
}

// stateAt returns the state that is kept there.
func stateAt(s ISA, at Mem) state {
	return state{at, at.Offset(s.Bytes), at.Offset(2 * s.Bytes)}
}

// one returns a function that emits the distances for the one vector of a block.
func one(distances func(packed Register) []Register) func(b *blocks) [][]Register {
	return func(b *blocks) [][]Register { return [][]Register{distances(b.packed)} }
}

// keysLoop emits the loops of a function with vectors of keys. compare gets a pointer to some
// query descriptors, and returns a function that emits the distances between the descriptors of
// each vector of a block and each of these, in the upper bits of words.
func keysLoop(s ISA, f *function, l shape, compare func(queries Register) func(b *blocks) [][]Register) {
	var states []state
	if !f.store {
		states = l.states(s)
	}
	if !f.store && !f.alone {
		f.columns = perhaps
		if l.kept == nil {
			f.firstColumns(s, states)
		}
	}
	f.eachQuery(l.queries, func(at Register) {
		distances := compare(at)
		second := Register(nil)
		if !f.store {
			if !f.alone {
				second = f.base("second")
			}
			if l.kept != nil {
				f.keepStates(s, l)
			} else {
				for _, state := range states {
					s.Move(noKeys(), state.best)
					if !f.alone {
						s.Move(noKeys(), state.second)
					}
				}
			}
		}
		f.eachBlock(l.vectors*s.Bytes/keyBytes, func(b *blocks) {
			keys := distances(b)
			if f.store {
				storeKeys(s, b, keys)
				return
			}
			if f.alone {
				addIndices(s, b, keys)
				for i, state := range states {
					lower(s, state.best, keys[0][i])
				}
				return
			}
			f.where(b.columns, "columns", func() { lowerColumns(s, b, states, keys) })
			addIndices(s, b, keys)
			lowest := keys[0]
			if len(keys) > 1 {
				lowest = make([]Register, l.queries)
				for i := range lowest {
					lowest[i] = s.Do(op.MinLong, keys[0][i], keys[1][i])
				}
			}
			f.where(second, "second", func() {
				for i, state := range states {
					if len(keys) > 1 {
						s.DoTo(op.MaxLong, keys[0][i], keys[1][i], keys[0][i])
						lower(s, state.second, keys[0][i])
					}
					lower(s, state.second, s.Do(op.MaxLong, lowest[i], state.best))
				}
			})
			for i, state := range states {
				lower(s, state.best, lowest[i])
			}
		})
		switch {
		case f.store:
		case f.alone:
			for i, state := range states {
				VMOVD(leastOf(s, state.best.(Register)).(VecVirtual).AsX(), f.resultAt(i)(f.base("best")))
			}
		case l.kept != nil:
			f.keptResults(s, l, second)
		default:
			for i, state := range states {
				for range l.queries {
					s.DoTo(op.SubLong, state.column, noKeys(), state.column.(Register))
				}
				f.results(s, state, second, fmt.Sprint("second", i), f.resultAt(i))
			}
		}
	})
	f.end(s)
}

// resultAt returns a function that returns the place in a list of a result of query descriptor i of the
// current ones.
func (f *function) resultAt(i int) func(list Register) Mem {
	return func(list Register) Mem {
		return Mem{Base: list, Index: f.number, Scale: keyBytes, Disp: keyBytes * i}
	}
}

// firstColumns sets the columns of the first query descriptors, in registers.
func (f *function) firstColumns(s ISA, states []state) {
	for i := range states {
		column := states[i].column.(Register)
		if i > 0 {
			s.DoTo(op.SubLong, states[i-1].column, noKeys(), column)
		} else {
			VPBROADCASTD(Address(f.field("firstQuery")), column)
		}
	}
}

// keepStates sets the states of the next query descriptors, in memory.
func (f *function) keepStates(s ISA, l shape) {
	place, left, none, column := GP64(), GP64(), s.Load(noKeys()), s.Vec()
	LEAQ(*l.kept, place)
	MOVQ(U32(l.queries), left)
	number := Load(f.field("firstQuery"), GP32()).(GPVirtual)
	ADDL(f.number.As32(), number)
	VMOVD(number, column.AsX())
	VPBROADCASTD(column.AsX(), column)
	Label("keep")
	next := stateAt(s, Mem{Base: place})
	s.Move(none, next.best)
	s.Move(none, next.second)
	s.Move(column, next.column)
	s.DoTo(op.SubLong, column, none, column)
	ADDQ(immediate(stateVectors*s.Bytes), place)
	DECQ(left)
	JNE(LabelRef("keep"))
}

// keptResults stores the results of the query descriptors whose states are in memory.
func (f *function) keptResults(s ISA, l shape, second Register) {
	place, number, left := GP64(), GP64(), GP64()
	LEAQ(*l.kept, place)
	MOVQ(f.number, number)
	MOVQ(U32(l.queries), left)
	Label("results")
	f.results(s, stateAt(s, Mem{Base: place}), second, "seconds", func(list Register) Mem {
		return Mem{Base: list, Index: number, Scale: keyBytes}
	})
	ADDQ(immediate(stateVectors*s.Bytes), place)
	INCQ(number)
	DECQ(left)
	JNE(LabelRef("results"))
}

// results stores the least key of a query descriptor and, unless second is 0, the second least one,
// at the places in lists that at returns.
func (f *function) results(s ISA, state state, second Register, label string, at func(list Register) Mem) {
	best := s.Register(state.best)
	least := leastOf(s, best)
	VMOVD(least.(VecVirtual).AsX(), at(f.base("best")))
	f.where(second, label, func() {
		// The second least key is the least of those that are greater than the least one. Less the
		// number that follows it, it is the least one of all, since nothing is more than what the least
		// one itself becomes.
		next := s.Do(op.SubLong, least, noKeys())
		v := s.Do(op.SubLong, s.Register(state.second), next)
		s.DoTo(op.MinLong, v, s.Do(op.SubLong, best, next), v)
		v = leastOf(s, v).(VecVirtual)
		s.DoTo(op.AddLong, v, next, v)
		VMOVD(v.AsX(), at(second))
	})
}

// storeKeys stores the keys of a block, whose distances it gets.
func storeKeys(s ISA, b *blocks, keys [][]Register) {
	addIndices(s, b, keys)
	for h, keys := range keys {
		row := b.keys
		for i, k := range keys {
			if i > 0 {
				next := GP64()
				LEAQ(Mem{Base: row, Index: b.row, Scale: 1}, next)
				row = next
			}
			s.Store(k, b.at(row).Offset(h*s.Bytes))
		}
	}
}

// addIndices makes keys of the distances of a block.
func addIndices(s ISA, b *blocks, keys [][]Register) {
	for h, keys := range keys {
		for _, k := range keys {
			s.DoTo(op.Or, k, b.at(b.index).Offset(h*s.Bytes), k)
		}
	}
}

// lowerColumns lowers the columns of a block to the keys with these distances.
func lowerColumns(s ISA, b *blocks, states []state, distances [][]Register) {
	for h, distances := range distances {
		at := b.at(b.columns).Offset(h * s.Bytes)
		lowest := s.Do(op.Or, distances[0], states[0].column)
		for i := 1; i < len(states); i++ {
			s.DoTo(op.MinLong, lowest, s.Do(op.Or, distances[i], states[i].column), lowest)
		}
		s.DoTo(op.MinLong, lowest, at, lowest)
		s.Store(lowest, at)
	}
}

// noKeys returns a vector of keys that are greater than all others, or of -1.
var noKeys = ByteTable("noKeys", 64, func(int) uint8 { return 0xff })

// lower lowers least, a register or in memory, to keys, which it may overwrite.
func lower(s ISA, least Op, keys Register) {
	if at, ok := least.(Mem); ok {
		s.Store(s.Do(op.MinLong, keys, at), at)
	} else {
		s.DoTo(op.MinLong, least, keys, least.(Register))
	}
}

// leastOf returns a register that has the least number of all places of v in every place.
func leastOf(s ISA, v Register) Register {
	const (
		halves    = 0b01_00_11_10
		neighbors = 0b10_11_00_01
	)
	// fold brings together places that swap exchanges.
	fold := func(swap func(v, w Register)) {
		w := s.Vec()
		swap(v, w)
		s.DoTo(op.MinLong, w, v, w)
		v = w
	}
	if s == AVX512 {
		fold(func(v, w Register) { VSHUFI64X2(U8(halves), v, v, w) })
		fold(func(v, w Register) { VSHUFI64X2(U8(neighbors), v, v, w) })
	} else {
		fold(func(v, w Register) { VPERMQ(U8(halves), v, w) })
	}
	fold(func(v, w Register) { VPSHUFD(U8(halves), v, w) })
	fold(func(v, w Register) { VPSHUFD(U8(neighbors), v, w) })
	return v
}
