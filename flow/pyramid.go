package flow

import (
	"encoding/binary"
	"image"
	"math"
	"sync/atomic"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A Pyramid is an image and smaller versions of it. Create one with [Tracker.Pyramid]. It is safe
// for concurrent use, except by [Tracker.PyramidInto].
type Pyramid struct {
	levels []level // the first one is the image
	min    Point   // the coordinates of the upper left pixel
	memory []byte  // for the levels above the image
	lanes  worker.Lanes[downRun]
	stamp  uint64 // another one for each image
}

// stamps is how many Pyramids have been made.
var stamps atomic.Uint64

// A level is an image of a pyramid. Most of those above the first one have a margin of
// mirrored pixels in memory, so that few windows need a patch.
type level struct {
	raster.Plane
	margin int
	// pix has the pixels from the first one of the margin on, and at least slack bytes more.
	pix []byte
}

const (
	// slack is the number of bytes after the pixels of a level that kernels may read.
	slack = 32
	// marginAlign is the number of pixels that are mirrored at once.
	marginAlign = 8
)

// margin returns the number of mirrored pixels on each side of a level of w by h pixels. It is
// a multiple of marginAlign, and has room for a window of which half is outside of the level,
// with what its template and a few steps need.
func (t *Tracker) margin(w, h int) int {
	n := max(t.opts.Window.X, t.opts.Window.Y)/2 + 2 + patchMargin
	n = (n + marginAlign - 1) / marginAlign * marginAlign
	if n >= min(w, h) {
		return 0
	}
	return n
}

// newLevel returns a level of w by h pixels at the beginning of memory, and the number of bytes
// that it takes. The memory may be nil, to learn that number.
func (t *Tracker) newLevel(memory []byte, w, h int) (l level, size int) {
	l.margin = t.margin(w, h)
	l.W, l.H, l.Stride = w, h, w+2*l.margin
	size = l.Stride*(h+2*l.margin) + slack
	if memory != nil {
		l.pix = memory[:size:size]
		l.Pix = l.pix[l.margin*(l.Stride+1):][:(h-1)*l.Stride+w]
	}
	return l, size
}

// mirrorSides sets the pixels of the margin to the left and to the right of a row.
func (l *level) mirrorSides(y int) {
	row := l.pix[(y+l.margin)*l.Stride:][:l.Stride]
	for i := 0; i < l.margin; i += marginAlign {
		mirrorBytes(row[l.margin-marginAlign-i:], row[l.margin+1+i:])
		mirrorBytes(row[l.margin+l.W+i:], row[l.margin+l.W-1-marginAlign-i:])
	}
}

// mirrorBytes copies marginAlign bytes in the reverse order.
func mirrorBytes(to, from []byte) {
	binary.BigEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
}

// mirrorRows sets the rows of the margin above and below the level, whose sides have been
// mirrored.
func (l *level) mirrorRows() {
	row := func(y int) []byte { return l.pix[(y+l.margin)*l.Stride:][:l.Stride] }
	for i := 1; i <= l.margin; i++ {
		copy(row(-i), row(i))
		copy(row(l.H-1+i), row(l.H-1-i))
	}
}

func (p *Pyramid) width() int  { return p.levels[0].W }
func (p *Pyramid) height() int { return p.levels[0].H }

// levels returns the number of levels for an image of w by h pixels.
func (t *Tracker) levels(w, h int) int {
	n := 1
	for n < t.opts.Levels && half(w) > t.opts.Window.X && half(h) > t.opts.Window.Y {
		w, h = half(w), half(h)
		n++
	}
	return n
}

// half returns the side of the level above one with that side.
func half(side int) int { return (side + 1) / 2 }

// reset makes p the pyramid of an image.
func (p *Pyramid) reset(t *Tracker, img *image.Gray) {
	plane := raster.NewPlane("flow", img)
	if p == nil {
		panic("flow: nil Pyramid")
	}
	if plane.H > 0 {
		plane.Pix = plane.Pix[:(plane.H-1)*plane.Stride+plane.W]
	}
	if len(p.lanes.All()) == 0 {
		p.lanes = worker.NewLanes("flow", func() *downRun { return new(downRun) })
	}
	p.min = Point{float32(img.Rect.Min.X), float32(img.Rect.Min.Y)}
	p.stamp = stamps.Add(1)
	n := t.levels(plane.W, plane.H)
	total := 0
	for i, w, h := 1, plane.W, plane.H; i < n; i++ {
		w, h = half(w), half(h)
		_, size := t.newLevel(nil, w, h)
		total += size
	}
	p.memory = raster.Resize(p.memory, total)
	p.levels = append(p.levels[:0], level{Plane: plane, pix: plane.Pix})
	memory := p.memory
	for i, w, h := 1, plane.W, plane.H; i < n; i++ {
		w, h = half(w), half(h)
		l, size := t.newLevel(memory, w, h)
		memory = memory[size:]
		p.levels = append(p.levels, l)
	}
	p.fill(worker.For(t.opts.Workers, int64(plane.W)*int64(plane.H)/workerPixels))
}

// workerPixels is the least number of pixels for each worker that makes a level of them. To wake
// another processor may take longer than to make it of as many.
const workerPixels = 1 << 18

// leastRows is the least number of rows of a level that a worker makes at a time.
const leastRows = 16

// fill makes the levels above the image by up to the given number of workers.
func (p *Pyramid) fill(workers int) {
	for i := 1; i < len(p.levels); i++ {
		l := &p.levels[i]
		b := bands{l, &p.levels[i-1], raster.BandRows(l.H, workers, leastRows, 1)}
		worker.Each(b, &p.lanes, workers, (l.H+b.rows-1)/b.rows, bands.fill)
		l.mirrorRows()
	}
}

// bands are the rows of a level that is made of another one, the given number of rows at a time.
type bands struct {
	to, from *level
	rows     int
}

// fill makes band i.
func (b bands) fill(r *downRun, i int) {
	top, bottom := i*b.rows, min((i+1)*b.rows, b.to.H)
	r.make(b.to.Plane, b.from.Plane, top, bottom)
	for y := top; y < bottom; y++ {
		b.to.mirrorSides(y)
	}
}

// A downRun is the argument of the kernels down and narrow.
type downRun struct {
	// rows are the five rows that the first row is made of, of w columns each, at least
	// narrowColumns. Those for the next row are step bytes further.
	rows    [5][]byte
	step, w int
	// to is for n rows of half as many columns, rounded up, each stride bytes after the one
	// before. Nothing is written beyond them, where another worker may have written.
	to        []byte
	stride, n int
	// sums is memory for sums of columns or of rows: for five rows of to in words, with room
	// for 64 more at both ends of each.
	sums []uint64
}

// wideColumns and narrowColumns are the least numbers of columns that the kernels down and narrow
// make levels of. There are smaller levels only for windows that are smaller still.
const (
	wideColumns   = 68
	narrowColumns = 36
)

// make makes the rows of the level to from top to bottom, of the level before it.
func (r *downRun) make(to, from raster.Plane, top, bottom int) {
	kernels := table.Best()
	kernel := kernels.down
	if from.W < narrowColumns {
		kernel = down
	} else if from.W < wideColumns {
		kernel = kernels.narrow
	}
	r.w, r.step, r.stride = from.W, 2*from.Stride, to.Stride
	r.sums = raster.Resize(r.sums, 5*((to.W+2*64)*2/8+1))
	for y := top; y < bottom; y += r.n {
		for i := range r.rows {
			r.rows[i] = from.Pix[raster.Mirror(2*y+i-2, from.H)*from.Stride:]
		}
		r.to = to.Pix[y*to.Stride:]
		// The rows around the first one and those around the last ones are mirrored.
		r.n = 1
		if y > 0 {
			r.n = max(min((from.H-3)/2, bottom-1)-y+1, 1)
		}
		kernel(r)
	}
	r.rows, r.to = [5][]byte{}, nil
}

// down makes rows of a level. Each pixel is the weighted mean of 5 by 5 pixels. The pixels
// of four columns are added up in the parts of 16 bits of a number: in sums, those of the
// columns with even numbers come first, then those of the others, each with one number more
// at both ends for the mirrored columns.
func down(r *downRun) {
	groups := (r.w + 7) / 8
	even, odd := r.sums[:groups+2], r.sums[groups+2:][:groups+2]
	// column returns a pointer to the number that a column's sum is a part of, and how many
	// bits that is to be shifted.
	column := func(x int) (sum *uint64, shift int) {
		list := even
		if x&1 > 0 {
			list = odd
		}
		return &list[1+x>>3], x >> 1 & 3 * 16
	}
	mirror := func(x int) {
		from, shift := column(raster.Mirror(x, r.w))
		v := *from >> shift & math.MaxUint16
		to, shift := column(x)
		*to = *to&^(math.MaxUint16<<shift) | v<<shift
	}
	out := half(r.w)
	for y := range r.n {
		a, b, c, d, e := r.row(0, y), r.row(1, y), r.row(2, y), r.row(3, y), r.row(4, y)
		g := 1
		for ; len(a) >= 8 && len(b) >= 8 && len(c) >= 8 && len(d) >= 8 && len(e) >= 8; g++ {
			even[g], odd[g] = addRows((*[8]byte)(a), (*[8]byte)(b), (*[8]byte)(c), (*[8]byte)(d), (*[8]byte)(e))
			a, b, c, d, e = a[8:], b[8:], c[8:], d[8:], e[8:]
		}
		if len(a) > 0 {
			var last [5][8]byte
			copy(last[0][:], a)
			copy(last[1][:], b)
			copy(last[2][:], c)
			copy(last[3][:], d)
			copy(last[4][:], e)
			even[g], odd[g] = addRows(&last[0], &last[1], &last[2], &last[3], &last[4])
		}
		for _, x := range [4]int{-2, -1, r.w, r.w + 1} {
			mirror(x)
		}
		to := r.to[y*r.stride:][:out]
		for g := range groups {
			e0, e1, e2, o0, o1 := even[g], even[g+1], even[g+2], odd[g], odd[g+1]
			sum := (e1<<16 | e0>>48) + (e1>>16 | e2<<48) + 6*e1 + 4*((o1<<16|o0>>48)+o1) + 0x0080_0080_0080_0080
			sum = sum >> 8 & 0x00ff_00ff_00ff_00ff
			sum |= sum >> 8
			four := uint32(sum&0xffff | sum>>16&0xffff_0000)
			if len(to) < 4 {
				for k := range to {
					to[k] = byte(four >> (8 * k))
				}
				break
			}
			binary.LittleEndian.PutUint32(to, four)
			to = to[4:]
		}
	}
}

// row returns row i of the five for row y.
func (r *downRun) row(i, y int) []byte { return r.rows[i][y*r.step:][:r.w] }

// addRows adds up eight pixels of five rows: those of even columns, and those of odd ones.
func addRows(a, b, c, d, e *[8]byte) (even, odd uint64) {
	const pixels = 0x00ff_00ff_00ff_00ff
	u, v, w, x, y := binary.LittleEndian.Uint64(a[:]), binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(c[:]), binary.LittleEndian.Uint64(d[:]), binary.LittleEndian.Uint64(e[:])
	even = u&pixels + y&pixels + 4*(v&pixels+x&pixels) + 6*(w&pixels)
	odd = u>>8&pixels + y>>8&pixels + 4*(v>>8&pixels+x>>8&pixels) + 6*(w>>8&pixels)
	return even, odd
}
