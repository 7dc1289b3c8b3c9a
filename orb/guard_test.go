package orb_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/test/asmtest"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/orb"
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
