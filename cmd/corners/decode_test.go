package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/overlay"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// exif returns an APP1 segment that tells an orientation.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	tiff := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint32(tiff, 10)
	tiff = append(tiff, 0, 0) // the directory may begin anywhere
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][2]uint16{{0x0100, 77}, {0x0112, orientation}} {
		tiff = order.AppendUint16(tiff, entry[0])
		tiff = order.AppendUint16(tiff, 3)
		tiff = order.AppendUint32(tiff, 1)
		tiff = order.AppendUint16(tiff, entry[1])
		tiff = append(tiff, 0, 0)
	}
	return segment(markerAPP1, append([]byte("Exif\x00\x00"), order.AppendUint32(tiff, 0)...))
}

// segment returns a segment of a JPEG file.
func segment(marker byte, data []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(data))), data...)
}

// withSegments returns a JPEG file of an image, with more segments at its beginning.
func withSegments(t *testing.T, img image.Image, segments ...[]byte) []byte {
	t.Helper()
	file := encode(t, func(w io.Writer, img image.Image) error {
		return jpeg.Encode(w, img, &jpeg.Options{Quality: 100})
	}, img)
	return slices.Concat(file[:2], slices.Concat(segments...), file[2:])
}

// asSeen returns an image as it is to be seen, as the Exif standard says: by the side of
// the stored image that its first row and its first column are.
func asSeen(img *image.Gray, orientation int) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	// For each orientation, where the row and the column of the stored pixel are seen.
	place := map[int]func(row, column int) (x, y int){
		1: func(row, column int) (x, y int) { return column, row },         // top, left
		2: func(row, column int) (x, y int) { return w - 1 - column, row }, // top, right
		3: func(row, column int) (x, y int) { return w - 1 - column, h - 1 - row },
		4: func(row, column int) (x, y int) { return column, h - 1 - row },
		5: func(row, column int) (x, y int) { return row, column }, // left, top
		6: func(row, column int) (x, y int) { return h - 1 - row, column },
		7: func(row, column int) (x, y int) { return h - 1 - row, w - 1 - column },
		8: func(row, column int) (x, y int) { return row, w - 1 - column },
	}[orientation]
	seen := image.NewGray(image.Rect(0, 0, w, h))
	if orientation > 4 {
		seen = image.NewGray(image.Rect(0, 0, h, w))
	}
	for row := range h {
		for column := range w {
			x, y := place(row, column)
			seen.SetGray(x, y, img.GrayAt(column, row))
		}
	}
	return seen
}

// letter is an image that is not like itself in any other orientation.
func letter() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 120, 80))
	draw.Draw(img, image.Rect(10, 10, 30, 70), image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(30, 10, 90, 20), image.NewUniform(color.Gray{Y: 150}), image.Point{}, draw.Src)
	return img
}

// Coordinates are those of the image as it is to be seen, and so is the picture.
func TestExifOrientation(t *testing.T) {
	inTempDir(t)
	for orientation := 1; orientation <= 8; orientation++ {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			stored := withSegments(t, letter(), segment(0xe0, []byte("JFIF\x00")), segment(markerAPP1, []byte("http://ns.adobe.com/xap/1.0/\x00")),
				exif(order, uint16(orientation)), exif(order, 3))
			decoded, err := jpeg.Decode(bytes.NewReader(stored))
			require.NoError(t, err)
			seen := asSeen(decoded.(*image.Gray), orientation)
			writeFile(t, "stored.jpg", stored)
			writeFile(t, "seen.png", encode(t, png.Encode, seen))
			want := found(t, "seen.png")
			require.NotEmpty(t, want)
			require.Equal(t, want, found(t, "stored.jpg"))

			status, stdout, stderr := corners(t, "stored.jpg", "seen.png", "-f")
			require.Zero(t, status, stderr)
			require.Contains(t, stdout, fmt.Sprintf("stored.jpg  %dx%d ", seen.Rect.Dx(), seen.Rect.Dy()))
			require.Equal(t, readPNG(t, "seen-corners.png"), readPNG(t, "stored-corners.png"))

			writeFile(t, "mask.png", encode(t, png.Encode, seen))
			require.Equal(t, found(t, "seen.png", "-mask", "mask.png"), found(t, "stored.jpg", "-mask", "stored.jpg"))
			status, stdout, stderr = corners(t, "match", "-edge=10", "-patch=5", "stored.jpg", "seen.png", "-o=matches.png")
			require.Zero(t, status, stderr)
			require.Contains(t, stdout, fmt.Sprintf("stored.jpg  %dx%d ", seen.Rect.Dx(), seen.Rect.Dy()))
			require.Equal(t, 2*seen.Rect.Dx(), readPNG(t, "matches.png").Bounds().Dx())
		}
	}
}

