package register_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

func registrar(t testing.TB, opts register.Options) *register.Registrar {
	t.Helper()
	r, err := register.New(opts)
	require.NoError(t, err)
	return r
}

// apply returns where a transform, whose rows are given, maps a point.
func apply(m [9]float64, x, y float64) (float64, float64) {
	w := m[6]*x + m[7]*y + m[8]
	return (m[0]*x + m[1]*y + m[2]) / w, (m[3]*x + m[4]*y + m[5]) / w
}

// view returns an image of w by h pixels, of which pixel x, y is what img has at the place that
// m maps it to: the mean of four pixels, or gray outside.
func view(img *image.Gray, m [9]float64, w, h int) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := apply(m, float64(x), float64(y))
			left, top := math.Floor(u), math.Floor(v)
			sum := 0.0
			for i, weight := range []float64{
				(left + 1 - u) * (top + 1 - v), (u - left) * (top + 1 - v),
				(left + 1 - u) * (v - top), (u - left) * (v - top),
			} {
				p, value := image.Pt(int(left)+i%2, int(top)+i/2), uint8(128)
				if p.In(img.Rect) {
					value = img.GrayAt(p.X, p.Y).Y
				}
				sum += weight * float64(value)
			}
			out.SetGray(x, y, color.Gray{Y: uint8(math.Round(sum))})
		}
	}
	return out
}

// turned returns a transform that turns by degrees and scales around 200, 150.
func turned(degrees, scale float64) [9]float64 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	sin, cos = scale*sin, scale*cos
	return [9]float64{cos, -sin, 200 - 200*cos + 150*sin, sin, cos, 150 - 200*sin - 150*cos, 0, 0, 1}
}

// requireNear fails the test if a transform maps a point of a view to limit pixels or more from
// where the view has it from.
func requireNear(t *testing.T, want [9]float64, got geometry.Transform, size image.Point, limit float64) {
	t.Helper()
	for _, x := range []int{0, size.X / 2, size.X - 1} {
		for _, y := range []int{0, size.Y / 2, size.Y - 1} {
			u, v := apply(want, float64(x), float64(y))
			x, y := apply(got, float64(x), float64(y))
			require.Less(t, math.Hypot(x-u, y-v), limit)
		}
	}
}

// TestRegister checks that transforms of photos are found again to within a pixel, also at
// the corners.
func TestRegister(t *testing.T) {
	tilted := turned(10, 1)
	tilted[6], tilted[7] = 2e-4, -3e-4
	for i, name := range []string{"chelsea_451x300", "camera_512x512", "coffee_600x400"} {
		photo := imagetest.Photo(t, name)
		for j, test := range []struct {
			kind geometry.Kind
			m    [9]float64
		}{
			{geometry.Translation, [9]float64{1, 0, 17.25, 0, 1, -9.5, 0, 0, 1}},
			{geometry.Rigid, turned(-30, 1)},
			{geometry.Similarity, turned(70, 0.8)},
			{geometry.Affine, [9]float64{0.9, 0.2, 5, -0.1, 1.1, 20, 0, 0, 1}},
			{0, tilted},
		} {
			if testing.Short() && j%3 != i {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", name, test.kind), func(t *testing.T) {
				size := image.Pt(400, 300)
				a := view(photo, test.m, size.X, size.Y)
				r := registrar(t, register.Options{Geometry: geometry.Options{Kind: test.kind}})
				result, err := r.Register(a, photo)
				require.NoError(t, err)
				requireNear(t, test.m, result.Transform, size, 1)
				requireResult(t, result)
			})
		}
	}
}

