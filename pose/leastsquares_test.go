package pose

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// TestLeastSquaresExact checks that exact points lead to the true pose, which is one of several for
// three points, whether they are flat, nearly so or not, and wherever the world has its origin.
func TestLeastSquaresExact(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	var poses [5]int // of three points
	for range 60 {
		for _, n := range []int{3, 4, 5, 6, 7, 12, 40} {
			for _, thickness := range []float64{0, 1e-5, 0.01, 0.2, 1} {
				s := newCard(random, n, thickness)
				s.noise = 0
				require.True(t, s.see(random))
				far := Vector{1000 * random.NormFloat64(), 1000 * random.NormFloat64(), 1000 * random.NormFloat64()}
				for i := range s.world {
					s.world[i] = s.world[i].Add(far)
				}
				s.truth.T = s.truth.T.Sub(s.truth.R.apply(far))
				found, err := LeastSquares(s.camera, s.world, s.image, 0.1)
				require.NoError(t, err)
				least := math.Inf(1)
				for _, m := range found.Minima {
					if n == 3 {
						require.Less(t, m.Error, 1e-6)
					}
					d := m.Pose.Center().Sub(s.truth.Center()).Norm() / s.truth.Apply(s.world[0]).Norm()
					for i, v := range m.Pose.R {
						d = max(d, math.Abs(v-s.truth.R[i]))
					}
					if n > 3 && m != found.Minima[0] {
						break
					}
					least = min(least, d)
				}
				require.Less(t, least, 1e-5, "%d points, thickness %g", n, thickness)
				if n == 3 {
					poses[len(found.Minima)]++
					require.Equal(t, len(found.Minima) > 1, found.Ambiguous)
				} else {
					require.LessOrEqual(t, len(found.Minima), 2)
				}
			}
		}
	}
	require.Zero(t, poses[0])
	require.Positive(t, poses[2])
	require.Positive(t, poses[4])
}

// TestFourPoints checks that LeastSquares never returns the worse one of two minima of four points
// anywhere on a plane.
func TestFourPoints(t *testing.T) {
	random, others := rand.New(rand.NewPCG(13, 1)), rand.New(rand.NewPCG(13, 99))
	var tally cardTally
	for range 5 * cardScenes() {
		s := newCard(random, 5, 0)
		s.world, s.image = s.world[:4], s.image[:4]
		found, err := LeastSquares(s.camera, s.world, s.image, s.noise)
		require.NoError(t, err)
		var poses []Pose
		for _, m := range found.Minima {
			poses = append(poses, m.Pose)
		}
		tally.add(s, others, poses, found.Ambiguous, nil)
	}
	t.Logf("%+v", tally)
	require.Zero(t, tally.worse)
	require.LessOrEqual(t, tally.silent, 1)
	require.Zero(t, tally.needless)
}

// TestKeep checks that minima are in order, also if a better pose takes the place of one that is
// known.
func TestKeep(t *testing.T) {
	at := func(x float64) Pose { return Pose{Identity().R, Vector{x, 0, 1}} }
	kept := func(all ...placed) (p placer) {
		for _, g := range all {
			p.keep(g)
		}
		return p
	}
	a, b, c, d := placed{at(0), 1}, placed{at(1), 2}, placed{at(2), 3}, placed{at(3), 4}
	better := placed{at(2 + 1e-5), 0.5}
	for _, s := range []struct{ given, want []placed }{
		{[]placed{b, d, a, c}, []placed{a, b, c, d}},
		{[]placed{a, b, c, better}, []placed{better, a, b}},
		{[]placed{better, a, b, c}, []placed{better, a, b}},
		{[]placed{d, c, b, a, better}, []placed{better, a, b, d}},
		{[]placed{a, b, c, d, {at(4), 2.5}}, []placed{a, b, {at(4), 2.5}, c}},
		{[]placed{a, b, c, d, {at(4), 5}}, []placed{a, b, c, d}},
		{[]placed{a, {at(5), math.Inf(1)}}, []placed{a}},
	} {
		p := kept(s.given...)
		require.Equal(t, s.want, p.minima[:p.count])
	}
}

