package pose

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// newWalls returns what a camera sees of two walls that meet in front of it, with noise in pixels,
// before and after a motion to the side and, by at least a fourth, forward or backward.
func newWalls(r *rand.Rand, n int, noise float64) *scene {
	s := &scene{camera: camera.Camera{Fx: 500, Fy: 500, Cx: 240, Cy: 180}}
	signed := func() float64 { return 2*r.Float64() - 1 }
	forward := math.Copysign(0.25+float64(0.5*r.Float64()), signed())
	s.truth = FromQuaternion(1, 0, 0.1*signed(), 0.1*signed(), Vector{signed(), signed() / 2, forward})
	for len(s.a) < n {
		p := geometry.Point{X: r.Float64() * 480, Y: r.Float64() * 360}
		x, y, _ := s.camera.Ray(p)
		z := 1 / max((1+float64(0.6*x))/7, (1-float64(0.9*x))/9) // 7-0.6x and 9+0.9x
		q, ok := s.camera.Project(s.truth.Apply(Vector{x * z, y * z, z}))
		if !ok || q.X < 0 || q.Y < 0 || q.X > 480 || q.Y > 360 {
			continue
		}
		s.a, s.b = append(s.a, noisy(r, p, noise)), append(s.b, noisy(r, q, noise))
	}
	return s
}

// sampson returns the squared error of a pair, in pixels.
func (s *scene) sampson(p Pose, i int) float64 {
	f := s.camera.Fx
	x, y := (s.a[i].X-s.camera.Cx)/f, (s.a[i].Y-s.camera.Cy)/f
	u, v := (s.b[i].X-s.camera.Cx)/f, (s.b[i].Y-s.camera.Cy)/f
	e := p.Essential()
	l := [3]float64{e[0]*x + e[1]*y + e[2], e[3]*x + e[4]*y + e[5], e[6]*x + e[7]*y + e[8]}
	k := [2]float64{e[0]*u + e[3]*v + e[6], e[1]*u + e[4]*v + e[7]}
	c := u*l[0] + v*l[1] + l[2]
	return c * c * f * f / (l[0]*l[0] + l[1]*l[1] + k[0]*k[0] + k[1]*k[1])
}

// TestTwoWalls checks that no motion that explains the larger one of two walls, and what is near to
// it, is chosen without a hint where the true one fits better, and that where noise decides, at most
// one in 100 has the wrong hint.
func TestTwoWalls(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 10))
	e, err := New(Options{InlierThreshold: 2})
	require.NoError(t, err)
	scenes := 100
	if testing.Short() {
		scenes = 12
	}
	ambiguous, neither := 0, 0
	for i := range scenes {
		s := newWalls(random, 300, 0.7)
		mask := make([]bool, len(s.a))
		m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, mask)
		require.NoError(t, err)
		requireMask(t, s, &m, mask, 2)
		truth, found := 0.0, 0.0
		for k := range s.a {
			truth += max(0, 1-s.sampson(s.truth, k)/4)
			found += max(0, 1-s.sampson(m.Pose, k)/4)
		}
		off := s.off(m.Pose)
		if m.Ambiguous {
			ambiguous++
			off = min(off, s.off(m.Other))
		}
		switch {
		case truth > found:
			require.Less(t, off, 10.0, i)
		case m.Ambiguous && off >= 10:
			neither++
		}
	}
	require.Positive(t, ambiguous)
	require.LessOrEqual(t, neither, 1)
}

// requireMask checks that the mask of a motion is its own: the inliers are as many as it says, the
// errors of all of them are below the threshold, and so are those of no other pairs in front of
// both cameras.
func requireMask(t *testing.T, s *scene, m *Motion, mask []bool, threshold float64) {
	t.Helper()
	count := 0
	for i, in := range mask {
		if in {
			count++
		}
		if d := s.sampson(m.Pose, i); d > threshold*threshold*(1+1e-6) {
			require.False(t, in, i)
		} else if _, ok := m.Pose.Triangulate(s.camera, s.camera, s.a[i], s.b[i]); ok && d < threshold*threshold*(1-1e-6) {
			require.True(t, in, i)
		}
	}
	require.Equal(t, m.Inliers, count)
}

