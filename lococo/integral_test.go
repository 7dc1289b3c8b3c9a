package lococo_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
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

// requireSums compares integral images, made by every instruction set in memory that has
// been used, with the sums of the pixels above and to the left of each.
func requireSums(t *testing.T, img *image.Gray) {
	t.Helper()
	larger := img.Rect.Inset(-10)
	white := &image.Gray{Pix: bytes.Repeat([]byte{255}, larger.Dx()), Rect: larger}
	for _, set := range cpu.InstructionSets("lococo") {
		restore := cpu.Limit(set.Set)
		var integral lococo.Integral
		integral.Compute(white)
		integral.Compute(img)
		restore()
		columns := make([]uint32, img.Rect.Dx())
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			want := uint32(0)
			for i := range columns {
				x := img.Rect.Min.X + i
				columns[i] += uint32(img.GrayAt(x, y).Y)
				want += columns[i]
				r := image.Rectangle{Min: img.Rect.Min, Max: image.Pt(x+1, y+1)}
				if got := integral.Sum(r); got != want {
					require.Equal(t, want, got, "%s: %v of %v", set.Name, r, img.Rect)
				}
			}
		}
	}
}

// TestIntegralInstructionSets checks images of every width up to 200 pixels, and of some
// that assembly makes in parts.
func TestIntegralInstructionSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for w := range 201 {
		for h := range 5 {
			requireSums(t, newImage(rng, 0, w, h))
		}
	}
	for _, size := range []image.Point{
		{16, 1030},
		{17, 2000},
		{700, 50},
		{8192, 3},
		{8193, 3},
		{16384, 3},
		{16385, 3},
		{16399, 3},
		{16400, 3},
		{32769, 2},
	} {
		requireSums(t, newImage(rng, 0, size.X, size.Y))
	}
	// The largest pixels, in rows that share them.
	requireSums(t, &image.Gray{Pix: bytes.Repeat([]byte{255}, 1000), Rect: image.Rect(0, 0, 1000, 40)})
}

// FuzzIntegral compares integral images of any pixels with sums of these.
func FuzzIntegral(f *testing.F) {
	f.Add([]byte("\x00\x80\xff\x07\x70\x00\x33\x10\x99\x50\x00\xff\xf0\x00\x00\x00\x80\xff\x07\x70\x00\x33\x10\x99\x50"), uint8(8), uint8(2))
	f.Add([]byte("two rows of more than sixteen pixels, which overlap"), uint8(33), uint8(16))
	f.Fuzz(func(t *testing.T, pix []byte, width, stride uint8) {
		w, h := int(width), 0
		if w > 0 && w <= len(pix) {
			h = min(1+(len(pix)-w)/max(int(stride), 1), 100)
		}
		requireSums(t, &image.Gray{Pix: pix, Stride: int(stride), Rect: image.Rect(0, 0, w, h)})
	})
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
	var integral lococo.Integral
	b.Run("frames=640x480", func(b *testing.B) {
		imagetest.Benchmark(b, 640, 480, imagetest.Frames(b, 640, 480, 48), integral.Compute)
	})
	b.Run("frames=1920x1080", func(b *testing.B) {
		imagetest.Benchmark(b, 1920, 1080, imagetest.Frames(b, 1920, 1080, 8), integral.Compute)
	})
}
