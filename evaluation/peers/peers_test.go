package peers

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/integral"
	"github.com/fastcorners/fast/internal/program/frames"
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
		{ScoreType: orb.FASTScore},
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

// TestDescribe checks that package orb describes the keypoints that OpenCV describes, but
// those too near to the edges of their level, and that the descriptors are the same. Some
// levels have no room for the margin of EdgeThreshold.
func TestDescribe(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(5, 6))
	small := 0 // the keypoints on small levels
	for _, photo := range readPhotos(t)[:3] {
		for _, size := range []image.Point{{X: 200, Y: 200}, {X: 300, Y: 240}, {X: 120, Y: 160}} {
			img := image.NewGray(image.Rectangle{Max: size})
			for y := range size.Y {
				copy(img.Pix[y*img.Stride:][:size.X], photo.Pix[(20+y)*photo.Stride+50:])
			}
			var kps []orb.Keypoint
			for range 3000 {
				kps = append(kps, orb.Keypoint{
					X: float32(size.X) * rng.Float32(), Y: float32(size.Y) * rng.Float32(),
					Size: 31, Angle: 360 * rng.Float32(), Octave: rng.Int32N(8),
				})
			}
			for _, opts := range []orb.Options{{}, {PointsPerBit: 4}, {PatchSize: 21}} {
				e, err := orb.New(opts)
				require.NoError(t, err)
				all := map[orb.Keypoint]match.Descriptor{}
				kept, descs := e.Describe(kps, img)
				for i, k := range kept {
					all[kps[k]] = descs[i]
				}
				reach := math.Ceil(float64(cmp.Or(opts.PatchSize, 31)/2) * math.Sqrt2)
				got, gotDescs := peers.Describe(opts, kps, img)
				for i, k := range got {
					scale := math.Pow(1.2, float64(k.Octave))
					w, h := float64(size.X)/scale, float64(size.Y)/scale
					x, y := float64(k.X)/scale, float64(k.Y)/scale
					desc, ok := all[k]
					if !ok {
						require.LessOrEqual(t, min(x, y, w-x, h-y), reach+1.5, "%+v of %v", k, size) // before rounding
						continue
					}
					require.Equal(t, gotDescs[i], desc, "%+v of %v", k, size)
					if min(w, h) < 62 {
						small++
					}
				}
			}
		}
	}
	require.Greater(t, small, 1000)
}

// featureOptions returns options of package harris for all windows and gradients that
// OpenCV is compared with, in turn with what else there is.
func featureOptions() []harris.Options {
	var list []harris.Options
	for i, measure := range []harris.Measure{harris.MinEigenvalue, harris.Harris} {
		for j, gradient := range []harris.Gradient{harris.Sobel3, harris.Sobel5, harris.Sobel7, harris.Scharr} {
			for k, block := range []int{2, 3, 5, 7} {
				list = append(list, harris.Options{
					Measure:     measure,
					Gradient:    gradient,
					BlockSize:   block,
					K:           []float64{0.04, 0.06}[j%2],
					Quality:     []float64{0.01, 0.001}[(i+k)%2],
					MinDistance: []float64{0, 1, 5.5, 10}[(j+k)%4],
					MaxCorners:  []int{0, 500, 1000}[(i+j+k)%3],
				})
			}
		}
	}
	return list
}

// TestResponses checks that the responses of OpenCV's cornerHarris and cornerMinEigenVal
// are those of package harris, to six digits of the largest one. How OpenCV rounds depends
// on the processor.
func TestResponses(t *testing.T) {
	peers := openPeers(t)
	photos := readPhotos(t)
	for _, opts := range featureOptions() {
		limit := 1e-6
		if opts.BlockSize <= 3 && opts.Gradient != harris.Sobel3 {
			// What nearly cancels each other is larger there, beside the responses.
			limit = 2e-6
		}
		t.Run(fmt.Sprintf("measure=%d/gradient=%d/block=%d", opts.Measure, opts.Gradient, opts.BlockSize), func(t *testing.T) {
			d, err := harris.New(opts)
			require.NoError(t, err)
			var want []float32
			for i, photo := range photos {
				want = d.AppendResponse(want[:0], photo)
				largest, difference := compareResponses(t, want, peers.Responses(opts, photo))
				require.NotZero(t, largest)
				require.LessOrEqual(t, difference/largest, limit, "photo %d", i)
			}
		})
	}
}

