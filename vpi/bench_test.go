package vpi_test

import (
	"fmt"
	"image"
	"os"
	"testing"

	"github.com/fastcorners/fast/internal/frames"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// BenchmarkDetect measures the search for corners in frames whose pixels are of
// different types. Those of 16 bits have the same gray values, times 257.
func BenchmarkDetect(b *testing.B) {
	photos, err := frames.Load(os.DirFS("../testdata/photos"))
	require.NoError(b, err)
	const w, h = 640, 480
	list := frames.Make(photos, w, h, 48)
	for _, kind := range []string{"u8", "s8", "u16", "s16"} {
		var images []vpi.Image
		for _, img := range list {
			images = append(images, convert(img, kind))
		}
		for radius := 1; radius <= 3; radius++ {
			b.Run(fmt.Sprintf("type=%s/radius=%d/frames=%dx%d", kind, radius, w, h), func(b *testing.B) {
				opts := vpi.Options{Radius: radius}
				if kind[1:] == "16" {
					opts.Threshold = 2570
				}
				d := detector(b, opts)
				var corners []vpi.Corner
				for _, img := range images {
					corners, _ = d.Search(corners[:0], img)
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					corners, _ = d.Search(corners[:0], images[i%len(images)])
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(w*h), "ns/px")
			})
		}
	}
	_ = image.Rect
}
