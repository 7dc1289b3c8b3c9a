package homography

import (
	"math"
	"math/rand/v2"
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
		for _, n := range []int{MinInliers, 100} {
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
	spread := points(random, 200)
	line, rounded, steps := make([]Point, 200), make([]Point, 200), make([]Point, 200)
	for i := range line {
		x := float64(i)
		line[i] = Point{x, 40 + x/3}
		rounded[i] = Point{x, math.Round(40 + x/3)}
		steps[i] = Point{x, float64(i % 2)}
	}
	same := make([]Point, 200)
	huge := []Point{}
	var broken [2][]Point
	for i, p := range spread {
		huge = append(huge, Point{p.X * 1e300, p.Y * 1e300})
		broken[0] = append(broken[0], p)
		broken[1] = append(broken[1], p)
		if i == 3 {
			broken[0][i].X = math.NaN()
			broken[1][i].Y = math.Inf(1)
		}
	}
	// Many points go to a few that are near each other.
	cluster := make([]Point, 200)
	for i := range cluster {
		cluster[i] = Point{300 + 3*random.Float64(), 200 + 3*random.Float64()}
	}
	for name, pair := range map[string][2][]Point{
		"no points":         {nil, nil},
		"three":             {spread[:3], spread[:3]},
		"one too few":       {spread[:MinInliers-1], spread[:MinInliers-1]},
		"equal":             {same, same},
		"equal in A":        {same, spread},
		"equal in B":        {spread, same},
		"a line":            {line, line},
		"to a line":         {spread, line},
		"from a line":       {line, spread},
		"rounded line":      {rounded, rounded},
		"two near lines":    {steps, steps},
		"not a number":      {broken[0], spread},
		"infinite":          {spread, broken[1]},
		"nothing in common": {spread, points(random, 200)},
		"to a cluster":      {spread, cluster},
		"half equal":        {append(make([]Point, 193), spread[:7]...), spread},
	} {
		h, inliers, ok := Estimate(pair[0], pair[1], 3)
		require.False(t, ok, name)
		require.Nil(t, inliers, name)
		require.Zero(t, h, name)
	}
	if _, _, ok := Estimate(huge, huge, 1e300); ok {
		t.Fatal("no frame for these")
	}
}

// Whatever the points are, elements of a matrix are numbers.
func TestFinite(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	found := 0
	for range 300 {
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
