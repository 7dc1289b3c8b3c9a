package netpbm

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

// formats are the names of the formats by the digit of the magic number.
var formats = map[byte]string{'1': "pbm", '2': "pgm", '3': "ppm", '4': "pbm", '5': "pgm", '6': "ppm"}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		name, file string
		want       image.Image
	}{
		{"raw pixmap", "P6 2 1 255\nabcdef", &image.RGBA{Pix: []byte("abc\xffdef\xff"), Stride: 8, Rect: image.Rect(0, 0, 2, 1)}},
		{"raw pixmap, scaled", "P6 1 1 100 \x00\x32\x64", &image.RGBA{Pix: []byte{0, 128, 255, 255}, Stride: 4, Rect: image.Rect(0, 0, 1, 1)}},
		{"raw pixmap, 16 bits", "P6 1 2 65535\nabcdefghijkl", &image.RGBA64{Pix: []byte("abcdef\xff\xffghijkl\xff\xff"), Stride: 8, Rect: image.Rect(0, 0, 1, 2)}},
		{"raw bitmap", "P4 9 2\n\x80\x80\x01\x7f", gray(9, 2, 0, 255, 255, 255, 255, 255, 255, 255, 0, 255, 255, 255, 255, 255, 255, 255, 0, 255)},
		{"raw bitmap of whole bytes", "P4 8 1\n\x55", gray(8, 1, 255, 0, 255, 0, 255, 0, 255, 0)},
		{"plain graymap", "P2 # one\n3 2\n255\n0 1\t2\n 003 4\r\n255\n", gray(3, 2, 0, 1, 2, 3, 4, 255)},
		{"plain graymap that ends with a number", "P2 2 1 255 7#x\n8", gray(2, 1, 7, 8)},
		{"plain graymap, scaled", "P2 3 1 15 0 1 15", gray(3, 1, 0, 17, 255)},
		{"plain graymap, 16 bits", "P2 2 1 65535 258 65535", gray16(2, 1, 1, 2, 0xff, 0xff)},
		{"plain pixmap", "P3 2 1 255 1 2 3 4 5 6", &image.RGBA{Pix: []byte{1, 2, 3, 255, 4, 5, 6, 255}, Stride: 8, Rect: image.Rect(0, 0, 2, 1)}},
		{"plain pixmap, 16 bits", "P3 1 1 65535 1 258 65535", &image.RGBA64{Pix: []byte{0, 1, 1, 2, 255, 255, 255, 255}, Stride: 8, Rect: image.Rect(0, 0, 1, 1)}},
		{"plain bitmap", "P1 4 2\n0110\n1 0 0\t1", gray(4, 2, 255, 0, 0, 255, 0, 255, 255, 0)},
		{"plain bitmap with comments", "P1#\n3 1#\n1#0\n01junk", gray(3, 1, 0, 255, 0)},
		{"plain", "P5\n3 2\n255\n\x00\x01\x02\x03\x04\xff", gray(3, 2, 0, 1, 2, 3, 4, 255)},
		{"one line", "P5 3 2 255 abcdef", gray(3, 2, []byte("abcdef")...)},
		{"all white space", "P5\t\v\f\r\n 1 \n\n1\r255\nx", gray(1, 1, 'x')},
		{"pixel that looks like space", "P5 2 1 255  \n", gray(2, 1, ' ', '\n')},
		{"pixel that looks like a comment", "P5 2 1 255 #\n", gray(2, 1, '#', '\n')},
		{"comments", "P5#one\n# two 7 8\n2 #three\r#\n1\n# four\n255\nab", gray(2, 1, 'a', 'b')},
		{"comments that end with a carriage return", "P2#one\r2#two\r1#three\r255#four\r1#five\r2", gray(2, 1, 1, 2)},
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
			require.Equal(t, formats[test.file[1]], format)
			require.Equal(t, test.want, img)

			config, format, err := image.DecodeConfig(iotest.OneByteReader(strings.NewReader(test.file)))
			require.NoError(t, err)
			require.Equal(t, formats[test.file[1]], format)
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

// TestScale16 compares all values of a maximum with those of exact arithmetic.
func TestScale16(t *testing.T) {
	const maxval = 1001 // no value is halfway between two
	file := fmt.Appendf(nil, "P2 %d 1 %d", maxval+1, maxval)
	for v := range maxval + 1 {
		file = fmt.Append(file, " ", v)
	}
	img, err := Decode(bytes.NewReader(file))
	require.NoError(t, err)
	for v := range maxval + 1 {
		want := math.Round(float64(v) * math.MaxUint16 / maxval)
		require.EqualValues(t, want, img.(*image.Gray16).Gray16At(v, 0).Y, v)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, test := range []struct{ file, err string }{
		{"", "netpbm: not a bitmap, graymap or pixmap"},
		{"P", "netpbm: not a bitmap, graymap or pixmap"},
		{"P0 1 1 255 7", "netpbm: not a bitmap, graymap or pixmap"},
		{"P7 1 1 255 7", "netpbm: not a bitmap, graymap or pixmap"},
		{"Q5 1 1 255 7", "netpbm: not a bitmap, graymap or pixmap"},
		{"P4", "netpbm: width: unexpected EOF"},
		{"P4 9 1\nx", "netpbm: unexpected EOF: 1 of 2 bytes of pixels"},
		{"P6 1 1 255 ab", "netpbm: unexpected EOF: 2 of 3 bytes of pixels"},
		{"P6 2 1 3\n\x01\x02\x03\x01\x04\x01", "netpbm: pixel value 4 exceeds the maximum 3"},
		{"P2 2 1 9 5", "netpbm: value 2 of 2: unexpected EOF"},
		{"P2 2 1 9 5 x", "netpbm: value 2 of 2: unexpected character 'x'"},
		{"P2 2 1 9 5, 7", "netpbm: value 1 of 2: unexpected character ','"},
		{"P2 1 1 9 10", "netpbm: pixel value 10 exceeds the maximum 9"},
		{"P2 1 1 255 256", "netpbm: pixel value 256 exceeds the maximum 255"},
		{"P2 1 1 9 259", "netpbm: pixel value 259 exceeds the maximum 9"},
		{"P2 1 1 9 65536", "netpbm: value 1 of 1: more than 65535"},
		{"P3 1 1 9 1 2", "netpbm: value 3 of 3: unexpected EOF"},
		{"P1 2 1 1", "netpbm: value 2 of 2: unexpected EOF"},
		{"P1 2 1 12", "netpbm: value 2 of 2: unexpected character '2'"},
		{"P5", "netpbm: width: unexpected EOF"},
		{"P5 # 1 1 255 a", "netpbm: width: unexpected EOF"},
		{"P5 12", "netpbm: height: unexpected EOF"},
		{"P5 12\n", "netpbm: height: unexpected EOF"},
		{"P5 x 1 255 a", `netpbm: width: unexpected character 'x'`},
		{"P5 -1 1 255 a", `netpbm: width: unexpected character '-'`},
		{"P5 1.5 1 255 a", `netpbm: width: unexpected character '.'`},
		{"P5 0 1 255 a", "netpbm: width: not a positive number"},
		{"P5 1 0 255 a", "netpbm: height: not a positive number"},
		{"P5 1 1 0 a", "netpbm: maximum value: not a positive number"},
		{"P5 1 1 65536 a", "netpbm: maximum value: more than 65535"},
		{"P5 2147483648 1 255 a", "netpbm: width: more than 2147483647"},
		{"P5 1 99999999999999999999999999 255 a", "netpbm: height: more than 2147483647"},
		{"P5 1 1 255", "netpbm: unexpected EOF: 0 of 1 bytes of pixels"},
		{"P5 1 1 255\n", "netpbm: unexpected EOF: 0 of 1 bytes of pixels"},
		{"P5 2 2 255\nabc", "netpbm: unexpected EOF: 3 of 4 bytes of pixels"},
		{"P5 1 1 256\na", "netpbm: unexpected EOF: 1 of 2 bytes of pixels"},
		{"P5 2 1 7 \x07\x08", "netpbm: pixel value 8 exceeds the maximum 7"},
		{"P5 1 1 256 \x01\x01", "netpbm: pixel value 257 exceeds the maximum 256"},
	} {
		_, err := Decode(strings.NewReader(test.file))
		require.EqualError(t, err, test.err, "%q", test.file)
	}
}

// A header that promises more than there is must not cost memory. On a 32-bit
// machine its size is refused.
func TestLyingHeader(t *testing.T) {
	for magic := '1'; magic <= '6'; magic++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(strings.NewReader("P" + string(magic) + " 1147483647 1147483647 65535\n1 1"))
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
	if math.MaxInt > math.MaxUint32 {
		for _, size := range []string{"2147483647 2147483647", "1073741824 1073741825"} {
			_, err := Decode(strings.NewReader("P5 " + size + " 65535\nabc"))
			require.EqualError(t, err, "netpbm: "+strings.Replace(size, " ", " x ", 1)+" pixels are too many")
		}
	}
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
	f.Add([]byte("P6 2 1 255 abcdef"))
	f.Add([]byte("P4 9 2 abcd"))
	f.Add([]byte("P3 1 2 300 0 1 2 3 4 5"))
	f.Add([]byte("P1 2 2 10 01"))
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
