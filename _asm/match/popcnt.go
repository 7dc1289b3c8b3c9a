package main

import (
	"fmt"

	. "github.com/fastcorners/fast/_asm/internal/vec"
	. "github.com/mmcloughlin/avo/build"
)

// A popcnt compares one query descriptor at a time with blocks of two, one after the
// other, without vectors.
type popcnt struct{}

func (popcnt) name() string { return "POPCNT" }

func (popcnt) loop(f *function) {
	if f.store {
		f.eachPair(mode{})
		RET()
		return
	}
	// There is a loop for each mode, since a branch for each block of two takes too long.
	test := func(field, label string) {
		f.load()
		p := f.base(field)
		TESTQ(p, p)
		JNE(LabelRef(label))
	}
	find := func(m mode, prefix string) {
		f.prefix, f.columns = prefix, never
		if m.columns {
			f.columns = always
		}
		f.eachPair(m)
		RET()
	}
	test("columns", "columns")
	test("second", "second")
	find(mode{}, "best")
	Label("second")
	find(mode{second: true}, "second")
	Label("columns")
	test("second", "both")
	find(mode{columns: true}, "columns")
	Label("both")
	find(mode{second: true, columns: true}, "both")
	f.emitBehind()
}

// A mode is what is found besides the least keys.
type mode struct{ second, columns bool }

// eachPair emits the loops over the query descriptors and the blocks of two train descriptors.
func (f *function) eachPair(m mode) {
	f.eachQuery(1, func(query Register) {
		var distance func(b *blocks, i int) GPVirtual // of each of the next block in turn
		if f.flat {
			distance = flatDistances(f.wordsOf(query, 2))
		} else {
			var q [4]GPVirtual
			for k := range f.words(8) {
				q[k] = GP64()
				MOVQ(Mem{Base: query, Disp: 8 * k}, q[k])
			}
			distance = func(b *blocks, i int) GPVirtual {
				return distanceOf(f.metric, q, Mem{Base: b.packed, Disp: i * descriptorBytes})
			}
		}
		best, second, column := GP32(), GP32(), GP32()
		if !f.store {
			MOVL(I32(-1), best)
		}
		if m.second {
			MOVL(I32(-1), second)
		}
		if m.columns {
			Load(f.field("firstQuery"), column)
			ADDL(f.number.As32(), column)
		}
		f.eachBlock(2, func(b *blocks) {
			for i := range 2 {
				at := func(end Register) Mem { return b.at(end).Offset(keyBytes * i) }
				key := distance(b, i).As32()
				SHLL(U8(indexBits), key)
				ORL(at(b.index), key)
				if f.store {
					MOVL(key, at(b.keys))
					continue
				}
				if m.columns {
					f.lowerColumn(key, column, at(b.columns), fmt.Sprint(f.prefix, "Lower", i))
				}
				if m.second {
					CMPL(key, second)
					CMOVLCS(key, second)
				}
				CMPL(key, best)
				if m.second {
					// What was the least one is the second least one now.
					CMOVLCS(best, second)
				}
				CMOVLCS(key, best)
			}
		})
		f.load()
		at := func(list string) Mem { return Mem{Base: f.base(list), Index: f.number, Scale: keyBytes} }
		if !f.store {
			MOVL(best, at("best"))
		}
		if m.second {
			MOVL(second, at("second"))
		}
	})
}

// lowerColumn lowers a column to the key of a query descriptor with the given number. The key is
// rarely the lowest one of its column, and never if the distance is the same. So it is lowered
// behind the loop, which a jump leaves more often than needed: key has the index of the train
// descriptor, not the number of the query descriptor.
func (f *function) lowerColumn(key, number Register, column Mem, label string) {
	CMPL(column, key)
	JHI(LabelRef(label))
	Label(label + "Done")
	f.behind = append(f.behind, func() {
		k := GP32()
		Label(label)
		MOVL(key, k)
		ANDL(I32(-1<<indexBits), k)
		ORL(number, k)
		CMPL(column, k)
		JLS(LabelRef(label + "Done"))
		MOVL(k, column)
		JMP(LabelRef(label + "Done"))
	})
}

// flatDistances returns a function that emits the distances between a flat query descriptor
// and the two of a block, when it is called for the first one.
func flatDistances(eachWord func(Register, func(query Mem))) func(b *blocks, i int) GPVirtual {
	var sums [2]GPVirtual
	return func(b *blocks, i int) GPVirtual {
		if i > 0 {
			return sums[i]
		}
		for i := range sums {
			sums[i] = GP64()
			XORQ(sums[i], sums[i])
		}
		eachWord(b.packed, func(query Mem) {
			q := GP64()
			MOVQ(query, q)
			for i, sum := range sums {
				v := GP64()
				MOVQ(Mem{Base: b.packed, Disp: 8 * i}, v)
				XORQ(q, v)
				POPCNTQ(v, v)
				ADDQ(v, sum)
			}
		})
		return sums[i]
	}
}

// distanceOf returns the distance of q and the descriptor at that place.
func distanceOf(m metric, q [4]GPVirtual, at Mem) GPVirtual {
	differ := func(k int) GPVirtual {
		v := GP64()
		MOVQ(at.Offset(8*k), v)
		XORQ(q[k], v)
		return v
	}
	var sum GPVirtual
	for k := 0; k < m.words(8); k++ {
		v := differ(k)
		if m.cells {
			k++
			ORQ(differ(k), v)
		}
		POPCNTQ(v, v)
		if sum == nil {
			sum = v
		} else {
			ADDQ(v, sum)
		}
	}
	return sum
}
