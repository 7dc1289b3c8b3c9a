package sift

import (
	"github.com/fastcorners/fast/internal/raster"
)

// A filter is a Gaussian filter.
type filter struct {
	radius  int
	weights []float32 // of all taps, from left to right
	half    []float32 // from the center to the right
}

func newFilter(sigma float64) filter {
	weights := gaussian(sigma)
	radius := len(weights) / 2
	return filter{radius, weights, weights[radius:]}
}

// A rowRun is the argument of the kernel rows, which filters a row.
type rowRun struct {
	src     []float32 // the pixels, and on both sides as many as the filter reaches
	weights []float32
	dst     []float32 // has whole vectors
	pixels  []float32 // takes a copy of the pixels; has whole vectors, or none
	twin    []float32 // memory that kernels may use, as long as src and a vector
}

// filterRow adds up the products of the pixels and the weights from left to right, with one
// rounding for each.
func filterRow(r *rowRun) {
	for x := range r.dst {
		src := r.src[x:][:len(r.weights)]
		sum := src[0] * r.weights[0]
		for j, weight := range r.weights[1:] {
			sum = fma32(src[j+1], weight, sum)
		}
		r.dst[x] = sum
	}
	copy(r.pixels, r.src[len(r.weights)/2:])
}

// A columnRun is the argument of the kernel columns, which filters the columns of a batch of
// rows.
type columnRun struct {
	ring    []float32
	places  []int     // where the rows begin in the ring: those of the batch, and on both sides as many as the filter reaches
	weights []float32 // from the center on
	dst     [batch][]float32
}

// filterColumns adds up the products of the pixels and the weights, from the center outward,
// those of two pixels at the same distance at a time, with one rounding for each.
func filterColumns(r *columnRun) {
	radius := len(r.weights) - 1
	for i := range r.dst {
		dst := r.dst[i]
		n := len(dst)
		center := r.ring[r.places[radius+i]:][:n]
		for x := range dst {
			dst[x] = center[x] * r.weights[0]
		}
		for j := 1; j <= radius; j++ {
			above, below, weight := r.ring[r.places[radius+i-j]:][:n], r.ring[r.places[radius+i+j]:][:n], r.weights[j]
			for x := range dst {
				dst[x] = fma32(below[x]+above[x], weight, dst[x])
			}
		}
	}
}

// A stage blurs a layer. It holds the rows of the layer that its columns need, filtered.
type stage struct {
	*filter
	ring     []float32
	slots    int
	in, end  int // the next row to take, and that after the last one
	out, top int // the next row to make, and that after the last one
}

// place returns where the filtered row y is in the ring.
func (s *stage) place(y, stride int) int {
	return y % s.slots * stride
}

// ready reports whether s has the rows of which it makes the next batch.
func (s *stage) ready() bool {
	return s.out < s.top && (s.in == s.end || s.in >= s.out+batch+s.radius)
}

// A cascade makes all layers of an octave together, so that what one stage makes is still in
// the caches when the next one takes it.
type cascade struct {
	kernels    *kernels
	planes     []plane
	stages     []stage // stage i makes layer i
	begin, end int     // the rows of the planes to make
	width      int     // of the planes, rounded up to vectors
	stride     int     // of the rings
	margin     int     // the pixels before a row in wide
	wide       []float32
	twin       []float32
	rings      []float32

	doubleRun doubleRun
	halveRun  halveRun
	rowRun    rowRun
	columnRun columnRun
	lines     [2][]byte
}

// source is what the first layer of an octave is made of.
type source struct {
	image   *raster.Plane // or
	plane   *plane        // the layer of which every second pixel is taken
	doubled bool
}

// run makes the rows from begin up to end of an octave's layers. Unless s is nil, s scans the layers
// as far as there are rows of the last one, after each batch of rows.
func (c *cascade) run(planes []plane, filters []filter, src source, begin, end int, s *scanner) {
	height := planes[0].height
	c.planes, c.begin, c.end = planes, begin, end
	c.width = roundUp(planes[0].width)
	c.stride = strideOf(planes[0].width)
	c.stages = raster.Resize(c.stages, len(planes))
	first := 0
	if src.plane != nil {
		first = 1 // its layer is not blurred again
	}
	size := 0
	for i := first; i < len(planes); i++ {
		size += c.stride * (2*filters[i].radius + 2*batch)
		c.margin = max(c.margin, roundUp(filters[i].radius))
	}
	c.rings = raster.Resize(c.rings, size)
	c.wide = raster.Resize(c.wide, batch*c.wideStride())
	c.twin = raster.Resize(c.twin, c.wideStride()+vectorWidth)
	rings := c.rings
	from, to := begin, end
	for i := len(planes) - 1; i >= first; i-- {
		st := &c.stages[i]
		*st = stage{filter: &filters[i], out: from, top: to, slots: 2*filters[i].radius + 2*batch}
		st.ring, rings = rings[:st.slots*c.stride], rings[st.slots*c.stride:]
		from, to = max(from-st.radius, 0), min(to+st.radius, height)
		st.in, st.end = from, to
	}
	for y := from; y < to; y += batch {
		n := min(batch, to-y)
		for k := range n {
			c.load(src, y+k, c.wideRow(k))
		}
		c.feed(first, n)
		if s != nil {
			s.scan(c.stages[len(planes)-1].out)
		}
	}
}

