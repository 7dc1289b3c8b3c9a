package harris_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
)

// BenchmarkResponse measures the responses of all pixels.
func BenchmarkResponse(b *testing.B) {
	for _, test := range []struct {
		name string
		opts harris.Options
	}{
		{"harris", harris.Options{Measure: harris.Harris}},
		{"mineigen", harris.Options{}},
		{"harris-b5", harris.Options{Measure: harris.Harris, BlockSize: 5}},
		{"harris-b7-g5", harris.Options{Measure: harris.Harris, BlockSize: 7, Gradient: harris.Sobel5}},
		{"harris-g7", harris.Options{Measure: harris.Harris, Gradient: harris.Sobel7}},
		{"gaussian-r3", harris.Options{Measure: harris.DetOverTrace, Gradient: harris.Gaussian, WindowSigma: 1}},
		{"gaussian-r4-b9", harris.Options{Measure: harris.Harris, Gradient: harris.Gaussian, GradientRadius: 4, BlockSize: 9}},
		{"gaussian-r15-b31", harris.Options{Measure: harris.Harris, Gradient: harris.Gaussian, GradientSigma: 5, BlockSize: 31}},
	} {
		b.Run(fmt.Sprintf("frames=640x480/options=%s", test.name), func(b *testing.B) {
			d := detector(b, test.opts)
			var responses []float32
			imagetest.Benchmark(b, 640, 480, imagetest.Frames(b, 640, 480, 48), func(img *image.Gray) { responses = d.AppendResponse(responses[:0], img) })
		})
	}
}

// BenchmarkDetect measures the search for corners.
func BenchmarkDetect(b *testing.B) {
	for _, test := range []struct {
		name string
		opts harris.Options
	}{
		{"good-harris", harris.Options{Measure: harris.Harris, MaxCorners: 1000, MinDistance: 10}},
		{"good-mineigen", harris.GoodFeatures(1000, 0.01, 10)},
		{"separable9", harris.Separable9()},
		{"separable31", harris.Separable31()},
		{"irgpu", harris.IRGPU(border.Reflect101)},
	} {
		b.Run(fmt.Sprintf("frames=640x480/options=%s", test.name), func(b *testing.B) {
			d := detector(b, test.opts)
			var corners []harris.Corner
			imagetest.Benchmark(b, 640, 480, imagetest.Frames(b, 640, 480, 48), func(img *image.Gray) { corners = d.Append(corners[:0], img, nil) })
		})
	}
}

// BenchmarkRefine measures how long a point takes, among points of several photos.
func BenchmarkRefine(b *testing.B) {
	names := []string{"aitzgorri_752x480", "camera_512x512", "life_640x480", "picos_1241x376", "seeding_1920x1080"}
	for _, radius := range []int{5, 10} {
		for _, set := range cpu.InstructionSets("harris") {
			b.Run(fmt.Sprintf("radius=%d/isa=%s", radius, set.Name), func(b *testing.B) {
				defer cpu.Limit(set.Set)()
				var images []*image.Gray
				var starts [][]point
				n := 0
				for _, name := range names {
					img := imagetest.Photo(b, name)
					images = append(images, img)
					starts = append(starts, refinePoints(b, name, img.Rect.Dx(), img.Rect.Dy())[:100])
					n += len(starts[len(starts)-1])
				}
				r := refiner(b, harris.RefinerOptions{WindowRadius: radius})
				points := make([]point, 200)
				for b.Loop() {
					for i, img := range images {
						points = append(points[:0], starts[i]...)
						harris.Refine(r, img, points, nil)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/point")
			})
		}
	}
}
