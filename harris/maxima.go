package harris

import (
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/tensor"
)

// A maximaRun is two rows of responses to test for maxima of 3 by 3, with the row after
// them. There is room for 32 columns more after them, and before them for one.
type maximaRun struct {
	rows   [3]*float32
	maxima [4]*float32 // of three neighbours in a row: of the row above and of the first one, to read; of the others, to write
	masks  []uint64    // of 32 columns each: of the first row, and of the second in the upper half
	least  []float32   // 16 times the least response that counts, more than 0; then the highest ones of the first two rows
}

// ringPadding is the room before and after a row of responses.
const ringPadding = 64

// A maximaRing does what the stage peaks does, in assembly. It keeps the maxima of
// three neighbours of the rows of a peakRun.
type maximaRing struct {
	run   maximaRun
	rows  [4][]float32
	masks [(maxStrip + 31) / 32]uint64
	least [16]float32
}

// reset forgets all rows.
func (m *maximaRing) reset() {
	for i := range m.rows {
		if m.rows[i] == nil {
			m.rows[i] = make([]float32, maxStrip+ringPadding)
		}
		clear(m.rows[i])
	}
}

// peaks does a peakRun, whose rows have padding.
func (m *maximaRing) peaks(k *kernels, r *peakRun) {
	m.rows[0], m.rows[1], m.rows[2], m.rows[3] = m.rows[2], m.rows[3], m.rows[0], m.rows[1]
	n := len(r.rows[0])
	for i := range m.least {
		m.least[i] = r.threshold
	}
	q := &m.run
	for i := range q.rows {
		q.rows[i] = &r.rows[1+i][0]
	}
	for i := range q.maxima {
		q.maxima[i] = &m.rows[i][0]
	}
	q.masks, q.least = m.masks[:(n+31)/32], m.least[:]
	k.maxima(q)
	largest := tensor.Order(r.largest)
	for _, v := range m.least {
		largest = max(largest, tensor.Order(v))
	}
	r.largest = math.Float32frombits(uint32(largest))
	q.masks[0] &^= 1 | 1<<32
	q.masks[(n-1)/32] &^= (1 | 1<<32) << ((n - 1) % 32)
	for i, mask := range q.masks {
		for ; mask != 0; mask &= mask - 1 {
			bit := bits.TrailingZeros64(mask)
			row, x := bit/32, 32*i+bit%32
			r.keys[r.n] = newKey(tensor.Order(r.rows[1+row][x]), r.index+uint32(row)*r.stride+uint32(x))
			r.n++
		}
	}
}
