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

func (popcnt) loop(f *function, m mode) {
	var rare []func() // emit what is behind the loop
	f.eachQuery(m.prefix, 1, func(query Register) {
		var distance func(b *blocks, i int) GPVirtual // of each of the next block in turn
		if f.flat {
			distance = flatDistances(f.wordsOf(query, m.prefix, 2))
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
		if !m.store {
			MOVL(I32(-1), best)
		}
		if m.second {
			MOVL(I32(-1), second)
		}
		if m.columns {
			Load(f.field("firstQuery"), column)
			ADDL(f.number.As32(), column)
		}
		one := func(b *blocks, i int) {
			at := func(end Register) Mem { return b.at(end).Offset(keyBytes * i) }
			d := distance(b, i).As32()
			SHLL(U8(indexBits), d)
			ORL(at(b.index), d)
			if m.columns {
				// The key is rarely the lowest one of its column, and never if the
				// distance is the same. So it is lowered behind the loop, which a jump
				// leaves more often than needed: d has the index of the train
				// descriptor, not that of the query descriptor.
				lower := fmt.Sprintf("%sLower%d", m.prefix, i)
				CMPL(at(b.columns), d)
				JHI(LabelRef(lower))
				Label(lower + "Done")
				rare = append(rare, func() {
					k := GP32()
					Label(lower)
					MOVL(d, k)
					ANDL(I32(-1<<indexBits), k)
					ORL(column, k)
					CMPL(at(b.columns), k)
					JLS(LabelRef(lower + "Done"))
					MOVL(k, at(b.columns))
					JMP(LabelRef(lower + "Done"))
				})
			}
			if m.store {
				MOVL(d, at(b.keys))
				return
			}
			if m.second {
				CMPL(d, second)
				CMOVLCS(d, second)
			}
			CMPL(d, best)
			if m.second {
				// What was the least one is the second least one now.
				CMOVLCS(best, second)
			}
			CMOVLCS(d, best)
		}
		f.eachBlock(m, 2, func(b *blocks) {
			one(b, 0)
			one(b, 1)
		})
		if !m.store {
			MOVL(best, f.result("best", 0))
		}
		if m.second {
			MOVL(second, f.result("second", 0))
		}
	})
	RET()
	for _, emit := range rare {
		emit()
	}
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
