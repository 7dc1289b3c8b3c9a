package main

import (
	"fmt"
	"image"
	"image/draw"
	"os"

	"github.com/fastcorners/fast"
)

// A mask says where corners are wanted.
type mask struct {
	input
	alpha *image.Alpha // not 0 where they are
}

// loadMask makes a mask of an image: of its alpha if any pixel is transparent,
// or else of its luma.
func loadMask(path string) (*mask, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	m := &mask{input: input{name: path, info: info}}
	img, err := m.load()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		gray := fast.Gray(img)
		m.alpha = &image.Alpha{Pix: gray.Pix, Stride: gray.Stride, Rect: gray.Rect}
	} else {
		m.alpha = image.NewAlpha(img.Bounds())
		draw.Draw(m.alpha, m.alpha.Rect, img, m.alpha.Rect.Min, draw.Src)
	}
	return m, nil
}

// fits returns an error unless the mask is for images of the given size.
func (m *mask) fits(size image.Point) error {
	if own := m.alpha.Rect.Size(); own != size {
		return fmt.Errorf("%d x %d pixels, but the mask %s has %d x %d", size.X, size.Y, m.name, own.X, own.Y)
	}
	return nil
}

// at returns the mask moved to have its upper left pixel at min.
func (m *mask) at(min image.Point) *image.Alpha {
	alpha := *m.alpha
	alpha.Rect = alpha.Rect.Add(min.Sub(alpha.Rect.Min))
	return &alpha
}

// grayMask returns a mask, which may be nil, as packages orb and harris take it.
func grayMask(mask *image.Alpha) *image.Gray {
	if mask == nil {
		return nil
	}
	return &image.Gray{Pix: mask.Pix, Stride: mask.Stride, Rect: mask.Rect}
}
