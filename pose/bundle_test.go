package pose

import (
	"encoding/binary"
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

// A window is what views see of points, and what is known of both.
type window struct {
	views        []View
	points       []Vector
	observations []Observation
	trueViews    []View
	truePoints   []Vector
}

// newWindow makes views along a path, in which each point is seen by some that follow each other,
// up to the given number, with noise in pixels. Poses, but for the first ones, which are fixed, and
// points are known with an error of about off, in radians and in depths.
func newWindow(r *rand.Rand, views, fixed, points, seen int, noise, off float64) *window {
	w := &window{}
	normal := func(s float64) Vector {
		return Vector{s * r.NormFloat64(), s * r.NormFloat64(), s * r.NormFloat64()}
	}
	c := camera.Camera{Fx: 600, Fy: 590, Cx: 320, Cy: 240, K1: -0.2, K2: 0.05, P1: 0.001, P2: -0.0005}
	for i := range views {
		turn := normal(0.03)
		p := FromQuaternion(1, turn[0], turn[1], turn[2], Vector{})
		p.T = p.Apply(Vector{-0.4 * float64(i), 0, 0.2 * float64(i)}.Add(normal(0.1)))
		w.trueViews = append(w.trueViews, View{c, p})
	}
	for len(w.truePoints) < points {
		first := r.IntN(max(views-seen, 0) + 1)
		z := 4 + 8*r.Float64()
		p := w.trueViews[first].Pose.Inverse().Apply(Vector{z * (r.Float64() - 0.5), z * (r.Float64()*0.8 - 0.4), z})
		before := len(w.observations)
		for i := first; i < min(first+seen, views); i++ {
			at, ok := w.trueViews[i].Camera.Project(w.trueViews[i].Pose.Apply(p))
			if ok && at.X >= 0 && at.Y >= 0 && at.X <= 640 && at.Y <= 480 {
				at = geometry.Point{X: at.X + noise*r.NormFloat64(), Y: at.Y + noise*r.NormFloat64()}
				w.observations = append(w.observations, Observation{i, len(w.truePoints), at})
			}
		}
		if len(w.observations) < before+2 {
			w.observations = w.observations[:before]
			continue
		}
		w.truePoints = append(w.truePoints, p)
	}
	for i, v := range w.trueViews {
		if i >= fixed {
			turn := normal(off / 2)
			v.Pose = FromQuaternion(1, turn[0], turn[1], turn[2], normal(off)).Mul(v.Pose)
		}
		w.views = append(w.views, v)
	}
	for _, p := range w.truePoints {
		w.points = append(w.points, p.Add(normal(off*5)))
	}
	return w
}

// clone returns a window with the same views and points in other memory.
func (w *window) clone() *window {
	c := *w
	c.views, c.points, c.observations = slices.Clone(w.views), slices.Clone(w.points), slices.Clone(w.observations)
	return &c
}

// refine is Refine of a new Refiner.
func (w *window) refine(t testing.TB, opts RefinerOptions, fixed int, errors []float64) (Refinement, error) {
	t.Helper()
	r, err := NewRefiner(opts)
	require.NoError(t, err)
	return r.Refine(w.views, fixed, w.points, w.observations, errors)
}

// exactly are options for all steps that make the errors less.
var exactly = RefinerOptions{HuberThreshold: math.Inf(1), Iterations: 1000, Epsilon: -1}

// nearPoses checks views, and nearPoints points.
func nearPoses(t *testing.T, want, got []View, tolerance float64) {
	t.Helper()
	for i := range want {
		for k := range 9 {
			require.InDelta(t, want[i].Pose.R[k], got[i].Pose.R[k], tolerance, "view %d", i)
		}
		for k := range 3 {
			require.InDelta(t, want[i].Pose.T[k], got[i].Pose.T[k], tolerance, "view %d", i)
		}
	}
}

func nearPoints(t *testing.T, want, got []Vector, tolerance float64) {
	t.Helper()
	for i := range want {
		for k := range 3 {
			require.InDelta(t, want[i][k], got[i][k], tolerance, "point %d", i)
		}
	}
}

// center returns where the camera of a view is.
func (w *window) center(i int) Vector { return w.views[i].Pose.Center() }

// TestRefineExactData checks that exact observations lead to the true poses and points, that what
// is fixed stays, to the bit, and that with one fixed view the scale stays.
func TestRefineExactData(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{2, 3, 6, 20} {
		for _, fixed := range []int{1, 2, 5} {
			if fixed > n || testing.Short() && n == 20 && fixed != 2 {
				continue
			}
			w := newWindow(random, n, fixed, 40*n, 5, 0, 0.02)
			before := w.clone()
			result, err := w.refine(t, exactly, fixed, nil)
			require.NoError(t, err)
			require.True(t, result.Converged)
			require.Less(t, result.After, 1e-10)
			require.Less(t, result.After, result.Before)
			require.Equal(t, before.views[:fixed], w.views[:fixed])
			scale := 1.0
			if fixed == 1 {
				farthest := 0
				for i := range w.views {
					if before.center(i).Sub(before.center(0)).Norm() > before.center(farthest).Sub(before.center(0)).Norm() {
						farthest = i
					}
				}
				kept := before.center(farthest).Sub(before.center(0)).Norm()
				require.InEpsilon(t, kept, w.center(farthest).Sub(w.center(0)).Norm(), 1e-13)
				scale = w.trueViews[farthest].Pose.Center().Sub(w.center(0)).Norm() / kept
				require.Greater(t, math.Abs(scale-1), 1e-6)
			}
			first := w.views[0].Pose
			for i := range w.views { // to the true scale, about the first center
				x := first.Mul(w.views[i].Pose.Inverse()).T.Scale(scale)
				center := first.Inverse().Apply(x)
				w.views[i].Pose.T = w.views[i].Pose.R.apply(center).Scale(-1)
			}
			for i, p := range w.points {
				w.points[i] = first.Inverse().Apply(first.Apply(p).Scale(scale))
			}
			nearPoses(t, w.trueViews, w.views, 1e-9)
			nearPoints(t, w.truePoints, w.points, 1e-8)
		}
	}
}

// A naive is bundle adjustment as a textbook has it: the damped normal equations of all unknowns,
// with derivatives by differences, and angles and axes for rotations.
type naive struct {
	w     *window
	fixed int
	huber float64
	x     []float64 // of each view that is not fixed turn and shift, then the points
}

// place returns where view i has its undistorted pixel for a point of the world.
func (n *naive) place(i int, x []float64, p []float64) (u, v float64, ok bool) {
	pose := &n.w.views[i].Pose
	var y [3]float64
	for k := range 9 {
		y[k/3] += pose.R[k] * p[k%3]
	}
	for k := range 3 {
		y[k] += pose.T[k]
	}
	if i >= n.fixed {
		d := x[6*(i-n.fixed):]
		angle := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
		if angle > 0 { // Rodrigues' formula
			a := [3]float64{d[0] / angle, d[1] / angle, d[2] / angle}
			s, c := math.Sincos(angle)
			along := (a[0]*y[0] + a[1]*y[1] + a[2]*y[2]) * (1 - c)
			y = [3]float64{
				y[0]*c + (a[1]*y[2]-a[2]*y[1])*s + a[0]*along,
				y[1]*c + (a[2]*y[0]-a[0]*y[2])*s + a[1]*along,
				y[2]*c + (a[0]*y[1]-a[1]*y[0])*s + a[2]*along,
			}
		}
		for k := range 3 {
			y[k] += d[3+k]
		}
	}
	c := &n.w.views[i].Camera
	return c.Fx*y[0]/y[2] + c.Cx, c.Fy*y[1]/y[2] + c.Cy, y[2] > 0
}

// undistorted returns the pixel without distortion of one with it, by repeated substitution.
func undistorted(c *camera.Camera, p geometry.Point) (float64, float64) {
	u, v := (p.X-c.Cx)/c.Fx, (p.Y-c.Cy)/c.Fy
	x, y := u, v
	for range 200 {
		r := x*x + y*y
		radial := 1 + c.K1*r + c.K2*r*r + c.K3*r*r*r
		x, y = (u-2*c.P1*x*y-c.P2*(r+2*x*x))/radial, (v-c.P1*(r+2*y*y)-2*c.P2*x*y)/radial
	}
	return c.Fx*x + c.Cx, c.Fy*y + c.Cy
}

// residuals returns the errors in x and y of each observation, and the sum of Huber's function of
// their lengths.
func (n *naive) residuals(x []float64) (all []float64, cost float64) {
	points := x[6*(len(n.w.views)-n.fixed):]
	for _, o := range n.w.observations {
		u, v, ok := n.place(o.View, x, points[3*o.Point:])
		if !ok {
			return nil, math.Inf(1)
		}
		a, b := undistorted(&n.w.views[o.View].Camera, o.At)
		all = append(all, a-u, b-v)
		if e := math.Hypot(a-u, b-v); e > n.huber {
			cost += 2*n.huber*e - n.huber*n.huber
		} else {
			cost += e * e
		}
	}
	return all, cost
}

// newNaive finds the optimum.
func newNaive(w *window, fixed int, huber float64) *naive {
	n := &naive{w: w, fixed: fixed, huber: huber, x: make([]float64, 6*(len(w.views)-fixed))}
	for _, p := range w.points {
		n.x = append(n.x, p[:]...)
	}
	damping := 1e-3
	for range 400 {
		_, cost := n.residuals(n.x)
		equations := n.equations()
		improved := false
		for ; damping < 1e12 && !improved; damping *= 10 {
			next := n.after(equations, damping)
			if _, c := n.residuals(next); c < cost {
				n.x, improved = next, true
				damping = max(damping*1e-3, 1e-14)
			}
		}
		if !improved {
			break
		}
	}
	// Where costs differ by rounding alone, steps become shorter still.
	_, cost := n.residuals(n.x)
	last := math.Inf(1)
	for range 100 {
		next := n.after(n.equations(), 1e-7)
		length := 0.0
		for i := range next {
			length += (next[i] - n.x[i]) * (next[i] - n.x[i])
		}
		if _, c := n.residuals(next); length >= last || c > cost*(1+1e-9) {
			break
		}
		n.x, last = next, length
	}
	return n
}

// equations returns the normal equations, with the right side as the last column.
func (n *naive) equations() [][]float64 {
	size := len(n.x)
	r, _ := n.residuals(n.x)
	slopes := make([][]float64, size) // of the residuals, by each unknown
	for i := range slopes {
		slopes[i] = make([]float64, len(r))
		for _, term := range [4]struct{ h, weight float64 }{{1e-3, 8}, {-1e-3, -8}, {2e-3, -1}, {-2e-3, 1}} {
			x := slices.Clone(n.x)
			x[i] += term.h
			a, _ := n.residuals(x)
			for k := range r {
				slopes[i][k] -= a[k] * term.weight / 12e-3 // r falls as the place rises
			}
		}
	}
	equations := make([][]float64, size)
	for i := range equations {
		equations[i] = make([]float64, size+1)
		for m := range r {
			weight := min(n.huber/math.Hypot(r[m&^1], r[m|1]), 1)
			for k := range size {
				equations[i][k] += weight * slopes[i][m] * slopes[k][m]
			}
			equations[i][size] += weight * slopes[i][m] * r[m]
		}
	}
	return equations
}

// after returns the unknowns after a step.
func (n *naive) after(equations [][]float64, damping float64) []float64 {
	damped := make([][]float64, len(equations))
	for i, row := range equations {
		damped[i] = slices.Clone(row)
		damped[i][i] += damping * (1e-9 + row[i])
	}
	next := slices.Clone(n.x)
	for i, d := range gauss(damped) {
		next[i] += d
	}
	return next
}

// gauss solves equations whose last column is the right side.
func gauss(a [][]float64) []float64 {
	n := len(a)
	for j := range n {
		best := j
		for i := j; i < n; i++ {
			if math.Abs(a[i][j]) > math.Abs(a[best][j]) {
				best = i
			}
		}
		a[j], a[best] = a[best], a[j]
		for i := range n {
			if i == j {
				continue
			}
			f := a[i][j] / a[j][j]
			for k := j; k <= n; k++ {
				a[i][k] -= f * a[j][k]
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x
}

// TestRefineOracle checks that Refine finds the optimum that a textbook's method finds: places of
// all observations to 1e-6 pixel, and with two fixed views the points as well.
func TestRefineOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	random := rand.New(rand.NewPCG(2, 2))
	for _, fixed := range []int{1, 2} {
		for _, huber := range []float64{math.Inf(1), 0.8} {
			w := newWindow(random, 4, fixed, 12, 4, 0.2, 0.02)
			for k := range 3 { // wrong ones
				w.observations[7*k+2].At.X += 15
			}
			n := newNaive(w.clone(), fixed, huber)
			errors := make([]float64, len(w.observations))
			opts := exactly
			opts.HuberThreshold = huber
			result, err := w.refine(t, opts, fixed, errors)
			require.NoError(t, err)
			_, cost := n.residuals(n.x)
			require.InEpsilon(t, math.Sqrt(cost/float64(len(errors))), result.After, 1e-9)
			points := n.x[6*(4-fixed):]
			for i, o := range w.observations {
				u, v, _ := n.place(o.View, n.x, points[3*o.Point:])
				a, b := undistorted(&w.views[o.View].Camera, o.At)
				require.InDelta(t, math.Hypot(u-a, v-b), errors[i], 1e-6)
				p := w.views[o.View].Pose.Apply(w.points[o.Point])
				c := w.views[o.View].Camera
				require.InDelta(t, u, c.Fx*p[0]/p[2]+c.Cx, 1e-6)
				require.InDelta(t, v, c.Fy*p[1]/p[2]+c.Cy, 1e-6)
			}
			if fixed == 2 {
				for i, p := range w.points {
					for k := range 3 {
						require.InDelta(t, points[3*i+k], p[k], 1e-6)
					}
				}
			}
		}
	}
}

// TestRefinePointsAlone checks that points that fixed views see become those of Triangulate.
func TestRefinePointsAlone(t *testing.T) {
	w := newWindow(rand.New(rand.NewPCG(2, 3)), 5, 5, 60, 4, 0.5, 0.05)
	before := w.clone()
	_, err := w.refine(t, exactly, 5, nil)
	require.NoError(t, err)
	require.Equal(t, before.views, w.views)
	for i, p := range w.points {
		var views []View
		var places []geometry.Point
		for _, o := range w.observations {
			if o.Point == i {
				views, places = append(views, w.views[o.View]), append(places, o.At)
			}
		}
		want, ok := Triangulate(views, places)
		require.True(t, ok)
		require.Less(t, want.Sub(p).Norm(), 1e-7*want.Norm())
	}
}

// TestRefineOutliers checks that Huber's function limits what wrong observations do, and that
// their errors tell them.
func TestRefineOutliers(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 4))
	w := newWindow(random, 8, 2, 200, 5, 0.3, 0.02)
	wrong := map[int]bool{}
	for range len(w.observations) / 20 {
		i := random.IntN(len(w.observations))
		wrong[i] = true
		w.observations[i].At = geometry.Point{X: 640 * random.Float64(), Y: 480 * random.Float64()}
	}
	off := func(opts RefinerOptions) (worst float64, errors []float64) {
		c := w.clone()
		errors = make([]float64, len(c.observations))
		result, err := c.refine(t, opts, 2, errors)
		require.NoError(t, err)
		require.True(t, result.Converged)
		for i := range c.views {
			worst = max(worst, c.center(i).Sub(c.trueViews[i].Pose.Center()).Norm())
		}
		return worst, errors
	}
	robust, errors := off(RefinerOptions{Iterations: 100})
	squares, _ := off(RefinerOptions{HuberThreshold: math.Inf(1), Iterations: 1000})
	require.Less(t, robust, 0.05)
	require.Greater(t, squares, 5*robust)
	large := 0
	for i, e := range errors {
		if wrong[i] && e > 5 {
			large++
		}
		if !wrong[i] && e > 5 {
			large--
		}
	}
	require.Greater(t, large, len(wrong)*3/4)
	// Without them the result is about as good as without noise.
	c := &window{views: w.views, points: w.points, trueViews: w.trueViews}
	seen := make([]int, len(w.points))
	for _, o := range w.observations {
		seen[o.Point]++
	}
	for i, o := range w.observations {
		if errors[i] <= 5 || seen[o.Point] <= 2 {
			c.observations = append(c.observations, o)
		} else {
			seen[o.Point]--
		}
	}
	w = c
	again, _ := off(RefinerOptions{Iterations: 100})
	require.Less(t, again, 0.02)
}

// TestRefineOrder checks that the order of the observations makes no difference, to the bit, with
// equal ones and several of a point in a view among them.
func TestRefineOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 5))
	w := newWindow(random, 6, 1, 60, 4, 0.5, 0.02)
	for i := range 9 {
		o := w.observations[7*i]
		w.observations = append(w.observations, o)
		o.At.X += 0.25
		w.observations = append(w.observations, o)
		o.At.Y -= 0.25
		w.observations = append(w.observations, o)
	}
	want := w.clone()
	wantErrors := make([]float64, len(w.observations))
	wantResult, err := want.refine(t, RefinerOptions{}, 1, wantErrors)
	require.NoError(t, err)
	for range 3 {
		got, errors := w.clone(), make([]float64, len(w.observations))
		order := random.Perm(len(w.observations))
		for i, from := range order {
			got.observations[i] = w.observations[from]
		}
		result, err := got.refine(t, RefinerOptions{}, 1, errors)
		require.NoError(t, err)
		require.Equal(t, wantResult, result)
		require.Equal(t, want.views, got.views)
		require.Equal(t, want.points, got.points)
		for i, from := range order {
			require.Equal(t, wantErrors[from], errors[i])
		}
	}
}

