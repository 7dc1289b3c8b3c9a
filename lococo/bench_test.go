package lococo_test

import (
	"fmt"
	"image"
	"os"
	"testing"

	"github.com/fastcorners/fast/internal/frames"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// benchmark measures do, which takes another frame each time.
func benchmark(b *testing.B, w, h, n int, do func(img *image.Gray)) {
	photos, err := frames.Load(os.DirFS("../testdata/photos"))
	require.NoError(b, err)
	list := frames.Make(photos, w, h, n)
	for _, img := range list {
		do(img)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		do(list[i%len(list)])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(w*h), "ns/px")
}

// options are those that benchmarks measure.
var options = []struct {
	name string
	lococo.Options
}{
	{"k9", lococo.Options{}},
	{"k9-klt", lococo.Options{Measure: lococo.MinEigenvalue}},
	{"k31", lococo.Options{Kernel: 31}},
	{"k63", lococo.Options{Kernel: 63}},
	{"phull", lococo.Phull()},
	{"k5-9-17", lococo.Options{Kernels: []int{5, 9, 17}}},
}

// BenchmarkResponse measures the responses of all pixels.
func BenchmarkResponse(b *testing.B) {
	for _, test := range options {
		b.Run(fmt.Sprintf("frames=640x480/options=%s", test.name), func(b *testing.B) {
			d := detector(b, test.Options)
			var responses []float32
			benchmark(b, 640, 480, 48, func(img *image.Gray) { responses = d.Response(responses[:0], img) })
		})
	}
}

// BenchmarkDetect measures the search for corners.
func BenchmarkDetect(b *testing.B) {
	for _, test := range options {
		b.Run(fmt.Sprintf("frames=640x480/options=%s", test.name), func(b *testing.B) {
			d := detector(b, test.Options)
			var corners []lococo.Corner
			benchmark(b, 640, 480, 48, func(img *image.Gray) { corners = d.Append(corners[:0], img, nil) })
		})
	}
}