// Colors are turned, too.
func TestTurnColors(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 200, 130))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32() | 255*uint32(i&3/3))
	}
	for orientation := 1; orientation <= 8; orientation++ {
		canvas := photo{img, orientation}.canvas()
		for c, offset := range []int{0, 1, 2, 3} {
			channel, turned := image.NewGray(img.Rect), image.NewGray(canvas.Rect)
			for i := range channel.Pix {
				channel.Pix[i], turned.Pix[i] = img.Pix[4*i+offset], canvas.Pix[4*i+offset]
			}
			require.Equal(t, asSeen(channel, orientation), turned, "orientation %d, channel %d", orientation, c)
		}
	}
}

func TestNoOrientation(t *testing.T) {
	good := exif(binary.BigEndian, 6)
	for name, segments := range map[string][][]byte{
		"none":                  nil,
		"0":                     {exif(binary.BigEndian, 0)},
		"9":                     {exif(binary.LittleEndian, 9)},
		"another segment":       {append([]byte{0xff, 0xe2}, good[2:]...)},
		"another beginning":     {bytes.Replace(good, []byte("Exif"), []byte("exif"), 1)},
		"no order of bytes":     {bytes.Replace(good, []byte("MM"), []byte("MN"), 1)},
		"the wrong order":       {bytes.Replace(good, []byte("MM\x00*"), []byte("II*\x00"), 1)},
		"a directory elsewhere": {bytes.Replace(good, []byte{0, 0, 0, 10}, []byte{0xff, 0xff, 0xff, 0xff}, 1)},
		"no TIFF file":          {segment(markerAPP1, []byte("Exif\x00\x00MM\x00*"))},
		"nothing":               {segment(markerAPP1, nil)},
	} {
		orientation, progressive := readJPEGHeader(bytes.NewReader(withSegments(t, letter(), segments...)))
		require.Zero(t, orientation, name)
		require.False(t, progressive, name)
	}
	orientation, _ := readJPEGHeader(bytes.NewReader(withSegments(t, letter(), []byte{0xff, 0xff}, good)))
	require.Equal(t, 6, orientation, "bytes between segments")

	// In a file that is cut off anywhere, it is what has been read or nothing.
	file := withSegments(t, letter(), good)
	for n := range 300 {
		orientation, _ := readJPEGHeader(bytes.NewReader(file[:n]))
		require.Contains(t, []int{0, 6}, orientation)
	}
}

func FuzzJPEGHeader(f *testing.F) {
	f.Add(slices.Concat([]byte{0xff, markerSOI}, exif(binary.BigEndian, 6), segment(markerSOF2, []byte("12345678"))))
	f.Add(slices.Concat([]byte{0xff, markerSOI, 0xff}, exif(binary.LittleEndian, 8), segment(markerSOS, nil)))
	f.Fuzz(func(t *testing.T, file []byte) {
		orientation, _ := readJPEGHeader(bytes.NewReader(file))
		require.True(t, orientation >= 0 && orientation <= 8)
	})
}