// TestRefineRepeated checks that an observation that is there twice counts twice: the same as
// if all others were there twice, too, and that one three times.
func TestRefineRepeated(t *testing.T) {
	once := newWindow(rand.New(rand.NewPCG(2, 6)), 4, 2, 30, 4, 0.5, 0.02)
	twice := once.clone()
	twice.observations = slices.Concat(once.observations, once.observations)
	other := twice.clone()
	other.observations = append(other.observations, once.observations[40], once.observations[40])
	for _, w := range []*window{once, twice, other} {
		_, err := w.refine(t, exactly, 2, nil)
		require.NoError(t, err)
	}
	nearPoses(t, once.views, twice.views, 1e-8)
	nearPoints(t, once.points, twice.points, 1e-7)
	// That observation draws its point.
	o := once.observations[40]
	far := func(w *window) float64 {
		at, _ := w.views[o.View].Camera.Project(w.views[o.View].Pose.Apply(w.points[o.Point]))
		return math.Hypot(at.X-o.At.X, at.Y-o.At.Y)
	}
	require.Less(t, far(other), 0.8*far(once))
}

// TestRefinePlane checks points on a plane, few of them, and few views.
func TestRefinePlane(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 7))
	w := newWindow(random, 3, 2, 12, 3, 0, 0)
	w.observations = w.observations[:0]
	for i := range w.points {
		p := Vector{random.Float64()*4 - 2, random.Float64()*3 - 1.5, 0}
		p[2] = 7 + 0.2*p[0] - 0.1*p[1]
		w.truePoints[i] = p
		w.points[i] = p.Add(Vector{0.1, -0.2, 0.2 * random.NormFloat64()})
		for k, v := range w.trueViews {
			at, ok := v.Camera.Project(v.Pose.Apply(p))
			require.True(t, ok)
			w.observations = append(w.observations, Observation{k, i, at})
		}
	}
	w.views[2].Pose = FromQuaternion(1, 0.01, -0.02, 0.01, Vector{0.05, 0.1, -0.1}).Mul(w.views[2].Pose)
	_, err := w.refine(t, exactly, 2, nil)
	require.NoError(t, err)
	nearPoses(t, w.trueViews, w.views, 1e-9)
	nearPoints(t, w.truePoints, w.points, 1e-8)
}

