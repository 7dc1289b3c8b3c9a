package geometry

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// kinds are all kinds.
var kinds = []Kind{Translation, Rigid, Similarity, Affine, Homography}

// maps are what a camera makes of a plane, with the right column for images of some hundred
// pixels, and the least general kind that each is of.
var maps = map[string]struct {
	kind Kind
	t    Transform
}{
	"identity":    {Translation, Transform{1, 0, 0, 0, 1, 0, 0, 0, 1}},
	"shift":       {Translation, Transform{1, 0, -300, 0, 1, 20.5, 0, 0, 1}},
	"rotation":    {Rigid, Transform{0.8, -0.6, 150, 0.6, 0.8, -90.5, 0, 0, 1}},
	"turn":        {Similarity, Transform{0.4, -0.3, 250, 0.3, 0.4, -80, 0, 0, 1}},
	"mirror":      {Affine, Transform{-1, 0, 640, 0, 1, 0, 0, 0, 1}},
	"shear":       {Affine, Transform{1.2, 0.4, -20, 0.1, 0.7, 8, 0, 0, 1}},
	"perspective": {Homography, Transform{0.9, -0.2, 100, 0.15, 1.1, 30, 4e-4, -2e-4, 1}},
	"steep":       {Homography, Transform{1.5, 0.2, -60, -0.1, 2, -40, 2e-3, 1e-3, 1}},
}

// points returns n points of an image of 640x480 pixels.
func points(random *rand.Rand, n int) []Point {
	list := make([]Point, n)
	for i := range list {
		list[i] = Point{random.Float64() * 640, random.Float64() * 480}
	}
	return list
}

func mapAll(t Transform, list []Point) []Point {
	mapped := make([]Point, len(list))
	t.ApplyAll(mapped, list)
	return mapped
}

func distance(p, q Point) float64 {
	return math.Hypot(p.X-q.X, p.Y-q.Y)
}

// estimate estimates with an Estimator of the options.
func estimate(t testing.TB, opts Options, p pairs) (Fit, []bool, error) {
	t.Helper()
	inliers := slices.Repeat([]bool{true}, len(p.a)) // what they were does not matter
	fit, err := newEstimator(t, opts).Estimate(p.a, p.b, p.distances, inliers)
	count := 0
	for _, in := range inliers {
		if in {
			count++
		}
	}
	require.Equal(t, fit.Inliers, count)
	if err != nil {
		require.Zero(t, fit)
	}
	return fit, inliers, err
}

func requireClose(t testing.TB, want, got Transform, tolerance float64, message ...any) {
	t.Helper()
	for i, v := range want {
		require.InDelta(t, v, got[i], tolerance*max(1, math.Abs(v)), message...)
	}
}

// TestExactData checks that exact pairs give the transform that made them, from as few pairs
// as suffice, with all kinds that can express it.
func TestExactData(t *testing.T) {
	for name, m := range maps {
		for _, kind := range kinds {
			if kind < m.kind {
				continue
			}
			for _, n := range []int{kind.Pairs() + 4, 100} {
				a := points(rand.New(rand.NewPCG(1, uint64(n))), n)
				b := mapAll(m.t, a)
				message := fmt.Sprintf("%s as %v by %d pairs", name, kind, n)
				fit, inliers, err := estimate(t, Options{Kind: kind, InlierThreshold: 1}, pairs{a, b, nil})
				require.NoError(t, err, message)
				require.NotContains(t, inliers, false, message)
				require.Equal(t, n, fit.Inliers)
				require.Positive(t, fit.Samples)
				require.Equal(t, 1.0, fit.Transform[8])
				requireClose(t, m.t, fit.Transform, 1e-8, message)

				all, ok := LeastSquares(kind, a, b)
				require.True(t, ok, message)
				requireClose(t, m.t, all, 1e-8, message)
				few, ok := Exact(kind, a[:kind.Pairs()], b[:kind.Pairs()])
				require.True(t, ok, message)
				requireClose(t, m.t, few, 1e-8, message)
				if kind == Homography {
					again, _ := LeastSquares(0, a, b)
					require.Equal(t, all, again)
					again, _ = Exact(0, a[:4], b[:4])
					require.Equal(t, few, again)
				}
				if kind == m.kind {
					requireForm(t, kind, fit.Transform)
					requireForm(t, kind, all)
					requireForm(t, kind, few)
				}
			}
		}
	}
}

// requireForm checks the elements that are the same in all transforms of a kind.
func requireForm(t *testing.T, kind Kind, m Transform) {
	t.Helper()
	require.Equal(t, 1.0, m[8])
	if kind <= Affine {
		require.Zero(t, m[6])
		require.Zero(t, m[7])
	}
	if kind <= Similarity {
		require.Equal(t, m[0], m[4])
		require.Equal(t, m[1], -m[3])
	}
	if kind == Rigid {
		require.InDelta(t, 1, math.Hypot(m[0], m[1]), 4e-16)
	}
	if kind == Translation {
		require.Equal(t, 1.0, m[0])
		require.Zero(t, m[1])
	}
}

