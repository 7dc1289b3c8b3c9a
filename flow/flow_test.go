package flow_test

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

// tracker returns a Tracker.
func tracker(t testing.TB, opts flow.Options) *flow.Tracker {
	t.Helper()
	tr, err := flow.New(opts)
	require.NoError(t, err)
	return tr
}

// pair returns two images of w by h pixels, the second one of which shows the first one moved
// a little, with some noise. They are parts of larger images of noise.
func pair(rng *rand.Rand, w, h int) (a, b *image.Gray) {
	phase := rng.Float64() * 100
	render := func(dx, dy float64) *image.Gray {
		x0, y0 := rng.IntN(30)-15, rng.IntN(30)-15
		outer := image.NewGray(image.Rect(x0-rng.IntN(5), y0-rng.IntN(5), x0+w+rng.IntN(70), y0+h+rng.IntN(5)))
		for i := range outer.Pix {
			outer.Pix[i] = uint8(rng.Uint32())
		}
		img := outer.SubImage(image.Rect(x0, y0, x0+w, y0+h)).(*image.Gray)
		for y := range h {
			for x := range w {
				u, v := float64(x)+dx+phase, float64(y)+dy
				value := 128 + 50*math.Sin(u*0.9+v*0.2) + 40*math.Sin(v*0.7-u*0.1) + 30*math.Sin(u*v*0.01)
				img.Pix[y*img.Stride+x] = uint8(min(max(value+rng.Float64()*4, 0), 255))
			}
		}
		return img
	}
	return render(0, 0), render(rng.Float64()*3-1.5, rng.Float64()*3-1.5)
}

// somePoints returns points in and around an image, and on its edges, and some that are no
// numbers.
func somePoints(rng *rand.Rand, r image.Rectangle, n int) []flow.Point {
	coordinate := func(low, high int) float32 {
		size := float64(high - low)
		switch rng.IntN(12) {
		case 0:
			return float32([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e9, -3e9, 3e38, 0x1p31, -0x1p31}[rng.IntN(8)])
		case 1:
			return float32(low)
		case 2:
			return float32(high - 1)
		case 3:
			return float32(low + rng.IntN(high-low))
		case 4, 5:
			return float32(float64(low) + (rng.Float64()*2-0.5)*size)
		}
		return float32(float64(low) + rng.Float64()*size)
	}
	var points []flow.Point
	for range n {
		points = append(points, flow.Point{X: coordinate(r.Min.X, r.Max.X), Y: coordinate(r.Min.Y, r.Max.Y)})
	}
	return points
}

// requireTracks fails the test unless the tracks have the same bits, except those of NaN.
func requireTracks(t testing.TB, want, got []flow.Track, format string, args ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	bits := func(v float32) uint32 {
		if v != v {
			return math.MaxUint32
		}
		return math.Float32bits(v)
	}
	for i, w := range want {
		g := got[i]
		if bits(w.X) != bits(g.X) || bits(w.Y) != bits(g.Y) || bits(w.Err) != bits(g.Err) || w.Status != g.Status {
			t.Fatalf(format+": track %d is %+v, want %+v", append(args, i, g, w)...)
		}
	}
}

// TestHighImage checks points below an image that is so high that float32 rounds its height up.
func TestHighImage(t *testing.T) {
	tracker, err := flow.New(flow.Options{Levels: 1, Window: image.Pt(3, 3)})
	require.NoError(t, err)
	p := tracker.Pyramid(image.NewGray(image.Rect(0, 0, 1, 1<<24+31)))
	points := []flow.Point{{Y: float32(math.Inf(1))}, {Y: 1<<24 + 32}, {Y: 3}}
	require.Len(t, tracker.Track(p, p, points, nil), len(points))
}

