package harris_test

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// variants are options that ask for all pipelines and all ways to find corners.
var variants = map[string]harris.Options{
	"sobel":        harris.GoodFeatures(1000, 0.01, 10),
	"sobel-blocks": {Measure: harris.Harris, SuppressionRadius: 3, Quality: 1e-4},
	"box":          {BlockSize: 4, Gradient: harris.Scharr, MinDistance: 3},
	"large-box":    {BlockSize: 31, Gradient: harris.Sobel7, Border: border.Constant},
	"window":       {WindowSigma: 2, Gradient: harris.Sobel5, MinResponse: 1e-3},
	"separable9":   harris.Separable9(),
	"separable31":  harris.Separable31(),
	"irgpu":        harris.IRGPU(border.Reflect101),
	"irgpu-zero":   harris.IRGPU(border.Constant),
}

// few reports whether a test is to leave out a variant to be short.
func few(name string) bool { return testing.Short() && name != "box" && name != "irgpu" }

// TestWorkers checks that the number of workers does not change the results.
func TestWorkers(t *testing.T) {
	img := imagetest.Photo(t, "life_640x480")
	for name, opts := range variants {
		if few(name) {
			continue
		}
		imagetest.RequireWorkers(t, name, img, workers(t, opts), 2)
	}
	if testing.Short() {
		return
	}
	wide := imagetest.Photo(t, "picos_1280x720")
	narrow := &image.Gray{Pix: wide.Pix, Stride: 180, Rect: image.Rect(0, 0, 170, 5000)}
	for _, img := range []*image.Gray{wide, narrow} {
		imagetest.RequireWorkers(t, "sobel", img, workers(t, variants["sobel"]), -1, 2, 100)
	}
}

// workers returns a function that creates a Detector with n workers.
func workers(t *testing.T, opts harris.Options) func(n int) *harris.Detector {
	return func(n int) *harris.Detector {
		opts.Workers = n
		return detector(t, opts)
	}
}

// TestConcurrent lets goroutines share a Detector.
func TestConcurrent(t *testing.T) {
	for name, opts := range variants {
		if few(name) && !imagetest.RaceEnabled() {
			continue
		}
		imagetest.RequireConcurrent(t, name, func() *harris.Detector { return detector(t, opts) })
	}
}

// TestColorRounds checks that a luma just below one half becomes 0: its sum with one half is
// no float32, and would be rounded to 1.
func TestColorRounds(t *testing.T) {
	half := color.RGBA64{R: 0, G: 8, B: 1086, A: 0xffff} // of 0.49999997
	luma := float32(float32(0.587)*(float32(half.G)/257)) + float32(float32(0.114)*(float32(half.B)/257))
	require.Equal(t, math.Nextafter32(0.5, 0), luma)
	require.EqualValues(t, 1, luma+0.5)

	img := image.NewRGBA64(image.Rect(0, 0, 20, 20))
	d := detector(t, harris.Options{MinResponse: 1e-9})
	for _, c := range []struct {
		color color.RGBA64
		found bool
	}{{half, false}, {color.RGBA64{G: half.G, B: half.B + 1, A: 0xffff}, true}} {
		draw.Draw(img, image.Rect(6, 6, 20, 20), image.NewUniform(c.color), image.Point{}, draw.Src)
		require.Equal(t, c.found, len(d.DetectColor(img, nil)) > 0, "%v", c.color)
	}
}

