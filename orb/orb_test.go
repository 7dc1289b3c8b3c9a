package orb_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// cases are the options of the golden results, by the ends of their names.
var cases = map[string]orb.Options{
	"default":   {},
	"n2000":     {Features: 2000},
	"scale2":    {ScaleFactor: 2, Levels: 4},
	"scale15":   {ScaleFactor: 1.5, Levels: 5, FASTThreshold: 7},
	"onelevel":  {Features: 300, Levels: 1},
	"fastscore": {ScoreType: orb.FASTScore},
	"wta3":      {PointsPerBit: 3},
	"wta4":      {PointsPerBit: 4},
	"edge40":    {EdgeThreshold: 40},
	"patch21":   {PatchSize: 21},
	"first2":    {FirstLevel: 2},
	"mask":      {},
}

// A result is a keypoint with its descriptor, as the golden files hold it.
type result struct {
	orb.Keypoint
	Descriptor match.Descriptor
}

func extractor(t testing.TB, opts orb.Options) *orb.Extractor {
	t.Helper()
	e, err := orb.New(opts)
	require.NoError(t, err)
	return e
}

// results decodes a golden file.
func results(t *testing.T, data []byte) []result {
	t.Helper()
	type record struct {
		X, Y, Size, Angle, Response, Octave float32
		Descriptor                          match.Descriptor
	}
	records := make([]record, len(data)/binary.Size(record{}))
	_, err := binary.Decode(data, binary.LittleEndian, records)
	require.NoError(t, err)
	var list []result
	for _, r := range records {
		list = append(list, result{orb.Keypoint{X: r.X, Y: r.Y, Size: r.Size, Angle: r.Angle, Response: r.Response, Octave: int32(r.Octave)}, r.Descriptor})
	}
	return list
}

// golden calls test with what OpenCV found in a photo, for each file.
func golden(t *testing.T, test func(t *testing.T, e *orb.Extractor, img, mask *image.Gray, want []result)) {
	files, err := filepath.Glob("testdata/*.orb-*")
	require.NoError(t, err)
	require.Len(t, files, 44)
	for _, file := range files {
		if testing.Short() && !strings.Contains(file, "chelsea") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			name, kind, _ := strings.Cut(filepath.Base(file), ".orb-")
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			want := results(t, data)
			require.NotEmpty(t, want)
			opts, ok := cases[kind]
			require.True(t, ok, kind)
			img := imagetest.Photo(t, name)
			var mask *image.Gray
			if kind == "mask" {
				mask = imagetest.Disc(img.Rect)
			}
			test(t, extractor(t, opts), img, mask, want)
		})
	}
}

// TestGolden compares the results with OpenCV's, bit for bit.
func TestGolden(t *testing.T) {
	eachISA(t, testGolden)
}

// eachISA runs a test with each instruction set.
func eachISA(t *testing.T, test func(t *testing.T)) {
	for _, isa := range cpu.InstructionSets("orb") {
		t.Run("isa="+isa.Name, func(t *testing.T) {
			defer cpu.Limit(isa.Set)()
			test(t)
		})
	}
}

func testGolden(t *testing.T) {
	golden(t, func(t *testing.T, e *orb.Extractor, img, mask *image.Gray, want []result) {
		kps, descs := e.Extract(img, mask)
		require.Len(t, descs, len(kps))
		for i := range min(len(kps), len(want)) {
			if kps[i] != want[i].Keypoint || descs[i] != want[i].Descriptor {
				require.Equal(t, want[i], result{kps[i], descs[i]}, "keypoint %d", i)
			}
		}
		require.Len(t, kps, len(want))
		require.True(t, slices.Equal(kps, e.Detect(img, mask)))
	})
}

