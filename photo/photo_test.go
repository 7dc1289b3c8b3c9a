package photo

import (
	"bytes"
	"encoding/binary"
	"image"
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
		require.Zero(t, readJPEGHeader(bytes.NewReader(phototest.WithSegments(t, phototest.Letter(), segments...))), name)
	}
	h := readJPEGHeader(bytes.NewReader(phototest.WithSegments(t, phototest.Letter(), []byte{0xff, 0xff}, good)))
	require.Equal(t, 6, h.orientation, "bytes between segments")

	// In a file that is cut off anywhere, it is what has been read or nothing.
	file := phototest.WithSegments(t, phototest.Letter(), good)
	for n := range 300 {
		require.Contains(t, []int{0, 6}, readJPEGHeader(bytes.NewReader(file[:n])).orientation)
	}
}

// TestFocalLength reads what a phone writes: a directory with the orientation and the offset of
// another one, which has the focal length.
func TestFocalLength(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
		tiff := []byte("II*\x00")
		if order == binary.AppendByteOrder(binary.BigEndian) {
			tiff = []byte("MM\x00*")
		}
		entry := func(tag, typ uint16, value []byte) {
			tiff = order.AppendUint32(order.AppendUint16(order.AppendUint16(tiff, tag), typ), 1)
			tiff = append(tiff, append(value, 0, 0, 0, 0)[:4]...)
		}
		const second = 8 + 2 + 2*12 + 4
		tiff = order.AppendUint32(tiff, 8)
		tiff = order.AppendUint16(tiff, 2)
		entry(0x0112, 3, order.AppendUint16(nil, 8))
		entry(0x8769, 4, order.AppendUint32(nil, second))
		tiff = order.AppendUint32(tiff, 0)
		require.Len(t, tiff, second)
		tiff = order.AppendUint16(tiff, 2)
		entry(0xa403, 3, order.AppendUint16(nil, 1))
		entry(0xa405, 3, order.AppendUint16(nil, 26))
		file := phototest.WithSegments(t, phototest.Letter(), phototest.Segment(markerAPP1, append([]byte("Exif\x00\x00"), tiff...)))
		h, err := ReadHeader(bytes.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, 26, h.FocalLength35)
		require.Equal(t, 8, h.Orientation)
		require.Equal(t, image.Pt(120, 80), h.Stored)
		require.Equal(t, image.Pt(80, 120), h.Size())
		p, err := h.Decode(bytes.NewReader(file))
		require.NoError(t, err)
		whole, err := Decode(bytes.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, p, whole)
		require.Equal(t, image.Pt(80, 120), p.Upright().Bounds().Size())
	}
}

func FuzzJPEGHeader(f *testing.F) {
	f.Add(slices.Concat([]byte{0xff, markerSOI}, phototest.Exif(binary.BigEndian, 6), phototest.Segment(markerSOF2, []byte("12345678"))))
	f.Add(slices.Concat([]byte{0xff, markerSOI, 0xff}, phototest.Exif(binary.LittleEndian, 8), phototest.Segment(markerSOS, nil)))
	f.Fuzz(func(t *testing.T, file []byte) {
		h := readJPEGHeader(bytes.NewReader(file))
		require.True(t, h.orientation >= 0 && h.orientation <= 8)
		require.True(t, h.focalLength35 >= 0)
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