// TestMinInliers checks how many exact pairs are enough.
func TestMinInliers(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for _, kind := range kinds {
		a := points(random, 120)
		b := mapAll(maps["shift"].t, a)
		least := kind.Pairs() + 4
		for _, test := range []struct {
			right, n, min int
			want          error
		}{
			{least, least, 0, nil},
			{least - 1, least - 1, 0, ErrPairs},
			{least, least, least + 1, ErrPairs},
			{kind.Pairs() + 1, kind.Pairs() + 1, kind.Pairs() + 1, nil},
			{least, least + 1, 0, ErrSupport}, // one more for each 50
			{least + 1, least + 1, 0, nil},
			{least + 1, 50, 0, nil},
			{least + 1, 51, 0, ErrSupport},
			{least + 2, 100, 0, nil},
			{least + 2, 101, 0, ErrSupport},
		} {
			p := pairs{a[:test.n], slices.Clone(b[:test.n]), nil}
			for i := test.right; i < test.n; i++ {
				p.b[i] = Point{float64(p.a[i].X*1.5) - 40*float64(i%5), float64(480 - 37*i%480)}
			}
			fit, _, err := estimate(t, Options{Kind: kind, MinInliers: test.min}, p)
			require.Equal(t, test.want, err, "%v %v", kind, test)
			if err == nil {
				require.GreaterOrEqual(t, fit.Inliers, test.right)
			}
		}
	}
}

// TestOutliersAndNoise checks what is found among pairs of which 3 of 5 are wrong.
func TestOutliersAndNoise(t *testing.T) {
	const n, outliers = 400, 240
	for name, m := range maps {
		random := rand.New(rand.NewPCG(2, 3))
		a := points(random, n)
		b := mapAll(m.t, a)
		wild := mapAll(m.t, points(random, n))
		distances := make([]float64, n)
		for i := range b {
			distances[i] = float64(20 + random.IntN(60))
			if i%5 < 3 {
				b[i] = wild[i]
				distances[i] += 10
			} else {
				b[i].X += random.NormFloat64() * 0.4
				b[i].Y += random.NormFloat64() * 0.4
			}
		}
		for _, distances := range [][]float64{nil, distances} {
			fit, inliers, err := estimate(t, Options{Kind: m.kind}, pairs{a, b, distances})
			require.NoError(t, err, name)
			requireForm(t, m.kind, fit.Transform)
			right, wrong := 0, 0
			for i, in := range inliers {
				switch {
				case in && i%5 >= 3:
					right++
				case in:
					wrong++
				}
			}
			require.Greater(t, right, (n-outliers)*95/100, name)
			require.Less(t, wrong, 8, name)
			for _, p := range []Point{{0, 0}, {639, 0}, {0, 479}, {639, 479}, {320, 240}} {
				require.Less(t, distance(fit.Transform.Apply(p), m.t.Apply(p)), 1.0, name)
			}
		}
	}
}

// TestLeastSquares checks that the distances that are left are about the least that there can
// be: transforms near the one found leave more.
func TestLeastSquares(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for name, m := range maps {
		a := points(random, 50)
		b := mapAll(m.t, a)
		for i := range b {
			b[i].X += random.NormFloat64()
			b[i].Y += random.NormFloat64()
		}
		left := func(h Transform) float64 {
			sum := 0.0
			for i := range a {
				sum += square(distance(h.Apply(a[i]), b[i]))
			}
			return sum
		}
		h, ok := LeastSquares(m.kind, a, b)
		require.True(t, ok, name)
		requireForm(t, m.kind, h)
		least := left(h)
		require.Less(t, least, left(m.t))
		// Each element by as much as moves points by some thousandths of a pixel.
		steps := []Transform{{2: 0.005}, {5: 0.005}, {1: -1e-5, 3: 1e-5}, {0: 1e-5, 4: 1e-5}, {0: 1e-5}, {1: 1e-5}, {6: 1e-8}, {7: 1e-8}}
		for _, step := range steps[:map[Kind]int{Translation: 2, Rigid: 3, Similarity: 4, Affine: 6, Homography: 8}[m.kind]] {
			for _, factor := range []float64{-1, 1} {
				near := h
				for i, v := range step {
					near[i] += factor * v
				}
				if m.kind == Rigid && step[3] != 0 {
					sin, cos := math.Sincos(math.Atan2(h[3], h[0]) + factor*step[3])
					near = Transform{cos, -sin, h[2], sin, cos, h[5], 0, 0, 1}
				}
				require.Greater(t, left(near), least*(1-1e-9), "%s %v", name, step)
			}
		}
	}
}

