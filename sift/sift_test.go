package sift_test

import (
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

// TestExtract compares results with the oracle's.
func TestExtract(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(130, 90, 201, 145)).(*image.Gray)
	found := 0
	for _, opts := range []sift.Options{
		{NoDoubling: true, Contrast: -1, Root: true},
		{Layers: 2, Edge: 1.5, Upright: true},
		{},
		{Layers: 5, Sigma: 3},
		{Contrast: -1, Layers: 2},
		{Features: 10},
		{Layers: 1, Sigma: 8, Contrast: -1},
	} {
		want := oracleDetect(opts, img, nil)
		found += len(want)
		o := newOracle(opts, img, !opts.NoDoubling, 0)
		e := extractor(t, opts)
		kps, descs := e.Extract(img, nil)
		imagetest.RequireSame(t, want, kps, "%+v", opts)
		for i, k := range kps {
			k.X -= float32(img.Rect.Min.X)
			k.Y -= float32(img.Rect.Min.Y)
			require.Equal(t, o.describe(k), descs[i])
		}
		if testing.Short() && opts.Upright {
			break
		}
	}
	require.NotZero(t, found)
}

// TestLong compares results with the oracle's at the ends of images that are as long as possible.
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("the oracle takes seconds")
	}
	const side, breadth, textured = 1 << 16, 32, 700
	rng := rand.New(rand.NewPCG(1, 4))
	for _, c := range []struct {
		size       image.Point
		noDoubling bool
	}{{image.Pt(side, breadth), true}, {image.Pt(breadth, side), true}, {image.Pt(side, breadth/2), false}} {
		img := image.NewGray(image.Rectangle{Max: c.size})
		for y := range c.size.Y {
			for x := range c.size.X {
				if at := max(x, y); at < textured || at >= side-textured {
					img.Pix[y*img.Stride+x] = uint8(rng.IntN(256))
				}
			}
		}
		opts := sift.Options{NoDoubling: c.noDoubling, Contrast: -1, Edge: 100, Workers: 2}
		want := oracleDetect(opts, img, nil)
		far := 0
		for _, k := range want {
			if max(k.X, k.Y) > side-textured {
				far++
			}
		}
		require.Greater(t, far, 4, "%v", c)
		kps, descs := extractor(t, opts).Extract(img, nil)
		imagetest.RequireSame(t, want, kps, "%v", c)
		if c.size.Y > breadth {
			continue // for the oracle takes long
		}
		o := newOracle(opts, img, !c.noDoubling, 0)
		for i, k := range kps {
			require.Equal(t, o.describe(k), descs[i])
		}
	}
}

// TestDense compares results with the oracle's where extrema are everywhere, also beside the margins,
// and where neighbors are equal because the image is symmetric.
func TestDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 24
	if testing.Short() {
		rounds = 6
	}
	var found [2]int
	for round := range rounds {
		w, h := 28+rng.IntN(20), 28+rng.IntN(20)
		img := image.NewGray(image.Rect(0, 0, w, h))
		cell := 1 + rng.IntN(3)
		values := rand.New(rand.NewPCG(uint64(round), 3))
		for y := range h {
			for x := range w {
				v := uint8(values.IntN(256))
				if round%2 > 0 { // blots, mirrored
					a, b := min(x, w-1-x)/cell, min(y, h-1-y)/cell
					v = uint8((a*a*7 + b*b*11 + a*b*5) % 3 * 127)
				}
				img.Pix[y*w+x] = v
			}
		}
		opts := sift.Options{Contrast: -1, Edge: 100}
		want := oracleDetect(opts, img, nil)
		found[round%2] += len(want)
		imagetest.RequireSame(t, want, extractor(t, opts).Detect(img, nil), "%d", round)
	}
	require.NotZero(t, found[0])
	require.NotZero(t, found[1])
}

