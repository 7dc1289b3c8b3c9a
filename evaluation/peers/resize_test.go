package peers

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// interpolations are those of a Resizer.
var interpolations = []warp.Interpolation{warp.Linear, warp.Nearest, warp.Area}

// A resized is the images that are resized of a photo, and what they become: parts of larger images.
type resized struct {
	gray   *image.Gray
	gray16 *image.Gray16
	color  *image.RGBA
}

// newResized returns images of a size, in larger ones.
func newResized(size image.Point) resized {
	r := image.Rectangle{Max: size}
	outer := image.Rectangle{Min: image.Pt(-3, -2), Max: size.Add(image.Pt(7, 1))}
	return resized{
		image.NewGray(outer).SubImage(r).(*image.Gray), image.NewGray16(outer).SubImage(r).(*image.Gray16), image.NewRGBA(outer).SubImage(r).(*image.RGBA),
	}
}

// paint sets pixels to those of a photo, again and again: gray, as 16 bits together with their mirrored
// ones, and as channels p(x, y), p(W-1-x, y), p(x, H-1-y) and 255-p.
func (m resized) paint(photo *image.Gray) {
	w, h := m.gray.Rect.Dx(), m.gray.Rect.Dy()
	at := func(x, y int) byte {
		return photo.Pix[y%photo.Rect.Dy()*photo.Stride+x%photo.Rect.Dx()]
	}
	for y := range h {
		for x := range w {
			p, q, r := at(x, y), at(w-1-x, y), at(x, h-1-y)
			m.gray.Pix[y*m.gray.Stride+x] = p
			copy(m.gray16.Pix[y*m.gray16.Stride+2*x:], []byte{p, q})
			copy(m.color.Pix[y*m.color.Stride+4*x:], []byte{p, q, r, 255 - p})
		}
	}
}

// rows returns the pixels of a part, without those around it.
func rows(pix []byte, stride, w, h int) []byte {
	var list []byte
	for y := range h {
		list = append(list, pix[y*stride:][:w]...)
	}
	return list
}

// requireSameResize fails the test unless OpenCV makes the images of this size that package warp makes,
// bit for bit, with every instruction set.
func requireSameResize(t *testing.T, peers *Peers, src resized, size image.Point, how warp.Interpolation) {
	t.Helper()
	want := newResized(size)
	peers.Resize(how, GrayPixels(want.gray), GrayPixels(src.gray))
	peers.Resize(how, ColorPixels(want.color), ColorPixels(src.color))
	peers.Resize16(how, want.gray16, src.gray16)
	for _, set := range cpu.InstructionSets(WarpPackages...) {
		restore := cpu.Limit(set.Set)
		made := Must(warp.NewResizer(warp.ResizerOptions{Interpolation: how}))
		got := newResized(size)
		made.Gray(got.gray, src.gray)
		made.Gray16(got.gray16, src.gray16)
		made.RGBA(got.color, src.color)
		restore()
		what := fmt.Sprintf("%s, %v to %v, %v", set.Name, src.gray.Rect, size, how)
		w, h := size.X, size.Y
		require.True(t, slices.Equal(rows(want.gray.Pix, want.gray.Stride, w, h), rows(got.gray.Pix, got.gray.Stride, w, h)), what)
		require.True(t, slices.Equal(rows(want.color.Pix, want.color.Stride, 4*w, h), rows(got.color.Pix, got.color.Stride, 4*w, h)), "%s, four channels", what)
		require.True(t, slices.Equal(rows(want.gray16.Pix, want.gray16.Stride, 2*w, h), rows(got.gray16.Pix, got.gray16.Stride, 2*w, h)), "%s, 16 bits", what)
	}
}

// TestResize checks that OpenCV makes the images that package warp makes, of all photos and of many
// sizes, for parts of images as source and as destination.
func TestResize(t *testing.T) {
	peers := openPeers(t)
	for _, photo := range flowPhotos(t) {
		w, h := photo.Rect.Dx(), photo.Rect.Dy()
		src := newResized(image.Pt(w, h))
		src.paint(photo)
		sizes := []image.Point{
			{w, h},
			{w / 2, h / 2},
			{w / 3, h / 3},
			{w / 4, h / 4},
			{w / 5, h / 5},
			{w / 4, h / 2},
			{w, h / 2},
			{w / 2, h},
			{2 * w, 2 * h},
			{w * 3 / 2, h * 3 / 2},
			{w + 1, h + 1},
			{w - 1, h - 1},
			{w + 1, h - 1},
			{w, h + 7},
			{w + 5, h},
			{w - 3, h},
			{224, 224},
			{300, 300},
			{320, 240},
			{640, 480},
			{299, 299},
			{416, 416},
			{100, 75},
			{64, 64},
			{32, 32},
			{28, 28},
			{17, 13},
			{1, 1},
			{1, h},
			{w, 1},
			{2, 3},
			{w / 7, h / 9},
			{w * 10 / 13, h * 10 / 13},
			{w * 10 / 19, h * 10 / 19},
			{w * 10 / 29, h * 10 / 31},
			{w * 10 / 47, h / 2},
			{w / 2, h * 3},
			{w * 2, h / 3},
			{1000, 563},
			{w * 9 / 8, h * 7 / 8},
		}
		require.Len(t, sizes, 40)
		for _, size := range sizes {
			for _, how := range interpolations {
				requireSameResize(t, peers, src, size, how)
			}
		}
	}
}

// TestResizeRandom checks the same for random sizes, some of them over a thousand pixels wide, and noise.
func TestResizeRandom(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(1, 1))
	noise := image.NewGray(image.Rect(0, 0, 251, 241))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(rng.Uint32())
	}
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	size := func() image.Point {
		switch rng.IntN(8) {
		case 0:
			return image.Pt(1+rng.IntN(3000), 1+rng.IntN(20))
		case 1:
			return image.Pt(1+rng.IntN(20), 1+rng.IntN(3000))
		}
		return image.Pt(1+rng.IntN(400), 1+rng.IntN(100))
	}
	for range rounds {
		src := newResized(size())
		src.paint(noise)
		requireSameResize(t, peers, src, size(), interpolations[rng.IntN(3)])
	}
}

// TestResizeTests checks that all tests of resizing have a peer and begin with this library.
func TestResizeTests(t *testing.T) {
	peers := openPeers(t)
	for _, c := range ResizeCases() {
		c.From, c.To = c.From.Div(8), c.To.Div(8)
		in := MakeWarpInputs([]*image.Gray{image.NewGray(image.Rectangle{Max: c.From})})[0]
		for _, test := range c.Tests(peers) {
			require.False(t, test.contenders[0].peer)
			require.True(t, test.contenders[len(test.contenders)-1].peer)
			for _, c := range test.contenders {
				c.do(in)
			}
		}
	}
}
