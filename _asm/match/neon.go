package main

import (
	"fmt"

	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonFunction is a function for NEON. It compares some query descriptors at a time with
// blocks of one or two vectors of train descriptors, which have the first words, of four bytes,
// of all these descriptors, then the second ones, and so on.
type neonFunction struct {
	neon.Function
	metric
	set              string   // the instruction set
	queries, vectors int      // at a time
	store            bool     // stores all keys, instead of finding the least ones
	behind           []func() // emit what is behind the end of the function
}

// lanes is the number of train descriptors of a vector.
const lanes = neon.Bytes / keyBytes

// generateNEON emits the functions for NEON, and those for processors that have dot products,
// too.
func generateNEON(a *neon.Assembler) {
	function := neon.Function{Assembler: a}
	for _, f := range []neonFunction{
		{Function: function, metric: metric{}, set: "NEON", queries: 2, vectors: 1},
		{Function: function, metric: metric{suffix: "2", cells: true}, set: "NEON", queries: 2, vectors: 1},
		{Function: function, metric: metric{suffix: "Flat", flat: true}, set: "NEON", queries: 2, vectors: 1},
		{Function: function, metric: metric{suffix: "32", short: true}, set: "NEON", queries: 2, vectors: 1},
		{Function: function, metric: metric{suffix: "L2", l2: true}, set: "NEON", queries: 4, vectors: 1},
		{Function: function, metric: metric{suffix: "L2", l2: true}, set: "DotProd", queries: 4, vectors: 2},
	} {
		find := f
		find.loop("find")
		if !f.short {
			keys := f
			keys.store = true
			keys.loop("keys")
		}
	}
	(&neonFunction{Function: function}).listDistances()
}

// where emits what is done only if a register is not 0, which is the same for a whole call: a
// branch that is not taken, and do behind the end of the function. do may use only registers that it
// has been given.
func (f *neonFunction) where(r neon.R, label string, do func()) {
	f.CBNZ(r, label)
	f.Label(label + "Done")
	f.behind = append(f.behind, func() {
		f.Label(label)
		do()
		f.JMP(label + "Done")
	})
}

// loop emits a function: the loops over the query descriptors and the blocks, and the return.
func (f *neonFunction) loop(name string) {
	f.BeginFor(name+f.suffix, f.set)
	f.Scope(func() {
		queries, left := f.Field(f.queryField()), f.Len(f.queryField())
		var best, second, columns, keys, norms neon.R
		var numbers []neon.V // of query descriptors: keys of columns without their distances
		var step neon.V
		if f.store {
			keys = f.Field("keys")
		} else {
			best, second, columns = f.Field("best"), f.Field("second"), f.Field("columns")
			number := f.R()
			f.MOVWU(f.Place("firstQuery"), number)
			for range f.queries {
				v := f.V()
				f.VDUP(neon.S4, number, v)
				f.ADD(neon.Imm(1), number)
				numbers = append(numbers, v)
			}
			step = f.V()
			f.MOVD(neon.Imm(f.queries), number)
			f.VDUP(neon.S4, number, step)
			f.FreeR(number)
		}
		if f.l2 {
			norms = f.Field("queryNorms")
		}
		f.Comment("The next query descriptors.")
		f.Label("query")
		f.Scope(func() {
			least := f.next(queries, norms, second, columns, numbers, keys)
			if f.store {
				return
			}
			f.Comment("The least keys.")
			v, w := f.V(), f.V()
			for i, l := range least {
				f.DoTo(op.AddLong, numbers[i], step, numbers[i])
				f.leastOf(l.best, v, w)
				f.FMOVS(v, best.Post(keyBytes))
				f.where(second, fmt.Sprint("second", i), func() {
					// As in results.
					f.VMOVI(0xff, w)
					f.DoTo(op.SubLong, v, w, v)
					f.DoTo(op.SubLong, l.best, v, l.best)
					f.DoTo(op.SubLong, l.second, v, l.second)
					f.DoTo(op.MinLong, l.best, l.second, l.best)
					f.leastOf(l.best, l.second, w)
					f.DoTo(op.AddLong, l.second, v, l.second)
					f.FMOVS(l.second, second.Post(keyBytes))
				})
			}
		})
		f.Repeat("query", left, f.queries)
		f.RET()
		for _, emit := range f.behind {
			emit()
		}
	})
}

// next emits the comparison of the next query descriptors with all blocks. It returns the
// least keys of each in each place.
func (f *neonFunction) next(queries, norms, second, columns neon.R, numbers []neon.V, keys neon.R) []neonMinima {
	query := make([][]neon.V, f.queries)
	for i := range query {
		if f.flat || f.l2 {
			break // they are loaded for each block
		}
		for range f.words(keyBytes) {
			v := f.V()
			f.VLD1R(neon.S4, queries.Post(keyBytes), v)
			query[i] = append(query[i], v)
		}
		if rest := descriptorBytes - f.words(keyBytes)*keyBytes; rest > 0 {
			f.ADD(neon.Imm(rest), queries)
		}
	}
	packed, index, left := f.Field("packed"), f.Field("index"), f.Len("index")
	var least []neonMinima // at first greater than all keys
	var column, trainNorms neon.R
	var rows []neon.R // the keys of each query descriptor
	for i := range f.queries {
		if f.store {
			rows = append(rows, f.R())
			f.MOVD(keys, rows[i])
			f.ADD(left.LSL(2), keys)
		} else {
			least = append(least, neonMinima{f.Fill(0xff), f.Fill(0xff)})
		}
	}
	if !f.store {
		column = f.R()
		f.MOVD(columns, column)
	}
	if f.l2 {
		trainNorms = f.Field("trainNorms")
	}

	f.Comment("The next block of train descriptors.")
	f.Loop("block")
	f.Scope(func() {
		var found [][]neon.V // for each vector of the block and each query descriptor
		switch {
		case f.flat:
			found = [][]neon.V{f.flatDistances(queries, packed)}
		case f.l2:
			found = f.vectorDistances(queries, packed, norms, trainNorms)
		default:
			found = [][]neon.V{f.distances(query, packed)}
		}
		v, w := f.V(), f.V()
		if !f.store {
			f.where(column, "columns", func() {
				for _, found := range found {
					f.DoTo(op.Or, found[0], numbers[0], v)
					for i := 1; i < f.queries; i++ {
						f.DoTo(op.Or, found[i], numbers[i], w)
						f.DoTo(op.MinLong, v, w, v)
					}
					f.FMOVQ(column.At(0), w)
					f.DoTo(op.MinLong, v, w, v)
					f.FMOVQ(v, column.Post(neon.Bytes))
				}
			})
		}
		for _, found := range found {
			f.FMOVQ(index.Post(neon.Bytes), v)
			for i, key := range found {
				f.DoTo(op.Or, key, v, key)
				if f.store {
					f.FMOVQ(key, rows[i].Post(neon.Bytes))
				}
			}
		}
		if f.store {
			return
		}
		lowest := found[0]
		if len(found) > 1 {
			lowest = nil
			for i, key := range found[0] {
				lowest = append(lowest, f.Do(op.MinLong, key, found[1][i]))
			}
		}
		f.where(second, "second", func() {
			for i, l := range least {
				if len(found) > 1 {
					f.DoTo(op.MaxLong, found[0][i], found[1][i], v)
					f.DoTo(op.MinLong, l.second, v, l.second)
				}
				f.DoTo(op.MaxLong, lowest[i], l.best, v)
				f.DoTo(op.MinLong, l.second, v, l.second)
			}
		})
		for i, l := range least {
			f.DoTo(op.MinLong, l.best, lowest[i], l.best)
		}
	})
	f.Repeat("block", left, lanes*f.vectors)
	if f.flat || f.l2 {
		f.ADD(neon.Imm(f.queries*f.queryBytes()), queries)
	}
	if f.l2 {
		f.ADD(neon.Imm(f.queries*keyBytes), norms)
	}
	return least
}

// distances returns the distances between each query descriptor and those of the next
// block, in the upper bits of words.
func (f *neonFunction) distances(query [][]neon.V, packed neon.R) []neon.V {
	sums := make([]neon.V, f.queries)
	started := false
	// add counts bits that differ, and adds them up.
	add := func(differ func(i int) neon.V) {
		for i := range sums {
			v := differ(i)
			f.ChangeTo(neon.Count, v, v)
			if started {
				f.DoTo(op.Add, sums[i], v, sums[i])
				f.FreeV(v)
			} else {
				sums[i] = v
			}
		}
		started = true
	}
	words := f.words(keyBytes)
	if f.short {
		train := f.Load(packed, 0)
		f.ADD(neon.Imm(lanes*descriptorBytes), packed)
		add(func(i int) neon.V { return f.Do(op.Xor, query[i][0], train) })
		words = 0
	}
	for k := 0; k < words; k += 4 {
		var train [4]neon.V
		for i := range train {
			train[i] = f.V()
		}
		for i := 0; i < 4; i += 2 {
			f.FLDPQ(packed.Post(2*neon.Bytes), train[i], train[i+1])
		}
		for j := range train {
			switch {
			case !f.cells:
				add(func(i int) neon.V { return f.Do(op.Xor, query[i][k+j], train[j]) })
			case j < 2:
				// A cell differs where its upper bits do, or its lower ones.
				add(func(i int) neon.V {
					v, lower := f.Do(op.Xor, query[i][k+j], train[j]), f.Do(op.Xor, query[i][k+j+2], train[j+2])
					f.DoTo(op.Or, v, lower, v)
					f.FreeV(lower)
					return v
				})
			}
		}
		f.FreeV(train[:]...)
	}
	for _, sum := range sums {
		f.ChangeTo(neon.PairsOfBytes, sum, sum)
		f.ChangeTo(neon.PairsOfWords, sum, sum)
		f.VSHL(neon.S4, indexBits, sum, sum)
	}
	return sums
}

// flatDistances returns the distances between each of two flat query descriptors and those
// of the next block, in the upper bits of words.
func (f *neonFunction) flatDistances(queries, packed neon.R) []neon.V {
	found := make([]neon.V, f.queries)
	upper := make([]neon.V, f.queries) // the upper halves of words: a byte has room for half of 1024 bits
	for i := range found {
		found[i], upper[i] = f.V(), f.V()
		f.DoTo(op.Xor, found[i], found[i], found[i])
		f.DoTo(op.Xor, upper[i], upper[i], upper[i])
	}
	f.Scope(func() {
		left := f.Field("words")
		next := f.each(queries)
		f.Label("word")
		train := [2]neon.V{f.V(), f.V()}
		f.FLDPQ(packed.Post(2*neon.Bytes), train[0], train[1])
		for half, sums := range [][]neon.V{found, upper} {
			for i, sum := range sums {
				v := f.V()
				f.VLD1R(neon.S4, next[i].Post(keyBytes), v)
				f.DoTo(op.Xor, v, train[half], v)
				f.ChangeTo(neon.Count, v, v)
				f.DoTo(op.Add, sum, v, sum)
				f.FreeV(v)
			}
		}
		f.Repeat("word", left, 1)
		for i, sum := range found {
			f.ChangeTo(neon.PairsOfBytes, sum, sum)
			f.ChangeTo(neon.PairsOfBytes, upper[i], upper[i])
			f.DoTo(op.AddWord, sum, upper[i], sum)
			f.ChangeTo(neon.PairsOfWords, sum, sum)
			f.VSHL(neon.S4, indexBits, sum, sum)
		}
	})
	f.FreeV(upper[:]...)
	return found
}

// each returns registers that point to the query descriptors from that one on.
func (f *neonFunction) each(queries neon.R) []neon.R {
	next := make([]neon.R, f.queries)
	for i := range next {
		next[i] = f.R()
		f.ADD(neon.Imm(f.queryBytes()*i), queries, next[i])
	}
	return next
}

// A neonMinima is the least key in each place of the vectors, and the second least.
type neonMinima struct{ best, second neon.V }

// leastOf sets every place of least to the least number of all places of v. It overwrites other.
func (f *neonFunction) leastOf(v, least, other neon.V) {
	f.VEXT(neon.Bytes/2, v, v, other)
	f.DoTo(op.MinLong, v, other, least)
	f.VEXT(keyBytes, least, least, other)
	f.DoTo(op.MinLong, least, other, least)
}
