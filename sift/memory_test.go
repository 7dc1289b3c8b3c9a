package sift_test

import (
	"image"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
)

// TestReleased checks that an Extractor keeps nothing that belongs to the caller.
func TestReleased(t *testing.T) {
	photo := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(120, 60, 200, 140)).(*image.Gray)
	for _, workers := range []int{1, 3} {
		e := extractor(t, sift.Options{Workers: workers})
		copied := func() *image.Gray {
			img := image.NewGray(image.Rect(0, 0, 80, 80))
			for y := range 80 {
				copy(img.Pix[80*y:][:80], photo.Pix[y*photo.Stride:])
			}
			return img
		}
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			img, mask := copied(), copied()
			descs := make([]match.Vector, 0, 200)
			kps := make([]sift.Keypoint, 0, 200)
			kps, descs = e.Append(kps, descs, img, mask)
			imagetest.Watch(m, "image", &img.Pix[0])
			imagetest.Watch(m, "mask", &mask.Pix[0])
			imagetest.Watch(m, "keypoints", &kps[:1][0])
			imagetest.Watch(m, "descriptors", &descs[:1][0])
		})
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			img := copied()
			kps := e.Detect(img, nil)
			descs := e.AppendDescribe(make([]match.Vector, 0, 200), kps, img)
			imagetest.Watch(m, "image", &img.Pix[0])
			imagetest.Watch(m, "keypoints", &kps[0])
			imagetest.Watch(m, "descriptors", &descs[0])
		})
		runtime.KeepAlive(e)
	}
}
