// Package filetest makes and reads the files of tests.
package filetest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Square is a dark image with a bright square, which has corners.
func Square(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := h / 4; y < h*3/4; y++ {
		for x := w / 4; x < w*3/4; x++ {
			img.Pix[img.PixOffset(x, y)] = 200
		}
	}
	return img
}

// Encode returns the file of an image that an encoder writes.
func Encode(t testing.TB, encoder func(io.Writer, image.Image) error, img image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, encoder(&file, img))
	return file.Bytes()
}

// StorePNG writes an image as PNG without compression, which takes less time.
var StorePNG = (&png.Encoder{CompressionLevel: png.NoCompression}).Encode

// Write writes a file, and makes its directory.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, data, 0o666))
}

// WriteSquare writes a picture of a square, of 40 by 30 pixels.
func WriteSquare(t testing.TB, path string) {
	t.Helper()
	Write(t, path, Encode(t, StorePNG, Square(40, 30)))
}

// Read returns what is in a file.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// ReadPNG returns the image in a file.
func ReadPNG(t testing.TB, path string) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(Read(t, path)))
	require.NoError(t, err)
	return img
}

// List lists the files in and below the working directory.
func List(t testing.TB) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			list = append(list, filepath.ToSlash(path))
		}
		return err
	})
	require.NoError(t, err)
	return list
}

// PNGHeader returns the beginning of a PNG file that says that it has an image of w by h pixels,
// with 16 bits for each of four channels.
func PNGHeader(w, h int) []byte {
	chunk := binary.BigEndian.AppendUint32([]byte("IHDR"), uint32(w))
	chunk = binary.BigEndian.AppendUint32(chunk, uint32(h))
	chunk = append(chunk, 16, 6, 0, 0, 0)
	file := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), uint32(len(chunk)-4))
	file = append(file, chunk...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(chunk))
}
