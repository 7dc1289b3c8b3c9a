package compact_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/orb/compact"
	"github.com/stretchr/testify/require"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or beyond the last
// one, with keypoints as near to the edges as can be.
func TestGuardPages(t *testing.T) {
	var sides []int
	for side := 21; side < 60; side++ {
		sides = append(sides, side)
	}
	asmtest.RequireInBounds(t, sides, sides, func() func(img *image.Gray) {
		e := extractor(t, compact.Options{})
		return func(img *image.Gray) {
			clear(img.Pix)
			w, h := img.Rect.Dx(), img.Rect.Dy()
			for _, y := range []int{10, h - 11} {
				img.Pix[y*img.Stride+10], img.Pix[y*img.Stride+w-11] = 200, 200
			}
			kps, _ := e.Extract(img)
			require.NotEmpty(t, kps)
		}
	}, "compact")
}
