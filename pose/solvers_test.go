package pose

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// rays returns those of all points.
func (s *scene) rays() (a, b []geometry.Point) { return s.camera.Rays(s.a), s.camera.Rays(s.b) }

// nearest returns how far the nearest of matrices is from one, up to its sign, all having a
// norm of 1.
func nearest[M ~[9]float64](list []M, want [9]float64) float64 {
	best := math.Inf(1)
	for _, m := range list {
		for _, sign := range []float64{1, -1} {
			s, norm, wantNorm := 0.0, 0.0, 0.0
			for i := range 9 {
				norm += m[i] * m[i]
				wantNorm += want[i] * want[i]
			}
			for i := range 9 {
				d := m[i]/math.Sqrt(norm) - sign*want[i]/math.Sqrt(wantNorm)
				s += d * d
			}
			best = min(best, math.Sqrt(s))
		}
	}
	return best
}

// TestSolvers checks that all samples without noise are solved, and that solutions satisfy the
// constraints of samples with noise.
func TestSolvers(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	rounds := 2000
	if testing.Short() {
		rounds = 300
	}
	for range rounds {
		s := newScene(random, 7, 1, 0)
		a, b := s.rays()
		want := [9]float64(s.truth.Essential())
		require.Less(t, nearest(FivePoints(a[:5], b[:5]), want), 1e-3)
		require.Less(t, nearest(SevenPoints(a, b), want), 1e-3)
		var differences []float64
		for _, p := range ThreePoints(s.world[:3], b[:3]) {
			d := 0.0
			for i := range 9 {
				d = max(d, math.Abs(p.R[i]-s.truth.R[i]))
			}
			differences = append(differences, d)
		}
		require.NotEmpty(t, differences)
		require.Less(t, slices.Min(differences), 1e-5)
	}
	for range 100 {
		s := newScene(random, 7, 0.5, 1)
		a, b := s.rays()
		fits := func(m [9]float64, n int) {
			for i := range n {
				x, y, u, v := a[i].X, a[i].Y, b[i].X, b[i].Y
				require.InDelta(t, 0, u*(m[0]*x+m[1]*y+m[2])+v*(m[3]*x+m[4]*y+m[5])+m[6]*x+m[7]*y+m[8], 1e-9)
			}
		}
		determinant := func(m [9]float64) float64 {
			return m[0]*(m[4]*m[8]-m[5]*m[7]) - m[1]*(m[3]*m[8]-m[5]*m[6]) + m[2]*(m[3]*m[7]-m[4]*m[6])
		}
		for _, e := range FivePoints(a[:5], b[:5]) {
			fits(e, 5)
			require.InDelta(t, 0, determinant(e), 1e-6)
		}
		for _, f := range SevenPoints(a, b) {
			fits(f, 7)
			require.InDelta(t, 0, determinant(f), 1e-9)
		}
		for _, p := range ThreePoints(s.world[:3], b[:3]) {
			for i := range 3 {
				z := p.Apply(s.world[i])
				require.Positive(t, z[2])
				require.InDelta(t, b[i].X, z[0]/z[2], 1e-6)
				require.InDelta(t, b[i].Y, z[1]/z[2], 1e-6)
			}
		}
	}
}

// TestDegenerateSamples checks that seven pairs on lines determine nothing, although rounding makes
// them independent.
func TestDegenerateSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 7))
	for range 200 {
		var a, b []geometry.Point
		for range 7 {
			x, u := random.Float64(), random.Float64()
			a = append(a, geometry.Point{X: x, Y: 0.3*x - 0.7})
			b = append(b, geometry.Point{X: 0.9*u + 0.1, Y: 0.6 - 1.1*u})
		}
		require.Empty(t, SevenPoints(a, b))
		require.Empty(t, FivePoints(a[:5], b[:5]))
	}
}

// TestDoublePoses checks that a pose is told once where the line meets the conic in one point, as
// it does exactly for these points.
func TestDoublePoses(t *testing.T) {
	for _, world := range [][]Vector{
		{{-1, 3, 0}, {-3, 1, -1}, {0, -2, -1}},
		{{0, 0, 1}, {-2, -3, 1}, {0, -1, 1}},
		{{0, 4, -3}, {-3, 3, -2}, {-2, -3, -4}},
		{{-2, 2, -2}, {-2, -1, -4}, {4, -4, -4}},
		{{3, 4, -4}, {0, 4, -4}, {-3, -2, 2}},
		{{-1, 3, 0}, {4, 2, 0}, {0, 0, 0}},
	} {
		var rays []geometry.Point
		for _, p := range world {
			rays = append(rays, geometry.Point{X: p[0] / (p[2] + 8), Y: p[1] / (p[2] + 8)})
		}
		poses := ThreePoints(world, rays)
		require.NotEmpty(t, poses)
		for i, p := range poses {
			require.NotContains(t, poses[:i], p)
		}
	}
}

