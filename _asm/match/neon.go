package main

import "github.com/fastcorners/fast/_asm/internal/neon"

// A neonFunction is a function for NEON. It compares two query descriptors at a time
// with blocks of four. A block has the first words, of four bytes, of all its descriptors,
// then the second ones, and so on.
type neonFunction struct {
	neon.Function
	metric
}

const (
	neonQueries = 2
	neonBlock   = neon.Bytes / keyBytes
)

// generateNEON emits the functions for NEON.
func generateNEON(a *neon.Assembler) {
	for _, m := range []metric{{}, {suffix: "2", cells: true}, {suffix: "Flat", flat: true}, {suffix: "32", short: true}} {
		f := &neonFunction{neon.Function{Assembler: a}, m}
		f.find()
		if !m.short {
			f.Begin("keys" + f.suffix)
			f.loop(mode{prefix: "keys", store: true})
		}
	}
}

// find emits the function that finds the nearest train descriptors.
func (f *neonFunction) find() {
	f.Begin("find" + f.suffix)
	columns, second := f.Field("columns"), f.Field("second")
	f.I("CBNZ %v, columns", columns)
	f.I("CBNZ %v, second", second)
	f.loop(mode{prefix: "best"})
	f.Label("second")
	f.loop(mode{prefix: "second", second: true})
	f.Label("columns")
	f.I("CBNZ %v, both", second)
	f.loop(mode{prefix: "columns", columns: true})
	f.Label("both")
	f.loop(mode{prefix: "both", second: true, columns: true})
}

// loop emits the loops over the query descriptors and the blocks, and the return.
func (f *neonFunction) loop(m mode) {
	f.Scope(func() {
		queries, left := f.Field(f.queryField()), f.Len(f.queryField())
		var best, second, keys neon.R
		if m.store {
			keys = f.Field("keys")
		} else {
			best = f.Field("best")
		}
		if m.second {
			second = f.Field("second")
		}
		var columns [neonQueries]neon.V // keys without their distances
		var step neon.V
		if m.columns {
			number := f.R()
			f.I("MOVWU %s, %v", f.Place("firstQuery"), number)
			for i := range columns {
				columns[i] = f.V()
				f.I("VDUP %v, %v.S4", number, columns[i])
				f.I("ADD $1, %v", number)
			}
			step = f.V()
			f.I("MOVD $%d, %v", neonQueries, number)
			f.I("VDUP %v, %v.S4", number, step)
		}
		f.Label(m.prefix + "Query")
		f.Scope(func() {
			least := f.queries(m, queries, columns, keys)
			for i, l := range least {
				if m.columns {
					f.DoTo(neon.AddLong, columns[i], step, columns[i])
				}
				if m.store {
					continue
				}
				l.join()
				f.I("FMOVS.P F%d, 4(%v)", l.best, best)
				if m.second {
					f.I("FMOVS.P F%d, 4(%v)", l.second, second)
				}
			}
		})
		f.I("SUBS $%d, %v, %v", neonQueries, left, left)
		f.I("BNE %sQuery", m.prefix)
		f.I("RET")
	})
}

// queries emits the comparison of the next query descriptors with all blocks. It
// returns the least keys of each.
func (f *neonFunction) queries(m mode, queries neon.R, columns [neonQueries]neon.V, keys neon.R) [neonQueries]neonMinima {
	var query [neonQueries][]neon.V
	for i := range query {
		if f.flat {
			break // they are loaded for each block
		}
		for range f.words(keyBytes) {
			v := f.V()
			f.I("VLD1R.P %d(%v), [%v.S4]", keyBytes, queries, v)
			query[i] = append(query[i], v)
		}
		if rest := descriptorBytes - f.words(keyBytes)*keyBytes; rest > 0 {
			f.I("ADD $%d, %v", rest, queries)
		}
	}
	var least [neonQueries]neonMinima
	if !m.store {
		for i := range least {
			least[i] = neonMinima{f.Assembler, f.noKeys(), -1}
			if m.second {
				least[i].second = f.noKeys()
			}
		}
	}
	packed, index, left := f.Field("packed"), f.Field("index"), f.Len("index")
	var column, secondKeys neon.R
	if m.columns {
		column = f.Field("columns")
	}
	if m.store {
		secondKeys = f.R()
		f.I("ADD %v<<2, %v, %v", left, keys, secondKeys)
	}

	f.I("PCALIGN $32")
	f.Label(m.prefix + "Block")
	f.Scope(func() {
		var found [neonQueries]neon.V
		if f.flat {
			found = f.flatDistances(m, queries, packed)
		} else {
			found = f.distances(query, packed)
		}
		v := f.V()
		if m.columns {
			lowest := f.Do(neon.Or, found[0], columns[0])
			f.DoTo(neon.Or, found[1], columns[1], v)
			f.DoTo(neon.MinLong, lowest, v, lowest)
			f.I("FMOVQ (%v), F%d", column, v)
			f.DoTo(neon.MinLong, lowest, v, lowest)
			f.I("FMOVQ.P F%d, %d(%v)", lowest, neon.Bytes, column)
		}
		f.I("FMOVQ.P %d(%v), F%d", neon.Bytes, index, v)
		for i, key := range found {
			f.DoTo(neon.Or, key, v, key)
			if m.store {
				f.I("FMOVQ.P F%d, %d(%v)", key, neon.Bytes, [neonQueries]neon.R{keys, secondKeys}[i])
			} else {
				least[i].lower(key, -1)
			}
		}
	})
	f.I("SUBS $%d, %v, %v", neonBlock, left, left)
	f.I("BNE %sBlock", m.prefix)
	if m.store {
		f.I("MOVD %v, %v", secondKeys, keys) // the end of the rows
	}
	if f.flat {
		f.I("ADD $%d, %v", neonQueries*flatBytes, queries)
	}
	return least
}