// TestWorkers checks that any number of workers finds the same.
func TestWorkers(t *testing.T) {
	img := imagetest.Photo(t, "life_640x480")
	mask := image.NewGray(img.Rect)
	for i := range mask.Pix {
		mask.Pix[i] = uint8(i / 7 * i >> 16 & 1)
	}
	counts, repeats := []int{-1, 2, 3, 100}, 2
	if testing.Short() {
		counts, repeats = []int{100}, 1
	}
	for i, opts := range []orb.Options{
		{}, {Features: 5000, ScoreType: orb.FASTScore}, {FirstLevel: 2, Levels: 4}, {Levels: 1}, {Spread: true}, {LowThreshold: 3},
	} {
		for j, mask := range []*image.Gray{nil, mask} {
			if testing.Short() && i%2 != j {
				continue
			}
			opts.Workers = 1
			kps, descs := extractor(t, opts).Extract(img, mask)
			require.NotEmpty(t, kps)
			indices, again := extractor(t, opts).Describe(kps, img)
			for _, workers := range counts {
				opts.Workers = workers
				e := extractor(t, opts)
				for range repeats {
					gotKps, gotDescs := e.Extract(img, mask)
					imagetest.RequireSame(t, kps, gotKps, "%+v", opts)
					imagetest.RequireSame(t, descs, gotDescs, "%+v", opts)
				}
				require.Equal(t, kps, e.Detect(img, mask))
				gotIndices, gotDescs := e.Describe(kps, img)
				require.Equal(t, indices, gotIndices)
				require.Equal(t, again, gotDescs)
			}
		}
	}
}

// TestConcurrent lets goroutines share an Extractor, for images of different sizes.
func TestConcurrent(t *testing.T) {
	e := extractor(t, orb.Options{Features: 200})
	images := []*image.Gray{imagetest.Photo(t, "chelsea_451x300"), imagetest.Photo(t, "camera_512x512"), image.NewGray(image.Rect(0, 0, 90, 70))}
	var wants [][]orb.Keypoint
	for _, img := range images {
		wants = append(wants, extractor(t, orb.Options{Features: 200}).Detect(img, nil))
	}
	var wait sync.WaitGroup
	for g := range 6 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 6 {
				i = (i + g) % len(images)
				if kps, _ := e.Extract(images[i], nil); !slices.Equal(wants[i], kps) {
					t.Errorf("image %d: other keypoints", i)
				}
			}
		}()
	}
	wait.Wait()
}

// TestReuse checks that an Extractor forgets the size of an image before: the levels of two
// sizes may be alike.
func TestReuse(t *testing.T) {
	photo := imagetest.Photo(t, "camera_512x512")
	opts := orb.Options{ScaleFactor: 2, Levels: 3}
	e := extractor(t, opts)
	for _, side := range []int{200, 201, 200, 199, 201} { // each has a level of 100 by 100
		img := photo.SubImage(image.Rect(120, 100, 120+side, 100+side)).(*image.Gray)
		want, wantDescs := extractor(t, opts).Extract(img, nil)
		require.NotEmpty(t, want)
		got, descs := e.Extract(img, nil)
		require.True(t, slices.Equal(want, got), "side %d", side)
		require.True(t, slices.Equal(wantDescs, descs), "side %d", side)
	}
}

// TestFew checks that an image with many corners has at least as many keypoints as are asked
// for, however few these are.
func TestFew(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	for features := 1; features <= 12; features++ {
		for _, opts := range []orb.Options{{}, {ScoreType: orb.FASTScore}, {Spread: true}, {ScaleFactor: 1.1}} {
			opts.Features = features
			kps := extractor(t, opts).Detect(img, nil)
			require.GreaterOrEqual(t, len(kps), features, "%+v", opts)
		}
	}
}

// TestRegion checks that a SubImage is an image of its own, with the coordinates of
// the whole one.
func TestRegion(t *testing.T) {
	whole := imagetest.Photo(t, "camera_512x512")
	r := image.Rect(100, 60, 420, 400)
	region := whole.SubImage(r).(*image.Gray)
	alone := image.NewGray(image.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		copy(alone.Pix[y*alone.Stride:][:r.Dx()], region.Pix[y*region.Stride:])
	}
	e := extractor(t, orb.Options{})
	want, wantDescs := e.Extract(alone, nil)
	got, descs := e.Extract(region, nil)
	require.NotEmpty(t, want)
	for i := range want {
		want[i].X += float32(r.Min.X)
		want[i].Y += float32(r.Min.Y)
	}
	imagetest.RequireSame(t, want, got)
	imagetest.RequireSame(t, wantDescs, descs)

	// A mask of ones counts as one of 255.
	for _, value := range []uint8{1, 255} {
		mask := image.NewGray(r)
		for i := range mask.Pix {
			mask.Pix[i] = value
		}
		require.Equal(t, got, e.Detect(region, mask))
	}
	require.Empty(t, e.Detect(region, image.NewGray(r)))
}

