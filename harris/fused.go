package harris

import (
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/tensor"
)

// A fused is the source of the responses of Sobel's gradients of 3 by 3 pixels for a
// mirrored border and boxes of some sides, in assembly. It keeps no image of anything
// in between.
//
// A block of columns begins some columns behind the responses that it gives, and needs
// the block before it. So each row begins with a block whose responses are dropped.
type fused struct {
	kernels  *kernels
	side     int // of the box
	measure  tensor.Measure
	plane    *plane
	begin, n int // the columns of the strip
	y        int // the next row
	sums     [4][]int16
	junk     [2][]int16 // sums that nobody needs
	sumRun   sumRun
	spans    tensor.Spans

	// For boxes of 3 by 3, where there are kernels for them.
	respondRun *respondRun
	blocks     []int16 // gradients and sums of the rows before

	// For others.
	windows     *tensor.Windows
	gradients   [ringRows][2][]int16 // along x and y, of row y in y%ringRows
	started     bool                 // the sums are those of a box
	ready       int                  // the row from which on gradients are not known
	gradientRun gradientRun
}

const (
	// fusedPadding is the room before the first column of a row, and that after the
	// last one of a strip.
	fusedPadding = tensor.Padding
	fusedRoom    = fusedPadding + maxStrip + fusedPadding
	// halo is how many columns before a strip are looked at, if there are any.
	halo = 32
	// ringRows is how many rows of gradients are kept: those of a box, the one that
	// leaves it, and those that come two at a time.
	ringRows = 16
	// maxFused is the side of the largest box.
	maxFused = 7
	// maxSobel is how large gradients are at most.
	maxSobel = 4 * 255
	// fusedReach is how many columns beyond a strip are looked at.
	fusedReach = maxFused/2 + 1
)

// A sumRun is rows a, b, c and d of an image, to be summed up vertically for Sobel's
// gradients of the rows b and c: a+2b+c and c-a, b+2c+d and d-b.
type sumRun struct {
	rows  [4]*byte
	sums  [4]*int16
	n     int      // pixels, 32 at least
	ahead [2]*byte // rows that will be needed soon
}

// A respondRun is two rows of responses of windows of 3 by 3 pixels, to be made of the
// vertical sums of the rows after them. As an object of its own it begins with a cache
// line, so that no vector in it straddles two.
type respondRun struct {
	//lint:ignore U1000 the kernels keep there what does not fit registers
	room      [24 * 32]byte
	sums      [4]*int16 // where the first block begins
	state     *int16    // for each block, 8 vectors
	spans     []tensor.Span
	measure   int
	constants [2][16]float32
}

// A gradientRun is a row of gradients to be made of vertical sums and differences.
type gradientRun struct {
	sums, differences *int16
	out               [2]*int16
	n                 int // a multiple of 32
}

// fusible reports whether a fused may be the source of the responses.
func (d *Detector) fusible() bool {
	o := &d.opts
	return o.Gradient == Sobel3 && o.WindowSigma == 0 && o.Border == Mirror &&
		o.BlockSize <= maxFused && tensor.HasWindows(o.BlockSize, maxSobel*maxSobel, maxSobel*maxSobel)
}

// newFused returns a source for boxes of a side. Its kernels are yet to be chosen.
func newFused(side int, m tensor.Measure) *fused {
	f := &fused{side: side, measure: m}
	for i := range f.sums {
		f.sums[i] = make([]int16, fusedRoom)
	}
	for i := range f.junk {
		f.junk[i] = make([]int16, fusedRoom)
	}
	return f
}

func (f *fused) serve(k *kernels, w int) bool {
	f.kernels = k
	switch {
	case k.sum == nil || w < halo:
		return false
	case f.inPairs():
		if f.respondRun == nil {
			const blocks = 3 // more than those that fill a strip, of 32 columns at most
			f.blocks = make([]int16, 8*(maxStrip+blocks*32))
			f.spans = tensor.NewSpans(maxStrip)
			f.respondRun = new(respondRun)
			f.respondRun.measure, f.respondRun.constants = f.measure.Vectors()
		}
		return true
	case f.windows == nil:
		f.windows = tensor.NewWindows(f.side, &f.measure, maxStrip)
		for i := range f.gradients {
			f.gradients[i] = [2][]int16{make([]int16, fusedRoom), make([]int16, fusedRoom)}
		}
	}
	return f.windows.Serve()
}

// inPairs reports whether two rows of responses are made of the sums at once.
func (f *fused) inPairs() bool {
	return f.side == 3 && f.kernels.respond != nil
}

func (f *fused) start(p *plane, begin, end, y int) {
	f.plane, f.begin, f.n, f.y = p, begin, end-begin, y
	if f.inPairs() {
		f.spans.Start(f.n, f.kernels.columns)
		// The two rows above, or the mirrors of those below.
		f.sum(max(y-1, 0))
		f.respond(nil, nil)
		return
	}
	f.windows.Start(f.n)
	f.y, f.started = max(y, 0), false
	anchor := f.side / 2
	f.ready = max(f.y-anchor, 0)
	for i := f.y - anchor; i < f.y+f.side-1-anchor; i++ {
		f.slide(i, false, nil)
	}
}

