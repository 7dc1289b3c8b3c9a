package video

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/fastcorners/fast/y4m"
	"github.com/stretchr/testify/require"
)

// TestDraw draws on frames of all layouts, of odd sizes.
func TestDraw(t *testing.T) {
	const width, height = 13, 7
	for _, c := range []struct {
		chroma        string
		columns, rows int // of a sample of chroma, or 0
		bits          int
	}{
		{"420jpeg", 2, 2, 8},
		{"411", 4, 1, 8},
		{"422", 2, 1, 8},
		{"440", 1, 2, 8},
		{"444", 1, 1, 8},
		{"444alpha", 1, 1, 8},
		{"mono", 0, 0, 8},
		{"420p10", 2, 2, 10},
		{"444p16", 1, 1, 16},
		{"mono12", 0, 0, 12},
	} {
		planes := []image.Point{{width, height}}
		if c.columns > 0 {
			chroma := image.Pt((width+c.columns-1)/c.columns, (height+c.rows-1)/c.rows)
			planes = append(planes, chroma, chroma)
		}
		var samples []byte
		for i, size := range planes {
			for range size.X * size.Y {
				v := []byte{60, 128, 128}[i]
				if c.bits > 8 { // lower bits that are not 0
					deep := uint16(v)<<(c.bits-8) + 1
					samples = append(samples, byte(deep))
					v = byte(deep >> 8)
				}
				samples = append(samples, v)
			}
		}
		if c.chroma == "444alpha" {
			samples = append(samples, bytes.Repeat([]byte{77}, width*height)...)
		}
		r, err := y4m.NewReader(bytes.NewReader(append([]byte(fmt.Sprintf("YUV4MPEG2 W%d H%d C%s\nFRAME\n", width, height, c.chroma)), samples...)))
		require.NoError(t, err)
		var f y4m.Frame
		require.NoError(t, r.Read(&f))
		unchanged := written(t, r.Header(), &f)
		Draw(&f, func(draw.Image) {})
		require.Equal(t, unchanged, written(t, r.Header(), &f), c.chroma)

		// A red pixel in the last column and row.
		red := color.RGBA{255, 0, 0, 255}
		Draw(&f, func(dst draw.Image) { dst.Set(width-1, height-1, red) })
		after := written(t, r.Header(), &f)
		require.Len(t, after, len(unchanged))
		bytesOf := (c.bits + 7) / 8
		sample := func(data []byte, i int) int {
			data = data[len(data)-len(samples):]
			if bytesOf == 1 {
				return int(data[i])
			}
			return int(data[2*i]) + int(data[2*i+1])<<8
		}
		luma, cb, cr := color.RGBToYCbCr(255, 0, 0)
		first := 0
		for i, size := range planes {
			last := first + size.X*size.Y - 1
			for k := first; k < last; k++ {
				require.Equal(t, sample(unchanged, k), sample(after, k), "%s: sample %d", c.chroma, k)
			}
			got := sample(after, last)
			require.Zero(t, got&(1<<(c.bits-8)-1))
			got >>= c.bits - 8
			n := 1 // pixels of the last sample, which are fewer than those of others
			if i > 0 {
				n = ((width-1)%c.columns + 1) * ((height-1)%c.rows + 1)
			}
			want := []uint8{luma, cb, cr}[i]
			if n > 1 {
				mean := func(v uint8) uint8 { return uint8((int(v) + 60*(n-1) + n/2) / n) }
				luma, cb, cr := color.RGBToYCbCr(mean(255), mean(0), mean(0))
				want = []uint8{luma, cb, cr}[i]
			}
			require.EqualValues(t, want, got, "%s: plane %d", c.chroma, i)
			first = last + 1
		}
		if c.chroma == "444alpha" {
			require.Equal(t, bytes.Repeat([]byte{77}, width*height), after[len(after)-width*height:])
		}
	}
}

// written returns a stream of a frame.
func written(t *testing.T, h y4m.Header, f *y4m.Frame) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := y4m.NewWriter(&b, h)
	require.NoError(t, err)
	require.NoError(t, w.Write(f))
	return b.Bytes()
}
