package lococo_test

import (
	"image"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/lococo"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(9, 10))
	page := os.Getpagesize()
	mem := asmtest.GuardedMemory(t, (200*70+page-1)/page*page)
	for i := range mem {
		mem[i] = uint8(rng.Uint32())
	}
	for _, opts := range []lococo.Options{{}, {Kernel: 3, Subpixel: true}, {Kernels: []int{5, 7}, BlockSize: 3}, {Kernel: 31}} {
		d := detector(t, opts)
		for w := 5; w < 140; w += 1 + w/20 {
			for _, h := range []int{5, 7, 17, 20, 64} {
				stride := w + rng.IntN(2)*rng.IntN(60)
				size := (h-1)*stride + w
				for _, pix := range [][]byte{mem[:size:size], mem[len(mem)-size:]} {
					img := &image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, w, h)}
					for _, set := range cpu.InstructionSets() {
						restore := cpu.Limit(set.Set)
						d.Detect(img, img)
						d.Response(img)
						restore()
					}
				}
			}
		}
	}
}

// TestIntegralGuardPages does so for integral images, with every instruction set.
func TestIntegralGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	page := os.Getpagesize()
	mem := asmtest.GuardedMemory(t, (3*16500+page-1)/page*page)
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
				for _, pix := range [][]byte{mem[:size:size], mem[len(mem)-size:]} {
					requireSums(t, &image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, w, h)})
				}
			}
		}
	}
}