// wideStride returns the pixels from one of the wide rows to the next.
func (c *cascade) wideStride() int {
	return c.width + 2*c.margin + vectorWidth
}

// wideRow returns the pixels of a row of wide.
func (c *cascade) wideRow(k int) []float32 {
	return c.wide[k*c.wideStride()+c.margin:][:c.width]
}

// load makes row y of the source.
func (c *cascade) load(src source, y int, dst []float32) {
	switch {
	case src.plane != nil:
		c.halveRun = halveRun{src.plane.pix[2*y*src.plane.stride:], dst}
		c.kernels.halve(&c.halveRun)
	case src.doubled:
		img := src.image
		near := y / 2
		far := min(max(near+y%2*2-1, 0), img.H-1)
		for i, row := range [2]int{near, far} {
			c.lines[i] = padded(c.lines[i], img.Row(row), len(dst)/2)
		}
		c.doubleRun = doubleRun{c.lines[0], c.lines[1], dst}
		c.kernels.double(&c.doubleRun)
	default:
		for x, v := range src.image.Row(y) {
			dst[x] = float32(v)
		}
	}
}

// padded returns the pixels of row in the memory of line, with another one before the first
// and after the last, and room for whole vectors.
func padded(line, row []byte, n int) []byte {
	line = raster.Resize(line, n+2+2*vectorWidth)
	line[0] = row[0]
	copy(line[1:], row)
	line[1+len(row)] = row[len(row)-1]
	return line
}

// feed lets stage i take the n wide rows, and it and those after it make what they can.
func (c *cascade) feed(i, n int) {
	st := &c.stages[i]
	width, stride := c.planes[i].width, c.wideStride()
	run := &c.rowRun
	run.weights, run.twin = st.weights, c.twin
	for k := range n {
		row := c.wide[k*stride+c.margin-st.radius:][:c.width+2*st.radius]
		mirror(row, st.radius, width)
		run.src, run.dst, run.pixels = row, st.ring[st.place(st.in, c.stride):][:c.width], nil
		if i > 0 && st.in >= c.begin && st.in < c.end {
			run.pixels = c.planes[i-1].row(st.in)
		}
		c.kernels.rows(run)
		st.in++
	}
	for st.ready() {
		n := c.make(i)
		if i+1 < len(c.stages) {
			c.feed(i+1, n)
		}
	}
}

// mirror sets the pixels on both sides of width ones to the reflected ones.
func mirror(row []float32, radius, width int) {
	if radius < width {
		last := row[radius+width-1:]
		for i := 1; i <= radius; i++ {
			row[radius-i] = row[radius+i]
			last[i] = row[radius+width-1-i]
		}
		return
	}
	for i := range radius {
		row[radius-1-i] = row[radius+raster.Mirror(-1-i, width)]
		row[radius+width+i] = row[radius+raster.Mirror(width+i, width)]
	}
}

// make lets stage i make its next rows, and returns their number. Those of the last layer go
// to its plane, and others to the wide rows, of which the next stage copies them.
func (c *cascade) make(i int) int {
	st := &c.stages[i]
	n := min(batch, st.top-st.out)
	run := &c.columnRun
	run.ring, run.weights = st.ring, st.half
	run.places = run.places[:0]
	height := c.planes[i].height
	for k := -st.radius; k < batch+st.radius; k++ {
		y := st.out + min(k, n-1+st.radius)
		run.places = append(run.places, st.place(raster.Mirror(y, height), c.stride))
	}
	last := i == len(c.stages)-1
	for k := range run.dst {
		if last && k < n {
			run.dst[k] = c.planes[i].row(st.out + k)
		} else {
			run.dst[k] = c.wideRow(k)
		}
	}
	c.kernels.columns(run)
	st.out += n
	return n
}