// TestSIFT checks that a transform is found by keypoints of package sift where sizes differ too
// much for those of package orb, and that it is found from the matches that its documentation
// tells of.
func TestSIFT(t *testing.T) {
	photo := imagetest.Photo(t, "chelsea_451x300")
	m := [9]float64{4, 0, 10, 0, 4, 10, 0, 0.0005, 1} // from far away
	size := image.Pt(102, 70)
	img := view(photo, m, size.X, size.Y)
	_, err := registrar(t, register.Options{}).Register(img, photo)
	require.Error(t, err)

	wide := sift.Wide()
	r := registrar(t, register.Options{SIFT: &wide})
	wide.Features = -1 // was copied
	result, err := r.Register(img, photo)
	require.NoError(t, err)
	requireNear(t, m, result.Transform, size, 2) // half a pixel of the view
	require.Greater(t, result.Inliers, 20)
	if testing.Short() {
		return // finding all keypoints again takes long under emulation
	}

	extractor, err := sift.New(sift.Wide())
	require.NoError(t, err)
	matcher, err := match.New[match.Vector](match.Options{CrossCheck: true, Ratio: 0.8})
	require.NoError(t, err)
	a, query := extractor.Extract(img, nil)
	b, train := extractor.Extract(photo, nil)
	require.ElementsMatch(t, matcher.Match(query, train), result.Matches)
	require.Len(t, result.A, len(a))
	require.Len(t, result.B, len(b))
	for i, k := range a {
		require.Equal(t, k, result.A[i])
	}
}

// requireResult checks that the first matches agree with the transform, and no others.
func requireResult(t *testing.T, r register.Result) {
	t.Helper()
	require.Greater(t, r.Inliers, 20)
	require.Greater(t, len(r.Matches), r.Inliers)
	last := int32(-1)
	for i, m := range r.Matches {
		if i == r.Inliers {
			last = -1
		}
		require.Greater(t, m.Query, last)
		last = m.Query
		p, q := r.A[m.Query], r.B[m.Train]
		x, y := apply(r.Transform, float64(p.X), float64(p.Y))
		distance := math.Hypot(x-float64(q.X), y-float64(q.Y))
		// The distance in A and that in B count together.
		if i < r.Inliers {
			require.Less(t, distance, 3*2.0)
		} else {
			require.Greater(t, distance, 3/2.0)
		}
	}
}

// TestUnrelated checks that photos of other things are refused.
func TestUnrelated(t *testing.T) {
	r := registrar(t, register.Options{})
	names := []string{"chelsea_451x300", "camera_512x512", "coffee_600x400", "astronaut_512x512", "grass_512x512"}
	if testing.Short() {
		names = names[:2]
	}
	for i, name := range names {
		a, b := imagetest.Photo(t, name), imagetest.Photo(t, names[(i+1)%len(names)])
		result, err := r.Register(a, b)
		require.ErrorIs(t, err, geometry.ErrSupport, "%s", name)
		require.Zero(t, result.Transform)
		require.Zero(t, result.Inliers)
		require.NotEmpty(t, result.Matches, "they are told even so")
		require.Greater(t, len(result.A), 500)
		require.Greater(t, len(result.B), 500)
	}
	empty := image.NewGray(image.Rect(0, 0, 100, 100))
	_, err := r.Register(empty, imagetest.Photo(t, names[0]))
	require.ErrorIs(t, err, geometry.ErrPairs)
	_, err = r.Register(image.NewGray(image.Rectangle{}), empty)
	require.ErrorIs(t, err, geometry.ErrPairs)
}

// TestParts checks that the packages' own types give the same, for other options, too.
func TestParts(t *testing.T) {
	a, b := imagetest.Photo(t, "chelsea_451x300"), view(imagetest.Photo(t, "chelsea_451x300"), turned(20, 1), 400, 300)
	for _, opts := range []register.Options{
		{},
		{ORB: orb.Options{Features: 300, PointsPerBit: 3}},
		{Match: match.Options{Ratio: 0.8}, Geometry: geometry.Options{Kind: geometry.Similarity, InlierThreshold: 1.5}},
		{Match: match.Options{MaxDistance: 50, Workers: 2}},
	} {
		r := registrar(t, opts)
		result, err := r.Register(a, b)
		require.NoError(t, err)

		opts = r.Options()
		e, err := orb.New(opts.ORB)
		require.NoError(t, err)
		m, err := match.New[match.Descriptor](opts.Match)
		require.NoError(t, err)
		g, err := geometry.New(opts.Geometry)
		require.NoError(t, err)
		keypointsA, query := e.Extract(a, nil)
		keypointsB, train := e.Extract(b, nil)
		matches := m.Match(query, train)
		from, to, distances := geometry.Pairs(keypointsA, keypointsB, matches)
		inliers := make([]bool, len(matches))
		fit, err := g.Estimate(from, to, distances, inliers)
		require.NoError(t, err)
		require.Equal(t, fit.Transform, result.Transform)
		require.Equal(t, fit.Inliers, result.Inliers)
		require.Equal(t, keypointsA, result.A)
		require.Equal(t, keypointsB, result.B)
		var want []match.Match
		for _, inlier := range []bool{true, false} {
			for i, m := range matches {
				if inliers[i] == inlier {
					want = append(want, m)
				}
			}
		}
		require.Equal(t, want, result.Matches)
	}
}