// TestLeastSquaresRigid compares rigid transforms with those of a search for the angle with the
// least sum of squared distances, in numbers of 300 bits.
func TestLeastSquaresRigid(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 9))
	for _, n := range []int{2, 3, 4, 5, 7, 12, 22, 40, 59} {
		angle := float64(n) // all around
		sin, cos := math.Sincos(angle)
		a := points(random, n)
		b := mapAll(Transform{cos, -sin, 40, sin, cos, -300, 0, 0, 1}, a)
		for i := range b {
			b[i].X += random.NormFloat64() * 20
			b[i].Y += random.NormFloat64() * 20
		}
		want := bestRigid(a, b)
		got, ok := LeastSquares(Rigid, a, b)
		require.True(t, ok)
		requireForm(t, Rigid, got)
		requireClose(t, want, got, 1e-12, "%d pairs", n)
		if n == 2 {
			exact, ok := Exact(Rigid, a, b)
			require.True(t, ok)
			requireForm(t, Rigid, exact)
			requireClose(t, want, exact, 1e-12)
			half := math.Abs(distance(a[0], a[1])-distance(b[0], b[1])) / 2
			for i, p := range a {
				require.InDelta(t, half, distance(exact.Apply(p), b[i]), 1e-10)
			}
		}
	}

	// The rotation is well determined, although B is far larger than A.
	got, ok := LeastSquares(Rigid, []Point{{-5, 0}, {5, 0}, {0, 0}}, []Point{{-5, 0}, {5, 0}, {0, 1.6e7}})
	require.True(t, ok)
	requireClose(t, Transform{1, 0, 0, 0, 1, 1.6e7 / 3, 0, 0, 1}, got, 1e-6)

	// So it is by two pairs that are much farther apart in one image than in the other.
	for _, extents := range [][2]float64{{1e-20, 1e6}, {1e6, 1e-20}, {3, 1e-9}} {
		a, b := []Point{{2, 3}, {2 + extents[0], 3}}, []Point{{0, 0}, {0, extents[1]}}
		if extents[0] < 1 {
			a[0], a[1].X = Point{}, extents[0]
			a[1].Y = 0
		}
		for i, find := range []func(Kind, []Point, []Point) (Transform, bool){Exact, LeastSquares} {
			got, ok := find(Rigid, a, b)
			require.Equal(t, i == 0 || extents[0] < 1e6*extents[1], ok, extents)
			if !ok {
				continue
			}
			requireClose(t, Transform{0, -1, got[2], 1, 0, got[5], 0, 0, 1}, got, 1e-15)
			middle := got.Apply(Point{(a[0].X + a[1].X) / 2, a[0].Y})
			require.InDelta(t, 0, distance(middle, Point{0, extents[1] / 2}), 1e-15*(extents[0]+extents[1]))
		}
	}

	// All rotations are equally good.
	cross := []Point{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	_, ok = LeastSquares(Rigid, cross, mapAll(maps["mirror"].t, cross))
	require.False(t, ok)
	for _, scale := range []float64{1e-7, 1, 1e13} {
		turned := mapAll(Transform{6e-8, -7e-8, 0, 7e-8, 6e-8, 0, 0, 0, 1}, cross)
		_, ok = LeastSquares(Rigid, turned, mapAll(Transform{-scale, 0, 0, 0, scale, 0, 0, 0, 1}, turned))
		require.False(t, ok, scale)
	}
	_, ok = LeastSquares(Rigid, points(random, 7), slices.Repeat([]Point{{0.3, 0.1}}, 7))
	require.False(t, ok)
}

// bestRigid returns the rigid transform that leaves the least sum of squared distances.
func bestRigid(a, b []Point) Transform {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	add := func(v, w *big.Float) *big.Float { return number(0).Add(v, w) }
	sub := func(v, w *big.Float) *big.Float { return number(0).Sub(v, w) }
	mul := func(v, w *big.Float) *big.Float { return number(0).Mul(v, w) }
	over := func(v, w *big.Float) *big.Float { return number(0).Quo(v, w) }
	count := number(float64(len(a)))
	// left returns what the rotation by some quarters and an angle with the given tangent of
	// its half leaves, and the transform.
	left := func(quarters int, half *big.Float) (*big.Float, Transform) {
		square := mul(half, half)
		c, s := over(sub(number(1), square), add(number(1), square)), over(mul(number(2), half), add(number(1), square))
		for range quarters {
			c, s = sub(number(0), s), c
		}
		var dx, dy []*big.Float
		meanX, meanY := number(0), number(0)
		for i, p := range a {
			x, y := number(p.X), number(p.Y)
			dx = append(dx, sub(number(b[i].X), sub(mul(c, x), mul(s, y))))
			dy = append(dy, sub(number(b[i].Y), add(mul(s, x), mul(c, y))))
			meanX, meanY = add(meanX, over(dx[i], count)), add(meanY, over(dy[i], count))
		}
		sum := number(0)
		for i := range a {
			x, y := sub(dx[i], meanX), sub(dy[i], meanY)
			sum = add(sum, add(mul(x, x), mul(y, y)))
		}
		cos, _ := c.Float64()
		sin, _ := s.Float64()
		x, _ := meanX.Float64()
		y, _ := meanY.Float64()
		return sum, Transform{cos, -sin, x, sin, cos, y, 0, 0, 1}
	}
	least, _ := left(0, number(0))
	quarters := 0
	for q := 1; q < 4; q++ {
		if sum, _ := left(q, number(0)); sum.Cmp(least) < 0 {
			least, quarters = sum, q
		}
	}
	low, high := number(-0.5), number(0.5) // more than an eighth of a turn
	for range 120 {
		third := over(sub(high, low), number(3))
		p, q := add(low, third), sub(high, third)
		atP, _ := left(quarters, p)
		atQ, _ := left(quarters, q)
		if atP.Cmp(atQ) < 0 {
			high = q
		} else {
			low = p
		}
	}
	_, t := left(quarters, low)
	return t
}

// TestRigidKeepsLengths checks that pairs that are enlarged have no rigid transform, unless that
// leaves them within the threshold.
func TestRigidKeepsLengths(t *testing.T) {
	a := points(rand.New(rand.NewPCG(12, 1)), 200)
	for scale, want := range map[float64]error{1: nil, 1.001: nil, 0.998: nil, 1.2: ErrSupport, 0.5: ErrSupport} {
		b := mapAll(Transform{0.8 * scale, -0.6 * scale, 9, 0.6 * scale, 0.8 * scale, -7, 0, 0, 1}, a)
		fit, inliers, err := estimate(t, Options{Kind: Rigid}, pairs{a, b, nil})
		require.Equal(t, want, err, scale)
		if err == nil {
			requireForm(t, Rigid, fit.Transform)
			require.NotContains(t, inliers, false)
			kept, angle, _, ok := fit.Transform.Similarity()
			require.True(t, ok)
			require.InDelta(t, 1, kept, 4e-16)
			require.InDelta(t, math.Atan2(0.6, 0.8), angle, 1e-4)
		}
	}
}

