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
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/photo"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// Coordinates are those of the image as it is to be seen, and so is the picture.
func TestExifOrientation(t *testing.T) {
	inTempDir(t)
	for orientation := 1; orientation <= 8; orientation++ {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			stored := phototest.WithSegments(t, phototest.Letter(), phototest.Segment(0xe0, []byte("JFIF\x00")), phototest.Segment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00")),
				phototest.Exif(order, uint16(orientation)), phototest.Exif(order, 3))
			decoded, err := jpeg.Decode(bytes.NewReader(stored))
			require.NoError(t, err)
			seen := phototest.AsSeen(decoded.(*image.Gray), orientation)
			filetest.Write(t, "stored.jpg", stored)
			filetest.Write(t, "seen.png", filetest.Encode(t, filetest.StorePNG, seen))
			want := found(t, "seen.png")
			require.NotEmpty(t, want)
			require.Equal(t, want, found(t, "stored.jpg"))
			if testing.Short() && orientation%2 == 0 { // the others have both kinds of sizes
				continue
			}

			status, stdout, stderr := corners(t, "stored.jpg", "seen.png", "-f")
			require.Zero(t, status, stderr)
			require.Contains(t, stdout, fmt.Sprintf("stored.jpg  %dx%d ", seen.Rect.Dx(), seen.Rect.Dy()))
			require.Equal(t, filetest.ReadPNG(t, "seen-corners.png"), filetest.ReadPNG(t, "stored-corners.png"))

			filetest.Write(t, "mask.png", filetest.Encode(t, filetest.StorePNG, seen))
			require.Equal(t, found(t, "seen.png", "-mask", "mask.png"), found(t, "stored.jpg", "-mask", "stored.jpg"))
			status, stdout, stderr = corners(t, "match", "-edge=10", "-patch=5", "stored.jpg", "seen.png", "-o=matches.png")
			require.Zero(t, status, stderr)
			require.Contains(t, stdout, fmt.Sprintf("stored.jpg  %dx%d ", seen.Rect.Dx(), seen.Rect.Dy()))
			require.Equal(t, 2*seen.Rect.Dx(), filetest.ReadPNG(t, "matches.png").Bounds().Dx())
		}
	}
}

