package vpi_test

import (
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/vpi"
	"github.com/stretchr/testify/require"
)

// searches are options that have different work to do.
var searches = map[string]vpi.Options{
	"default":   {},
	"border":    {Border: border.Reflect, Threshold: 20},
	"small":     {CircleRadius: 1, NoSuppression: true},
	"middle":    {CircleRadius: 2, Border: border.Replicate, Threshold: 15},
	"long":      {ArcLength: 14},
	"strongest": {CircleRadius: 2, Strongest: true, MaxCorners: 300},
}

// TestWorkers checks that any number of workers finds the same.
func TestWorkers(t *testing.T) {
	images := []vpi.Image{convert(imagetest.Photo(t, "life_640x480"), "s16")}
	if !testing.Short() {
		wide := imagetest.Photo(t, "picos_1280x720")
		narrow := &image.Gray{Pix: wide.Pix, Stride: 180, Rect: image.Rect(0, 0, 170, 5000)}
		images = append(images, vpi.Of(wide), vpi.Of(narrow))
	}
	for _, img := range images {
		for name, opts := range searches {
			want, total := detector(t, opts).DetectImage(img)
			require.NotEmpty(t, want, name)
			for _, n := range []int{-1, 2, 3, 100} {
				if testing.Short() && n < 3 {
					continue
				}
				opts.Workers = n
				got, gotTotal := detector(t, opts).DetectImage(img)
				imagetest.RequireSame(t, want, got, "%s, %d workers", name, n)
				require.Equal(t, total, gotTotal)
			}
		}
	}
}

// TestLastRows checks that each row is searched once, however few rows the last worker has.
func TestLastRows(t *testing.T) {
	photo := imagetest.Photo(t, "picos_1280x720")
	one, two := detector(t, vpi.Options{Threshold: 2000}), detector(t, vpi.Options{Threshold: 2000, Workers: 2})
	for h := 400; h < 416; h++ {
		img := convert(&image.Gray{Pix: photo.Pix[:700*h], Stride: 700, Rect: image.Rect(0, 0, 700, h)}, "s16")
		want, _ := one.DetectImage(img)
		got, _ := two.DetectImage(img)
		imagetest.RequireSame(t, want, got, "%d rows", h)
	}
}

// TestConcurrent lets goroutines share a Detector, for images of different sizes and
// types.
func TestConcurrent(t *testing.T) {
	photo := imagetest.Photo(t, "coffee_600x400")
	part := func(r image.Rectangle) *image.Gray { return photo.SubImage(r).(*image.Gray) }
	images := []vpi.Image{
		vpi.Of(part(image.Rect(200, 100, 400, 252))),
		convert(photo, "s16"),
		vpi.Of(part(image.Rect(10, 20, 15, 25))),
		convert(imagetest.Photo(t, "chelsea_451x300"), "s8"),
	}
	for name, opts := range searches {
		d := detector(t, opts)
		var wants [][]vpi.Corner
		for _, img := range images {
			corners, _ := detector(t, opts).DetectImage(img)
			wants = append(wants, corners)
		}
		var wait sync.WaitGroup
		for g := range 3 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for i := range images {
					i = (i + g) % len(images)
					if got, _ := d.DetectImage(images[i]); !slices.Equal(wants[i], got) {
						t.Errorf("%s, image %d: other corners", name, i)
					}
				}
			}()
		}
		wait.Wait()
	}
}

// TestStrongest checks what MaxCorners keeps.
func TestStrongest(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	all := detector(t, vpi.Options{CircleRadius: 2}).Detect(img)
	first, total := detector(t, vpi.Options{CircleRadius: 2, MaxCorners: 70}).DetectImage(vpi.Of(img))
	imagetest.RequireSame(t, all[:70], first)
	require.Len(t, all, total)

	want := slices.Clone(all)
	slices.SortStableFunc(want, func(a, b vpi.Corner) int { return int(b.Score) - int(a.Score) })
	imagetest.RequireSame(t, want, detector(t, vpi.Options{CircleRadius: 2, Strongest: true}).Detect(img))
	strongest, total := detector(t, vpi.Options{CircleRadius: 2, Strongest: true, MaxCorners: 70}).DetectImage(vpi.Of(img))
	imagetest.RequireSame(t, want[:70], strongest)
	require.Len(t, all, total)
}