// TestDescribe checks that keypoints that were found are described as they were,
// and which ones are left out.
func TestDescribe(t *testing.T) {
	golden(t, func(t *testing.T, e *orb.Extractor, img, mask *image.Gray, want []result) {
		var kps []orb.Keypoint
		for i := range want {
			kps = append(kps, want[len(want)-1-i].Keypoint) // in another order
		}
		kept, descs := e.Describe(kps, img)
		require.Len(t, kept, len(kps))
		for i, k := range kept {
			require.Equal(t, i, k)
			require.Equal(t, want[len(want)-1-i].Descriptor, descs[i])
		}
	})

	img := imagetest.Photo(t, "chelsea_451x300")
	e := extractor(t, orb.Options{})
	good := e.Detect(img, nil)[0]
	kps := []orb.Keypoint{{X: 21, Y: 100}, good, {X: 100, Y: 100, Octave: 8}, {X: 100, Y: 100, Octave: -1}, {X: 22, Y: 100}, {X: 451 - 23, Y: 300 - 23}, {X: 451 - 22, Y: 100}}
	nan := float32(math.NaN())
	kps = append(kps, orb.Keypoint{X: nan, Y: 100}, orb.Keypoint{X: 1e30, Y: 100}, orb.Keypoint{X: -1e30, Y: 1e30})
	kept, descs := e.Describe(kps, img)
	require.Equal(t, []int{1, 4, 5}, kept)
	require.Len(t, descs, 3)

	// Angles may be any numbers, and what is none is left out.
	inf := float32(math.Inf(1))
	kps = nil
	for _, angle := range []float32{30, 390, -330, 30 + 360*100, nan, inf, -inf, 1e30, -1e30, math.MaxFloat32} {
		k := good
		k.Angle = angle
		kps = append(kps, k)
	}
	kept, descs = e.Describe(kps, img)
	require.Equal(t, []int{0, 1, 2, 3, 7, 8, 9}, kept)
	for _, desc := range descs[:4] {
		require.Equal(t, descs[0], desc)
	}

	kept, descs = e.Describe(nil, img)
	require.Empty(t, kept)
	require.Empty(t, descs)
}

// TestAppendDescribe compares AppendDescribe with Describe.
func TestAppendDescribe(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	for _, opts := range []orb.Options{{}, {RecomputeAngles: true}, {Workers: 3}} {
		e := extractor(t, opts)
		found, _ := e.Extract(img, nil)
		var kps []orb.Keypoint
		for i, k := range found {
			k.Response = float32(i)
			k.X += float32(i % 3 * 100) // some get too near to the edge
			kps = append(kps, k)
			if i%5 == 0 {
				k.Octave = 9
				kps = append(kps, k)
			}
		}
		before := slices.Clone(kps)
		wantKept, wantDescs := e.Describe(kps, img)
		require.NotEmpty(t, wantKept)
		require.Less(t, len(wantKept), len(kps))
		if !opts.RecomputeAngles {
			require.Equal(t, before, kps)
		}

		kps = slices.Clone(before)
		kept, descs := e.AppendDescribe([]int{-1}, []match.Descriptor{{1}}, kps, img)
		require.Equal(t, append([]int{-1}, wantKept...), kept)
		imagetest.RequireSame(t, append([]match.Descriptor{{1}}, wantDescs...), descs)
		again, descs := extractor(t, orb.Options{}).Describe(kps, img)
		require.Equal(t, wantKept, again)
		imagetest.RequireSame(t, wantDescs, descs, "by the angles that were set")
	}
}

