package warp

import (
	"image"
	"math"
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

// halfBytes is about how many bytes of the destination a kernel makes in a call, which must not take
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