// TestBodies checks that LeastSquares never returns the worse one of two minima of four points and more
// of bodies of any thickness.
func TestBodies(t *testing.T) {
	scenes := 5
	switch {
	case *long:
		scenes = 400
	case testing.Short():
		scenes = 1
	}
	random, others := rand.New(rand.NewPCG(12, 1)), rand.New(rand.NewPCG(12, 99))
	var tally cardTally
	for range scenes {
		for _, thickness := range []float64{0.02, 0.1, 0.5, 1} {
			for _, n := range []int{4, 5, 6, 7, 10, 30} {
				s := newCard(random, n, thickness)
				found, err := LeastSquares(s.camera, s.world, s.image, s.noise)
				require.NoError(t, err)
				var poses []Pose
				for _, m := range found.Minima {
					poses = append(poses, m.Pose)
				}
				tally.add(s, others, poses, found.Ambiguous, nil)
			}
		}
	}
	t.Logf("%+v", tally)
	require.LessOrEqual(t, tally.worse, tally.scenes/1000)
}

// TestRefineView checks that Refine leads to the minimum near a pose, as another method finds it.
func TestRefineView(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 2))
	for range 100 {
		s := newCard(random, 4+random.IntN(20), random.Float64())
		off := Vector{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		near := FromQuaternion(1, 0.01*off[0], 0.01*off[1], 0.01*off[2], off).Mul(s.truth)
		got, err := View{s.camera, near}.Refine(s.world, s.image)
		require.NoError(t, err)
		_, squares := s.minimum(near)
		n := float64(len(s.world))
		require.InEpsilon(t, squares, got.Error*got.Error*n, 1e-5)
		require.InEpsilon(t, s.squares(got.Pose), got.Error*got.Error*n, 1e-9)
	}
}

// TestLeastSquaresDistorted checks that the errors are in undistorted pixels of the camera's own model.
func TestLeastSquaresDistorted(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 3))
	c := camera.Camera{Fx: 600, Fy: 590, Cx: 320, Cy: 240, K1: -0.2, K2: 0.05, P1: 0.001, P2: -0.0005}
	for _, thickness := range []float64{0, 0.5} {
		s := newCard(random, 12, thickness)
		image := projections(t, c, s.truth, s.world)
		found, err := LeastSquares(c, s.world, image, 0.1)
		require.NoError(t, err)
		requirePose(t, s.truth, found.Minima[0].Pose, 1e-7)
		for i := range image {
			image[i] = noisy(random, image[i], 1)
		}
		found, err = LeastSquares(c, s.world, image, 1)
		require.NoError(t, err)
		sum := 0.0
		for i, w := range s.world {
			q := found.Minima[0].Pose.Apply(w)
			x, y := undistorted(&c, image[i])
			sum += math.Pow(c.Fx*q[0]/q[2]+c.Cx-x, 2) + math.Pow(c.Fy*q[1]/q[2]+c.Cy-y, 2)
		}
		require.InDelta(t, math.Sqrt(sum/12), found.Minima[0].Error, 1e-6)
	}
}

// TestLeastSquaresRefuses checks where there is no pose, and what pairs do not count.
func TestLeastSquaresRefuses(t *testing.T) {
	s := newCard(rand.New(rand.NewPCG(5, 4)), 8, 0.3)
	refused := func(want error, world []Vector, image []geometry.Point) {
		t.Helper()
		found, err := LeastSquares(s.camera, world, image, 1)
		require.ErrorIs(t, err, want)
		require.Zero(t, found)
		placed, err := View{s.camera, s.truth}.Refine(world, image)
		require.ErrorIs(t, err, want)
		require.Zero(t, placed)
	}
	for n := range 3 {
		refused(ErrPairs, s.world[:n], s.image[:n])
	}
	want, err := LeastSquares(s.camera, s.world, s.image, 1)
	require.NoError(t, err)
	world, image := slices.Clone(s.world), slices.Clone(s.image)
	for _, v := range []float64{math.NaN(), math.Inf(1), -1e101} {
		world, image = append(world, world[0], Vector{0, v, 0}), append(image, geometry.Point{X: v, Y: 3}, image[0])
	}
	got, err := LeastSquares(s.camera, world, image, 1)
	require.NoError(t, err)
	require.Equal(t, want, got)
	refused(ErrPairs, world[6:], image[6:])

	line, place := make([]Vector, 8), make([]Vector, 8)
	for i := range line {
		line[i], place[i] = Vector{float64(i), 2 * float64(i), -float64(i)}, Vector{1, 2, 3}
	}
	refused(ErrDegenerate, line, s.image)
	refused(ErrDegenerate, place, s.image)

	// A pose that has points behind the camera is nothing to begin with.
	behind := s.truth
	behind.T[2] -= 1e4
	_, err = View{s.camera, behind}.Refine(s.world, s.image)
	require.ErrorIs(t, err, ErrDegenerate)

	require.PanicsWithValue(t, "pose: 8 points, but 7 partners", func() { LeastSquares(s.camera, s.world, s.image[:7], 1) })
	require.PanicsWithValue(t, "pose: 7 points, but 8 partners", func() { View{s.camera, s.truth}.Refine(s.world[:7], s.image) })
	require.PanicsWithValue(t, "camera: Fx is 0, not positive", func() { LeastSquares(camera.Camera{}, s.world, s.image, 1) })
	require.PanicsWithValue(t, "pose: View with a Pose whose R is not a rotation", func() { View{Camera: s.camera}.Refine(s.world, s.image) })
	for _, noise := range []float64{-1, math.NaN(), math.Inf(1)} {
		require.PanicsWithValue(t, fmt.Sprintf("pose: noise is %g, not a finite number from 0", noise), func() { LeastSquares(s.camera, s.world, s.image, noise) })
	}
}