// TestLeastSquaresFails checks points that do not determine a transform.
func TestLeastSquaresFails(t *testing.T) {
	line := []Point{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}
	square := []Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 1}}
	same := make([]Point, 5)
	for _, test := range []struct {
		kind Kind
		a    []Point
		want bool
	}{
		{Homography, line, false},
		{Affine, line, false},
		{Similarity, line, true},
		{Rigid, line, true},
		{Translation, line, true},
		{Homography, square, true},
		{Affine, square, true},
		{Similarity, same, false},
		{Rigid, same, false},
		{Translation, same, true},
		{Homography, square[:3], false},
		{Affine, square[:2], false},
		{Similarity, square[:1], false},
		{Rigid, square[:1], false},
		{Rigid, square[:2], true},
		{Translation, nil, false},
		{Translation, []Point{{math.NaN(), 0}}, false},
		{Translation, []Point{{0, 1e300}}, false},
	} {
		h, ok := LeastSquares(test.kind, test.a, test.a)
		require.Equal(t, test.want, ok, test)
		if ok {
			requireClose(t, maps["identity"].t, h, 1e-12)
		}
	}

	// Points of a line, and one more: no homography, since it could be mapped anywhere.
	for i := range 60 {
		random := rand.New(rand.NewPCG(34, uint64(i)))
		points := []Point{{100 * random.Float64(), 100 * random.Float64()}}
		sin, cos := math.Sincos(float64(i/20) * math.Pi / 4)
		if i < 20 {
			sin, cos = 1, 0
		}
		for range 5 + random.IntN(5) {
			k := 100 * random.Float64()
			points = append(points, Point{50 + cos*k, 50 + sin*k})
		}
		_, ok := LeastSquares(Homography, points, points)
		require.False(t, ok, points)
		_, ok = LeastSquares(Affine, points, points)
		require.True(t, ok, points)
	}

	// Rounded points of lines in many directions.
	for i := range 200 {
		var line []Point
		sin, cos := math.Sincos(float64(i))
		for k := range 6 {
			line = append(line, Point{float64(i%7)*50 + cos*float64(k*k+1), sin * float64(k*k+1)})
		}
		for _, kind := range []Kind{Affine, Homography} {
			_, ok := LeastSquares(kind, line, line)
			require.False(t, ok)
		}
	}
}

// TestMotions checks that the largest of three motions is found where most pairs fit loosely to
// the one between the two others.
func TestMotions(t *testing.T) {
	for _, n := range []int{600, 12_000} {
		for _, shares := range [][3]int{{23, 5, 22}, {22, 10, 18}, {16, 20, 14}, {14, 20, 16}} { // of 50
			a := points(rand.New(rand.NewPCG(15, uint64(n))), n)
			b := slices.Clone(a)
			motions := make([]int, n)
			for i := range b {
				for k := i%50 - shares[0]; k >= 0; k -= shares[motions[i]] {
					motions[i]++
				}
				b[i].X += 4.2 * float64(motions[i])
			}
			want := slices.Index(shares[:], slices.Max(shares[:]))
			_, inliers, err := estimate(t, Options{Kind: Translation}, pairs{a, b, nil})
			require.NoError(t, err)
			for i, in := range inliers {
				require.Equal(t, motions[i] == want, in, "pair %d of %d, %v", i, n, shares)
			}
		}
	}
}

// TestNearlyEqual checks that the first pairs, with which samples are tested, do not decide
// against all of them which of two motions is the better one.
func TestNearlyEqual(t *testing.T) {
	const n = 3000
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(35, seed))
		a := points(random, n)
		b := slices.Clone(a)
		scattered, exact := 0.0, 0.0 // what the pairs of each motion gain
		for i := range b {
			if i%10 < 4 {
				b[i].X += 7
				exact++
				continue
			}
			r := 2.46 * math.Sqrt(random.Float64())
			sin, cos := math.Sincos(2 * math.Pi * random.Float64())
			b[i].X += r * cos
			b[i].Y += r * sin
			scattered += 1 - r*r/9
		}
		if scattered > exact {
			_, inliers, err := estimate(t, Options{Kind: Translation, Seed: seed}, pairs{a, b, nil})
			require.NoError(t, err)
			require.False(t, inliers[0] || inliers[1], "seed %d", seed)
		}
	}
}

// TestSmallObject checks that the motion of the scene is found, and not that of an object that is
// too small for its own to be known, though it has more points.
func TestSmallObject(t *testing.T) {
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(32, seed))
		var a, b []Point
		for range 150 {
			p := Point{300 + 4.5*random.NormFloat64(), 200 + 4.5*random.NormFloat64()}
			a, b = append(a, p), append(b, Point{p.X + 12, p.Y + 9})
		}
		for range 60 { // around it
			sin, cos := math.Sincos(2 * math.Pi * random.Float64())
			p := Point{300 + 20*cos, 200 + 20*sin}
			a, b = append(a, p), append(b, p)
		}
		for _, kind := range []Kind{Rigid, Similarity} {
			_, inliers, err := estimate(t, Options{Kind: kind, Seed: seed}, pairs{a, b, nil})
			require.NoError(t, err)
			require.NotContains(t, inliers[150:], false, kind)
		}
	}
}