// TestColor compares the corners of images of different types with those that the oracle finds
// in their luma.
func TestColor(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	r := image.Rect(-3, 5, 28, 27)
	nrgba := image.NewNRGBA(r)
	ycbcr := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
	rgba := image.NewRGBA(r.Inset(-2)).SubImage(r).(*image.RGBA)
	rgba64 := image.NewRGBA64(r)
	for _, pix := range [][]uint8{nrgba.Pix, ycbcr.Y, ycbcr.Cb, ycbcr.Cr, rgba.Pix, rgba64.Pix} {
		for i := range pix {
			pix[i] = uint8(rng.Uint32())
		}
	}
	mask := newMask(rng, r)
	opts := harris.IRGPU(border.Reflect101)
	opts.MinDistance = 2
	integers := harris.GoodFeatures(0, 0.05, 3)
	integers.BlockSize, integers.SuppressionRadius = 3, 1
	for _, img := range []image.Image{nrgba, ycbcr, rgba, rgba64, struct{ image.Image }{rgba64}} {
		name := fmt.Sprintf("%T", img)
		exact := newOracle(opts, image.NewGray(r))
		rounded := newOracle(integers, image.NewGray(r))
		for y := range r.Dy() {
			for x := range r.Dx() {
				cr, cg, cb, _ := img.At(r.Min.X+x, r.Min.Y+y).RGBA()
				luma := float32(0.299*(float32(cr)/257)) + float32(0.587*(float32(cg)/257))
				luma += float32(0.114 * (float32(cb) / 257))
				exact.luma[y*r.Dx()+x] = luma
				rounded.luma[y*r.Dx()+x] = float32(math.Round(float64(luma)))
			}
		}
		for _, o := range []*oracle{exact, rounded} {
			want := o.corners(o.responses(), mask)
			require.NotEmpty(t, want, name)
			for i := range want {
				want[i].X += int32(r.Min.X)
				want[i].Y += int32(r.Min.Y)
			}
			imagetest.RequireSame(t, want, detector(t, o.opts).DetectColor(img, mask), name)
		}
	}

	gray := imagetest.Photo(t, "chelsea_451x300")
	d := detector(t, opts)
	imagetest.RequireSame(t, d.Detect(gray, nil), d.DetectColor(gray, nil))
	for _, size := range []image.Point{{}, {X: 1, Y: 7}} {
		require.Empty(t, d.DetectColor(image.NewRGBA(image.Rectangle{Max: size}), nil))
	}
}

// TestNew checks which options are refused, and that the error names them.
func TestNew(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		opts harris.Options
		want string
	}{
		{harris.Options{Measure: 5}, "Measure is Measure(5), not one of default, min-eigenvalue, harris, noble, det-over-trace"},
		{harris.Options{K: 1.1}, "K is 1.1, not a number up to 1"},
		{harris.Options{K: nan}, "K is NaN"},
		{harris.Options{Gradient: 5}, "Gradient is Gradient(5), not one of sobel3, sobel5, sobel7, scharr, gaussian"},
		{harris.Options{GradientSigma: -1}, "GradientSigma is -1, not a positive number"},
		{harris.Options{GradientSigma: nan}, "GradientSigma is NaN"},
		{harris.Options{GradientSigma: inf}, "GradientSigma is +Inf"},
		{harris.Options{GradientRadius: -1}, "GradientRadius is -1, not 1 to 15"},
		{harris.Options{GradientRadius: 16}, "GradientRadius is 16"},
		{harris.Options{BlockSize: -1}, "BlockSize is -1, not 1 to 31"},
		{harris.Options{BlockSize: 32}, "BlockSize is 32"},
		{harris.Options{WindowSigma: -1}, "WindowSigma is -1, not 0 or a positive number"},
		{harris.Options{WindowSigma: nan}, "WindowSigma is NaN"},
		{harris.Options{WindowSigma: inf}, "WindowSigma is +Inf"},
		{harris.Options{WindowRadius: -1}, "WindowRadius is -1, not 1 to 15"},
		{harris.Options{WindowRadius: 16}, "WindowRadius is 16"},
		{harris.Options{Border: border.Replicate}, "Border is replicate, not one of reflect101, constant"},
		{harris.Options{Quality: 1.1}, "Quality is 1.1, not a number up to 1"},
		{harris.Options{Quality: nan}, "Quality is NaN"},
		{harris.Options{MinResponse: nan}, "MinResponse is NaN, not a number up to 3.4e38"},
		{harris.Options{MinResponse: 1e39}, "MinResponse is 1e+39"},
		{harris.Options{MinResponse: 1, Quality: 0.1}, "MinResponse is 1, not 0 with Options.Quality"},
		{harris.Options{MinResponse: -1, Quality: -1}, "MinResponse is -1, not 0 with Options.Quality"},
		{harris.Options{MinResponse: 1}.WithQualityOfRange(), "MinResponse is 1, not 0 with the options of IRGPU"},
		{harris.Options{SuppressionRadius: -1}, "SuppressionRadius is -1, not 1 or more"},
		{harris.Options{MinDistance: -1}, "MinDistance is -1, not a distance"},
		{harris.Options{MinDistance: nan}, "MinDistance is NaN"},
		{harris.Options{MinDistance: inf}, "MinDistance is +Inf"},
		{harris.Options{MaxCorners: -1}, "MaxCorners is -1, not 0 or more"},
	} {
		_, err := harris.New(test.opts)
		require.ErrorContains(t, err, "harris: Options."+test.want, "%+v", test.opts)
	}
}

