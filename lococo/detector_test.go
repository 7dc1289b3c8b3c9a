package lococo_test

import (
	"image"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// searches are options that have different work to do.
var searches = map[string]lococo.Options{
	"default": {},
	"large":   {KernelSizes: []int{31}, SuppressionRadius: 15, Measure: harris.DetOverTrace},
	"several": {KernelSizes: []int{17, 3, 9}, Subpixel: true, MaxCorners: 300},
}

// TestWorkers checks that any number of workers finds the same.
func TestWorkers(t *testing.T) {
	for name, opts := range searches {
		imagetest.RequireWorkers(t, name, imagetest.Photo(t, "life_640x480"), workers(t, opts), 2)
	}
	if testing.Short() {
		return
	}
	wide := imagetest.Photo(t, "picos_1280x720")
	imagetest.RequireWorkers(t, "wide", wide, workers(t, lococo.Options{}), -1, 100)
	narrow := &image.Gray{Pix: wide.Pix, Stride: 180, Rect: image.Rect(0, 0, 170, 5000)}
	imagetest.RequireWorkers(t, "narrow", narrow, workers(t, lococo.Options{}), 3)
}

// workers returns a function that creates Detectors with numbers of workers.
func workers(t *testing.T, opts lococo.Options) func(n int) *lococo.Detector {
	return func(n int) *lococo.Detector {
		opts.Workers = n
		return detector(t, opts)
	}
}

// TestConcurrent lets goroutines share a Detector.
func TestConcurrent(t *testing.T) {
	for name, opts := range searches {
		imagetest.RequireConcurrent(t, name, func() *lococo.Detector { return detector(t, opts) })
	}
}

// TestKernels checks that several kernels find what each of them finds alone.
func TestKernels(t *testing.T) {
	img := imagetest.Photo(t, "coffee_600x400")
	kernels := []int{31, 5, 9}
	together := lococo.Options{KernelSizes: kernels, Quality: 0.001}
	d := detector(t, together)
	kernels[1] = 0 // the Detector does not look at it again
	corners, responses := d.Detect(img, nil), d.Response(img)
	var want []lococo.Corner
	for _, kernel := range []int{5, 9, 31} {
		alone := detector(t, lococo.Options{KernelSizes: []int{kernel}, Quality: 0.001})
		want = append(want, alone.Detect(img, nil)...)
		require.True(t, slices.Equal(alone.Response(img), responses[:len(responses)/3]))
		responses = append(responses[len(responses)/3:], responses[:len(responses)/3]...)
	}
	slices.SortFunc(want, compare)
	imagetest.RequireSame(t, want, corners)

	together.MaxCorners = 17
	together.KernelSizes = []int{5, 9, 31}
	require.Equal(t, want[:17], detector(t, together).Detect(img, nil))
}

// TestSubpixel checks places between pixels: an image and its mirror image have the same
// ones.
func TestSubpixel(t *testing.T) {
	img := imagetest.Photo(t, "coffee_600x400")
	mirrored := image.NewGray(img.Rect)
	w := img.Rect.Dx()
	for i, v := range img.Pix {
		mirrored.Pix[i-i%w+w-1-i%w] = v
	}
	d := detector(t, lococo.Options{Subpixel: true})
	places := map[image.Point]lococo.Corner{}
	for _, c := range d.Detect(img, nil) {
		places[c.Pt()] = c
	}
	corners := d.Detect(mirrored, nil)
	require.Len(t, corners, len(places))
	between := 0
	for _, c := range corners {
		want, ok := places[image.Pt(w-1-int(c.X), int(c.Y))]
		require.True(t, ok)
		require.Equal(t, -want.DX, c.DX)
		require.Equal(t, want.DY, c.DY)
		require.LessOrEqual(t, max(c.DX, -c.DX, c.DY, -c.DY), float32(0.5))
		if c.DX != 0 && c.DY != 0 {
			between++
		}
	}
	require.Greater(t, between, len(corners)/2)
}

// TestNew checks which options are refused, and that the error names them and says what
// they may be.
func TestNew(t *testing.T) {
	nan := math.NaN()
	const odd, list = "an odd number from 3 to 63", "different odd numbers from 3 to 63"
	for _, test := range []struct {
		opts lococo.Options
		want string
	}{
		{lococo.Options{KernelSizes: []int{1}}, "KernelSizes is [1], not " + list},
		{lococo.Options{KernelSizes: []int{65}}, "KernelSizes is [65], not " + list},
		{lococo.Options{KernelSizes: []int{-9}}, "KernelSizes is [-9], not " + list},
		{lococo.Options{KernelSizes: []int{9, 4}}, "KernelSizes is [9 4], not " + list},
		{lococo.Options{KernelSizes: []int{0}}, "KernelSizes is [0], not " + list},
		{lococo.Options{KernelSizes: []int{3, 5, 3}}, "KernelSizes is [3 5 3], not " + list},
		{lococo.Options{BlockSize: 1}, "BlockSize is 1, not " + odd},
		{lococo.Options{BlockSize: 4}, "BlockSize is 4, not " + odd},
		{lococo.Options{BlockSize: 65}, "BlockSize is 65, not " + odd},
		{lococo.Options{Measure: 5}, "Measure is Measure(5), not a Measure of package harris"},
		{lococo.Options{K: 1.1}, "K is 1.1, not a number up to 1"},
		{lococo.Options{K: nan}, "K is NaN, not a number up to 1"},
		{lococo.Options{Quality: 1.1}, "Quality is 1.1, not a number up to 1"},
		{lococo.Options{Quality: nan}, "Quality is NaN, not a number up to 1"},
		{lococo.Options{MinResponse: nan}, "MinResponse is NaN, not a number up to 3.4e38"},
		{lococo.Options{MinResponse: 1e39}, "MinResponse is 1e+39, not a number up to 3.4e38"},
		{lococo.Options{MinResponse: 1, Quality: 0.1}, "MinResponse is 1, not 0 with Options.Quality"},
		{lococo.Options{SuppressionRadius: -1}, "SuppressionRadius is -1, not 1 to 32"},
		{lococo.Options{SuppressionRadius: 33}, "SuppressionRadius is 33, not 1 to 32"},
		{lococo.Options{MaxCorners: -1}, "MaxCorners is -1, not 0 or more"},
	} {
		_, err := lococo.New(test.opts)
		require.EqualError(t, err, "lococo: Options."+test.want)
	}
}

// TestNotMadeByNew checks that a Detector that New has not made panics, and says so.
func TestNotMadeByNew(t *testing.T) {
	var d lococo.Detector
	img := image.NewGray(image.Rect(0, 0, 40, 40))
	require.PanicsWithValue(t, "lococo: Detector not made by New", func() { d.Detect(img, nil) })
	require.PanicsWithValue(t, "lococo: Detector not made by New", func() { d.Response(img) })
}

// TestMeasures checks that a Measure has the same meaning in packages harris and lococo, but
// for the default.
func TestMeasures(t *testing.T) {
	require.Equal(t, reflect.TypeFor[harris.Measure](), reflect.TypeOf(lococo.Options{}.Measure))
	img := imagetest.Photo(t, "chelsea_451x300")
	found := map[harris.Measure][]lococo.Corner{}
	for measure := range harris.DetOverTrace + 1 {
		found[measure] = detector(t, lococo.Options{Measure: measure, MaxCorners: 50}).Detect(img, nil)
	}
	require.Equal(t, found[0], found[harris.Harris])
	require.NotEqual(t, found[harris.Harris], found[harris.MinEigenvalue])
	response := func(opts lococo.Options) float64 {
		responses := detector(t, opts).Response(img)
		c := found[harris.Harris][0]
		return float64(responses[int(c.Y)*img.Rect.Dx()+int(c.X)])
	}
	least := response(lococo.Options{Measure: harris.MinEigenvalue})
	det := response(lococo.Options{Measure: harris.Harris, K: -1})
	trace := least + det/least
	require.InEpsilon(t, det-0.04*trace*trace, response(lococo.Options{Measure: harris.Harris}), 1e-4)
	require.InEpsilon(t, 2*det/(trace+1e-6), response(lococo.Options{Measure: harris.Noble}), 1e-4)
	require.InEpsilon(t, det/(trace+1), response(lococo.Options{Measure: harris.DetOverTrace}), 1e-4)
}

// TestNegative checks that negative numbers mean 0, where 0 means something else.
func TestNegative(t *testing.T) {
	img := newImage(rand.New(rand.NewPCG(9, 10)), 0, 60, 50)
	for _, opts := range []lococo.Options{
		{K: -1, Quality: 0.01},
		{K: 0.04, Quality: -0.5},
		{K: 0.04, MinResponse: math.Inf(-1)},
	} {
		opts.KernelSizes, opts.SuppressionRadius, opts.Measure = []int{9}, 4, harris.Harris
		zero := opts
		zero.K, zero.Quality, zero.MinResponse = max(opts.K, 0), max(opts.Quality, 0), 0
		o := &oracle{opts: zero, img: img, kernel: 9}
		want := o.corners(o.responses(), nil)
		slices.SortFunc(want, compare)
		require.NotEmpty(t, want)
		imagetest.RequireSame(t, want, detector(t, opts).Detect(img, nil))
	}
}

// TestDefaults checks what options stand for that are 0.
func TestDefaults(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	for _, test := range []struct{ zero, full lococo.Options }{
		{lococo.Options{}, lococo.Options{KernelSizes: []int{9}, BlockSize: 9, K: 0.04, Quality: 0.01, SuppressionRadius: 4}},
		{lococo.Options{KernelSizes: []int{5}}, lococo.Options{KernelSizes: []int{5}, BlockSize: 5}},
		{lococo.Phull(), lococo.Options{KernelSizes: []int{9}, BlockSize: 9, K: 0.04, Quality: 0.01, SuppressionRadius: 8}},
	} {
		require.Equal(t, detector(t, test.full).Detect(img, nil), detector(t, test.zero).Detect(img, nil))
	}
}

// TestMalformed checks that images that lack pixels or have too many, and masks of other
// bounds, panic with a message of this package.
func TestMalformed(t *testing.T) {
	d := detector(t, lococo.Options{})
	good := image.NewGray(image.Rect(0, 0, 100, 90))
	for _, bad := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "lococo", func() { d.Detect(bad, nil) })
		imagetest.RequirePanic(t, "lococo", func() { d.Response(bad) })
		imagetest.RequirePanic(t, "lococo", func() { d.Detect(good, bad) })
	}
	require.PanicsWithValue(t, "lococo: nil image", func() { d.Detect(nil, good) })
	require.PanicsWithValue(t, "lococo: nil image", func() { d.Response(nil) })
	imagetest.RequirePanic(t, "lococo", func() {
		d.Detect(good, &image.Gray{Pix: good.Pix[1:], Stride: 100, Rect: good.Rect})
	})
	for _, mask := range []*image.Gray{
		image.NewGray(image.Rect(0, 0, 100, 91)),
		image.NewGray(image.Rect(1, 0, 101, 90)),
		{},
	} {
		imagetest.RequirePanic(t, "lococo", func() { d.Detect(good, mask) })
	}
}