// TestImages checks that images of other types, and with other bounds, have the transform of
// the gray ones.
func TestImages(t *testing.T) {
	r := registrar(t, register.Options{Geometry: geometry.Options{Kind: geometry.Rigid}})
	photo := imagetest.Photo(t, "chelsea_451x300")
	a := view(photo, turned(20, 1), 400, 300)
	want, err := r.Register(a, photo)
	require.NoError(t, err)
	rgba := image.NewRGBA(photo.Rect)
	draw.Draw(rgba, rgba.Rect, photo, image.Point{}, draw.Src)
	nrgba := image.NewNRGBA(a.Rect)
	draw.Draw(nrgba, nrgba.Rect, a, image.Point{}, draw.Src)
	got, err := r.Register(nrgba, rgba)
	require.NoError(t, err)
	require.Equal(t, want, got)

	moved := *a
	moved.Rect = a.Rect.Add(image.Pt(1000, -500))
	got, err = r.Register(&moved, photo)
	require.NoError(t, err)
	x, y := apply(want.Transform, 30, 40)
	u, v := apply(got.Transform, 1030, -460)
	require.InDelta(t, x, u, 0.01)
	require.InDelta(t, y, v, 0.01)
}

// TestOptions checks the defaults, and which package refuses what.
func TestOptions(t *testing.T) {
	opts := registrar(t, register.Options{}).Options()
	require.Equal(t, 1000, opts.ORB.Features)
	require.True(t, opts.Match.CrossCheck)
	require.Equal(t, geometry.Homography, opts.Geometry.Kind)
	for _, m := range []match.Options{{Ratio: 0.8}, {MaxDistance: 40}, {MaxDistance: -1}} {
		require.False(t, registrar(t, register.Options{Match: m}).Options().Match.CrossCheck)
	}
	opts = registrar(t, register.Options{ORB: orb.Options{PointsPerBit: 4}, Match: match.Options{Workers: 2}}).Options()
	require.True(t, opts.Match.Hamming2)
	require.True(t, opts.Match.CrossCheck)
	for points, want := range map[int]bool{0: false, 2: false, 3: true} { // whatever Match says
		for _, hamming2 := range []bool{false, true} {
			opts := register.Options{ORB: orb.Options{PointsPerBit: points}, Match: match.Options{Hamming2: hamming2}}
			require.Equal(t, want, registrar(t, opts).Options().Match.Hamming2)
		}
	}
	opts = registrar(t, register.Options{SIFT: &sift.Options{}, ORB: orb.Options{PointsPerBit: 4}}).Options()
	require.Equal(t, 3, opts.SIFT.Layers)
	require.Zero(t, opts.ORB)
	require.False(t, opts.Match.Hamming2)
	require.True(t, opts.Match.CrossCheck)
	require.Equal(t, 0.8, opts.Match.Ratio)
	opts.SIFT.Layers = 99 // is not that of the Registrar
	require.Zero(t, registrar(t, register.Options{SIFT: &sift.Options{}, Match: match.Options{CrossCheck: true}}).Options().Match.Ratio)
	for want, opts := range map[string]register.Options{
		"sift: Options.Layers is 99, not 1 to 11":                            opts,
		"match: Options.Ratio is 2.5, not 0 to 1":                            {SIFT: &sift.Options{}, Match: match.Options{Ratio: 2.5}},
		"orb: Options.Features is -1, not 1 to 1000000000":                   {ORB: orb.Options{Features: -1}},
		"match: Options.Ratio is 2, not 0 to 1":                              {Match: match.Options{Ratio: 2}},
		"geometry: Options.Confidence is 1, not more than 0 and less than 1": {Geometry: geometry.Options{Confidence: 1}},
	} {
		_, err := register.New(opts)
		require.EqualError(t, err, want)
	}
}