// TestShareOfPlane checks by the share of points on a plane, without noise, what a motion is said
// to be: from nine tenths on it is Planar, and from about as many on its second motion has nine
// tenths of the support.
func TestShareOfPlane(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 11))
	for _, c := range []struct {
		off               int // the plane, of 100 points
		planar, ambiguous bool
	}{{0, true, true}, {6, true, true}, {10, true, true}, {11, false, false}, {14, false, false}, {25, false, false}, {40, false, false}} {
		s := &scene{camera: camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}}
		s.truth = FromQuaternion(1, 0.01, -0.05, 0.02, Vector{0.6, 0.3, -0.7}.unit())
		for len(s.a) < 100 {
			p := geometry.Point{X: 40 + float64(random.Float64()*560), Y: 40 + float64(random.Float64()*400)}
			x, y, _ := s.camera.Ray(p)
			z := slanted(x, y)
			if len(s.a) < c.off {
				z *= 0.3 + float64(0.3*random.Float64())
			}
			q, ok := s.camera.Project(s.truth.Apply(Vector{x * z, y * z, z}))
			require.True(t, ok)
			s.a, s.b = append(s.a, p), append(s.b, q)
		}
		e, err := New(Options{InlierThreshold: 0.5})
		require.NoError(t, err)
		mask := make([]bool, len(s.a))
		m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, mask)
		require.NoError(t, err)
		require.Equal(t, [2]bool{c.planar, c.ambiguous}, [2]bool{m.Planar, m.Ambiguous}, c.off)
		require.Equal(t, 100, m.Inliers)
		requireMask(t, s, &m, mask, 0.5)
		if c.off > 0 {
			require.Less(t, s.off(m.Pose), 1e-6)
		}
	}
}

// TestLeastParallax checks how many points that are near it takes for a motion not to be a turn:
// half of MinInliers, with the rest at infinity, in images so large that chance adds none.
func TestLeastParallax(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 12))
	for _, near := range []int{3, 4} {
		s := newScene(random, 60, 1, 0)
		for i := range s.a {
			if i >= near {
				x, y, _ := s.camera.Ray(s.a[i])
				far := s.truth
				far.T = Vector{}
				s.b[i], _ = s.camera.Project(far.Apply(Vector{x, y, 1}))
			}
		}
		e, err := New(Options{InlierThreshold: 0.01})
		require.NoError(t, err)
		m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
		require.NoError(t, err)
		require.Equal(t, near < 4, m.Turn, near)
		require.Equal(t, near, m.Parallax)
	}
}

// slanted returns the depth of a plane.
func slanted(x, y float64) float64 { return 7 / (1 + float64(0.3*x) - float64(0.2*y)) }

// TestNoise checks that turns and planes are told where the noise is half of the threshold, so that
// many places are farther than that from where a rotation or a homography takes them, and a fifth
// of the pairs is wrong; and that neither is where there are both depth and a translation. Of
// thousands of scenes it is fewer than one in 1000 that is told wrong, so here one of each kind may be.
func TestNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 11))
	e, err := New(Options{})
	require.NoError(t, err)
	scenes := 60
	if testing.Short() {
		scenes = 4
	}
	var real, turns, planes, matrices int // that were told wrong
	for range scenes {
		s := newScene(random, 200, 0.8, 1)
		m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
		f, none := e.Fundamental(s.a, s.b, nil, nil)
		if err != nil || m.Turn || m.Planar || none != nil || f.OffPlane != f.Inliers {
			real++
		}
		for _, turn := range []bool{true, false} {
			if turn {
				s.truth.T = Vector{}
			} else {
				s.truth.T = Vector{0.8, 0.6, 0}
			}
			s.fill(random, 200, 0.8, 1, slanted)
			m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
			switch {
			case turn && (err != nil || !m.Turn):
				turns++
			case !turn && (err != nil || m.Turn || !m.Planar):
				planes++
			}
			if _, err := e.Fundamental(s.a, s.b, nil, nil); !errors.Is(err, ErrDegenerate) {
				matrices++
			}
		}
	}
	for _, wrong := range []int{real, turns, planes, matrices} {
		require.LessOrEqual(t, wrong, 1, "%d of scenes, %d turns, %d planes, %d matrices", real, turns, planes, matrices)
	}
}

