package orb_test

import (
	"image"
	"os"
	"runtime/debug"
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/orb"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	photo := photo(t, "camera_512x512")
	page := os.Getpagesize()
	size := 300 * 300 / page * page
	mem := asmtest.GuardedMemory(t, size)

	for _, opts := range []orb.Options{{}, {EdgeThreshold: 22}, {PatchSize: 10, EdgeThreshold: 8}, {FirstLevel: 2}, {ScaleFactor: 2}} {
		e := extractor(t, opts)
		for w := 64; w < 290; w += 13 {
			h := min(size/w, 250)
			for _, pix := range [][]byte{mem[: w*h : w*h], mem[size-w*h:]} {
				img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
				for y := range h {
					copy(img.Pix[y*w:][:w], photo.Pix[(100+y)*photo.Stride+120:])
				}
				kps, _ := e.Extract(img, nil)
				e.Describe(kps, img)
			}
		}
	}
}