// times returns the product of two polynomials.
func times(p []float64, q ...float64) []float64 {
	product := make([]float64, len(p)+len(q)-1)
	for i, c := range p {
		for k, d := range q {
			product[i+k] += c * d
		}
	}
	return product
}

// TestRootsBetweenIntervals checks that roots are found that are where intervals are divided.
func TestRootsBetweenIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 6))
	places := []float64{-8, -4, -2, -1, -0.75, -0.5, -0.25, 0, 0.125, 0.5, 0.625, 1, 2, 4, 8}
	for range 2000 {
		p := []float64{random.NormFloat64()}
		roots := make([]float64, 1+random.IntN(6))
		for i, k := range random.Perm(len(places))[:len(roots)] {
			roots[i] = places[k]
			p = times(p, -places[k], 1)
		}
		for len(p)+1 < 11 && random.IntN(3) > 0 {
			z := random.NormFloat64()
			p = times(p, z*z+0.1+random.Float64(), -2*z, 1)
		}
		got := realRoots(nil, p)
		slices.Sort(got)
		slices.Sort(roots)
		require.InDeltaSlice(t, roots, got, 1e-7, p)
	}
}

// TestRealRoots compares with signs that math/big computes: polynomials of degree 10 of which all
// roots are known, and that change their sign near each root that is found and nowhere else.
func TestRealRoots(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		// Some factors have a root each, the others have none.
		var roots []float64
		p := []float64{1}
		for len(p) < 10 {
			if random.IntN(2) == 0 {
				if z := (float64(random.IntN(41)-20) + 0.3) / 8; !slices.Contains(roots, z) {
					roots = append(roots, z)
					p = times(p, -z, 1)
				}
			} else {
				z := random.Float64()*4 - 2
				p = times(p, z*z+0.25, -2*z, 1)
			}
		}
		got := realRoots(nil, p)
		slices.Sort(got)
		slices.Sort(roots)
		require.Len(t, got, len(roots), roots)
		for i, z := range got {
			require.InDelta(t, roots[i], z, 1e-4, "%v %v", roots, got)
			// The sign changes between two places beside the root.
			sign := func(z float64) int {
				sum := new(big.Float).SetPrec(500)
				for k := len(p) - 1; k >= 0; k-- {
					sum.Mul(sum, big.NewFloat(z))
					sum.Add(sum, big.NewFloat(p[k]))
				}
				return sum.Sign()
			}
			require.Equal(t, -1, sign(z-1e-3)*sign(z+1e-3))
		}
	}
}

// TestCubicRoots checks the roots of products of known factors.
func TestCubicRoots(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 8))
	for range 2000 {
		roots := []float64{random.NormFloat64()}
		p := times([]float64{1}, -roots[0], 1)
		if z, w := random.NormFloat64(), random.NormFloat64(); random.IntN(2) == 0 {
			p = times(p, z*z+w*w+0.1, -2*z, 1)
		} else {
			roots = append(roots, z, w)
			p = times(times(p, -z, 1), -w, 1)
		}
		got, n := cubicRoots(p[2], p[1], p[0])
		slices.Sort(got[:n])
		slices.Sort(roots)
		require.InDeltaSlice(t, roots, got[:n], 1e-7, p)
	}
}