// TestOracle compares tracks with those of the definition, for all kinds of windows, options
// and positions, with every instruction set.
func TestOracle(t *testing.T) {
	sizes := []image.Point{{X: 1, Y: 1}, {X: 2, Y: 3}, {X: 1, Y: 9}, {X: 9, Y: 5}, {X: 30, Y: 20}, {X: 64, Y: 48}, {X: 97, Y: 61}, {X: 130, Y: 33}}
	n := 0
	statuses := map[flow.Status]int{}
	for w := 3; w <= 40; w++ {
		for h := 3; h <= 40; h++ {
			switch {
			case w == 21 && h == 21 || w == 15 && h == 15:
			case testing.Short() && (w*7+h*5)%307 != 0:
				continue
			case !testing.Short() && (w+2*h)%7 != 0:
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
			size := sizes[n%len(sizes)]
			n++
			opts := flow.Options{Window: image.Pt(w, h), Levels: rng.IntN(6)}
			opts.Iterations = []int{0, -1, 1, 2, 5, 100}[rng.IntN(6)]
			opts.Epsilon = []float64{0, -1, 0.03, 1}[rng.IntN(4)]
			opts.MinEigenvalue = []float64{0, -1, 1e-2}[rng.IntN(3)]
			opts.Confirm = []float64{0, 0, 0.5, 0.01}[rng.IntN(4)]
			opts.RemoveMean = rng.IntN(3) == 0
			opts.KeepInside = rng.IntN(3) == 0
			a, b := pair(rng, size.X, size.Y)
			points := somePoints(rng, a.Rect, 30)
			var guesses []flow.Point
			if rng.IntN(2) == 0 {
				guesses = somePoints(rng, b.Rect, len(points))
			}
			want := newOracle(opts, a, b).track(a.Rect.Min, b.Rect.Min, points, guesses)
			for _, track := range want {
				statuses[track.Status]++
			}
			for _, set := range cpu.InstructionSets("flow") {
				restore := cpu.Limit(set.Set)
				requireTracks(t, want, track(t, opts, a, b, points, guesses), "%s, %v, %+v", set.Name, a.Rect, opts)
				restore()
			}
		}
	}
	require.Len(t, statuses, int(flow.Unconfirmed)) // all but Untracked
}

// TestLargeWindow compares tracks with a window of many pixels, where sums of differences are
// rounded, with those of the definition.
func TestLargeWindow(t *testing.T) {
	a := image.NewGray(image.Rect(0, 0, 130, 120))
	b := image.NewGray(a.Rect)
	for i := range a.Pix {
		a.Pix[i] = uint8(i*i>>3 ^ i>>5)
		b.Pix[i] = 255 - a.Pix[i]
	}
	points := []flow.Point{{X: 60, Y: 60.3}, {X: 3.7, Y: 110}}
	for _, opts := range []flow.Options{
		{Window: image.Pt(101, 77), Levels: 1, Iterations: 1},
		{Window: image.Pt(45, 47), Levels: 2, Iterations: 2, RemoveMean: true},
	} {
		want := newOracle(opts, a, b).track(image.Point{}, image.Point{}, points, nil)
		require.Equal(t, flow.Found, want[0].Status)
		for _, set := range cpu.InstructionSets("flow") {
			restore := cpu.Limit(set.Set)
			requireTracks(t, want, track(t, opts, a, b, points, nil), "%s, %+v", set.Name, opts)
			restore()
		}
	}
}

// TestEmpty checks that all points are outside of an image without pixels.
func TestEmpty(t *testing.T) {
	tr := tracker(t, flow.Options{})
	for _, img := range imagetest.Empty() {
		p := tr.Pyramid(img)
		for _, track := range tr.Track(p, p, []flow.Point{{}, {X: -3, Y: -3}, {X: 100, Y: 5}}, nil) {
			require.NotEqual(t, flow.Found, track.Status)
		}
	}
}

// moving returns photos, the second one of which is moved, and points of the first.
func moving(t testing.TB) (a, b *image.Gray, points []flow.Point) {
	const name = "chelsea_451x300"
	a = imagetest.Photo(t, name)
	return a, motions.Named("rot2").Of(a), slices.Repeat(goldenPoints(t, name, true), 4)
}

// TestWorkers checks that the number of workers does not change the results.
func TestWorkers(t *testing.T) {
	a, b, points := moving(t)
	for _, opts := range []flow.Options{{}, {Window: image.Pt(9, 14), Confirm: 0.1, RemoveMean: true, KeepInside: true}} {
		want := track(t, opts, a, b, points, nil)
		for _, n := range []int{-1, 2, 3, 100} {
			opts.Workers = n
			imagetest.RequireSame(t, want, track(t, opts, a, b, points, nil), "%d workers", n)
		}
	}
}

// TestConcurrent lets goroutines share a Tracker and Pyramids.
func TestConcurrent(t *testing.T) {
	a, b, points := moving(t)
	tr := tracker(t, flow.Options{Levels: 3})
	first, second := tr.Pyramid(a), tr.Pyramid(b)
	forth, back := tr.Track(first, second, points, nil), tr.Track(second, first, points, nil)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			want, from, to := forth, first, second
			if g%2 > 0 {
				want, from, to = back, second, first
			}
			if !slices.Equal(want, tr.Track(from, to, points, nil)) {
				t.Error("other tracks")
			}
		}()
	}
	wait.Wait()
}

