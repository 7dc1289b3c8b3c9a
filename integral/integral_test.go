package integral_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/integral"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// newImage returns a part of an image of noise.
func newImage(rng *rand.Rand, w, h int) *image.Gray {
	at := image.Pt(rng.IntN(20)-10, rng.IntN(20)-10)
	img := image.NewGray(image.Rect(at.X-rng.IntN(3), at.Y-rng.IntN(3), at.X+w+rng.IntN(3), at.Y+h))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.Uint32())
	}
	return img.SubImage(image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}).(*image.Gray)
}

// TestSum compares sums over rectangles, some of which are empty or partly outside, with those of
// their pixels, for images of different sizes in the same memory.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var sums integral.Sums
	var squares integral.Squares
	require.Zero(t, sums.Sum(image.Rect(-5, -5, 5, 5)))
	require.Zero(t, squares.Sum(image.Rect(-5, -5, 5, 5)))
	for range 300 {
		img := newImage(rng, rng.IntN(30), rng.IntN(30))
		integral.Into(&sums, img)
		integral.SquaresInto(&squares, img)
		require.Equal(t, img.Rect, sums.Bounds())
		require.Equal(t, img.Rect, squares.Bounds())
		for range 10 {
			at := img.Rect.Min.Add(image.Pt(rng.IntN(40)-5, rng.IntN(40)-5))
			r := image.Rectangle{Min: at, Max: at.Add(image.Pt(rng.IntN(40)-2, rng.IntN(40)-2))}
			want, wantSquares := uint32(0), uint64(0)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					v := img.GrayAt(x, y).Y // 0 beyond the image
					want += uint32(v)
					wantSquares += uint64(v) * uint64(v)
				}
			}
			require.Equal(t, want, sums.Sum(r), "%v of %v", r, img.Rect)
			require.Equal(t, want, integral.New(img).Sum(r), "%v of %v", r, img.Rect)
			require.Equal(t, wantSquares, squares.Sum(r), "%v of %v", r, img.Rect)
			require.Equal(t, wantSquares, integral.NewSquares(img).Sum(r), "%v of %v", r, img.Rect)
		}
	}
}

// requireSums compares integral images, made by every instruction set in memory that has
// been used, with the sums of the pixels above and to the left of each.
func requireSums(t *testing.T, img *image.Gray) {
	t.Helper()
	larger := img.Rect.Inset(-10)
	white := &image.Gray{Pix: bytes.Repeat([]byte{255}, larger.Dx()), Rect: larger}
	for _, set := range cpu.InstructionSets("integral") {
		restore := cpu.Limit(set.Set)
		var sums integral.Sums
		integral.Into(&sums, white)
		integral.Into(&sums, img)
		restore()
		columns := make([]uint32, img.Rect.Dx())
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			want := uint32(0)
			for i := range columns {
				x := img.Rect.Min.X + i
				columns[i] += uint32(img.GrayAt(x, y).Y)
				want += columns[i]
				r := image.Rectangle{Min: img.Rect.Min, Max: image.Pt(x+1, y+1)}
				if got := sums.Sum(r); got != want {
					require.Equal(t, want, got, "%s: %v of %v", set.Name, r, img.Rect)
				}
			}
		}
	}
}

// TestInstructionSets checks images of every width up to 200 pixels, and of some
// that assembly makes in parts.
func TestInstructionSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for w := range 201 {
		for h := range 5 {
			requireSums(t, newImage(rng, w, h))
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
		requireSums(t, newImage(rng, size.X, size.Y))
	}
	// The largest pixels, in rows that share them.
	requireSums(t, &image.Gray{Pix: bytes.Repeat([]byte{255}, 1000), Rect: image.Rect(0, 0, 1000, 40)})
}

