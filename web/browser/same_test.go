package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/vpi"
	"github.com/fastcorners/fast/web/browser"
	"github.com/stretchr/testify/require"
)

// must is for calls of New with options that are right.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The steps of the sliders for numbers: all corners, and 500 keypoints.
const (
	allCorners = 9
	features   = 4
)

// comparisons are settings of the page, and what the library finds with the same.
var comparisons = []struct {
	name string
	set  map[string]any
	find func(img *image.Gray) []float32
}{
	{
		"fast",
		map[string]any{"method": "fast", "threshold": 25, "arc": 10, "suppression": true, "number": allCorners},
		findFAST(fast.Options{Threshold: 25, Score: true, NonmaxSuppression: true}),
	},
	{
		"fast-9 without suppression",
		map[string]any{"threshold": 50, "arc": 9, "suppression": false},
		findFAST(fast.Options{Threshold: 50, ArcLength: 9, Score: true}),
	},
	{
		"fast-12, the 100 strongest",
		map[string]any{"threshold": 10, "arc": 12, "suppression": true, "number": 2},
		func(img *image.Gray) []float32 {
			d := must(fast.New(fast.Options{Threshold: 10, ArcLength: 12, NonmaxSuppression: true}))
			return cornerValues(fast.Strongest(d.Detect(img), 100))
		},
	},
	{
		"fast-11, 200 spread",
		map[string]any{"arc": 11, "spread": true, "number": 3},
		func(img *image.Gray) []float32 {
			d := must(fast.New(fast.Options{Threshold: 10, ArcLength: 11, NonmaxSuppression: true}))
			return cornerValues(fast.Spread(d.Detect(img), img.Rect, 200))
		},
	},
	{
		"harris",
		map[string]any{"method": "harris", "spread": false, "number": allCorners, "quality": 2, "distance": 5, "block": 5},
		findHarris(harris.Options{Measure: harris.Harris, Quality: 0.02, MinDistance: 5, BlockSize: 5}),
	},
	{
		"shi-tomasi, 1000",
		map[string]any{"method": "shi-tomasi", "number": 5, "quality": 1, "distance": 10, "block": 3},
		findHarris(harris.GoodFeatures(1000, 0.01, 10)),
	},
	{
		"lococo",
		map[string]any{"method": "lococo", "number": allCorners, "kernel": 15, "radius": 6},
		func(img *image.Gray) (values []float32) {
			for _, c := range must(lococo.New(lococo.Options{KernelSizes: []int{15}, SuppressionRadius: 6})).Detect(img, nil) {
				values = append(values, float32(c.X), float32(c.Y), c.Response)
			}
			return values
		},
	},
	{
		"vpi",
		map[string]any{"method": "vpi", "number": allCorners, "threshold": 20, "circle": 2, "run": 7, "suppression": true, "border": "reflect101"},
		findVPI(vpi.Options{CircleRadius: 2, ArcLength: 7, Threshold: 20, Border: border.Reflect101}),
	},
	{
		"vpi, the 500 strongest",
		map[string]any{"number": 4, "circle": 3, "run": 16, "border": "limited", "suppression": false, "threshold": 5},
		findVPI(vpi.Options{Threshold: 5, ArcLength: 16, NoSuppression: true, Strongest: true, MaxCorners: 500}),
	},
	{
		"keypoints",
		map[string]any{"show": "keypoints", "threshold": 20, "levels": 8, "features": features},
		findKeypoints(orb.Options{}),
	},
	{
		"keypoints of 3 levels, spread",
		map[string]any{"threshold": 15, "levels": 3, "spread": true},
		findKeypoints(orb.Options{FASTThreshold: 15, Levels: 3, Spread: true}),
	},
}

func findVPI(opts vpi.Options) func(*image.Gray) []float32 {
	return func(img *image.Gray) (values []float32) {
		for _, c := range must(vpi.New(opts)).Detect(img) {
			values = append(values, float32(c.X), float32(c.Y), float32(c.Score))
		}
		return values
	}
}

func findFAST(opts fast.Options) func(*image.Gray) []float32 {
	return func(img *image.Gray) []float32 { return cornerValues(must(fast.New(opts)).Detect(img)) }
}

func cornerValues(corners []fast.Corner) (values []float32) {
	for _, c := range corners {
		values = append(values, float32(c.X), float32(c.Y), float32(c.Score))
	}
	return values
}

func findHarris(opts harris.Options) func(*image.Gray) []float32 {
	return func(img *image.Gray) (values []float32) {
		for _, c := range must(harris.New(opts)).Detect(img, nil) {
			values = append(values, float32(c.X), float32(c.Y), c.Response)
		}
		return values
	}
}

func findKeypoints(opts orb.Options) func(*image.Gray) []float32 {
	return func(img *image.Gray) (values []float32) {
		for _, k := range must(orb.New(opts)).Detect(img, nil) {
			values = append(values, k.X, k.Y, k.Size, k.Angle, float32(k.Octave))
		}
		return values
	}
}

