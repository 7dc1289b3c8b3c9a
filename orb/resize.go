package orb

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// A resizer resizes images of one size to another by bilinear interpolation in integers,
// as OpenCV's INTER_LINEAR_EXACT does: rows are interpolated to lines, and pixels are
// blended from two lines.
type resizer struct {
	resizing
	resize        func(*resizeRun)
	columns, rows []tap

	// The columns as assembly takes them, in windows.
	bases             []int32 // where in a row the windows begin
	shuffles, weights []uint8 // of the first and the second pixels in turn
}

// A resizerMemory is the memory of a worker that resizes images.
type resizerMemory struct {
	lines [2][]int16 // of rows with even and odd numbers: pixels times 256, less 1<<15
	run   resizeRun
}

// A resizing is what a resizer is prepared for.
type resizing struct {
	to, from image.Point
	kernels  *kernels
}

// linePixels divides the lengths of lines and the strides of levels: it is the largest
// number of pixels that a kernel makes at once.
const linePixels = 64

// roundUp returns the least multiple of linePixels that is not less than n.
func roundUp(n int) int {
	return (n + linePixels - 1) / linePixels * linePixels
}

// A tap is where a pixel comes from: the pixels first and second with the weights in the
// low and the high 16 bits of weights, 256 in all.
type tap struct {
	first, second int32
	weights       uint32
}

// appendTaps appends the taps of a side that is resized to a number of pixels from another.
func appendTaps(taps []tap, to, from int) []tap {
	scale := 1 / (float64(to) / float64(from))
	for i := range to {
		f := float64(scale*(float64(i)+0.5)) - 0.5
		at := math.Floor(f)
		switch {
		case at < 0:
			taps = append(taps, tap{weights: 256})
		case int(at) >= from-1:
			taps = append(taps, tap{first: int32(from - 1), second: int32(from - 1), weights: 256})
		default:
			second := uint32(math.RoundToEven((f - at) * 256))
			taps = append(taps, tap{first: int32(at), second: int32(at) + 1, weights: 256 - second | second<<16})
		}
	}
	return taps
}

// prepare prepares r for images of these sizes.
func (r *resizer) prepare(to, from image.Point, k *kernels) {
	if r.resizing == (resizing{to, from, k}) {
		return
	}
	r.resizing = resizing{to, from, k}
	r.columns = appendTaps(r.columns[:0], to.X, from.X)
	r.rows = appendTaps(r.rows[:0], to.Y, from.Y)
	r.bases, r.shuffles, r.weights = r.bases[:0], r.shuffles[:0], r.weights[:0]
	r.resize = k.resize
	if k.window > 0 && !r.appendWindows(k.window) {
		r.resize = portable.resize
	}
}

// appendWindows makes the windows of a line. Each window is for the given number of pixels
// of the line, and has twice as many pixels of the row. appendWindows reports whether all
// pixels come from their windows.
func (r *resizer) appendWindows(pixels int) bool {
	last := r.from.X - 2*pixels
	if last < 0 {
		return false
	}
	base := 0
	for i := range roundUp(r.to.X) {
		t := r.columns[min(i, r.to.X-1)]
		first, second, weight := int(t.first), int(t.second), t.weights>>16
		if i%pixels == 0 {
			base = min(first, last)
			r.bases = append(r.bases, int32(base))
		}
		if second >= base+2*pixels {
			return false
		}
		// Weights are bytes, and 256 is the sum of 255 and 1.
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

// A resizeRun is rows of dst to make from the rows of src. Assembly requires that all pixels
// come from their windows.
type resizeRun struct {
	src, dst             []byte
	srcStride, dstStride int
	columns, rows        []tap
	bases                []int32
	shuffles, weights    []uint8
	even, odd            []int16 // lines
	next                 int     // the next row of src to make a line from
	bias                 int32   // lineBias
}

// lineBias is added to blended lines: the 1<<15 that lines lack, times 256, and a half for
// rounding.
const lineBias = 256<<15 + 1<<15

// resizePixels is about the number of pixels that a call of a kernel makes. A call must not
// take long, since assembly cannot be preempted.
const resizePixels = 1 << 14

// apply makes the rows of dst from begin up to end, which is src, resized. They have the sizes that
// r is prepared for.
func (r *resizer) apply(m *resizerMemory, dst, src raster.Plane, begin, end int) {
	width := roundUp(r.to.X)
	for i := range m.lines {
		m.lines[i] = raster.Resize(m.lines[i], width)
	}
	m.run = resizeRun{
		src: src.Pix, srcStride: src.Stride, dstStride: dst.Stride,
		columns: r.columns, bases: r.bases, shuffles: r.shuffles, weights: r.weights,
		even: m.lines[0], odd: m.lines[1], bias: lineBias,
	}
	n := max(resizePixels/width, 1)
	for y := begin; y < end; y += n {
		m.run.dst, m.run.rows = dst.Pix[y*dst.Stride:], r.rows[y:min(y+n, end)]
		r.resize(&m.run)
	}
	m.run = resizeRun{}
}

func resizePortable(r *resizeRun) {
	columns, lines, next := r.columns, [2][]int16{r.even, r.odd}, r.next
	for y, t := range r.rows {
		for next = max(next, int(t.first)); next <= int(t.second); next++ {
			row := r.src[next*r.srcStride:]
			line := lines[next&1][:len(columns)]
			for x, t := range columns {
				line[x] = int16(t.blend(int32(row[t.first]), int32(row[t.second])) - 1<<15)
			}
		}
		row := r.dst[y*r.dstStride:][:len(columns)]
		upper, lower := lines[t.first&1][:len(row)], lines[t.second&1][:len(row)]
		first, second := int32(t.weights&0xffff), int32(t.weights>>16)
		for x := range row {
			row[x] = uint8((first*int32(upper[x]) + second*int32(lower[x]) + lineBias) >> 16)
		}
	}
	r.next = next
}

// blend returns the weighted sum of two values.
func (t tap) blend(first, second int32) int32 {
	return int32(t.weights&0xffff)*first + int32(t.weights>>16)*second
}
