package peers

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/internal/frames"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// openPeers skips the test where there are no peers.
func openPeers(tb testing.TB) *Peers {
	tb.Helper()
	peers, err := Open()
	if errors.Is(err, ErrMissing) {
		tb.Skip(err)
	}
	require.NoError(tb, err)
	return peers
}

// readPhotos returns the photos of the library.
func readPhotos(tb testing.TB) []*image.Gray {
	tb.Helper()
	photos, err := tree.Photos()
	require.NoError(tb, err)
	require.NotEmpty(tb, photos)
	return photos
}

// TestDetectors checks that the detectors find the corners that package fast finds,
// and give them the same scores. (OpenCV's response is the score as package fast
// defines it; it tells the response only with suppression.)
func TestDetectors(t *testing.T) {
	peers := openPeers(t)
	photos := readPhotos(t)
	for _, d := range peers.Detectors() {
		for _, threshold := range []uint8{10, 25, 50} {
			t.Run(fmt.Sprintf("peer=%s/arc=%d/nonmax=%t/t=%d", d.Name, d.Arc, d.Nonmax, threshold), func(t *testing.T) {
				f, err := fast.New(fast.Options{Threshold: threshold, ArcLength: d.Arc, NonmaxSuppression: d.Nonmax})
				require.NoError(t, err)
				total := 0
				for i, photo := range photos {
					want, got := f.Detect(photo), d.Detect(photo, threshold)
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

// TestSmallImages checks images around the smallest that can have corners.
func TestSmallImages(t *testing.T) {
	for _, d := range openPeers(t).Detectors() {
		for _, size := range []int{1, 6, 7, 8, 22, 40} {
			img := image.NewGray(image.Rect(0, 0, size, size))
			img.Pix[len(img.Pix)/2] = 255
			f, err := fast.New(fast.Options{Threshold: 25, ArcLength: d.Arc, NonmaxSuppression: d.Nonmax})
			require.NoError(t, err)
			require.Len(t, d.Detect(img, 25), len(f.Detect(img)), "%s, %d", d.Name, size)
		}
	}
}

// disc returns a mask, 255 inside of a circle and 0 outside.
func disc(r image.Rectangle) *image.Gray {
	mask := image.NewGray(r)
	center, radius := r.Min.Add(r.Max).Div(2), min(r.Dx(), r.Dy())/3
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if p := image.Pt(x, y).Sub(center); p.X*p.X+p.Y*p.Y <= radius*radius {
				mask.Pix[mask.PixOffset(x, y)] = 255
			}
		}
	}
	return mask
}

// TestORB checks that OpenCV's ORB finds the keypoints that package orb finds, and
// that every bit of them and of their descriptors is the same.
func TestORB(t *testing.T) {
	peers := openPeers(t)
	images := readPhotos(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{10, 62, 63, 65, 100} { // few levels, or none
		img := image.NewGray(image.Rect(0, 0, size, size+1))
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.Uint32())
		}
		images = append(images, img)
	}
	for _, opts := range []orb.Options{
		{},
		{Features: 1000},
		{Score: orb.FASTScore},
		{PointsPerBit: 3},
		{PointsPerBit: 4},
		{ScaleFactor: 1.5, Levels: 5},
		{FirstLevel: 1},
		{PatchSize: 21, EdgeThreshold: 19, FASTThreshold: 7},
	} {
		e, err := orb.New(opts)
		require.NoError(t, err)
		for _, masked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v/mask=%t", opts, masked), func(t *testing.T) {
				total := 0
				for i, img := range images {
					var mask *image.Gray
					if masked {
						mask = disc(img.Rect)
					}
					want, wantDescs := e.Extract(img, mask)
					got, gotDescs := peers.Extract(opts, img, mask)
					if !slices.Equal(want, got) || !slices.Equal(wantDescs, gotDescs) {
						t.Fatalf("image %d: %d keypoints of package orb and %d of OpenCV, or their descriptors, differ", i, len(want), len(got))
					}
					total += len(want)
				}
				require.NotZero(t, total)
			})
		}
	}
}