// compareResponses returns the largest response, and the largest difference of two.
func compareResponses(t *testing.T, want, got []float32) (largest, difference float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, r := range want {
		largest = max(largest, math.Abs(float64(r)))
		difference = max(difference, math.Abs(float64(r)-float64(got[i])))
	}
	return largest, difference
}

// TestTraces checks that the responses of OpenCV differ from those of package harris by
// about 2e-7 of the largest trace at most, or of its square, and that in images with nothing
// but edges this can be far more than 2e-6 of the largest response.
func TestTraces(t *testing.T) {
	peers := openPeers(t)
	images := append(edges(), readPhotos(t)[:2]...)
	worst, worstTrace := 0.0, 0.0
	for _, opts := range featureOptions() {
		for _, opts.BlockSize = range []int{1, opts.BlockSize, 31} {
			// The responses of these differ by the square of the trace.
			measure := func(k float64) *harris.Detector {
				opts := opts
				opts.Measure, opts.K = harris.Harris, k
				return must(t)(harris.New(opts))
			}
			d, without, with := must(t)(harris.New(opts)), measure(-1), measure(1)
			for i, img := range images {
				determinants, differences := without.Response(img), with.Response(img)
				trace := 0.0 // or its square
				for j, r := range determinants {
					trace = max(trace, float64(r)-float64(differences[j]))
				}
				if opts.Measure == harris.MinEigenvalue {
					trace = math.Sqrt(trace)
				}
				largest, difference := compareResponses(t, d.Response(img), peers.Responses(opts, img))
				worstTrace = max(worstTrace, difference/trace)
				require.LessOrEqual(t, difference/trace, 2.5e-7, "image %d, %+v", i, opts)
				if opts.BlockSize > 1 {
					worst = max(worst, difference/largest)
				}
			}
		}
	}
	t.Logf("%.1e of the largest trace, %.1e of the largest response", worstTrace, worst)
	require.Greater(t, worst, 1e-3)
	require.Less(t, worst, 0.03)
}

// must returns a function that returns a detector unless there was an error.
func must(t *testing.T) func(*harris.Detector, error) *harris.Detector {
	return func(d *harris.Detector, err error) *harris.Detector {
		t.Helper()
		require.NoError(t, err)
		return d
	}
}

// edges returns images with nothing but edges and a little noise, and one of noise.
func edges() []*image.Gray {
	rng := rand.New(rand.NewPCG(1, 2))
	var images []*image.Gray
	for _, bright := range []func(x, y int) bool{
		func(x, y int) bool { return x > 100 },
		func(x, y int) bool { return 3*x+y > 300 },
		func(x, y int) bool { return x/4%2 == 0 },
		func(x, y int) bool { return math.Sin(math.Hypot(float64(x-100), float64(y-80))/3) > 0 },
	} {
		img := image.NewGray(image.Rect(0, 0, 200, 160))
		for i := range img.Pix {
			img.Pix[i] = uint8(2 + rng.IntN(3))
			if bright(i%img.Stride, i/img.Stride) {
				img.Pix[i] += 248
			}
		}
		images = append(images, img)
	}
	noise := image.NewGray(image.Rect(0, 0, 200, 160))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(rng.Uint32())
	}
	return append(images, noise)
}