// TestReasons checks that the error tells of pairs on a line only if enough of them agree.
func TestReasons(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(33, seed))
		n := 12 + random.IntN(10)
		p := pairs{points(random, n), points(random, n), nil}
		for _, threshold := range []float64{0.5, 1, 3, 10, 30} {
			_, _, err := estimate(t, Options{Kind: Rigid, Seed: seed, MaxSamples: 300, InlierThreshold: threshold, MinInliers: 10}, p)
			require.Equal(t, ErrSupport, err, "threshold %v, seed %d", threshold, seed)
		}
	}

	// The only sample is most likely one of the line, and then there is no other reason.
	const seeds = 20
	flat := 0
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(31, seed))
		var line []Point
		for range 60 {
			line = append(line, Point{400 * random.Float64(), 100 + 2*random.Float64()})
		}
		p := pairs{append(line, points(random, 6)...), append(slices.Clone(line), points(random, 6)...), nil}
		if _, _, err := estimate(t, Options{Kind: Affine, MaxSamples: 1, Seed: seed}, p); err == ErrDegenerate {
			flat++
		}
	}
	require.Greater(t, flat, seeds/2)
}

// TestLargestThreshold checks that exact pairs fit to within any threshold.
func TestLargestThreshold(t *testing.T) {
	p := []Point{{-5, -5}, {5, 5}}
	_, _, err := estimate(t, Options{Kind: Translation, MinInliers: 2, InlierThreshold: math.MaxFloat64}, pairs{p, p, nil})
	require.NoError(t, err)
}

// TestPlaces checks that the inliers must be in as many places of both images as there must be
// inliers.
func TestPlaces(t *testing.T) {
	const n, side = 200, 24
	random := rand.New(rand.NewPCG(16, 1))
	var small []Point
	for range n {
		small = append(small, Point{100 + side*random.Float64(), 100 + side*random.Float64()})
	}
	large := mapAll(Transform{10, 0, 0, 0, 10, 0, 0, 0, 1}, small)
	for _, kind := range []Kind{Similarity, Affine} {
		for least, want := range map[int]error{10: nil, 100: ErrSupport} { // of 9 by 9 places, at most
			for _, p := range []pairs{{small, large, nil}, {large, small, nil}} {
				_, _, err := estimate(t, Options{Kind: kind, MinInliers: least}, p)
				require.Equal(t, want, err, "%v %d", kind, least)
			}
		}
	}
}

// TestBehind checks that a point behind the camera does not fit, though the matrix maps it
// there.
func TestBehind(t *testing.T) {
	h := Transform{1, 0, 0, 0, 1, 0, -1.0 / 400, 0, 1}
	a := points(rand.New(rand.NewPCG(10, 1)), 300)
	for i, p := range a {
		if math.Abs(p.X-400) < 50 {
			a[i].X -= 200
		}
	}
	_, inliers, err := estimate(t, Options{}, pairs{a, mapAll(h, a), nil})
	require.NoError(t, err)
	for i, in := range inliers {
		require.Equal(t, a[i].X < 400, in, a[i])
	}
}

// TestExactFails checks quadrangles that no camera sees so.
func TestExactFails(t *testing.T) {
	corners := []Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}}
	for name, test := range map[string]struct {
		b    []Point
		want bool
	}{
		"the same":    {corners, true},
		"turned":      {[]Point{{1, 0}, {1, 1}, {0, 0}, {0, 1}}, true},
		"mirrored":    {[]Point{{0, 0}, {-1, 0}, {0, 1}, {-1, 1}}, true},
		"three":       {[]Point{{0, 0}, {1, 0}, {2, 0}, {1, 1}}, false},
		"two equal":   {[]Point{{0, 0}, {1, 0}, {0, 1}, {0, 1}}, false},
		"bent over":   {[]Point{{0, 0}, {1, 0}, {0, 1}, {0.1, 0.1}}, false},
		"two change":  {[]Point{{1, 0}, {0, 0}, {0, 1}, {1, 1}}, false},
		"nearly flat": {[]Point{{0, 0}, {1, 0}, {0, 1e-14}, {1, 1e-14}}, false},
		"infinite":    {[]Point{{0, 0}, {1, 0}, {0, 1}, {1, math.Inf(1)}}, false},
	} {
		for _, order := range [][4]int{{2, 0, 3, 1}, {1, 3, 0, 2}, {0, 1, 2, 3}} {
			var a, b []Point
			for _, i := range order {
				a, b = append(a, corners[i]), append(b, test.b[i])
			}
			for _, pair := range [][2][]Point{{a, b}, {b, a}} {
				h, ok := Exact(Homography, pair[0], pair[1])
				require.Equal(t, test.want, ok, name)
				for i, p := range pair[0] {
					if ok {
						require.Less(t, distance(h.Apply(p), pair[1][i]), 1e-12)
						require.Positive(t, h[6]*p.X+h[7]*p.Y+h[8], "in front of the camera")
					}
				}
			}
		}
	}
	line := []Point{{0, 0}, {1, 1}, {2, 2}}
	_, ok := Exact(Affine, line, corners[:3])
	require.False(t, ok)
	_, ok = Exact(Affine, corners[:3], line)
	require.False(t, ok)
	equal := []Point{{5.3, 5.1}, {5.3, 5.1}}
	for _, kind := range []Kind{Rigid, Similarity} {
		_, ok = Exact(kind, corners[:2], equal)
		require.False(t, ok)
		_, ok = Exact(kind, equal, corners[:2])
		require.False(t, ok)
	}
}

// TestExactFinite checks a homography that maps 0, 0 so near to infinity that no finite elements
// divided by its element 8 are left: that of x, y to -1/x, y/x, turned a little.
func TestExactFinite(t *testing.T) {
	a := []Point{{0.5, 0}, {1, 0}, {0.5, 1}, {1, -1}}
	b := []Point{{-2, 0}, {-1, 0}, {-2, 2}, {-1, -1}}
	for _, y := range []float64{0, 1e-310} {
		a[1].Y = y
		h, ok := Exact(Homography, a, b)
		require.Equal(t, y == 0, ok, h)
		if ok {
			require.Zero(t, h[8])
		}
	}
}

