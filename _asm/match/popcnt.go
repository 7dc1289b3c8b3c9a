package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A popcnt compares one query descriptor at a time with blocks of two, one after the
// other, without vectors.
type popcnt struct{}

func (popcnt) name() string { return "POPCNT" }

func (popcnt) loop(f *function, m mode) {
	f.eachQuery(m.prefix, 1, func(query Register) {
		var q [4]GPVirtual
		for k := range f.words(8) {
			q[k] = GP64()
			MOVQ(Mem{Base: query, Disp: 8 * k}, q[k])
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
			d := distance(f.metric, q, Mem{Base: b.packed, Disp: i * descriptorBytes}).As32()
			SHLL(U8(indexBits), d)
			if m.columns {
				// The key is rarely the lowest one of its column, and never if the
				// distance is the same.
				k, higher := GP32(), fmt.Sprintf("%sHigher%d", m.prefix, i)
				CMPL(d, at(b.columns))
				JCC(LabelRef(higher))
				MOVL(d, k)
				ORL(column, k)
				CMPL(k, at(b.columns))
				JCC(LabelRef(higher))
				MOVL(k, at(b.columns))
				Label(higher)
			}
			ORL(at(b.index), d)
			if m.store {
				MOVL(d, at(b.keys[0]))
				return
			}
			if m.second {
				// k becomes the greater one of best and d.
				k := GP32()
				MOVL(best, k)
				CMPL(d, k)
				CMOVLHI(d, k)
				CMPL(k, second)
				CMOVLCS(k, second)
			}
			CMPL(d, best)
			CMOVLCS(d, best)
		}
		f.eachBlock(m, 1, 2, func(b *blocks) {
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
}

// distance returns the distance of q and the descriptor at that place.
func distance(m metric, q [4]GPVirtual, at Mem) GPVirtual {
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
