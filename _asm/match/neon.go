package main

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// A neonFunction is a function for NEON. It compares some query descriptors at a time with
// blocks of one or two vectors of train descriptors, which have the first words, of four bytes,
// of all these descriptors, then the second ones, and so on.
type neonFunction struct {
	neon.Function
	metric
	set              string // the instruction set
	queries, vectors int    // at a time
}

// lanes is the number of train descriptors of a vector.
const lanes = neon.Bytes / keyBytes

// generateNEON emits the functions for NEON, and those for processors that have dot products,
// too.
func generateNEON(a *neon.Assembler) {
	function := neon.Function{Assembler: a}
	for _, f := range []*neonFunction{
		{function, metric{}, "NEON", 2, 1},
		{function, metric{suffix: "2", cells: true}, "NEON", 2, 1},
		{function, metric{suffix: "Flat", flat: true}, "NEON", 2, 1},
		{function, metric{suffix: "32", short: true}, "NEON", 2, 1},
		{function, metric{suffix: "L2", l2: true}, "NEON", 4, 1},
		{function, metric{suffix: "L2", l2: true}, "DotProd", 4, 2},
	} {
		f.find()
		if !f.short {
			f.BeginFor("keys"+f.suffix, f.set)
			f.loop(mode{prefix: "keys", store: true})
		}
	}
	(&neonFunction{Function: function}).listDistances()
}

// find emits the function that finds the nearest train descriptors.
func (f *neonFunction) find() {
	f.BeginFor("find"+f.suffix, f.set)
	columns, second := f.Field("columns"), f.Field("second")
	f.CBNZ(columns, "columns")
	f.CBNZ(second, "second")
	f.loop(mode{prefix: "best"})
	f.Label("second")
	f.loop(mode{prefix: "second", second: true})
	f.Label("columns")
	f.CBNZ(second, "both")
	f.loop(mode{prefix: "columns", columns: true})
	f.Label("both")
	f.loop(mode{prefix: "both", second: true, columns: true})
}

// loop emits the loops over the query descriptors and the blocks, and the return.
func (f *neonFunction) loop(m mode) {
	f.Scope(func() {
		queries, left := f.Field(f.queryField()), f.Len(f.queryField())
		var best, second, keys, norms neon.R
		if m.store {
			keys = f.Field("keys")
		} else {
			best = f.Field("best")
		}
		if m.second {
			second = f.Field("second")
		}
		if f.l2 {
			norms = f.Field("queryNorms")
		}
		columns := make([]neon.V, f.queries) // keys without their distances
		var step neon.V
		if m.columns {
			number := f.R()
			f.MOVWU(f.Place("firstQuery"), number)
			for i := range columns {
				columns[i] = f.V()
				f.VDUP(neon.S4, number, columns[i])
				f.ADD(neon.Imm(1), number)
			}
			step = f.V()
			f.MOVD(neon.Imm(f.queries), number)
			f.VDUP(neon.S4, number, step)
		}
		f.Comment("The next query descriptors.")
		f.Label(m.prefix + "Query")
		f.Scope(func() {
			least := f.next(m, queries, norms, columns, keys)
			for i, l := range least {
				if m.columns {
					f.DoTo(op.AddLong, columns[i], step, columns[i])
				}
				if m.store {
					continue
				}
				f.Comment("The least keys.")
				l.join()
				f.FMOVS(l.best, best.Post(4))
				if m.second {
					f.FMOVS(l.second, second.Post(4))
				}
			}
		})
		f.Repeat(m.prefix+"Query", left, f.queries)
		f.RET()
	})
}

// next emits the comparison of the next query descriptors with all blocks. It returns the
// least keys of each.
func (f *neonFunction) next(m mode, queries, norms neon.R, columns []neon.V, keys neon.R) []neonMinima {
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
	least := make([]neonMinima, f.queries) // at first greater than all keys
	if !m.store {
		for i := range least {
			least[i] = neonMinima{f.Assembler, f.Fill(0xff), -1}
			if m.second {
				least[i].second = f.Fill(0xff)
			}
		}
	}
	packed, index, left := f.Field("packed"), f.Field("index"), f.Len("index")
	var column, trainNorms neon.R
	if m.columns {
		column = f.Field("columns")
	}
	if f.l2 {
		trainNorms = f.Field("trainNorms")
	}
	rows := []neon.R{keys}
	for i := 1; i < f.queries && m.store; i++ {
		rows = append(rows, f.R())
		f.ADD(left.LSL(2), rows[i-1], rows[i])
	}

	f.Comment("The next block of train descriptors.")
	f.Loop(m.prefix + "Block")
	f.Scope(func() {
		var found [][]neon.V // for each vector of the block and each query descriptor
		switch {
		case f.flat:
			found = [][]neon.V{f.flatDistances(m, queries, packed)}
		case f.l2:
			found = f.vectorDistances(m, queries, packed, norms, trainNorms)
		default:
			found = [][]neon.V{f.distances(query, packed)}
		}
		v := f.V()
		for _, found := range found {
			if m.columns {
				lowest := f.Do(op.Or, found[0], columns[0])
				for i := 1; i < f.queries; i++ {
					f.DoTo(op.Or, found[i], columns[i], v)
					f.DoTo(op.MinLong, lowest, v, lowest)
				}
				f.FMOVQ(column.At(0), v)
				f.DoTo(op.MinLong, lowest, v, lowest)
				f.FMOVQ(lowest, column.Post(neon.Bytes))
				f.FreeV(lowest)
			}
			f.FMOVQ(index.Post(neon.Bytes), v)
			for i, key := range found {
				f.DoTo(op.Or, key, v, key)
				if m.store {
					f.FMOVQ(key, rows[i].Post(neon.Bytes))
				} else {
					least[i].lower(key, -1)
				}
			}
		}
	})
	f.Repeat(m.prefix+"Block", left, lanes*f.vectors)
	if m.store {
		f.MOVD(rows[len(rows)-1], keys) // the end of the rows
	}
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
func (f *neonFunction) flatDistances(m mode, queries, packed neon.R) []neon.V {
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
		f.Label(m.prefix + "Word")
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
		f.Repeat(m.prefix+"Word", left, 1)
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

// A neonMinima is the least key in each place of the vectors and, unless second is
// negative, the second least.
type neonMinima struct {
	*neon.Assembler
	best, second neon.V
}

// lower takes keys into account, and the second least ones unless seconds is negative.
func (l neonMinima) lower(keys, seconds neon.V) {
	if l.second >= 0 {
		greater := l.Do(op.MaxLong, l.best, keys)
		l.DoTo(op.MinLong, l.second, greater, l.second)
		if seconds >= 0 {
			l.DoTo(op.MinLong, l.second, seconds, l.second)
		}
		l.FreeV(greater)
	}
	l.DoTo(op.MinLong, l.best, keys, l.best)
}

// join gives the first place the least keys of all places.
func (l neonMinima) join() {
	l.Scope(func() {
		v, w := l.V(), neon.V(-1)
		if l.second >= 0 {
			w = l.V()
		}
		for _, bytes := range []int{neon.Bytes / 2, keyBytes} {
			l.VEXT(bytes, l.best, l.best, v)
			if l.second >= 0 {
				l.VEXT(bytes, l.second, l.second, w)
			}
			l.lower(v, w)
		}
	})
}