// TestNil checks that a Registrar that New has not made and images that are nil panic.
func TestNil(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 9, 9))
	r := registrar(t, register.Options{})
	require.PanicsWithValue(t, "register: Registrar not made by New", func() { _, _ = new(register.Registrar).Register(img, img) })
	require.PanicsWithValue(t, "register: Registrar not made by New", func() { new(register.Registrar).Options() })
	require.PanicsWithValue(t, "register: nil image", func() { _, _ = r.Register(nil, img) })
	require.PanicsWithValue(t, "register: nil image", func() { _, _ = r.Register(img, nil) })
	require.PanicsWithValue(t, "register: nil Result", func() { _ = r.RegisterInto(nil, img, img) })
	require.PanicsWithValue(t, "register: nil image", func() { r.Features(nil, img) })
	require.PanicsWithValue(t, "register: nil Features", func() { r.FeaturesInto(nil, img, nil) })
	none := new(register.Features)
	require.PanicsWithValue(t, "register: nil Features", func() { _, _ = r.Match(nil, none) })
	require.PanicsWithValue(t, "register: nil Features", func() { _, _ = r.Match(none, nil) })
	require.PanicsWithValue(t, "register: nil Result", func() { _ = r.MatchInto(nil, none, none) })
	_, err := r.Match(none, none)
	require.ErrorIs(t, err, geometry.ErrPairs)
	other := image.NewGray(image.Rect(1, 0, 10, 9))
	require.Panics(t, func() { r.Features(img, other) }, "a mask with other bounds")
}

// TestFeatures checks that features have the keypoints and descriptors of the packages that find
// them, where a mask is not 0, and that matching them gives what Register does.
func TestFeatures(t *testing.T) {
	photo := imagetest.Photo(t, "chelsea_451x300")
	masks := []*image.Gray{nil, image.NewGray(photo.Rect)}
	for i := range masks[1].Pix {
		if i%masks[1].Stride > 150 {
			masks[1].Pix[i] = 1
		}
	}
	views := []*image.Gray{view(photo, turned(20, 1), 400, 300), view(photo, turned(-10, 0.9), 380, 290)}
	for _, opts := range []register.Options{{}, {SIFT: &sift.Options{NoDoubling: true, Features: 300}}} {
		if opts.SIFT != nil && testing.Short() {
			continue
		}
		r := registrar(t, opts)
		features := r.Features(photo, nil)
		for _, img := range views {
			want, err := r.Register(photo, img)
			require.NoError(t, err)
			got, err := r.Match(features, r.Features(img, nil))
			require.NoError(t, err)
			require.Equal(t, want, got)
			got.A[0].X++ // is a copy
		}
		require.Equal(t, r.Features(photo, nil), features)

		for _, mask := range masks {
			want := new(register.Features)
			if opts.SIFT != nil {
				e, err := sift.New(*r.Options().SIFT)
				require.NoError(t, err)
				want.Keypoints, want.Vectors = e.Extract(photo, mask)
			} else {
				e, err := orb.New(r.Options().ORB)
				require.NoError(t, err)
				want.Keypoints, want.Descriptors = e.Extract(photo, mask)
			}
			require.Greater(t, len(want.Keypoints), 100)
			got := r.Features(photo, mask)
			require.Equal(t, want, got)
			for _, k := range got.Keypoints {
				require.True(t, mask == nil || k.X > 148)
			}
			_, err := r.Match(got, r.Features(views[0], nil))
			require.NoError(t, err)
		}
	}
}