// TestNew checks which options are refused, and that the error names them.
func TestNew(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, test := range []struct {
		opts    vpi.Options
		message string
	}{
		{vpi.Options{CircleRadius: -1}, "CircleRadius is -1, not 1 to 3"},
		{vpi.Options{CircleRadius: 4}, "CircleRadius is 4, not 1 to 3"},
		{vpi.Options{ArcLength: -1}, "ArcLength is -1, not 1 to 16 with Options.CircleRadius 3"},
		{vpi.Options{ArcLength: 17}, "ArcLength is 17, not 1 to 16 with Options.CircleRadius 3"},
		{vpi.Options{CircleRadius: 2, ArcLength: 13}, "ArcLength is 13, not 1 to 12 with Options.CircleRadius 2"},
		{vpi.Options{CircleRadius: 1, ArcLength: 9}, "ArcLength is 9, not 1 to 8 with Options.CircleRadius 1"},
		{vpi.Options{Threshold: float32(math.NaN())}, "Threshold is NaN, not a finite number"},
		{vpi.Options{Threshold: inf}, "Threshold is +Inf, not a finite number"},
		{vpi.Options{Threshold: -inf}, "Threshold is -Inf, not a finite number"},
		{vpi.Options{Border: border.Wrap}, "Border is wrap, not one of limited, constant, replicate, reflect, reflect101"},
		{vpi.Options{Border: 99}, "Border is Mode(99), not one of limited, constant, replicate, reflect, reflect101"},
		{vpi.Options{MaxCorners: -1}, "MaxCorners is -1, not 0 or more"},
	} {
		_, err := vpi.New(test.opts)
		require.EqualError(t, err, "vpi: Options."+test.message)
	}
}

// TestDefaults checks what options stand for that are 0.
func TestDefaults(t *testing.T) {
	img := imagetest.Photo(t, "chelsea_451x300")
	for _, test := range []struct{ zero, full vpi.Options }{
		{vpi.Options{}, vpi.Options{CircleRadius: 3, ArcLength: 9, Threshold: 10, Border: border.Limited, Workers: 1}},
		{vpi.Options{CircleRadius: 2}, vpi.Options{CircleRadius: 2, ArcLength: 7, Threshold: 10}},
		{vpi.Options{CircleRadius: 1, Threshold: -1}, vpi.Options{CircleRadius: 1, ArcLength: 5, Threshold: -0.1}},
	} {
		imagetest.RequireSame(t, detector(t, test.full).Detect(img), detector(t, test.zero).Detect(img))
	}
}

// TestNil checks that a nil image, and a Detector that New has not made, panic.
func TestNil(t *testing.T) {
	d := detector(t, vpi.Options{})
	for _, do := range []func(){
		func() { d.Detect(nil) },
		func() { d.Append(nil, nil) },
		func() { vpi.Of[*image.Gray](nil) },
		func() { vpi.Of[*image.Gray16](nil) },
	} {
		require.PanicsWithValue(t, "vpi: nil image", do)
	}
	var zero vpi.Detector
	for _, do := range []func(){
		func() { zero.Detect(&image.Gray{}) },
		func() { zero.DetectImage(vpi.Image{}) },
	} {
		require.PanicsWithValue(t, "vpi: Detector not made by New", do)
	}
}