// TestDefaults checks the defaults of options.
func TestDefaults(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	for _, test := range []struct{ zero, full harris.Options }{
		{
			harris.Options{},
			harris.Options{BlockSize: 3, Quality: 0.01, SuppressionRadius: 1},
		}, {
			harris.Options{Measure: harris.Harris, Gradient: harris.Gaussian},
			harris.Options{Measure: harris.Harris, K: 0.04, Gradient: harris.Gaussian, GradientSigma: 1, GradientRadius: 3},
		}, {
			harris.Options{Gradient: harris.Gaussian, GradientSigma: 1.1, WindowSigma: 100},
			harris.Options{Gradient: harris.Gaussian, GradientSigma: 1.1, GradientRadius: 4, WindowSigma: 100, WindowRadius: 15},
		},
	} {
		require.Equal(t, detector(t, test.full).Detect(img, nil), detector(t, test.zero).Detect(img, nil))
	}
}

// TestOptionsText checks that options are the same after they were written as text: package batch
// sends them to other machines. What only presets set is not written.
func TestOptionsText(t *testing.T) {
	for name, opts := range variants {
		if opts.QualityOfRange() || opts.TopFirst() {
			continue
		}
		text, err := json.Marshal(opts)
		require.NoError(t, err)
		var got harris.Options
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, opts, got, name)
	}
}

// TestNegative checks the options for which a negative number means 0.
func TestNegative(t *testing.T) {
	img := newImage(rand.New(rand.NewPCG(13, 14)), 0, 60, 40)
	for _, test := range []struct{ negative, zero harris.Options }{
		{harris.Options{Quality: -1}, harris.Options{}},
		{harris.Options{Quality: -1}.WithQualityOfRange(), harris.Options{}.WithQualityOfRange()},
		{harris.Options{Quality: math.Inf(-1), Measure: harris.Harris, K: -0.1}, harris.Options{Measure: harris.Harris}},
		{harris.Options{MinResponse: -1}, harris.Options{}},
	} {
		// To the oracle 0 is 0.
		test.negative.BlockSize, test.zero.BlockSize = 3, 3
		test.zero.SuppressionRadius = 1
		o := newOracle(test.zero, img)
		responses := o.responses()
		d := detector(t, test.negative)
		require.Equal(t, responses, d.Response(img))
		want := o.corners(responses, nil)
		for i := range want {
			want[i].X += int32(img.Rect.Min.X)
			want[i].Y += int32(img.Rect.Min.Y)
		}
		imagetest.RequireSame(t, want, d.Detect(img, nil), "%+v", test.negative)
	}
}

// TestText checks the text forms of measures, gradients and borders.
func TestText(t *testing.T) {
	want := `{"Measure":"det-over-trace","Gradient":"scharr","Border":"constant"}`
	type values struct {
		Measure  harris.Measure
		Gradient harris.Gradient
		Border   border.Mode
	}
	v := values{harris.DetOverTrace, harris.Scharr, border.Constant}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
	var got values
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, v, got)
	require.Equal(t, "{default sobel3 default}", fmt.Sprint(values{}))
	require.ErrorContains(t, json.Unmarshal([]byte(`{"Measure": "good"}`), &got), `harris: unknown Measure "good", not one of default, `)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"Gradient": "x"}`), &got), `harris: unknown Gradient "x", not one of sobel3, `)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"Border": ""}`), &got), `border: unknown Mode "", not one of default, constant, `)
}