// TestLeastSquaresAllocations checks that only the result is allocated in the steady state.
func TestLeastSquaresAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	for _, n := range []int{3, 4, 40} {
		s := newCard(rand.New(rand.NewPCG(5, 5)), n, 0)
		v := View{s.camera, s.truth}
		require.Equal(t, 1.0, imagetest.Allocs(10, func() { LeastSquares(s.camera, s.world, s.image, 1) }))
		require.Zero(t, imagetest.Allocs(10, func() { v.Refine(s.world, s.image) }))
	}
}

// TestLeastRatio compares the quotient of squared errors that noise exceeds at most as often as a normal
// deviate exceeds 4 with Student's distribution, which it integrates.
func TestLeastRatio(t *testing.T) {
	tail := func(from, f float64) float64 { // of both ends, of the density (1 + x x/f)^(-(f+1)/2)
		sum := func(from float64) float64 {
			total := 0.0
			const n = 20_000
			for i := range n { // x = from + u/(1-u)
				u := (float64(i) + 0.5) / n
				x := from + u/(1-u)
				total += math.Pow(1+x*x/f, -(f+1)/2) / ((1 - u) * (1 - u)) / n
			}
			return total
		}
		return sum(from) / sum(0)
	}
	for n := 4; n <= 60; n++ {
		f := float64(2*n - 7)
		got := tail(math.Sqrt(f*(leastRatio(n)-1)), f)
		if got /= math.Erfc(4 / math.Sqrt2); n > 4 {
			require.Greater(t, got, 0.6, n)
		}
		require.Less(t, got, 1.001, n)
	}
}

// TestEigen checks eigenvectors by their definition, with equal eigenvalues and with such that are 0.
func TestEigen(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 300 {
		q := FromQuaternion(random.NormFloat64(), random.NormFloat64(), random.NormFloat64(), random.NormFloat64(), Vector{}).R
		want := Vector{math.Exp(random.NormFloat64()), math.Exp(random.NormFloat64() - 2), math.Exp(random.NormFloat64() - 4)}
		switch round % 4 {
		case 1:
			want[1] = want[0]
		case 2:
			want[2] = 0
		case 3:
			want[1], want[2] = 0, 0
		}
		var m matrix
		for i := range 3 {
			for k := range 3 {
				for j, v := range want {
					m[3*i+k] += v * q[3*i+j] * q[3*k+j]
				}
			}
		}
		m[1], m[2], m[5] = m[3], m[6], m[7]
		values, vectors := m.eigen()
		slices.SortFunc(want[:], func(a, b float64) int { return -int(math.Copysign(1, a-b)) })
		require.InDeltaSlice(t, want[:], values[:], 1e-14*(1+want[0]))
		for i, v := range vectors {
			image, scaled := m.apply(v), v.Scale(values[i])
			require.InDeltaSlice(t, scaled[:], image[:], 1e-14*(1+want[0]))
			for k, w := range vectors {
				unit := 0.0
				if i == k {
					unit = 1
				}
				require.InDelta(t, unit, v.Dot(w), 1e-14)
			}
		}
	}
}

