package warp

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// A plan is how images of one size become images of another: a method with its tables.
type plan struct {
	planned
	method method

	// The methods, whose memory is used again.
	same     sameMethod
	nearest  nearestMethod
	half     halfMethod
	boxes    boxMethod
	areas    areaMethod
	linear   linearMethod
	linear16 linearMethod16
}

// planned is what a plan is for.
type planned struct {
	to, from image.Point
	size     int      // the bytes of a pixel
	best     *kernels // of the processor
}

// A method makes rows of the destination. Its tables are set first.
type method interface {
	// use makes the tables for these kernels. It reports false if they do not serve.
	use(k *resizeKernels) bool
	// fill makes the rows from begin up to end.
	fill(l *resizeLane, dst, src *plane, begin, end int)
}

// prepare prepares p for images of these sizes, unless it is.
func (p *plan) prepare(of planned, how Interpolation) {
	if p.planned == of {
		return
	}
	p.planned = of
	methods := p.methods(how)
	for row := range table.Available() {
		for _, m := range methods {
			if m.use(&row.Kernels.resize[of.size/2]) {
				p.method = m
				return
			}
		}
	}
}

// methods sets the tables of the methods that make the same pixels, the fastest one first, and returns
// them. The kernels of portable Go serve for the first one.
func (p *plan) methods(how Interpolation) []method {
	x, y := newAxis(p.from.X, p.to.X), newAxis(p.from.Y, p.to.Y)
	reduces := x.scale >= 1 && y.scale >= 1
	exact := x.exact && y.exact
	halves := exact && x.whole == 2 && y.whole == 2
	if how == 0 {
		how = Linear
		if reduces {
			how = Area
		}
	}
	if how == Linear && halves {
		how = Area
	}
	switch {
	case p.from == p.to:
		p.same.size = p.size
		return []method{&p.same}
	case how == Nearest:
		p.nearest.set(&x, &y, p.size)
		return []method{&p.nearest}
	case how == Area && reduces && halves:
		p.half.set(&x, p.size)
		return []method{&p.half}
	case how == Area && reduces && exact:
		p.boxes.set(&x, &y, p.size)
		// Sums of up to 24 bits are exact in float32, too.
		if p.size == 2 || int64(x.whole)*int64(y.whole)*math.MaxUint8 >= 1<<24 {
			return []method{&p.boxes}
		}
		p.areas.setBoxes(&x, &y, p.size)
		return []method{&p.boxes, &p.areas}
	case how == Area && reduces:
		p.areas.set(&x, &y, p.size)
		return []method{&p.areas}
	case p.size == 2:
		p.linear16.set(&x, &y, how == Area)
		return []method{&p.linear16}
	}
	p.linear.set(&x, &y, p.size, how == Area)
	return []method{&p.linear}
}

// A sameMethod copies.
type sameMethod struct{ size int }

func (m *sameMethod) use(*resizeKernels) bool { return true }

func (m *sameMethod) fill(_ *resizeLane, dst, src *plane, begin, end int) {
	for y := begin; y < end; y++ {
		copy(dst.row(y, m.size), src.row(y, m.size))
	}
}

// A halfMethod averages 2 by 2 pixels.
type halfMethod struct {
	values, size int
	kernel       func(*halfRun)
}

func (m *halfMethod) set(x *axis, size int) { m.values, m.size = x.m*size, size }

func (m *halfMethod) use(k *resizeKernels) bool {
	m.kernel = k.half.make
	return k.half.block > 0 && m.values >= k.half.block
}

// halfPixels is about how many bytes of the destination a kernel makes in a call, which must not take
// long, since assembly cannot be preempted.
const halfBytes = 1 << 17

func (m *halfMethod) fill(l *resizeLane, dst, src *plane, begin, end int) {
	n := max(halfBytes/m.values, 1)
	for y := begin; y < end; y += n {
		l.half = halfRun{
			dst: dst.pix[y*dst.stride:], src: src.pix[2*y*src.stride:], dstStride: dst.stride, srcStride: src.stride,
			rows: min(n, end-y), n: m.values, size: m.size,
		}
		m.kernel(&l.half)
	}
}

// A nearestMethod takes the nearest pixels.
type nearestMethod struct {
	tables nearestRun
	rows   []int32
	x      axis
	kernel func(*nearestRun)
}

func (m *nearestMethod) set(x, y *axis, size int) {
	m.x, m.tables.size = *x, size
	m.rows, m.tables.columns = m.rows[:0], m.tables.columns[:0]
	for d := range y.m {
		m.rows = append(m.rows, int32(y.nearest(d)))
	}
	for d := range x.m {
		m.tables.columns = append(m.tables.columns, int32(x.nearest(d)*size))
	}
}

func (m *nearestMethod) use(k *resizeKernels) bool {
	for i := range k.nearest {
		kernel := &k.nearest[i]
		m.kernel = kernel.make
		if m.tables.pack(kernel, m.x.n) {
			return true
		}
	}
	return false
}

func (m *nearestMethod) fill(l *resizeLane, dst, src *plane, begin, end int) {
	l.nearest = m.tables
	r, size := &l.nearest, m.tables.size
	for y := begin; y < end; y++ {
		r.to = dst.row(y, size)
		if y > begin && m.rows[y] == m.rows[y-1] {
			copy(r.to, dst.row(y-1, size))
			continue
		}
		r.from = src.row(int(m.rows[y]), size)
		m.kernel(r)
	}
}

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
	return (m.tables.rows <= maxBoxRows || k.boxes.lanes == 0) && m.tables.pack(&k.boxes.layout, m.x.n)
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
				added = -1
				if y+1 < end {
					// The last row may be the first one of the next row of dst, too.
					if next := &m.rows[y+1]; int(next.at) == row && next.n > 1 {
						r.next, added = m.weights[next.first], row
					}
				}
			}
			m.kernel.make(r)
		}
	}
}

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
