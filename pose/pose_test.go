package pose

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

var long = flag.Bool("long", false, "test all sets of random pairs, and all photos, at two thresholds")

// A scene is what cameras see of points before and after a motion.
type scene struct {
	camera camera.Camera
	truth  Pose
	a, b   []geometry.Point
	world  []Vector // in the frame of camera A
}

// newScene makes n pairs, of which a share is right, with noise in pixels. It is the same on every
// platform, as are all scenes: products are rounded before they are added.
func newScene(r *rand.Rand, n int, share, noise float64) *scene {
	s := &scene{camera: camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}}
	unit := func() Vector {
		return Vector{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit()
	}
	w := unit().Scale(0.15 * r.Float64())
	s.truth = FromQuaternion(1, w[0], w[1], w[2], unit())
	s.fill(r, n, share, noise, func(x, y float64) float64 { return 4 + float64(8*r.Float64()) })
	return s
}

// fill makes n pairs of points of a scene with the given depths, of which a share is right, with
// noise in pixels.
func (s *scene) fill(r *rand.Rand, n int, share, noise float64, depth func(x, y float64) float64) {
	s.a, s.b, s.world = nil, nil, nil
	for len(s.a) < n {
		p := geometry.Point{X: r.Float64() * 640, Y: r.Float64() * 480}
		x, y, _ := s.camera.Ray(p)
		z := depth(x, y)
		q, ok := s.camera.Project(s.truth.Apply(Vector{x * z, y * z, z}))
		if !ok || q.X < 0 || q.Y < 0 || q.X > 640 || q.Y > 480 {
			continue
		}
		if r.Float64() >= share {
			q = geometry.Point{X: r.Float64() * 640, Y: r.Float64() * 480}
		} else {
			p, q = noisy(r, p, noise), noisy(r, q, noise)
		}
		s.a, s.b, s.world = append(s.a, p), append(s.b, q), append(s.world, Vector{x * z, y * z, z})
	}
}

// noisy returns p with noise.
func noisy(r *rand.Rand, p geometry.Point, noise float64) geometry.Point {
	x := float64(r.NormFloat64() * noise)
	return geometry.Point{X: p.X + x, Y: p.Y + float64(r.NormFloat64()*noise)}
}

// shuffled returns a scene with its pairs in another order.
func (s *scene) shuffled(order []int) *scene {
	c := &scene{camera: s.camera, truth: s.truth}
	for _, i := range order {
		c.a, c.b, c.world = append(c.a, s.a[i]), append(c.b, s.b[i]), append(c.world, s.world[i])
	}
	return c
}

// results are those of all methods.
type results struct {
	motion   Motion
	fit      Fit
	epipolar Epipolar
	errs     [3]error
	masks    [3][]bool
}

// results runs all methods.
func (s *scene) results(t testing.TB, opts Options, distances []float64) (r results) {
	e, err := New(opts)
	require.NoError(t, err)
	for i := range r.masks {
		r.masks[i] = make([]bool, len(s.a))
	}
	r.motion, r.errs[0] = e.Relative(s.camera, s.camera, s.a, s.b, distances, r.masks[0])
	r.fit, r.errs[1] = e.Absolute(s.camera, s.world, s.b, distances, r.masks[1])
	r.epipolar, r.errs[2] = e.Fundamental(s.a, s.b, distances, r.masks[2])
	return r
}

// TestExactData checks that poses of pairs without noise are the true ones to 1e-9, be some of the
// pairs wrong.
func TestExactData(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, share := range []float64{1, 0.7} {
		for range 5 {
			s := newScene(random, 60, share, 0)
			r := s.results(t, Options{InlierThreshold: 0.1}, nil)
			require.Equal(t, [3]error{}, r.errs)
			for k, pose := range []Pose{r.motion.Pose, r.fit.Pose} {
				for i := range 9 {
					require.InDelta(t, s.truth.R[i], pose.R[i], 1e-9, k)
				}
				for i := range 3 {
					require.InDelta(t, s.truth.T[i], pose.T[i], 1e-8, k)
				}
			}
			require.False(t, r.motion.Turn || r.motion.Planar || r.motion.Ambiguous)
			for i, in := range r.masks[2] {
				if in {
					l := r.epipolar.Line(s.a[i])
					require.InDelta(t, 0, l[0]*s.b[i].X+l[1]*s.b[i].Y+l[2], 0.2)
				}
			}
		}
	}
}

