package pgm

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func gray(w, h int, pix ...byte) *image.Gray {
	return &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
}

func gray16(w, h int, pix ...byte) *image.Gray16 {
	return &image.Gray16{Pix: pix, Stride: 2 * w, Rect: image.Rect(0, 0, w, h)}
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		name, file string
		want       image.Image
	}{
		{"plain", "P5\n3 2\n255\n\x00\x01\x02\x03\x04\xff", gray(3, 2, 0, 1, 2, 3, 4, 255)},
		{"one line", "P5 3 2 255 abcdef", gray(3, 2, []byte("abcdef")...)},
		{"all white space", "P5\t\v\f\r\n 1 \n\n1\r255\nx", gray(1, 1, 'x')},
		{"pixel that looks like space", "P5 2 1 255  \n", gray(2, 1, ' ', '\n')},
		{"pixel that looks like a comment", "P5 2 1 255 #\n", gray(2, 1, '#', '\n')},
		{"comments", "P5#one\n# two 7 8\n2 #three\r#\n1\n# four\n255\nab", gray(2, 1, 'a', 'b')},
		{"comment inside the separator", "P5 2 1 255#five\nab", gray(2, 1, 'a', 'b')},
		{"leading zeros", "P5 002 01 000255 ab", gray(2, 1, 'a', 'b')},
		{"more after the pixels", "P5 1 1 255 aP5 1 1 255 b", gray(1, 1, 'a')},
		{"bitmap-like maximum", "P5 2 1 1 \x00\x01", gray(2, 1, 0, 255)},
		{"scaled", "P5 4 1 100 \x00\x01\x32\x64", gray(4, 1, 0, 3, 128, 255)},
		{"16 bits", "P5 2 1 65535 \x01\x02\xff\xff", gray16(2, 1, 1, 2, 0xff, 0xff)},
		{"16 bits scaled", "P5 3 1 256 \x00\x00\x00\x80\x01\x00", gray16(3, 1, 0, 0, 0x80, 0, 0xff, 0xff)},
	} {
		t.Run(test.name, func(t *testing.T) {
			img, format, err := image.Decode(strings.NewReader(test.file))
			require.NoError(t, err)
			require.Equal(t, "pgm", format)
			require.Equal(t, test.want, img)

			config, format, err := image.DecodeConfig(iotest.OneByteReader(strings.NewReader(test.file)))
			require.NoError(t, err)
			require.Equal(t, "pgm", format)
			require.Equal(t, test.want.Bounds().Max, image.Pt(config.Width, config.Height))
			require.Equal(t, test.want.ColorModel(), config.ColorModel)
		})
	}
}

// Every maximum value keeps black black and white white.
func TestScaleEnds(t *testing.T) {
	for maxval := 1; maxval <= math.MaxUint16; maxval++ {
		file := fmt.Appendf(nil, "P5 2 1 %d\n", maxval)
		if maxval <= math.MaxUint8 {
			file = append(file, 0, byte(maxval))
		} else {
			file = append(file, 0, 0, byte(maxval>>8), byte(maxval))
		}
		img, err := Decode(bytes.NewReader(file))
		require.NoError(t, err)
		if img.At(0, 0) != img.ColorModel().Convert(color.Black) || img.At(1, 0) != img.ColorModel().Convert(color.White) {
			t.Fatalf("maximum %d: got %v and %v", maxval, img.At(0, 0), img.At(1, 0))
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, test := range []struct{ file, err string }{
		{"", "pgm: not a binary graymap"},
		{"P", "pgm: not a binary graymap"},
		{"P2 1 1 255 7", "pgm: not a binary graymap"},
		{"P5", "pgm: width: unexpected EOF"},
		{"P5 # 1 1 255 a", "pgm: width: unexpected EOF"},
		{"P5 12", "pgm: width: unexpected EOF"},
		{"P5 x 1 255 a", `pgm: width: unexpected character 'x'`},
		{"P5 -1 1 255 a", `pgm: width: unexpected character '-'`},
		{"P5 1.5 1 255 a", `pgm: width: unexpected character '.'`},
		{"P5 0 1 255 a", "pgm: width: not a positive number"},
		{"P5 1 0 255 a", "pgm: height: not a positive number"},
		{"P5 1 1 0 a", "pgm: maximum value: not a positive number"},
		{"P5 1 1 65536 a", "pgm: maximum value: more than 65535"},
		{"P5 2147483648 1 255 a", "pgm: width: more than 2147483647"},
		{"P5 1 99999999999999999999999999 255 a", "pgm: height: more than 2147483647"},
		{"P5 1 1 255", "pgm: maximum value: unexpected EOF"},
		{"P5 1 1 255\n", "pgm: unexpected EOF: 0 of 1 bytes of pixels"},
		{"P5 2 2 255\nabc", "pgm: unexpected EOF: 3 of 4 bytes of pixels"},
		{"P5 1 1 256\na", "pgm: unexpected EOF: 1 of 2 bytes of pixels"},
		{"P5 2 1 7 \x07\x08", "pgm: pixel value 8 exceeds the maximum 7"},
		{"P5 1 1 256 \x01\x01", "pgm: pixel value 257 exceeds the maximum 256"},
	} {
		_, err := Decode(strings.NewReader(test.file))
		require.EqualError(t, err, test.err, "%q", test.file)
	}
}

// A header that promises more than there is must not cost memory. On a 32-bit
// machine its size is refused.
func TestLyingHeader(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode(strings.NewReader("P5 2147483647 2147483647 65535\nabc"))
	runtime.ReadMemStats(&after)
	require.Error(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	for _, prefix := range []string{"P5 ", "P5 1", "P5 2 2 255\nabc"} {
		_, err := Decode(io.MultiReader(strings.NewReader(prefix), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, prefix)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("P5\n# comment\n3 2\n255\nabcdef"))
	f.Add([]byte("P5 1 1 65535 ab"))
	f.Add([]byte("P5 3 2 7 \x00\x01\x02\x03\x04\x05"))
	f.Fuzz(func(t *testing.T, file []byte) {
		img, err := Decode(bytes.NewReader(file))
		if err != nil {
			return
		}
		config, err := DecodeConfig(bytes.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, config.Width, config.Height), img.Bounds())
		require.Equal(t, config.ColorModel, img.ColorModel())
		img.At(config.Width-1, config.Height-1)
	})
}
