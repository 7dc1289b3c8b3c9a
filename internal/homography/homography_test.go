package homography

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// maps are what a camera makes of a plane, with the right column for images of some
// hundred pixels.
var maps = map[string]Matrix{
	"identity":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"shift":       {{1, 0, -300}, {0, 1, 20.5}, {0, 0, 1}},
	"turn":        {{0.4, -0.3, 250}, {0.3, 0.4, -80}, {0, 0, 1}},
	"mirror":      {{-1, 0, 640}, {0, 1, 0}, {0, 0, 1}},
	"perspective": {{0.9, -0.2, 100}, {0.15, 1.1, 30}, {4e-4, -2e-4, 1}},
	"steep":       {{1.5, 0.2, -60}, {-0.1, 2, -40}, {2e-3, 1e-3, 1}},
}

// apply is Map, written another way.
func apply(m Matrix, p Point) Point {
	v := [3]float64{p.X, p.Y, 1}
	var q [3]float64
	for i, row := range m {
		for j, element := range row {
			q[i] += element * v[j]
		}
	}
	return Point{q[0] / q[2], q[1] / q[2]}
}

// points returns n points of an image of 640x480 pixels.
func points(random *rand.Rand, n int) []Point {
	list := make([]Point, n)
	for i := range list {
		list[i] = Point{random.Float64() * 640, random.Float64() * 480}
	}
	return list
}

func mapAll(m Matrix, list []Point) []Point {
	mapped := make([]Point, len(list))
	for i, p := range list {
		mapped[i] = apply(m, p)
	}
	return mapped
}

func distance(p, q Point) float64 {
	return math.Hypot(p.X-q.X, p.Y-q.Y)
}

func TestExact(t *testing.T) {
	for name, want := range maps {
		for _, n := range []int{minInliers, 100} {
			a := points(rand.New(rand.NewPCG(1, uint64(n))), n)
			h, inliers, ok := Estimate(a, mapAll(want, a), 1)
			require.True(t, ok, name)
			require.NotContains(t, inliers, false, name)
			require.Len(t, inliers, n)
			require.Equal(t, 1.0, h[2][2])
			for i := range want {
				for j := range want[i] {
					require.InDelta(t, want[i][j], h[i][j], 1e-8*(1+math.Abs(want[i][j])), name)
				}
			}
			p := Point{123, 45}
			require.InDelta(t, 0, distance(apply(want, p), h.Map(p)), 1e-8, name)
		}
	}
}

func TestOutliersAndNoise(t *testing.T) {
	const n, outliers = 400, 240
	for name, want := range maps {
		random := rand.New(rand.NewPCG(2, 3))
		a := points(random, n)
		b := mapAll(want, a)
		wild := mapAll(want, points(random, n))
		for i := range b {
			if i%5 < 3 {
				b[i] = wild[i]
			} else {
				b[i].X += random.NormFloat64() * 0.4
				b[i].Y += random.NormFloat64() * 0.4
			}
		}
		h, inliers, ok := Estimate(a, b, 3)
		require.True(t, ok, name)
		right, wrong := 0, 0
		var errs, truth float64
		for i, in := range inliers {
			switch {
			case in && i%5 >= 3:
				right++
				errs += square(distance(h.Map(a[i]), b[i]))
				truth += square(distance(apply(want, a[i]), b[i]))
			case in:
				wrong++
				require.LessOrEqual(t, distance(h.Map(a[i]), b[i]), 3.0, name)
			}
		}
		require.Greater(t, right, (n-outliers)*95/100, name)
		require.Less(t, wrong, 5, name)
		if wrong == 0 {
			require.Less(t, errs, truth, "%s: least squares are less than those of the truth", name)
		}
		for _, p := range []Point{{0, 0}, {639, 0}, {0, 479}, {639, 479}, {320, 240}} {
			require.Less(t, distance(h.Map(p), apply(want, p)), 1.0, name)
		}
		again, _, _ := Estimate(a, b, 3)
		require.Equal(t, h, again)
	}
}

// The distances that are left are about the least that there can be: the homographies
// near the one found leave more.
func TestLeastSquares(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for name, want := range maps {
		a := points(random, 50)
		b := mapAll(want, a)
		for i := range b {
			b[i].X += random.NormFloat64()
			b[i].Y += random.NormFloat64()
		}
		h, _, ok := Estimate(a, b, 50)
		require.True(t, ok, name)
		left := func(h Matrix) float64 {
			sum := 0.0
			for i := range a {
				sum += square(distance(apply(h, a[i]), b[i]))
			}
			return sum
		}
		least := left(h)
		// Each element by as much as moves points by some thousandths of a pixel.
		for i, row := range [3][3]float64{{1e-5, 1e-5, 0.005}, {1e-5, 1e-5, 0.005}, {1e-8, 1e-8, 0}} {
			for j, step := range row {
				for _, step := range []float64{-step, step} {
					near := h
					near[i][j] += step
					require.Greater(t, left(near), least*(1-1e-6), "%s %d %d", name, i, j)
				}
			}
		}
	}
}

// A point behind the camera does not fit, though the matrix maps it there.
func TestBehind(t *testing.T) {
	h := Matrix{{1, 0, 0}, {0, 1, 0}, {-1.0 / 400, 0, 1}}
	a := points(rand.New(rand.NewPCG(10, 1)), 300)
	for i, p := range a {
		if math.Abs(p.X-400) < 50 {
			a[i].X -= 200
		}
	}
	_, inliers, ok := Estimate(a, mapAll(h, a), 3)
	require.True(t, ok)
	for i, in := range inliers {
		require.Equal(t, a[i].X < 400, in, a[i])
	}
}

