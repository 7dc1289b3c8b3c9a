package harris

import (
	"image"
	"slices"
)

// A fused makes the responses of Sobel's gradients of 3 by 3 pixels in assembly, for
// windows of some sides. It works on a strip of columns, from the top to the bottom,
// two rows at a time, and keeps no image of anything in between.
//
// A block of columns begins some columns behind the responses that it gives, and needs
// the block before it. So each row begins with a block whose responses are dropped.
type fused struct {
	kernels *kernels
	side    int // of the window
	img     *image.Gray
	c0, n   int // the columns of the strip
	sums    [4][]int16
	junk    [2][]int16   // sums that nobody needs
	zeros   []int16      // gradients
	dump    [2][]float32 // responses that nobody needs, and those of blocks that are cut off

	// For windows of 3 by 3.
	respondRun respondRun
	blocks     []int16 // gradients and sums of the rows before

	// For others.
	slideRun    slideRun
	gradients   [ringRows][2][]int16 // along x and y, of row y in y%ringRows
	ready       int                  // rows that the gradients are known of
	columnSums  []int32
	gradientRun gradientRun

	sumRun sumRun
	spans  [3]span
}

const (
	// stripColumns is how many columns a strip has at most, but that the last ones
	// have a few more: rows of all that is needed fit the first cache then.
	stripColumns = 640
	stripRoom    = stripColumns + 2*stripPadding
	// stripPadding is the room before the first column of a row, and that after the
	// last one.
	stripPadding = 64
	// halo is how many columns before a strip are looked at, if there are any.
	halo = 32
	// ringRows is how many rows of gradients are kept: those of a window, the one
	// that leaves it, and those that come two at a time.
	ringRows = 16
	// maxWindow is the side of the largest window.
	maxWindow = 7
)

// A span is blocks whose responses follow each other in a row or two.
type span struct {
	out    [2]*float32
	blocks int
}

// A sumRun is rows a, b, c and d of an image, to be summed up vertically for Sobel's
// gradients of the rows b and c: a+2b+c and c-a, b+2c+d and d-b.
type sumRun struct {
	rows  [4]*byte
	sums  [4]*int16
	n     int      // pixels, 32 at least
	ahead [2]*byte // rows that will be needed soon
}

// A respondRun is two rows of responses of windows of 3 by 3 pixels, to be made of the
// vertical sums of the rows after them.
type respondRun struct {
	room      [24 * 32]byte // for what does not fit registers
	sums      [4]*int16     // where the first block begins
	state     *int16        // for each block, 8 vectors
	spans     []span
	measure   int
	constants [2][16]float32
}

// A gradientRun is a row of gradients to be made of vertical sums and differences.
type gradientRun struct {
	sums, differences *int16
	out               [2]*int16
	n                 int // a multiple of 32
}

// A slideRun is a row of responses of windows to be made of the rows of gradients that
// enter the windows and leave them.
type slideRun struct {
	room         [12 * 32]byte // for what does not fit registers
	enter, leave [2]*int16     // where the first block begins
	state        *int32        // sums of columns, for each block 6 vectors
	spans        []span        // of one row
	measure      int
	constants    [2][16]float32
}

// A peakRun is two rows of responses to test for maxima of 3 by 3, and the one after
// them.
type peakRun struct {
	rows   [3]*float32
	maxima [4]*float32 // of three neighbours in a row, for the row before and these: two to read, and two to write
	masks  []uint64    // of 32 columns each: of the first row, and of the second in the upper half
	least  []float32   // 16 times the least response, 0 or more; then the highest ones of the first two rows
}

// serves reports whether there are kernels for windows of a side.
func (k *kernels) serves(side int) bool {
	return k != nil && (side == 3 || side <= maxWindow && k.slide[side] != nil)
}

