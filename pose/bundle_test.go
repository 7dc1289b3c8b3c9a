package pose

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A window is what views see of points, and what is known of both.
type window struct {
	views        []View
	points       []Vector
	observations []Observation
	trueViews    []View
	truePoints   []Vector
}

// newWindow makes views along a path, in which each point is seen by some that follow each other,
// up to the given number, with noise in pixels. Poses and points are known with an error of about
// off, in radians and in depths.
func newWindow(r *rand.Rand, views, points, seen int, noise, off float64) *window {
	w := &window{}
	normal := func(s float64) Vector {
		return Vector{s * r.NormFloat64(), s * r.NormFloat64(), s * r.NormFloat64()}
	}
	camera := Camera{600, 590, 320, 240, -0.2, 0.05, 0.001, -0.0005, 0}
	for i := range views {
		turn := normal(0.03)
		p := FromQuaternion(1, turn[0], turn[1], turn[2], Vector{})
		p.T = Vector(p.matrix().apply(Vector{-0.4 * float64(i), 0, 0.2 * float64(i)}).plus(normal(0.1)))
		w.trueViews = append(w.trueViews, View{camera, p})
	}
	for len(w.truePoints) < points {
		first := r.IntN(max(views-seen, 0) + 1)
		k := len(w.truePoints)
		anchor := w.trueViews[first].Pose
		z := 4 + 8*r.Float64()
		p := anchor.Inverse().Apply(Vector{z * (r.Float64() - 0.5), z * (r.Float64()*0.8 - 0.4), z})
		n := 0
		for i := first; i < min(first+seen, views); i++ {
			at, ok := w.trueViews[i].Camera.Project(w.trueViews[i].Pose.Apply(p))
			if _, _, there := camera.Ray(at); !ok || !there {
				continue
			}
			at.X += noise * r.NormFloat64()
			at.Y += noise * r.NormFloat64()
			w.observations = append(w.observations, Observation{i, k, at})
			n++
		}
		if n < 2 {
			w.observations = w.observations[:len(w.observations)-n]
			continue
		}
		w.truePoints = append(w.truePoints, p)
	}
	for i, v := range w.trueViews {
		if i > 0 {
			turn := normal(off / 2)
			p := FromQuaternion(1, turn[0], turn[1], turn[2], Vector{})
			v.Pose = p.Mul(v.Pose)
			v.Pose.T = v.Pose.T.plus(normal(off))
		}
		w.views = append(w.views, v)
	}
	for _, p := range w.truePoints {
		w.points = append(w.points, p.plus(normal(off*5)))
	}
	return w
}

// keepFixed gives the first views the poses that are right.
func (w *window) keepFixed(fixed int) {
	copy(w.views[:fixed], w.trueViews)
}

// near checks that views and points are the true ones.
func (w *window) near(t *testing.T, tolerance float64) {
	t.Helper()
	for i, v := range w.trueViews {
		for k := range 9 {
			require.InDelta(t, v.Pose.R[k], w.views[i].Pose.R[k], tolerance, i)
		}
		for k := range 3 {
			require.InDelta(t, v.Pose.T[k], w.views[i].Pose.T[k], tolerance, i)
		}
	}
	for i, p := range w.truePoints {
		for k := range 3 {
			require.InDelta(t, p[k], w.points[i][k], 10*tolerance, i)
		}
	}
}

// TestRefineExactData checks that exact observations lead to the true poses and points, and that
// what is fixed does not move.
func TestRefineExactData(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	r, err := NewRefiner(RefineOptions{HuberThreshold: math.Inf(1), Iterations: 100, Epsilon: -1})
	require.NoError(t, err)
	for _, n := range []int{3, 6, 20} {
		w := newWindow(random, n, 40*n, 5, 0, 0.02)
		w.keepFixed(2)
		result, err := r.Refine(w.views, 2, w.points, w.observations, nil)
		require.NoError(t, err)
		require.True(t, result.Converged)
		require.Less(t, result.After, 1e-10)
		require.Equal(t, w.trueViews[:2], w.views[:2])
		w.near(t, 1e-9)
	}
}

func BenchmarkRefiner(b *testing.B) {
	w := newWindow(rand.New(rand.NewPCG(2, 7)), 20, 500, 5, 0.5, 0.02)
	r, err := NewRefiner(RefineOptions{})
	require.NoError(b, err)
	views, points := make([]View, 20), make([]Vector, 500)
	steps := 0
	for b.Loop() {
		copy(views, w.views)
		copy(points, w.points)
		result, err := r.Refine(views, 1, points, w.observations, nil)
		if err != nil {
			b.Fatal(err)
		}
		steps += result.Iterations
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
	b.ReportMetric(float64(steps)/float64(b.N), "steps")
}