// TestGoodFeatures checks that the corners of OpenCV's goodFeaturesToTrack are those of
// package harris, in the same order. Where they are not, only responses that agree to
// six digits may be the cause, and there are few such lists.
func TestGoodFeatures(t *testing.T) {
	peers := openPeers(t)
	photos := readPhotos(t)
	goodHarris := harris.GoodFeatures(1000, 0.01, 10)
	goodHarris.Measure = harris.Harris
	lists, differ, total := 0, 0, 0
	for i, opts := range append(featureOptions(), goodHarris, harris.GoodFeatures(1000, 0.01, 10)) {
		d, err := harris.New(opts)
		require.NoError(t, err)
		for j, photo := range photos {
			var mask *image.Gray
			if (i+j)%2 == 1 {
				mask = disc(photo.Rect)
			}
			want, got := d.Detect(photo, mask), peers.GoodFeatures(opts, photo, mask)
			lists++
			total += len(want)
			if !slices.EqualFunc(want, got, func(c harris.Corner, p image.Point) bool { return c.Pt() == p }) {
				differ++
				require.NoError(t, checkFeatures(opts, d.Response(photo), mask, photo.Rect.Size(), got), "photo %d, mask %t, %+v", j, mask != nil, opts)
			}
		}
	}
	t.Logf("%d of %d lists differ", differ, lists)
	require.NotZero(t, total)
	require.LessOrEqual(t, differ, lists/10)
}

// checkFeatures returns an error unless the corners are those of goodFeaturesToTrack in
// an image of this size with these responses, whose bounds begin at the origin. Of two
// responses that agree to six digits of the largest one either may be the larger.
func checkFeatures(opts harris.Options, responses []float32, mask *image.Gray, size image.Point, corners []image.Point) error {
	at := func(p image.Point) float64 { return float64(responses[p.Y*size.X+p.X]) }
	near := func(a, b image.Point) bool {
		d := a.Sub(b)
		return opts.MinDistance >= 1 && float64(d.X*d.X+d.Y*d.Y) < opts.MinDistance*opts.MinDistance
	}
	inMask := func(p image.Point) bool { return mask == nil || mask.GrayAt(p.X, p.Y).Y != 0 }
	largest := 0.0
	for y := range size.Y {
		for x := range size.X {
			if p := image.Pt(x, y); inMask(p) {
				largest = max(largest, at(p))
			}
		}
	}
	inner := image.Rectangle{Max: size}.Inset(1)
	tolerance := 1e-6 * largest
	// peak tells whether p, when its response is larger by so much, exceeds the threshold,
	// and its neighbors do not exceed it.
	peak := func(p image.Point, more float64) bool {
		r := at(p) + more
		if r <= opts.Quality*largest || !p.In(inner) || !inMask(p) {
			return false
		}
		for y := p.Y - 1; y <= p.Y+1; y++ {
			for x := p.X - 1; x <= p.X+1; x++ {
				if q := image.Pt(x, y); q != p && at(q) > r {
					return false
				}
			}
		}
		return true
	}

	for i, p := range corners {
		switch {
		case !peak(p, tolerance):
			return fmt.Errorf("%v is no corner", p)
		case i > 0 && at(p) > at(corners[i-1])+tolerance:
			return fmt.Errorf("%v comes too late", p)
		case slices.ContainsFunc(corners[:i], func(q image.Point) bool { return p == q || near(p, q) }):
			return fmt.Errorf("%v comes again, or is too near to another one", p)
		}
	}
	full := opts.MaxCorners > 0 && len(corners) >= opts.MaxCorners
	if full && len(corners) > opts.MaxCorners {
		return fmt.Errorf("%d are too many", len(corners))
	}
	for y := inner.Min.Y; y < inner.Max.Y; y++ {
		for x := inner.Min.X; x < inner.Max.X; x++ {
			p := image.Pt(x, y)
			if !peak(p, -tolerance) {
				continue
			}
			least := at(p) - tolerance
			dropped := func(q image.Point) bool { return near(p, q) && at(q) >= least }
			if !slices.Contains(corners, p) && !slices.ContainsFunc(corners, dropped) && !(full && at(corners[len(corners)-1]) >= least) {
				return fmt.Errorf("%v is missing", p)
			}
		}
	}
	return nil
}

