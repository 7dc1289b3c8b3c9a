package harris_test

import (
	"image"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(11, 12))
	page := os.Getpagesize()
	mem := asmtest.GuardedMemory(t, (200*20+page-1)/page*page)
	for i := range mem {
		mem[i] = uint8(rng.Uint32())
	}
	for _, opts := range variants {
		d := detector(t, opts)
		for w := 2; w < 140; w += 1 + w/20 {
			for _, h := range []int{2, 3, 6, 19} {
				stride := w + rng.IntN(2)*rng.IntN(60)
				size := (h-1)*stride + w
				for _, pix := range [][]byte{mem[:size:size], mem[len(mem)-size:]} {
					img := &image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, w, h)}
					d.Detect(img, img)
					d.Response(img)
				}
			}
		}
	}
}
