package sift

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThreshold checks what the values of extrema have to be above.
func TestThreshold(t *testing.T) {
	for want, opts := range map[float32]Options{
		0:   {Contrast: 0.02, Layers: 3},
		1:   {Contrast: 0.04, Layers: 3},
		6:   {Contrast: 0.05, Layers: 1},
		127: {Contrast: 1, Layers: 1},
	} {
		require.Equal(t, want, opts.threshold())
	}
	require.Zero(t, (&Options{Layers: 1}).threshold())
}

// differences returns planes whose differences are the given functions of the layer and the pixel.
func differences(width, height, layers int, value func(layer, x, y int) float32) []plane {
	stride := strideOf(width)
	planes := make([]plane, layers+3)
	for i := range planes {
		planes[i] = plane{make([]float32, stride*height+vectorWidth), width, height, stride}
		if i == 0 {
			continue
		}
		for y := range height {
			for x := range width {
				at := y*stride + x
				planes[i].pix[at] = planes[i-1].pix[at] + value(i-1, x, y)
			}
		}
	}
	return planes
}

// refined returns what each row of the kernels makes of a candidate at column x and row y of
// a layer.
func refined(t *testing.T, opts Options, planes []plane, layer, x, y int) (peak, bool) {
	t.Helper()
	e, err := New(opts)
	require.NoError(t, err)
	c := candidate{octave: 1, layer: int32(layer), column: int32(x), row: int32(y)}
	want, wantOK := e.refine(&portable, new(fitRun), planes, c)
	for row := range table.Available() {
		got, ok := e.refine(&row.Kernels, new(fitRun), planes, c)
		require.Equal(t, wantOK, ok, row.Name)
		require.Equal(t, want, got, row.Name)
	}
	return want, wantOK
}

// TestRefineMoves checks that a candidate moves to the top of a parabola, and is lost if that is
// in the margin or in the first difference or the last one.
func TestRefineMoves(t *testing.T) {
	const width, height, layers = 24, 19, 3
	for _, sign := range []float32{1, -1} {
		for top := range layers + 2 {
			for _, place := range [][2]float32{
				{border, 9},
				{border - 1, 9},
				{width - border - 1, 9},
				{width - border, 9},
				{9, border},
				{9, border - 1},
				{9, height - border - 1},
				{9, height - border},
				{11.25, 7.5 - 1./16},
			} {
				planes := differences(width, height, layers, func(layer, x, y int) float32 {
					dx, dy, ds := float32(x)-place[0], float32(y)-place[1], float32(layer-top)
					return sign * (500 - 2*dx*dx - 2*dy*dy - 2*ds*ds)
				})
				p, ok := refined(t, Options{}, planes, 2, 10, 10)
				x, y := int(math.RoundToEven(float64(place[0]))), int(math.RoundToEven(float64(place[1])))
				inside := x >= 5 && x < width-5 && y >= 5 && y < height-5 && top >= 1 && top <= 3
				require.Equal(t, inside, ok, "%v %d", place, top)
				if !ok {
					continue
				}
				require.InDelta(t, 2*place[0], p.x, 1e-3)
				require.InDelta(t, 2*place[1], p.y, 1e-3)
				require.Equal(t, candidate{1, int32(top), int32(x), int32(y)}, p.candidate)
				require.InDelta(t, 500./255, p.response, 1e-4)
				require.Equal(t, int32(1|top<<8|128<<16), p.packed)
			}
		}
	}
}

// TestRefineLimits checks candidates that have just the contrast that is asked for, or just the
// ratio of curvatures that is not.
func TestRefineLimits(t *testing.T) {
	for v := float32(1); v < 80; v++ {
		planes := differences(13, 13, 3, func(layer, x, y int) float32 {
			if layer == 2 && x == 6 && y == 6 {
				return v
			}
			return 0
		})
		limit := float32(float32(v*float32(1.0/255)) * 3)
		p, ok := refined(t, Options{Contrast: float64(limit)}, planes, 2, 6, 6)
		require.True(t, ok)
		require.Equal(t, float32(v*float32(1.0/255)), p.response)
		_, ok = refined(t, Options{Contrast: float64(math.Nextafter32(limit, 1))}, planes, 2, 6, 6)
		require.False(t, ok)
	}
	equal := 0
	for v := float32(1); v < 80; v++ {
		// The curvatures are -2v and -4v.
		planes := differences(13, 13, 3, func(layer, x, y int) float32 {
			dx, dy, ds := float32(x-6), float32(y-6), float32(layer-2)
			return v * (100 - dx*dx - 2*dy*dy - ds*ds)
		})
		f := new(fitRun)
		f.read(planes, 2, 6, 6)
		fitPeak(f)
		square, det := float32(float32(f.trace*f.trace)*2), float32(9*f.det)
		_, ok := refined(t, Options{Edge: 2}, planes, 2, 6, 6)
		require.Equal(t, square < det, ok)
		if square == det {
			equal++
		}
	}
	require.NotZero(t, equal)
}

