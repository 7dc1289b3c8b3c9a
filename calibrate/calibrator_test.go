package calibrate

import (
	"errors"
	"image"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

func TestNew(t *testing.T) {
	fisheye := camera.KannalaBrandt
	for want, o := range map[string]Options{
		"calibrate: Options.Distortion is 3, not 1, 2, 4, 5 or 8":                                             {Distortion: 3},
		"calibrate: Options.Distortion is 9, not 1, 2, 4, 5 or 8":                                             {Distortion: 9},
		"calibrate: Options.Distortion is 5, not 1 to 4":                                                      {Distortion: 5, Model: fisheye},
		"calibrate: Options.Model is Model(7), not one of brown-conrady, kannala-brandt":                      {Model: 7},
		"calibrate: Options.Fixed is Fixed(16), not some of FixAspect, FixCenter, FixFocal and FixTangential": {Fixed: 16},
		"calibrate: Options.Fixed is center,focal, not without FixFocal unless there is a Start":              {Fixed: FixFocal | FixCenter},
		"calibrate: Options.Start.Model is brown-conrady, not kannala-brandt":                                 {Model: fisheye, Start: webcam},
		"calibrate: Options.Start: camera: Fx is 0, not positive":                                             {Start: camera.Camera{Cx: 1}},
		"calibrate: Options.HuberThreshold is -1, not a finite number from 0":                                 {HuberThreshold: -1},
		"calibrate: Options.HuberThreshold is +Inf, not a finite number from 0":                               {HuberThreshold: math.Inf(1)},
		"calibrate: Options.HuberThreshold is NaN, not a finite number from 0":                                {HuberThreshold: math.NaN()},
		"calibrate: Options.MaxFocalError is NaN, not a number":                                               {MaxFocalError: math.NaN()},
		"calibrate: Options.Iterations is -1, not 1 to 10000":                                                 {Iterations: -1},
		"calibrate: Options.Iterations is 10001, not 1 to 10000":                                              {Iterations: 10_001},
	} {
		c, err := New(o)
		require.EqualError(t, err, want)
		require.Nil(t, c)
	}
	require.Equal(t, Options{Distortion: 5, MaxFocalError: 0.01, Iterations: 200, Workers: 1}, calibrator(t, Options{}).Options())
	require.Equal(t, Options{Model: fisheye, Distortion: 4, MaxFocalError: 0.01, Iterations: 200, Workers: 1}, calibrator(t, Options{Model: fisheye}).Options())
	o := calibrator(t, Options{Distortion: -7, MaxFocalError: -2, Workers: -1}).Options()
	require.Equal(t, Options{Distortion: -1, MaxFocalError: -2, Iterations: 200, Workers: runtime.GOMAXPROCS(0)}, o)
	require.Equal(t, o, calibrator(t, o).Options())
}

// TestPanics checks what is documented to panic.
func TestPanics(t *testing.T) {
	c := calibrator(t, Options{})
	good := newRig(1).views(5)
	with := func(change func(v *View)) []View {
		views := slices.Clone(good)
		v := &views[3]
		*v = View{World: slices.Clone(v.World), Image: slices.Clone(v.Image)}
		change(v)
		return views
	}
	for want, views := range map[string][]View{
		"calibrate: view 3 has 48 points of the world and 47 of the image":        with(func(v *View) { v.Image = v.Image[1:] }),
		"calibrate: view 3 has a coordinate of point 5 that is not finite":        with(func(v *View) { v.Image[5].Y = math.NaN() }),
		"calibrate: view 3 has a coordinate of point 6 that is not finite":        with(func(v *View) { v.Image[6].X = math.Inf(-1) }),
		"calibrate: view 3 has a coordinate of point 7 that is not finite":        with(func(v *View) { v.World[7][0] = math.NaN() }),
		"calibrate: view 3 has a coordinate of point 8 that is not finite":        with(func(v *View) { v.World[8][1] = math.Inf(1) }),
		"calibrate: view 3 has a point 9 with z 0.5, not 0":                       with(func(v *View) { v.World[9][2] = 0.5 }),
		"calibrate: view 3 has a point 10 with z NaN, not 0":                      with(func(v *View) { v.World[10][2] = math.NaN() }),
		"calibrate: view 3 has 48 points and 47 deviations":                       with(func(v *View) { v.Deviations = make([]float64, 47) }),
		"calibrate: view 3 has a deviation 0 of point 0, not finite and positive": with(func(v *View) { v.Deviations = make([]float64, 48) }),
		"calibrate: view 3 has a deviation +Inf of point 1, not finite and positive": with(func(v *View) {
			v.Deviations = slices.Repeat([]float64{1}, 48)
			v.Deviations[1] = math.Inf(1)
		}),
	} {
		require.PanicsWithValue(t, want, func() { c.Calibrate(webcamSize, views) })
		require.PanicsWithValue(t, want, func() { c.Halves(webcamSize, views) })
		pairs := make([][2]View, len(views))
		for i := range views {
			pairs[i] = [2]View{good[i], views[i]}
		}
		require.PanicsWithValue(t, want, func() { c.Pair(Calibration{Camera: webcam}, Calibration{Camera: webcam}, pairs) })
	}
	require.PanicsWithValue(t, "calibrate: image of 0 by 480 pixels", func() { c.Calibrate(image.Pt(0, 480), good) })
	require.PanicsWithValue(t, "calibrate: image of 640 by -1 pixels", func() { c.Halves(image.Pt(640, -1), good) })
	require.PanicsWithValue(t, "calibrate: image of 0 by 0 pixels", func() { Difference(webcam, webcam, image.Point{}) })
	require.PanicsWithValue(t, "camera: Fx is 0, not positive", func() { Difference(webcam, camera.Camera{}, webcamSize) })

	require.PanicsWithValue(t, "camera: Fx is 0, not positive", func() { c.Pair(Calibration{}, Calibration{Camera: webcam}, nil) })
	fisheye := Calibration{Camera: camera.Camera{Model: camera.KannalaBrandt, Fx: 1, Fy: 1}}
	require.PanicsWithValue(t, "calibrate: camera of the model kannala-brandt, not brown-conrady", func() {
		calibrator(t, Options{RefineCameras: true}).Pair(Calibration{Camera: webcam}, fisheye, nil)
	})
	require.PanicsWithValue(t, "calibrate: the two Views of element 1 do not have the same World", func() {
		other := with(func(v *View) { v.World[0][0] = 0.1 })
		c.Pair(Calibration{Camera: webcam}, Calibration{Camera: webcam}, [][2]View{{good[0], good[0]}, {good[3], other[3]}})
	})

	for _, use := range []func(c *Calibrator){
		func(c *Calibrator) { c.Options() },
		func(c *Calibrator) { c.Calibrate(webcamSize, good) },
		func(c *Calibrator) { c.Halves(webcamSize, good) },
		func(c *Calibrator) { c.Pair(Calibration{}, Calibration{}, nil) },
	} {
		require.PanicsWithValue(t, "calibrate: Calibrator not made by New", func() { use(new(Calibrator)) })
	}
	for _, use := range []func(c *Calibration){
		func(c *Calibration) { c.StandardDeviations() },
		func(c *Calibration) { c.Covariance(0, 0) },
		func(c *Calibration) { c.Uncertainty(geometry.Point{}) },
		func(c *Calibration) { c.Errors(0) },
		func(c *Calibration) { c.Influence() },
		func(c *Calibration) { c.Suggest(9, 6) },
		func(c *Calibration) { c.Draw(image.NewGray(image.Rect(0, 0, 9, 9))) },
	} {
		require.PanicsWithValue(t, "calibrate: Calibration not made by Calibrate", func() { use(new(Calibration)) })
	}
	found, err := c.Calibrate(webcamSize, good)
	require.NoError(t, err)
	require.PanicsWithValue(t, "calibrate: board of 1 by 6 corners", func() { found.Suggest(1, 6) })
	require.Panics(t, func() { found.Errors(5) })
	require.Panics(t, func() { found.Covariance(12, 0) })
}

// TestCalibrateErrors checks views that do not suffice.
func TestCalibrateErrors(t *testing.T) {
	s := newRig(2)
	good := s.views(6)
	fail := func(want error, message string, o Options, views []View) {
		t.Helper()
		c, err := calibrator(t, o).Calibrate(webcamSize, views)
		require.ErrorIs(t, err, want)
		require.Contains(t, err.Error(), message)
		if want == ErrFocal {
			require.NotZero(t, c.RMS)
			require.Len(t, c.Poses, len(views))
			require.Greater(t, c.StandardDeviations()[fieldFx], calibrator(t, o).opts.MaxFocalError*c.Camera.Fx)
			o.MaxFocalError = -1
			again, err := calibrator(t, o).Calibrate(webcamSize, views)
			require.NoError(t, err)
			require.LessOrEqual(t, c.RMS, again.RMS) // which tries fewer starts
			return
		}
		require.Zero(t, c)
		_, err = calibrator(t, o).Halves(webcamSize, append(slices.Clone(views), views...))
		require.ErrorIs(t, err, want)
	}
	none := Options{Distortion: -1}
	without := func(v View, n int) View { return View{World: v.World[:n], Image: v.Image[:n]} }
	fail(ErrViews, "there is no view", Options{}, nil)
	fail(ErrViews, "view 2 has 3 points, not at least 4", Options{}, []View{good[0], good[1], without(good[2], 3)})
	fail(ErrViews, "view 0 has 0 points, not at least 4", Options{}, []View{{}})
	fail(ErrDegenerate, "", none, good[:1])
	fail(ErrDegenerate, "", Options{Distortion: -1, Fixed: FixAspect}, good[:1])
	fail(ErrDegenerate, "", Options{}, append(slices.Clone(good), without(good[0], s.columns))) // a row
	var diagonal View
	for i, x := range good[0].World {
		if x[0] == x[1] {
			diagonal.World, diagonal.Image = append(diagonal.World, x), append(diagonal.Image, good[0].Image[i])
		}
	}
	fail(ErrDegenerate, "", Options{}, append(slices.Clone(good), diagonal))
	for range 10 {
		fail(ErrDegenerate, "", Options{}, append(slices.Clone(good), s.noisy([]View{diagonal}, 0.1)...))
	}
	// A camera that sees none of the points, and one that has a point behind it which is not among those
	// from which the search begins.
	fail(ErrDegenerate, "", Options{Start: camera.Camera{Fx: 1, Fy: 1, K1: -1}}, good)
	found, err := calibrator(t, Options{}).Calibrate(webcamSize, good)
	require.NoError(t, err)
	behind := pose.Vector{1e4}
	if found.Poses[0].Apply(behind)[2] > 0 {
		behind[0] = -behind[0]
	}
	hidden := View{World: slices.Concat(good[0].World, good[0].World), Image: slices.Concat(good[0].Image, good[0].Image)}
	hidden.World[1] = behind // every second point counts in the beginning
	fail(ErrDegenerate, "", Options{Start: webcam}, []View{hidden, hidden})
	_, err = calibrator(t, Options{}).Pair(Calibration{Camera: webcam}, Calibration{Camera: webcam}, [][2]View{{hidden, hidden}})
	require.ErrorIs(t, err, ErrDegenerate)
	_, err = calibrator(t, Options{}).Halves(webcamSize, good[:1])
	require.ErrorIs(t, err, ErrViews)
	_, err = calibrator(t, none).Halves(webcamSize, []View{good[0], good[1], good[2]})
	require.ErrorIs(t, err, ErrDegenerate)
	require.Contains(t, err.Error(), "odd")

	// All views parallel to the image, with noise and without.
	s.tilt = 0
	flat := s.views(6)
	for range 20 {
		_, err := calibrator(t, Options{}).Calibrate(webcamSize, s.views(6))
		require.True(t, errors.Is(err, ErrDegenerate) || errors.Is(err, ErrFocal), "%v", err) // by chance
	}
	fail(ErrFocal, "its standard deviation is", Options{}, s.noisy(flat, 0.1))
	// So with the focal length that is known.
	c, err := calibrator(t, Options{Fixed: FixFocal, Start: webcam}).Calibrate(webcamSize, s.noisy(flat, 0.1))
	require.NoError(t, err)
	require.Less(t, c.RMS, 0.15)
	require.InDelta(t, webcam.K1, c.Camera.K1, 0.02)

	// Places and worlds that are one point or random, or so large that squares overflow.
	for _, change := range []func(v *View, i int){
		func(v *View, i int) { v.Image[i] = geometry.Point{X: 100, Y: 100} },
		func(v *View, i int) { v.World[i] = pose.Vector{1, 1} },
		func(v *View, i int) { v.Image[i] = geometry.Point{X: 640 * s.Float64(), Y: 480 * s.Float64()} },
		func(v *View, i int) {
			v.Image[i] = geometry.Point{X: 1e300 * s.Float64(), Y: math.MaxFloat64 * s.Float64()}
		},
		func(v *View, i int) { v.World[i] = v.World[i].Scale(1e200) },
	} {
		views := s.noisy(newRig(3).views(6), 0)
		for k := range views {
			views[k].World = slices.Clone(views[k].World)
			for i := range views[k].World {
				change(&views[k], i)
			}
		}
		fail(ErrDegenerate, "", Options{}, views)
		pairs := make([][2]View, len(views))
		for i, v := range views {
			pairs[i] = [2]View{v, v}
		}
		_, err := calibrator(t, Options{}).Pair(Calibration{Camera: webcam}, Calibration{Camera: webcam}, pairs)
		if err != nil {
			require.ErrorIs(t, err, ErrDegenerate)
		}
	}
	_, err = calibrator(t, Options{}).Pair(Calibration{Camera: webcam}, Calibration{Camera: webcam}, nil)
	require.ErrorIs(t, err, ErrViews)
	_, err = calibrator(t, Options{}).Pair(Calibration{Camera: webcam}, Calibration{Camera: webcam}, [][2]View{{good[0], good[0]}, {without(good[1], 2), without(good[1], 2)}})
	require.ErrorIs(t, err, ErrViews)
	require.Contains(t, err.Error(), "view 1 has 2 points")
}

// TestIterations checks that a limit is told.
func TestIterations(t *testing.T) {
	views := newRig(1).views(6)
	c, err := calibrator(t, Options{Iterations: 2, MaxFocalError: -1}).Calibrate(webcamSize, views)
	require.NoError(t, err)
	require.False(t, c.Converged)
	require.Equal(t, 2, c.Iterations)
}

// TestBeyond checks that points beyond the end of the camera are counted: that of the test is within the
// boards.
func TestBeyond(t *testing.T) {
	s := newRig(4)
	views := s.views(6)
	start := webcam
	start.K1, start.K2 = -0.8, 0
	c, err := calibrator(t, Options{Start: start, Fixed: FixFocal | FixCenter | FixTangential, Distortion: -1}).Calibrate(webcamSize, views)
	require.NoError(t, err)
	want := 0
	for i, v := range views {
		for _, x := range v.World {
			if _, ok := c.Camera.Project(c.Poses[i].Apply(x)); !ok {
				want++
			}
		}
		for _, e := range c.Errors(i) {
			require.Less(t, math.Hypot(e.X, e.Y), 1e3)
		}
	}
	require.Positive(t, want)
	require.Equal(t, want, c.Beyond)
	require.NotPanics(t, func() { c.Suggest(9, 6) })
	require.True(t, math.IsNaN(c.Uncertainty(geometry.Point{})))
}

// TestCalibrateWorkers checks that results do not depend on the number of workers, nor on other calls at the same
// time.
func TestCalibrateWorkers(t *testing.T) {
	s := newRig(5)
	views := s.noisy(s.views(20), 0.1)
	all := problems(t)
	type answer struct {
		c      Calibration
		halves Halves
		pair   Pair
	}
	calculate := func(workers int) (a answer) {
		o := Options{Workers: workers, Bend: true, RefineCameras: true}
		c := calibrator(t, o)
		var err error
		a.c, err = c.Calibrate(webcamSize, views)
		require.NoError(t, err)
		a.halves, err = c.Halves(webcamSize, views)
		require.NoError(t, err)
		var pairs [][2]View
		for i, v := range all[0].views() {
			pairs = append(pairs, [2]View{v, all[2].views()[i]})
		}
		a.pair, err = c.Pair(a.c, a.c, pairs)
		require.NoError(t, err)
		a.c.found = nil
		return a
	}
	one := calculate(1)
	for _, workers := range []int{2, 3, 8, 100} {
		require.Equal(t, one, calculate(workers), "%d workers", workers)
	}
	c := calibrator(t, Options{Workers: 2, Bend: true})
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			found, err := c.Calibrate(webcamSize, views)
			u := found.Uncertainty(geometry.Point{X: 10, Y: 10})
			found.found = nil
			if err != nil || u != u || !slices.Equal(found.Poses, one.c.Poses) {
				t.Error("another result", err)
			}
		}()
	}
	group.Wait()
	found, err := c.Calibrate(webcamSize, views)
	require.NoError(t, err)
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			found.Uncertainty(geometry.Point{X: 10, Y: 10})
			found.Suggest(8, 6)
			found.Influence()
		}()
	}
	group.Wait()
}

