package sift_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/sift"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or beyond the
// last one.
func TestGuardPages(t *testing.T) {
	photo := imagetest.Photo(t, "camera_512x512")
	widths := []int{16, 31, 45, 64}
	if testing.Short() {
		widths = widths[1:2]
	}
	asmtest.RequireInBounds(t, widths, []int{24}, func() func(img *image.Gray) {
		one, two := extractor(t, sift.Options{Contrast: -1}), extractor(t, sift.Options{NoDoubling: true, Contrast: -1})
		return func(img *image.Gray) {
			w, h := img.Rect.Dx(), img.Rect.Dy()
			for y := range h {
				copy(img.Pix[y*img.Stride:][:w], photo.Pix[(100+y)*photo.Stride+120:])
			}
			kps, _ := one.Extract(img, nil)
			two.Extract(img, nil)
			for d := range 8 {
				kps = append(kps, sift.Keypoint{X: float32(d), Y: float32(d), Size: 9, Octave: 1 << 8},
					sift.Keypoint{X: float32(w - 1 - d), Y: float32(h - 1 - d), Size: 20, Octave: 255 | 3<<8})
			}
			one.Describe(kps, img)
		}
	}, "sift")
}