// What the page finds in the photos is what the library finds here, to the last bit.
func TestSame(t *testing.T) {
	p := openDefault(t)
	files, err := filepath.Glob(photo("*.png"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		img := read(t, file)
		p.do(p.set(map[string]any{"show": "corners", "method": "fast", "spread": false}))
		p.settle()
		r := p.act(choose("file", file))
		require.Equal(t, [][2]int{{img.Rect.Dx(), img.Rect.Dy()}}, r.Sizes)
		for _, c := range comparisons {
			r := p.act(p.set(c.set))
			want := c.find(img)
			require.NotEmpty(t, want)
			require.Equal(t, len(want)/r.Stride, len(r.Values)/r.Stride, "%s, %s", filepath.Base(file), c.name)
			require.Equal(t, want, r.Values, "%s, %s", filepath.Base(file), c.name)
		}
	}
	p.noProblems()
}

// In a browser without vectors, all rooms find the same by portable Go.
func TestNoVectors(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("browsers can be told to do without vectors on amd64 only")
	}
	// There, V8 has vectors in WebAssembly where the processor has SSE4.1.
	without, cancel := browser.Start(t.TempDir(), map[string]any{"js-flags": "--no-enable-sse4-1"})
	defer cancel()
	require.NoError(t, chromedp.Do(without))
	_, files := shaken(t, 6)
	still := command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	var found [2][]any
	for i, in := range []context.Context{chromium, without} {
		p := open(t, in, server.URL+"#show=track", still)
		p.wait(`state.result`)
		// A function that returns a vector.
		vectors := eval[bool](p, `WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123,
			3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]))`)
		require.Equal(t, i == 0, vectors)
		found[i] = append(found[i], p.result()) // the first frame of the loop, which is a warped photo
		for _, method := range []string{
			"fast", "harris", "shi-tomasi", "lococo", "vpi", "keypoints", "matches", "panorama", "track", "stabilize",
		} {
			kind := method
			if slices.Contains([]string{"fast", "harris", "shi-tomasi", "lococo", "vpi"}, method) {
				kind = "corners"
			}
			sum := 0.0
			for _, result := range p.worker(fmt.Sprintf(`{kind: %q, method: %q}`, kind, method), files...) {
				var values map[string]any
				require.NoError(t, json.Unmarshal(result, &values))
				sum += values["count"].(float64)
				for _, key := range []string{"workers", "milliseconds", "parts", "began", "frame"} {
					delete(values, key)
				}
				found[i] = append(found[i], values)
			}
			require.NotZero(t, sum, method)
		}
		p.noProblems()
	}
	require.Equal(t, found[0], found[1])
}

func TestSameMatches(t *testing.T) {
	p := openDefault(t)
	files := [2]string{photo("chelsea_451x300.png"), filepath.Join(root, "testdata", "chelsea_turned.png")}
	settings := map[string]any{
		"show": "matches", "threshold": 20, "features": 5, "levels": 8, "maxDistance": 60, "ratio": 0.85, "crossCheck": true,
	}
	p.act(p.set(settings))
	p.act(choose("file", files[0]))
	r := p.act(choose("second-file", files[1]))
	require.Equal(t, [][2]int{{451, 300}, {400, 330}}, r.Sizes)

	extractor := must(orb.New(orb.Options{Features: 1000}))
	var kps [2][]orb.Keypoint
	var descs [2][]match.Descriptor
	for i, file := range files {
		kps[i], descs[i] = extractor.Extract(read(t, file), nil)
	}
	want := func(opts match.Options) (values []float32) {
		for _, m := range must(match.New[match.Descriptor](opts)).Match(descs[0], descs[1]) {
			a, b := kps[0][m.Query], kps[1][m.Train]
			values = append(values, a.X, a.Y, b.X, b.Y, float32(m.Distance))
		}
		return values
	}
	first := want(match.Options{CrossCheck: true, Ratio: 0.85, MaxDistance: 60})
	require.Greater(t, len(first), 5*20)
	require.Equal(t, first, r.Values)
	require.Equal(t, []int{len(kps[0]), len(kps[1])}, r.Keypoints)

	r = p.act(p.set(map[string]any{"maxDistance": 100, "ratio": 1, "crossCheck": false}))
	require.Equal(t, want(match.Options{MaxDistance: 100}), r.Values)

	// Two workers search both photos at once, as soon as the second one is ready, and find the same.
	for deadline := time.Now().Add(patience); eval[int](p, `state.result.workers ?? 1`) == 1; {
		require.True(t, time.Now().Before(deadline))
		p.act(p.set(map[string]any{"maxDistance": 90}))
		r = p.act(p.set(map[string]any{"maxDistance": 100}))
	}
	require.Equal(t, want(match.Options{MaxDistance: 100}), r.Values)
	require.Equal(t, []int{len(kps[0]), len(kps[1])}, r.Keypoints)
	p.noProblems()
}

// A photo without a second one is matched with itself, turned by 20 degrees and smaller.
func TestTurned(t *testing.T) {
	p := openDefault(t)
	p.act(p.set(map[string]any{"features": features}))
	p.act(choose("file", photo("astronaut_512x512.png")))
	r := p.act(chromedp.Click(chromedp.CSS("input[value=matches]")))
	require.Equal(t, [][2]int{{512, 512}, {512, 512}}, r.Sizes)
	sin, cos := math.Sincos(math.Pi / 9)
	right, all := 0, len(r.Values)/5
	for v := r.Values; len(v) > 0; v = v[5:] {
		x, y := 0.8*(float64(v[0])-255.5), 0.8*(float64(v[1])-255.5)
		dx, dy := x*cos-y*sin+255.5-float64(v[2]), x*sin+y*cos+255.5-float64(v[3])
		if math.Hypot(dx, dy) < 4 {
			right++
		}
	}
	require.Greater(t, right, 100)
	require.Greater(t, right, all*9/10)
	p.noProblems()
}