// TestRefineNotCounting checks observations that do not count, and points that nothing observes.
func TestRefineNotCounting(t *testing.T) {
	w := newWindow(rand.New(rand.NewPCG(2, 8)), 4, 1, 40, 4, 0.5, 0.02)
	for i := range w.views {
		c := &w.views[i].Camera // nearly the same, but this one folds back
		*c = camera.Camera{Fx: c.Fx, Fy: c.Fy, Cx: c.Cx, Cy: c.Cy, K1: c.K1}
	}
	want := w.clone()
	wantResult, err := want.refine(t, RefinerOptions{}, 1, nil)
	require.NoError(t, err)
	n := len(w.observations)
	w.observations = append(w.observations, Observation{3, 5, geometry.Point{X: 1e5, Y: 1e5}}) // beyond the fold
	_, _, ok := w.views[3].Camera.Ray(w.observations[n].At)
	require.False(t, ok)
	aside := Vector{1, 2, 3}
	w.points = append(w.points, aside)
	errors := make([]float64, n+1)
	result, err := w.refine(t, RefinerOptions{}, 1, errors)
	require.NoError(t, err)
	require.Equal(t, wantResult, result)
	require.Equal(t, want.views, w.views)
	require.Equal(t, append(want.points, aside), w.points)
	require.True(t, math.IsInf(errors[n], 1))
	for _, e := range errors[:n] {
		require.Less(t, e, 20.0)
	}
	// A point behind a view.
	w = want.clone()
	v := w.views[2].Pose
	behind := v.Inverse().Apply(Vector{0, 0, -1})
	w.points = append(w.points, behind)
	w.observations = append(w.observations, Observation{2, 40, geometry.Point{X: 320, Y: 240}}, Observation{3, 40, geometry.Point{X: 320, Y: 240}})
	before := w.clone()
	_, err = w.refine(t, RefinerOptions{}, 1, nil)
	require.ErrorIs(t, err, ErrObservations)
	require.EqualError(t, err, "pose: too few observations: fewer than 2 views count for point 40")
	require.Equal(t, before, w)
}

