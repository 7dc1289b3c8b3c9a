package locate

import (
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
)

// A Template is a small picture to find in a Scene. Create one with [NewTemplate] or
// [NewColorTemplate]. It is safe for concurrent use.
type Template struct {
	made option.Made
	pattern

	// What searches have asked for, as the methods return it.
	mu          sync.Mutex
	pairs       [3][]int16
	quads       [3][]int8
	folds       [3][]int16
	outlines    []*outline
	transformed *spectra
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

// Bounds returns the part of the scene that t covers at a match.
func (t *Template) Bounds(m Match) image.Rectangle {
	t.check()
	return image.Rect(m.X, m.Y, m.X+t.w, m.Y+t.h)
}

// Flat reports whether all pixels of t in its mask are equal, in each channel. The Correlation of a
// flat template is 0 everywhere.
func (t *Template) Flat() bool {
	t.check()
	return t.variation() == 0
}

// products returns the values of a channel for products with [blockRows] rows of places at a time, as
// [pack] arranges them, by pairs of columns. With bytes it returns the pixels less byteCenter instead, by
// four columns.
func (t *Template) products(c int, bytes bool) ([]int16, []int8) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case bytes && t.quads[c] == nil:
		t.quads[c] = packBytes(&t.pattern, c)
	case !bytes && t.pairs[c] == nil:
		t.pairs[c] = packValues(&t.pattern, c)
	}
	return t.pairs[c], t.quads[c]
}

// foldedValues returns the values of a channel as [foldRun] has them.
func (t *Template) foldedValues(c int) []int16 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.folds[c] == nil {
		t.folds[c] = foldValues(&t.pattern, c)
	}
	return t.folds[c]
}

// spectra returns the transforms of t for tiles of a size. Those of one size are kept.
func (t *Template) spectra(size image.Point) *spectra {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.transformed == nil || t.transformed.size != size {
		t.transformed = newSpectra(&t.pattern, size)
	}
	return t.transformed
}

// outline returns the outline of t for blocks of a side. With centered it is that of t less its
// means.
func (t *Template) outline(side int, centered bool) *outline {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range t.outlines {
		if o.side == side && o.centered == centered {
			return o
		}
	}
	o := newOutline(&t.pattern, side, centered)
	t.outlines = append(t.outlines, o)
	return o
}

// check panics unless t was made.
func (t *Template) check() {
	if t == nil {
		panic("locate: nil Template")
	}
	t.made.Require("locate", "Template", "NewTemplate")
}
