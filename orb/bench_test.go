package orb_test

import (
	"fmt"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// BenchmarkExtract measures extraction from many different frames.
func BenchmarkExtract(b *testing.B) {
	for _, size := range []struct{ w, h, n int }{{640, 480, 48}, {1920, 1080, 8}} {
		list := imagetest.Frames(b, size.w, size.h, size.n)
		for _, opts := range []orb.Options{
			{Features: 500},
			{Features: 1000},
			{Features: 500, Spread: true},
			{Features: 500, LowThreshold: 7},
			{Features: 500, Spread: true, LowThreshold: 7},
		} {
			name := fmt.Sprintf("frames=%dx%d/features=%d", size.w, size.h, opts.Features)
			if opts.Spread {
				name += "/spread"
			}
			if opts.LowThreshold > 0 {
				name += fmt.Sprintf("/low=%d", opts.LowThreshold)
			}
			b.Run(name, func(b *testing.B) {
				e := extractor(b, opts)
				var kps []orb.Keypoint
				var descs []match.Descriptor
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					kps, descs = e.Append(kps[:0], descs[:0], list[i%len(list)], nil)
				}
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/frame")
			})
		}
	}
}