// TestRefineRefuses checks that there is an error, and nothing moves, where the observations do
// not determine views and points.
func TestRefineRefuses(t *testing.T) {
	refused := func(w *window, fixed int, want error, text string) {
		t.Helper()
		before := w.clone()
		errors := make([]float64, len(w.observations))
		result, err := w.refine(t, RefinerOptions{}, fixed, errors)
		require.ErrorIs(t, err, want)
		require.EqualError(t, err, text)
		require.Zero(t, result)
		require.Equal(t, before, w)
		require.Equal(t, make([]float64, len(w.observations)), errors)
	}
	of := func(seed uint64) *window { // all views see all points
		w := newWindow(rand.New(rand.NewPCG(2, 100+seed)), 4, 1, 80, 4, 0, 0.01)
		seen := make([]int, len(w.points))
		for _, o := range w.observations {
			seen[o.Point]++
		}
		c := &window{views: w.views}
		for i, p := range w.points {
			if seen[i] < 4 {
				continue
			}
			for _, o := range w.observations {
				if o.Point == i {
					o.Point = len(c.points)
					c.observations = append(c.observations, o)
				}
			}
			c.points = append(c.points, p)
		}
		require.Greater(t, len(c.points), 30)
		return c
	}
	without := func(w *window, drop func(Observation) bool) *window {
		w.observations = slices.DeleteFunc(w.observations, drop)
		return w
	}
	refused(without(of(1), func(Observation) bool { return true }), 4, ErrObservations, "pose: too few observations: there is none")
	refused(without(of(2), func(o Observation) bool { return o.View == 2 && o.Point > 1 }), 1,
		ErrObservations, "pose: too few observations: fewer than 3 points count for view 2")
	refused(without(of(3), func(o Observation) bool { return o.View != 3 && o.Point == 7 }), 1,
		ErrObservations, "pose: too few observations: fewer than 2 views count for point 7")
	// Several observations of one view are those of one view.
	w := without(of(4), func(o Observation) bool { return o.View != 3 && o.Point == 7 })
	w.observations = append(w.observations, Observation{3, 7, geometry.Point{X: 100, Y: 100}})
	refused(w, 1, ErrObservations, "pose: too few observations: fewer than 2 views count for point 7")
	// So are those of one fixed view.
	w = without(of(9), func(o Observation) bool { return o.View != 0 && o.Point == 7 })
	w.observations = append(w.observations, Observation{0, 7, geometry.Point{X: 100, Y: 100}})
	refused(w, 1, ErrObservations, "pose: too few observations: fewer than 2 views count for point 7")
	const degenerate = "pose: the points do not determine a result"
	// The last view sees points on a line.
	w = without(of(5), func(o Observation) bool { return o.View == 3 && o.Point > 2 })
	for i := range 3 {
		w.points[i] = w.points[0].Add(Vector{0.5, 0.3, 0.2}.Scale(float64(i)))
	}
	refused(w, 3, ErrDegenerate, degenerate)
	// The last two views see points that the others do not see.
	w = without(of(6), func(o Observation) bool { return (o.View > 1) != (o.Point > 20) })
	refused(w, 2, ErrDegenerate, degenerate)
	// The first two views are fixed, but what the others see tells no scale.
	w = without(of(7), func(o Observation) bool { return o.View == 0 && o.Point > 20 || o.View > 1 && o.Point <= 20 })
	refused(w, 2, ErrDegenerate, degenerate)
	// A camera that only turns.
	w = of(8)
	for i := range w.views {
		w.views[i].Pose.T = w.views[i].Pose.Apply(w.center(0).Scale(-1)).Sub(w.views[i].Pose.T)
	}
	refused(w, 1, ErrDegenerate, degenerate)
}

