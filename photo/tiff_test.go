package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// A fakeTIFF decodes TIFF files of 8 white pixels, as the library does or as it is specified.
type fakeTIFF struct{ negative, fails bool }

func (f *fakeTIFF) decode(r io.Reader) (image.Image, error) {
	data, err := io.ReadAll(r)
	if err != nil || f.fails {
		return nil, errors.Join(err, errors.New("no decoder"))
	}
	img := image.NewGray(image.Rect(0, 0, 8, 1))
	order, first := tiffOrder(data)
	black := tag(data, order, first, 262) == blackIsZero
	compression := tag(data, order, first, 259)
	fax := compression == compressionGroup3 || compression == compressionGroup4
	if !black || f.negative && fax {
		for i := range img.Pix {
			img.Pix[i] = 255
		}
	}
	return img, nil
}

// TestBlackIsZero checks that white runs are black where 0 is black, be that how they are decoded or
// not.
func TestBlackIsZero(t *testing.T) {
	fake := new(fakeTIFF)
	config := func(io.Reader) (image.Config, error) {
		return image.Config{ColorModel: color.GrayModel, Width: 8, Height: 1}, nil
	}
	for _, magic := range []string{"II*\x00", "MM\x00*"} {
		image.RegisterFormat("tiff", magic, fake.decode, config)
	}
	file := func(order binary.AppendByteOrder, entries ...uint16) []byte {
		data := []byte("II*\x00")
		if order.String() == "BigEndian" {
			data = []byte("MM\x00*")
		}
		data = append(order.AppendUint32(data, 12), 0, 0, 0, 0) // the directory need not come first
		data = order.AppendUint16(data, uint16(len(entries)/2))
		for i := 0; i < len(entries); i += 2 {
			data = order.AppendUint16(order.AppendUint16(data, entries[i]), 3)
			data = order.AppendUint32(data, 1)
			data = append(order.AppendUint16(data, entries[i+1]), 0, 0)
		}
		return order.AppendUint32(data, 0)
	}
	for _, fake.negative = range []bool{false, true} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for compression := range uint16(6) {
				for photometric, want := range []uint8{255, 0} {
					data := file(order, 256, 8, 257, 1, 259, compression, 262, uint16(photometric))
					img, err := Decode(bytes.NewReader(data))
					require.NoError(t, err)
					require.Equal(t, bytes.Repeat([]byte{want}, 8), img.Image.(*image.Gray).Pix, "compression %d, photometric %d, negative %v", compression, photometric, fake.negative)
				}
			}
		}
	}
	// A file may be anything.
	whole := file(binary.LittleEndian, 259, 4, 262, 1)
	require.EqualValues(t, 4, readFaxCompression(bytes.NewReader(whole)))
	require.EqualValues(t, 4, readFaxCompression(bytes.NewReader(whole[:len(whole)-4])), "without the offset of another directory")
	for n := range len(whole) - 4 {
		require.Zero(t, readFaxCompression(bytes.NewReader(whole[:n])), n)
	}
	require.Zero(t, readFaxCompression(bytes.NewReader(file(binary.BigEndian, 262, 1))))
	require.Zero(t, readFaxCompression(bytes.NewReader(file(binary.BigEndian, 259, 4))))
	require.Zero(t, readFaxCompression(bytes.NewReader([]byte("not a TIFF file, but as long as one"))))
	fake.fails = true
	require.False(t, decodesNegative(4))
}