// TestKeypoints describes the corners of other packages.
func TestKeypoints(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	require.Equal(t, []orb.Keypoint{{X: 3, Y: -4, Size: 7, Response: 200}}, orb.Keypoints([]fast.Corner{{X: 3, Y: -4, Score: 200}}, 7))
	require.Equal(t, []orb.Keypoint{{X: 3, Y: -4, Size: 7, Response: 1.5}}, orb.Keypoints([]harris.Corner{{X: 3, Y: -4, Response: 1.5}}, 7))
	require.Equal(t, []orb.Keypoint{{X: 2.75, Y: -3.5, Size: 7, Response: 1.5}},
		orb.Keypoints([]lococo.Corner{{X: 3, Y: -4, DX: -0.25, DY: 0.5, Response: 1.5, KernelSize: 5}}, 7))
	first := orb.Keypoint{X: 1, Octave: 2}
	require.Equal(t, []orb.Keypoint{first, {X: 3, Y: 4, Size: 7}}, orb.AppendKeypoints([]orb.Keypoint{first}, []vpi.Corner{{X: 3, Y: 4}}, 7))
	require.Empty(t, orb.Keypoints[fast.Corner](nil, 7))

	// The corners of an Extractor with one level are those of package fast.
	opts := orb.Options{Levels: 1, Features: everything, ScoreType: orb.FASTScore, RecomputeAngles: true}
	e := extractor(t, opts)
	want, wantDescs := e.Extract(img, nil)
	d, err := fast.New(fast.Options{Threshold: 20, ArcLength: 9, NonmaxSuppression: true})
	require.NoError(t, err)
	kps := orb.Keypoints(d.Detect(img), 31)
	kept, descs := e.Describe(kps, img)
	all := map[orb.Keypoint]match.Descriptor{}
	for i, k := range kept {
		all[kps[k]] = descs[i]
	}
	for i, k := range want {
		desc, ok := all[k]
		require.True(t, ok && desc == wantDescs[i], "%+v", k)
	}
}

// TestSmall checks images with few or no levels, and with few pixels.
func TestSmall(t *testing.T) {
	tiny := orb.Tracking()
	tiny.LowThreshold, tiny.PatchSize, tiny.EdgeThreshold = 1, 2, 4
	for _, opts := range []orb.Options{
		{},
		{FirstLevel: 3},
		{PatchSize: 2, EdgeThreshold: 4},
		{Levels: 64, ScaleFactor: 1.01, EdgeThreshold: 22},
		tiny,
	} {
		e := extractor(t, opts)
		for _, size := range []image.Point{{}, {X: 1, Y: 1}, {X: 7, Y: 100}, {X: 62, Y: 63}, {X: 63, Y: 63}, {X: 64, Y: 300}, {X: 90, Y: 75}} {
			img := image.NewGray(image.Rectangle{Max: size})
			for i := range img.Pix {
				img.Pix[i] = uint8(i * i >> 3)
			}
			mask := image.NewGray(img.Rect)
			kps, descs := e.Extract(img, mask)
			require.Empty(t, kps)
			require.Empty(t, descs)
			kps, descs = e.Extract(img, nil)
			require.Len(t, descs, len(kps))
		}
	}
}

