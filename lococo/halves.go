package lococo

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A halves computes what a scanner does for small kernels and windows, in rows whose halves lie in
// the halves of vectors, as [tensor.Halves] describes. The sums along columns are not those of
// bands: from the sums of r pixels below rows come both bands, and thus the gradients, at once.
type halves struct {
	size
	kernel    func(*halvesRun)
	windows   *tensor.Halves
	gradients [][2][]int16 // a ring of the rows of a window and the one before them
	newest    int          // the last row of the ring
	rows      int          // of gradients that have entered the windows

	plane *raster.Plane
	left  int // the first column of the image that is looked at
	top   int // the first row
	y     int // the row of the gradients

	sums  [][]int16 // a ring of rows of sums of the r pixels below a row
	run   halvesRun
	blank []byte // stands for rows above the first one
}

// A halvesRun is a row of gradients to be computed, row y, whose halves lie in the halves of
// vectors, as do those of the rows of sums.
type halvesRun struct {
	here, enter *byte // the pixels of rows y and y+r
	ahead       *byte // a row to prefetch
	second      int   // the column that the second half begins with
	columns     int   // of each half: a multiple of 8, at least 16
	// The sums of the r pixels below row y-1, row y-r, and row y-r-1, which those of row y replace.
	above, middle, sums *int16
	// The gradients along x and y. The first 2r are wrong, since their kernels begin before the row,
	// and those of column i come after them, in place i+r.
	out [2]*int16
}

func newHalves(s size) *halves {
	h := &halves{
		size:      s,
		windows:   tensor.NewHalves(2*s.q+1, &s.measure, maxStrip),
		gradients: make([][2][]int16, 2*s.q+2),
		sums:      make([][]int16, s.r+1),
		blank:     make([]byte, maxStrip+2*s.margin()),
	}
	width := tensor.HalvesRoom(maxStrip)
	for i := range h.gradients {
		h.gradients[i] = [2][]int16{make([]int16, width), make([]int16, width)}
	}
	for i := range h.sums {
		h.sums[i] = make([]int16, width)
	}
	return h
}

// start begins a part of an image with kernels that have halves.
func (h *halves) start(k *kernels, p *raster.Plane, part image.Rectangle) {
	h.kernel, h.plane = k.halves[h.r], p
	h.left, h.top = part.Min.X-h.margin(), part.Min.Y-h.margin()
	split := h.windows.Start(part.Dx(), 2*h.margin())
	h.run.second, h.run.columns = split.Second, 8*split.Vectors
	h.rows = 0
	// Above the first row the sums are 0.
	for _, sums := range h.sums {
		clear(sums)
	}
	for h.y = h.top - h.r - 1; h.y < h.top+h.r-1; {
		h.differentiate()
	}
	for range 2 * h.q {
		h.row(nil)
	}
}

// row computes the next row of responses.
func (h *halves) row(dst []float32) {
	h.newest = (h.newest + 1) % len(h.gradients)
	h.differentiate()
	var leave *[2][]int16
	if h.rows++; h.rows >= len(h.gradients) {
		leave = &h.gradients[(h.newest+1)%len(h.gradients)]
	}
	h.windows.Slide(&h.gradients[h.newest], leave, dst)
}

// differentiate computes the next row of gradients.
func (h *halves) differentiate() {
	h.y++
	const soon = 4
	r := &h.run
	r.here, r.enter = h.pixels(h.y), h.pixels(h.y+h.r)
	r.ahead = h.pixels(min(h.y+h.r+soon, h.plane.H-1))
	sums := func(y int) *int16 { return &h.sums[(y+2*h.r)%len(h.sums)][tensor.HalvesBefore] }
	r.above, r.middle, r.sums = sums(h.y-1), sums(h.y-h.r), sums(h.y)
	for i := range r.out {
		r.out[i] = &h.gradients[h.newest][i][tensor.HalvesBefore]
	}
	h.kernel(r)
}

// pixels returns the first of the pixels of a row that are looked at.
func (h *halves) pixels(y int) *byte {
	if y < h.top {
		return &h.blank[0]
	}
	return &h.plane.Row(y)[h.left]
}

// release drops the image.
func (h *halves) release() {
	h.plane, h.run = nil, halvesRun{}
	h.windows.Release()
}