// TestMatching checks that OpenCV's BFMatcher finds the matches that package match
// finds.
func TestMatching(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(1, 2))
	few := func(n int) []match.Descriptor { // many distances are equal
		list := make([]match.Descriptor, n)
		for i := range list {
			list[i][rng.IntN(32)] = byte(rng.IntN(4))
		}
		return list
	}
	sets, err := MakeDescriptors(readPhotos(t), 500)
	require.NoError(t, err)
	sets = append(sets, Descriptors{few(200), few(300)}, Descriptors{few(1), few(50)}, Descriptors{few(50), few(1)})
	for i, d := range sets {
		for _, hamming2 := range []bool{false, true} {
			same := func(want, got []match.Match, call string) {
				if !slices.Equal(want, got) {
					t.Errorf("sets %d, hamming2=%t: %d results of package match's %s and %d of OpenCV differ", i, hamming2, len(want), call, len(got))
				}
			}
			opts := match.Options{Hamming2: hamming2}
			m, err := match.New(opts)
			require.NoError(t, err)
			same(m.Match(d.Query, d.Train), peers.Match(opts, d.Query, d.Train), "Match")
			same(m.KNearest(nil, d.Query, d.Train, 2), peers.KNearest(opts, d.Query, d.Train, 2), "KNearest")

			const radius = 60
			got := peers.Within(opts, d.Query, d.Train, radius)
			slices.SortFunc(got, func(a, b match.Match) int {
				return cmp.Or(cmp.Compare(a.Query, b.Query), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Train, b.Train))
			})
			want := m.Within(nil, d.Query, d.Train, radius)
			require.NotEmpty(t, want)
			same(want, got, "Within")

			opts.CrossCheck = true
			m, err = match.New(opts)
			require.NoError(t, err)
			same(m.Match(d.Query, d.Train), peers.Match(opts, d.Query, d.Train), "Match with CrossCheck")
		}
	}
}

// BenchmarkDetectors measures the detectors and package fast in one race for each
// size of frames, and reports the medians.
func BenchmarkDetectors(b *testing.B) {
	for _, size := range Sizes {
		benchmark(b, fmt.Sprintf("frames=%v/t=25", size), "ns/px", 1, func(photos []*image.Gray) ([]Time, float64, error) {
			return CompareDetectors(frames.Make(photos, size.W, size.H, size.Frames), 25, Rounds, func() {})
		})
	}
}

// BenchmarkORB is the same for OpenCV's ORB and package orb.
func BenchmarkORB(b *testing.B) {
	for _, size := range ORBSizes {
		benchmark(b, fmt.Sprintf("frames=%v", size), "ms/frame", 1e6, func(photos []*image.Gray) ([]Time, float64, error) {
			return CompareORB(frames.Make(photos, size.W, size.H, size.Frames), Rounds, func() {})
		})
	}
}

// BenchmarkMatching is the same for OpenCV's BFMatcher and package match.
func BenchmarkMatching(b *testing.B) {
	benchmark(b, "query=1000/train=1000", "ns/pair", 1, func(photos []*image.Gray) ([]Time, float64, error) {
		list, err := MakeDescriptors(frames.Make(photos, 640, 480, 48), 1000)
		require.NoError(b, err)
		return CompareMatching(list, Rounds, func() {})
	})
}

// benchmark reports the times of a comparison, in a unit of so many nanoseconds.
func benchmark(b *testing.B, name, unit string, nanoseconds float64, compare func(photos []*image.Gray) ([]Time, float64, error)) {
	openPeers(b)
	photos := readPhotos(b)
	b.Run(name, func(b *testing.B) {
		times, _, err := compare(photos)
		require.NoError(b, err)
		for _, t := range times {
			b.Run(fmt.Sprintf("test=%s/by=%s", t.Test, t.Name), func(b *testing.B) {
				b.ReportMetric(0, "ns/op") // the race is over
				b.ReportMetric(t.Nanoseconds/nanoseconds, unit)
				b.ReportMetric(t.Ratio, "x-first")
			})
		}
	})
}