// TestNew checks which options are refused, and that the error names them.
func TestNew(t *testing.T) {
	for _, test := range []struct {
		opts orb.Options
		want string
	}{
		{orb.Options{Features: -1}, "Features is -1, not 1 to 1000000000"},
		{orb.Options{ScaleFactor: 1}, "ScaleFactor is 1, not more than 1 as a float32, up to 100"},
		{orb.Options{ScaleFactor: -2}, "ScaleFactor is -2, not more than 1 as a float32, up to 100"},
		{orb.Options{ScaleFactor: math.NaN()}, "ScaleFactor is NaN, not more than 1 as a float32, up to 100"},
		{orb.Options{ScaleFactor: math.Inf(1)}, "ScaleFactor is +Inf, not more than 1 as a float32, up to 100"},
		{orb.Options{Features: 1_000_000_001}, "Features is 1000000001, not 1 to 1000000000"},
		{orb.Options{Features: math.MaxInt}, fmt.Sprintf("Features is %d, not 1 to 1000000000", math.MaxInt)},
		{orb.Options{ScaleFactor: 1 + 1e-9}, "ScaleFactor is 1.000000001, not more than 1 as a float32, up to 100"},
		{orb.Options{Levels: -1}, "Levels is -1, not 1 to 64"},
		{orb.Options{Levels: 65}, "Levels is 65, not 1 to 64"},
		{orb.Options{FirstLevel: 8}, "FirstLevel is 8, not 0 to 7 with Options.Levels 8"},
		{orb.Options{FirstLevel: -1}, "FirstLevel is -1, not 0 to 7 with Options.Levels 8"},
		{orb.Options{ScaleFactor: 2, FirstLevel: 5}, "FirstLevel is 5, not 0 to 4 with Options.ScaleFactor 2"},
		{orb.Options{ScaleFactor: 2, Levels: 20, FirstLevel: 12}, "FirstLevel is 12, not 0 to 4 with Options.ScaleFactor 2"},
		{orb.Options{ScaleFactor: 100, Levels: 2, FirstLevel: 1}, "FirstLevel is 1, not 0 to 0 with Options.ScaleFactor 100"},
		{orb.Options{ScaleFactor: 100, Levels: 64, FirstLevel: 63}, "FirstLevel is 63, not 0 to 0 with Options.ScaleFactor 100"},
		{orb.Options{Levels: 20, FirstLevel: 16}, "FirstLevel is 16, not 0 to 15 with Options.ScaleFactor 1.2"},
		{orb.Options{PointsPerBit: 1}, "PointsPerBit is 1, not 2 to 4"},
		{orb.Options{PointsPerBit: 5}, "PointsPerBit is 5, not 2 to 4"},
		{orb.Options{ScoreType: 2}, "ScoreType is ScoreType(2), not one of harris, fast"},
		{orb.Options{PatchSize: 1}, "PatchSize is 1, not 2 to 1000"},
		{orb.Options{PatchSize: 1001, EdgeThreshold: 1000}, "PatchSize is 1001, not 2 to 1000"},
		{orb.Options{EdgeThreshold: 21}, "EdgeThreshold is 21, not 22 to 1000000000 with Options.PatchSize 31"},
		{orb.Options{PatchSize: 45}, "EdgeThreshold is 31, not 32 to 1000000000 with Options.PatchSize 45"},
		{orb.Options{EdgeThreshold: math.MaxInt/2 + 1}, fmt.Sprintf("EdgeThreshold is %d, not 22 to 1000000000 with Options.PatchSize 31", math.MaxInt/2+1)},
		{orb.Options{FASTThreshold: -1}, "FASTThreshold is -1, not 1 to 254"},
		{orb.Options{FASTThreshold: 255}, "FASTThreshold is 255, not 1 to 254"},
		{orb.Options{LowThreshold: -1}, "LowThreshold is -1, not 0 to 19 with Options.FASTThreshold 20"},
		{orb.Options{LowThreshold: 20}, "LowThreshold is 20, not 0 to 19 with Options.FASTThreshold 20"},
		{orb.Options{LowThreshold: 1, FASTThreshold: 1}, "LowThreshold is 1, not 0 to 0 with Options.FASTThreshold 1"},
	} {
		_, err := orb.New(test.opts)
		require.EqualError(t, err, "orb: Options."+test.want)
	}
	extractor(t, orb.Options{EdgeThreshold: 22})
	extractor(t, orb.Options{PatchSize: 45, EdgeThreshold: 32})
	extractor(t, orb.Options{LowThreshold: 19})
}

// byArea returns options whose only difference from the default ones are the quotas of levels.
func byArea() orb.Options {
	opts := orb.Tracking()
	opts.Spread, opts.LowThreshold = false, 0
	return opts
}

// TestLimits checks options at the ends of their ranges.
func TestLimits(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300").SubImage(image.Rect(100, 20, 300, 220)).(*image.Gray)
	for _, opts := range []orb.Options{{}, {ScoreType: orb.FASTScore}, {Spread: true}, byArea()} {
		opts.Features = everything
		want := extractor(t, opts).Detect(img, nil)
		require.NotEmpty(t, want)
		opts.Features = 1_000_000_000
		require.Equal(t, want, extractor(t, opts).Detect(img, nil))
	}
	require.Empty(t, extractor(t, orb.Options{EdgeThreshold: 1_000_000_000}).Detect(img, nil))
	require.NotEmpty(t, extractor(t, orb.Options{ScaleFactor: 1 + 0x1p-23, Levels: 64}).Detect(img, nil))
	require.NotEmpty(t, extractor(t, orb.Options{ScaleFactor: 100, Levels: 64}).Detect(img, nil))
	part := img.SubImage(image.Rect(100, 20, 180, 100)).(*image.Gray)
	require.NotEmpty(t, extractor(t, orb.Options{ScaleFactor: 2, FirstLevel: 4}).Detect(part, nil))

	// The rows share their pixels.
	large := &image.Gray{Pix: make([]byte, 10_000+20_000), Stride: 10_000, Rect: image.Rect(0, 0, 10_000, 3)}
	require.Empty(t, extractor(t, orb.Options{ScaleFactor: 2, FirstLevel: 4}).Detect(large, nil))
	large = &image.Gray{Pix: make([]byte, 1<<24), Stride: 1 << 12, Rect: image.Rect(0, 0, 1<<12, 1<<12)}
	for _, method := range []func(e *orb.Extractor){
		func(e *orb.Extractor) { e.Extract(large, nil) },
		func(e *orb.Extractor) { e.Detect(large, large) },
		func(e *orb.Extractor) { e.Describe(nil, large) },
	} {
		require.PanicsWithValue(t, "orb: level 0 of an image of 4096 by 4096 pixels has more than 1073741824", func() {
			method(extractor(t, orb.Options{ScaleFactor: 2.5, FirstLevel: 3}))
		})
	}
}

