package warp_test

import (
	"image"
	"runtime"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/warp"
)

// TestReleased checks that a Warper keeps neither the pixels of images nor the numbers of maps.
func TestReleased(t *testing.T) {
	for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
		w := warper(t, warp.Options{Interpolation: interpolation, Border: border.Transparent})
		watch := func(m imagetest.Memory, images ...*image.Gray) {
			for i, name := range []string{"destination", "source"} {
				imagetest.Watch(m, name, &images[i].Pix[0])
			}
		}
		r := image.Rect(0, 0, 90, 70)
		for _, transform := range []warp.Transform{warp.Affine{1, 0, 0, 0, 1, 0}, warp.Homography{1, 0, 0, 0, 1, 0, 0, 0, 1}} {
			imagetest.RequireReleased(t, func(m imagetest.Memory) {
				dst, src := image.NewGray(r), image.NewGray(r)
				w.Gray(dst, src, transform)
				watch(m, dst, src)
			})
		}
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			dst, src, places := image.NewGray(r), image.NewGray(r), identityMap(r)
			w.Gray(dst, src, places)
			watch(m, dst, src)
			imagetest.Watch(m, "X", &places.X[0])
			imagetest.Watch(m, "Y", &places.Y[0])
		})
		if interpolation == warp.Linear {
			imagetest.RequireReleased(t, func(m imagetest.Memory) {
				dst, src := image.NewGray(r), image.NewGray(r)
				places, err := identityMap(r).Fixed()
				if err != nil {
					t.Fatal(err)
				}
				w.Gray(dst, src, places)
				watch(m, dst, src)
				imagetest.Watch(m, "XY", &places.XY[0])
				imagetest.Watch(m, "Fraction", &places.Fraction[0])
			})
		}
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			dst, src := image.NewNRGBA64(r), image.NewCMYK(r)
			w.Image(dst, src, warp.Affine{1, 0, 0, 0, 1, 0})
			imagetest.Watch(m, "destination", &dst.Pix[0])
			imagetest.Watch(m, "source", &src.Pix[0])
		})
		runtime.KeepAlive(w)
	}
}
