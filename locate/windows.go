package locate

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// A shape is the pixels of a window: those of a rectangle, or of a mask in it.
type shape struct {
	w, h int
	// spans are the mask's runs of pixels, those of row y from rows[y] to rows[y+1]-1, or nil
	// without a mask.
	spans []span
	rows  []int32
}

// A span is columns of a mask, from begin to end-1.
type span struct {
	begin, end int32
}

// windows make the sums of the windows of a part of the places, one row after the other.
type windows struct {
	scene *pixels
	shape *shape
	part  image.Rectangle

	sums  [3][]int32 // of the pixels, of each channel
	sums2 []int64    // of their squares, of all channels
	low   []uint32   // instead, the lower 32 bits of these, if that is asked for

	run   windowRun // without a mask
	spans spanRun   // with one
	// Rows of sums from the beginning, of each channel: those of the h rows of pixels below a row of
	// places, that of row y in row y%h.
	until  [3][]uint32
	until2 []uint32
	// The sums of squares of some rows of the mask, where low is not asked for.
	squares []uint32
}

// beginLow is begin, but keeps only the lower 32 bits of the sums of squares; with alone, it makes no other
// sums.
func (s *windows) beginLow(k *kernels, scene *pixels, shape *shape, part image.Rectangle, alone bool) {
	s.low = raster.Resize(s.low, padded(part.Dx()))
	s.run.alone = 0
	if alone {
		s.run.alone = 1
	}
	s.start(k, scene, shape, part)
}

// begin prepares for a part of the places.
func (s *windows) begin(k *kernels, scene *pixels, shape *shape, part image.Rectangle) {
	s.low, s.run.alone = s.low[:0], 0
	s.start(k, scene, shape, part)
}

// start is begin, for low sums if there is room for them.
func (s *windows) start(k *kernels, scene *pixels, shape *shape, part image.Rectangle) {
	s.scene, s.shape, s.part = scene, shape, part
	n := padded(part.Dx())
	s.sums2 = raster.Resize(s.sums2, n)
	for c := range scene.channels {
		s.sums[c] = raster.Resize(s.sums[c], n)
	}
	first, last := part.Min.Y, part.Min.Y+shape.h-1
	if shape.spans != nil {
		s.beginMask(n)
		for y := first; y < last; y++ {
			s.accumulate(k, y)
		}
		return
	}
	r := &s.run
	r.channels, r.width, r.n, r.sums, r.sums2, r.low = scene.channels, shape.w, n, s.sums, s.sums2, s.low
	r.count = padded(n + r.width)
	r.squares = zeros(r.squares, r.count)
	for c := range r.channels {
		r.columns[c] = zeros(r.columns[c], r.count)
	}
	for y := first; y < last; y++ {
		s.slide(k, y, scene.h)
	}
}

// beginMask prepares the memory for n places.
func (s *windows) beginMask(n int) {
	m := &s.spans
	m.channels, m.n, m.sums = s.scene.channels, n, s.sums
	if m.low = s.low; len(s.low) == 0 {
		s.squares = raster.Resize(s.squares, n)
		m.low = s.squares
	}
	m.count = padded(n + s.shape.w)
	for c := range m.channels {
		s.until[c] = raster.Resize(s.until[c], s.shape.h*(m.count+1))
	}
	s.until2 = raster.Resize(s.until2, s.shape.h*(m.count+1))
}

// release drops what belongs to others.
func (s *windows) release() {
	s.scene, s.shape = nil, nil
	s.run.entering, s.run.leaving = [3][]byte{}, [3][]byte{}
	s.spans.pix = [3][]byte{}
}

// advance makes row y of places the one that sum is for. All rows of a part are advanced to, one
// after the other.
func (s *windows) advance(k *kernels, y int) {
	if s.shape.spans != nil {
		s.accumulate(k, y+s.shape.h-1)
		return
	}
	out := s.scene.h // zeros
	if y > s.part.Min.Y {
		out = y - 1
	}
	s.slide(k, y+s.shape.h-1, out)
}

// sum makes the sums of row y of places.
func (s *windows) sum(k *kernels, y int) {
	if s.shape.spans != nil {
		s.sumMask(k, y)
		return
	}
	k.window(&s.run)
}

// slide adds row in of the scene to the sums of columns, and subtracts row out.
func (s *windows) slide(k *kernels, in, out int) {
	r := &s.run
	for c := range r.channels {
		r.entering[c] = s.scene.row(c, s.part.Min.X, in)
		r.leaving[c] = s.scene.row(c, s.part.Min.X, out)
	}
	k.slide(r)
}

// sumMask is sum with a mask.
func (s *windows) sumMask(k *kernels, y int) {
	m := &s.spans
	for c := range m.channels {
		clear(m.sums[c])
		m.until[c] = s.until[c]
	}
	m.until2 = s.until2
	clear(s.sums2)
	clear(s.low)
	// The squares of as many rows of pixels as there is room for in 32 bits are summed up at a time.
	most := s.shape.h
	if len(s.low) == 0 {
		most = max(1, int(math.MaxUint32/(255*255)/(m.channels*s.shape.w)))
	}
	for row := 0; row < s.shape.h; row += most {
		m.spans = m.spans[:0]
		for i := row; i < min(row+most, s.shape.h); i++ {
			at := s.untilRow(y + i)
			for _, v := range s.shape.row(i) {
				m.spans = append(m.spans, interval{at + int(v.begin), at + int(v.end)})
			}
		}
		if len(m.spans) == 0 {
			continue
		}
		if len(s.low) > 0 {
			k.span(m)
			continue
		}
		clear(m.low)
		k.span(m)
		for x, v := range m.low {
			s.sums2[x] += int64(v)
		}
	}
}

// row returns the spans of a row.
func (s *shape) row(y int) []span {
	return s.spans[s.rows[y]:s.rows[y+1]]
}

// accumulate makes the sums from the beginning of row y of the scene.
func (s *windows) accumulate(k *kernels, y int) {
	m := &s.spans
	at := s.untilRow(y)
	for c := range m.channels {
		m.pix[c], m.until[c] = s.scene.row(c, s.part.Min.X, y), s.until[c][at:]
	}
	m.until2 = s.until2[at:]
	k.accumulate(m)
}

// untilRow returns where the sums from the beginning of row y of the scene begin.
func (s *windows) untilRow(y int) int {
	return y % s.shape.h * (s.spans.count + 1)
}

// zeros returns n zeros, in the memory of s if that has room.
func zeros[E any](s []E, n int) []E {
	s = raster.Resize(s, n)
	clear(s)
	return s
}