// TestOracle checks inliers of noisy pairs by the definitions, which it computes in another way
// and with other functions: Sampson's error from the derivatives of the epipolar constraint by
// finite differences in pixels, depths by least squares, and the distance of projected points.
func TestOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		s := newScene(random, 150, 0.6, 0.7)
		r := s.results(t, Options{}, nil)
		require.Equal(t, [3]error{}, r.errs)
		c := s.camera
		e := func(f func(geometry.Point, geometry.Point) float64, p, q geometry.Point) float64 {
			const h = 0.5
			v := f(p, q)
			sum := 0.0
			for k := range 4 {
				d := [4]float64{}
				d[k] = h
				up := f(geometry.Point{X: p.X + d[0], Y: p.Y + d[1]}, geometry.Point{X: q.X + d[2], Y: q.Y + d[3]})
				down := f(geometry.Point{X: p.X - d[0], Y: p.Y - d[1]}, geometry.Point{X: q.X - d[2], Y: q.Y - d[3]})
				slope := (up - down) / (2 * h)
				sum += slope * slope
			}
			return math.Abs(v) / math.Sqrt(sum)
		}
		m := r.motion.Pose
		volume := func(p, q geometry.Point) float64 { // of R x, T and y
			x := [3]float64{(p.X - c.Cx) / c.Fx, (p.Y - c.Cy) / c.Fy, 1}
			y := [3]float64{(q.X - c.Cx) / c.Fx, (q.Y - c.Cy) / c.Fy, 1}
			var z [3]float64
			for i := range 9 {
				z[i/3] += m.R[i] * x[i%3]
			}
			t := m.T
			return y[0]*(t[1]*z[2]-t[2]*z[1]) + y[1]*(t[2]*z[0]-t[0]*z[2]) + y[2]*(t[0]*z[1]-t[1]*z[0])
		}
		product := func(p, q geometry.Point) float64 {
			f := r.epipolar.F
			return q.X*(f[0]*p.X+f[1]*p.Y+f[2]) + q.Y*(f[3]*p.X+f[4]*p.Y+f[5]) + f[6]*p.X + f[7]*p.Y + f[8]
		}
		counts := [3]int{}
		for i := range s.a {
			p, q := s.a[i], s.b[i]
			for k, in := range [3]bool{r.masks[0][i], r.masks[1][i], r.masks[2][i]} {
				if in {
					counts[k]++
				}
			}
			if d := e(product, p, q); math.Abs(d-2) > 1e-6 {
				require.Equal(t, d < 2, r.masks[2][i], d)
			}
			// A pair in front of both cameras and near to its line is an inlier.
			if d := e(volume, p, q); d > 2+1e-6 {
				require.False(t, r.masks[0][i])
			} else if _, ok := m.Triangulate(c, c, p, q); ok && d < 2-1e-6 {
				require.True(t, r.masks[0][i])
			}
			x := s.world[i]
			var z [3]float64
			for k := range 9 {
				z[k/3] += r.fit.Pose.R[k] * x[k%3]
			}
			for k := range z {
				z[k] += r.fit.Pose.T[k]
			}
			d := math.Hypot(c.Fx*z[0]/z[2]+c.Cx-q.X, c.Fy*z[1]/z[2]+c.Cy-q.Y)
			require.Equal(t, z[2] > 0 && d <= 2, r.masks[1][i], d)
		}
		require.Equal(t, [3]int{r.motion.Inliers, r.fit.Inliers, r.epipolar.Inliers}, counts)
		f := r.epipolar.F
		require.InDelta(t, 0, f[0]*(f[4]*f[8]-f[5]*f[7])-f[1]*(f[3]*f[8]-f[5]*f[6])+f[2]*(f[3]*f[7]-f[4]*f[6]), 1e-15)
	}
}