// TestMalformed checks that images that lack pixels, or have too many, panic with a message
// of this package.
func TestMalformed(t *testing.T) {
	good := image.Rect(0, 0, 100, 90)
	huge := image.Rect(0, 0, math.MaxInt32, math.MaxInt32)
	for _, opts := range searches {
		d := detector(t, opts)
		for _, bad := range []vpi.Image{
			vpi.Of(&image.Gray{Pix: make([]byte, 100*90-1), Stride: 100, Rect: good}),
			vpi.Of(&image.Gray{Pix: make([]byte, 100*90), Stride: -100, Rect: good}),
			vpi.Of(&image.Gray{Pix: make([]byte, 100*90), Stride: 100, Rect: huge}),
			vpi.Of(&image.Gray{Pix: make([]byte, 100), Rect: image.Rect(0, 0, 1, math.MaxInt32)}),
			vpi.Of(&image.Gray16{Pix: make([]byte, 200*90-1), Stride: 200, Rect: good}),
			vpi.Of(&image.Gray16{Pix: make([]byte, 200*90), Stride: -2, Rect: good}),
			vpi.Plane(make([]int8, 100*90-1), 100, good),
			vpi.Plane(make([]int16, 100*90-1), 100, good),
			vpi.Plane(make([]int16, 100*90), -100, good),
			vpi.Plane(make([]int16, 100*90), math.MaxInt, good),
			vpi.Plane(make([]int16, 100*90), math.MinInt, good),
			vpi.Plane(make([]int16, 100*90), math.MaxInt/2+2, good),
			vpi.Plane([]uint16{}, 100, good),
			vpi.Plane[uint16](nil, 0, huge),
		} {
			imagetest.RequirePanic(t, "vpi", func() { d.DetectImage(bad) })
		}
	}
	if far := int64(1) << 40; math.MaxInt > math.MaxInt32 {
		img := &image.Gray{Pix: make([]byte, 100), Stride: 10, Rect: image.Rect(int(far), 0, int(far)+10, 10)}
		imagetest.RequirePanic(t, "vpi", func() { detector(t, vpi.Options{}).Detect(img) })
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
		p := &picture{bounds: img.Rect}
		for y := range 19 {
			for x := range 40 {
				p.values = append(p.values, int(img.GrayAt(x, y).Y))
			}
		}
		for radius := 1; radius <= 3; radius++ {
			opts := vpi.Options{CircleRadius: radius, ArcLength: []int{0, 5, 7, 9}[radius], Threshold: 10}
			want, _ := p.corners(opts)
			imagetest.RequireSame(t, want, detector(t, opts).Detect(img))
		}
	}
}

// TestEmpty checks images without pixels, or without room for a circle.
func TestEmpty(t *testing.T) {
	for _, mode := range borders {
		for radius := 1; radius <= 3; radius++ {
			d := detector(t, vpi.Options{CircleRadius: radius, Border: mode, Threshold: -1})
			for _, img := range []vpi.Image{{}, vpi.Of(&image.Gray{}), vpi.Plane[int16](nil, 5, image.Rect(3, 3, 3, 9))} {
				corners, total := d.DetectImage(img)
				require.Nil(t, corners)
				require.Zero(t, total)
			}
			for _, img := range imagetest.Empty() {
				require.Empty(t, d.Detect(img))
			}
			if mode == border.Limited {
				require.Empty(t, d.Detect(image.NewGray(image.Rect(0, 0, 2*radius, 50))))
				require.Empty(t, d.Detect(image.NewGray(image.Rect(0, 0, 50, 2*radius))))
			}
		}
	}
}

// TestAllocs checks that detection does not allocate in the steady state.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	photo := imagetest.Photo(t, "chelsea_451x300")
	img := photo.SubImage(image.Rect(100, 50, 250, 150)).(*image.Gray)
	signed := convert(&image.Gray{Pix: photo.Pix[:100*photo.Stride], Stride: photo.Stride, Rect: image.Rect(0, 0, photo.Stride, 100)}, "s16")
	corners := make([]vpi.Corner, 0, len(photo.Pix))
	for name, opts := range searches {
		d := detector(t, opts)
		require.NotEmpty(t, d.Detect(img), name)
		d.AppendImage(corners, signed)
		require.Zero(t, imagetest.Allocs(5, func() {
			d.Append(corners, img)
			d.AppendImage(corners, signed)
		}), name)
	}
	// Nor is room needed for corners that are not wanted, and a dst on the stack does not
	// escape.
	d := detector(t, vpi.Options{CircleRadius: 1, MaxCorners: 3})
	require.Zero(t, imagetest.Allocs(5, func() {
		var corners [3]vpi.Corner
		d.Append(corners[:0], img)
	}))
}

// TestPt checks the coordinates of a corner as a point.
func TestPt(t *testing.T) {
	require.Equal(t, image.Pt(3, -2), vpi.Corner{X: 3, Y: -2}.Pt())
}

// TestReleased checks that neither images nor corners are kept.
func TestReleased(t *testing.T) {
	for _, opts := range []vpi.Options{{}, {CircleRadius: 2}, {Border: border.Reflect}} {
		d := detector(t, opts)
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			img := imagetest.Photo(t, "chelsea_451x300")
			corners := d.Detect(img)
			imagetest.Watch(m, "image", &img.Pix[0])
			imagetest.Watch(m, "corners", &corners[0])
		})
		runtime.KeepAlive(d)
	}
}
