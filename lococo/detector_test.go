package lococo_test

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/stretchr/testify/require"
)

// searches are options that have different work to do.
var searches = map[string]lococo.Options{
	"default": {},
	"large":   {Kernel: 31, Radius: 15, Measure: lococo.DetOverTrace},
	"several": {Kernels: []int{17, 3, 9}, Subpixel: true, MaxCorners: 300},
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
	together := lococo.Options{Kernels: kernels, Quality: 0.001}
	d := detector(t, together)
	kernels[1] = 0 // the Detector does not look at it again
	corners, responses := d.Detect(img, nil), d.Response(img)
	var want []lococo.Corner
	for _, kernel := range []int{5, 9, 31} {
		alone := detector(t, lococo.Options{Kernel: kernel, Quality: 0.001})
		want = append(want, alone.Detect(img, nil)...)
		require.True(t, slices.Equal(alone.Response(img), responses[:len(responses)/3]))
		responses = append(responses[len(responses)/3:], responses[:len(responses)/3]...)
	}
	slices.SortFunc(want, compare)
	require.Equal(t, want, corners)

	together.MaxCorners = 17
	together.Kernels = []int{5, 9, 31}
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

// TestNew checks which options are refused, and that the error names them.
func TestNew(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		opts lococo.Options
		name string
	}{
		{lococo.Options{Kernel: 1}, "Kernel 1 "},
		{lococo.Options{Kernel: 8}, "Kernel 8 "},
		{lococo.Options{Kernel: 65}, "Kernel 65 "},
		{lococo.Options{Kernel: -9}, "Kernel -9 "},
		{lococo.Options{Kernels: []int{9, 4}}, "4 in Kernels"},
		{lococo.Options{Kernels: []int{0}}, "0 in Kernels"},
		{lococo.Options{Kernels: []int{3, 5, 3}}, "3 is twice in Kernels"},
		{lococo.Options{Kernel: 9, Kernels: []int{5}}, "Kernel 9 excludes Kernels"},
		{lococo.Options{Window: 1}, "Window 1 "},
		{lococo.Options{Window: 4}, "Window 4 "},
		{lococo.Options{Window: 65}, "Window 65 "},
		{lococo.Options{Measure: 3}, "Measure 3"},
		{lococo.Options{K: -0.1}, "K -0.1"},
		{lococo.Options{K: 1.1}, "K 1.1"},
		{lococo.Options{K: nan}, "K NaN"},
		{lococo.Options{Quality: -0.1}, "Quality -0.1"},
		{lococo.Options{Quality: 1.1}, "Quality 1.1"},
		{lococo.Options{Quality: nan}, "Quality NaN"},
		{lococo.Options{MinResponse: -1}, "MinResponse -1"},
		{lococo.Options{MinResponse: nan}, "MinResponse NaN"},
		{lococo.Options{MinResponse: 1e39}, "MinResponse 1e+39"},
		{lococo.Options{MinResponse: 1, Quality: 0.1}, "MinResponse 1 excludes Quality"},
		{lococo.Options{Radius: -1}, "Radius -1"},
		{lococo.Options{Radius: 33}, "Radius 33"},
		{lococo.Options{MaxCorners: -1}, "MaxCorners -1"},
	} {
		_, err := lococo.New(test.opts)
		require.ErrorContains(t, err, "lococo: ", "%+v", test.opts)
		require.ErrorContains(t, err, test.name)
	}
}

// TestDefaults checks what options stand for that are 0.
func TestDefaults(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	for _, test := range []struct{ zero, full lococo.Options }{
		{lococo.Options{}, lococo.Options{Kernel: 9, Window: 9, K: 0.04, Quality: 0.01, Radius: 4}},
		{lococo.Options{Kernels: []int{5}}, lococo.Options{Kernel: 5, Window: 5}},
		{lococo.Phull(), lococo.Options{Kernel: 9, Window: 9, K: 0.04, Quality: 0.01, Radius: 8}},
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
		imagetest.RequirePanic(t, "lococo", func() { new(lococo.Integral).Compute(bad) })
	}
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
		requireEqual(t, lococo.Options{Kernel: 5, K: 0.04, Quality: 0.01, Radius: 2}, img, nil)
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
		require.Zero(t, testing.AllocsPerRun(5, func() {
			d.Append(corners, img, mask)
			d.AppendResponse(responses, img)
		}), name)
	}
	// Nor is room needed for corners that are not wanted, and what lies on the stack does
	// not escape.
	d := detector(t, lococo.Options{MaxCorners: 3})
	require.Zero(t, testing.AllocsPerRun(5, func() {
		var corners [3]lococo.Corner
		d.Append(corners[:0], img, nil)
	}))
}

// TestPt checks the coordinates of a corner as a point.
func TestPt(t *testing.T) {
	require.Equal(t, image.Pt(3, -2), lococo.Corner{X: 3, Y: -2, DX: 0.5}.Pt())
}