// TestInvertedBounds checks that there is nothing in images whose bounds are empty, whatever
// their coordinates.
func TestInvertedBounds(t *testing.T) {
	e := extractor(t, orb.Options{FirstLevel: 2})
	for _, img := range imagetest.Empty() {
		kps, descs := e.Extract(img, img)
		require.Empty(t, kps)
		require.Empty(t, descs)
		kept, _ := e.Describe([]orb.Keypoint{{X: float32(img.Rect.Min.X), Y: float32(img.Rect.Min.Y)}}, img)
		require.Empty(t, kept)
	}
}

// TestDescribeSmallLevels checks that Describe describes keypoints in the middle of levels
// that have no room for the margin of EdgeThreshold, as if the margin were narrow.
func TestDescribeSmallLevels(t *testing.T) {
	eachISA(t, testDescribeSmallLevels)
}

func testDescribeSmallLevels(t *testing.T) {
	photo := imagetest.Photo(t, "chelsea_451x300")
	for _, patch := range []int{31, 10, 2} {
		for _, side := range []int{9, 19, 45, 52, 63, 130, 200} {
			img := photo.SubImage(image.Rect(100, 20, 100+side, 20+side)).(*image.Gray)
			for _, recompute := range []bool{false, true} {
				opts := orb.Options{PatchSize: patch, RecomputeAngles: recompute, Levels: 12}
				reach := max(4, int(math.Ceil(float64(patch/2)*math.Sqrt2)))
				var kps []orb.Keypoint
				want := 0
				scale := float32(1)
				for octave := range int32(opts.Levels) {
					for i := range 5 {
						x, y := float32(100)+float32(side*i)/4, float32(20)+float32(side)/2
						kps = append(kps, orb.Keypoint{X: x, Y: y, Angle: float32(77 * i), Octave: octave})
					}
					if size := int(math.RoundToEven(float64(float32(side) * (1 / scale)))); size > 2*reach+1 {
						want++ // at least that in the middle
					}
					scale *= 1.2
				}
				opts.EdgeThreshold = reach
				wantKept, wantDescs := extractor(t, opts).Describe(kps, img)
				require.GreaterOrEqual(t, len(wantKept), want, "patch %d, side %d", patch, side)
				for _, opts.EdgeThreshold = range []int{31, 1000} {
					kept, descs := extractor(t, opts).Describe(kps, img)
					require.Equal(t, wantKept, kept, "patch %d, side %d", patch, side)
					require.Equal(t, wantDescs, descs, "patch %d, side %d", patch, side)
				}
			}
		}
	}
	// Octave 7 of 200 by 200 pixels has 56 by 56 pixels.
	img := photo.SubImage(image.Rect(100, 20, 300, 220)).(*image.Gray)
	kept, _ := extractor(t, orb.Options{}).Describe([]orb.Keypoint{{X: 200, Y: 120, Octave: 7}}, img)
	require.Equal(t, []int{0}, kept)
}

// TestScoreType checks the names of scores.
func TestScoreType(t *testing.T) {
	for score, name := range map[orb.ScoreType]string{orb.HarrisScore: "harris", orb.FASTScore: "fast"} {
		require.Equal(t, name, score.String())
		text, err := json.Marshal(score)
		require.NoError(t, err)
		var got orb.ScoreType
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, score, got)
	}
	var score orb.ScoreType
	require.EqualError(t, score.UnmarshalText([]byte("x")), `orb: unknown ScoreType "x", not one of harris, fast`)
	_, err := orb.ScoreType(2).MarshalText()
	require.EqualError(t, err, "orb: unknown ScoreType 2")
}