// TestOrder checks that the order of the pairs makes no difference, to the bit, with equal pairs
// and such that do not count among them.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	s := newScene(random, 120, 0.6, 0.7)
	for i := range 15 {
		s.a, s.b, s.world = append(s.a, s.a[i]), append(s.b, s.b[i]), append(s.world, s.world[i])
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e12} {
		s.a = append(s.a, s.a[0], geometry.Point{X: v})
		s.b = append(s.b, geometry.Point{Y: v}, s.b[1])
		s.world = append(s.world, s.world[0], Vector{0, 0, 1e90 * v})
	}
	want := s.results(t, Options{}, nil)
	require.Equal(t, [3]error{}, want.errs)
	for i := 135; i < len(s.a); i++ {
		require.False(t, want.masks[0][i] || want.masks[1][i] || want.masks[2][i])
	}
	// Without what does not count the result is the same.
	clean := s.shuffled(random.Perm(135)).results(t, Options{}, nil)
	require.Equal(t, want.motion, clean.motion)
	require.Equal(t, want.epipolar, clean.epipolar)
	for range 3 {
		order := random.Perm(len(s.a))
		got := s.shuffled(order).results(t, Options{}, nil)
		require.Equal(t, want.motion, got.motion)
		require.Equal(t, want.fit, got.fit)
		require.Equal(t, want.epipolar, got.epipolar)
		for k := range want.masks {
			for i, from := range order {
				require.Equal(t, want.masks[k][from], got.masks[k][i])
			}
		}
	}
}

// TestInstructionSets checks that results do not depend on the instruction set, to the bit, nor
// does the number of samples, although some kernels solve samples before their turn.
func TestInstructionSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	errors := 0
	for round := range rounds {
		s := newScene(random, 12+random.IntN(150), 0.2+0.8*random.Float64(), 0.7)
		opts := Options{MaxSamples: 1 + random.IntN(400), Seed: uint64(round)}
		var distances []float64
		for i := 0; round%2 > 0 && i < len(s.a); i++ {
			distances = append(distances, random.Float64())
		}
		restore := cpu.Limit(0)
		want := s.results(t, opts, distances)
		restore()
		for row := range table.Available() {
			restore := cpu.Limit(row.Needs)
			got := s.results(t, opts, distances)
			restore()
			require.Equal(t, want, got, "%s, round %d", row.Name, round)
		}
		if want.errs[2] != nil {
			errors++
		}
	}
	require.Less(t, errors, rounds)
}

// TestRefuses checks that there is no answer, and nothing in the masks, where there is none.
func TestRefuses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	refused := func(s *scene, opts Options, want ...error) {
		t.Helper()
		r := s.results(t, opts, nil)
		require.Equal(t, want, r.errs[:])
		for k, err := range r.errs {
			if err != nil {
				require.NotContains(t, r.masks[k], true)
			}
		}
		if r.errs[0] != nil {
			require.Zero(t, r.motion)
		}
		if r.errs[1] != nil {
			require.Zero(t, r.fit)
		}
		if r.errs[2] != nil {
			require.Zero(t, r.epipolar)
		}
	}
	for _, n := range []int{0, 2, 3, 4, 5} {
		refused(newScene(random, n, 1, 0), Options{}, ErrPairs, ErrPairs, ErrPairs)
	}
	for i, n := range []int{12, 20, 100, 400} {
		for j, threshold := range []float64{1, 4} {
			if testing.Short() && i%2 != j {
				continue
			}
			refused(newScene(random, n, 0, 0), Options{InlierThreshold: threshold, MaxSamples: 1000}, ErrSupport, ErrSupport, ErrSupport)
		}
	}
	place, line := newScene(random, 50, 1, 0), newScene(random, 50, 1, 0)
	for i := range place.a {
		place.a[i], place.b[i], place.world[i] = place.a[0], place.b[0], place.world[0]
		v := float64(i) / 10
		line.world[i] = Vector{v - 2, v / 2, 6 + v}
		line.a[i], _ = line.camera.Project(line.world[i])
		line.b[i], _ = line.camera.Project(line.truth.Apply(line.world[i]))
	}
	refused(place, Options{}, ErrDegenerate, ErrDegenerate, ErrDegenerate)
	refused(line, Options{}, ErrDegenerate, ErrDegenerate, ErrDegenerate)
	// Twenty times the same nine pairs are only nine hints.
	few := newScene(random, 9, 1, 0)
	order := make([]int, 180)
	for i := range order {
		order[i] = i % 9
	}
	refused(few.shuffled(order), Options{}, ErrSupport, ErrSupport, ErrSupport)
	// A plane determines a motion, or two, but no fundamental matrix.
	plane := newScene(random, 80, 1, 0)
	for i := range plane.a {
		x, y, _ := plane.camera.Ray(plane.a[i])
		z := 7 / (1 + 0.3*x - 0.2*y)
		plane.world[i] = Vector{x * z, y * z, z}
		plane.b[i], _ = plane.camera.Project(plane.truth.Apply(plane.world[i]))
	}
	refused(plane, Options{}, nil, nil, ErrDegenerate)
	r := plane.results(t, Options{}, nil)
	require.True(t, r.motion.Planar)
	// A turn.
	turn := newScene(random, 80, 1, 0)
	turn.truth.T = Vector{}
	for i := range turn.a {
		turn.b[i], _ = turn.camera.Project(turn.truth.Apply(turn.world[i]))
		turn.b[i].X += 0.05 * random.NormFloat64()
	}
	refused(turn, Options{}, nil, nil, ErrDegenerate)
	r = turn.results(t, Options{}, nil)
	require.True(t, r.motion.Turn)
	require.Zero(t, r.motion.Pose.T)
	for i := range 9 {
		require.InDelta(t, turn.truth.R[i], r.motion.Pose.R[i], 1e-4)
	}
}

