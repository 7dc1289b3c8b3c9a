package flow_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/stretchr/testify/require"
)

// BenchmarkTrack follows 500 corners from a photo to a moved one, with ready pyramids.
func BenchmarkTrack(b *testing.B) {
	img := imagetest.Photo(b, "life_640x480")
	detector, err := harris.New(harris.GoodFeatures(500, 0.001, 7))
	require.NoError(b, err)
	points := flow.Points(detector.Detect(img, nil))
	for _, set := range cpu.InstructionSets("flow") {
		for _, window := range []int{21, 15} {
			for _, motion := range []string{"t1", "t5", "rot2", "rotzoom"} {
				b.Run(fmt.Sprintf("kernel=%s/window=%d/motion=%s", set.Name, window, motion), func(b *testing.B) {
					defer cpu.Limit(set.Set)()
					tr := tracker(b, flow.Options{Window: image.Pt(window, window)})
					first, second := tr.Pyramid(img), tr.Pyramid(motions.Named(motion).Of(img))
					var tracks []flow.Track
					for b.Loop() {
						tracks = tr.AppendTrack(tracks[:0], first, second, points, nil)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(points)), "ns/point")
				})
			}
		}
	}
}

// BenchmarkPyramid makes pyramids of different frames.
func BenchmarkPyramid(b *testing.B) {
	for _, size := range []image.Point{{X: 640, Y: 480}, {X: 1920, Y: 1080}} {
		for _, set := range cpu.InstructionSets("flow") {
			b.Run(fmt.Sprintf("kernel=%s/frames=%dx%d", set.Name, size.X, size.Y), func(b *testing.B) {
				defer cpu.Limit(set.Set)()
				tr := tracker(b, flow.Options{})
				p := new(flow.Pyramid)
				imagetest.Benchmark(b, size.X, size.Y, imagetest.Frames(b, size.X, size.Y, 8), func(img *image.Gray) { tr.PyramidInto(p, img) })
			})
		}
	}
}