// noKeys returns a register with keys that are greater than all others.
func (f *neonFunction) noKeys() neon.V {
	v := f.V()
	f.I("VMOVI $255, %v.B16", v)
	return v
}

// distances returns the distances between each query descriptor and those of the next
// block, in the upper bits of words.
func (f *neonFunction) distances(query [neonQueries][]neon.V, packed neon.R) [neonQueries]neon.V {
	var sums [neonQueries]neon.V
	started := false
	// add counts bits that differ, and adds them up.
	add := func(differ func(i int) neon.V) {
		for i := range sums {
			v := differ(i)
			f.ChangeTo(neon.Count, v, v)
			if started {
				f.DoTo(neon.Add, sums[i], v, sums[i])
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
		f.I("ADD $%d, %v", neonBlock*descriptorBytes, packed)
		add(func(i int) neon.V { return f.Do(neon.Xor, query[i][0], train) })
		words = 0
	}
	for k := 0; k < words; k += 4 {
		var train [4]neon.V
		for i := range train {
			train[i] = f.V()
		}
		for i := 0; i < 4; i += 2 {
			f.I("FLDPQ.P %d(%v), (F%d, F%d)", 2*neon.Bytes, packed, train[i], train[i+1])
		}
		for j := range train {
			switch {
			case !f.cells:
				add(func(i int) neon.V { return f.Do(neon.Xor, query[i][k+j], train[j]) })
			case j < 2:
				// A cell differs where its upper bits do, or its lower ones.
				add(func(i int) neon.V {
					v, lower := f.Do(neon.Xor, query[i][k+j], train[j]), f.Do(neon.Xor, query[i][k+j+2], train[j+2])
					f.DoTo(neon.Or, v, lower, v)
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
		f.I("VSHL $%d, %v.S4, %v.S4", indexBits, sum, sum)
	}
	return sums
}

// flatDistances returns the distances between each of two flat query descriptors and those
// of the next block, in the upper bits of words.
func (f *neonFunction) flatDistances(m mode, queries, packed neon.R) [neonQueries]neon.V {
	var found [neonQueries]neon.V
	var upper [neonQueries]neon.V // the upper halves of words: a byte has room for half of 1024 bits
	for i := range found {
		found[i], upper[i] = f.V(), f.V()
		f.I("VEOR %v.B16, %v.B16, %v.B16", found[i], found[i], found[i])
		f.I("VEOR %v.B16, %v.B16, %v.B16", upper[i], upper[i], upper[i])
	}
	f.Scope(func() {
		left := f.Field("words")
		var next [neonQueries]neon.R
		for i := range next {
			next[i] = f.R()
			f.I("ADD $%d, %v, %v", flatBytes*i, queries, next[i])
		}
		f.Label(m.prefix + "Word")
		train := [2]neon.V{f.V(), f.V()}
		f.I("FLDPQ.P %d(%v), (F%d, F%d)", 2*neon.Bytes, packed, train[0], train[1])
		for half, sums := range [][neonQueries]neon.V{found, upper} {
			for i, sum := range sums {
				v := f.V()
				f.I("VLD1R.P %d(%v), [%v.S4]", keyBytes, next[i], v)
				f.DoTo(neon.Xor, v, train[half], v)
				f.ChangeTo(neon.Count, v, v)
				f.DoTo(neon.Add, sum, v, sum)
				f.FreeV(v)
			}
		}
		f.I("SUBS $1, %v", left)
		f.I("BNE %sWord", m.prefix)
		for i, sum := range found {
			f.ChangeTo(neon.PairsOfBytes, sum, sum)
			f.ChangeTo(neon.PairsOfBytes, upper[i], upper[i])
			f.DoTo(neon.AddWord, sum, upper[i], sum)
			f.ChangeTo(neon.PairsOfWords, sum, sum)
			f.I("VSHL $%d, %v.S4, %v.S4", indexBits, sum, sum)
		}
	})
	f.FreeV(upper[:]...)
	return found
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
		greater := l.Do(neon.MaxLong, l.best, keys)
		l.DoTo(neon.MinLong, l.second, greater, l.second)
		if seconds >= 0 {
			l.DoTo(neon.MinLong, l.second, seconds, l.second)
		}
		l.FreeV(greater)
	}
	l.DoTo(neon.MinLong, l.best, keys, l.best)
}

// join gives the first place the least keys of all places.
func (l neonMinima) join() {
	l.Scope(func() {
		v, w := l.V(), neon.V(-1)
		if l.second >= 0 {
			w = l.V()
		}
		for _, bytes := range []int{neon.Bytes / 2, keyBytes} {
			l.I("VEXT $%d, %v.B16, %v.B16, %v.B16", bytes, l.best, l.best, v)
			if l.second >= 0 {
				l.I("VEXT $%d, %v.B16, %v.B16, %v.B16", bytes, l.second, l.second, w)
			}
			l.lower(v, w)
		}
	})
}
