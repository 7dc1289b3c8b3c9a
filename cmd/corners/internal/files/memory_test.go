package files

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/photo"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// No more memory is used than is reserved.
func TestMemoryEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes images of some size")
	}
	r := image.Rect(0, 0, 1600, 1200)
	colors := image.NewNRGBA(r)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range colors.Pix {
		colors.Pix[i] = uint8(random.Uint32() & 0xfc)
	}
	draw.Draw(colors, image.Rect(400, 300, 1200, 900), image.NewUniform(color.NRGBA{90, 50, 80, 200}), image.Point{}, draw.Src)
	gray, deep := image.NewGray(r), image.NewNRGBA64(r)
	draw.Draw(gray, r, colors, r.Min, draw.Src)
	draw.Draw(deep, r, colors, r.Min, draw.Src)
	encodeTIFF := func(w io.Writer, img image.Image) error {
		return tiff.Encode(w, img, &tiff.Options{Compression: tiff.Deflate})
	}
	plain := []byte("P3 1600 1200 255\n")
	for _, v := range gray.Pix {
		plain = append(strconv.AppendUint(plain, uint64(v), 10), ' ')
		plain = append(strconv.AppendUint(plain, uint64(v/2), 10), " 0 "...)
	}
	// Colors that need not be chosen are made soon.
	paletted := image.NewPaletted(r, nil)
	paletted.Pix = gray.Pix
	for v := range 256 {
		paletted.Palette = append(paletted.Palette, color.Gray{Y: uint8(v)})
	}
	pgm := append([]byte("P5 1600 1200 255\n"), gray.Pix...)
	for name, data := range map[string][]byte{
		"gray.jpg":   phototest.WithSegments(t, gray),
		"colors.jpg": phototest.WithSegments(t, colors, phototest.Exif(binary.BigEndian, 6)),
		"gray.png":   filetest.Encode(t, filetest.StorePNG, gray),
		"colors.png": filetest.Encode(t, filetest.StorePNG, colors),
		"deep.png":   filetest.Encode(t, filetest.StorePNG, deep),
		"gray.gif":   filetest.Encode(t, func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }, paletted),
		"colors.bmp": filetest.Encode(t, bmp.Encode, colors),
		"colors.tif": filetest.Encode(t, encodeTIFF, colors),
		"deep.tif":   filetest.Encode(t, encodeTIFF, deep),
		"gray.pgm":   pgm,
		"plain.ppm":  plain,
	} {
		h, err := photo.ReadHeader(bytes.NewReader(data))
		require.NoError(t, err)
		limit := int64(cli.Memory(h.Stored, h.PixelSize(true))) + 1<<20
		require.Less(t, phototest.Least(limit, func() int64 {
			var img photo.Photo
			decoding := phototest.Peak(func() { img, err = h.Decode(bytes.NewReader(data)) })
			require.NoError(t, err)
			drawing := phototest.Peak(func() {
				img.Gray()
				overlay.Corners(img.Canvas(), []fast.Corner{{X: 9, Y: 9}})
			})
			return max(decoding, drawing)
		}), limit, name)
	}
}