// TestOrder checks that the order of points and the place of the origin make no difference but for
// rounding.
func TestOrder(t *testing.T) {
	s := newRig(6)
	views := s.noisy(s.views(6), 0.1)
	c := calibrator(t, Options{})
	one, err := c.Calibrate(webcamSize, views)
	require.NoError(t, err)
	for i := range views {
		v := &views[i]
		v.World = slices.Clone(v.World)
		s.Shuffle(len(v.World), func(a, b int) {
			v.World[a], v.World[b] = v.World[b], v.World[a]
			v.Image[a], v.Image[b] = v.Image[b], v.Image[a]
		})
		for k := range v.World {
			v.World[k] = v.World[k].Scale(0.03).Add(pose.Vector{7, -3})
		}
	}
	other, err := c.Calibrate(webcamSize, views)
	require.NoError(t, err)
	require.InDelta(t, one.RMS, other.RMS, 1e-9)
	for i, f := range fieldsOf(&one.Camera) {
		require.InDelta(t, *f, *fieldsOf(&other.Camera)[i], 1e-4)
	}
}

// TestCalibrateSizes calibrates with boards of many sizes, also with the fewest points that a view may have.
func TestCalibrateSizes(t *testing.T) {
	for _, size := range []image.Point{{2, 2}, {3, 3}, {4, 3}, {20, 5}, {60, 60}} {
		s := newRig(int64(size.X))
		s.columns, s.rows = size.X, size.Y
		views := s.views(12)
		c, err := calibrator(t, Options{}).Calibrate(webcamSize, views)
		require.NoError(t, err)
		require.Less(t, c.RMS, 1e-9)
		for i, f := range fieldsOf(&webcam) {
			require.InDelta(t, *f, *fieldsOf(&c.Camera)[i], 1e-6, "%v", size)
		}
	}
}

