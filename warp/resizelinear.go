package warp

import "github.com/fastcorners/fast/internal/raster"

// A linearMethod interpolates between pixels of 8 bits.
type linearMethod struct {
	tables linearRun
	rows   []blend[int32]
	x, y   axis
	size   int
	kernel *linearKernel
}

func (m *linearMethod) set(x, y *axis, size int, area bool) {
	m.x, m.y, m.size = *x, *y, size
	m.tables.columns = appendBlends(m.tables.columns[:0], x, area, size, tap.weights)
	m.rows = appendBlends(m.rows[:0], y, area, 0, tap.weights)
}

func (m *linearMethod) use(k *resizeKernels) bool {
	for i := range k.linear {
		m.kernel = &k.linear[i]
		if m.tables.pack(&m.kernel.layout, m.x.n*m.size) {
			return true
		}
	}
	return false
}

func (m *linearMethod) fill(l *resizeLane, dst, src *plane, begin, end int) {
	size := m.size
	l.linear = m.tables
	l.lines.begin(m.kernel.total(len(m.tables.columns)))
	r := &l.linear
	for y := begin; y < end; y++ {
		b := &m.rows[y]
		first, second := int(b.first), int(b.second)
		r.above, r.below, r.to = b.a, b.b, dst.row(y, size)
		if m.y.scale >= 1 { // few lines are needed twice
			r.upper, r.lower = src.row(first, size), src.row(second, size)
			m.kernel.both(r)
			continue
		}
		m.line(l, src, first)
		upper := r.upperLine
		m.line(l, src, second)
		r.upperLine, r.lowerLine = upper, r.upperLine
		m.kernel.down(r)
	}
}

// line sets upperLine to the line of a row, which it makes unless l has it.
func (m *linearMethod) line(l *resizeLane, src *plane, y int) {
	r := &l.linear
	line, there := l.lines.line(y)
	r.upperLine = line
	if !there {
		r.upper = src.row(y, m.size)
		m.kernel.across(r)
	}
}

// keptLines are lines made of two rows of the source, one with an even number and one with an odd one.
type keptLines[E int16 | float32] struct {
	lines   [2][]E
	numbers [2]int // of the rows
}

// begin empties k, for lines of n numbers.
func (k *keptLines[E]) begin(n int) {
	for i := range k.lines {
		k.lines[i] = raster.Resize(k.lines[i], n)
		k.numbers[i] = -1
	}
}

// line returns the memory for the line of a row, and whether it is there already.
func (k *keptLines[E]) line(row int) (line []E, there bool) {
	i := row & 1
	there = k.numbers[i] == row
	k.numbers[i] = row
	return k.lines[i], there
}
