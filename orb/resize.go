package orb

import (
	"image"
	"math"
	"slices"
)

// A resizer resizes images of one size to another one by bilinear interpolation in
// integers, as OpenCV's INTER_LINEAR_EXACT does: rows become lines, and of two lines
// each pixel is a blend.
type resizer struct {
	resizing
	columns, rows []tap
	lines         [2][]int16 // of rows with an even and an odd number: pixels times 256, less 1<<15

	// The columns as assembly takes them, if it can, in windows.
	windows           bool
	bases             []int32 // where in a row the windows begin
	shuffles, weights []uint8 // of the first and second pixels in turn
	run               resizeRun
}

// A resizing is what a resizer is prepared for.
type resizing struct {
	to, from image.Point
	kernels  *kernels // nil for those in Go
}

// linePixels is what the lengths of lines and the strides of levels are multiples of:
// the most pixels that a kernel makes at once.
const linePixels = 64

// A tap is where a pixel comes from: from the pixels first and second with the
// weights that the low and high 16 bits of weights hold, 256 in all.
type tap struct {
	first, second int32
	weights       uint32
}

// appendTaps appends the taps of a side of so many pixels.
func appendTaps(taps []tap, pixels, source int) []tap {
	scale := 1 / (float64(pixels) / float64(source))
	for i := range pixels {
		f := float64(scale*(float64(i)+0.5)) - 0.5
		at := math.Floor(f)
		switch {
		case at < 0:
			taps = append(taps, tap{weights: 256})
		case int(at) >= source-1:
			taps = append(taps, tap{first: int32(source - 1), second: int32(source - 1), weights: 256})
		default:
			second := uint32(math.RoundToEven((f - at) * 256))
			taps = append(taps, tap{first: int32(at), second: int32(at) + 1, weights: 256 - second | second<<16})
		}
	}
	return taps
}

// prepare makes ready for images of these sizes.
func (r *resizer) prepare(to, from image.Point, k *kernels) {
	if r.resizing == (resizing{to, from, k}) {
		return
	}
	r.resizing = resizing{to, from, k}
	r.columns = appendTaps(r.columns[:0], to.X, from.X)
	r.rows = appendTaps(r.rows[:0], to.Y, from.Y)
	length := (to.X + linePixels - 1) / linePixels * linePixels
	for i := range r.lines {
		r.lines[i] = slices.Grow(r.lines[i][:0], length)[:length]
	}
	r.bases, r.shuffles, r.weights = r.bases[:0], r.shuffles[:0], r.weights[:0]
	r.windows = k != nil && r.appendWindows(k.window, length)
}

// appendWindows makes the windows of a line: so many pixels, each of twice as many
// pixels of the row. It reports whether all pixels lie in their windows.
func (r *resizer) appendWindows(pixels, length int) bool {
	last := r.from.X - 2*pixels
	if last < 0 {
		return false
	}
	base := 0
	for i := range length {
		t := r.columns[min(i, r.to.X-1)]
		first, second, weight := int(t.first), int(t.second), t.weights>>16
		if i%pixels == 0 {
			base = min(first, last)
			r.bases = append(r.bases, int32(base))
		}
		if second >= base+2*pixels {
			return false
		}
		// Weights are bytes, and 256 is 255 and 1.
		switch weight {
		case 0:
			second, weight = first, 1
		case 256:
			first, weight = second, 1
		}
		r.shuffles = append(r.shuffles, uint8(first-base), uint8(second-base))
		r.weights = append(r.weights, uint8(256-weight), uint8(weight))
	}
	return true
}

// A resizeRun is the work of a kernel: rows to make of src, whose next row to be
// made a line of is next.
type resizeRun struct {
	src, dst             *byte
	srcStride, dstStride int
	bases                *int32
	shuffles, weights    *uint8
	length               int // of lines
	even, odd            *int16
	rows                 []tap
	next                 int
	bias                 int32
}

// lineBias is what is added to blended lines: what they lack, and a half.
const lineBias = 256<<15 + 1<<15

// resizePixels is about how many pixels a call of a kernel makes: it holds up the
// garbage collector for so long.
const resizePixels = 1 << 14

// resize makes dst src in its own size. Both are of the sizes that it is prepared
// for.
func (r *resizer) resize(dst, src *image.Gray) {
	if !r.windows {
		r.resizePortable(dst, src)
		return
	}
	r.run = resizeRun{
		src: &src.Pix[0], dst: &dst.Pix[0], srcStride: src.Stride, dstStride: dst.Stride,
		bases: &r.bases[0], shuffles: &r.shuffles[0], weights: &r.weights[0],
		length: len(r.lines[0]), even: &r.lines[0][0], odd: &r.lines[1][0], next: 0, bias: lineBias,
	}
	n := max(resizePixels/len(r.lines[0]), 1)
	for y := 0; y < len(r.rows); y += n {
		r.run.dst, r.run.rows = &dst.Pix[y*dst.Stride], r.rows[y:min(y+n, len(r.rows))]
		r.kernels.resize(&r.run)
	}
}

// release forgets the images.
func (r *resizer) release() {
	r.run = resizeRun{}
}

// resizePortable is resize in Go.
func (r *resizer) resizePortable(dst, src *image.Gray) {
	next := int32(0)
	for y, t := range r.rows {
		for next = max(next, t.first); next <= t.second; next++ {
			line := r.lines[next&1]
			row := src.Pix[int(next)*src.Stride:][:src.Rect.Dx()]
			for x, t := range r.columns {
				line[x] = int16(t.blend(int32(row[t.first]), int32(row[t.second])) - 1<<15)
			}
		}
		row := dst.Pix[y*dst.Stride:][:dst.Rect.Dx()]
		upper, lower := r.lines[t.first&1][:len(row)], r.lines[t.second&1][:len(row)]
		for x := range row {
			row[x] = uint8((t.blend(int32(upper[x]), int32(lower[x])) + lineBias) >> 16)
		}
	}
}

// blend returns the weighted sum of two values.
func (t tap) blend(first, second int32) int32 {
	return int32(t.weights&0xffff)*first + int32(t.weights>>16)*second
}