// TestPairOfKnown checks a pair of different models whose pose is known.
func TestPairOfKnown(t *testing.T) {
	s := newRig(7)
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 250, Fy: 251, Cx: 322, Cy: 238, K1: -0.03, K2: 0.004, K3: -0.002, K4: 0.0003}
	between := pose.FromQuaternion(1, 0.03, -0.1, 0.02, pose.Vector{-1.5, 0.1, 0.3})
	var views [][2]View
	for range 6 {
		p := s.pose()
		views = append(views, [2]View{s.see(webcam, p), s.see(fisheye, between.Mul(p))})
	}
	pair, err := calibrator(t, Options{}).Pair(Calibration{Camera: webcam}, Calibration{Camera: fisheye}, views)
	require.NoError(t, err)
	require.Less(t, pair.RMS, 1e-9)
	require.InDeltaSlice(t, between.R[:], pair.Pose.R[:], 1e-10)
	require.InDeltaSlice(t, between.T[:], pair.Pose.T[:], 1e-9)
}

// TestDeviations checks that a point with half the variance counts like two points, in calibrations and
// pairs, and that only ratios of deviations count.
func TestDeviations(t *testing.T) {
	s := newRig(9)
	views := s.noisy(s.views(6), 0.1)
	weighted, twice := slices.Clone(views), slices.Clone(views)
	var weightedPairs, twicePairs [][2]View
	for i, v := range views {
		w, d := &weighted[i], &twice[i]
		for k := range v.World {
			w.Deviations = append(w.Deviations, 1)
			if (i+k)%3 == 0 {
				w.Deviations[k] = math.Sqrt(0.5)
				d.World, d.Image = append(d.World, v.World[k]), append(d.Image, v.Image[k])
			}
		}
		weightedPairs, twicePairs = append(weightedPairs, [2]View{*w, *w}), append(twicePairs, [2]View{*d, *d})
	}
	c := calibrator(t, Options{})
	requireSame := func(want, got camera.Camera) {
		t.Helper()
		for i, f := range fieldsOf(&want) {
			require.InDelta(t, *f, *fieldsOf(&got)[i], 1e-4, "field %d", i)
		}
	}
	want, err := c.Calibrate(webcamSize, twice)
	require.NoError(t, err)
	got, err := c.Calibrate(webcamSize, weighted)
	require.NoError(t, err)
	requireRelative(t, want.RMS, got.RMS, 1e-9, "rms")
	requireSame(want.Camera, got.Camera)

	a, b := Calibration{Camera: webcam}, Calibration{Camera: want.Camera}
	wantPair, err := c.Pair(a, b, twicePairs)
	require.NoError(t, err)
	gotPair, err := c.Pair(a, b, weightedPairs)
	require.NoError(t, err)
	requireRelative(t, wantPair.RMS, gotPair.RMS, 1e-9, "rms")
	require.InDeltaSlice(t, wantPair.Pose.T[:], gotPair.Pose.T[:], 1e-6)

	c = calibrator(t, Options{HuberThreshold: 0.1})
	want, err = c.Calibrate(webcamSize, weighted)
	require.NoError(t, err)
	for i := range weighted {
		for k := range weighted[i].Deviations {
			weighted[i].Deviations[k] *= 7.5
		}
	}
	got, err = c.Calibrate(webcamSize, weighted)
	require.NoError(t, err)
	requireRelative(t, want.RMS, got.RMS, 1e-9, "rms")
	requireSame(want.Camera, got.Camera)
}

// TestDifference checks that a turn makes no difference, that cameras are compared in both directions
// alike, and what becomes of cameras that see nothing in common.
func TestDifference(t *testing.T) {
	require.InDelta(t, 0, Difference(webcam, webcam, webcamSize), 1e-12)
	wide := webcam
	wide.Fx, wide.Fy = 1.01*wide.Fx, 1.01*wide.Fy
	d := Difference(webcam, wide, webcamSize)
	require.Greater(t, d, 1.0)
	require.Less(t, d, 5.0)
	require.InDelta(t, d, Difference(wide, webcam, webcamSize), 0.1*d)
	shifted := webcam
	shifted.Cx += 2 // as a turn by 2 pixels, but for the distortion
	require.Less(t, Difference(webcam, shifted, webcamSize), 0.8)

	blind := camera.Camera{Fx: 1, Fy: 1, K1: -1}
	require.True(t, math.IsNaN(Difference(webcam, blind, webcamSize)))
	require.True(t, math.IsNaN(Difference(blind, webcam, webcamSize)))
}