// TestPyramidInto checks that a Pyramid can be used again for images of other sizes.
func TestPyramidInto(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tr := tracker(t, flow.Options{Window: image.Pt(7, 7)})
	p, q := new(flow.Pyramid), new(flow.Pyramid)
	for _, size := range []image.Point{{X: 60, Y: 50}, {X: 30, Y: 90}, {X: 100, Y: 100}, {X: 5, Y: 5}, {X: 60, Y: 50}} {
		a, b := pair(rng, size.X, size.Y)
		require.Same(t, p, tr.PyramidInto(p, a))
		require.Same(t, q, tr.PyramidInto(q, b))
		points := somePoints(rng, a.Rect, 40)
		requireTracks(t, tr.Track(tr.Pyramid(a), tr.Pyramid(b), points, nil), tr.Track(p, q, points, nil), "%v", size)
	}
}

// TestAllocs checks that nothing is allocated in the steady state.
func TestAllocs(t *testing.T) {
	imagetest.SkipRace(t)
	a, b, points := moving(t)
	points = points[:100]
	for _, opts := range []flow.Options{{}, {Window: image.Pt(31, 9), Confirm: 1}, {RemoveMean: true}} {
		tr := tracker(t, opts)
		p, q := tr.Pyramid(a), tr.Pyramid(b)
		tracks, again := make([]flow.Track, 0, len(points)), make([]flow.Point, 0, len(points))
		var corners []fast.Corner
		for _, point := range points {
			corners = append(corners, fast.Corner{X: int32(point.X), Y: int32(point.Y)})
		}
		require.Zero(t, imagetest.Allocs(5, func() {
			tr.PyramidInto(p, b)
			tr.PyramidInto(p, a)
			again = flow.AppendPoints(again[:0], corners)
			tracks = tr.AppendTrack(tracks[:0], p, q, again, points)
			tracks = tr.AppendTrack(tracks[:0], q, p, again, points) // which keeps templates
		}))
	}
}

// TestAppend checks that tracks are appended.
func TestAppend(t *testing.T) {
	a, b, points := moving(t)
	tr := tracker(t, flow.Options{})
	p, q := tr.Pyramid(a), tr.Pyramid(b)
	want := tr.Track(p, q, points, nil)
	first := flow.Track{X: 7}
	imagetest.RequireSame(t, append([]flow.Track{first}, want...), tr.AppendTrack([]flow.Track{first}, p, q, points, nil))
	require.Empty(t, tr.Track(p, q, nil, nil))
	require.Empty(t, tr.Track(p, q, nil, []flow.Point{}))
	require.Equal(t, flow.Point{X: want[0].X, Y: want[0].Y}, want[0].Point())
}

// TestOptions checks what the options do that OpenCV does not have.
func TestOptions(t *testing.T) {
	name := "camera_512x512"
	a := imagetest.Photo(t, name)
	points := goldenPoints(t, name, false)
	found := func(tracks []flow.Track) (n int) {
		for _, track := range tracks {
			if track.Status == flow.Found {
				n++
			}
		}
		return n
	}
	// The second image is shown brighter, which is not a motion.
	b := image.NewGray(a.Rect)
	for i, v := range a.Pix {
		b.Pix[i] = uint8(min(int(v)*7/8+20, 255))
	}
	near := func(opts flow.Options) (n int) {
		for i, track := range track(t, opts, a, b, points, nil) {
			if track.Status == flow.Found && math.Hypot(float64(track.X-points[i].X), float64(track.Y-points[i].Y)) < 0.1 {
				n++
			}
		}
		return n
	}
	require.Greater(t, near(flow.Options{RemoveMean: true}), near(flow.Options{}))

	b = motions.Named("far").Of(a)
	plain := track(t, flow.Options{}, a, b, points, nil)
	inside := track(t, flow.Options{KeepInside: true}, a, b, points, nil)
	confirmed := track(t, flow.Options{Confirm: 0.5}, a, b, points, nil)
	require.Less(t, found(inside), found(plain))
	require.Less(t, found(confirmed), found(plain))
	require.Greater(t, found(confirmed), 10)
}

// TestKeepInside checks that the outermost pixels are inside, and what lies beyond them is not.
// In an image that does not change, all points stay where they are.
func TestKeepInside(t *testing.T) {
	img := image.NewGray(image.Rect(-7, 5, 33, 38))
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.Uint32())
	}
	left, right, top, bottom := float32(-7), float32(32), float32(5), float32(37)
	const beyond = 1. / 64
	points := []flow.Point{
		{left, top},
		{right, top},
		{left, bottom},
		{right, bottom},
		{left - beyond, 20},
		{right + beyond, 20},
		{10, top - beyond},
		{10, bottom + beyond},
	}
	for _, inside := range []bool{false, true} {
		opts := flow.Options{Window: image.Pt(9, 9), KeepInside: inside, MinEigenvalue: -1}
		for i, got := range track(t, opts, img, img, points, nil) {
			want := flow.Track{X: points[i].X, Y: points[i].Y, Status: flow.Found}
			if inside && i >= 4 {
				want.Status = flow.Outside
			}
			require.Equal(t, want, got, "point %d", i)
		}
	}
}