// TestOtherFeatures checks that features of other descriptors, and such as are not complete, panic.
func TestOtherFeatures(t *testing.T) {
	r, s := registrar(t, register.Options{}), registrar(t, register.Options{SIFT: &sift.Options{}})
	photo := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(100, 100, 250, 250))
	f := r.Features(photo, nil)
	n := len(f.Keypoints)
	require.NotZero(t, n)
	require.PanicsWithValue(t, fmt.Sprintf("register: Features of %d Keypoints and 0 Vectors", n), func() { _, _ = s.Match(new(register.Features), f) })
	f.Descriptors = f.Descriptors[1:]
	require.PanicsWithValue(t, fmt.Sprintf("register: Features of %d Keypoints and %d Descriptors", n, n-1), func() { _, _ = r.Match(f, f) })

	// Memory of those of the other kind is used again.
	got := s.FeaturesInto(f, photo, nil)
	require.Same(t, f, got)
	require.Equal(t, len(f.Keypoints), len(f.Vectors))
	require.Empty(t, f.Descriptors)
	_, err := s.Match(got, got)
	require.NoError(t, err)
}

// TestOptionsAreCopies checks that neither the options that New takes nor those that Options returns
// change a Registrar afterwards.
func TestOptionsAreCopies(t *testing.T) {
	own := sift.Options{Layers: 4}
	r := registrar(t, register.Options{SIFT: &own})
	own.Layers = 5
	require.Equal(t, 4, r.Options().SIFT.Layers)
	told := r.Options()
	told.SIFT.Layers = 6
	require.Equal(t, 4, r.Options().SIFT.Layers)
	require.NotSame(t, told.SIFT, r.Options().SIFT)
}

// TestRegisterInto checks that the memory of a Result is used again, and nothing else of it, by
// any number of goroutines.
func TestRegisterInto(t *testing.T) {
	requireInto(t, register.Options{ORB: orb.Options{Features: 200}})
}

// TestSIFTInto is TestRegisterInto with keypoints of package sift.
func TestSIFTInto(t *testing.T) {
	if testing.Short() {
		t.Skip("these keypoints are found in the same way")
	}
	requireInto(t, register.Options{SIFT: &sift.Options{NoDoubling: true}})
}

// requireInto fails the test if a Registrar's results depend on those that it found before, or if
// it allocates.
func requireInto(t *testing.T, opts register.Options) {
	t.Helper()
	r := registrar(t, opts)
	photo := imagetest.Photo(t, "chelsea_451x300")
	var images []*image.Gray
	for i := range 3 {
		images = append(images, view(photo, turned(float64(10*i), 1), 200+20*i, 180))
	}
	images = append(images, image.NewGray(photo.Rect))
	type outcome struct {
		register.Result
		err error
	}
	var want []outcome
	for _, img := range images {
		result, err := registrar(t, r.Options()).Register(img, photo) // with new memory
		want = append(want, outcome{result, err})
	}
	var wait sync.WaitGroup
	for worker := range uint64(3) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			random := rand.New(rand.NewPCG(worker, 1))
			var got outcome
			for range 6 {
				i := random.IntN(len(images))
				got.err = r.RegisterInto(&got.Result, images[i], photo)
				if fmt.Sprint(got) != fmt.Sprint(want[i]) {
					t.Errorf("another result for image %d", i)
				}
			}
		}()
	}
	wait.Wait()

	// One image meets many, in several goroutines at once.
	features := r.Features(photo, nil)
	for worker := range len(images) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var f register.Features
			var got outcome
			for i := range images {
				i = (i + worker) % len(images)
				got.err = r.MatchInto(&got.Result, r.FeaturesInto(&f, images[i], nil), features)
				if fmt.Sprint(got) != fmt.Sprint(want[i]) {
					t.Errorf("another result for the features of image %d", i)
				}
			}
		}()
	}
	wait.Wait()

	imagetest.SkipRace(t)
	var result register.Result
	require.Zero(t, imagetest.Allocs(5, func() {
		if err := r.RegisterInto(&result, images[1], photo); err != nil {
			t.Error(err)
		}
	}))
	var f register.Features
	require.Zero(t, imagetest.Allocs(5, func() {
		if err := r.MatchInto(&result, r.FeaturesInto(&f, images[1], nil), features); err != nil {
			t.Error(err)
		}
	}))
}
