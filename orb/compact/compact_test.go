package compact_test

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb/compact"
	"github.com/fastcorners/fast/orb/internal/learned"
	"github.com/fastcorners/fast/point"
	"github.com/stretchr/testify/require"
)

func extractor(t testing.TB, opts compact.Options) *compact.Extractor {
	t.Helper()
	e, err := compact.New(opts)
	require.NoError(t, err)
	return e
}

// circle is the ring of FAST.
var circle = []image.Point{
	{X: 0, Y: -3},
	{X: 1, Y: -3},
	{X: 2, Y: -2},
	{X: 3, Y: -1},
	{X: 3, Y: 0},
	{X: 3, Y: 1},
	{X: 2, Y: 2},
	{X: 1, Y: 3},
	{X: 0, Y: 3},
	{X: -1, Y: 3},
	{X: -2, Y: 2},
	{X: -3, Y: 1},
	{X: -3, Y: 0},
	{X: -3, Y: -1},
	{X: -2, Y: -2},
	{X: -1, Y: -3},
}

// isCorner is the segment test for arcs of nine.
func isCorner(img *image.Gray, x, y, threshold int) bool {
	run := [2]int{}
	for i := range 16 + 8 {
		at := circle[i%16]
		diff := int(img.GrayAt(x+at.X, y+at.Y).Y) - int(img.GrayAt(x, y).Y)
		for k, more := range []bool{diff > threshold, -diff > threshold} {
			run[k]++
			if !more {
				run[k] = 0
			}
			if run[k] == 9 {
				return true
			}
		}
	}
	return false
}

// fastAtan2 is the approximation of an arc tangent in degrees that OpenCV has.
func fastAtan2(y, x float32) float32 {
	coefficient := func(v float64) float32 { return float32(float32(v) * float32(180/math.Pi)) }
	ax, ay := float32(math.Abs(float64(x))), float32(math.Abs(float64(y)))
	ratio := min(ax, ay) / (max(ax, ay) + float32(2.2204460e-16))
	square := float32(ratio * ratio)
	sum := float32(0)
	for _, p := range []float64{-0.04432655554792128, 0.1555786518463281, -0.3258083974640975} {
		sum = float32((sum + coefficient(p)) * square)
	}
	angle := float32((sum + coefficient(0.9997878412794807)) * ratio)
	if ax < ay {
		angle = 90 - angle
	}
	if x < 0 {
		angle = 180 - angle
	}
	if y < 0 {
		angle = 360 - angle
	}
	return angle
}

// want is what the documentation of the package says.
func want(img *image.Gray, opts compact.Options) (kps []point.Keypoint, descs []match.Descriptor32) {
	threshold, most := cmp.Or(opts.FASTThreshold, 20), cmp.Or(opts.Features, 128)
	for y := img.Rect.Min.Y + 10; y < img.Rect.Max.Y-10; y++ {
		for x := img.Rect.Min.X + 10; x < img.Rect.Max.X-10 && len(kps) < most; x++ {
			if !isCorner(img, x, y, threshold) {
				continue
			}
			entries := make([]uint8, 96)
			m10, m01 := 0, 0
			for k := range entries {
				r, c := k/10, k%10
				entries[k] = img.GrayAt(x-4+c, y+4-r).Y
				m10 += (c - 4) * int(entries[k])
				m01 += (4 - r) * int(entries[k])
			}
			angle := fastAtan2(float32(m01), float32(m10))
			radians := float64(float32(angle * float32(math.Pi/180)))
			sin, cos := float32(math.Sin(radians)), float32(math.Cos(radians))
			value := func(px, py int8) uint8 {
				sx, sy := float32(float32(px)*float32(4.0/13)), float32(float32(py)*float32(4.0/13))
				tx := math.RoundToEven(float64(float32(sx*cos) - float32(sy*sin)))
				ty := math.RoundToEven(float64(float32(sx*sin) + float32(sy*cos)))
				c := max(0, min(int(tx)+4, 9))
				r := max(0, min(4-int(ty), 9))
				return entries[min(10*r+c, 95)]
			}
			var desc match.Descriptor32
			for i := range 32 {
				pair := learned.Pattern[i]
				if value(pair[0], pair[1]) > value(pair[2], pair[3]) {
					desc |= 1 << i
				}
			}
			kps = append(kps, point.Keypoint{X: float32(x), Y: float32(y), Size: 10, Angle: angle})
			descs = append(descs, desc)
		}
	}
	return kps, descs
}

// eachISA runs a test with each instruction set.
func eachISA(t *testing.T, test func(t *testing.T)) {
	for _, isa := range cpu.InstructionSets("compact") {
		t.Run("isa="+isa.Name, func(t *testing.T) {
			defer cpu.Limit(isa.Set)()
			test(t)
		})
	}
}

// TestExtract compares keypoints and descriptors with the definition.
func TestExtract(t *testing.T) {
	eachISA(t, testExtract)
}

