package warp

import (
	"encoding/binary"
	"math"
)

// Pixels of 16 bits are made in portable Go. In memory their upper bytes come first.

// load16 returns pixel i.
func load16(row []byte, i int) uint32 { return uint32(binary.BigEndian.Uint16(row[2*i:])) }

// store16 sets pixel i to v, which is not negative and less than 1<<22, rounded half to even and
// saturated.
func store16(row []byte, i int, v float32) {
	binary.BigEndian.PutUint16(row[2*i:], uint16(min(roundFloat(v), math.MaxUint16)))
}

// half16 is half for pixels of 16 bits.
func half16(r *halfRun) {
	for y := range r.rows {
		to := r.dst[y*r.dstStride:][:r.n]
		upper, lower := r.src[2*y*r.srcStride:][:2*r.n], r.src[(2*y+1)*r.srcStride:][:2*r.n]
		for i := range r.n / 2 {
			sum := load16(upper, 2*i) + load16(upper, 2*i+1) + load16(lower, 2*i) + load16(lower, 2*i+1)
			binary.BigEndian.PutUint16(to[2*i:], uint16((sum+2)>>2))
		}
	}
}

// boxes16 is boxes for pixels of 16 bits. Their sum may have more than the 24 bits of a float32, so the
// order matters: four pixels, row by row, are added to it at a time, and those that are left one by one.
func boxes16(r *areaRun) {
	whole := r.rows * r.columns &^ 3
	for i := range len(r.to) / 2 {
		var sum float32
		var four uint32
		n := 0
		for y := range r.rows {
			row := r.from[y*r.stride+2*i*r.columns:]
			for k := range r.columns {
				v := load16(row, k)
				if n >= whole {
					sum += float32(v)
					continue
				}
				four += v
				if n++; n%4 == 0 {
					sum += float32(four)
					four = 0
				}
			}
		}
		store16(r.to, i, sum*r.scale)
	}
}

// area16 is area for pixels of 16 bits.
func area16(r *areaRun) {
	for i, s := range r.shares {
		row := r.from[2*s.at:]
		var along float32
		for k, w := range r.weights[s.first:][:s.n] {
			along += float32(float32(load16(row, k)) * w)
		}
		if sum, last := r.add(i, along); last {
			store16(r.to, i, sum)
		}
	}
}

// A linearMethod16 interpolates between pixels of 16 bits, in float32: each product and each sum is
// rounded.
type linearMethod16 struct {
	columns, rows []blend[float32]
}

// set makes the tables.
func (m *linearMethod16) set(x, y *axis, area bool) {
	m.columns = appendBlends(m.columns[:0], x, area, 1, tap.shares)
	m.rows = appendBlends(m.rows[:0], y, area, 0, tap.shares)
}

func (m *linearMethod16) use(*resizeKernels) bool { return true }

func (m *linearMethod16) fill(l *resizeLane, dst, src *plane, begin, end int) {
	l.floats.begin(len(m.columns))
	for y := begin; y < end; y++ {
		b := &m.rows[y]
		upper, lower := m.line(l, src, int(b.first)), m.line(l, src, int(b.second))
		to := dst.row(y, 2)
		for i := range m.columns {
			store16(to, i, float32(upper[i]*b.a)+float32(lower[i]*b.b))
		}
	}
}

// line returns the line of a row, which it makes unless l has it.
func (m *linearMethod16) line(l *resizeLane, src *plane, y int) []float32 {
	line, there := l.floats.line(y)
	if there {
		return line
	}
	row := src.row(y, 2)
	for i := range m.columns {
		b := &m.columns[i]
		line[i] = float32(float32(load16(row, int(b.first)))*b.a) + float32(float32(load16(row, int(b.second)))*b.b)
	}
	return line
}