// TestPeaks checks the maxima of histograms.
func TestPeaks(t *testing.T) {
	for _, test := range []struct {
		name string
		bins map[int]float32
		want []float32
	}{
		{"between bins", map[int]float32{10: 4, 11: 5, 12: 3}, []float32{360 - 10*(11-1./6)}},
		{"at a bin", map[int]float32{3: 1, 4: 2, 5: 1}, []float32{320}},
		{"at bin 0", map[int]float32{35: 1, 0: 2, 1: 1}, []float32{0}},
		{"before bin 0", map[int]float32{35: 4, 0: 5, 1: 3}, []float32{10. / 6}},
		{"after bin 35", map[int]float32{34: 3, 35: 5, 0: 4}, []float32{10 - 10./6}},
		{"halfway after bin 35", map[int]float32{34: 0, 35: 1, 0: math.Nextafter32(1, 0)}, []float32{5}},
		{"two, the smaller one as large as needed", map[int]float32{5: 5, 20: 4}, []float32{310, 160}},
		{"two, the smaller one too small", map[int]float32{5: 5, 20: math.Nextafter32(4, 0)}, []float32{310}},
		{"two equal neighbors", map[int]float32{5: 5, 6: 5}, nil},
		{"none", nil, nil},
	} {
		smooth := make([]float32, directions+2)
		for i, v := range test.bins {
			smooth[i+1] = v
		}
		smooth[0], smooth[directions+1] = smooth[directions], smooth[1]
		got := peaks(nil, smooth, float32(float32(0.8)*slices.Max(smooth)))
		require.Len(t, got, len(test.want), test.name)
		require.InDeltaSlice(t, test.want, got, 1e-4, test.name)
	}
	smooth := make([]float32, directions+2)
	smooth[1], smooth[directions+1] = 2, 2
	require.Equal(t, []float32{0}, peaks(nil, smooth, 1)) // not 360
}

// TestAddScaled compares sums with those of fused operations, also of numbers whose products are not
// exact.
func TestAddScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20_000 {
		a := float32(math.Ldexp(rng.Float64(), -rng.IntN(160)))
		c := float32(math.Ldexp(rng.Float64(), -rng.IntN(160)))
		b := [...]float32{1.0 / 16, 1.0 / 4, 1}[rng.IntN(3)]
		require.Equal(t, exactFMA(a, b, c), addScaled(a, b, c), "%g * %g + %g", a, b, c)
	}
}

// TestOrder checks the order of keypoints that have the same place, and which one stays of those
// that are the same.
func TestOrder(t *testing.T) {
	want := []ranked{
		{Keypoint: Keypoint{X: 1, Y: 9, Size: 1, Angle: 9, Response: 1, Octave: 1}},
		{Keypoint: Keypoint{X: 2, Y: 1, Size: 3, Angle: 7, Response: 1, Octave: 2}},
		{Keypoint: Keypoint{X: 2, Y: 2, Size: 4, Angle: 5, Response: 1, Octave: 2}},
		{Keypoint: Keypoint{X: 2, Y: 2, Size: 3, Angle: 5, Response: 1, Octave: 2}},
		{Keypoint: Keypoint{X: 2, Y: 2, Size: 3, Angle: 6, Response: 2, Octave: 3}},
		{Keypoint: Keypoint{X: 3, Y: 2, Size: 3, Angle: 6, Response: 2, Octave: 3}},
	}
	var list []ranked
	for i, k := range want {
		list = append(list, k)
		k.number = 1
		if i%2 > 0 {
			k.Octave--
			list = append(list, k)
			k.Octave += 2
		}
		k.Response /= 2
		list = append(list, k)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		require.Equal(t, want, sortUnique(slices.Clone(list)))
	}
}

// TestStrongest checks that the keypoints with the best responses stay, and all that are as good as the
// last one of these.
func TestStrongest(t *testing.T) {
	responses := []float32{3, 1, 4, 1, 5, 4, 2, 6}
	var memory []float32
	for n, want := range [][]float32{
		responses, {6}, {5, 6}, {4, 5, 4, 6}, {4, 5, 4, 6}, {3, 4, 5, 4, 6}, {3, 4, 5, 4, 2, 6}, responses, responses, responses,
	} {
		var list []ranked
		for _, r := range responses {
			list = append(list, ranked{Keypoint: Keypoint{Response: r}})
		}
		var got []float32
		for _, k := range strongest(list, n, &memory) {
			got = append(got, k.Response)
		}
		require.Equal(t, want, got, n)
	}
}

// TestIsFlat checks that nine equal pixels are flat, and no others.
func TestIsFlat(t *testing.T) {
	s := scanner{planes: differences(20, 20, 3, func(layer, x, y int) float32 { return 0 })}
	require.True(t, s.isFlat(1, 10, 10))
	for y := 9; y <= 11; y++ {
		for x := 9; x <= 11; x++ {
			p := &s.planes[2]
			p.pix[y*p.stride+x] = 1
			require.False(t, s.isFlat(1, 10, 10), "%d %d", x, y)
			p.pix[y*p.stride+x] = 0
		}
	}
}
