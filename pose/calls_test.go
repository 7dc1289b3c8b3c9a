package pose

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// TestInliersBefore checks that what the masks of inliers hold before makes no difference, whether
// there is a result or not.
func TestInliersBefore(t *testing.T) {
	e, err := New(Options{MaxSamples: 200})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 21))
	for _, share := range []float64{0.6, 0} {
		s := newScene(random, 100, share, 0.7)
		want := s.results(t, Options{MaxSamples: 200}, nil)
		var masks [3][]bool
		for k := range masks {
			masks[k] = make([]bool, len(s.a))
			for i := range masks[k] {
				masks[k][i] = true
			}
		}
		e.Relative(s.camera, s.camera, s.a, s.b, nil, masks[0])
		e.Absolute(s.camera, s.world, s.b, nil, masks[1])
		e.Fundamental(s.a, s.b, nil, masks[2])
		require.Equal(t, want.masks, masks)
	}
}

// TestUnusable checks that pairs one coordinate of which is no number, or too large, do not count.
func TestUnusable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 22))
	clean := newScene(random, 40, 1, 0.3)
	want := clean.results(t, Options{}, nil)
	require.Equal(t, [3]error{}, want.errs)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e101} {
		for k := range 7 {
			s := clean.shuffled(random.Perm(40))
			s.a, s.b, s.world = append(s.a, clean.a[0]), append(s.b, clean.b[0]), append(s.world, clean.world[0])
			ofWorld := k > 3
			if ofWorld {
				s.world[40][k-4] = v
			} else {
				*[]*float64{&s.a[40].X, &s.a[40].Y, &s.b[40].X, &s.b[40].Y}[k] = v
			}
			got := s.results(t, Options{}, nil)
			if !ofWorld {
				require.Equal(t, want.motion, got.motion)
				require.Equal(t, want.epipolar, got.epipolar)
				require.False(t, got.masks[0][40] || got.masks[2][40])
			}
			if k > 1 {
				require.Equal(t, want.fit, got.fit)
				require.False(t, got.masks[1][40])
			}
			require.Equal(t, [3]error{}, got.errs)
		}
	}
}

// TestAfterLine checks that pairs on a line, which determine nothing, do not change what is said of the
// pairs of the next call.
func TestAfterLine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 23))
	line, apart := newScene(random, 60, 1, 0), newScene(random, 60, 0, 0)
	for i := range line.a {
		v := float64(i) / 10
		line.world[i] = Vector{v - 2, v / 2, 6 + v}
		line.a[i], _ = line.camera.Project(line.world[i])
		line.b[i], _ = line.camera.Project(line.truth.Apply(line.world[i]))
		line.a[i], line.b[i] = noisy(random, line.a[i], 0.3), noisy(random, line.b[i], 0.3)
		apart.b[i].Y = 240 + random.Float64() // on a line, too, but few agree
	}
	opts := Options{MaxSamples: 50}
	opts.setDefaults()
	supports := 0
	for _, call := range []func(j *job, s *scene) error{
		func(j *job, s *scene) error {
			_, _, err := j.findRelative(&opts, &s.camera, &s.camera, given{a: s.a, b: s.b})
			return err
		},
		func(j *job, s *scene) error {
			_, _, err := j.findAbsolute(&opts, &s.camera, given{world: s.world, b: s.b})
			return err
		},
		func(j *job, s *scene) error { _, _, err := j.findFundamental(&opts, given{a: s.a, b: s.b}); return err },
	} {
		want := call(newJob(), apart)
		if want == ErrSupport {
			supports++
		}
		j := newJob()
		require.Equal(t, ErrDegenerate, call(j, line))
		require.Equal(t, want, call(j, apart))
	}
	require.Positive(t, supports)
}

// TestEightPairs checks that so few pairs suffice if all agree and MinInliers allows for it. Then each
// of them is mixed up with all others, and never with itself.
func TestEightPairs(t *testing.T) {
	found := 0
	for seed := range uint64(20) {
		s := newScene(rand.New(rand.NewPCG(seed, 24)), 8, 1, 0)
		r := s.results(t, Options{MinInliers: 6, InlierThreshold: 0.2}, nil)
		if r.errs[0] == nil {
			require.Equal(t, 8, r.motion.Inliers)
			found++
		}
	}
	require.Greater(t, found, 15)
}

// TestFewPlaces checks that many pairs with few places in one of the images are only as many hints as
// there are places, although pairs of a place in A with all of its epipolar line agree.
func TestFewPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 25))
	s := newScene(random, 9, 1, 0)
	few := &scene{camera: s.camera, truth: s.truth}
	for i := range 180 {
		x, y, _ := s.camera.Ray(s.a[i%9])
		z := 4 + 8*random.Float64()
		w := Vector{x * z, y * z, z}
		q, ok := s.camera.Project(s.truth.Apply(w))
		require.True(t, ok)
		few.a, few.b, few.world = append(few.a, s.a[i%9]), append(few.b, q), append(few.world, w)
	}
	r := few.results(t, Options{}, nil)
	require.Equal(t, [3]error{ErrSupport, nil, ErrSupport}, r.errs)
	few.a, few.b = few.b, few.a
	r = few.results(t, Options{}, nil)
	require.Equal(t, [3]error{ErrSupport, ErrSupport, ErrSupport}, r.errs)
}

// TestCompare checks that pairs that differ in anything are in order, which may be that of one number.
func TestCompare(t *testing.T) {
	for name, g := range map[string]given{
		"a":                {a: []geometry.Point{{X: 1}, {X: 2}}, b: make([]geometry.Point, 2)},
		"a, y":             {a: []geometry.Point{{Y: 1}, {Y: 2}}, b: make([]geometry.Point, 2)},
		"b":                {a: make([]geometry.Point, 2), b: []geometry.Point{{X: 1}, {X: 2}}},
		"b, y":             {a: make([]geometry.Point, 2), b: []geometry.Point{{Y: 1}, {Y: 2}}},
		"world":            {world: []Vector{{1}, {2}}, b: make([]geometry.Point, 2)},
		"world, y":         {world: []Vector{{1: 1}, {1: 2}}, b: make([]geometry.Point, 2)},
		"world, z":         {world: []Vector{{2: 1}, {2: 2}}, b: make([]geometry.Point, 2)},
		"world and b":      {world: make([]Vector, 2), b: []geometry.Point{{X: 1}, {X: 2}}},
		"distances":        {a: make([]geometry.Point, 2), b: make([]geometry.Point, 2), distances: []float64{1, 2}},
		"distances, world": {world: make([]Vector, 2), b: make([]geometry.Point, 2), distances: []float64{1, 2}},
	} {
		require.Equal(t, -1, g.Compare(0, 1), name)
		require.Equal(t, 1, g.Compare(1, 0), name)
		require.Zero(t, g.Compare(1, 1), name)
	}
	equal := given{a: make([]geometry.Point, 2), b: make([]geometry.Point, 2)}
	require.Zero(t, equal.Compare(0, 1))
}