// TestConfirmEdges compares points with the definition whose windows hardly overlap the image, so
// that the way back may lead out of it and yet end near the point.
func TestConfirmEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range 100 {
		a, b := pair(rng, 6+rng.IntN(9), 6+rng.IntN(9))
		opts := flow.Options{Window: image.Pt(3+rng.IntN(4), 3+rng.IntN(4)), Levels: 1, Confirm: 5, MinEigenvalue: -1, Iterations: 1 + rng.IntN(3)}
		var points []flow.Point
		for range 40 {
			p := flow.Point{X: float32(a.Rect.Min.X) + float32(a.Rect.Dx())*rng.Float32(), Y: float32(a.Rect.Min.Y) + float32(a.Rect.Dy())*rng.Float32()}
			away := float32(opts.Window.X)/2 - rng.Float32()
			if rng.IntN(2) == 0 {
				p.X = float32(a.Rect.Min.X) - away
			} else {
				p.X = float32(a.Rect.Max.X) + away - 1
			}
			points = append(points, p)
		}
		want := newOracle(opts, a, b).track(a.Rect.Min, b.Rect.Min, points, nil)
		requireTracks(t, want, track(t, opts, a, b, points, nil), "%v, %+v", a.Rect, opts)
	}
}

// TestNew checks which options are refused, and that the error names them.
func TestNew(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		opts flow.Options
		want string
	}{
		{flow.Options{Window: image.Pt(2, 21)}, "Window is (2,21), not 3 to 1024 in both directions"},
		{flow.Options{Window: image.Pt(0, 2)}, "Window is (21,2)"},
		{flow.Options{Window: image.Pt(-21, 0)}, "Window is (-21,21)"},
		{flow.Options{Window: image.Pt(5, 1025)}, "Window is (5,1025)"},
		{flow.Options{Levels: -1}, "Levels is -1, not 1 or more"},
		{flow.Options{Iterations: 101}, "Iterations is 101, not a number up to 100"},
		{flow.Options{Epsilon: 10.1}, "Epsilon is 10.1, not a number up to 10"},
		{flow.Options{Epsilon: nan}, "Epsilon is NaN"},
		{flow.Options{MinEigenvalue: nan}, "MinEigenvalue is NaN, not a number up to 3.4e38"},
		{flow.Options{MinEigenvalue: 1e39}, "MinEigenvalue is 1e+39"},
		{flow.Options{Confirm: -1}, "Confirm is -1, not 0 or a distance"},
		{flow.Options{Confirm: inf}, "Confirm is +Inf"},
		{flow.Options{Confirm: nan}, "Confirm is NaN"},
	} {
		_, err := flow.New(test.opts)
		require.ErrorContains(t, err, "flow: Options."+test.want, "%+v", test.opts)
	}
}

// TestDefaults checks the defaults of options.
func TestDefaults(t *testing.T) {
	a, b, points := moving(t)
	full := flow.Options{Window: image.Pt(21, 21), Levels: 4, Iterations: 30, Epsilon: 0.01, MinEigenvalue: 1e-4, Workers: 1}
	imagetest.RequireSame(t, track(t, full, a, b, points, nil), track(t, flow.Options{}, a, b, points, nil))
}

// TestText checks the text forms of a Status.
func TestText(t *testing.T) {
	text, err := json.Marshal([]flow.Track{{}, {Status: flow.Unconfirmed}})
	require.NoError(t, err)
	require.Equal(t, `[{"X":0,"Y":0,"Err":0,"Status":"untracked"},{"X":0,"Y":0,"Err":0,"Status":"unconfirmed"}]`, string(text))
	require.Equal(t, "untracked found outside flat lost unconfirmed Status(6)", fmt.Sprint(flow.Untracked, flow.Found, flow.Outside, flow.Flat, flow.Lost, flow.Unconfirmed, flow.Status(6)))
	var s flow.Status
	require.NoError(t, s.UnmarshalText([]byte("flat")))
	require.Equal(t, flow.Flat, s)
	require.ErrorContains(t, s.UnmarshalText([]byte("gone")), `flow: unknown Status "gone", not one of untracked, found, `)
}

