package locate

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// maxSide is the largest side of a template.
const maxSide = 1024

// A pattern is the pixels of a template.
type pattern struct {
	shape
	channels   int   // 1 or 3
	n          int64 // pixels of the mask
	valueCount int64 // n times channels

	// Of each channel: the mean of the pixels, rounded, and their sum.
	mean, sum1 [3]int64
	sum2       int64 // of the squares of the pixels, all channels

	// values are the pixels less the mean, by rows of stride numbers, a multiple of 16. They are 0
	// where the mask is, and beyond the row.
	stride int
	values [3][]int16
	// mask has all bits of the pixels of the mask, and none otherwise, by rows of maskStride
	// numbers. All rows are the same if that is 0.
	mask       []int16
	maskStride int
}

// begin sets the size and the mask of t.
func (t *pattern) begin(r image.Rectangle, mask *image.Gray, channels int) error {
	if r.Empty() {
		return fmt.Errorf("locate: empty template")
	}
	if w, h := raster.Size(r); w > maxSide || h > maxSide {
		return fmt.Errorf("locate: template of %d by %d pixels, more than %d a side", w, h, maxSide)
	}
	t.w, t.h = r.Dx(), r.Dy()
	t.stride = (t.w + 15) &^ 15
	if mask == nil {
		t.n = int64(t.w * t.h)
		t.mask = make([]int16, t.stride)
		for x := range t.w {
			t.mask[x] = -1
		}
	} else {
		m := raster.NewMask("locate", mask, mask.Rect)
		if m.W != t.w || m.H != t.h {
			return fmt.Errorf("locate: mask of %d by %d pixels for a template of %d by %d", m.W, m.H, t.w, t.h)
		}
		if t.setMask(m); t.n == 0 {
			return fmt.Errorf("locate: mask without pixels")
		}
	}
	t.channels, t.valueCount = channels, t.n*int64(channels)
	return nil
}

// setMask sets what t knows of its mask.
func (t *pattern) setMask(m raster.Plane) {
	t.maskStride = t.stride
	t.mask = make([]int16, t.h*t.stride)
	for y := range t.h {
		t.rows = append(t.rows, int32(len(t.spans)))
		row := t.mask[y*t.stride:]
		for x, v := range m.Row(y) {
			if v == 0 {
				continue
			}
			t.n++
			row[x] = -1
			if x == 0 || row[x-1] == 0 {
				t.spans = append(t.spans, span{int32(x), int32(x)})
			}
			t.spans[len(t.spans)-1].end++
		}
	}
	t.rows = append(t.rows, int32(len(t.spans)))
	if t.n == int64(t.w*t.h) {
		t.mask, t.maskStride, t.spans, t.rows = t.mask[:t.stride], 0, nil, nil
	}
}

// fill sets the values of a channel, whose pixels are step bytes apart.
func (t *pattern) fill(c int, pix []byte, stride, step int) {
	values := make([]int16, t.h*t.stride)
	t.values[c] = values
	for y := range t.h {
		row, mask := values[y*t.stride:], t.mask[y*t.maskStride:]
		for x := range t.w {
			v := int16(pix[y*stride+x*step]) & mask[x]
			row[x] = v
			t.sum1[c] += int64(v)
			t.sum2 += int64(v) * int64(v)
		}
	}
	t.mean[c] = (t.sum1[c] + t.n/2) / t.n
	for y := range t.h {
		row, mask := values[y*t.stride:], t.mask[y*t.maskStride:]
		for x := range t.w {
			row[x] -= int16(t.mean[c]) & mask[x]
		}
	}
}

// variation returns the sum of the squares of the pixels less their means, times n.
func (t *pattern) variation() int64 {
	v := t.n * t.sum2
	for _, s := range t.sum1 {
		v -= s * s
	}
	return v
}

// has reports whether the mask has all pixels of the block at x, y.
func (t *pattern) has(x, y, side int) bool {
	all := true
	t.each(x, y, side, func(x, y int) { all = all && t.mask[y*t.maskStride+x] != 0 })
	return all
}

// each calls f for the pixels of the block at x, y.
func (t *pattern) each(x, y, side int, f func(x, y int)) {
	for j := range side {
		for i := range side {
			f(x+i, y+j)
		}
	}
}
