package files

import (
	"image"

	"github.com/fastcorners/fast/internal/program/cli"
)

// A Mask says which pixels count.
type Mask struct {
	Input
	Gray *image.Gray // not 0 where they count
}

// Mask makes a mask from an image: from its alpha if any pixel is transparent, and
// otherwise from its luma. It takes memory for as long as the program runs.
func (r *Reader) Mask(path string) (*Mask, error) {
	in, err := r.Input(path)
	if err != nil {
		return nil, err
	}
	img, err := r.Load(in, Purpose{Bytes: 1})
	if err != nil {
		return nil, err
	}
	r.Reserve(cli.Memory(img.Size(), 1))
	return &Mask{in, img.Mask()}, nil
}