// TestMisuse checks what panics, and with which message.
func TestMisuse(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 90, 80))
	zero, tr := new(flow.Tracker), tracker(t, flow.Options{})
	p := tr.Pyramid(img)
	const notMade = "flow: Tracker not made by New"
	require.PanicsWithValue(t, notMade, func() { zero.Pyramid(img) })
	require.PanicsWithValue(t, notMade, func() { zero.PyramidInto(p, nil) })
	require.PanicsWithValue(t, notMade, func() { zero.Track(nil, nil, nil, nil) })
	require.PanicsWithValue(t, "flow: nil image", func() { tr.Pyramid(nil) })
	require.PanicsWithValue(t, "flow: nil image", func() { tr.PyramidInto(nil, nil) })
	require.PanicsWithValue(t, "flow: nil Pyramid", func() { tr.PyramidInto(nil, img) })
	const notPyramid = "flow: Pyramid not made by a Tracker"
	require.PanicsWithValue(t, notPyramid, func() { tr.Track(nil, p, nil, nil) })
	require.PanicsWithValue(t, notPyramid, func() { tr.Track(p, new(flow.Pyramid), nil, nil) })
	for _, bad := range imagetest.Malformed() {
		if bad.Stride == 0 {
			continue // its rows are the same pixels, and it has no other levels
		}
		imagetest.RequirePanic(t, "flow", func() { tr.Pyramid(bad) })
	}

	other := tr.Pyramid(image.NewGray(image.Rect(0, 0, 80, 90)))
	require.PanicsWithValue(t, "flow: pyramids of images of 90 by 80 and of 80 by 90 pixels", func() { tr.Track(p, other, nil, nil) })
	other = tr.Pyramid(image.NewGray(image.Rect(0, 0, 90, 79)))
	require.PanicsWithValue(t, "flow: pyramids of images of 90 by 80 and of 90 by 79 pixels", func() { tr.Track(p, other, nil, nil) })
	require.PanicsWithValue(t, "flow: pyramid with 2 levels, not 1", func() {
		tracker(t, flow.Options{Levels: 1}).Track(p, p, nil, nil)
	})
	require.PanicsWithValue(t, "flow: 1 guesses for 2 points", func() { tr.Track(p, p, make([]flow.Point, 2), make([]flow.Point, 1)) })
	require.PanicsWithValue(t, "flow: 3 guesses for 2 points", func() { tr.Track(p, p, make([]flow.Point, 2), make([]flow.Point, 3)) })
	// A window that asks for the same levels is no other.
	require.NotPanics(t, func() { tracker(t, flow.Options{Window: image.Pt(33, 22)}).Track(p, p, make([]flow.Point, 2), nil) })
}

// TestOtherWindow tracks by pyramids of a Tracker with a smaller window, whose levels have
// smaller margins.
func TestOtherWindow(t *testing.T) {
	a, b, points := moving(t)
	small, large := tracker(t, flow.Options{Levels: 2, Window: image.Pt(3, 5)}), tracker(t, flow.Options{Levels: 2, Window: image.Pt(31, 29)})
	want := large.Track(large.Pyramid(a), large.Pyramid(b), points, nil)
	imagetest.RequireSame(t, want, large.Track(small.Pyramid(a), small.Pyramid(b), points, nil))
}

// TestPoints checks the points that are made of corners of all packages.
func TestPoints(t *testing.T) {
	want := []flow.Point{{X: 3, Y: -4}}
	require.Equal(t, want, flow.Points([]fast.Corner{{X: 3, Y: -4}}))
	require.Equal(t, want, flow.Points([]harris.Corner{{X: 3, Y: -4}}))
	require.Equal(t, []flow.Point{{X: 3.5, Y: -4.25}}, flow.Points([]orb.Keypoint{{X: 3.5, Y: -4.25}}))
	corner := lococo.Corner{X: 3, Y: -4}
	x, y := corner.Position()
	require.Equal(t, []flow.Point{{}, {X: x, Y: y}}, flow.AppendPoints([]flow.Point{{}}, []lococo.Corner{corner}))
}

// TestPyramidKeepsImage checks that the pixels of the image are not copied.
func TestPyramidKeepsImage(t *testing.T) {
	a, b, points := moving(t)
	tr := tracker(t, flow.Options{Levels: 1})
	p, q := tr.Pyramid(a), tr.Pyramid(image.NewGray(a.Rect))
	blank := tr.Track(p, q, points, nil)
	*q = *tr.Pyramid(b)
	require.NotEqual(t, blank, tr.Track(p, q, points, nil))
}