// TestRefinePanics checks arguments that are none.
func TestRefinePanics(t *testing.T) {
	r, err := NewRefiner(RefinerOptions{})
	require.NoError(t, err)
	panics := func(want string, change func(w *window) int) {
		t.Helper()
		w := newWindow(rand.New(rand.NewPCG(2, 9)), 4, 1, 20, 4, 0, 0.01)
		fixed := change(w)
		require.PanicsWithValue(t, want, func() { r.Refine(w.views, fixed, w.points, w.observations, nil) })
	}
	panics("pose: 0 fixed views of 4, not 1 to 4", func(*window) int { return 0 })
	panics("pose: 5 fixed views of 4, not 1 to 4", func(*window) int { return 5 })
	panics("pose: 1 fixed views of 0, not 1 to 0", func(w *window) int { w.views = nil; return 1 })
	panics("pose: View with a Pose whose R is not a rotation", func(w *window) int { w.views[2].Pose = Pose{}; return 1 })
	panics("pose: View with a Pose whose R is not a rotation", func(w *window) int {
		for i := range 3 {
			w.views[2].Pose.R[3*i] *= -1
		}
		return 1
	})
	panics("pose: View with a Pose whose T is not finite, or beyond 1e100", func(w *window) int { w.views[3].Pose.T[1] = math.NaN(); return 1 })
	panics("camera: K1 is -Inf, not finite", func(w *window) int { w.views[3].Camera.K1 = math.Inf(-1); return 1 })
	panics("pose: point 7 is not finite, or beyond 1e100", func(w *window) int { w.points[7][0] = math.Inf(1); return 1 })
	for _, o := range []Observation{{View: -1, Point: 2}, {View: 4, Point: 2}} {
		panics(fmt.Sprintf("pose: observation 3 is of view %d of 4 and point 2 of 20", o.View), func(w *window) int { w.observations[3] = o; return 1 })
	}
	for _, o := range []Observation{{View: 1, Point: -1}, {View: 1, Point: 20}} {
		panics(fmt.Sprintf("pose: observation 3 is of view 1 of 4 and point %d of 20", o.Point), func(w *window) int { w.observations[3] = o; return 1 })
	}
	panics("pose: observation 2 is at a place that is not finite, or beyond 1e100", func(w *window) int { w.observations[2].At.Y = math.NaN(); return 1 })
	require.PanicsWithValue(t, "pose: room for 1 errors of 0 observations", func() {
		r.Refine([]View{{camera.Camera{Fx: 1, Fy: 1}, Identity()}}, 1, nil, nil, make([]float64, 1))
	})
}