// TestLargest checks how large coordinates may be.
func TestLargest(t *testing.T) {
	for i := range 4 {
		for _, v := range []float64{1 << 24, -1 << 24} {
			for factor, want := range map[float64]bool{1: true, 1 + 0x1p-52: false} {
				c := [4]float64{1, 2, 3, 4}
				c[i] = v * factor
				a, b := []Point{{c[0], c[1]}}, []Point{{c[2], c[3]}}
				_, ok := LeastSquares(Translation, a, b)
				require.Equal(t, want, ok, c)
				_, ok = Exact(Translation, a, b)
				require.Equal(t, want, ok, c)
			}
		}
	}
	// Nor may they differ by too little.
	h, ok := LeastSquares(Translation, []Point{{0, 0}, {5e-324, 0}}, []Point{{7, 8}, {7, 8}})
	require.True(t, ok)
	require.Equal(t, Transform{1, 0, 7, 0, 1, 8, 0, 0, 1}, h)
}

// TestThreshold checks that the threshold counts in both images, between that of the smaller
// scale and that of the larger one.
func TestThreshold(t *testing.T) {
	for _, kind := range []Kind{Similarity, Affine, Homography} {
		a := points(rand.New(rand.NewPCG(4, 4)), 100)
		b := mapAll(Transform{0.25, 0, 0, 0, 0.25, 0, 0, 0, 1}, a)
		b[7].X++ // 4 pixels of A; Sampson's error of it is 1.37
		for threshold, want := range map[float64]bool{1.25: false, 1.45: true} {
			for _, p := range []pairs{{a, b, nil}, {b, a, nil}} {
				_, inliers, err := estimate(t, Options{Kind: kind, InlierThreshold: threshold}, p)
				require.NoError(t, err)
				for i, in := range inliers {
					require.Equal(t, i != 7 || want, in, "%v %v %d", kind, threshold, i)
				}
			}
		}
	}
}

// degenerate returns pairs that no transform of a kind follows from, with the reason.
func degenerate() map[string]struct {
	pairs
	reasons [5]error // of kinds, nil where there is a transform
} {
	random := rand.New(rand.NewPCG(5, 6))
	spread := points(random, 60)
	scaled := func(factor float64) []Point {
		return mapAll(Transform{factor, 0, 0, 0, factor, 0, 0, 0, 1}, spread)
	}
	broken, infinite := slices.Clone(spread), slices.Clone(spread)
	for i := range 54 {
		broken[i].X = math.NaN()
		infinite[i].Y = math.Inf(1 - i%2*2)
	}
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
	type list = [5]error
	few := list{ErrPairs, ErrPairs, ErrPairs, ErrPairs, ErrPairs}
	support := list{ErrSupport, ErrSupport, ErrSupport, ErrSupport, ErrSupport}
	flat := list{ErrSupport, ErrDegenerate, ErrDegenerate, ErrDegenerate, ErrDegenerate}
	onLine := list{nil, nil, nil, ErrDegenerate, ErrDegenerate}
	toLine := list{ErrSupport, ErrSupport, ErrSupport, ErrDegenerate, ErrDegenerate}
	numbers := list{nil, nil, nil, ErrPairs, ErrPairs}
	type test = struct {
		pairs
		reasons [5]error
	}
	return map[string]test{
		"no points":         {pairs{nil, nil, nil}, few},
		"three":             {pairs{spread[:3], spread[:3], nil}, few},
		"equal":             {pairs{same, same, nil}, flat},
		"equal in A":        {pairs{same, spread, nil}, flat},
		"equal in B":        {pairs{spread, same, nil}, flat},
		"a line":            {pairs{line, line, nil}, onLine},
		"to a line":         {pairs{spread, line, nil}, toLine},
		"from a line":       {pairs{line, spread, nil}, toLine},
		"from a few pixels": {pairs{scaled(0.01), spread, nil}, flat},
		"to a few pixels":   {pairs{spread, scaled(0.01), nil}, flat},
		"rounded line":      {pairs{rounded, rounded, nil}, onLine},
		"two near lines":    {pairs{steps, steps, nil}, onLine},
		"not numbers":       {pairs{broken, spread, nil}, numbers},
		"infinite":          {pairs{spread, infinite, nil}, numbers},
		"nothing in common": {pairs{spread, points(random, 60), nil}, support},
		"to a cluster":      {pairs{spread, cluster, nil}, flat},
		"huge":              {pairs{scaled(1e300), scaled(1e300), nil}, few},
		"groups":            {pairs{groups[0], groups[1], nil}, support},
		"half equal":        {pairs{append(make([]Point, len(spread)-3), spread[:3]...), spread, nil}, support},
	}
}

// TestNone checks that there is no transform where none can be known.
func TestNone(t *testing.T) {
	samples := 0
	if testing.Short() {
		samples = 2000
	}
	for name, test := range degenerate() {
		for i, want := range test.reasons {
			kind := kinds[i]
			fit, inliers, err := estimate(t, Options{Kind: kind, MaxSamples: samples}, test.pairs)
			if want == nil {
				if name == "not numbers" || name == "infinite" {
					continue // 6 pairs are left
				}
				require.NoError(t, err, "%s, %v", name, kind)
				requireClose(t, maps["identity"].t, fit.Transform, 1e-8)
				continue
			}
			require.Equal(t, want, err, "%s, %v", name, kind)
			require.NotContains(t, inliers, true)
		}
	}
}

