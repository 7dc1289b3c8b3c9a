package vpi_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// BenchmarkDetectImage measures the search for corners in pixels of all types. Those of 16 bits
// have the values of 8, times 257, and so have the thresholds.
func BenchmarkDetectImage(b *testing.B) {
	const w, h = 640, 480
	gray := imagetest.Frames(b, w, h, 48)
	for _, kind := range []string{"u8", "s8", "u16", "s16"} {
		var list []vpi.Image
		for _, img := range gray {
			list = append(list, convert(img, kind))
		}
		scale := float32(1)
		if kind[1:] == "16" {
			scale = 257
		}
		for radius := 1; radius <= 3; radius++ {
			for _, threshold := range []float32{10, 25} {
				b.Run(fmt.Sprintf("type=%s/radius=%d/frames=%dx%d/t=%v", kind, radius, w, h, threshold), func(b *testing.B) {
					d := detector(b, vpi.Options{CircleRadius: radius, Threshold: scale * threshold})
					var corners []vpi.Corner
					imagetest.Benchmark(b, w, h, list, func(img vpi.Image) { corners, _ = d.AppendImage(corners[:0], img) })
				})
			}
		}
	}
}

// BenchmarkFast measures circles of radius 3 here and in package fast, which has another
// suppression.
func BenchmarkFast(b *testing.B) {
	const w, h = 640, 480
	list := imagetest.Frames(b, w, h, 48)
	for _, threshold := range []uint8{10, 25} {
		name := fmt.Sprintf("frames=%dx%d/t=%d", w, h, threshold)
		b.Run("package=vpi/"+name, func(b *testing.B) {
			d := detector(b, vpi.Options{Threshold: float32(threshold)})
			var corners []vpi.Corner
			imagetest.Benchmark(b, w, h, list, func(img *image.Gray) { corners = d.Append(corners[:0], img) })
		})
		b.Run("package=fast/"+name, func(b *testing.B) {
			d, err := fast.New(fast.Options{Threshold: threshold - 1, ArcLength: 9, NonmaxSuppression: true})
			require.NoError(b, err)
			var corners []fast.Corner
			imagetest.Benchmark(b, w, h, list, func(img *image.Gray) { corners = d.Append(corners[:0], img) })
		})
	}
}
