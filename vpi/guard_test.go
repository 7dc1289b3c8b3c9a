package vpi_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/vpi"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one.
func TestGuardPages(t *testing.T) {
	asmtest.RequireInBounds(t, asmtest.Widths(1, 340), []int{1, 3, 7, 12}, func() func(img *image.Gray) {
		var detectors []*vpi.Detector
		for radius := 1; radius <= 3; radius++ {
			for _, mode := range borders {
				detectors = append(detectors, detector(t, vpi.Options{CircleRadius: radius, Border: mode, Threshold: 20}))
			}
		}
		return func(img *image.Gray) {
			// The same memory as half of the pixels of 16 bits, without what is left.
			w, h := img.Rect.Dx()/2, img.Rect.Dy()
			half := vpi.Of(&image.Gray16{Pix: img.Pix[img.Rect.Dx()%2:], Stride: img.Stride, Rect: image.Rect(0, 0, w, h)})
			for _, d := range detectors {
				d.Detect(img)
				d.DetectImage(half)
			}
		}
	}, "vpi")
}