// TestFarTurn checks that a turn is told where the motion that was found turns by another angle,
// with a translation that makes up for it.
func TestFarTurn(t *testing.T) {
	s := newScene(rand.New(rand.NewPCG(1, 13)), 60, 1, 0)
	s.truth.T = Vector{}
	s.fill(rand.New(rand.NewPCG(1, 13)), 60, 1, 0.1, slanted)
	r := new(relative)
	r.twoViews.set(len(s.a), 1e-5, 1e-5)
	var all []int
	rayA, rayB := s.rays()
	for i, a := range rayA {
		r.place(i, a.X, a.Y, rayB[i].X, rayB[i].Y)
		all = append(all, i)
	}
	right := s.truth.R
	_, ok := r.turnOfTwo(&right, all)
	require.False(t, ok)
	far := right.after(Vector{0, 0.1, 0})
	got, ok := r.turnOfTwo(&far, all)
	require.True(t, ok)
	require.InDeltaSlice(t, right[:], got[:], 1e-2)
}

// TestNeededForEpipole checks how many pairs chance explains, with the tail of the binomial
// distribution, added up: no more than one epipole is expected to have one more, and with three fewer
// more than one is.
func TestNeededForEpipole(t *testing.T) {
	j := judge{minInliers: 8, chance: 0.004}
	require.Equal(t, 4, j.neededForEpipole(0, 1))
	require.Equal(t, 4, j.neededForEpipole(2, 1))
	// tail is the probability of at least k of n.
	tail := func(n, k int, p float64) float64 {
		sum := 0.0
		for i := k; i <= n; i++ {
			choose := new(big.Int).Binomial(int64(n), int64(i))
			f, _ := new(big.Float).SetInt(choose).Float64()
			sum += f * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
		}
		return sum
	}
	for _, p := range []float64{0.5, 1.5, 3.5, 20} {
		before := 4
		for n := 3; n < 500; n = n*5/4 + 1 {
			k := j.neededForEpipole(n, p) - 4
			require.GreaterOrEqual(t, k+4, before)
			before = k + 4
			pairs := float64(n*(n-1)) / 2
			require.LessOrEqual(t, pairs*tail(n-2, k+1, p*j.chance), 1.0, n)
			if k > 0 {
				require.Greater(t, pairs*tail(n-2, max(k-3, 0), p*j.chance), 1.0, n)
			}
		}
	}
}

// newDescent returns what a camera sees that looks down at flat ground, 10 below, before and after a
// motion without a turn, with noise in pixels. A share of the pairs is wrong.
func newDescent(r *rand.Rand, motion Vector, noise, wrong float64) *scene {
	s := &scene{camera: camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}, truth: Pose{Identity().R, motion}}
	for y := range 9 {
		for x := range 12 {
			v := Vector{float64(float64(float64(x)-5.5) * 0.9), float64(float64(float64(y)-4) * 0.9), 10}
			p, _ := s.camera.Project(v)
			q, _ := s.camera.Project(s.truth.Apply(v))
			if q.X < 0 || q.Y < 0 || q.X >= 640 || q.Y >= 480 {
				continue
			}
			p, q = noisy(r, p, noise), noisy(r, q, noise)
			if r.Float64() < wrong {
				q = geometry.Point{X: 640 * r.Float64(), Y: 480 * r.Float64()}
			}
			s.a, s.b = append(s.a, p), append(s.b, q)
		}
	}
	return s
}

