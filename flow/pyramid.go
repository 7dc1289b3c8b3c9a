package flow

import (
	"encoding/binary"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// A Pyramid is an image and smaller versions of it. It is made by [Tracker.Pyramid]. Any
// number of goroutines may use it at once, but for [Tracker.Reset].
type Pyramid struct {
	levels []raster.Plane // the first one is the image
	min    Point          // the coordinates of the upper left pixel
	memory []byte         // for the levels above the image
	run    downRun
}

func (p *Pyramid) width() int  { return p.levels[0].W }
func (p *Pyramid) height() int { return p.levels[0].H }

// levels returns the number of levels, with that of the image, for an image of w by h pixels.
func (t *Tracker) levels(w, h int) int {
	n := 1
	for n <= t.opts.Levels && half(w) > t.opts.Window.X && half(h) > t.opts.Window.Y {
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
	p.min = Point{float32(img.Rect.Min.X), float32(img.Rect.Min.Y)}
	n := t.levels(plane.W, plane.H)
	size := 0
	for i, w, h := 1, half(plane.W), half(plane.H); i < n; i++ {
		size += w * h
		w, h = half(w), half(h)
	}
	p.memory = raster.Resize(p.memory, size+downOver)
	p.levels = append(p.levels[:0], plane)
	memory := p.memory
	for i := 1; i < n; i++ {
		next := raster.Plane{Pix: memory, Stride: half(plane.W), W: half(plane.W), H: half(plane.H)}
		p.run.make(next, plane)
		size := next.W * next.H
		next.Pix, memory = memory[:size:size], memory[size:]
		plane = next
		p.levels = append(p.levels, plane)
	}
}

// downOver is the number of bytes after those of a level that down may write, and of
// columns that it may add up beyond those of a level.
const downOver = 64

// A downRun is the argument of the kernel down.
type downRun struct {
	// rows are the five rows that the first row is made of, of w columns each, at least
	// downColumns. Those for the next row are step bytes further.
	rows    [5][]byte
	step, w int
	// to is for n rows of half as many columns, rounded up.
	to []byte
	n  int
	// sums is memory for the sums of columns.
	sums []uint64
}

// downColumns is the least number of columns that the kernels make levels of. There are
// smaller levels only for windows that are smaller still.
const downColumns = 32

// make makes the level to of the one before it.
func (r *downRun) make(to, from raster.Plane) {
	kernel := table.Best().down
	if from.W < downColumns {
		kernel = down
	}
	r.w, r.step = from.W, 2*from.Stride
	r.sums = raster.Resize(r.sums, (from.W+2*downOver)/4+8)
	for y := 0; y < to.H; y += r.n {
		for i := range r.rows {
			r.rows[i] = from.Pix[raster.Mirror(2*y+i-2, from.H)*from.Stride:]
		}
		r.to = to.Pix[y*to.W:]
		// The rows around the first one and those around the last ones are mirrored.
		r.n = 1
		if y > 0 {
			r.n = max((from.H-3)/2-y+1, 1)
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
		to := r.to[y*out:][:out]
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