// prepare makes ready for windows of a side, and a measure with its constants.
func (f *fused) prepare(k *kernels, side, measure int, constants [2]float32) {
	f.kernels, f.side = k, side
	grow := func(s *[]int16, n int) { *s = slices.Grow((*s)[:0], n)[:n] }
	for i := range f.sums {
		grow(&f.sums[i], stripRoom)
	}
	grow(&f.zeros, stripRoom)
	clear(f.zeros)
	for i := range f.junk {
		grow(&f.junk[i], stripRoom)
		f.dump[i] = slices.Grow(f.dump[i][:0], stripRoom)[:stripRoom]
	}
	blocks := stripRoom/k.columns + 1
	grow(&f.blocks, 8*blocks*k.columns)
	f.columnSums = slices.Grow(f.columnSums[:0], 3*blocks*k.columns)[:3*blocks*k.columns]
	for i := range f.gradients {
		for j := range f.gradients[i] {
			grow(&f.gradients[i][j], stripRoom)
		}
	}
	f.respondRun.measure, f.slideRun.measure = measure, measure
	for i, c := range constants {
		for j := range f.respondRun.constants[i] {
			f.respondRun.constants[i][j] = c
			f.slideRun.constants[i][j] = c
		}
	}
}

// start begins with the strip of n columns from c0 on.
func (f *fused) start(img *image.Gray, c0, n int) {
	f.img, f.c0, f.n, f.ready = img, c0, n, 0
	if f.side == 3 {
		f.sum(0)
		f.respond([2][]float32{}) // of the rows before the first one, which mirror those after it
		return
	}
	clear(f.columnSums)
	anchor := f.side / 2
	for y := -anchor; y < f.side-1-anchor; y++ {
		f.slide(y, false, nil)
	}
}

// step makes the rows y-1 and y, for y of 0, 2 and so on. Where out is nil the row is
// not wanted, or beyond the image.
func (f *fused) step(y int, out [2][]float32) {
	if f.side == 3 {
		if h := f.img.Rect.Dy(); y >= h {
			y -= 2
		}
		f.sum(y)
		f.respond(out)
		return
	}
	anchor := f.side / 2
	for i, row := range out {
		if row != nil {
			f.slide(y-1+i+f.side-1-anchor, y-1+i > 0, row)
		}
	}
}

// sum makes the vertical sums of the rows y and y+1.
func (f *fused) sum(y int) {
	w, h := f.img.Rect.Dx(), f.img.Rect.Dy()
	left, right := f.c0 == 0, f.c0+f.n == w
	begin, end := f.c0-halo, min(f.c0+f.n+maxWindow, w)
	if left {
		begin = 0
	}
	row := func(y int) *byte { return &f.img.Pix[mirror(y, h)*f.img.Stride+begin] }
	at := stripPadding + begin - f.c0
	r := &f.sumRun
	*r = sumRun{
		rows:  [4]*byte{row(y - 1), row(y), row(y + 1), row(y + 2)},
		sums:  [4]*int16{&f.sums[0][at], &f.sums[1][at], &f.sums[2][at], &f.sums[3][at]},
		n:     end - begin,
		ahead: [2]*byte{row(min(y+6, h-1)), row(min(y+7, h-1))},
	}
	f.kernels.sum(r)
	if y == h-1 {
		// The row beyond the last one mirrors the gradients of the one before it, not
		// those of the mirrored image.
		*r = sumRun{
			rows:  [4]*byte{row(y - 2), row(y - 1), row(y), row(y)},
			sums:  [4]*int16{&f.sums[2][at], &f.sums[3][at], &f.junk[0][at], &f.junk[1][at]},
			n:     end - begin,
			ahead: r.ahead,
		}
		f.kernels.sum(r)
	}
	for i, s := range f.sums {
		if left {
			f.mirrorEnd(s, stripPadding, 1, mirror(-2, w), i%2 == 0)
		}
		if right {
			f.mirrorEnd(s, stripPadding+f.n-1, -1, w-1-mirror(w+1, w), i%2 == 0)
		}
	}
}

// mirrorEnd sets the two sums beyond an end, the last of which is at the end, with the
// inner ones in a direction from there. The second one mirrors the one that is so many
// columns away: where that is a sum along the columns, and not a difference, it is
// such that the gradient along x comes out as that of the mirrored column.
func (f *fused) mirrorEnd(sums []int16, end, direction, second int, gradient bool) {
	sums[end-direction] = sums[end+direction]
	mirrored := sums[end+direction*second]
	if gradient {
		mirrored = 2*sums[end] - mirrored
	}
	sums[end-2*direction] = mirrored
}