// TestPermutations checks that the order of pairs makes no difference, to the bit, with
// duplicates and with pairs that do not count among them.
func TestPermutations(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, kind := range kinds {
		g := recipe{Kind: kind, Seed: 7, N: 300, Permille: 600, Sigma: 500, Distances: true}
		p, _ := g.make()
		for i := range 30 {
			p.a, p.b = append(p.a, p.a[i]), append(p.b, p.b[i])
			p.distances = append(p.distances, p.distances[i]+float64(i%3))
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1<<24 + 2} {
			p.a, p.b = append(p.a, Point{v, 1}, Point{2, 1}), append(p.b, Point{2, 1}, Point{3, v})
			p.distances = append(p.distances, 0, 0)
		}
		p.a, p.b = append(p.a, p.a[1]), append(p.b, p.b[1])
		p.distances = append(p.distances, math.NaN())
		for _, with := range []bool{false, true} {
			use := pairs{p.a, p.b, nil}
			if with {
				use.distances = p.distances
			}
			want, inliers, err := estimate(t, Options{Kind: kind}, use)
			require.NoError(t, err)
			require.NotContains(t, inliers[330:342], true)
			require.True(t, inliers[1])
			require.Equal(t, !with, inliers[342])
			for range 10 {
				var mixed pairs
				order := random.Perm(len(p.a))
				for _, i := range order {
					mixed.a, mixed.b = append(mixed.a, use.a[i]), append(mixed.b, use.b[i])
					if with {
						mixed.distances = append(mixed.distances, use.distances[i])
					}
				}
				got, mask, err := estimate(t, Options{Kind: kind}, mixed)
				require.NoError(t, err)
				require.Equal(t, want, got)
				for k, i := range order {
					require.Equal(t, inliers[i], mask[k])
				}
			}
		}
	}
}

// TestZeros checks that -0 is 0.
func TestZeros(t *testing.T) {
	g := recipe{Kind: Homography, Seed: 8, N: 60, Permille: 800, Sigma: 300}
	p, _ := g.make()
	for i := range 10 {
		p.a[i].X = 0
	}
	want, _, err := estimate(t, Options{}, p)
	require.NoError(t, err)
	for i := range 10 {
		p.a[i].X = math.Copysign(0, -1)
	}
	got, _, err := estimate(t, Options{}, p)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestSizes checks numbers of pairs up to 300,000.
func TestSizes(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 2047, 2048, 2049, 5000, 100_000, 300_000}
	if testing.Short() {
		sizes = sizes[:len(sizes)-2]
	}
	for _, n := range sizes {
		for _, kind := range kinds {
			g := recipe{Kind: kind, Seed: uint64(n), N: n, Permille: 700, Sigma: 300, Distances: n%2 > 0}
			p, _ := g.make()
			fit, _, err := estimate(t, Options{Kind: kind}, p)
			if n < 32 {
				continue // what few pairs say is tested elsewhere
			}
			require.NoError(t, err, "%d pairs, %v", n, kind)
			require.InDelta(t, 0.7*float64(n), float64(fit.Inliers), 0.03*float64(n)+2)
			require.Less(t, distance(g.truth().Apply(Point{320, 240}), fit.Transform.Apply(Point{320, 240})), 1.0)
		}
	}
}

// TestNoAllocation checks that the steady state does not allocate.
func TestNoAllocation(t *testing.T) {
	imagetest.SkipRace(t)
	for _, kind := range kinds {
		g := recipe{Kind: kind, Seed: 3, N: 700, Permille: 400, Sigma: 800, Distances: true}
		p, _ := g.make()
		e, inliers := newEstimator(t, Options{Kind: kind}), make([]bool, g.N)
		few := newEstimator(t, Options{Kind: kind, MinInliers: 10_000})
		none := newEstimator(t, Options{Kind: kind, MinInliers: 600, MaxSamples: 100})
		require.Zero(t, imagetest.Allocs(10, func() {
			_, err := e.Estimate(p.a, p.b, p.distances, inliers)
			if err != nil {
				t.Error(err)
			}
			e.Estimate(p.a[:100], p.b[:100], nil, nil)
			few.Estimate(p.a, p.b, nil, nil)
			none.Estimate(p.a, p.b, nil, nil)
			LeastSquares(kind, p.a, p.b)
			Exact(kind, p.a[:kind.Pairs()], p.b[:kind.Pairs()])
		}), kind)
	}
}

// TestConcurrent uses an Estimator from several goroutines.
func TestConcurrent(t *testing.T) {
	e := newEstimator(t, Options{})
	g := recipe{Kind: Homography, Seed: 1, N: 200, Permille: 500, Sigma: 500}
	p, _ := g.make()
	want, err := e.Estimate(p.a, p.b, nil, nil)
	require.NoError(t, err)
	var group sync.WaitGroup
	for i := range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for k := range 10 {
				if n := 100 + 10*i + k; k%2 > 0 {
					e.Estimate(p.a[:n], p.b[:n], nil, nil)
				} else if got, err := e.Estimate(p.a, p.b, nil, nil); err != nil || got != want {
					t.Error(got, err)
				}
			}
		}()
	}
	group.Wait()
}

// TestRandomPairs checks that pairs that have nothing to do with each other make no
// transform.
func TestRandomPairs(t *testing.T) {
	samples := 0
	if testing.Short() {
		samples = 5000
	}
	for _, kind := range kinds {
		e := newEstimator(t, Options{Kind: kind, MaxSamples: samples})
		for _, n := range []int{5, 8, 13, 20, 50, 100, 300, 1000, 5000} {
			seeds := 25
			switch {
			case testing.Short():
				seeds = 1
			case n > 100:
				seeds = 10 // each takes long
			}
			for seed := range seeds {
				random := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
				a, b := points(random, n), points(random, n)
				fit, err := e.Estimate(a, b, nil, nil)
				require.Error(t, err, "%v, %d pairs, seed %d: %v", kind, n, seed, fit)
			}
		}
	}
}

