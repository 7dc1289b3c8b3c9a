package harris_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/asmtest"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one.
func TestGuardPages(t *testing.T) {
	asmtest.RequireInBounds(t, asmtest.Widths(2, 140), []int{2, 3, 6, 19}, func() func(img *image.Gray) {
		var detectors []*harris.Detector
		for _, opts := range variants {
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
