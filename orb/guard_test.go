package orb_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// TestGuardPages checks that nothing is read before the first pixel of an image or
// beyond the last one.
func TestGuardPages(t *testing.T) {
	photo := imagetest.Photo(t, "camera_512x512")
	var widths []int
	step := 13
	if testing.Short() {
		step = 27
	}
	for w := 64; w < 290; w += step {
		widths = append(widths, w)
	}
	asmtest.RequireInBounds(t, widths, []int{250}, func() func(img *image.Gray) {
		var extractors []*orb.Extractor
		for _, opts := range []orb.Options{
			{},
			{EdgeThreshold: 22, RecomputeAngles: true},
			{PatchSize: 10, EdgeThreshold: 8},
			{PatchSize: 10, EdgeThreshold: 17, RecomputeAngles: true},
			{FirstLevel: 2},
			{ScaleFactor: 2},
		} {
			extractors = append(extractors, extractor(t, opts))
		}
		return func(img *image.Gray) {
			w, h := img.Rect.Dx(), img.Rect.Dy()
			for y := range h {
				copy(img.Pix[y*img.Stride:][:w], photo.Pix[(100+y)*photo.Stride+120:])
			}
			for _, e := range extractors {
				kps, _ := e.Extract(img, nil)
				for d := range 32 {
					kps = append(kps, orb.Keypoint{X: float32(d), Y: float32(d)}, orb.Keypoint{X: float32(w - 1 - d), Y: float32(h - 1 - d)})
				}
				e.Describe(kps, img)
			}
		}
	}, "orb")
}

// TestCompactGuardPages is TestGuardPages for Compact, with keypoints as near to the
// edges as can be.
func TestCompactGuardPages(t *testing.T) {
	var sides []int
	for side := 21; side < 60; side++ {
		sides = append(sides, side)
	}
	asmtest.RequireInBounds(t, sides, sides, func() func(img *image.Gray) {
		c := compact(t, orb.CompactOptions{})
		return func(img *image.Gray) {
			clear(img.Pix)
			w, h := img.Rect.Dx(), img.Rect.Dy()
			for _, y := range []int{10, h - 11} {
				img.Pix[y*img.Stride+10], img.Pix[y*img.Stride+w-11] = 200, 200
			}
			kps, _ := c.Extract(img)
			require.NotEmpty(t, kps)
		}
	}, "orb")
}