// The first frame of a GIF lies where it does in the picture, and the rest is black.
func TestGIFFrame(t *testing.T) {
	inTempDir(t)
	whole := image.NewPaletted(image.Rect(0, 0, 100, 90), color.Palette{color.Black, color.White, color.Gray{Y: 100}})
	draw.Draw(whole, image.Rect(40, 28, 60, 42), image.White, image.Point{}, draw.Src)
	frame := whole.SubImage(image.Rect(30, 20, 70, 50)).(*image.Paletted)
	writeGIF := func(path string, frames ...*image.Paletted) {
		writeFile(t, path, encode(t, func(w io.Writer, _ image.Image) error {
			return gif.EncodeAll(w, &gif.GIF{Image: frames, Delay: make([]int, len(frames)), Config: image.Config{Width: 100, Height: 90}})
		}, frame))
	}
	writeGIF("frame.gif", frame, whole)
	writeGIF("whole.gif", whole)
	want := found(t, "whole.gif")
	require.NotEmpty(t, want)
	require.Equal(t, want, found(t, "frame.gif"))
	status, stdout, stderr := corners(t, "frame.gif", "whole.gif")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "frame.gif  100x90 ")
	require.Equal(t, readPNG(t, "whole-corners.png"), readPNG(t, "frame-corners.png"))

	left := image.Rect(0, 0, 50, 90)
	writeMask(t, "left.png", image.NewGray(whole.Rect), left, color.White)
	half := found(t, "-mask", "left.png", "frame.gif")
	require.Equal(t, len(want), 2*len(half))
}

// Errors of decoders read well.
func TestDecodeErrors(t *testing.T) {
	inTempDir(t)
	writeFile(t, "empty.png", nil)
	writeFile(t, "text.png", []byte("not an image\n"))
	writeFile(t, "cut.pgm", []byte("P5 20 20 255\nabc"))
	writeFile(t, "cut.png", encode(t, png.Encode, square(40, 30))[:60])
	writeFile(t, "cut.jpg", withSegments(t, square(40, 30))[:300])
	writeFile(t, "none.bmp", encode(t, bmp.Encode, image.NewGray(image.Rectangle{})))
	for name, want := range map[string]string{
		"empty.png": "not an image, or of a format that corners does not read",
		"text.png":  "not an image, or of a format that corners does not read",
		"cut.pgm":   "cannot be decoded (netpbm: unexpected EOF: 3 of 400 bytes of pixels)",
		"cut.png":   "cannot be decoded (png: invalid format: not enough pixel data)",
		"cut.jpg":   "cannot be decoded (unexpected EOF)",
		"none.bmp":  "an image without pixels",
		"":          "no such file or directory",
	} {
		for _, args := range [][]string{{name}, {"match", name, name}, {"-mask", name}, {"bench", name}} {
			if name == "" && runtime.GOOS != "linux" {
				continue
			}
			if name == "" && args[0] == "-mask" {
				continue // no mask
			}
			status, stdout, stderr := corners(t, args...)
			require.Equal(t, 1, status)
			require.Empty(t, stdout)
			shown := name
			if name == "" {
				shown = `""`
			}
			first, _, _ := strings.Cut(stderr, "\n")
			require.Equal(t, "corners: "+shown+": "+want, first)
		}
	}
}

