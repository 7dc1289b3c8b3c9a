package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A popcnt compares descriptors one by one, without vectors.
type popcnt struct{}

func (popcnt) name() string { return "POPCNT" }

func (popcnt) loop(f *function, m mode) {
	f.eachQuery(m.prefix, 1, func(query Register) {
		var q [4]GPVirtual
		for k := range q {
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
		f.eachBlock(m, 1, 1, func(b *blocks) {
			d := distance(f.metric, q, b.packed).As32()
			SHLL(U8(indexBits), d)
			if m.columns {
				k := GP32()
				MOVL(d, k)
				ORL(column, k)
				lowest := GP32()
				MOVL(b.at(b.columns), lowest)
				CMPL(k, lowest)
				CMOVLCS(k, lowest)
				MOVL(lowest, b.at(b.columns))
			}
			ORL(b.at(b.index), d)
			if m.store {
				MOVL(d, b.at(b.keys[0]))
				return
			}
			if m.second {
				// The greater one of best and d.
				k := GP32()
				MOVL(best, k)
				CMPL(d, k)
				CMOVLHI(d, k)
				CMPL(k, second)
				CMOVLCS(k, second)
			}
			CMPL(d, best)
			CMOVLCS(d, best)
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

// distance returns the distance of q and the descriptor at packed.
func distance(m metric, q [4]GPVirtual, packed Register) GPVirtual {
	differ := func(k int) GPVirtual {
		v := GP64()
		MOVQ(Mem{Base: packed, Disp: 8 * k}, v)
		XORQ(q[k], v)
		return v
	}
	var sum GPVirtual
	for k := 0; k < len(q); k++ {
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
