package peers

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/internal/frames"
	"github.com/stretchr/testify/require"
)

// openPeers skips the test where there are no peers.
func openPeers(tb testing.TB) []Peer {
	tb.Helper()
	peers, err := Open()
	if errors.Is(err, ErrMissing) {
		tb.Skip(err)
	}
	require.NoError(tb, err)
	return peers
}

// TestEqual checks that the peers find the corners that package fast finds, and
// give them the same scores. (OpenCV's response is the score as package fast
// defines it; it tells the response only with suppression.)
func TestEqual(t *testing.T) {
	peers := openPeers(t)
	photos, err := tree.Photos()
	require.NoError(t, err)
	require.NotEmpty(t, photos)
	for _, p := range peers {
		for _, threshold := range []uint8{10, 25, 50} {
			t.Run(fmt.Sprintf("peer=%s/arc=%d/nonmax=%t/t=%d", p.Name, p.Arc, p.Nonmax, threshold), func(t *testing.T) {
				d, err := fast.New(fast.Options{Threshold: threshold, ArcLength: p.Arc, NonmaxSuppression: p.Nonmax})
				require.NoError(t, err)
				total := 0
				for i, photo := range photos {
					want, got := d.Detect(photo), p.Detect(photo, threshold)
					slices.SortFunc(got, func(a, b fast.Corner) int {
						return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
					})
					if !slices.Equal(want, got) {
						t.Fatalf("photo %d: %d corners of package fast and %d of the peer differ", i, len(want), len(got))
					}
					total += len(want)
				}
				require.NotZero(t, total)
			})
		}
	}
}

// TestSmall checks images around the smallest that can have corners.
func TestSmall(t *testing.T) {
	for _, p := range openPeers(t) {
		for _, size := range []int{1, 6, 7, 8, 22, 40} {
			img := image.NewGray(image.Rect(0, 0, size, size))
			img.Pix[len(img.Pix)/2] = 255
			d, err := fast.New(fast.Options{Threshold: 25, ArcLength: p.Arc, NonmaxSuppression: p.Nonmax})
			require.NoError(t, err)
			require.Len(t, p.Detect(img, 25), len(d.Detect(img)), "%s, %d", p.Name, size)
		}
	}
}

// BenchmarkPeers measures the peers and package fast in one race for each size
// of frames, and reports the medians.
func BenchmarkPeers(b *testing.B) {
	openPeers(b)
	photos, err := tree.Photos()
	require.NoError(b, err)
	for _, size := range Sizes {
		b.Run(fmt.Sprintf("frames=%v/t=25", size), func(b *testing.B) {
			times, _, err := Compare(frames.Make(photos, size.W, size.H, size.Frames), 25, Rounds, func() {})
			require.NoError(b, err)
			for _, t := range times {
				b.Run(fmt.Sprintf("test=%s/detector=%s", t.Test, t.Detector), func(b *testing.B) {
					b.ReportMetric(0, "ns/op") // the race is over
					b.ReportMetric(t.Nanoseconds, "ns/px")
					b.ReportMetric(t.Ratio, "x-auto")
				})
			}
		})
	}
}
