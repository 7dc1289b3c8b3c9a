package lococo_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
)

// options are those that benchmarks measure.
var options = []struct {
	name string
	lococo.Options
}{
	{"k9", lococo.Options{}},
	{"k9-klt", lococo.Options{Measure: harris.MinEigenvalue}},
	{"k31", lococo.Options{KernelSizes: []int{31}}},
	{"k63", lococo.Options{KernelSizes: []int{63}}},
	{"phull", lococo.Phull()},
	{"k5-9-17", lococo.Options{KernelSizes: []int{5, 9, 17}}},
}

// BenchmarkResponse measures the responses of all pixels.
func BenchmarkResponse(b *testing.B) {
	for _, test := range options {
		b.Run(fmt.Sprintf("frames=640x480/options=%s", test.name), func(b *testing.B) {
			d := detector(b, test.Options)
			var responses []float32
			imagetest.Benchmark(b, 640, 480, imagetest.Frames(b, 640, 480, 48), func(img *image.Gray) { responses = d.AppendResponse(responses[:0], img) })
		})
	}
}

// BenchmarkDetect measures the search for corners.
func BenchmarkDetect(b *testing.B) {
	for _, test := range options {
		b.Run(fmt.Sprintf("frames=640x480/options=%s", test.name), func(b *testing.B) {
			d := detector(b, test.Options)
			var corners []lococo.Corner
			imagetest.Benchmark(b, 640, 480, imagetest.Frames(b, 640, 480, 48), func(img *image.Gray) { corners = d.Append(corners[:0], img, nil) })
		})
	}
}