// TestRandomPairs checks that there is no answer for pairs of random points: with the flag, 195
// sets for each method.
func TestRandomPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	step := 8 // of which one set is looked at
	switch {
	case *long:
		step = 1
	case testing.Short():
		step = 100
	}
	sets := 0
	for _, n := range []int{12, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000} {
		for _, threshold := range []float64{1, 2, 4} {
			for range 5 {
				s := newScene(random, n, 0, 0)
				if sets++; sets%step != 0 {
					continue
				}
				r := s.results(t, Options{InlierThreshold: threshold}, nil)
				for k, err := range r.errs {
					require.ErrorIs(t, err, ErrSupport, "method %d, %d pairs, threshold %g", k, n, threshold)
				}
			}
		}
	}
	require.Equal(t, 195, sets)
}

// TestBothMotionsOfPlane checks that the second motion of a plane explains it as exactly as the
// first one, and that one of the two is the true one.
func TestBothMotionsOfPlane(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	ambiguous := 0
	for range 6 {
		s := newScene(random, 100, 1, 0)
		for i := range s.a {
			x, y, _ := s.camera.Ray(s.a[i])
			z := 7 / (1 + 0.6*x - 0.4*y)
			s.b[i], _ = s.camera.Project(s.truth.Apply(Vector{x * z, y * z, z}))
		}
		m := s.results(t, Options{}, nil).motion
		if !m.Ambiguous {
			continue
		}
		ambiguous++
		off := func(p Pose) (d float64) {
			for i := range 9 {
				d = max(d, math.Abs(p.R[i]-s.truth.R[i]))
			}
			return d
		}
		require.Less(t, min(off(m.Pose), off(m.Other)), 1e-6)
		require.Greater(t, max(off(m.Pose), off(m.Other)), 1e-3)
		for _, p := range []Pose{m.Pose, m.Other} {
			e := p.Essential()
			for i := range s.a {
				x, y, _ := s.camera.Ray(s.a[i])
				u, v, _ := s.camera.Ray(s.b[i])
				require.InDelta(t, 0, u*(e[0]*x+e[1]*y+e[2])+v*(e[3]*x+e[4]*y+e[5])+e[6]*x+e[7]*y+e[8], 1e-7)
			}
		}
	}
	require.Positive(t, ambiguous)
}

// TestSameBits checks that results have the same bits on every platform. The hash is that of
// portable Go on amd64.
func TestSameBits(t *testing.T) {
	h := fnv.New64a()
	for i, c := range goldens() {
		o := outcomes()[i]
		for _, values := range [][]float64{o.r, o.t, o.otherR, o.otherT} {
			for _, v := range values {
				binary.Write(h, binary.LittleEndian, math.Float64bits(v))
			}
		}
		fmt.Fprint(h, o.inliers, o.beyond, o.mask, o.err)
		if c.Method != "relative" || o.err != nil || o.turn {
			continue
		}
		c := camera.Camera{Fx: 536, Fy: 535.5, Cx: 342.25, Cy: 235.5, K1: -0.265625, K2: -0.0390625, P1: 0.001953125, P2: -0.000244140625, K3: 0.234375}
		p := Pose{Rotation(o.r), Vector(o.t)}
		w, x, y, z := p.Quaternion()
		q := FromQuaternion(w, x, y, z, p.T).Mul(p.Inverse())
		point, _ := p.Triangulate(c, c, geometry.Point{X: 310, Y: 250}, geometry.Point{X: 320, Y: 245})
		seen, _ := c.Project(q.Apply(Vector{1, 2, 9}))
		for _, v := range slices.Concat(q.R[:], q.T[:], point[:], []float64{seen.X, seen.Y}) {
			binary.Write(h, binary.LittleEndian, math.Float64bits(v))
		}
	}
	require.Equal(t, "de948222b0bee8f1", fmt.Sprintf("%016x", h.Sum64()))
}

