package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/stretchr/testify/require"
)

// found runs the program on a photo and returns the corners it reports.
func found(t *testing.T, args ...string) []fast.Corner {
	t.Helper()
	status, stdout, stderr := corners(t, append([]string{"-no-picture", "-format", "json"}, args...)...)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	var items []fastObject
	decodeJSON(t, stdout, &items)
	require.Len(t, items, 1)
	var list []fast.Corner
	for _, c := range items[0].Corners {
		list = append(list, fast.Corner(c))
	}
	return list
}

// writeMask writes an image of the size of the program's photo.
func writeMask(t *testing.T, path string, img draw.Image, where image.Rectangle, c color.Color) {
	t.Helper()
	draw.Draw(img, where, image.NewUniform(c), image.Point{}, draw.Src)
	filetest.Write(t, path, filetest.Encode(t, filetest.StorePNG, img))
}

func TestSelection(t *testing.T) {
	inTempDir(t)
	bounds := image.Rect(0, 0, 512, 512)
	all := found(t)
	require.Greater(t, len(all), 3000)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, decodedPhoto(t))) // which is decoded soon
	found := func(t *testing.T, args ...string) []fast.Corner {
		t.Helper()
		return found(t, append(args, "a.png")...)
	}
	require.Equal(t, fast.Strongest(slices.Clone(all), 50), found(t, "-strongest", "50"))
	require.Equal(t, fast.Spread(slices.Clone(all), bounds, 50), found(t, "-spread", "50"))
	require.Equal(t, all, found(t, "-strongest", "0", "-spread=0"))
	require.Equal(t, all, found(t, "-strongest", "100000", "-spread=100000", "-workers=3"))
	require.Equal(t, all, found(t, "-workers=-1"))
	require.Less(t, len(found(t, "-nonmax")), 1500)

	// First the mask, then -strongest, then -spread.
	where := image.Rect(100, 200, 300, 400)
	writeMask(t, "mask.png", image.NewGray(bounds), where, color.Gray{Y: 1})
	var want []fast.Corner
	for _, c := range all {
		if c.Pt().In(where) {
			want = append(want, c)
		}
	}
	require.Equal(t, want, found(t, "-mask", "mask.png"))
	want = fast.Spread(fast.Strongest(want, 400), bounds, 60)
	require.Len(t, want, 60)
	require.Equal(t, want, found(t, "-mask", "mask.png", "-spread=60", "-strongest=400"))
}

// TestShownCorners checks that a picture in which no flag chooses corners shows strong ones from all
// parts, and the report all of them.
func TestShownCorners(t *testing.T) {
	inTempDir(t)
	for i, args := range []string{"", "-nonmax", "-nonmax -spread 500", "-spread 4000", "-strongest 900"} {
		status, _, stderr := corners(t, append(strings.Fields(args), "-o", fmt.Sprintf("%d.png", i))...)
		require.Zero(t, status, stderr)
	}
	shown := filetest.ReadPNG(t, "0.png")
	require.Equal(t, filetest.ReadPNG(t, "2.png"), shown)
	for _, name := range []string{"1.png", "3.png", "4.png"} {
		require.NotEqual(t, filetest.ReadPNG(t, name), shown, name)
	}

	// A mask limits them, too.
	for i, args := range []string{"", "-nonmax -spread 500"} {
		status, _, stderr := corners(t, append(strings.Fields(args), "-roi", "0,0,512,200", "-o", fmt.Sprintf("roi%d.png", i))...)
		require.Zero(t, status, stderr)
	}
	require.Equal(t, filetest.ReadPNG(t, "roi1.png"), filetest.ReadPNG(t, "roi0.png"))
	_, stdout, _ := corners(t, "-format", "csv", "-o", "x.png")
	d, err := fast.New(fast.Options{Threshold: 25})
	require.NoError(t, err)
	require.Equal(t, 1+len(d.Detect(fast.Gray(decodedPhoto(t)))), strings.Count(stdout, "\n"))
	_, plain, _ := corners(t, "-format", "csv", "-no-picture")
	require.Equal(t, plain, stdout)
}

func TestMasks(t *testing.T) {
	inTempDir(t)
	bounds := image.Rect(0, 0, 512, 512)
	where := image.Rect(100, 200, 300, 400)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, decodedPhoto(t)))
	found := func(t *testing.T, args ...string) []fast.Corner {
		t.Helper()
		return found(t, append(args, "a.png")...)
	}
	writeMask(t, "gray.png", image.NewGray(bounds), where, color.Gray{Y: 255})
	want := found(t, "-mask", "gray.png")
	require.NotEmpty(t, want)

	writeMask(t, "alpha.png", image.NewNRGBA(bounds), where, color.NRGBA{A: 1})
	require.Equal(t, want, found(t, "-mask", "alpha.png"), "any alpha counts, no color does")

	opaque := image.NewNRGBA(bounds)
	draw.Draw(opaque, bounds, image.Black, image.Point{}, draw.Src)
	writeMask(t, "color.png", opaque, where, color.NRGBA{R: 90, A: 255})
	require.Equal(t, want, found(t, "-mask", "color.png"))

	writeMask(t, "black.png", opaque, bounds, color.Black)
	require.Empty(t, found(t, "-mask", "black.png"))
}

func TestMaskErrors(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "text.png", []byte("not an image\n"))
	for _, name := range []string{"missing.png", "text.png"} {
		status, stdout, stderr := corners(t, "-mask", name, "-o", "out", "a.png")
		require.Equal(t, 1, status)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "corners: "+name+": ")
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.NoDirExists(t, "out")
	}

	// Another size is an error of that image only.
	filetest.Write(t, "b.png", filetest.Encode(t, filetest.StorePNG, filetest.Square(30, 40)))
	status, stdout, stderr := corners(t, "-mask", "a.png", "-no-picture", "b.png", "a.png")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: b.png: 30 x 40 pixels, but the mask a.png has 40 x 30\n", stderr)
	require.Contains(t, stdout, "\na.png ")
	require.NotContains(t, stdout, "b.png")
}

// The picture does not replace the mask.
func TestMaskIsKept(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "a-corners.png")
	before, err := os.ReadFile("a-corners.png")
	require.NoError(t, err)
	status, stdout, stderr := corners(t, "-mask", filepath.Join(".", "a-corners.png"), "a.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote a-corners-2.png\n")
	after, err := os.ReadFile("a-corners.png")
	require.NoError(t, err)
	require.Equal(t, before, after)
}