// TestTriangulate checks points without noise, and that no point nearby has less error than that
// of noisy ones.
func TestTriangulate(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	s := newScene(random, 200, 1, 0)
	c := s.camera
	for i, a := range s.a {
		x, ok := s.truth.Triangulate(c, c, a, s.b[i])
		require.True(t, ok)
		for k := range 3 {
			require.InDelta(t, s.world[i][k], x[k], 1e-7)
		}
		a.X += random.NormFloat64()
		a.Y += random.NormFloat64()
		b := s.b[i]
		if x, ok = s.truth.Triangulate(c, c, a, b); !ok {
			continue
		}
		cost := func(x Vector) float64 {
			p, _ := c.Project(x)
			q, _ := c.Project(s.truth.Apply(x))
			return math.Hypot(math.Hypot(p.X-a.X, p.Y-a.Y), math.Hypot(q.X-b.X, q.Y-b.Y))
		}
		for range 20 {
			d := Vector{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Scale(1e-3)
			require.Greater(t, cost(x.Add(d)), 0.999*cost(x))
		}
	}
	nowhere := []geometry.Point{{X: math.NaN()}, {X: 1e300, Y: math.Inf(1)}}
	for _, p := range nowhere {
		_, ok := s.truth.Triangulate(c, c, p, s.b[0])
		require.False(t, ok)
	}
	// The same place in both images after a step to the side is infinitely far away.
	aside := Pose{Identity().R, Vector{1, 0, 0}}
	_, ok := aside.Triangulate(c, c, s.a[0], s.a[0])
	require.False(t, ok)
	_, ok = aside.Triangulate(c, c, s.a[0], geometry.Point{X: s.a[0].X - 9, Y: s.a[0].Y}) // behind
	require.False(t, ok)
	// A step back or forward leaves a point behind one of the cameras, whose ray goes on there.
	for _, z := range []float64{-4, -1, 1, 5} {
		for _, step := range []float64{3, -3} {
			p, q := Vector{1, 0.5, z}, Vector{1, 0.5, z + step}
			see := func(v Vector) geometry.Point {
				return geometry.Point{X: v[0]/v[2]*c.Fx + c.Cx, Y: v[1]/v[2]*c.Fy + c.Cy}
			}
			got, ok := Pose{Identity().R, Vector{0, 0, step}}.Triangulate(c, c, see(p), see(q))
			require.Equal(t, z > 0 && z+step > 0, ok, "%v, %v", z, step)
			if ok {
				require.InDeltaSlice(t, p[:], got[:], 1e-9)
			}
		}
	}
}

// TestPoses checks the methods of Pose by each other and by hand.
func TestPoses(t *testing.T) {
	quarter := FromQuaternion(math.Sqrt2, 0, 0, math.Sqrt2, Vector{1, 2, 3}) // x becomes y
	x := quarter.Apply(Vector{5, 0, 7})
	require.InDeltaSlice(t, []float64{1, 7, 10}, x[:], 1e-15)
	for _, still := range []Pose{quarter, {R: Rotation{0: -1, 4: 1, 8: -1}}} {
		still.T = Vector{}
		require.Equal(t, "[0 0 0] [0 0 0]", fmt.Sprint(still.Center(), still.Inverse().T)) // none is -0
	}
	center := quarter.Center()
	require.InDeltaSlice(t, []float64{-2, 1, -3}, center[:], 1e-15)
	m := quarter.Matrix()
	require.InDeltaSlice(t, []float64{0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1}, m[:], 1e-15)
	e := quarter.Essential() // [T]R
	require.InDeltaSlice(t, []float64{-3, 0, 2, 0, -3, -1, 1, 2, 0}, e[:], 1e-15)
	random := rand.New(rand.NewPCG(2, 5))
	for range 100 {
		q := Vector{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		p := FromQuaternion(random.NormFloat64()*0.3, q[0], q[1], q[2], Vector{1, -2, 0.5})
		w, x, y, z := p.Quaternion()
		require.GreaterOrEqual(t, w, 0.0)
		require.InDelta(t, 1, w*w+x*x+y*y+z*z, 1e-14)
		again := FromQuaternion(w, x, y, z, p.T)
		require.InDeltaSlice(t, p.R[:], again.R[:], 1e-14)
		both := p.Mul(quarter)
		got, want := both.Apply(q), p.Apply(quarter.Apply(q))
		require.InDeltaSlice(t, want[:], got[:], 1e-13)
		one := p.Inverse().Mul(p)
		require.InDeltaSlice(t, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, one.R[:], 1e-14)
		require.InDeltaSlice(t, []float64{0, 0, 0}, one.T[:], 1e-14)
	}
}

// TestEpipoles checks that lines go through the epipole, which F maps to 0.
func TestEpipoles(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 6))
	s := newScene(random, 60, 1, 0.2)
	f := s.results(t, Options{}, nil).epipolar
	a, b := f.Epipoles()
	for i := range 3 {
		require.InDelta(t, 0, f.F[3*i]*a[0]+f.F[3*i+1]*a[1]+f.F[3*i+2]*a[2], 1e-13)
		require.InDelta(t, 0, f.F[i]*b[0]+f.F[3+i]*b[1]+f.F[6+i]*b[2], 1e-13)
	}
	for _, p := range s.a {
		l := f.Line(p)
		require.InDelta(t, 1, math.Hypot(l[0], l[1]), 1e-12)
		require.InDelta(t, 0, (l[0]*b[0]+l[1]*b[1]+l[2]*b[2])/math.Hypot(math.Hypot(l[0], l[1]), l[2]), 1e-9)
	}
}
