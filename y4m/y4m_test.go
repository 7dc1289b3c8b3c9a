package y4m

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// stream returns a stream of n frames whose bytes count up.
func stream(header string, size, n int) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for frame := range n {
		b.WriteString("FRAME\n")
		for i := range size {
			b.WriteByte(byte(i + frame))
		}
	}
	return b.String()
}

// TestRead reads a frame of each kind of chroma.
func TestRead(t *testing.T) {
	for chroma, c := range map[string]struct {
		size, cw, ch int // of the pixels, and of a plane of chroma
		ratio        image.YCbCrSubsampleRatio
	}{
		"":          {15 + 2*6, 3, 2, image.YCbCrSubsampleRatio420},
		"C420":      {15 + 2*6, 3, 2, image.YCbCrSubsampleRatio420},
		"C420jpeg":  {15 + 2*6, 3, 2, image.YCbCrSubsampleRatio420},
		"C420mpeg2": {15 + 2*6, 3, 2, image.YCbCrSubsampleRatio420},
		"C420paldv": {15 + 2*6, 3, 2, image.YCbCrSubsampleRatio420},
		"C411":      {15 + 2*6, 2, 3, image.YCbCrSubsampleRatio411},
		"C422":      {15 + 2*9, 3, 3, image.YCbCrSubsampleRatio422},
		"C440":      {15 + 2*10, 5, 2, image.YCbCrSubsampleRatio440},
		"C444":      {15 + 2*15, 5, 3, image.YCbCrSubsampleRatio444},
		"C444alpha": {15 + 3*15, 5, 3, image.YCbCrSubsampleRatio444},
		"Cmono":     {size: 15},
	} {
		r, err := NewReader(iotest.OneByteReader(strings.NewReader(stream("YUV4MPEG2 W5 H3 F30:1 Ip A1:1 "+chroma+" XA=B", c.size, 2))))
		require.NoError(t, err, chroma)
		require.Equal(t, 5, r.Header().Width)
		require.Equal(t, 3, r.Header().Height)
		require.Equal(t, c.size, r.Header().FrameSize(), chroma)
		var f Frame
		for frame := range 2 {
			require.NoError(t, r.Read(&f), chroma)
			gray := f.Gray()
			require.Equal(t, image.Rect(0, 0, 5, 3), gray.Rect)
			require.Equal(t, byte(14+frame), gray.GrayAt(4, 2).Y)
			if img, ok := f.Image().(*image.YCbCr); ok {
				require.Equal(t, c.ratio, img.SubsampleRatio, chroma)
				require.Equal(t, c.cw, img.CStride)
				require.Len(t, img.Cb, c.cw*c.ch)
				last := img.YCbCrAt(4, 2)
				require.Equal(t, byte(14+c.cw*c.ch+frame), last.Cb, chroma)
				require.Equal(t, byte(14+2*c.cw*c.ch+frame), last.Cr, chroma)
			} else {
				require.Equal(t, gray, f.Image())
				require.Zero(t, c.cw, chroma)
			}
		}
		require.Equal(t, io.EOF, r.Read(&f))
	}
}

// TestReadAgain checks that frames are read into the same memory.
func TestReadAgain(t *testing.T) {
	const n = 50
	r, err := NewReader(strings.NewReader(stream("YUV4MPEG2 W64 H48", 64*48*3/2, n)))
	require.NoError(t, err)
	var f Frame
	require.NoError(t, r.Read(&f))
	first := &f.pix[0]
	for range n - 1 {
		require.NoError(t, r.Read(&f))
		require.Same(t, first, &f.pix[0])
	}
}

