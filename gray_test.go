package fast_test

import (
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// TestGrayShares checks that Gray takes over luma planes, of images and of
// parts of them.
func TestGrayShares(t *testing.T) {
	bounds := image.Rect(-3, 5, 18, 22)
	part := image.Rect(-1, 8, 15, 19)

	gray := image.NewGray(bounds)
	require.Same(t, gray, fast.Gray(gray))

	alpha := image.NewNYCbCrA(bounds, image.YCbCrSubsampleRatio420)
	requireLuma(t, &alpha.YCbCr, fast.Gray(alpha))
	sub := alpha.SubImage(part).(*image.NYCbCrA)
	requireLuma(t, &sub.YCbCr, fast.Gray(sub))

	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		img := image.NewYCbCr(bounds, ratio)
		requireLuma(t, img, fast.Gray(img))
		sub := img.SubImage(part).(*image.YCbCr)
		requireLuma(t, sub, fast.Gray(sub))
		empty := img.SubImage(image.Rectangle{}).(*image.YCbCr)
		require.True(t, fast.Gray(empty).Rect.Empty())
	}
}

// requireLuma fails the test unless gray is the luma plane of img, in the same
// memory.
func requireLuma(t *testing.T, img *image.YCbCr, gray *image.Gray) {
	t.Helper()
	require.Equal(t, img.Rect, gray.Rect)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			require.Same(t, &img.Y[img.YOffset(x, y)], &gray.Pix[gray.PixOffset(x, y)], "%v, pixel %d,%d", img.SubsampleRatio, x, y)
		}
	}
}

// TestGrayConverts checks the images that have no luma plane.
func TestGrayConverts(t *testing.T) {
	bounds := image.Rect(-3, 5, 18, 22)
	images := []draw.Image{
		image.NewGray16(bounds),
		image.NewRGBA(bounds),
		image.NewRGBA64(bounds),
		image.NewNRGBA(bounds),
		image.NewCMYK(bounds),
		image.NewAlpha(bounds),
		image.NewPaletted(bounds, palette.WebSafe),
		inverted{image.NewRGBA(bounds)},
		image.NewRGBA(image.Rect(4, 4, 4, 9)),
	}
	rng := rand.New(rand.NewPCG(10, 11))
	for _, img := range images {
		r := img.Bounds()
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				img.Set(x, y, color.NRGBA64{
					R: uint16(rng.Uint32()),
					G: uint16(rng.Uint32()),
					B: uint16(rng.Uint32()),
					A: 0xffff - uint16(rng.Uint32N(2)*rng.Uint32N(0xffff)),
				})
			}
		}
		for _, img := range []image.Image{img, part(img, image.Rect(-1, 8, 15, 19))} {
			got := fast.Gray(img)
			requireDrawn(t, img, got)
			r := img.Bounds()
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					require.Equal(t, color.GrayModel.Convert(img.At(x, y)), got.At(x, y), "%T, pixel %d,%d", img, x, y)
				}
			}
		}
	}
}

// requireDrawn fails the test unless got is what draw.Draw makes of img.
func requireDrawn(t *testing.T, img image.Image, got *image.Gray) {
	t.Helper()
	want := image.NewGray(img.Bounds())
	draw.Draw(want, want.Rect, img, want.Rect.Min, draw.Src)
	require.Equal(t, want.Rect, got.Rect, "%T", img)
	for y := want.Rect.Min.Y; y < want.Rect.Max.Y; y++ {
		for x := want.Rect.Min.X; x < want.Rect.Max.X; x++ {
			if want.GrayAt(x, y) != got.GrayAt(x, y) {
				t.Fatalf("%T, pixel %d,%d: got %v, want %v", img, x, y, got.GrayAt(x, y), want.GrayAt(x, y))
			}
		}
	}
}

// part returns the part r of img, or img if it cannot be divided.
func part(img image.Image, r image.Rectangle) image.Image {
	if whole, ok := img.(interface {
		SubImage(r image.Rectangle) image.Image
	}); ok {
		return whole.SubImage(r)
	}
	return img
}

// inverted is an image of a type that no package knows.
type inverted struct{ draw.Image }

func (img inverted) At(x, y int) color.Color {
	r, g, b, _ := img.Image.At(x, y).RGBA()
	return color.RGBA64{R: 0xffff - uint16(r), G: 0xffff - uint16(g), B: 0xffff - uint16(b), A: 0xffff}
}
