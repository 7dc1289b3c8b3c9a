package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/stretchr/testify/require"
)

// Colors are turned, too.
func TestTurnColors(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 200, 130))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32() | 255*uint32(i&3/3))
	}
	for orientation := 1; orientation <= 8; orientation++ {
		canvas := Photo{img, orientation}.Canvas()
		for c, offset := range []int{0, 1, 2, 3} {
			channel, turned := image.NewGray(img.Rect), image.NewGray(canvas.Rect)
			for i := range channel.Pix {
				channel.Pix[i], turned.Pix[i] = img.Pix[4*i+offset], canvas.Pix[4*i+offset]
			}
			require.Equal(t, phototest.AsSeen(channel, orientation), turned, "orientation %d, channel %d", orientation, c)
		}
	}
}

func TestNoOrientation(t *testing.T) {
	good := phototest.Exif(binary.BigEndian, 6)
	for name, segments := range map[string][][]byte{
		"none":                  nil,
		"0":                     {phototest.Exif(binary.BigEndian, 0)},
		"9":                     {phototest.Exif(binary.LittleEndian, 9)},
		"another segment":       {append([]byte{0xff, 0xe2}, good[2:]...)},
		"another beginning":     {bytes.Replace(good, []byte("Exif"), []byte("exif"), 1)},
		"no order of bytes":     {bytes.Replace(good, []byte("MM"), []byte("MN"), 1)},
		"the wrong order":       {bytes.Replace(good, []byte("MM\x00*"), []byte("II*\x00"), 1)},
		"a directory elsewhere": {bytes.Replace(good, []byte{0, 0, 0, 10}, []byte{0xff, 0xff, 0xff, 0xff}, 1)},
		"no TIFF file":          {phototest.Segment(markerAPP1, []byte("Exif\x00\x00MM\x00*"))},
		"nothing":               {phototest.Segment(markerAPP1, nil)},
	} {
		orientation, progressive := readJPEGHeader(bytes.NewReader(phototest.WithSegments(t, phototest.Letter(), segments...)))
		require.Zero(t, orientation, name)
		require.False(t, progressive, name)
	}
	orientation, _ := readJPEGHeader(bytes.NewReader(phototest.WithSegments(t, phototest.Letter(), []byte{0xff, 0xff}, good)))
	require.Equal(t, 6, orientation, "bytes between segments")

	// In a file that is cut off anywhere, it is what has been read or nothing.
	file := phototest.WithSegments(t, phototest.Letter(), good)
	for n := range 300 {
		orientation, _ := readJPEGHeader(bytes.NewReader(file[:n]))
		require.Contains(t, []int{0, 6}, orientation)
	}
}

func FuzzJPEGHeader(f *testing.F) {
	f.Add(slices.Concat([]byte{0xff, markerSOI}, phototest.Exif(binary.BigEndian, 6), phototest.Segment(markerSOF2, []byte("12345678"))))
	f.Add(slices.Concat([]byte{0xff, markerSOI, 0xff}, phototest.Exif(binary.LittleEndian, 8), phototest.Segment(markerSOS, nil)))
	f.Fuzz(func(t *testing.T, file []byte) {
		orientation, _ := readJPEGHeader(bytes.NewReader(file))
		require.True(t, orientation >= 0 && orientation <= 8)
	})
}

// Black, white and the strongest colors are those of the full range.
func TestExpandRange(t *testing.T) {
	img := image.NewYCbCr(image.Rect(0, 0, 3, 2), image.YCbCrSubsampleRatio444)
	copy(img.Y, []byte{0, 16, 126, 235, 255, 17})
	copy(img.Cb, []byte{0, 16, 128, 240, 255, 129})
	copy(img.Cr, []byte{127, 126, 128, 130, 184, 72})
	expandRange(img)
	require.Equal(t, []byte{0, 0, 128, 255, 255, 1}, img.Y)
	require.Equal(t, []byte{0, 0, 128, 255, 255, 129}, img.Cb)
	require.Equal(t, []byte{127, 126, 128, 130, 192, 64}, img.Cr)
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]struct {
		size  ByteSize
		shown string
	}{
		"1":        {1, "1 B"},
		"1023b":    {1023, "1023 B"},
		"1k":       {1024, "1 KiB"},
		"1.5KiB":   {1536, "1.5 KiB"},
		"500 MiB":  {500 << 20, "500 MiB"},
		"500m":     {500 << 20, "500 MiB"},
		"2G":       {2 << 30, "2 GiB"},
		"2.25gib":  {9 << 28, "2.25 GiB"},
		"2000 GiB": {2000 << 30, "2000 GiB"},
	} {
		var b ByteSize
		require.NoError(t, b.Set(text), text)
		require.Equal(t, want.size, b, text)
		require.Equal(t, want.shown, b.String())
	}
	for _, text := range []string{"", "G", "x", "1X", "1GG", "-1G", "0", "NaN", "Inf", "1e40", "1 2", "2GB"} {
		require.Error(t, new(ByteSize).Set(text), text)
	}
	require.Equal(t, ByteSize(math.MaxInt64), Memory(image.Pt(math.MaxInt32, math.MaxInt32), 8))
}