// TestRefineSteps checks that Iterations and Epsilon end the steps, each of which makes errors
// less.
func TestRefineSteps(t *testing.T) {
	w := newWindow(rand.New(rand.NewPCG(2, 10)), 6, 1, 80, 4, 0.5, 0.03)
	last := math.Inf(1)
	steps := 0
	for n := 1; ; n++ {
		c := w.clone()
		result, err := c.refine(t, RefinerOptions{Iterations: n}, 1, nil)
		require.NoError(t, err)
		require.LessOrEqual(t, result.After, last)
		last = result.After
		if result.Converged {
			steps = result.Iterations
			break
		}
		require.Equal(t, n, result.Iterations)
	}
	require.Greater(t, steps, 2)
	coarse, err := w.clone().refine(t, RefinerOptions{Epsilon: 1}, 1, nil)
	require.NoError(t, err)
	require.True(t, coarse.Converged)
	require.Less(t, coarse.Iterations, steps)
	fine, err := w.clone().refine(t, exactly, 1, nil)
	require.NoError(t, err)
	require.Greater(t, fine.Iterations, steps)
	// From where it ended, there is nothing to do.
	c := w.clone()
	c.refine(t, RefinerOptions{}, 1, nil)
	again, err := c.refine(t, RefinerOptions{}, 1, nil)
	require.NoError(t, err)
	require.True(t, again.Converged)
	require.LessOrEqual(t, again.Iterations, 2)
}