func testExtract(t *testing.T) {
	test := func(name string, img *image.Gray, opts compact.Options) int {
		wantKps, wantDescs := want(img, opts)
		first := point.Keypoint{X: 1, Response: 2, Octave: 3}
		got, descs := extractor(t, opts).Append([]point.Keypoint{first}, []match.Descriptor32{4}, img)
		imagetest.RequireSame(t, append([]point.Keypoint{first}, wantKps...), got, "%s, %+v", name, opts)
		imagetest.RequireSame(t, append([]match.Descriptor32{4}, wantDescs...), descs, "%s, %+v", name, opts)
		return len(wantKps)
	}
	full := 0
	for _, name := range []string{"camera_512x512", "chelsea_451x300", "grass_512x512", "picos_1241x376", "life_640x480"} {
		img := imagetest.Photo(t, name)
		if test(name, img, compact.Options{}) == 128 {
			full++
		}
		part := img.SubImage(image.Rect(70, 90, 253, 201)).(*image.Gray)
		for _, opts := range []compact.Options{{}, {FASTThreshold: 5, Features: 1}, {FASTThreshold: 12, Features: 900}} {
			test(name+", part", part, opts)
		}
	}
	require.Greater(t, full, 2)

	rng := rand.New(rand.NewPCG(11, 12))
	found := 0
	for range 100 {
		at := image.Pt(rng.IntN(9)-4, rng.IntN(9)-4)
		whole := image.NewGray(image.Rectangle{Min: at, Max: at.Add(image.Pt(rng.IntN(70), rng.IntN(90)))})
		background, rare := rng.IntN(256), 1+rng.IntN(40)
		for i := range whole.Pix {
			whole.Pix[i] = uint8(background)
			if rng.IntN(rare) == 0 {
				whole.Pix[i] = uint8(rng.IntN(256))
			}
		}
		img := whole.SubImage(whole.Rect.Inset(rng.IntN(4))).(*image.Gray)
		opts := compact.Options{FASTThreshold: 1 + rng.IntN(254), Features: 1 + rng.IntN(200)}
		found += test(fmt.Sprint(img.Rect), img, opts)
	}
	require.Greater(t, found, 1000)
	for w := range 24 {
		for h := range 24 {
			img := image.NewGray(image.Rect(0, 0, w, h))
			for i := range img.Pix {
				img.Pix[i] = uint8(rng.IntN(2) * 255)
			}
			test(fmt.Sprint(img.Rect), img, compact.Options{})
		}
	}
}

// TestNew checks which options are refused, and that the error names them.
func TestNew(t *testing.T) {
	for _, test := range []struct {
		opts compact.Options
		want string
	}{
		{compact.Options{FASTThreshold: -1}, "FASTThreshold is -1, not 1 to 254"},
		{compact.Options{FASTThreshold: 255}, "FASTThreshold is 255, not 1 to 254"},
		{compact.Options{Features: -1}, "Features is -1, not 1 or more"},
	} {
		_, err := compact.New(test.opts)
		require.EqualError(t, err, "compact: Options."+test.want)
	}
}

// TestBadImages checks which images panic, and that nothing is found in empty ones.
func TestBadImages(t *testing.T) {
	e := extractor(t, compact.Options{})
	good := image.NewGray(image.Rect(0, 0, 100, 90))
	overlapping := &image.Gray{Pix: good.Pix, Stride: 99, Rect: good.Rect}
	for _, bad := range append(imagetest.Malformed(), overlapping) {
		imagetest.RequirePanic(t, "compact", func() { e.Extract(bad) })
	}
	require.PanicsWithValue(t, "compact: nil image", func() { e.Extract(nil) })
	require.PanicsWithValue(t, "compact: Extractor not made by New", func() { new(compact.Extractor).Extract(good) })
	for _, img := range imagetest.Empty() {
		kps, descs := e.Extract(img)
		require.Empty(t, kps)
		require.Empty(t, descs)
	}
}

// TestConcurrent uses one Extractor in several goroutines, with images of different sizes.
func TestConcurrent(t *testing.T) {
	e := extractor(t, compact.Options{})
	photo := imagetest.Photo(t, "chelsea_451x300")
	var wait sync.WaitGroup
	for i := range 4 {
		img := photo.SubImage(image.Rect(20*i, 30, 400, 100+50*i)).(*image.Gray)
		kps, descs := e.Extract(img)
		require.NotEmpty(t, kps)
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 10 {
				gotKps, gotDescs := e.Extract(img)
				if !slices.Equal(kps, gotKps) || !slices.Equal(descs, gotDescs) {
					t.Error("another result than alone")
				}
			}
		}()
	}
	wait.Wait()
}

// TestAllocs checks that extraction does not allocate in the steady state.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	e, img := extractor(t, compact.Options{}), imagetest.Photo(t, "chelsea_451x300")
	kps, descs := make([]point.Keypoint, 0, 200), make([]match.Descriptor32, 0, 200)
	require.Zero(t, imagetest.Allocs(10, func() { e.Append(kps, descs, img) }))
}

// TestReleased checks that images are not kept.
func TestReleased(t *testing.T) {
	e := extractor(t, compact.Options{})
	imagetest.RequireReleased(t, func(m imagetest.Memory) {
		img := imagetest.Photo(t, "chelsea_451x300")
		kps, _ := e.Extract(img)
		require.NotEmpty(t, kps)
		imagetest.Watch(m, "image", &img.Pix[0])
	})
	runtime.KeepAlive(e)
}