func TestDegenerate(t *testing.T) {
	corners := []Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}}
	for name, test := range map[string]struct {
		b    []Point
		want bool
	}{
		"the same":   {corners, false},
		"turned":     {[]Point{{1, 0}, {1, 1}, {0, 0}, {0, 1}}, false},
		"mirrored":   {[]Point{{0, 0}, {-1, 0}, {0, 1}, {-1, 1}}, false},
		"three":      {[]Point{{0, 0}, {1, 0}, {2, 0}, {1, 1}}, true},
		"two equal":  {[]Point{{0, 0}, {1, 0}, {0, 1}, {0, 1}}, true},
		"bent over":  {[]Point{{0, 0}, {1, 0}, {0, 1}, {0.1, 0.1}}, true},
		"two change": {[]Point{{1, 0}, {0, 0}, {0, 1}, {1, 1}}, true},
	} {
		for _, sample := range [][4]int{{2, 0, 3, 1}, {1, 3, 0, 2}, {0, 1, 2, 3}} {
			require.Equal(t, test.want, (&estimator{a: corners, b: test.b}).degenerate(sample), name)
			require.Equal(t, test.want, (&estimator{a: test.b, b: corners}).degenerate(sample), name)
		}
	}
}

// The threshold counts in both images: where B is smaller than A, it is A's.
func TestThreshold(t *testing.T) {
	a := points(rand.New(rand.NewPCG(4, 4)), 100)
	b := mapAll(Matrix{{0.25, 0, 0}, {0, 0.25, 0}, {0, 0, 1}}, a)
	b[7].X++ // 4 pixels of A
	_, inliers, ok := Estimate(a, b, 2)
	require.True(t, ok)
	for i, in := range inliers {
		require.Equal(t, i != 7, in, i)
	}
	_, inliers, ok = Estimate(b, a, 2)
	require.True(t, ok)
	require.False(t, inliers[7])
	_, inliers, ok = Estimate(a, b, 5)
	require.True(t, ok)
	require.True(t, inliers[7])
}

func TestNone(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	spread := points(random, 60)
	scaled := func(factor float64) []Point {
		return mapAll(Matrix{{factor, 0, 0}, {0, factor, 0}, {0, 0, 1}}, spread)
	}
	broken, infinite := slices.Clone(spread), slices.Clone(spread)
	broken[3].X = math.NaN()
	infinite[3].Y = math.Inf(1)

	same := make([]Point, len(spread))
	var line, rounded, steps, cluster []Point
	for i := range spread {
		x := float64(i)
		line = append(line, Point{x, 40 + x/3})
		rounded = append(rounded, Point{x, math.Round(40 + x/3)})
		steps = append(steps, Point{x, float64(i % 2)})
		cluster = append(cluster, Point{300 + 3*random.Float64(), 200 + 3*random.Float64()})
	}
	// Keypoints come in groups, and by chance many pairs are between the same two.
	var groups [2][]Point
	for i := range groups {
		centers := points(random, 20)
		for range 1000 {
			c := centers[random.IntN(len(centers))]
			groups[i] = append(groups[i], Point{c.X + 2*random.Float64(), c.Y + 2*random.Float64()})
		}
	}
	for name, pair := range map[string][2][]Point{
		"no points":         {nil, nil},
		"three":             {spread[:3], spread[:3]},
		"one too few":       {spread[:minInliers-1], spread[:minInliers-1]},
		"equal":             {same, same},
		"equal in A":        {same, spread},
		"equal in B":        {spread, same},
		"a line":            {line, line},
		"to a line":         {spread, line},
		"from a line":       {line, spread},
		"from a few pixels": {scaled(0.01), spread},
		"to a few pixels":   {spread, scaled(0.01)},
		"rounded line":      {rounded, rounded},
		"two near lines":    {steps, steps},
		"not a number":      {broken, spread},
		"infinite":          {spread, infinite},
		"nothing in common": {spread, points(random, 60)},
		"to a cluster":      {spread, cluster},
		"huge":              {scaled(1e300), scaled(1e300)},
		"groups":            {groups[0], groups[1]},
		"half equal":        {append(make([]Point, len(spread)-7), spread[:7]...), spread},
	} {
		h, inliers, ok := Estimate(pair[0], pair[1], 3)
		require.False(t, ok, name)
		require.Nil(t, inliers, name)
		require.Zero(t, h, name)
	}
}

// Whatever the points are, elements of a matrix are numbers.
func TestFinite(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	found := 0
	for range 100 {
		n := random.IntN(40)
		levels := 1 + random.IntN(12) // few levels make many points equal or collinear
		draw := func() []Point {
			list := make([]Point, n)
			for i := range list {
				list[i] = Point{float64(random.IntN(levels)), float64(random.IntN(levels))}
			}
			return list
		}
		h, inliers, ok := Estimate(draw(), draw(), []float64{0, 1e-9, 0.5, 3, 1e9}[random.IntN(5)])
		if !ok {
			continue
		}
		found++
		require.Len(t, inliers, n)
		for _, row := range h {
			for _, v := range row {
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0), h)
			}
		}
	}
	require.Positive(t, found)
}

// The result has the same bits on every platform. The matrix is what amd64 gives.
func TestSameBits(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	var a, b []Point
	for range 300 {
		p := Point{float64(random.IntN(640)), float64(random.IntN(480))}
		q := apply(maps["perspective"], p)
		a = append(a, p)
		b = append(b, Point{math.Round(q.X) + float64(random.IntN(20)/19), math.Round(q.Y)})
	}
	h, _, ok := Estimate(a, b, 3)
	require.True(t, ok)
	require.Equal(t, Matrix{
		{0.9001263122673451, -0.20045610829478222, 100.19134735431236},
		{0.150289657407295, 1.0997209163235186, 30.00549924298475},
		{0.00040070397694232606, -0.00020066951768343537, 1},
	}, h)
}