// TestFlat compares results with the oracle's where parts of an image are flat and no contrast is
// asked for, and checks that the memory for these is what the documentation says.
func TestFlat(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 60, 50))
	for i := range img.Pix {
		x, y := i%60, i/60
		img.Pix[i] = 153
		if x/20 == 1 && y > 20 && y < 30 {
			img.Pix[i] = uint8(30 + 3*x)
		}
	}
	opts := sift.Options{Contrast: -1, NoDoubling: true}
	want := oracleDetect(opts, img, nil)
	require.NotEmpty(t, want)
	imagetest.RequireSame(t, want, extractor(t, opts).Detect(img, nil))

	page := image.NewGray(image.Rect(0, 0, 400, 300))
	for i := range page.Pix {
		page.Pix[i] = 255
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Empty(t, extractor(t, sift.Wide()).Detect(page, nil))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(115*len(page.Pix)))
}

// extractor returns an Extractor with the given options.
func extractor(t testing.TB, opts sift.Options) *sift.Extractor {
	e, err := sift.New(opts)
	require.NoError(t, err)
	return e
}

// TestWorkers checks that the number of workers does not matter, also where the bands of an
// octave are small.
func TestWorkers(t *testing.T) {
	// All rows of noise have keypoints, if they are long.
	noise, numbers := image.NewGray(image.Rect(0, 0, 600, 140)), []int{2, 3, 7}
	if testing.Short() {
		noise, numbers = image.NewGray(image.Rect(0, 0, 90, 140)), []int{3} // two bands of 128 rows, doubled
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(rng.IntN(256))
	}
	opts := sift.Options{Contrast: -1, Edge: 1000}
	want := extractor(t, opts).Detect(noise, nil)
	for _, opts.Workers = range numbers {
		imagetest.RequireSame(t, want, extractor(t, opts).Detect(noise, nil), "%d workers", opts.Workers)
	}

	img := imagetest.Photo(t, "chelsea_451x300")
	parts := []image.Rectangle{image.Rect(120, 60, 180, 200), image.Rect(0, 0, 300, 280), image.Rect(3, 3, 203, 131)}
	if testing.Short() {
		parts = parts[:1]
	}
	for _, part := range parts {
		img := img.SubImage(part).(*image.Gray)
		one := extractor(t, sift.Options{Contrast: 0.02})
		kps, descs := one.Extract(img, nil)
		require.NotEmpty(t, kps)
		for _, workers := range numbers {
			e := extractor(t, sift.Options{Contrast: 0.02, Workers: workers})
			moreKps, moreDescs := e.Extract(img, nil)
			imagetest.RequireSame(t, kps, moreKps, workers)
			imagetest.RequireSame(t, descs, moreDescs, workers)
			imagetest.RequireSame(t, descs, e.Describe(kps, img), workers)
		}
	}
}

// TestAllocs checks that the steady state does not allocate.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(120, 80, 190, 130)).(*image.Gray)
	e := extractor(t, sift.Options{Features: 40})
	mask := imagetest.Disc(img.Rect)
	kps, descs := e.Extract(img, mask)
	require.NotEmpty(t, kps)
	require.Zero(t, imagetest.Allocs(5, func() {
		kps, descs = e.Append(kps[:0], descs[:0], img, mask)
		descs = e.AppendDescribe(descs[:0], kps, img)
	}))
}

// TestAppend checks that results follow what is there already, and that Detect finds the
// keypoints of Extract, and Describe describes them in the same way.
func TestAppend(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(120, 80, 190, 130)).(*image.Gray)
	e := extractor(t, sift.Options{})
	kps, descs := e.Extract(img, nil)
	require.Equal(t, kps, e.Detect(img, nil))
	require.True(t, slices.ContainsFunc(kps, func(k sift.Keypoint) bool { o, _ := sift.Level(k); return o == -1 }))
	require.Equal(t, descs, e.Describe(kps, img))
	before, vector := sift.Keypoint{X: 7}, match.Vector{9}
	moreKps, moreDescs := e.Append([]sift.Keypoint{before}, []match.Vector{vector}, img, nil)
	require.Equal(t, append([]sift.Keypoint{before}, kps...), moreKps)
	require.Equal(t, append([]match.Vector{vector}, descs...), moreDescs)
	require.Equal(t, moreDescs, e.AppendDescribe([]match.Vector{vector}, kps, img))
}

