package main

import (
	"fmt"
	"image"
	"image/draw"

	"github.com/fastcorners/fast/internal/photo"
)

// A mask says where corners are wanted.
type mask struct {
	input
	alpha *image.Alpha // not 0 where they are
}

// loadMask makes a mask of an image: of its alpha if any pixel is transparent,
// or else of its luma.
func (s *session) loadMask(path string) (*mask, error) {
	in, err := s.newInput(path)
	if err != nil {
		return nil, named(path, err)
	}
	img, err := s.load(in, false, 1, nil)
	if err != nil {
		return nil, named(path, err)
	}
	s.memory -= photo.Memory(img.Size(), 1) // for as long as the session lasts
	m := &mask{input: in}
	if o, ok := img.Image.(interface{ Opaque() bool }); ok && o.Opaque() {
		gray := img.Gray()
		m.alpha = &image.Alpha{Pix: gray.Pix, Stride: gray.Stride, Rect: gray.Rect}
	} else {
		m.alpha = image.NewAlpha(img.Bounds())
		draw.Draw(m.alpha, m.alpha.Rect, img, m.alpha.Rect.Min, draw.Src)
	}
	return m, nil
}

// of returns the mask for an image with these bounds, which must be the mask's.
func (m *mask) of(r image.Rectangle) (*image.Alpha, error) {
	if own := m.alpha.Rect.Size(); own != r.Size() {
		return nil, fmt.Errorf("%d x %d pixels, but the mask %s has %d x %d",
			r.Dx(), r.Dy(), printable(m.name), own.X, own.Y)
	}
	return m.alpha, nil
}

// grayMask returns a mask, which may be nil, as packages orb and harris take it.
func grayMask(mask *image.Alpha) *image.Gray {
	if mask == nil {
		return nil
	}
	return &image.Gray{Pix: mask.Pix, Stride: mask.Stride, Rect: mask.Rect}
}
