package lococo_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/lococo"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one.
func TestGuardPages(t *testing.T) {
	asmtest.RequireInBounds(t, asmtest.Widths(5, 140), []int{5, 7, 17, 20, 64}, func() func(img *image.Gray) {
		var detectors []*lococo.Detector
		for _, opts := range []lococo.Options{{}, {KernelSizes: []int{3}, Subpixel: true}, {KernelSizes: []int{5, 7}, BlockSize: 3}, {KernelSizes: []int{31}}} {
			detectors = append(detectors, detector(t, opts))
		}
		return func(img *image.Gray) {
			for _, d := range detectors {
				d.Detect(img, img)
				d.Response(img)
			}
		}
	})
}
