package imagetest

import (
	"image"
	"os"
	"testing"

	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/stretchr/testify/require"
)

// Frames returns n different frames of w by h pixels from the photos of package fast, for
// the tests and benchmarks of packages that Photo serves.
func Frames(b testing.TB, w, h, n int) []*image.Gray {
	b.Helper()
	photos, err := frames.Load(os.DirFS(photoDir()))
	require.NoError(b, err)
	return frames.Make(photos, w, h, n)
}

// Benchmark measures do, which gets the next frame of w by h pixels each time.
func Benchmark[T any](b *testing.B, w, h int, list []T, do func(img T)) {
	for _, img := range list {
		do(img)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		do(list[i%len(list)])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(w*h), "ns/px")
}