// TestRefineBadSteps checks that after any number of steps, some of which make the errors larger, the
// views and points are those that After is of.
func TestRefineBadSteps(t *testing.T) {
	bad := 0
	for seed := range uint64(10) {
		start := newWindow(rand.New(rand.NewPCG(seed, 1)), 4, 1, 30, 4, 1, 0.35)
		last := math.Inf(1)
		for n := 1; n <= 8; n++ {
			w := start.clone()
			errors := make([]float64, len(w.observations))
			result, err := w.refine(t, RefinerOptions{HuberThreshold: math.Inf(1), Iterations: n, Epsilon: -1}, 1, errors)
			require.NoError(t, err)
			sum, count := 0., 0.
			for _, e := range errors {
				if !math.IsInf(e, 1) {
					sum, count = sum+e*e, count+1
				}
			}
			require.InEpsilon(t, math.Sqrt(sum/count), result.After, 1e-9, "seed %d, %d steps", seed, n)
			require.LessOrEqual(t, result.After, min(last, result.Before))
			if result.After == last {
				bad++
			}
			last = result.After
		}
	}
	require.Positive(t, bad)
}

// newWeak returns three views of seven points that determine them so weakly that after some steps, which
// reduce the damping, the equations cannot be solved.
func newWeak() *window {
	w := &window{
		views: []View{
			{
				camera.Camera{Fx: 597.0589540214269, Fy: 597.0589540214269, Cx: 320, Cy: 240, K1: -0.02824886152420992, K2: 0.01, P1: 0.001},
				Pose{Rotation{
					0.9717137001396323, -0.19751441865309036, -0.12946250184928645,
					0.21012564756470983, 0.9733160481498003, 0.09221216107199125,
					0.10779469929665422, -0.11680721226956516, 0.9872873836757748,
				}, Vector{0.472, 1, -0.36}},
			},
			{
				camera.Camera{Fx: 949.2219757839953, Fy: 949.2219757839953, Cx: 320, Cy: 240},
				Pose{Rotation{
					0.9837469026495294, -0.020809226929825116, -0.17835079927502615,
					0.010002121758852595, 0.99807043581101, -0.06128101435470544,
					0.17928187049386426, 0.0585011216525253, 0.9820568362766066,
				}, Vector{-0.6, -0.78, -0.2}},
			},
			{
				camera.Camera{Fx: 650.8875413216812, Fy: 650.8875413216812, Cx: 320, Cy: 240, K1: -0.05362330887988164, K2: 0.01, P1: 0.001},
				Pose{Rotation{
					0.990002806982288, 0.13866109250330008, 0.025836864999103877,
					-0.14059879885952084, 0.984756584288876, 0.10240335667821529,
					-0.01124366161224388, -0.10501224274101115, 0.9944073656947903,
				}, Vector{-0.3, -1, -0.17}},
			},
		},
		points: []Vector{
			{0.69, 0.7, 8.75},
			{2, 1.3, 9},
			{0.744, 0.64, 8.6},
			{-3.15, -1.44, 6.4},
			{1.572, 0.3, 8.7},
			{-2.9, -1.34, 6.47},
			{0.087, 0.34, 7.87},
		},
	}
	for view, seen := range [3][7]geometry.Point{ // the zero one is not seen
		{{X: 347.97, Y: 411.6}, {X: 407.489, Y: 456}, {X: 347.29, Y: 411.096}, {X: 24.516, Y: 168.51}, {X: 362.794, Y: 422.67}, {X: -15.1, Y: 138.58}, {X: 262.22, Y: 347.445}},
		{{X: 200.87, Y: 121.18}, {X: 315.22, Y: 161.17}, {X: 199.54, Y: 120.7}, {X: -523.334, Y: -132.085}, {X: 229.78, Y: 131.29}, {X: -627.79, Y: -168.6}, {X: 27.45, Y: 60.52}},
		{{X: 391.19, Y: 308.39}, {}, {X: 390.276, Y: 308.092}, {X: -0.008, Y: 178.227}, {X: 411.24, Y: 315.024}, {X: -42.015, Y: 164.183}, {X: 278.87, Y: 271.154}},
	} {
		for i, at := range seen {
			if at != (geometry.Point{}) {
				w.observations = append(w.observations, Observation{view, i, at})
			}
		}
	}
	return w
}

// TestRefineUnsolved checks that if the equations cannot be solved after steps that could be made, these
// steps stay, the views and points are those that After is of, and others follow.
func TestRefineUnsolved(t *testing.T) {
	const steps = 7 // after which that happens
	w, b := newWeak(), new(bundle)
	b.huber = 1
	b.begin(w.views, 1, w.points, w.observations)
	require.NoError(t, b.determined())
	opts := RefinerOptions{Iterations: steps}
	opts.setDefaults()
	b.minimize(&opts)
	require.False(t, b.solve(leastPivot/10, leastPivot))

	for n := 1; n <= 20; n++ {
		w, errors := newWeak(), make([]float64, 20)
		result, err := w.refine(t, RefinerOptions{Iterations: n}, 1, errors)
		require.NoError(t, err)
		sum := 0.0
		for _, e := range errors { // by Huber's function
			sum += min(e*e, max(2*e-1, 1))
		}
		require.InEpsilon(t, math.Sqrt(sum/20), result.After, 1e-9, "%d steps", n)
	}
	result, err := newWeak().refine(t, RefinerOptions{}, 1, nil)
	require.NoError(t, err)
	require.True(t, result.Converged)
	require.Less(t, result.After, 0.003)
}