// TestFinite checks that the elements of a transform are numbers, whatever the points are.
func TestFinite(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	found, rounds := 0, 300
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		n := random.IntN(40)
		levels := 1 + random.IntN(12) // few levels make many points equal or collinear
		draw := func() []Point {
			list := make([]Point, n)
			for i := range list {
				list[i] = Point{float64(random.IntN(levels)), float64(random.IntN(levels))}
			}
			return list
		}
		kind := kinds[random.IntN(len(kinds))]
		threshold := []float64{math.SmallestNonzeroFloat64, 1e-9, 0.5, 3, 1e9, math.MaxFloat64}[random.IntN(6)]
		fit, _, err := estimate(t, Options{Kind: kind, InlierThreshold: threshold, MinInliers: kind.Pairs() + 1, MaxSamples: 2000}, pairs{draw(), draw(), nil})
		if err == nil {
			found++
			require.True(t, fit.Transform.finite(), fit)
		}
	}
	require.Positive(t, found)
}

// TestInstructionSets checks that all of them give the same bits.
func TestInstructionSets(t *testing.T) {
	for _, kind := range kinds {
		for _, n := range []int{20, 300, 3000} {
			g := recipe{Kind: kind, Seed: 5, N: n, Permille: 600, Sigma: 700, Distances: true}
			p, _ := g.make()
			var want Fit
			var mask []bool
			for i, set := range cpu.InstructionSets("geometry") {
				restore := cpu.Limit(set.Set)
				fit, inliers, err := estimate(t, Options{Kind: kind}, p)
				restore()
				require.NoError(t, err)
				if i == 0 {
					want, mask = fit, inliers
				}
				require.Equal(t, want, fit, set.Name)
				require.Equal(t, mask, inliers, set.Name)
			}
		}
	}
}

// TestOptions checks the options that are out of range; what their errors say is tested with
// those of the other packages.
func TestOptions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, opts := range []Options{
		{Kind: Homography + 1},
		{Kind: 255, MinInliers: 9},
		{InlierThreshold: -1},
		{InlierThreshold: nan},
		{InlierThreshold: inf},
		{Confidence: -0.5},
		{Confidence: 1},
		{Confidence: nan},
		{MaxSamples: -1},
		{MaxSamples: 1_000_001},
		{MinInliers: -1},
		{MinInliers: 4},
		{Kind: Translation, MinInliers: 1},
	} {
		_, err := New(opts)
		require.Error(t, err, opts)
	}
	e := newEstimator(t, Options{Kind: Affine, MaxSamples: 1_000_000, MinInliers: 4, Confidence: 0.5, InlierThreshold: 0.1, Seed: 8})
	require.Equal(t, Options{Affine, 0.1, 0.5, 1_000_000, 4, 8}, e.Options())
	for kind, pairs := range map[Kind]int{0: 4, Translation: 1, Rigid: 2, Similarity: 2, Affine: 3, Homography: 4} {
		require.Equal(t, pairs, kind.Pairs())
		require.Equal(t, pairs+4, newEstimator(t, Options{Kind: kind}).Options().MinInliers)
	}
	require.Equal(t, Homography, newEstimator(t, Options{}).Options().Kind)
}

// TestPanics checks slices of different lengths.
func TestPanics(t *testing.T) {
	e := newEstimator(t, Options{})
	p := make([]Point, 5)
	for want, f := range map[string]func(){
		"geometry: 5 points of A, but 4 of B":          func() { e.Estimate(p, p[:4], nil, nil) },
		"geometry: 3 distances for 5 pairs":            func() { e.Estimate(p, p, make([]float64, 3), nil) },
		"geometry: room for 3 inliers of 5 pairs":      func() { e.Estimate(p, p, nil, make([]bool, 3)) },
		"geometry: 0 points of A, but 1 of B":          func() { LeastSquares(Affine, nil, p[:1]) },
		"geometry: 1 points of A, but 0 of B":          func() { Exact(Affine, p[:1], nil) },
		"geometry: 5 pairs for Kind homography, not 4": func() { Exact(Homography, p, p) },
		"geometry: 5 pairs for Kind rigid, not 2":      func() { Exact(Rigid, p, p) },
		"geometry: unknown Kind 6":                     func() { Exact(6, p, p) },
		"geometry: unknown Kind 7":                     func() { LeastSquares(7, p, p) },
		"geometry: unknown Kind 8":                     func() { Kind(8).Pairs() },
		"geometry: room for 5 points of 1":             func() { Transform{}.ApplyAll(p, p[:1]) },
		"geometry: Estimator not made by New":          func() { new(Estimator).Estimate(nil, nil, nil, nil) },
	} {
		require.PanicsWithValue(t, want, f)
	}
}

// TestOrderOfEqualPairs checks that the order of pairs which differ in nothing but their distances
// is not that in which they come.
func TestOrderOfEqualPairs(t *testing.T) {
	const n = 30 // more than are sorted by insertion
	a, b := make([]Point, n), make([]Point, n)
	distances := make([]float64, n)
	for i := range distances {
		distances[i] = float64(i)
	}
	var j job
	for range 2 {
		j.sort(a, b, distances)
		for k, i := range j.sorter.Order {
			require.EqualValues(t, k, distances[i])
		}
		slices.Reverse(distances)
		j.sort(a[:5], b[:5], distances[:5])
		for k, i := range j.sorter.Order[1:] {
			require.Greater(t, distances[i], distances[j.sorter.Order[k]])
		}
	}
}