func (f *fused) pair(upper, lower []float32) {
	h := f.plane.H
	if f.inPairs() {
		// The last row needs the one before it again, as its mirror.
		f.sum(min(f.y+1, h-2+h&1))
		f.respond(upper, lower)
		f.y += 2
		return
	}
	top := upper == nil && f.y == 0 // there is no row above
	for _, row := range [][]float32{upper, lower} {
		if top {
			top = false
			continue
		}
		if f.y < h {
			f.slide(f.y+f.side-1-f.side/2, f.started, row)
			f.started = true
			f.y++
		}
	}
}

func (f *fused) release() {
	f.plane, f.sumRun = nil, sumRun{}
	if f.windows != nil {
		f.windows.Release()
	}
	f.spans.Release()
	if f.respondRun != nil {
		f.respondRun.spans = nil
	}
}

// sum makes the vertical sums of the rows y and y+1.
func (f *fused) sum(y int) {
	p := f.plane
	left, right := max(f.begin-halo, 0), min(f.begin+f.n+fusedReach, p.W)
	row := func(y int) *byte { return &p.Pix[raster.Mirror(y, p.H)*p.Stride+left] }
	at := fusedPadding + left - f.begin
	r := &f.sumRun
	*r = sumRun{
		rows:  [4]*byte{row(y - 1), row(y), row(y + 1), row(y + 2)},
		sums:  [4]*int16{&f.sums[0][at], &f.sums[1][at], &f.sums[2][at], &f.sums[3][at]},
		n:     right - left,
		ahead: [2]*byte{row(min(y+6, p.H-1)), row(min(y+7, p.H-1))},
	}
	f.kernels.sum(r)
	if y == p.H-1 {
		// The row beyond the last one mirrors the gradients of the one before it, not
		// those of the mirrored image.
		r.rows = [4]*byte{row(y - 2), row(y - 1), row(y), row(y)}
		r.sums = [4]*int16{&f.sums[2][at], &f.sums[3][at], &f.junk[0][at], &f.junk[1][at]}
		f.kernels.sum(r)
	}
	for i, sums := range f.sums {
		if f.begin == 0 {
			mirrorEnd(sums, fusedPadding, 1, i%2 == 0)
		}
		if end := p.W - f.begin; end <= f.n+fusedReach {
			mirrorEnd(sums, fusedPadding+end-1, -1, i%2 == 0)
		}
	}
}

// mirrorEnd sets the two sums beyond an end from the inner ones, which lie in a
// direction from there. Of sums, and not differences, the second one is such that the
// gradient along x of the column beyond the end becomes that of its mirror.
func mirrorEnd(sums []int16, end, direction int, gradient bool) {
	sums[end-direction] = sums[end+direction]
	second := sums[end+2*direction]
	if gradient {
		second = 2*sums[end] - second
	}
	sums[end-2*direction] = second
}

// respond makes two rows of responses of the sums.
func (f *fused) respond(upper, lower []float32) {
	out := [2][]float32{upper, lower}
	r := f.respondRun
	for i, s := range f.sums {
		r.sums[i] = &s[fusedPadding+1-f.kernels.columns]
	}
	r.state, r.spans = &f.blocks[0], f.spans.LayOut(out)
	f.kernels.respond(r)
	f.spans.Finish(out)
}

// slide lets the row y enter the boxes, and the one above them leave if there is one,
// and makes the row of responses. Where out is nil it is not wanted.
func (f *fused) slide(y int, leave bool, out []float32) {
	h := f.plane.H
	for ; f.ready <= raster.Mirror(y, h); f.ready += 2 {
		f.makeGradients(f.ready)
	}
	enter := &f.gradients[raster.Mirror(y, h)%ringRows]
	if leave {
		f.windows.Slide(enter, &f.gradients[raster.Mirror(y-f.side, h)%ringRows], out)
	} else {
		f.windows.Slide(enter, nil, out)
	}
}

// makeGradients makes the gradients of the rows y and y+1. Beyond the edges of the
// image they are those of the mirrored columns.
func (f *fused) makeGradients(y int) {
	f.sum(y)
	end := f.plane.W - f.begin
	for i := range min(2, f.plane.H-y) {
		rows := &f.gradients[(y+i)%ringRows]
		const begin = fusedPadding - halo
		f.gradientRun = gradientRun{
			sums: &f.sums[2*i][begin], differences: &f.sums[2*i+1][begin],
			out: [2]*int16{&rows[0][begin], &rows[1][begin]},
			n:   (halo + f.n + fusedReach + 31) / 32 * 32,
		}
		f.kernels.gradient(&f.gradientRun)
		for _, row := range rows {
			for j := 1; j < fusedReach; j++ {
				if f.begin == 0 {
					row[fusedPadding-j] = row[fusedPadding+j]
				}
				if end <= f.n+fusedReach {
					row[fusedPadding+end-1+j] = row[fusedPadding+end-1-j]
				}
			}
		}
	}
}