// respond makes two rows of responses of the sums.
func (f *fused) respond(out [2][]float32) {
	r := &f.respondRun
	for i, s := range f.sums {
		r.sums[i] = &s[stripPadding+1-f.kernels.columns]
	}
	r.state = &f.blocks[0]
	for i := range out {
		if out[i] == nil {
			out[i] = f.dump[i][stripPadding:]
		}
	}
	r.spans = f.layOut(out)
	f.kernels.respond(r)
	f.finish(out)
}

// layOut returns the spans of a row, or two.
func (f *fused) layOut(out [2][]float32) []span {
	dropped := span{[2]*float32{&f.dump[0][0], &f.dump[1][0]}, 1}
	spans := append(f.spans[:0], dropped)
	if whole := f.n / f.kernels.columns; whole > 0 {
		s := span{blocks: whole}
		for i := range out {
			if out[i] != nil {
				s.out[i] = &out[i][0]
			}
		}
		spans = append(spans, s)
	}
	if f.n%f.kernels.columns > 0 {
		spans = append(spans, dropped)
	}
	return spans
}

// finish copies the responses of blocks that are cut off.
func (f *fused) finish(out [2][]float32) {
	rest := f.n % f.kernels.columns
	for i := range out {
		if out[i] != nil {
			copy(out[i][f.n-rest:f.n], f.dump[i][:rest])
		}
	}
}

// lags are, by the side of the window, how many columns the blocks of gradients lie
// behind their responses.
var lags = [maxWindow + 1]int{2: 0, 5: 2, 7: 4}

// slide lets the row y enter the windows, and the one above them leave if there is
// one, and makes the row of responses. Where out is nil it is not wanted.
func (f *fused) slide(y int, leave bool, out []float32) {
	h := f.img.Rect.Dy()
	entering := mirror(y, h)
	for ; f.ready <= entering; f.ready += 2 {
		f.makeGradients(f.ready)
	}
	r := &f.slideRun
	first := stripPadding + lags[f.side] - f.kernels.columns
	for i := range 2 {
		r.enter[i], r.leave[i] = &f.gradients[entering%ringRows][i][first], &f.zeros[first]
		if leave {
			r.leave[i] = &f.gradients[mirror(y-f.side, h)%ringRows][i][first]
		}
	}
	if out == nil {
		out = f.dump[0][stripPadding:]
	}
	r.state, r.spans = &f.columnSums[0], f.layOut([2][]float32{out})
	f.kernels.slide[f.side](r)
	f.finish([2][]float32{out})
}

// makeGradients makes the gradients of the rows y and y+1. Beyond the edges of the
// image they are those of the mirrored columns.
func (f *fused) makeGradients(y int) {
	w, h := f.img.Rect.Dx(), f.img.Rect.Dy()
	f.sum(y)
	for i := range min(2, h-y) {
		rows := &f.gradients[(y+i)%ringRows]
		const begin = stripPadding - halo
		f.gradientRun = gradientRun{
			sums: &f.sums[2*i][begin], differences: &f.sums[2*i+1][begin],
			out: [2]*int16{&rows[0][begin], &rows[1][begin]},
			n:   (halo + f.n + maxWindow + 31) / 32 * 32,
		}
		f.kernels.gradient(&f.gradientRun)
		for _, row := range rows {
			for j := 1; j <= maxWindow/2; j++ {
				if f.c0 == 0 {
					row[stripPadding-j] = row[stripPadding+j]
				}
				if f.c0+f.n == w {
					row[stripPadding+f.n-1+j] = row[stripPadding+f.n-1-j]
				}
			}
		}
	}
}

// mirror returns the one of n pixels that stands for pixel i beyond them: the end
// itself is not repeated.
func mirror(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i
		} else {
			i = 2*(n-1) - i
		}
	}
	return i
}
