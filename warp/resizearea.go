package warp

import "github.com/fastcorners/fast/internal/raster"

// A boxMethod averages boxes of whole pixels.
type boxMethod struct {
	tables areaRun
	x      axis
	kernel func(*areaRun)
}

func (m *boxMethod) set(x, y *axis, size int) {
	m.x = *x
	t := &m.tables
	t.size, t.rows, t.columns = size, y.whole, x.whole
	t.scale = 1 / float32(int64(x.whole)*int64(y.whole))
	t.shares, t.weights = x.appendBoxes(t.shares[:0], t.weights[:0])
}

// maxBoxRows is the most rows whose sums of two pixels have 15 bits.
const maxBoxRows = 64

func (m *boxMethod) use(k *resizeKernels) bool {
	m.kernel = k.boxes.make
	return (m.tables.rows <= maxBoxRows || k.boxes.sections == 0) && m.tables.pack(&k.boxes.layout, m.x.n)
}

func (m *boxMethod) fill(l *resizeLane, dst, src *plane, begin, end int) {
	l.area = m.tables
	r := &l.area
	r.stride = src.stride
	for y := begin; y < end; y++ {
		r.from, r.to = src.pix[y*r.rows*r.stride:], dst.row(y, r.size)
		m.kernel(r)
	}
}

// An areaMethod averages rectangles of pixels whose edges count in part.
type areaMethod struct {
	tables  areaRun
	rows    []share
	weights []float32 // of the rows
	x       axis
	kernel  *areaKernel
}

func (m *areaMethod) set(x, y *axis, size int) {
	m.x = *x
	t := &m.tables
	t.size, t.scale = size, 1
	t.shares, t.weights = x.appendShares(t.shares[:0], t.weights[:0])
	m.rows, m.weights = y.appendShares(m.rows[:0], m.weights[:0])
}

// setBoxes sets m to average boxes of whole pixels.
func (m *areaMethod) setBoxes(x, y *axis, size int) {
	m.x = *x
	t := &m.tables
	t.size, t.scale = size, 1/float32(int64(x.whole)*int64(y.whole))
	t.shares, t.weights = x.appendBoxes(t.shares[:0], t.weights[:0])
	m.rows, m.weights = y.appendBoxes(m.rows[:0], m.weights[:0])
}

func (m *areaMethod) use(k *resizeKernels) bool {
	m.kernel = &k.areas
	if m.tables.pack(&k.areas.layout, m.x.n) {
		return true
	}
	m.kernel = &k.farther
	return m.tables.packFarther(&k.farther.layout, m.x.n)
}

func (m *areaMethod) fill(l *resizeLane, dst, src *plane, begin, end int) {
	l.sums = raster.Resize(l.sums, m.kernel.total(m.x.m*m.tables.size))
	clear(l.sums)
	l.area = m.tables
	l.along = raster.Resize(l.along, len(l.sums))
	r := &l.area
	r.sums, r.along = l.sums, l.along
	added := -1 // the row whose sums are in those of the next row of dst already
	for y := begin; y < end; y++ {
		s := &m.rows[y]
		weights := m.weights[s.first:][:s.n]
		for k, w := range weights {
			row := int(s.at) + k
			if k == 0 && row == added {
				continue
			}
			r.from, r.weight, r.next, r.to = src.row(row, r.size), w, 0, nil
			if k == len(weights)-1 {
				r.to = dst.row(y, r.size)
				// The last row may be the first one of the next row of dst, too, but not its last one.
				if y+1 < end && int(m.rows[y+1].at) == row {
					r.next, added = m.weights[m.rows[y+1].first], row
				}
			}
			m.kernel.make(r)
		}
	}
}