// TestCheckFeatures checks that checkFeatures finds what is wrong.
func TestCheckFeatures(t *testing.T) {
	opts := harris.GoodFeatures(100, 0.01, 10)
	d, err := harris.New(opts)
	require.NoError(t, err)
	photo, err := tree.Photo("chelsea_451x300.png")
	require.NoError(t, err)
	mask := disc(photo.Rect)
	responses := d.Response(photo)
	var corners []image.Point
	for _, c := range d.Detect(photo, mask) {
		corners = append(corners, c.Pt())
	}
	require.Len(t, corners, 100)
	check := func(list ...image.Point) error {
		return checkFeatures(opts, responses, mask, photo.Rect.Size(), list)
	}
	require.NoError(t, check(corners...))
	require.ErrorContains(t, check(corners[1:]...), "is missing")
	require.ErrorContains(t, check(append(corners[:99:99], corners[0])...), "too late")
	require.ErrorContains(t, check(append(corners[:99:99], corners[98])...), "comes again")
	require.ErrorContains(t, check(append(corners[:99:99], image.Point{})...), "is no corner")
	opts.MaxCorners = 99
	require.ErrorContains(t, check(corners...), "100 are too many")
	opts.MinDistance = 100
	require.ErrorContains(t, check(corners...), "too near")
}

// distance returns the number of bits that differ.
func distance(a, b *match.Descriptor) (n int) {
	for i := range a {
		n += bits.OnesCount8(a[i] ^ b[i])
	}
	return n
}

// TestMatching checks that OpenCV's BFMatcher finds the matches that package match
// finds, and FAISS the same distances.
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
	sets, err := MakeDescriptors(readPhotos(t), 500, 500)
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
			m, err := match.New[match.Descriptor](opts)
			require.NoError(t, err)
			same(m.Match(d.Query, d.Train), peers.Match(opts, d.Query, d.Train), "Match")
			same(m.KNearest(d.Query, d.Train, 2), peers.KNearest(opts, d.Query, d.Train, 2), "KNearest")

			// Of equal distances FAISS takes any.
			for k := 1; k <= 2 && !hamming2 && peers.HasFAISS(); k++ {
				want, got := m.KNearest(d.Query, d.Train, k), peers.NearestByFAISS(d.Query, d.Train, k)
				require.Len(t, got, len(want))
				for j, g := range got {
					require.Equal(t, want[j].Query, g.Query)
					require.Equal(t, want[j].Distance, g.Distance)
					require.EqualValues(t, g.Distance, distance(&d.Query[g.Query], &d.Train[g.Train]))
				}
			}

			const radius = 60
			got := peers.Within(opts, d.Query, d.Train, radius)
			slices.SortFunc(got, func(a, b match.Match) int {
				return cmp.Or(cmp.Compare(a.Query, b.Query), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Train, b.Train))
			})
			want := m.Within(d.Query, d.Train, radius)
			require.NotEmpty(t, want)
			same(want, got, "Within")

			opts.CrossCheck = true
			m, err = match.New[match.Descriptor](opts)
			require.NoError(t, err)
			same(m.Match(d.Query, d.Train), peers.Match(opts, d.Query, d.Train), "Match with CrossCheck")
		}
	}
}