// TestSharedRows checks images whose rows share pixels.
func TestSharedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, stride := range []int{0, 1, 30} {
		img := &image.Gray{Pix: make([]byte, 18*stride+40), Stride: stride, Rect: image.Rect(0, 0, 40, 19)}
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.Uint32())
		}
		requireEqual(t, lococo.Options{KernelSizes: []int{5}, Measure: harris.Harris, K: 0.04, Quality: 0.01, SuppressionRadius: 2}, img, nil)
	}
}

// TestEmpty checks images without room for the kernel and the window.
func TestEmpty(t *testing.T) {
	d := detector(t, lococo.Options{})
	for _, size := range []image.Point{{}, {X: 1, Y: 1}, {X: 16, Y: 100}, {X: 100, Y: 16}} {
		img := image.NewGray(image.Rectangle{Max: size})
		require.Empty(t, d.Detect(img, img))
		require.Equal(t, make([]float32, size.X*size.Y), d.AppendResponse([]float32{}, img))
	}
	for _, img := range imagetest.Empty() {
		require.Empty(t, d.Detect(img, img))
		require.Empty(t, d.Response(img))
	}
}

// TestAllocs checks that detection does not allocate in the steady state.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(100, 50, 250, 150)).(*image.Gray)
	mask := imagetest.Disc(img.Rect)
	corners, responses := make([]lococo.Corner, 0, 10_000), make([]float32, 0, 3*150*100)
	for name, opts := range searches {
		d := detector(t, opts)
		require.NotEmpty(t, d.Detect(img, mask), name)
		require.Zero(t, imagetest.Allocs(5, func() {
			d.Append(corners, img, mask)
			d.AppendResponse(responses, img)
		}), name)
	}
	// Nor is room needed for corners that are not wanted, and what lies on the stack does
	// not escape.
	d := detector(t, lococo.Options{MaxCorners: 3})
	require.Zero(t, imagetest.Allocs(5, func() {
		var corners [3]lococo.Corner
		d.Append(corners[:0], img, nil)
	}))
}

// TestPt checks the coordinates of a corner as a point.
func TestPt(t *testing.T) {
	require.Equal(t, image.Pt(3, -2), lococo.Corner{X: 3, Y: -2, DX: 0.5}.Pt())
}

// TestReleased checks that neither images nor results are kept.
func TestReleased(t *testing.T) {
	for _, opts := range []lococo.Options{{}, {KernelSizes: []int{3, 7}, Subpixel: true}} {
		d := detector(t, opts)
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			img := imagetest.Photo(t, "chelsea_451x300")
			mask := imagetest.Disc(img.Rect)
			corners := d.Detect(img, mask)
			responses := d.Response(img)
			imagetest.Watch(m, "image", &img.Pix[0])
			imagetest.Watch(m, "mask", &mask.Pix[0])
			imagetest.Watch(m, "corners", &corners[0])
			imagetest.Watch(m, "responses", &responses[0])
		})
		runtime.KeepAlive(d)
	}
}
