package main

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"

	_ "github.com/fastcorners/fast/internal/netpbm"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// A source is an image file that is read.
type source interface {
	io.ReadSeeker
	io.ReaderAt
}

// A header is what a file tells before its pixels.
type header struct {
	format      string
	model       color.Model
	stored      image.Point // the size of the image as it is decoded
	orientation int         // of Exif, 0 to 8
	copies      int64       // that the decoder has of the pixels besides, at most
}

// readHeader reads what a file tells before its pixels.
func readHeader(src source) (header, error) {
	config, format, err := image.DecodeConfig(src)
	if err != nil {
		return header{}, err
	}
	h := header{format: format, model: config.ColorModel, stored: image.Pt(config.Width, config.Height)}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return header{}, err
	}
	switch format {
	case "jpeg":
		var progressive bool
		if h.orientation, progressive = readJPEGHeader(src); progressive {
			h.copies = 4 // a coefficient of 4 bytes for each value
		}
	case "png":
		// Some gray images turn out to have transparent pixels.
		switch h.model {
		case color.GrayModel:
			h.model = color.NRGBAModel
		case color.Gray16Model:
			h.model = color.NRGBA64Model
		}
		const interlace = 28 // the place of a byte that is 0 for images without
		var b [1]byte
		_, err := src.ReadAt(b[:], interlace)
		if err != nil || b[0] != 0 {
			h.copies = 1
		}
	case "tiff":
		h.copies = 3 // strips, in memory that grows
	case "webp", "pbm", "pgm", "ppm":
		h.copies = 2
	}
	return h, nil
}

// size returns the size of the image as it is to be seen.
func (h header) size() image.Point {
	return orient(h.stored, h.orientation)
}

// pixelSize returns how many bytes a pixel takes while the image is decoded and, if draw
// is set, drawn on.
func (h header) pixelSize(draw bool) int64 {
	n := pixelSize(h.model) * (1 + h.copies)
	const gray, canvas, rims = 1, 4, 1
	n += gray
	if h.format == "gif" {
		n += canvas // see decode
	}
	if draw {
		n += canvas + rims
	}
	if h.orientation > 1 {
		n += gray
		if draw {
			n += canvas
		}
	}
	return n
}

// decode decodes the image.
func (h header) decode(src source) (photo, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return photo{}, err
	}
	img, _, err := image.Decode(src)
	if err != nil {
		return photo{}, err
	}
	// The frame of a GIF may be smaller than the picture and lie anywhere in it.
	if whole := (image.Rectangle{Max: h.stored}); img.Bounds() != whole {
		canvas := image.NewRGBA(whole)
		draw.Draw(canvas, img.Bounds(), img, img.Bounds().Min, draw.Src)
		img = canvas
	}
	return photo{img, h.orientation}, nil
}

// load decodes an input, which may be drawn on. Before that it asks reserve, unless that is
// nil, for the bytes of memory that this takes, with some more for each pixel. It fails when
// there is not so much.
func (s *session) load(in input, draw bool, more int64, reserve func(bytes int64) error) (photo, error) {
	f, err := s.open(in)
	if err != nil {
		return photo{}, err
	}
	defer f.Close()
	return s.loadFile(f, draw, more, reserve)
}

// loadFile is load for an open file.
func (s *session) loadFile(f *file, draw bool, more int64, reserve func(bytes int64) error) (photo, error) {
	h, err := readHeader(f)
	if err != nil {
		return photo{}, cmp.Or(f.broken, describe(err))
	}
	if h.stored.X <= 0 || h.stored.Y <= 0 {
		return photo{}, errors.New("an image without pixels")
	}
	need := f.held + multiply(h.stored, h.pixelSize(draw)+more)
	if err := s.checkMemory(h.size(), need); err != nil {
		return photo{}, err
	}
	if reserve != nil {
		if err := reserve(int64(need)); err != nil {
			return photo{}, err
		}
	}
	img, err := h.decode(f)
	if err != nil {
		return photo{}, cmp.Or(f.broken, describe(err))
	}
	return img, nil
}

// checkMemory returns an error if there is less memory than an image needs.
func (s *session) checkMemory(size image.Point, need byteSize) error {
	if need > s.memory {
		return fmt.Errorf("%d x %d pixels need %v of memory, more than %v (-memory)", size.X, size.Y, need, s.memory)
	}
	return nil
}

// describe returns an error of a decoder in words for users.
func describe(err error) error {
	if errors.Is(err, image.ErrFormat) {
		return errors.New("not an image, or of a format that corners does not read")
	}
	return fmt.Errorf("cannot be decoded (%w)", err)
}