// peak returns by how much the heap grew at most while f ran.
func peak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return int64(most - before)
}

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
		plain = fmt.Appendf(plain, "%d %d 0 ", v, v/2)
	}
	pgm := append([]byte("P5 1600 1200 255\n"), gray.Pix...)
	for name, data := range map[string][]byte{
		"gray.jpg":   withSegments(t, gray),
		"colors.jpg": withSegments(t, colors, exif(binary.BigEndian, 6)),
		"gray.png":   encode(t, png.Encode, gray),
		"colors.png": encode(t, png.Encode, colors),
		"deep.png":   encode(t, png.Encode, deep),
		"gray.gif":   encode(t, func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) }, gray),
		"colors.bmp": encode(t, bmp.Encode, colors),
		"colors.tif": encode(t, encodeTIFF, colors),
		"deep.tif":   encode(t, encodeTIFF, deep),
		"gray.pgm":   pgm,
		"plain.ppm":  plain,
	} {
		h, err := readHeader(bytes.NewReader(data))
		require.NoError(t, err)
		var img photo
		decoding := peak(func() { img, err = h.decode(bytes.NewReader(data)) })
		require.NoError(t, err)
		drawing := peak(func() {
			img.gray()
			overlay.Corners(img.canvas(), []fast.Corner{{X: 9, Y: 9}})
		})
		estimate := int64(multiply(h.stored, h.pixelSize(true)))
		require.Less(t, max(decoding, drawing), estimate+1<<20, name)
	}
	tile := decodedPhoto(t)
	for x := 0; x < r.Max.X; x += 512 {
		for y := 0; y < r.Max.Y; y += 512 {
			draw.Draw(gray, image.Rect(x, y, x+512, y+512), tile, image.Point{}, draw.Src)
		}
	}
	for _, info := range methods {
		m := info.new()
		newFlagSet(m.define)
		require.NoError(t, m.prepare(1))
		searching := peak(func() {
			m.find(gray, nil)
			m.repeater()(gray)
		})
		require.Less(t, searching, int64(multiply(r.Size(), m.memory()))+1<<21, info.name)
	}
}

// A header that promises too much is refused before anything is decoded.
func TestMemoryLimit(t *testing.T) {
	inTempDir(t)
	// A PNG file begins with a signature and the chunk that has the size, the depth and
	// the type of colors.
	chunk := "\x00\x00\x3f\xff\x00\x00\x3f\xff\x10\x06\x00\x00\x00"
	writeFile(t, "huge.png", append([]byte("\x89PNG\r\n\x1a\n"), makeChunk("IHDR", chunk)...))
	writeSquare(t, "a.png")
	for _, command := range []string{"", "-mask=huge.png", "match a.png", "bench"} {
		args := append(strings.Fields(command), "huge.png")
		status, _, stderr := corners(t, args...)
		require.Equal(t, 1, status)
		require.Regexp(t, `^corners: huge\.png: 16383 x 16383 pixels need [0-9.]+ GiB of memory, more than (1 GiB|1023\.[0-9]+ MiB) \(-memory\)\n$`, stderr)
	}

	need := multiply(image.Pt(40, 30), 4+1+4+1+3)
	for memory, want := range map[byteSize]int{need: 0, need - 1: 1} {
		status, _, stderr := corners(t, "-memory", fmt.Sprint(int64(memory)), "a.png")
		require.Equal(t, want, status, stderr)
		if want != 0 {
			require.Equal(t, "corners: a.png: 40 x 30 pixels need 15.234 KiB of memory, more than 15.233 KiB (-memory)\n", stderr)
		}
	}

	// With memory for one of them, images wait for each other.
	status, stdout, stderr := corners(t, "-jobs", "4", "-memory", fmt.Sprint(int64(need)), "a.png", "a.png", "a.png", "a.png", "a.png")
	require.Zero(t, status, stderr)
	require.Equal(t, 5, strings.Count(stdout, "\na.png "))

	// Standard input is not read for ever.
	endless := strings.NewReader("P5 9 9 255 " + strings.Repeat("x", 1<<20))
	var out, errs strings.Builder
	require.Equal(t, 1, run(t.Context(), []string{"-", "-memory=1MiB"}, endless, &out, &errs))
	require.Equal(t, "corners: standard input: it has 1 MiB or more, which is all the memory (-memory)\n", errs.String())
	require.Positive(t, endless.Len())
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]struct {
		size  byteSize
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
		var b byteSize
		require.NoError(t, b.Set(text), text)
		require.Equal(t, want.size, b, text)
		require.Equal(t, want.shown, b.String())
	}
	for _, text := range []string{"", "G", "x", "1X", "1GG", "-1G", "0", "NaN", "Inf", "1e40", "1 2", "2GB"} {
		require.Error(t, new(byteSize).Set(text), text)
	}
	require.Equal(t, byteSize(math.MaxInt64), multiply(image.Pt(math.MaxInt32, math.MaxInt32), 8))
}
