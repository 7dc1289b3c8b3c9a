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
	"strconv"
	"strings"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/test/phototest"
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

// A spy is a method that tells what is done with it.
type spy struct {
	method.Method
	found  func() // called when it has searched, or nil
	counts func() // called before it counts what it will find, or nil
}

func (s spy) Find(img, mask *image.Gray) method.Finding {
	if s.found != nil {
		defer s.found()
	}
	return s.Method.Find(img, mask)
}

func (s spy) Lists(img *image.Gray, worst bool) int64 {
	if s.counts != nil && !worst {
		s.counts()
	}
	return s.Method.Lists(img, worst)
}

// Corners are counted by a search only where as many as there can be do not fit.
func TestListsAreCountedRarely(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for memory, want := range map[string]int{"1GiB": 0, "30KiB": 1} {
		cfg, err := parseDetect([]string{"-method=vpi", "-format=csv", "-memory", memory, "a.png"}, io.Discard)
		require.NoError(t, err)
		searches := 0
		cfg.method = spy{Method: cfg.method, counts: func() { searches++ }}
		p := newProgram(t.Context(), testPatience, nil, io.Discard, io.Discard)
		p.begin(cfg.reporting)
		require.NoError(t, searchInputs(p, cfg, p.reader.Images(cfg.args)))
		require.Zero(t, p.console.Status())
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

// Images of 16 bits of which fewer are used are dark, and so are transparent ones, which is said.
func TestDark(t *testing.T) {
	inTempDir(t)
	bright := filetest.Square(40, 30)
	write := func(name string, used int) {
		gray, color16 := image.NewGray16(bright.Rect), image.NewNRGBA64(bright.Rect)
		for y := range 30 {
			for x := range 40 {
				v := uint16(bright.GrayAt(x, y).Y) << 8 >> (16 - used)
				gray.SetGray16(x, y, color.Gray16{Y: v})
				color16.SetNRGBA64(x, y, color.NRGBA64{R: v, G: v, B: v, A: 0xffff})
			}
		}
		filetest.Write(t, name+"-gray.png", filetest.Encode(t, filetest.StorePNG, gray))
		filetest.Write(t, name+"-color.png", filetest.Encode(t, filetest.StorePNG, color16))
		filetest.Write(t, name+"-color.tif", filetest.Encode(t, func(w io.Writer, img image.Image) error { return tiff.Encode(w, img, nil) }, color16))
	}
	for _, used := range []int{8, 10, 12, 14, 15, 16} {
		write(fmt.Sprint(used), used)
	}
	filetest.Write(t, "bright.png", filetest.Encode(t, filetest.StorePNG, bright))
	want := found(t, "bright.png")
	require.NotEmpty(t, want)
	for _, file := range []string{"-gray.png", "-color.png", "-color.tif"} {
		for _, used := range []int{8, 10, 12, 14, 15, 16} {
			name := fmt.Sprint(used) + file
			_, stdout, stderr := corners(t, "-no-picture", name)
			if used <= 14 {
				require.Equal(t, fmt.Sprintf("corners: %s: its values have only %d of 16 bits, so that it is dark; -stretch makes it brighter\n", name, used), stderr)
			} else {
				require.Empty(t, stderr, name)
			}
			require.Contains(t, stdout, name)
			require.Equal(t, want, found(t, "-stretch", name), name)
			_, _, stderr = corners(t, "match", "-no-picture", name, "bright.png")
			require.Equal(t, used <= 14, strings.HasPrefix(stderr, "corners: "+name+": its values have only "), stderr)
			_, _, stderr = corners(t, "match", "-no-picture", "-stretch", name, "bright.png")
			require.Empty(t, stderr)
		}
	}
	// What is black, or not of 16 bits, is as it is.
	filetest.Write(t, "black.png", filetest.Encode(t, filetest.StorePNG, image.NewGray16(bright.Rect)))
	dim := filetest.Square(40, 30)
	for i := range dim.Pix {
		dim.Pix[i] /= 32
	}
	filetest.Write(t, "dim.png", filetest.Encode(t, filetest.StorePNG, dim))
	for _, name := range []string{"black.png", "dim.png"} {
		require.Empty(t, found(t, name))
		require.Empty(t, found(t, "-stretch", name))
	}

	// A transparent scene.
	clear := image.NewNRGBA(bright.Rect)
	for i, v := range bright.Pix {
		copy(clear.Pix[4*i:], []byte{v, v, v, 0})
	}
	filetest.Write(t, "clear.png", filetest.Encode(t, filetest.StorePNG, clear))
	const black = "corners: clear.png: all its pixels are transparent, so that it is black\n"
	status, stdout, stderr := corners(t, "find", "bright.png", "clear.png", "bright.png", "-no-picture")
	require.Zero(t, status)
	require.Contains(t, stdout, "\nbright.png  40x30  0  0  1.0000\n")
	require.Equal(t, black, stderr)
	_, _, stderr = corners(t, "-no-picture", "clear.png")
	require.Equal(t, black, stderr)
	clear.Pix[3] = 1
	filetest.Write(t, "clear.png", filetest.Encode(t, filetest.StorePNG, clear))
	_, _, stderr = corners(t, "-no-picture", "clear.png")
	require.Empty(t, stderr)
}

// By default, the memory suffices for SIFT in a photo of a phone, unless there is little.
func TestDefaultMemory(t *testing.T) {
	defer func(memory func() cli.ByteSize) { machineMemory = memory }(machineMemory)
	inTempDir(t)
	filetest.Write(t, "photo.pgm", []byte("P5 4000 3000 255\n")) // and no pixels
	const decoding = `cannot be decoded \(netpbm: unexpected EOF: 0 of 12000000 bytes of pixels\)`
	const needs = `4000 x 3000 pixels need 1\.[45][0-9]* GiB of memory, more than `
	for memory, want := range map[cli.ByteSize]string{
		0:              needs + `1 GiB \(-memory\)`,
		1536 * cli.MiB: needs + `1 GiB \(-memory\)`,
		2500 * cli.MiB: needs + `1\.221 GiB \(-memory\)`,
		4 * cli.GiB:    decoding,
		999 * cli.GiB:  decoding,
	} {
		machineMemory = func() cli.ByteSize { return memory }
		for _, command := range []string{"-method=sift photo.pgm", "match -method=sift photo.pgm photo.pgm"} {
			_, _, stderr := corners(t, strings.Fields(command)...)
			require.Regexp(t, `^corners: photo\.pgm: `+want+`\n`, stderr, "%v: %s", memory, command)
		}
	}
}

// The memory in which keypoints are found serves one image of a pair after the other.
func TestMemoryOfPair(t *testing.T) {
	if testing.Short() {
		t.Skip("SIFT takes a while")
	}
	inTempDir(t)
	for name, size := range map[string]image.Point{"a.png": {400, 300}, "b.png": {400, 300}, "large.png": {600, 400}} {
		filetest.Write(t, name, filetest.Encode(t, filetest.StorePNG, filetest.Square(size.X, size.Y)))
	}
	for args, want := range map[string]string{
		"a.png b.png -memory=25MB":     "",
		"a.png large.png -memory=38MB": "",
		"large.png a.png -memory=38MB": "",
		"a.png b.png -memory=18MB":     `^corners: a\.png: 400 x 300 pixels need 1[0-9.]+ MiB of memory, more than 17\.166 MiB \(-memory\)\n`,
		"a.png large.png -memory=30MB": `^corners: large\.png: 600 x 400 pixels need 3[0-9.]+ MiB of memory, more than 28\.61 MiB \(-memory\)( less [0-9.]+ MiB that are in use)?\n$`,
		"large.png a.png -memory=36MB": `^corners: a\.png: 400 x 300 pixels need 3[0-9.]+ MiB of memory, more than 34\.332 MiB \(-memory\) less [0-9.]+ MiB that are in use\n$`,
	} {
		_, _, stderr := corners(t, append([]string{"match", "-method=sift", "-no-picture"}, strings.Fields(args)...)...)
		if want == "" {
			require.Empty(t, stderr, args)
		} else {
			require.Regexp(t, want, stderr, args)
		}
	}
}

// What is too large for a package is refused, by each command and from the header alone, with the name
// of the file and the limit. In a folder, the other files go on.
func TestLimits(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "d/z.png")
	filetest.Write(t, "sift.png", filetest.PNGHeader(65537, 2))
	filetest.Write(t, "d/sift.png", filetest.PNGHeader(2, 65537))
	filetest.Write(t, "warp.png", filetest.PNGHeader(1<<20+1, 2))
	filetest.Write(t, "wide.png", filetest.PNGHeader(1<<16, 1<<15))
	filetest.Write(t, "huge.png", filetest.PNGHeader(1<<17, 1<<16))
	filetest.Write(t, "icon.png", filetest.PNGHeader(1025, 9))
	filetest.Write(t, "level.png", filetest.PNGHeader(5000, 5000))
	filetest.Write(t, "long.y4m", []byte("YUV4MPEG2 W65536 H64 F25:1 Ip A1:1 Cmono\n"))
	const memory = "-memory=1000000GiB -workers=1 "
	for _, c := range []struct{ args, err string }{
		{"-method sift sift.png", "sift.png: 65537 x 2 pixels, but method sift takes sides of up to 65536"},
		{"-method sift d", filepath.Join("d", "sift.png") + ": 2 x 65537 pixels, but method sift takes sides of up to 65536"},
		{"bench -method sift sift.png", "sift.png: 65537 x 2 pixels, but method sift takes sides of up to 65536"},
		{"match -method sift a.png sift.png", "sift.png: 65537 x 2 pixels, but method sift takes sides of up to 65536"},
		{"register -method sift sift.png a.png", "sift.png: 65537 x 2 pixels, but method sift takes sides of up to 65536"},
		{"register a.png warp.png", "warp.png: 1048577 x 2 pixels, but moving an image takes sides of up to 1048576"},
		{"-method vpi wide.png", "wide.png: 65536 x 32768 pixels, but method vpi takes up to 2147483647 of them"},
		{"-method lococo wide.png", "wide.png: 65536 x 32768 pixels, but method lococo takes up to 2147483647 of them"},
		{"find a.png wide.png", "wide.png: 65536 x 32768 pixels, but corners find takes up to 2147483647 of them"},
		{"find icon.png a.png", "icon.png: 1025 x 9 pixels, but a template takes sides of up to 1024"},
		{"-method harris huge.png", "huge.png: 131072 x 65536 pixels, but method harris takes up to 4294967296 of them"},
		{"-method shi-tomasi huge.png", "huge.png: 131072 x 65536 pixels, but method shi-tomasi takes up to 4294967296 of them"},
		{"track huge.png a.png", "huge.png: 131072 x 65536 pixels, but corners track takes up to 4294967296 of them"},
		{"-method orb -scale 2 -first-level 3 level.png", "level.png: 5000 x 5000 pixels, but method orb takes up to 16775538 of them"},
		{"match -scale 2 -first-level 3 level.png a.png", "level.png: 5000 x 5000 pixels, but method orb takes up to 16775538 of them"},
		{"stabilize long.y4m out.y4m", `long.y4m: y4m: the side "W65536" is not from 1 to 65535`},
		{"track long.y4m", `long.y4m: y4m: the side "W65536" is not from 1 to 65535`},
	} {
		if strconv.IntSize == 32 && (strings.Contains(c.args, "wide.png") || strings.Contains(c.args, "huge.png")) {
			c.err = c.err[:strings.Index(c.err, ":")] + ": cannot be decoded (png: unsupported feature: dimension overflow)"
		}
		args := memory
		if strings.HasPrefix(c.args, "bench") {
			args = "-memory=1000000GiB "
		}
		status, stdout, stderr := corners(t, strings.Fields(c.args+" "+args)...)
		require.NotZero(t, status, c.args)
		require.Equal(t, "corners: "+c.err+"\n", stderr, c.args)
		require.Equal(t, strings.HasSuffix(c.args, " d"), strings.Contains(stdout, "z.png"), "the rest of the folder: %s", c.args)
	}
	require.Contains(t, filetest.List(t), "z-corners.png")

	// Where nothing is drawn nothing is moved, and of a large image a region may be searched. The rest
	// of the files is missing.
	for _, args := range []string{"register -no-picture a.png warp.png", "match a.png warp.png", "-method sift -roi 0,0,200,2 sift.png"} {
		_, _, stderr := corners(t, strings.Fields(args)...)
		require.Contains(t, stderr, ".png: cannot be decoded (", args)
	}
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
		require.Regexp(t, `^corners: huge\.png: 16383 x 16383 pixels need [0-9.]+ GiB of memory, more than 1 GiB \(-memory\)( less 11\.719 KiB that are in use)?\n$`, stderr)
	}

	need := cli.Memory(image.Pt(40, 30), 4+1+4+1+3)
	for memory, want := range map[cli.ByteSize]int{need: 0, need - 1: 1} {
		status, _, stderr := corners(t, "-memory", fmt.Sprint(int64(memory)), "a.png")
		require.Equal(t, want, status, stderr)
		if want != 0 {
			require.Equal(t, "corners: a.png: 40 x 30 pixels need 15.234 KiB of memory, more than 15.233 KiB (-memory)\n", stderr)
		}
	}

	// Standard input is in memory, too.
	data := filetest.Read(t, "a.png")
	for memory, want := range map[cli.ByteSize]int{need + cli.ByteSize(len(data)): 0, need + cli.ByteSize(len(data)) - 1: 1} {
		status, _, stderr := withStdin(t, bytes.NewReader(data), "-memory", fmt.Sprint(int64(memory)), "-o", "out.png", "-")
		require.Equal(t, want, status, stderr)
		require.Equal(t, want != 0, strings.HasPrefix(stderr, "corners: standard input: 40 x 30 pixels need "), stderr)
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