// TestDescents checks that where two motions explain a plane exactly, the directions of which differ by
// 10 degrees or more, the wrong one is not returned without the other one, whatever the noise is: of
// cameras that look down, descend and drift.
func TestDescents(t *testing.T) {
	exactly, err := New(Options{InlierThreshold: 0.001})
	require.NoError(t, err)
	e, err := New(Options{})
	require.NoError(t, err)
	step := 5 // of which one descent is looked at, in both directions
	switch {
	case *long:
		step = 1
	case testing.Short():
		step = 15
	}
	random := rand.New(rand.NewPCG(1, 14))
	two, wrong := 0, 0
	for i := 0; i <= 40; i += step {
		for k := 0; k < 40; k += step {
			truth := Vector{float64(i-20) / 20, 0.1, -float64(k+1) / 20}
			s := newDescent(random, truth, 0, 0)
			m, err := exactly.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
			require.NoError(t, err)
			if !m.Ambiguous || m.Turn || m.Pose.T.Dot(m.Other.T) > math.Cos(10*math.Pi/180) {
				continue
			}
			require.Less(t, min(s.off(m.Pose), s.off(m.Other)), 0.01)
			two++
			for _, share := range []float64{0, 0.2} {
				for _, noise := range []float64{0, 0.1, 0.2, 0.3, 0.5} {
					s := newDescent(random, truth, noise, share)
					m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
					require.NoError(t, err)
					if m.Turn || m.Ambiguous || s.off(m.Pose) <= 10 {
						continue
					}
					require.Positive(t, noise)
					wrong++
				}
			}
		}
	}
	t.Logf("%d descents, wrong without a hint %d of %d", two, wrong, 10*two)
	require.Greater(t, two, 500/step/step)
	require.LessOrEqual(t, wrong, 10*two/200)
}

// TestSecondMotions checks with noise and wrong pairs that planes are nearly always Ambiguous that two
// motions explain exactly, which differ by 10 degrees or more; that scenes with depth are seldom, planes
// with a relief of 5 percent among them; and that few motions are wrong and not Ambiguous.
func TestSecondMotions(t *testing.T) {
	exactly, err := New(Options{InlierThreshold: 0.001})
	require.NoError(t, err)
	e, err := New(Options{})
	require.NoError(t, err)
	scenes := 100
	switch {
	case *long:
		scenes = 2000
	case testing.Short():
		scenes = 10
	}
	random := rand.New(rand.NewPCG(1, 17))
	type tally struct{ scenes, ambiguous, silent int }
	var deep, relief, plane, two tally // two are those of the planes with two motions
	refused := 0
	for range scenes {
		n, right, noise := []int{50, 100, 200}[random.IntN(3)], []float64{1, 0.8, 0.5}[random.IntN(3)], []float64{0, 0.25, 0.5, 1}[random.IntN(4)]
		for _, kind := range []struct {
			tally *tally
			depth func(x, y float64) float64
		}{
			{&deep, func(x, y float64) float64 { return 4 + float64(8*random.Float64()) }},
			{&relief, func(x, y float64) float64 { return float64(slanted(x, y) * (0.95 + float64(0.1*random.Float64()))) }},
			{&plane, slanted},
		} {
			s := newScene(random, 0, 1, 0)
			s.fill(random, n, right, noise, kind.depth)
			m, err := e.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
			if err != nil {
				refused++
				continue
			}
			tallies := []*tally{kind.tally}
			if kind.tally == &plane {
				s.fill(random, n, 1, 0, slanted)
				x, err := exactly.Relative(s.camera, s.camera, s.a, s.b, nil, nil)
				require.NoError(t, err)
				other := &scene{truth: x.Other}
				if x.Ambiguous && other.off(x.Pose) >= 10 {
					tallies = append(tallies, &two)
				}
			}
			for _, c := range tallies {
				c.scenes++
				if m.Ambiguous {
					c.ambiguous++
				} else if s.off(m.Pose) > 10 {
					c.silent++
				}
			}
		}
	}
	t.Logf("deep %+v, with a relief %+v, planes %+v, with two motions %+v, refused %d", deep, relief, plane, two, refused)
	require.LessOrEqual(t, refused, scenes/100)
	require.LessOrEqual(t, deep.ambiguous+deep.silent, max(scenes/200, 1))
	require.LessOrEqual(t, relief.ambiguous, scenes/10)
	require.LessOrEqual(t, relief.silent, max(scenes/100, 1))
	require.LessOrEqual(t, plane.silent, max(scenes/50, 1))
	require.Greater(t, two.scenes, scenes/2)
	require.LessOrEqual(t, two.scenes-two.ambiguous, max(3*two.scenes/100, 1))
}