// TestMisuse checks the panics for a Detector that New has not made, and for images that
// are nil.
func TestMisuse(t *testing.T) {
	img, color := image.NewGray(image.Rect(0, 0, 9, 9)), image.NewRGBA(image.Rect(0, 0, 9, 9))
	zero, made := new(harris.Detector), detector(t, harris.Options{})
	const notMade = "harris: Detector not made by New"
	require.PanicsWithValue(t, notMade, func() { zero.Detect(img, nil) })
	require.PanicsWithValue(t, notMade, func() { zero.Response(nil) })
	require.PanicsWithValue(t, notMade, func() { zero.DetectColor(color, nil) })
	const nilImage = "harris: nil image"
	require.PanicsWithValue(t, nilImage, func() { made.Detect(nil, nil) })
	require.PanicsWithValue(t, nilImage, func() { made.Detect(nil, img) })
	require.PanicsWithValue(t, nilImage, func() { made.Response(nil) })
	require.PanicsWithValue(t, nilImage, func() { made.DetectColor(nil, nil) })
	require.PanicsWithValue(t, nilImage, func() { made.DetectColor((*image.Gray)(nil), nil) })
}

// TestMalformed checks that images that lack pixels or have too many, and masks of other
// bounds, panic with a message of this package.
func TestMalformed(t *testing.T) {
	d := detector(t, harris.Options{})
	good := image.NewGray(image.Rect(0, 0, 100, 90))
	for _, bad := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "harris", func() { d.Detect(bad, nil) })
		imagetest.RequirePanic(t, "harris", func() { d.Response(bad) })
		imagetest.RequirePanic(t, "harris", func() { d.Detect(good, bad) })
	}
	rgba := image.NewRGBA(good.Rect)
	for _, mask := range []*image.Gray{
		image.NewGray(image.Rect(0, 0, 100, 91)),
		image.NewGray(image.Rect(1, 0, 101, 90)),
		{},
	} {
		imagetest.RequirePanic(t, "harris", func() { d.Detect(good, mask) })
		imagetest.RequirePanic(t, "harris", func() { d.DetectColor(rgba, mask) })
	}
	rgba.Pix = rgba.Pix[:len(rgba.Pix)-1]
	imagetest.RequirePanic(t, "harris", func() { d.DetectColor(rgba, nil) })
	imagetest.RequirePanic(t, "harris", func() { d.DetectColor(image.White, nil) })
	far := image.NewRGBA(image.Rect(0, 0, 1, 1))
	if max := math.MaxInt; max > math.MaxInt32 {
		far.Rect = image.Rect(max-1, 0, max, 1)
		imagetest.RequirePanic(t, "harris", func() { d.DetectColor(far, nil) })
	}
}

// TestSharedRows checks images whose rows overlap in memory.
func TestSharedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, stride := range []int{0, 1, 30} {
		img := &image.Gray{Pix: make([]byte, 18*stride+40), Stride: stride, Rect: image.Rect(0, 0, 40, 19)}
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.Uint32())
		}
		requireResponses(t, harris.Options{BlockSize: 3}, img)
		requireResponses(t, harris.Options{BlockSize: 2}, img)
	}
}

// TestAllocs checks that detection does not allocate in the steady state.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(100, 50, 250, 150)).(*image.Gray)
	mask := imagetest.Disc(img.Rect)
	rgba := image.NewRGBA(img.Rect)
	draw.Draw(rgba, rgba.Rect, img, img.Rect.Min, draw.Src)
	corners, responses := make([]harris.Corner, 0, 10_000), make([]float32, 0, 150*100)
	for name, opts := range variants {
		d := detector(t, opts)
		require.Zero(t, imagetest.Allocs(5, func() {
			d.Append(corners, img, mask)
			d.AppendColor(corners, rgba, nil)
			d.AppendResponse(responses, img)
		}), name)
	}
	// It does not make corners on the stack escape either.
	d := detector(t, harris.Options{MaxCorners: 10})
	require.Zero(t, imagetest.Allocs(5, func() {
		var corners [10]harris.Corner
		d.Append(corners[:0], img, nil)
	}))
}

// TestPt checks the coordinates of a corner as a point.
func TestPt(t *testing.T) {
	require.Equal(t, image.Pt(3, -2), harris.Corner{X: 3, Y: -2}.Pt())
}