// TestFlat checks that OpenCV's BFMatcher finds the matches that a Matcher of bytes finds, with
// descriptors of several sizes, and FAISS the same distances.
func TestFlat(t *testing.T) {
	peers := openPeers(t)
	sets, err := MakeDescriptors(readPhotos(t), 500, 500)
	require.NoError(t, err)
	for _, size := range []int{8, 32, 61, 64, 128} {
		f, err := match.New[byte](match.Options{Length: size})
		require.NoError(t, err)
		flat := Regroup(sets[:1], 100, size)
		require.NotEmpty(t, flat)
		for _, d := range flat {
			for k := 1; k <= 3; k++ {
				want := f.KNearest(d.Query, d.Train, k)
				require.Len(t, want, 100*k)
				require.Equal(t, want, peers.FlatKNearest(match.Options{}, d, k), "%d bytes, k = %d", size, k)
				if size == 61 || !peers.HasFAISS() {
					continue
				}
				for i, g := range peers.FlatNearestByFAISS(d, k) { // of equal distances any
					require.Equal(t, want[i].Query, g.Query)
					require.Equal(t, want[i].Distance, g.Distance)
				}
			}
		}
	}
}

// TestVectors checks that OpenCV's BFMatcher and FAISS find the matches that a Matcher of vectors finds.
func TestVectors(t *testing.T) {
	peers := openPeers(t)
	v, err := peers.MakeVectors(readPhotos(t), 900, 1300)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(n, below int) []match.Vector {
		list := make([]match.Vector, n)
		for i := range list {
			for k := range list[i] {
				list[i][k] = uint8(rng.IntN(below))
			}
		}
		return list
	}
	for i, v := range []*Vectors{v, NewVectors(random(100, 256), random(70, 256)), NewVectors(random(300, 2), random(200, 2)), NewVectors(random(1, 9), random(33, 9))} {
		for _, crossCheck := range []bool{false, true} {
			m, err := match.New[match.Vector](match.Options{CrossCheck: crossCheck})
			require.NoError(t, err)
			want := m.Match(v.Query, v.Train)
			require.NotEmpty(t, want)
			require.Equal(t, want, peers.KNearestVectors(crossCheck, v, 1), "sets %d, cross-check %t", i, crossCheck)
		}
		m, err := match.New[match.Vector](match.Options{})
		require.NoError(t, err)
		for k := 1; k <= 3; k++ {
			want := m.KNearest(v.Query, v.Train, k)
			if k > 1 {
				require.Equal(t, want, peers.KNearestVectors(false, v, k), "sets %d", i)
			}
			if !peers.HasFAISS() {
				continue
			}
			got := peers.NearestVectorsByFAISS(v, k)
			require.Len(t, got, len(want))
			for i, g := range got { // of equal distances any
				require.Equal(t, want[i].Query, g.Query)
				require.Equal(t, want[i].Distance, g.Distance)
			}
		}
	}
}

// TestIntegral checks that OpenCV's integral images have the sums of package integral.
func TestIntegral(t *testing.T) {
	peers := openPeers(t)
	var sums integral.Sums
	for i, photo := range readPhotos(t) {
		integral.Into(&sums, photo)
		size := photo.Rect.Size()
		var want []int32
		for y := range size.Y + 1 {
			for x := range size.X + 1 {
				want = append(want, int32(sums.Sum(image.Rect(0, 0, x, y))))
			}
		}
		if !slices.Equal(want, peers.Integral(photo)) {
			t.Errorf("photo %d: the sums differ", i)
		}
	}
}