// TestAllocations checks that nothing is allocated in the steady state.
func TestAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	s := newScene(rand.New(rand.NewPCG(1, 6)), 100, 0.7, 0.7)
	e, err := New(Options{})
	require.NoError(t, err)
	mask, distances := make([]bool, len(s.a)), make([]float64, len(s.a))
	require.Zero(t, imagetest.Allocs(10, func() {
		e.Relative(s.camera, s.camera, s.a, s.b, distances, mask)
		e.Absolute(s.camera, s.world, s.b, distances, mask)
		e.Fundamental(s.a, s.b, distances, mask)
	}))
}

// TestReleased checks that nothing of the caller's is kept.
func TestReleased(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	for name, estimate := range map[string]func(s *scene, distances []float64, mask []bool){
		"relative": func(s *scene, distances []float64, mask []bool) {
			e.Relative(s.camera, s.camera, s.a, s.b, distances, mask)
		},
		"absolute": func(s *scene, distances []float64, mask []bool) {
			e.Absolute(s.camera, s.world, s.b, distances, mask)
		},
		"fundamental": func(s *scene, distances []float64, mask []bool) { e.Fundamental(s.a, s.b, distances, mask) },
	} {
		imagetest.RequireReleased(t, func(m imagetest.Memory) {
			s := newScene(rand.New(rand.NewPCG(1, 6)), 100, 0.7, 0.7)
			mask, distances := make([]bool, len(s.a)), make([]float64, len(s.a))
			estimate(s, distances, mask)
			imagetest.Watch(m, name+": points of A", &s.a[0])
			imagetest.Watch(m, name+": points of B", &s.b[0])
			imagetest.Watch(m, name+": world", &s.world[0])
			imagetest.Watch(m, name+": distances", &distances[0])
			imagetest.Watch(m, name+": mask", &mask[0])
		})
	}
	runtime.KeepAlive(e)
}

// TestPanics checks the lengths of slices and cameras.
func TestPanics(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	c, p := camera.Camera{Fx: 1, Fy: 1}, make([]geometry.Point, 3)
	require.PanicsWithValue(t, "pose: 3 points, but 2 partners", func() { e.Relative(c, c, p, p[:2], nil, nil) })
	require.PanicsWithValue(t, "pose: 0 points, but 3 partners", func() { e.Absolute(c, nil, p, nil, nil) })
	require.PanicsWithValue(t, "pose: 1 distances for 3 pairs", func() { e.Fundamental(p, p, make([]float64, 1), nil) })
	require.PanicsWithValue(t, "pose: room for 4 inliers of 3 pairs", func() { e.Fundamental(p, p, nil, make([]bool, 4)) })
	for _, bad := range []camera.Camera{{}, {Fx: 1}, {Fx: -1, Fy: 1}, {Fx: 1, Fy: 1, K3: math.NaN()}, {Fx: math.Inf(1), Fy: 1}} {
		require.Panics(t, func() { e.Relative(c, bad, p, p, nil, nil) })
		require.Panics(t, func() { e.Relative(bad, c, p, p, nil, nil) })
		require.Panics(t, func() { e.Absolute(bad, make([]Vector, 3), p, nil, nil) })
		require.Panics(t, func() { Pose{}.Triangulate(c, bad, p[0], p[0]) })
	}
	require.Panics(t, func() { FromQuaternion(0, 0, 0, 0, Vector{}) })
	require.Panics(t, func() { FivePoints(p, p) })
	require.Panics(t, func() { SevenPoints(p, p) })
	require.Panics(t, func() { ThreePoints(nil, p) })
}