// FuzzSums compares integral images of any pixels with sums of these.
func FuzzSums(f *testing.F) {
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

// TestWraps checks sums in an image whose own sum is not one of 32 bits.
func TestWraps(t *testing.T) {
	const side = 4110
	img := &image.Gray{Pix: bytes.Repeat([]byte{255}, side), Rect: image.Rect(0, 0, side, side)}
	sums := integral.New(img)
	require.Equal(t, uint32(side*side*255-1<<32), sums.Sum(img.Rect))
	require.Equal(t, uint32(4104*4104*255), sums.Sum(image.Rect(6, 6, side, side)))

	const width = 1<<32/(255*255) + 1 // for squares beyond 32 bits in each row
	img = &image.Gray{Pix: bytes.Repeat([]byte{255}, width), Rect: image.Rect(0, 0, width, 2)}
	require.Equal(t, uint64(2*width*255*255), integral.NewSquares(img).Sum(img.Rect))
}

// TestAllocs checks that memory is used again.
func TestAllocs(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	small := img.SubImage(image.Rect(30, 20, 200, 100)).(*image.Gray)
	sums, squares := integral.New(img), integral.NewSquares(img)
	require.Zero(t, imagetest.Allocs(3, func() {
		integral.Into(sums, img)
		integral.Into(sums, small)
		integral.SquaresInto(squares, img)
		integral.SquaresInto(squares, small)
	}))
}

// TestReleased checks that sums do not keep the image.
func TestReleased(t *testing.T) {
	var sums integral.Sums
	imagetest.RequireReleased(t, func(m imagetest.Memory) {
		img := imagetest.Photo(t, "chelsea_451x300")
		integral.Into(&sums, img)
		imagetest.Watch(m, "image", &img.Pix[0])
	})
	runtime.KeepAlive(&sums)
}

// TestMalformed checks images and destinations that are a mistake of the program, and empty ones.
func TestMalformed(t *testing.T) {
	for _, bad := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "integral", func() { integral.New(bad) })
		imagetest.RequirePanic(t, "integral", func() { integral.NewSquares(bad) })
	}
	good := image.NewGray(image.Rect(0, 0, 3, 2))
	for want, list := range map[string][]func(){
		"integral: nil image":       {func() { integral.New(nil) }, func() { integral.NewSquares(nil) }},
		"integral: nil destination": {func() { integral.Into(nil, good) }, func() { integral.SquaresInto(nil, good) }},
	} {
		for _, f := range list {
			require.PanicsWithValue(t, want, f)
		}
	}
	for _, img := range imagetest.Empty() {
		require.Zero(t, integral.New(img).Sum(image.Rect(-9, -9, 9, 9)))
		require.Zero(t, integral.NewSquares(img).Sum(image.Rect(-9, -9, 9, 9)))
	}
}

// TestGuardPages checks that nothing is read before the first pixel of an image or beyond the last
// one.
func TestGuardPages(t *testing.T) {
	mem := asmtest.GuardedPages(t, 3*16500)
	for i := range mem {
		mem[i] = uint8(i)
	}
	widths := []int{16385}
	for w := range 140 {
		widths = append(widths, 1+w)
	}
	for _, w := range widths {
		for _, stride := range []int{w, w + 1, w + 70} {
			for h := 1; h < 4; h++ {
				size := (h-1)*stride + w
				for _, pix := range asmtest.Ends(mem, size) {
					img := &image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, w, h)}
					requireSums(t, img)
					integral.NewSquares(img)
				}
			}
		}
	}
}

// BenchmarkInto measures integral images.
func BenchmarkInto(b *testing.B) {
	var sums integral.Sums
	var squares integral.Squares
	for name, do := range map[string]func(img *image.Gray){
		"sums":    func(img *image.Gray) { integral.Into(&sums, img) },
		"squares": func(img *image.Gray) { integral.SquaresInto(&squares, img) },
	} {
		b.Run("of="+name+"/frames=640x480", func(b *testing.B) {
			imagetest.Benchmark(b, 640, 480, imagetest.Frames(b, 640, 480, 48), do)
		})
		b.Run("of="+name+"/frames=1920x1080", func(b *testing.B) {
			imagetest.Benchmark(b, 1920, 1080, imagetest.Frames(b, 1920, 1080, 8), do)
		})
	}
}