// TestRefineDamped checks that a step that is short because it is damped does not count as the last
// one.
func TestRefineDamped(t *testing.T) {
	w := newWindow(rand.New(rand.NewPCG(147, 1)), 4, 1, 30, 4, 1, 0.4)
	result, err := w.refine(t, RefinerOptions{HuberThreshold: math.Inf(1), Iterations: 100, Epsilon: 1}, 1, nil)
	require.NoError(t, err)
	require.True(t, result.Converged)
	again, err := w.refine(t, RefinerOptions{HuberThreshold: math.Inf(1), Iterations: 1, Epsilon: 3}, 1, nil)
	require.NoError(t, err)
	require.True(t, again.Converged, "the next one is short, too")
}

// TestViewsSameBits checks that results have the same bits on every platform. The hash is that of
// portable Go on amd64.
func TestViewsSameBits(t *testing.T) {
	h := fnv.New64a()
	put := func(values ...float64) { binary.Write(h, binary.LittleEndian, values) }
	// No function of the test whose bits differ by platform: places are hashes of their numbers.
	state := uint64(1)
	random := func(low, high float64) float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return low + float64((high-low)*float64(state>>40)/(1<<24))
	}
	r, err := NewRefiner(RefinerOptions{HuberThreshold: 0.5})
	require.NoError(t, err)
	for _, n := range []int{2, 5, 12} {
		var views []View
		var points []Vector
		var observations []Observation
		for i := range n {
			p := FromQuaternion(1, random(-0.05, 0.05), random(-0.05, 0.05), random(-0.05, 0.05), Vector{float64(-i) / 4, random(-0.1, 0.1), random(-0.1, 0.1)})
			views = append(views, View{camera.Camera{Fx: 500, Fy: 510, Cx: 320, Cy: 240, K1: -0.25, K2: 0.0625, P1: 0.001953125, P2: -0.0009765625}, p})
		}
		for i := range 40 {
			p := Vector{random(-2, 3), random(-2, 2), random(5, 10)}
			var seen []View
			var places []geometry.Point
			for k := range views {
				if at, ok := views[k].Camera.Project(views[k].Pose.Apply(p)); ok && (i+k)%3 != 0 || k < 2 {
					at.X += random(-1, 1)
					at.Y += random(-1, 1)
					observations = append(observations, Observation{k, i, at})
					seen, places = append(seen, views[k]), append(places, at)
				}
			}
			points = append(points, p)
			q, ok := Triangulate(seen, places)
			require.True(t, ok)
			put(q[:]...)
		}
		errors := make([]float64, len(observations))
		result, err := r.Refine(views, 1, points, observations, errors)
		require.NoError(t, err)
		require.Greater(t, result.Iterations, 2)
		put(result.Before, result.After, float64(result.Iterations))
		put(errors...)
		for _, v := range views {
			put(v.Pose.R[:]...)
			put(v.Pose.T[:]...)
		}
		for _, p := range points {
			put(p[:]...)
		}
	}
	require.Equal(t, "0759296f0e9c85bf", fmt.Sprintf("%016x", h.Sum64()))
}

// TestViewsAllocations checks that nothing is allocated in the steady state.
func TestViewsAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	w := newWindow(rand.New(rand.NewPCG(2, 11)), 6, 1, 60, 4, 0.5, 0.02)
	r, err := NewRefiner(RefinerOptions{})
	require.NoError(t, err)
	c, errors := w.clone(), make([]float64, len(w.observations))
	views, places := make([]View, 6), make([]geometry.Point, 6)
	for i := range views {
		views[i] = w.trueViews[i]
		places[i], _ = views[i].Camera.Project(views[i].Pose.Apply(Vector{0, 0, 9}))
	}
	require.Zero(t, imagetest.Allocs(10, func() {
		copy(c.views, w.views)
		copy(c.points, w.points)
		r.Refine(c.views, 1, c.points, c.observations, errors)
		Triangulate(views, places)
	}))
}

func BenchmarkRefiner(b *testing.B) {
	w := newWindow(rand.New(rand.NewPCG(2, 12)), 20, 1, 500, 5, 0.5, 0.02)
	r, err := NewRefiner(RefinerOptions{})
	require.NoError(b, err)
	c := w.clone()
	steps := 0
	for b.Loop() {
		copy(c.views, w.views)
		copy(c.points, w.points)
		result, _ := r.Refine(c.views, 1, c.points, c.observations, nil)
		steps += result.Iterations
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(steps), "µs/step")
	b.ReportMetric(float64(len(w.observations)), "observations")
}