// TestPlanePoses checks that the two poses in closed form of an exact plane include the true one.
func TestPlanePoses(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	for range 100 {
		s := newCard(random, 4+random.IntN(10), 0)
		s.noise = 0
		require.True(t, s.see(random))
		var p placer
		require.NoError(t, p.begin(&s.camera, s.world, s.image))
		both, ok := p.planePoses()
		require.True(t, ok)
		truth := p.inside(s.truth)
		require.Less(t, min(turnBetween(&both[0].R, &truth.R), turnBetween(&both[1].R, &truth.R)), 1e-3)
		for _, g := range both {
			r := orthonormal(g.R.matrix())
			require.True(t, r.near(&g.R, 1e-9))
		}
	}
}

// TestLeastSquaresSameBits checks that results have the same bits on every platform. The hash is that
// of amd64.
func TestLeastSquaresSameBits(t *testing.T) {
	h := fnv.New64a()
	add := func(p Pose, more ...float64) {
		for _, v := range slices.Concat(p.R[:], p.T[:], more) {
			binary.Write(h, binary.LittleEndian, math.Float64bits(v))
		}
	}
	count := 0
	for _, g := range goldens() {
		if g.Method != "absolute" {
			continue
		}
		c, _, world, image := g.pairs()
		for _, flat := range []bool{false, true} {
			for _, n := range []int{3, 4, 5, 6, 12} {
				world, image := slices.Clone(world[:min(n, len(world))]), image[:min(n, len(world))]
				for i := range world {
					if flat {
						world[i][2] = 0
					}
				}
				found, err := LeastSquares(c, world, image, 0)
				fmt.Fprint(h, err, found.Ambiguous)
				for _, m := range found.Minima {
					count++
					add(m.Pose, m.Error)
					placed, err := View{c, m.Pose}.Refine(world, image)
					require.NoError(t, err)
					add(placed.Pose, placed.Error)
				}
			}
		}
	}
	require.Greater(t, count, 200)
	require.Equal(t, "fc536e865b33ddda", fmt.Sprintf("%016x", h.Sum64()))
}

// FuzzLeastSquares checks that there are rotations with all points in front of the camera, the errors of
// which are those of their definition, or an error.
func FuzzLeastSquares(f *testing.F) {
	f.Add([]byte{}, 0.0, 0.0, true)
	f.Add([]byte("four corners of a marker"), 1.0, 0.1, true)
	f.Add([]byte("a few points of the world and where they are seen, as floats of 32 bits"), 0.5, -0.3, false)
	f.Add([]byte("aew points of jjjjcc\x10cccccccccc\x10ccc\x00@c\xff\xff\xff\xffcccccccc\xf7\xf7\xf7\xf7\xecs floats of 32 bits"), 44.0, -7.6, true)
	f.Fuzz(func(t *testing.T, data []byte, noise, k1 float64, small bool) {
		if !(noise >= 0 && noise <= math.MaxFloat64) || !(math.Abs(k1) <= math.MaxFloat64) {
			return
		}
		values := numbers(data, small)
		var world []Vector
		var image []geometry.Point
		for ; len(values) >= 5; values = values[5:] {
			world = append(world, Vector{values[0], values[1], values[2]})
			image = append(image, geometry.Point{X: values[3], Y: values[4]})
		}
		c := camera.Camera{Fx: 100, Fy: 120, Cx: 100, Cy: 90, K1: k1}
		found, err := LeastSquares(c, world, image, noise)
		if err != nil {
			require.True(t, errors.Is(err, ErrPairs) || errors.Is(err, ErrDegenerate))
			require.Zero(t, found)
			return
		}
		require.NotEmpty(t, found.Minima)
		last := 0.0
		for _, m := range found.Minima {
			requireRotation(t, m.Pose.R)
			require.GreaterOrEqual(t, m.Error, last)
			last = m.Error
			require.LessOrEqual(t, last, math.MaxFloat64)
			for _, v := range m.Pose.T {
				require.LessOrEqual(t, math.Abs(v), math.MaxFloat64)
			}
			placed, err := View{c, m.Pose}.Refine(world, image)
			if err == nil {
				requireRotation(t, placed.Pose.R)
			}
		}
	})
}
