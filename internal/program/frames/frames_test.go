package frames

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestPixels(t *testing.T) {
	require.Zero(t, Pixels(nil))
	require.Equal(t, 1012, Pixels([]*image.Gray{image.NewGray(image.Rect(-5, 0, 95, 10)), image.NewGray(image.Rect(0, 0, 3, 4))}))
}

func TestLoad(t *testing.T) {
	encode := func(img image.Image) *fstest.MapFile {
		var buf bytes.Buffer
		require.NoError(t, png.Encode(&buf, img))
		return &fstest.MapFile{Data: buf.Bytes()}
	}
	gray := image.NewGray(image.Rect(0, 0, 3, 2))
	gray.Pix[4] = 99
	red := image.NewRGBA(image.Rect(0, 0, 1, 1))
	red.Set(0, 0, color.RGBA{R: 255, A: 255})
	dir := fstest.MapFS{"b.png": encode(gray), "a.png": encode(red), "readme.md": {Data: []byte("text")}}

	photos, err := Load(dir)
	require.NoError(t, err)
	require.Len(t, photos, 2)
	require.Equal(t, color.GrayModel.Convert(red.At(0, 0)), photos[0].At(0, 0))
	require.Equal(t, gray, photos[1])

	dir["c.png"] = &fstest.MapFile{Data: []byte("no image")}
	_, err = Load(dir)
	require.ErrorContains(t, err, "frames: c.png: ")
}

// TestMake checks that the frames of the photos are of the size asked for, all
// different, and the same each time.
func TestMake(t *testing.T) {
	photos, err := Load(os.DirFS("../../../testdata/photos"))
	require.NoError(t, err)
	require.Len(t, photos, 11)
	for _, test := range []struct{ w, h, n int }{{256, 256, 64}, {640, 480, 48}, {1241, 376, 20}, {1920, 1080, 6}} {
		name := fmt.Sprintf("%dx%d", test.w, test.h)
		frames := Make(photos, test.w, test.h, test.n)
		require.Len(t, frames, test.n, name)
		seen := map[[32]byte]bool{}
		for _, frame := range frames {
			require.Equal(t, image.Rect(0, 0, test.w, test.h), frame.Rect)
			require.Len(t, frame.Pix, test.w*test.h)
			seen[sha256.Sum256(frame.Pix)] = true
		}
		require.Len(t, seen, test.n, "different frames of %s", name)
		for i, frame := range Make(photos, test.w, test.h, test.n) {
			require.True(t, bytes.Equal(frames[i].Pix, frame.Pix), "frame %d of %s, made again", i, name)
		}
	}
}

// TestOrientations checks the eight orientations of a photo that fills a frame.
func TestOrientations(t *testing.T) {
	photo := &image.Gray{Pix: []byte("abXcdX"), Stride: 3, Rect: image.Rect(5, 5, 7, 7)}
	var got []string
	for _, frame := range Make([]*image.Gray{photo}, 2, 2, 8) {
		got = append(got, string(frame.Pix))
	}
	require.Equal(t, []string{"abcd", "acbd", "badc", "cadb", "cdab", "bdac", "dcba", "dbca"}, got)
}

// TestCrops checks that the crops of a photo do not overlap, reach its edges and
// come in turn with those of other photos.
func TestCrops(t *testing.T) {
	wide := image.NewGray(image.Rect(0, 0, 7, 3))
	small := image.NewGray(image.Rect(0, 0, 3, 2))
	list, sources := crops([]*image.Gray{small, image.NewGray(image.Rect(0, 0, 1, 9)), wide}, 3, 2)
	require.Equal(t, 2, sources)
	require.Equal(t, []crop{
		{small, image.Pt(0, 0), 0},
		{wide, image.Pt(0, 0), 0},
		{small, image.Pt(0, 0), 2},
		{wide, image.Pt(4, 0), 0},
		{small, image.Pt(0, 0), 4},
		{wide, image.Pt(0, 0), 1},
	}, list[:6])
}

// TestTiles checks frames that are larger than the photo.
func TestTiles(t *testing.T) {
	photo := &image.Gray{Pix: []byte("aaaaaaa"), Stride: 7, Rect: image.Rect(0, 0, 7, 1)}
	for _, frame := range Make([]*image.Gray{photo}, 20, 3, 2) {
		require.Equal(t, bytes.Repeat([]byte("a"), 60), frame.Pix)
	}
	// As many parts as let a third of the photos take part: all but the tiny ones would take 3.
	tiny := image.NewGray(image.Rect(0, 0, 1, 1))
	size, pieces := tiles([]*image.Gray{photo, tiny, tiny}, 14, 1)
	require.Equal(t, image.Pt(7, 1), size)
	require.Len(t, pieces, 4) // the photo has no other row
	size, _ = tiles([]*image.Gray{photo, tiny, tiny, tiny}, 14, 1)
	require.Equal(t, image.Pt(1, 1), size)

	// Each piece comes once before any comes again, in another order.
	different := &image.Gray{Pix: []byte("abcdefgh"), Stride: 8, Rect: image.Rect(0, 0, 8, 1)}
	seen := map[string]bool{}
	for _, frame := range Make([]*image.Gray{different}, 4, 1, 40)[8:] { // the others are whole
		seen[string(frame.Pix)] = true
	}
	require.Greater(t, len(seen), 12)

	// A single crop is of the middle.
	require.Equal(t, "bcdef", string(Make([]*image.Gray{{Pix: []byte("abcdefg"), Stride: 7, Rect: image.Rect(0, 0, 7, 1)}}, 5, 1, 1)[0].Pix))
	require.Panics(t, func() { Make(nil, 20, 3, 1) })
	require.Panics(t, func() { Make([]*image.Gray{photo}, 0, 3, 1) })
	require.Empty(t, Make([]*image.Gray{photo}, 20, 3, 0))
}
