package main

import (
	"cmp"

	"github.com/fastcorners/fast/internal/photo"
)

// load decodes an input, which may be drawn on. Before that it asks reserve, unless that is
// nil, for the bytes of memory that this takes, with some more for each pixel. It fails when
// there is not so much.
func (s *session) load(in input, draw bool, more int64, reserve func(bytes int64) error) (photo.Photo, error) {
	f, err := s.open(in)
	if err != nil {
		return photo.Photo{}, err
	}
	defer f.Close()
	return s.loadFile(f, draw, more, reserve)
}

// loadFile is load for an open file.
func (s *session) loadFile(f *file, draw bool, more int64, reserve func(bytes int64) error) (photo.Photo, error) {
	h, err := photo.ReadHeader(f)
	if err != nil {
		return photo.Photo{}, cmp.Or(f.broken, err)
	}
	need := f.held + photo.Memory(h.Stored, h.PixelSize(draw)+more)
	if err := photo.CheckMemory(h.Size(), need, s.memory); err != nil {
		return photo.Photo{}, err
	}
	if reserve != nil {
		if err := reserve(int64(need)); err != nil {
			return photo.Photo{}, err
		}
	}
	img, err := h.Decode(f)
	if err != nil {
		return photo.Photo{}, cmp.Or(f.broken, err)
	}
	return img, nil
}