// TestCompare checks how times are related to that of the fastest peer, and that all
// tests have one and begin with this library.
func TestCompare(t *testing.T) {
	done := make(map[string]int)
	counting := func(name string, peer bool) contender[int] {
		return contender[int]{name, peer, func(n int) { done[name] += n }}
	}
	tests := []Test[int]{
		{"one", []contender[int]{counting("a", false), counting("b", true), counting("c", true)}},
		{"two", []contender[int]{counting("a", false), counting("c", true)}},
	}
	rounds := 0
	times, ghz := Compare(tests, []int{1, 10}, 1, 3, func() { rounds++ })
	require.Equal(t, 4, rounds)
	require.Equal(t, map[string]int{"a": 88, "b": 44, "c": 88}, done)
	require.Positive(t, ghz)
	require.Len(t, times, 5)

	times = relate(tests, measure.Result{
		// In the third round something else took half of the time.
		Rounds:      [][]float64{{20, 20, 41}, {120, 120, 240}, {60, 60, 122}, {40, 40, 82}, {20, 20, 42}},
		Nanoseconds: []float64{20, 120, 60, 40, 20},
		Spread:      []float64{.1, .2, .3, .4, .5},
	})
	require.Equal(t, []Time{
		{Test: "one", Name: "a", Nanoseconds: 20, Spread: .1, Speedup: 3},
		{Test: "one", Name: "b", Peer: true, Nanoseconds: 120, Spread: .2, Speedup: .5},
		{Test: "one", Name: "c", Peer: true, Nanoseconds: 60, Spread: .3, Speedup: 1},
		{Test: "two", Name: "a", Nanoseconds: 40, Spread: .4, Speedup: .5},
		{Test: "two", Name: "c", Peer: true, Nanoseconds: 20, Spread: .5, Speedup: 1},
	}, times)

	peers := openPeers(t)
	check := func(tests []Test[*image.Gray]) {
		require.NotEmpty(t, tests)
		for _, test := range tests {
			require.False(t, test.contenders[0].peer, test.Name)
			require.True(t, slices.ContainsFunc(test.contenders, func(c contender[*image.Gray]) bool { return c.peer }), test.Name)
			for _, c := range test.contenders {
				c.do(image.NewGray(image.Rect(0, 0, 100, 80)))
			}
		}
	}
	check(peers.FASTTests(25))
	check([]Test[*image.Gray]{peers.VPITest(25)})
	check(peers.ORBTests())
	for _, part := range slices.Concat(peers.HarrisParts(), peers.LoCoCoParts()) {
		check(part.Tests)
	}
}

// BenchmarkFAST measures libCVD, OpenCV and package fast in one race for each size of
// frames, and reports the medians.
func BenchmarkFAST(b *testing.B) {
	tests := openPeers(b).FASTTests(25)
	for _, size := range Sizes {
		benchmarkFrames(b, size, tests, "ns/px", 1)
	}
}

// BenchmarkORB is the same for OpenCV's ORB and package orb.
func BenchmarkORB(b *testing.B) {
	tests := openPeers(b).ORBTests()
	for _, size := range SlowSizes {
		benchmarkFrames(b, size, tests, "ms/frame", 1e6/float64(size.W*size.H))
	}
}

// BenchmarkHarris is the same for OpenCV's corners and package harris.
func BenchmarkHarris(b *testing.B) {
	benchmarkParts(b, openPeers(b).HarrisParts())
}

// BenchmarkLoCoCo is the same for OpenCV's corners and package lococo.
func BenchmarkLoCoCo(b *testing.B) {
	benchmarkParts(b, openPeers(b).LoCoCoParts())
}

// BenchmarkMatching is the same for OpenCV's BFMatcher and package match.
func BenchmarkMatching(b *testing.B) {
	tests := openPeers(b).MatchingTests()
	list, err := MakeDescriptors(frames.Make(readPhotos(b), 640, 480, 48), 1000, 1000)
	require.NoError(b, err)
	b.Run("query=1000/train=1000", func(b *testing.B) {
		benchmark(b, "ns/pair", 1, func() []Time {
			times, _ := Compare(tests, list, Pairs(list), Rounds, func() {})
			return times
		})
	})
}

// benchmarkParts reports the times of all tests for a pixel.
func benchmarkParts(b *testing.B, parts []Part) {
	for _, size := range SlowSizes {
		for _, part := range parts {
			benchmarkFrames(b, size, part.Tests, "ns/px", 1)
		}
	}
}