// The first frame of a GIF lies where it does in the picture, and the rest is black.
func TestGIFFrame(t *testing.T) {
	inTempDir(t)
	whole := image.NewPaletted(image.Rect(0, 0, 100, 90), color.Palette{color.Black, color.White, color.Gray{Y: 100}})
	draw.Draw(whole, image.Rect(40, 28, 60, 42), image.White, image.Point{}, draw.Src)
	frame := whole.SubImage(image.Rect(30, 20, 70, 50)).(*image.Paletted)
	writeGIF := func(path string, frames ...*image.Paletted) {
		filetest.Write(t, path, filetest.Encode(t, func(w io.Writer, _ image.Image) error {
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
	require.Equal(t, filetest.ReadPNG(t, "whole-corners.png"), filetest.ReadPNG(t, "frame-corners.png"))

	left := image.Rect(0, 0, 50, 90)
	writeMask(t, "left.png", image.NewGray(whole.Rect), left, color.White)
	half := found(t, "-mask", "left.png", "frame.gif")
	require.Equal(t, len(want), 2*len(half))
}

// A lossy WebP image, whose luma has a limited range, has as many corners as the PNG image
// that it was made of, and is drawn with the same brightness.
func TestWebPRange(t *testing.T) {
	const name = "chelsea_451x300"
	original, err := filepath.Abs(filepath.Join("..", "..", "testdata", "photos", name+".png"))
	require.NoError(t, err)
	webp, err := os.ReadFile(filepath.Join("testdata", name+".webp"))
	require.NoError(t, err)
	inTempDir(t)
	filetest.Write(t, "a.webp", webp)
	for _, threshold := range []string{"10", "15", "25"} {
		want := len(found(t, "-threshold", threshold, original))
		require.InEpsilon(t, want, len(found(t, "-threshold", threshold, "a.webp")), 0.03, threshold)
	}
	sums := make(map[string]float64)
	for _, path := range []string{original, "a.webp"} {
		status, _, stderr := corners(t, "-threshold=255", "-o=x.png", "-format=csv", path)
		require.Zero(t, status, stderr)
		for _, v := range filetest.ReadPNG(t, "x.png").(*image.RGBA).Pix {
			sums[path] += float64(v)
		}
	}
	require.InEpsilon(t, sums[original], sums["a.webp"], 0.003)
}

// Errors of decoders read well.
func TestDecodeErrors(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "empty.png", nil)
	filetest.Write(t, "text.png", []byte("not an image\n"))
	filetest.Write(t, "cut.pgm", []byte("P5 20 20 255\nabc"))
	filetest.Write(t, "cut.png", filetest.Encode(t, png.Encode, filetest.Square(40, 30))[:60])
	filetest.Write(t, "cut.jpg", phototest.WithSegments(t, filetest.Square(40, 30))[:300])
	filetest.Write(t, "none.bmp", filetest.Encode(t, bmp.Encode, image.NewGray(image.Rectangle{})))
	for name, want := range map[string]string{
		"empty.png": "not an image, or of a format that is not read",
		"text.png":  "not an image, or of a format that is not read",
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
	tile := decodedPhoto(t)
	for x := 0; x < r.Max.X; x += 512 {
		for y := 0; y < r.Max.Y; y += 512 {
			draw.Draw(gray, image.Rect(x, y, x+512, y+512), tile, image.Point{}, draw.Src)
		}
	}
	for _, info := range methods {
		m := info.new()
		cli.New(m.define)
		limit := int64(cli.Memory(r.Size(), m.memory())) + 1<<21
		if info.name == "sift" { // which finds many keypoints
			require.NoError(t, m.prepare(1))
			limit += m.lists(gray, false)
		}
		require.Less(t, phototest.Least(limit, func() int64 {
			require.NoError(t, m.prepare(1))
			return phototest.Peak(func() {
				m.find(gray, nil)
				m.repeater()(gray)
			})
		}), limit, info.name)
	}
}

// However many corners there are, no more memory is used than is reserved.
func TestMemoryOfLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes images of some size")
	}
	noise := image.NewGray(image.Rect(0, 0, 700, 560))
	rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	canvas := overlay.Canvas(noise)
	tiny := image.NewGray(image.Rect(0, 0, 41, 33))
	copy(tiny.Pix, noise.Pix)
	for _, args := range []string{
		"fast -threshold 0 -arc 9",
		"fast -threshold 0 -arc 9 -spread 1000",
		"fast -threshold 0 -arc 9 -nonmax",
		"vpi -arc 1",
		"vpi -arc 1 -nonmax=false -strongest 10000000",
		"vpi -radius 1 -arc 1 -nonmax=false",
		"vpi -arc 9 -threshold 0 -nonmax=false",
		"harris",
		"shi-tomasi -distance 0 -quality 0.0001",
		"lococo -radius 1 -quality 0.0001 -kernel-size 3",
		"lococo -radius 1 -quality 0.0001 -kernel-size 3,5,7,9 -subpixel",
		"orb",
		"orb -features 10000000 -threshold 1",
		"orb -features 10000000 -threshold 1 -scale 1.05 -levels 20 -score fast",
		"sift",
		"sift -contrast 0 -edge-ratio 1000000",
		"sift -features 100 -contrast 0 -layers 5 -sigma 1.4 -doubling=false",
	} {
		for _, workers := range []int{1, 4} {
			name, rest, _ := strings.Cut(args, " ")
			m := methods[slices.Index(methodNames(methods), name)].new()
			_, err := cli.New(m.define).Parse(strings.Fields(rest))
			require.NoError(t, err)
			require.NoError(t, m.prepare(workers))
			limit := int64(cli.Memory(noise.Rect.Size(), m.memory()+1)) + m.lists(noise, false) + 3<<19
			require.Less(t, phototest.Least(limit, func() int64 {
				require.NoError(t, m.prepare(workers))
				return phototest.Peak(func() {
					f := m.find(noise, nil)
					m.repeater()(noise)
					if workers == 1 && !strings.Contains(args, "-levels") { // drawing is the same for all
						f.draw(canvas)
					}
				})
			}), limit, "%s, %d workers", args, workers)
			require.LessOrEqual(t, m.lists(tiny, false), m.lists(tiny, true), args)
		}
	}
}

// Corners are counted by a search only where as many as there can be do not fit.
func TestListsAreCountedRarely(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for memory, want := range map[string]int{"1GiB": 0, "30KiB": 1} {
		cfg, err := parseFind([]string{"-method=vpi", "-format=csv", "-memory", memory, "a.png"}, io.Discard)
		require.NoError(t, err)
		m := cfg.method.(*vpiMethod)
		searches, all := 0, m.all
		m.all = func(dst []vpi.Corner, img *image.Gray) []vpi.Corner {
			searches++
			return all(dst, img)
		}
		s := newSession(t.Context(), testPatience, nil, io.Discard, io.Discard)
		s.begin(cfg.reporting)
		require.NoError(t, s.findIn(cfg, s.reader.Images(cfg.args)))
		require.Zero(t, s.console.Status())
		require.Equal(t, want, searches, memory)
	}
}

// More corners than there is memory for are refused.
func TestMemoryLimitOfLists(t *testing.T) {
	inTempDir(t)
	noise := image.NewGray(image.Rect(0, 0, 200, 150))
	rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, noise))
	commands := []string{"-method vpi -arc 1 -nonmax=false", "match a.png -features 100000 -threshold 1", "-threshold 0 -arc 9", "-method orb -features 100000 -threshold 1", "-method sift"}
	if testing.Short() {
		commands = commands[:2]
	}
	for _, command := range commands {
		for memory, want := range map[string]int{"700KiB": 1, "60MiB": 0} {
			status, _, stderr := corners(t, append(strings.Fields(command), "a.png", "-memory", memory)...)
			require.Equal(t, want, status, "%s: %s", command, stderr)
			if want != 0 {
				require.Regexp(t, `^corners: a\.png: 200 x 150 pixels need [0-9.]+ [KM]iB of memory, more than 700 KiB \(-memory\)\n`, stderr)
			}
		}
	}
	// With memory for one of them, images wait for each other.
	args := strings.Fields("-method vpi -arc 1 -nonmax=false -memory=3.5MiB -jobs=4 a.png a.png a.png a.png a.png")
	status, stdout, stderr := corners(t, args...)
	require.Zero(t, status, stderr)
	require.Equal(t, 5, strings.Count(stdout, "\na.png "))
}

// A header that promises too much is refused before anything is decoded.
func TestMemoryLimit(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "huge.png", filetest.PNGHeader(16383, 16383))
	filetest.WriteSquare(t, "a.png")
	for _, command := range []string{"", "-mask=huge.png", "match a.png", "bench"} {
		args := append(strings.Fields(command), "huge.png")
		status, _, stderr := corners(t, args...)
		require.Equal(t, 1, status)
		require.Regexp(t, `^corners: huge\.png: 16383 x 16383 pixels need [0-9.]+ GiB of memory, more than (1 GiB|1023\.[0-9]+ MiB) \(-memory\)\n$`, stderr)
	}

	need := cli.Memory(image.Pt(40, 30), 4+1+4+1+3)
	for memory, want := range map[cli.ByteSize]int{need: 0, need - 1: 1} {
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

	// Standard input is not read forever.
	endless := strings.NewReader("P5 9 9 255 " + strings.Repeat("x", 1<<20))
	var out, errs strings.Builder
	require.Equal(t, 1, run(t.Context(), []string{"-", "-memory=1MiB"}, endless, &out, &errs))
	require.Equal(t, "corners: standard input: it has 1 MiB or more, which is all the memory (-memory)\n", errs.String())
	require.Positive(t, endless.Len())
}
