package locate

import (
	"fmt"
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
)

// maxSide is the largest side of a template.
const maxSide = 1024

// A Template is a small picture to find in a Scene. Create one with [NewTemplate] or
// [NewColorTemplate]. It is safe for concurrent use.
type Template struct {
	made     option.Made
	shape          // its pixels
	channels int   // 1 or 3
	n        int64 // pixels of the mask
	area     int64 // n times channels
	flat     bool

	// Of each channel: the mean of the pixels, rounded, and the sums of the pixels less the mean.
	mean, sum [3]int64
	sum1      [3]int64 // of the pixels
	sum2      int64    // of the squares of the pixels, all channels

	// values are the pixels less the mean, by rows of stride numbers, a multiple of 16. They are 0
	// where the mask is, and beyond the row.
	stride int
	values [3][]int16
	// mask has all bits of the pixels of the mask, and none otherwise, by rows of maskStride
	// numbers. All rows are the same if that is 0.
	mask       []int16
	maskStride int

	mu          sync.Mutex
	pairs       [3][]int16 // that have been asked for: see [Template.products]
	quads       [3][]int8  // likewise
	folds       [3][]int16 // likewise: see [Template.foldedValues]
	outlines    []*outline // likewise
	transformed *spectra   // likewise
}

// NewTemplate returns a Template of a gray picture. The mask, which has the size of img, determines
// which pixels are compared: those where it is not 0. With a nil mask, all pixels are. NewTemplate
// copies both pictures.
//
// NewTemplate fails if img is empty, if one of its sides is longer than 1024 pixels, or if the mask
// has a different size or is 0 everywhere. It panics if img is nil, or if an image is malformed.
func NewTemplate(img, mask *image.Gray) (*Template, error) {
	p := raster.NewPlane("locate", img)
	t := &Template{made: true}
	if err := t.begin(img.Rect, mask, 1); err != nil {
		return nil, err
	}
	t.fill(0, p.Pix, p.Stride, 1)
	t.finish()
	return t, nil
}

// NewColorTemplate is like NewTemplate for a picture in color. It ignores alpha, from which
// [AlphaMask] makes a mask.
func NewColorTemplate(img *image.RGBA, mask *image.Gray) (*Template, error) {
	p := newColors(img)
	t := &Template{made: true}
	if err := t.begin(img.Rect, mask, 3); err != nil {
		return nil, err
	}
	for c := range 3 {
		t.fill(c, p.Pix[c:], p.Stride, 4)
	}
	t.finish()
	return t, nil
}

// AlphaMask returns a mask for a template made from img, such as an icon: 255 where its alpha is at
// least half of the opaque value, and 0 elsewhere. It panics if img is nil.
func AlphaMask(img image.Image) *image.Gray {
	if raster.IsNil(img) {
		panic("locate: nil image")
	}
	r := img.Bounds()
	mask := image.NewGray(r)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := mask.Pix[(y-r.Min.Y)*mask.Stride:]
		for x := r.Min.X; x < r.Max.X; x++ {
			if _, _, _, a := img.At(x, y).RGBA(); a >= 0x8000 {
				row[x-r.Min.X] = 255
			}
		}
	}
	return mask
}

// begin sets the size and the mask of t.
func (t *Template) begin(r image.Rectangle, mask *image.Gray, channels int) error {
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
	t.channels, t.area = channels, t.n*int64(channels)
	return nil
}

// setMask sets what t knows of its mask.
func (t *Template) setMask(m raster.Plane) {
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
func (t *Template) fill(c int, pix []byte, stride, step int) {
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
	t.sum[c] = t.sum1[c] - t.n*t.mean[c]
	for y := range t.h {
		row, mask := values[y*t.stride:], t.mask[y*t.maskStride:]
		for x := range t.w {
			row[x] -= int16(t.mean[c]) & mask[x]
		}
	}
}

// finish sets what follows from all channels.
func (t *Template) finish() {
	t.flat = t.variation() == 0
}

// variation returns the sum of the squares of the pixels less their means, times n.
func (t *Template) variation() int64 {
	v := t.n * t.sum2
	for _, s := range t.sum1 {
		v -= s * s
	}
	return v
}

// byteCenter is what pixels as signed bytes are less than pixels.
const byteCenter = 128

// products returns the values of a channel for products with [blockRows] rows of places at a
// time: for each row of pixels below the first row of places, blockRows-1 more than t has, and
// for each pair of columns, the two values that the pair is multiplied with for each row of
// places. The values of a last pair without a second column are 0. With bytes it returns the pixels less
// byteCenter instead, likewise by four columns.
func (t *Template) products(c int, bytes bool) ([]int16, []int8) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case bytes && t.quads[c] == nil:
		t.quads[c] = pack(t, 4, func(x, y int) int8 {
			return int8((t.values[c][y*t.stride+x] + int16(t.mean[c]-byteCenter)) & t.mask[y*t.maskStride+x])
		})
	case !bytes && t.pairs[c] == nil:
		t.pairs[c] = pack(t, 2, func(x, y int) int16 { return t.values[c][y*t.stride+x] })
	}
	return t.pairs[c], t.quads[c]
}

// pack returns values as products has them, by so many columns.
func pack[T int8 | int16](t *Template, columns int, value func(x, y int) T) []T {
	groups := (t.w + columns - 1) / columns
	list := make([]T, (t.h+blockRows-1)*groups*columns*blockRows)
	for y := range t.h {
		for r := range blockRows {
			to := list[(y+r)*groups*columns*blockRows+columns*r:]
			for x := range t.w {
				to[x/columns*columns*blockRows+x%columns] = value(x, y)
			}
		}
	}
	return list
}

// Bounds returns the part of the scene that t covers at a match.
func (t *Template) Bounds(m Match) image.Rectangle {
	t.check()
	return image.Rect(m.X, m.Y, m.X+t.w, m.Y+t.h)
}

// Flat reports whether all pixels of t in its mask are equal, in each channel. The Correlation of a
// flat template is 0 everywhere.
func (t *Template) Flat() bool {
	t.check()
	return t.flat
}

// check panics unless t was made.
func (t *Template) check() {
	if t == nil {
		panic("locate: nil Template")
	}
	t.made.Require("locate", "Template", "NewTemplate")
}
