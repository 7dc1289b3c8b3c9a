package compact

import (
	"fmt"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/point"
	"github.com/stretchr/testify/require"
)

// BenchmarkExtract measures the two parts of Extract on many different frames that
// have all the 128 keypoints: detection, and description with matching to the frame
// before.
func BenchmarkExtract(b *testing.B) {
	e, err := New(Options{})
	require.NoError(b, err)
	for _, size := range []struct{ w, h, n int }{{320, 240, 64}, {640, 480, 48}} {
		var j job
		list := slices.DeleteFunc(imagetest.Frames(b, size.w, size.h, size.n), func(img *image.Gray) bool {
			j.find(e, newPlane(img))
			return len(j.corners) < e.features
		})
		b.Run(fmt.Sprintf("frames=%dx%d", size.w, size.h), func(b *testing.B) {
			m, err := match.New[match.Descriptor32](match.Options{})
			require.NoError(b, err)
			var kps []point.Keypoint
			var descs, before []match.Descriptor32
			var matches []match.Match
			var detect, rest time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				img := newPlane(list[i%len(list)])
				start := time.Now()
				j.find(e, img)
				found := time.Now()
				kps, descs = j.describe(e, kps[:0], descs[:0], img, image.Point{})
				matches = m.Append(matches[:0], before, descs)
				end := time.Now()
				detect, rest = detect+found.Sub(start), rest+end.Sub(found)
				before, descs = descs, before
			}
			perFrame := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(b.N) }
			b.ReportMetric(perFrame(detect), "µs/detect")
			b.ReportMetric(perFrame(rest), "µs/describe+match")
		})
	}
}
