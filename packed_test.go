package fast_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

func ExampleGrayYUYV() {
	// A frame of a webcam: luma 16, 200, 16, 16 between color of 128.
	frame := []byte{16, 128, 200, 128, 16, 128, 16, 128}
	var gray image.Gray // serves for all frames
	fast.GrayYUYV(&gray, frame, 8, image.Rect(0, 0, 4, 1))
	fmt.Println(gray.Pix)
	// Output: [16 200 16 16]
}

// packedFormats are the functions, and which byte of a pixel is its luma.
var packedFormats = []struct {
	gray func(dst *image.Gray, pix []byte, stride int, bounds image.Rectangle) *image.Gray
	luma int
}{{fast.GrayYUYV, 0}, {fast.GrayUYVY, 1}}

// TestPacked compares the luma of packed pixels with the definition, for every instruction
// set, between memory that faults.
func TestPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 29))
	widths := []int{1000, 1<<14 - 1, 1 << 14, 1<<15 + 17}
	for w := range 100 {
		widths = append(widths, w)
	}
	for _, set := range cpu.InstructionSets("fast") {
		restore := cpu.Limit(set.Set)
		for _, w := range widths {
			h, stride := 1+rng.IntN(3), 2*w+rng.IntN(2)*rng.IntN(9)
			bounds := image.Rect(0, 0, w, h).Add(image.Pt(rng.IntN(9)-4, rng.IntN(9)-4))
			pix := asmtest.GuardedMemory(t, (h-1)*stride+2*w)
			copy(pix, noise(rng, len(pix)))
			for _, format := range packedFormats {
				dst := &image.Gray{Pix: asmtest.GuardedMemory(t, w*h)[:0]}
				require.Same(t, dst, format.gray(dst, pix, stride, bounds))
				require.Equal(t, bounds, dst.Rect)
				require.Len(t, dst.Pix, w*h)
				for i, luma := range dst.Pix {
					if want := pix[i/w*stride+i%w*2+format.luma]; luma != want {
						t.Fatalf("%s, width %d, pixel %d: %d, not %d", set.Name, w, i, luma, want)
					}
				}
			}
		}
		restore()
	}
}

// TestPackedMalformed checks that pixels that are missing panic, and that those which no row
// has need not be there.
func TestPackedMalformed(t *testing.T) {
	bounds := image.Rect(-5, 3, 5, 8)
	pix := make([]byte, 200)
	for _, format := range packedFormats {
		for _, test := range []struct {
			pix    []byte
			stride int
			bounds image.Rectangle
		}{
			{nil, 20, bounds},
			{pix[:99], 20, bounds},
			{pix[:19], 20, image.Rect(0, 0, 10, 1)},
			{pix, -20, bounds},
			{pix, math.MaxInt, bounds},
			{pix, 0, image.Rect(0, 0, math.MaxInt, math.MaxInt)},
		} {
			dst := new(image.Gray)
			requirePanic(t, func() { format.gray(dst, test.pix, test.stride, test.bounds) }, "%v", test)
			require.Zero(t, *dst)
		}
		require.PanicsWithValue(t, "fast: nil destination", func() { format.gray(nil, nil, -1, bounds) })
		require.NotPanics(t, func() { format.gray(new(image.Gray), pix[:100], 20, bounds) })
		require.NotPanics(t, func() { format.gray(new(image.Gray), pix[:116], 24, bounds) })
		require.Empty(t, format.gray(new(image.Gray), nil, -1, image.Rectangle{}).Pix)
	}
}

// TestPackedAllocs checks that the memory of dst is used again.
func TestPackedAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	pix := make([]byte, 2*70*50)
	for _, format := range packedFormats {
		dst := image.NewGray(image.Rect(0, 0, 70, 50))
		first := &dst.Pix[0]
		require.Zero(t, imagetest.Allocs(10, func() { format.gray(dst, pix, 140, image.Rect(0, 0, 70, 50)) }))
		require.Same(t, first, &dst.Pix[0])
	}
}

// BenchmarkPacked measures the luma of packed frames, and how long a loop over bytes takes.
func BenchmarkPacked(b *testing.B) {
	const n = 16
	var frames [n][]byte
	for i := range frames {
		frames[i] = noise(rand.New(rand.NewPCG(1, uint64(i))), 2*vga.w*vga.h)
	}
	bounds := image.Rect(0, 0, vga.w, vga.h)
	dst := image.NewGray(bounds)
	run := func(name string, do func(pix []byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(vga.w * vga.h))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				do(frames[i%n])
			}
		})
	}
	run("way=loop", func(pix []byte) {
		for x := range dst.Pix {
			dst.Pix[x] = pix[2*x]
		}
	})
	for _, set := range cpu.InstructionSets("fast") {
		restore := cpu.Limit(set.Set)
		run("set="+set.Name+"/format=yuyv", func(pix []byte) { fast.GrayYUYV(dst, pix, 2*vga.w, bounds) })
		run("set="+set.Name+"/format=uyvy", func(pix []byte) { fast.GrayUYVY(dst, pix, 2*vga.w, bounds) })
		restore()
	}
}

// TestPackedReleased checks that no pixels are kept.
func TestPackedReleased(t *testing.T) {
	imagetest.RequireReleased(t, func(m imagetest.Memory) {
		pix := make([]byte, 2*100*7)
		img := fast.GrayYUYV(new(image.Gray), pix, 200, image.Rect(0, 0, 100, 7))
		imagetest.Watch(m, "packed pixels", &pix[0])
		imagetest.Watch(m, "gray pixels", &img.Pix[0])
	})
}