// TestBroken checks the errors of streams that are broken or cut.
func TestBroken(t *testing.T) {
	for _, c := range []struct{ stream, err string }{
		{"", "y4m: not a YUV4MPEG2 stream"},
		{"YUV4", "y4m: not a YUV4MPEG2 stream"},
		{"\x89PNG\r\n", "y4m: not a YUV4MPEG2 stream"},
		{strings.Repeat("x", 1<<16), "y4m: not a YUV4MPEG2 stream"},
		{"YUV4MPEG2 W5 H3", "unexpected EOF"},
		{"YUV4MPEG2 " + strings.Repeat("X", 1<<16), "y4m: a line is too long"},
		{"YUV4MPEG2 W5\n", "y4m: the stream has no width or no height"},
		{"YUV4MPEG2 W0 H3\n", `y4m: the side "W0" is not from 1 to 65535`},
		{"YUV4MPEG2 W5 H65536\n", `y4m: the side "H65536" is not from 1 to 65535`},
		{"YUV4MPEG2 W5 Hx\n", `y4m: the side "Hx" is not from 1 to 65535`},
		{"YUV4MPEG2 W5 H3 C411p10\n", `y4m: the color space "411p10" is unknown: convert the video before, for example with ffmpeg -pix_fmt yuv420p`},
		{"YUV4MPEG2 W5 H3 It\n", `y4m: the video is interlaced (It): deinterlace it before`},
		{"YUV4MPEG2 W5 H3 Ib\n", `y4m: the video is interlaced (Ib): deinterlace it before`},
		{"YUV4MPEG2 W5 H3 Im\n", `y4m: the video is interlaced (Im): deinterlace it before`},
		{"YUV4MPEG2 W5 H3 Cmono\nFRAM\n", "y4m: there is no frame where frame 0 should begin"},
		{"YUV4MPEG2 W5 H3 Cmono\nFRAMES\n", "y4m: there is no frame where frame 0 should begin"},
		{"YUV4MPEG2 W5 H3 Cmono\nFRAME Ip\n0123456789abcd", "unexpected EOF"},
		{"YUV4MPEG2 W5 H3 Cmono\nFRAME", "unexpected EOF"},
		{"YUV4MPEG2 W5 H3 Cmono\nFRAME\n", "unexpected EOF"},
		{"YUV4MPEG2 W5 H3 Cmono10\nFRAME\n" + strings.Repeat("\x00", 29), "unexpected EOF"},
		{stream("YUV4MPEG2 W5 H3 Cmono", 15, 2) + "rest\n", "y4m: there is no frame where frame 2 should begin"},
	} {
		require.EqualError(t, readAll(strings.NewReader(c.stream)), c.err, fmt.Sprintf("%.40q", c.stream))
	}
	failure := errors.New("failure")
	require.Equal(t, failure, readAll(iotest.ErrReader(failure)))
	require.Equal(t, failure, readAll(io.MultiReader(strings.NewReader(stream("YUV4MPEG2 W5 H3 Cmono", 15, 1)), iotest.ErrReader(failure))))
}

// TestRate checks the rates of streams that tell them, and of others.
func TestRate(t *testing.T) {
	for params, want := range map[string]float64{
		"F25:1": 25, "F30000:1001": 30000.0 / 1001, "Ip F50:2 A1:1": 25, "": 0, "F0:0": 0, "F0:1": 0, "F": 0, "F25": 0, "F-25:1": 0, "F25:x": 0, "XF=30:1": 0,
	} {
		r, err := NewReader(strings.NewReader("YUV4MPEG2 W5 H3 Cmono " + params + "\n"))
		require.NoError(t, err)
		require.Equal(t, want, r.Header().Rate(), params)
	}
	require.Zero(t, Header{}.Rate())
}

// deepStream returns a stream of 2 frames whose samples have a number of bits, and its samples.
func deepStream(width, height int, chroma string, bits, size int) (string, []uint16) {
	b := []byte(fmt.Sprintf("YUV4MPEG2 W%d H%d F25:1 C%s XYSCSS=X\n", width, height, chroma))
	random := rand.New(rand.NewPCG(1, uint64(bits)))
	var samples []uint16
	for range 2 {
		b = append(b, "FRAME Ip\n"...)
		for range size {
			v := uint16(random.IntN(1 << bits))
			samples = append(samples, v)
			b = append(b, byte(v%256), byte(v/256))
		}
	}
	return string(b), samples
}