// benchmarkFrames reports the times of tests over frames of a size for a pixel. The unit
// has the given number of nanoseconds.
func benchmarkFrames(b *testing.B, size Size, tests []Test[*image.Gray], unit string, nanoseconds float64) {
	list := frames.Make(readPhotos(b), size.W, size.H, size.Frames)
	b.Run(fmt.Sprintf("frames=%v", size), func(b *testing.B) {
		benchmark(b, unit, nanoseconds, func() []Time {
			times, _ := Compare(tests, list, frames.Pixels(list), Rounds, func() {})
			return times
		})
	})
}

// benchmark reports what races of the same contenders give.
func benchmark(b *testing.B, unit string, nanoseconds float64, race func() []Time) {
	r := repeated{race: race}
	for i, t := range r.get(0) {
		report := r.reporter(i)
		b.Run(fmt.Sprintf("test=%s/by=%s", t.Test, t.Name), func(b *testing.B) {
			t := report(b.N)
			b.ReportMetric(0, "ns/op") // of what it takes to ask for a time
			b.ReportMetric(t.Nanoseconds/nanoseconds, unit)
			b.ReportMetric(100*t.Spread, "%spread")
			b.ReportMetric(t.Speedup, "x-peer")
		})
	}
}

// A repeated race is run as often as flag -count says. All contenders take part in all
// races; a benchmark of each only reports one contender's times, one race after the other.
type repeated struct {
	race func() []Time
	had  [][]Time
}

// get returns the times of the race of this number.
func (r *repeated) get(race int) []Time {
	for len(r.had) <= race {
		r.had = append(r.had, r.race())
	}
	return r.had[race]
}

// reporter returns a function that returns the time of contender i. A benchmark calls it
// with its N, which is 1 at the beginning of each repetition and larger later.
func (r *repeated) reporter(i int) func(n int) Time {
	race := -1
	return func(n int) Time {
		if n == 1 {
			race++
		}
		return r.get(race)[i]
	}
}

// TestRepeated checks that each repetition of a benchmark has a race of its own, which the
// contenders share.
func TestRepeated(t *testing.T) {
	races := 0
	r := repeated{race: func() []Time {
		races++
		return []Time{{Nanoseconds: float64(races)}, {Nanoseconds: float64(10 * races)}}
	}}
	first, second := r.reporter(0), r.reporter(1)
	for _, c := range []struct {
		report func(n int) Time
		want   float64
	}{{first, 1}, {first, 2}, {second, 10}, {second, 20}, {first, 3}} {
		result := testing.Benchmark(func(b *testing.B) {
			b.ReportMetric(c.report(b.N).Nanoseconds, "x")
		})
		require.Equal(t, c.want, result.Extra["x"])
	}
	require.Equal(t, 3, races)
}

// TestEstimate checks that OpenCV finds the transforms of exact pairs, and nothing where there
// is one pair.
func TestEstimate(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(1, 2))
	truth := map[geometry.Kind]geometry.Transform{
		geometry.Homography: {1.1, .2, 30, -.1, .9, 20, 2e-4, -1e-4, 1},
		geometry.Affine:     {1.1, .2, 30, -.1, .9, 20, 0, 0, 1},
		geometry.Similarity: {1.1, -.2, 30, .2, 1.1, 20, 0, 0, 1},
		geometry.Rigid:      {.96, -.28, 30, .28, .96, 20, 0, 0, 1},
	}
	for kind, want := range truth {
		var a []geometry.Point
		for range 50 {
			a = append(a, geometry.Point{X: 640 * rng.Float64(), Y: 480 * rng.Float64()})
		}
		b := make([]geometry.Point, len(a))
		want.ApplyAll(b, a)
		for _, m := range Methods {
			got, ok := peers.Estimate(kind, m, 3, a, b)
			require.True(t, ok)
			for i, v := range want {
				require.InDelta(t, v, got[i], 1e-3*max(1, math.Abs(v)), "%v by %v", kind, m)
			}
		}
		_, ok := peers.Estimate(kind, RANSAC, 3, a[:1], b[:1])
		require.False(t, ok)
	}
}