// TestBounds checks that keypoints move with the bounds of the image, and that strides do not
// matter.
func TestBounds(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(128, 80, 192, 130)).(*image.Gray)
	e := extractor(t, sift.Options{})
	mask := imagetest.Disc(img.Rect)
	kps, descs := e.Extract(img, mask)
	require.NotEmpty(t, kps)
	// These coordinates are exact.
	moved := atOrigin(img)
	same, sameDescs := e.Extract(moved, atOrigin(mask))
	require.Equal(t, descs, sameDescs)
	for i := range same {
		same[i].X += float32(img.Rect.Min.X)
		same[i].Y += float32(img.Rect.Min.Y)
	}
	require.Equal(t, kps, same)
}

// TestMask checks that the pixel nearest to a keypoint decides whether it stays.
func TestMask(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(128, 80, 192, 130)).(*image.Gray)
	e := extractor(t, sift.Options{})
	all := e.Detect(img, nil)
	tried := all[:20]
	if testing.Short() {
		tried = all[:4]
	}
	up := 0 // coordinates that are rounded up
	for _, k := range tried {
		p := k.Pt()
		at := img.Rect.Dx()*(p.Y-img.Rect.Min.Y) + p.X - img.Rect.Min.X
		if float32(p.X) > k.X || float32(p.Y) > k.Y {
			up++
		}
		mask := image.NewGray(img.Rect)
		mask.Pix[at] = 1
		kept := e.Detect(img, mask)
		require.Contains(t, kept, k)
		for i := range mask.Pix {
			mask.Pix[i] = 255
		}
		mask.Pix[at] = 0
		others := e.Detect(img, mask)
		require.Len(t, others, len(all)-len(kept))
		require.NotContains(t, others, k)
	}
	require.NotZero(t, up)
}

// TestDescribePanics checks that keypoints that no image has are told by their number.
func TestDescribePanics(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 40, 20))
	e := extractor(t, sift.Options{})
	describe := func(k sift.Keypoint) func() {
		return func() { e.Describe([]sift.Keypoint{{Octave: 1 << 8}, k}, img) }
	}
	require.PanicsWithValue(t, "sift: keypoint 1 has octave -2, which an image of 40 by 20 pixels does not have", describe(sift.Keypoint{Octave: 254}))
	require.PanicsWithValue(t, "sift: keypoint 1 has octave 5, which an image of 40 by 20 pixels does not have", describe(sift.Keypoint{Octave: 5}))
	require.PanicsWithValue(t, "sift: keypoint 1 has layer 6, more than 5", describe(sift.Keypoint{Octave: 6 << 8}))
	require.NotPanics(t, describe(sift.Keypoint{Octave: 4 | 5<<8, Size: 100}))
	require.Panics(t, func() { e.Describe([]sift.Keypoint{{}}, new(image.Gray)) })
	require.Empty(t, e.Describe(nil, img))
}

// TestDescribeAnywhere checks that keypoints with any numbers can be described.
func TestDescribeAnywhere(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(100, 60, 160, 100)).(*image.Gray)
	e := extractor(t, sift.Options{})
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	places := []float32{-1e30, -3, 0, 0.5, 20, 59.7, 100, 1e9, 1e30, inf, -inf, nan}
	var kps []sift.Keypoint
	for _, x := range places {
		for _, size := range []float32{-1e30, -5, 0, 1e-30, 3, 50, 1e6, 1e30, inf, nan} {
			for _, angle := range []float32{-1e30, -90, 0, 77, 360, 1000, 1e30, nan} {
				kps = append(kps, sift.Keypoint{X: 100 + x, Y: 80, Size: size, Angle: angle, Octave: 1 << 8})
			}
			kps = append(kps, sift.Keypoint{X: 120, Y: x, Size: size, Angle: 3, Octave: 255 | 1<<8})
		}
	}
	descs := e.Describe(kps, img)
	require.Len(t, descs, len(kps))
	// An angle that is turned is another name for the same.
	k := sift.Keypoint{X: 120, Y: 80, Size: 5, Angle: 90, Octave: 1 << 8}
	turned := k
	turned.Angle -= 720
	descs = e.Describe([]sift.Keypoint{k, turned}, img)
	require.NotZero(t, descs[0])
	require.Equal(t, descs[0], descs[1])
}