// TestDeep reads frames whose samples have two bytes, and writes them as they are read.
func TestDeep(t *testing.T) {
	for _, c := range []struct {
		chroma                      string
		bits, width, height, cw, ch int
		columns, rows               int
	}{
		{"420p9", 9, 5, 3, 3, 2, 2, 2},
		{"420p10", 10, 5, 3, 3, 2, 2, 2},
		{"422p10", 10, 5, 3, 3, 3, 2, 1},
		{"444p10", 10, 5, 3, 5, 3, 1, 1},
		{"444p10", 10, 203, 171, 203, 171, 1, 1}, // written in parts
		{"420p12", 12, 4, 2, 2, 1, 2, 2},
		{"422p14", 14, 1, 1, 1, 1, 2, 1},
		{"444p16", 16, 7, 5, 7, 5, 1, 1},
		{"mono10", 10, 5, 3, 0, 0, 0, 0},
		{"mono16", 16, 9, 1, 0, 0, 0, 0},
	} {
		luma := c.width * c.height
		size := luma + 2*c.cw*c.ch
		data, samples := deepStream(c.width, c.height, c.chroma, c.bits, size)
		r, err := NewReader(iotest.HalfReader(strings.NewReader(data)))
		require.NoError(t, err, c.chroma)
		require.Equal(t, 3*size, r.Header().FrameSize(), "with the upper 8 bits")
		var out bytes.Buffer
		w, err := NewWriter(&out, r.Header())
		require.NoError(t, err)
		var f, g Frame
		for range 2 {
			require.NoError(t, r.Read(&f), c.chroma)
			upper := make([]byte, size)
			for i, v := range samples[:size] {
				upper[i] = byte(v >> (c.bits - 8))
			}
			require.Equal(t, &image.Gray{Pix: upper[:luma], Stride: c.width, Rect: image.Rect(0, 0, c.width, c.height)}, f.Gray())
			if img, ok := f.Image().(*image.YCbCr); ok {
				require.Equal(t, c.cw, img.CStride)
				require.Equal(t, f.Gray().Pix, img.Y)
				require.Equal(t, upper[luma:], append(bytes.Clone(img.Cb), img.Cr...))
			} else {
				require.Equal(t, f.Gray(), f.Image())
			}
			require.Nil(t, f.Alpha())

			g.Like(&f)
			from, to := f.Deep(), g.Deep()
			require.Len(t, to, len(from))
			for i := range from {
				p := &from[i]
				require.Equal(t, c.bits, p.Bits)
				if i > 0 {
					require.Equal(t, image.Rect(0, 0, c.cw, c.ch), p.Rect)
					require.Equal(t, [2]int{c.columns, c.rows}, [2]int{p.Columns, p.Rows})
				} else {
					require.Equal(t, [2]int{1, 1}, [2]int{p.Columns, p.Rows})
				}
				for y := range p.Rect.Max.Y {
					for x := range p.Rect.Max.X {
						v := p.Gray16At(x, y)
						if v.Y != samples[0] {
							require.Equal(t, samples[0], v.Y, "%s: %d, %d", c.chroma, x, y)
						}
						samples = samples[1:]
						to[i].SetGray16(x, y, v)
					}
				}
			}
			require.NoError(t, w.Write(&g))
		}
		require.Empty(t, samples)
		require.Equal(t, io.EOF, r.Read(&f))
		require.True(t, data == out.String(), c.chroma)
	}
}

// TestTooDeep checks that no sample that is too large is taken.
func TestTooDeep(t *testing.T) {
	for bits, large := range map[int]int{9: 512, 10: 1024, 12: 4096, 14: 1 << 15} {
		data, _ := deepStream(5, 3, fmt.Sprintf("mono%d", bits), bits, 15)
		require.NoError(t, readAll(strings.NewReader(data)))
		for i := range 15 {
			broken := []byte(data)
			broken[len(data)-2*15+2*i+1] |= byte(large / 256)
			require.EqualError(t, readAll(bytes.NewReader(broken)), fmt.Sprintf("y4m: frame 1 has samples of more than %d bits", bits), i)
		}
	}
}

// readAll reads all frames of a stream, and returns the first error that is not its end.
func readAll(r io.Reader) error {
	reader, err := NewReader(r)
	if err != nil {
		return err
	}
	var f Frame
	for {
		if err := reader.Read(&f); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		f.Image()
		f.Deep()
	}
}

// TestWrite checks that streams are written as they were read, with all parameters.
func TestWrite(t *testing.T) {
	for chroma, size := range map[string]int{"420jpeg": 27, "422": 33, "411": 27, "440": 35, "444": 45, "444alpha": 60, "mono": 15} {
		pix := make([]byte, 2*size)
		for i := range pix {
			pix[i] = byte(i * 7)
		}
		data := fmt.Sprintf("YUV4MPEG2  W5 H3 F30000:1001 I? A10:11 C%s XYSCSS=X XA=B\nFRAME\n%sFRAME Ip  XC=D\n%s", chroma, pix[:size], pix[size:])
		r, err := NewReader(strings.NewReader(data))
		require.NoError(t, err)
		var out bytes.Buffer
		w, err := NewWriter(&out, r.Header())
		require.NoError(t, err)
		var f, g Frame
		for range 2 {
			require.NoError(t, r.Read(&f))
			g.Like(&f)
			require.Len(t, g.pix, size)
			copy(g.Gray().Pix, f.Gray().Pix)
			if to, ok := g.Image().(*image.YCbCr); ok {
				from := f.Image().(*image.YCbCr)
				copy(to.Cb, from.Cb)
				copy(to.Cr, from.Cr)
			}
			require.Equal(t, chroma == "444alpha", g.Alpha() != nil)
			if a := g.Alpha(); a != nil {
				require.Equal(t, image.Rect(0, 0, 5, 3), a.Rect)
				copy(a.Pix, f.Alpha().Pix)
			}
			require.NoError(t, w.Write(&g))
		}
		require.Equal(t, data, out.String())
	}
}

