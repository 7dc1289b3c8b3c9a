package harris

import "math/bits"

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

// A maximaRing is what is kept from one maximaRun to the next.
type maximaRing struct {
	run   maximaRun
	rows  [4][]float32 // maxima of three neighbours, of the rows of a peakRun
	masks [(maxStrip + 31) / 32]uint64
	least [16]float32
}

// reset forgets all rows.
func (m *maximaRing) reset() {
	for i := range m.rows {
		if m.rows[i] == nil {
			m.rows[i] = make([]float32, ringPadding+maxStrip+ringPadding)
		}
		clear(m.rows[i])
	}
}