// TestMalformed checks that images that lack pixels, and masks of other bounds,
// panic with a message of this package.
func TestMalformed(t *testing.T) {
	e := extractor(t, orb.Options{})
	good := image.NewGray(image.Rect(0, 0, 100, 90))
	overlapping := &image.Gray{Pix: good.Pix, Stride: 99, Rect: good.Rect}
	for _, bad := range append(imagetest.Malformed(), overlapping) {
		imagetest.RequirePanic(t, "orb", func() { e.Extract(bad, nil) })
		imagetest.RequirePanic(t, "orb", func() { e.Detect(good, bad) })
		imagetest.RequirePanic(t, "orb", func() { e.Describe(nil, bad) })
		imagetest.RequirePanic(t, "orb", func() { e.AppendDescribe(nil, nil, nil, bad) })
	}
	imagetest.RequirePanic(t, "orb", func() { e.Detect(good, image.NewGray(image.Rect(0, 0, 100, 91))) })
	imagetest.RequirePanic(t, "orb", func() { e.Detect(good, image.NewGray(image.Rect(1, 0, 101, 90))) })
}

// TestNil checks that every method panics if New has not made what it belongs to, and if
// the image is nil.
func TestNil(t *testing.T) {
	var zero orb.Extractor
	good := image.NewGray(image.Rect(0, 0, 100, 90))
	for _, test := range []struct {
		e    *orb.Extractor
		img  *image.Gray
		want string
	}{
		{&zero, good, "orb: Extractor not made by New"},
		{&zero, nil, "orb: Extractor not made by New"},
		{extractor(t, orb.Options{}), nil, "orb: nil image"},
	} {
		require.PanicsWithValue(t, test.want, func() { test.e.Extract(test.img, good) })
		require.PanicsWithValue(t, test.want, func() { test.e.Append(nil, nil, test.img, good) })
		require.PanicsWithValue(t, test.want, func() { test.e.Detect(test.img, good) })
		require.PanicsWithValue(t, test.want, func() { test.e.Describe(nil, test.img) })
		require.PanicsWithValue(t, test.want, func() { test.e.AppendDescribe(nil, nil, nil, test.img) })
	}
}

// TestAllocs checks that extraction does not allocate in the steady state.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	img := imagetest.Photo(t, "chelsea_451x300")
	mask := imagetest.Disc(img.Rect)
	kps, descs := make([]orb.Keypoint, 0, 1000), make([]match.Descriptor, 0, 1000)
	points := extractor(t, orb.Options{Levels: 1, Features: 600}).Detect(img, nil)
	for _, opts := range []orb.Options{{}, {Spread: true, LowThreshold: 7}} {
		e := extractor(t, opts)
		require.Zero(t, imagetest.Allocs(10, func() { e.Append(kps, descs, img, mask) }), "%+v", opts)
	}
	kept := make([]int, 0, 1000)
	for _, opts := range []orb.Options{{}, {RecomputeAngles: true}} {
		e := extractor(t, opts)
		require.Zero(t, imagetest.Allocs(10, func() {
			corners := orb.AppendKeypoints(kps, points, 31)
			if described, _ := e.AppendDescribe(kept, descs, corners, img); len(described) < 500 {
				t.Error("too few are described")
			}
		}), "%+v", opts)
	}
}

// TestPt checks which pixel a keypoint lies in.
func TestPt(t *testing.T) {
	require.Equal(t, image.Pt(3, -2), orb.Keypoint{X: 2.5, Y: -2.4}.Pt())
}

// TestReleased checks that neither images nor keypoints are kept.
func TestReleased(t *testing.T) {
	for _, opts := range []orb.Options{{}, {FirstLevel: 1, ScoreType: orb.FASTScore, PatchSize: 43, EdgeThreshold: 40}} {
		e := extractor(t, opts)
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			img := imagetest.Photo(t, "chelsea_451x300")
			mask := imagetest.Disc(img.Rect)
			kps, descs := e.Extract(img, mask)
			kept, _ := e.Describe(kps, img)
			require.NotEmpty(t, kept)
			imagetest.Watch(m, "image", &img.Pix[0])
			imagetest.Watch(m, "mask", &mask.Pix[0])
			imagetest.Watch(m, "keypoints", &kps[0])
			imagetest.Watch(m, "descriptors", &descs[0])
		})
		runtime.KeepAlive(e)
	}
}