// TestParameters checks that frames keep their parameters while others are read.
func TestParameters(t *testing.T) {
	const w, h, n = 100, 60, 7
	data := fmt.Sprintf("YUV4MPEG2 W%d H%d Cmono\n", w, h)
	for i := range n {
		data += fmt.Sprintf("FRAME XN=%d\n", 1000+i) + strings.Repeat(string(rune('a'+i)), w*h)
	}
	r, err := NewReader(strings.NewReader(data))
	require.NoError(t, err)
	var frames, copies [n]Frame
	for i := range frames {
		require.NoError(t, r.Read(&frames[i]))
		copies[i].Like(&frames[i])
		copy(copies[i].pix, frames[i].pix)
	}
	for i := range frames {
		require.Equal(t, fmt.Sprintf(" XN=%d", 1000+i), string(frames[i].params))
	}
	// What becomes of frames is not seen by their copies.
	frames[0].Like(&frames[1])
	again, err := NewReader(strings.NewReader(strings.Replace(data, "XN=1000", "XN=9999", 1)))
	require.NoError(t, err)
	require.NoError(t, again.Read(&frames[2]))
	var out bytes.Buffer
	writer, err := NewWriter(&out, r.Header())
	require.NoError(t, err)
	for i := range copies {
		require.NoError(t, writer.Write(&copies[i]))
	}
	require.True(t, data == out.String())
}

// TestWriteErrors checks that no error is lost.
func TestWriteErrors(t *testing.T) {
	for chroma, parts := range map[string]int{"mono": 1, "mono10": 2} { // of the pixels
		r, err := NewReader(strings.NewReader(stream("YUV4MPEG2 W200 H200 C"+chroma, 0, 1) + strings.Repeat("\x00", parts*200*200)))
		require.NoError(t, err)
		var f Frame
		require.NoError(t, r.Read(&f))
		for room := range 2 + parts { // lines and parts that can be written
			w, err := NewWriter(&fullWriter{room}, r.Header())
			if room == 0 {
				require.EqualError(t, err, "full")
				continue
			}
			require.NoError(t, err)
			require.EqualError(t, w.Write(&f), "full")
		}
	}
}

// A fullWriter has room for what is written by a few calls.
type fullWriter struct{ room int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if w.room == 0 {
		return 0, errors.New("full")
	}
	w.room--
	return len(p), nil
}

// TestAllocations checks that reading and writing do not allocate in the steady state.
func TestAllocations(t *testing.T) {
	const n = 50
	for chroma, size := range map[string]int{"420jpeg": 64 * 48 * 3 / 2, "mono16": 2 * 64 * 48} {
		data := strings.ReplaceAll(stream("YUV4MPEG2 W64 H48 C"+chroma, size, n), "FRAME", "FRAME Ip")
		r, err := NewReader(strings.NewReader(data))
		require.NoError(t, err)
		w, err := NewWriter(io.Discard, r.Header())
		require.NoError(t, err)
		var f, g Frame
		require.Zero(t, testing.AllocsPerRun(n-2, func() {
			if r.Read(&f) != nil || w.Write(&f) != nil {
				t.Fail()
			}
			g.Like(&f)
		}), chroma)
	}
}

// FuzzRead checks that no stream makes the reader panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte(stream("YUV4MPEG2 W5 H3 C422", 33, 2)))
	f.Add([]byte(stream("YUV4MPEG2 W5 H3 Cmono", 15, 1) + "FRAME\n123"))
	deep, _ := deepStream(5, 3, "420p10", 10, 27)
	f.Add([]byte(deep))
	f.Fuzz(func(t *testing.T, data []byte) {
		// A frame may be large, although there is no more than its header.
		if r, err := NewReader(bytes.NewReader(data)); err != nil || r.Header().FrameSize() > 1<<20 {
			return
		}
		readAll(bytes.NewReader(data))
	})
}