// TestMotionsOfPlane checks the motions that homographies of planes stand for, but for the sign of the
// translation, in front of either side of the plane, and that none is said of a turn.
func TestMotionsOfPlane(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 15))
	unit := func() Vector { return Vector{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.unit() }
	for range 300 {
		w := unit().Scale(0.4 * random.Float64())
		truth := FromQuaternion(1, w[0], w[1], w[2], unit())
		n := unit().Scale(0.05 + 0.3*random.Float64()) // divided by the distance
		h := *truth.R.matrix()
		for i := range 9 {
			h[i] += truth.T[i/3] * n[i%3]
		}
		h = h.scaled(random.NormFloat64())
		both, ok := motionsOfPlane(&h)
		require.True(t, ok)
		least := math.Inf(1)
		for _, p := range both {
			for _, sign := range []float64{1, -1} {
				d := p.T.Scale(sign).Sub(truth.T).Norm()
				for i, v := range p.R {
					d = max(d, math.Abs(v-truth.R[i]))
				}
				least = min(least, d)
			}
		}
		require.Less(t, least, 1e-6)
	}
	turn := FromQuaternion(1, 0.1, 0.2, 0.3, Vector{})
	_, ok := motionsOfPlane(turn.R.matrix())
	require.False(t, ok)
}

// TestFewOfPlane checks how often Fundamental refuses sets of 15 to 30 pairs that are not on a plane, and
// how often that depends on the seed, with a step that is short for the depth; and that it seldom has an
// answer for a plane.
func TestFewOfPlane(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 16))
	scenes := 100
	switch {
	case *long:
		scenes = 1000
	case testing.Short():
		scenes = 20
	}
	refused, bySeed, answered := 0, 0, 0
	for i := range scenes {
		n, noise, right := 15+random.IntN(16), []float64{0.1, 0.25, 0.5, 1}[random.IntN(4)], []float64{1, 0.8}[i%2]
		s := newScene(random, 0, 1, 0)
		s.truth.T = s.truth.T.Scale(0.3)
		s.fill(random, n, right, noise, func(x, y float64) float64 { return 4 + float64(8*random.Float64()) })
		plane := newScene(random, 0, 1, 0)
		plane.fill(random, n, right, noise, slanted)
		degenerate := 0
		for seed := range 4 {
			e, err := New(Options{Seed: uint64(seed)})
			require.NoError(t, err)
			if _, err := e.Fundamental(s.a, s.b, nil, nil); errors.Is(err, ErrDegenerate) {
				degenerate++
				if seed == 0 {
					refused++
				}
			}
			if _, err := e.Fundamental(plane.a, plane.b, nil, nil); err == nil && seed == 0 {
				answered++
			}
		}
		if degenerate > 0 && degenerate < 4 {
			bySeed++
		}
	}
	t.Logf("of %d scenes, %d refused, %d by the seed, %d planes with an answer", scenes, refused, bySeed, answered)
	require.LessOrEqual(t, refused, max(scenes/11, 4))
	require.LessOrEqual(t, bySeed, max(scenes/30, 2))
	require.LessOrEqual(t, answered, max(scenes/100, 1))
}
