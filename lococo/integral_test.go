package lococo_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// TestIntegral compares sums over rectangles with those of their pixels, for images of
// different sizes in the same memory.
func TestIntegral(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var integral lococo.Integral
	require.Zero(t, integral.Sum(image.Rect(-5, -5, 5, 5)))
	for range 300 {
		img := newImage(rng, 0, rng.IntN(30), rng.IntN(30))
		integral.Compute(img)
		require.Equal(t, img.Rect, integral.Bounds())
		for range 10 {
			at := img.Rect.Min.Add(image.Pt(rng.IntN(40)-5, rng.IntN(40)-5))
			r := image.Rectangle{Min: at, Max: at.Add(image.Pt(rng.IntN(40)-2, rng.IntN(40)-2))}
			want := uint32(0)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					want += uint32(img.GrayAt(x, y).Y) // 0 beyond the image
				}
			}
			require.Equal(t, want, integral.Sum(r), "%v of %v", r, img.Rect)
		}
	}
}

// TestIntegralWraps checks sums in an image whose own sum is not one of 32 bits.
func TestIntegralWraps(t *testing.T) {
	const side = 4110
	img := &image.Gray{Pix: make([]byte, side), Rect: image.Rect(0, 0, side, side)}
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var integral lococo.Integral
	integral.Compute(img)
	require.Equal(t, uint32(side*side*255-1<<32), integral.Sum(img.Rect))
	require.Equal(t, uint32(4104*4104*255), integral.Sum(image.Rect(6, 6, side, side)))
}

// TestIntegralAllocs checks that memory is used again.
func TestIntegralAllocs(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	var integral lococo.Integral
	integral.Compute(img)
	require.Zero(t, testing.AllocsPerRun(3, func() { integral.Compute(img) }))
}

// BenchmarkIntegral measures integral images.
func BenchmarkIntegral(b *testing.B) {
	b.Run("frames=640x480", func(b *testing.B) {
		var integral lococo.Integral
		benchmark(b, 640, 480, 48, integral.Compute)
	})
}
