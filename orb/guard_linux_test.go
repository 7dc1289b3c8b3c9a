package orb_test

import (
	"image"
	"os"
	"runtime/debug"
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/imagetest"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one: the memory there faults.
func TestGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	photo := imagetest.Photo(t, "camera_512x512")
	page := os.Getpagesize()
	size := 300 * 300 / page * page
	mem := asmtest.GuardedMemory(t, size)

	for _, opts := range []orb.Options{
		{},
		{EdgeThreshold: 22, RecomputeAngles: true},
		{PatchSize: 10, EdgeThreshold: 8},
		{PatchSize: 10, EdgeThreshold: 17, RecomputeAngles: true},
		{FirstLevel: 2},
		{ScaleFactor: 2},
	} {
		e := extractor(t, opts)
		for w := 64; w < 290; w += 13 {
			h := min(size/w, 250)
			for _, pix := range [][]byte{mem[: w*h : w*h], mem[size-w*h:]} {
				img := &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
				for y := range h {
					copy(img.Pix[y*w:][:w], photo.Pix[(100+y)*photo.Stride+120:])
				}
				kps, _ := e.Extract(img, nil)
				for d := range 32 {
					kps = append(kps, orb.Keypoint{X: float32(d), Y: float32(d)}, orb.Keypoint{X: float32(w - 1 - d), Y: float32(h - 1 - d)})
				}
				e.Describe(kps, img)
			}
		}
	}
}

// TestCompactGuardPages is TestGuardPages for Compact, with keypoints as near to the
// edges as can be.
func TestCompactGuardPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	c := compact(t, orb.CompactOptions{})
	size := os.Getpagesize()
	mem := asmtest.GuardedMemory(t, size)
	for w := 21; w < 60; w++ {
		for h := 21; h < min(size/w, 40); h++ {
			for _, pix := range [][]byte{mem[: w*h : w*h], mem[size-w*h:]} {
				clear(pix)
				for _, y := range []int{10, h - 11} {
					pix[y*w+10], pix[y*w+w-11] = 200, 200
				}
				kps, _ := c.Extract(&image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)})
				require.NotEmpty(t, kps)
			}
		}
	}
}
