package vpi_test

import (
	"image"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/vpi"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(9, 10))
	page := os.Getpagesize()
	mem := asmtest.GuardedMemory(t, (2*400*12+page-1)/page*page)
	for i := range mem {
		mem[i] = uint8(rng.Uint32())
	}
	for radius := 1; radius <= 3; radius++ {
		for border := vpi.Limited; border <= vpi.Mirror; border++ {
			d := detector(t, vpi.Options{Radius: radius, Border: border, Threshold: 20})
			for w := 1; w < 340; w += 1 + w/10 {
				for _, h := range []int{1, 3, 7, 12} {
					stride := w + rng.IntN(2)*rng.IntN(60)
					size := (h-1)*stride + w
					for _, pix := range [][]byte{mem[:size:size], mem[len(mem)-size:]} {
						d.Detect(&image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, w, h)})
					}
					size *= 2
					for _, pix := range [][]byte{mem[:size:size], mem[len(mem)-size:]} {
						d.DetectImage(vpi.Gray16(&image.Gray16{Pix: pix, Stride: 2 * stride, Rect: image.Rect(0, 0, w, h)}))
					}
				}
			}
		}
	}
}