// TestDescribeLayers checks that a descriptor does not depend on the layers of other keypoints, of
// which those of each octave are made, and how much memory the usual ones need.
func TestDescribeLayers(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(80, 80, 280, 220)).(*image.Gray)
	var kps []sift.Keypoint
	for _, octave := range []int32{0, 1} {
		for layer := range int32(6) {
			kps = append(kps, sift.Keypoint{X: 200, Y: 150, Size: 6, Angle: 30, Octave: octave | layer<<8})
		}
	}
	e := extractor(t, sift.Options{})
	descs := e.Describe(kps, img)
	for i := range kps {
		require.Equal(t, descs[i:i+1], e.Describe(kps[i:i+1], img))
	}

	for i := range kps {
		octave := kps[i].Octave&0xff - 1
		kps[i].Octave = octave&0xff | int32(1+i%3)<<8
	}
	e = extractor(t, sift.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e.Describe(kps, img)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(110*200*140))
}

// TestOptions checks what New refuses, and the defaults.
func TestOptions(t *testing.T) {
	require.Equal(t, sift.Options{Layers: 3, Contrast: 0.04, Edge: 10, Sigma: 1.6, Workers: 1}, extractor(t, sift.Options{}).Options())
	require.Zero(t, extractor(t, sift.Options{Contrast: -1}).Options().Contrast)
	require.Equal(t, 8000, extractor(t, sift.Wide()).Options().Features)
	for want, opts := range map[string]sift.Options{
		"sift: Options.Features is -1, not 0 to 1000000000":                                                        {Features: -1},
		"sift: Options.Layers is 12, not 1 to 11":                                                                  {Layers: 12},
		"sift: Options.Layers is -1, not 1 to 11":                                                                  {Layers: -1},
		"sift: Options.Contrast is 1.5, not up to 1":                                                               {Contrast: 1.5},
		"sift: Options.Contrast is NaN, not up to 1":                                                               {Contrast: math.NaN()},
		"sift: Options.Edge is 1, not more than 1 as a float32, up to 1000000":                                     {Edge: 1},
		"sift: Options.Sigma is 9, not more than 0, up to 8":                                                       {Sigma: 9},
		"sift: Options.Sigma is 1.14, not enough for filters of 7 taps with Options.Layers 3 and NoDoubling false": {Sigma: 1.14},
		"sift: Options.Sigma is 1, not enough for filters of 7 taps with Options.Layers 11 and NoDoubling true":    {Sigma: 1, Layers: 11, NoDoubling: true},
	} {
		_, err := sift.New(opts)
		require.EqualError(t, err, want)
	}
	for layers := 1; layers <= 11; layers++ {
		extractor(t, sift.Options{Layers: layers})
	}
}

// TestImages checks images that are empty, malformed or too large, and an Extractor that New has
// not made.
func TestImages(t *testing.T) {
	e := extractor(t, sift.Options{})
	for _, img := range imagetest.Empty() {
		kps, descs := e.Extract(img, nil)
		require.Empty(t, kps)
		require.Empty(t, descs)
	}
	for _, img := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "sift", func() { e.Extract(img, nil) })
		imagetest.RequirePanic(t, "sift", func() { e.Describe([]sift.Keypoint{{}}, img) })
	}
	img := image.NewGray(image.Rect(0, 0, 40, 30))
	imagetest.RequirePanic(t, "sift", func() { e.Extract(img, image.NewGray(image.Rect(0, 0, 40, 31))) })
	imagetest.RequirePanic(t, "sift", func() { e.Extract(image.NewGray(image.Rect(0, 0, 1<<16+1, 1)), nil) })
	imagetest.RequirePanic(t, "sift", func() { e.Detect(nil, nil) })
	imagetest.RequirePanic(t, "sift", func() { new(sift.Extractor).Detect(img, nil) })
}
