package photo

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"math"

	"github.com/fastcorners/fast"
	_ "github.com/fastcorners/fast/internal/netpbm"
)

// A Source is an open image file, such as an *os.File or a *bytes.Reader, at its beginning.
type Source interface {
	io.ReadSeeker
	io.ReaderAt
}

// A Header is what a file contains before its pixels.
type Header struct {
	// Stored is the size of the image as it is decoded, in pixels.
	Stored image.Point
	// Orientation is that of Exif: 1 to 8, or 0 if the file has none. The photo must be turned or
	// mirrored if it is 2 or more.
	Orientation int
	// FocalLength35 is Exif's 35-mm equivalent of the focal length, in millimeters, or 0 if the
	// file does not have it.
	FocalLength35 int

	format string
	model  color.Model
	copies int64  // maximum number of further copies of the pixels in the decoder
	fax    uint32 // see readFaxCompression
}

// Decode reads and decodes a file, of any size; [ReadHeader] tells what that takes.
func Decode(src Source) (Photo, error) {
	h, err := ReadHeader(src)
	if err != nil {
		return Photo{}, err
	}
	return h.Decode(src)
}

// ReadHeader reads the header of a file. It fails if the file is not an image of a registered
// format, or has no pixels.
func ReadHeader(src Source) (Header, error) {
	config, format, err := image.DecodeConfig(src)
	switch {
	case errors.Is(err, image.ErrFormat):
		return Header{}, errors.New("not an image, or of a format that is not read")
	case err != nil:
		return Header{}, fmt.Errorf("cannot be decoded (%w)", err)
	case config.Width <= 0 || config.Height <= 0:
		return Header{}, errors.New("an image without pixels")
	}
	h := Header{Stored: image.Pt(config.Width, config.Height), format: format, model: config.ColorModel}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return Header{}, err
	}
	switch format {
	case "jpeg":
		j := readJPEGHeader(src)
		h.Orientation, h.FocalLength35 = j.orientation, j.focalLength35
		if j.progressive {
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
		const interlace = 28 // offset of a byte that is 0 without interlacing
		var b [1]byte
		_, err := src.ReadAt(b[:], interlace)
		if err != nil || b[0] != 0 {
			h.copies = 1
		}
	case "tiff":
		h.copies = 3 // strips, in memory that grows
		h.fax = readFaxCompression(src)
	case "webp", "pbm", "pgm", "ppm":
		h.copies = 2
	}
	return h, nil
}

// Size returns the size of the image, turned upright.
func (h Header) Size() image.Point {
	return orient(h.Stored, h.Orientation)
}

// PixelSize returns the largest number of bytes per pixel that decoding the image takes, together
// with Gray and, if draw is set, Canvas.
func (h Header) PixelSize(draw bool) int64 {
	n := pixelSize(h.model) * (1 + h.copies)
	const gray, canvas, rims = 1, 4, 1
	n += gray
	if h.format == "gif" {
		n += canvas // see Decode
	}
	if draw {
		n += canvas + rims
	}
	if h.Orientation > 1 {
		n += gray
		if draw {
			n += canvas
		}
	}
	return n
}

// pixelSize returns the maximum number of bytes of a decoded pixel.
func pixelSize(model color.Model) int64 {
	switch model {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBAModel, color.NRGBAModel, color.NYCbCrAModel, color.CMYKModel:
		return 4
	}
	if _, ok := model.(color.Palette); ok {
		return 1
	}
	return 8
}

// expandRange changes luma of 16 to 235 and chroma of 16 to 240, which lossy WebP images
// have, to the full range, from which package image computes colors.
func expandRange(img *image.YCbCr) {
	luma := fast.Gray(img) // shares its pixels
	fast.ExpandLuma(luma, luma)
	var full [256]uint8
	for v := range full {
		full[v] = uint8(max(0, min(128+math.Round(float64(v-128)*255/224), 255)))
	}
	for _, pix := range [][]byte{img.Cb, img.Cr} {
		for i, v := range pix {
			pix[i] = full[v]
		}
	}
}

// Decode decodes the image whose header is h. src may be at any position.
func (h Header) Decode(src Source) (Photo, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return Photo{}, err
	}
	img, _, err := image.Decode(src)
	if err != nil {
		return Photo{}, fmt.Errorf("cannot be decoded (%w)", err)
	}
	if h.fax != 0 && decodesNegative(h.fax) {
		negate(img)
	}
	switch img := img.(type) {
	case *image.YCbCr:
		if h.format == "webp" {
			expandRange(img)
		}
	case *image.NYCbCrA: // of webp only
		expandRange(&img.YCbCr)
	}
	// The frame of a GIF may be smaller than the picture and lie anywhere in it.
	if whole := (image.Rectangle{Max: h.Stored}); img.Bounds() != whole {
		canvas := image.NewRGBA(whole)
		draw.Draw(canvas, img.Bounds(), img, img.Bounds().Min, draw.Src)
		img = canvas
	}
	return Photo{img, h.Orientation}, nil
}
