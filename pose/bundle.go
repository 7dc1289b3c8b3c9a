package pose

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
)

// ErrObservations means that a view sees too few points, or a point is seen by too few views, to be
// refined. The error names the view or the point.
var ErrObservations = errors.New("pose: too few observations")

// RefinerOptions control how a [Refiner] works. Zero fields have their default values.
type RefinerOptions struct {
	// HuberThreshold is the error, in undistorted pixels, up to which the cost of an error is its
	// square. The cost of larger errors grows only linearly, so that wrong observations do little
	// harm (P. Huber, "Robust estimation of a location parameter", 1964). It is positive, and
	// infinity means least squares. 0 means the default, 1.
	HuberThreshold float64
	// Iterations is the maximum number of steps, 1 to 1000. 0 means 20.
	Iterations int
	// Epsilon is the length of a step, in pixels, at which views and points have converged: the
	// root mean square of the distances by which the step moves the projections of the observed
	// points. It is at most 100. 0 means 0.001, and a negative number means 0.
	Epsilon float64
}

// setDefaults replaces the fields that are 0 by what they mean, and a negative Epsilon by 0.
func (o *RefinerOptions) setDefaults() {
	o.HuberThreshold = cmp.Or(o.HuberThreshold, 1)
	o.Iterations = cmp.Or(o.Iterations, 20)
	o.Epsilon = max(cmp.Or(o.Epsilon, 0.001), 0)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *RefinerOptions) check() error {
	fields := option.Fields{Package: "pose", Type: "RefinerOptions"}
	switch {
	case !(o.HuberThreshold > 0): // NaN is not
		return fields.OutOfRange("HuberThreshold", o.HuberThreshold, "more than 0")
	case o.Iterations < 1 || o.Iterations > 1000:
		return fields.OutOfRange("Iterations", o.Iterations, "1 to 1000")
	case !(o.Epsilon <= 100):
		return fields.OutOfRange("Epsilon", o.Epsilon, "a number up to 100")
	}
	return nil
}

// A Refiner moves views and points so that they best explain the observations: bundle adjustment,
// for up to about 20 views. Create one with [NewRefiner]. It is safe for concurrent use.
type Refiner struct {
	made option.Made
	opts RefinerOptions // with the defaults
	pool sync.Pool      // of *bundle
}

// NewRefiner returns a Refiner. It fails if an option is out of range; the error names the
// field.
func NewRefiner(opts RefinerOptions) (*Refiner, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	r := &Refiner{made: true, opts: opts}
	r.pool.New = func() any { return new(bundle) }
	return r, nil
}

// Options returns the options of r, with defaults filled in and 0 for a negative Epsilon.
func (r *Refiner) Options() RefinerOptions {
	r.check()
	return r.opts
}

// check panics unless r was made by NewRefiner.
func (r *Refiner) check() {
	r.made.Require("pose", "Refiner", "NewRefiner")
}

// An Observation is a point in the image of a view at which the view sees a point of the world.
// View and Point are the indices of the two.
type Observation struct {
	View, Point int
	At          geometry.Point
}

// A Refinement describes what [Refiner.Refine] did.
type Refinement struct {
	// Before and After are the square roots of the mean cost of an observation, in pixels. If no
	// error exceeds HuberThreshold, they are the root mean square errors.
	Before, After float64
	// Iterations is the number of steps that were tried.
	Iterations int
	// Converged reports that the last step was no longer than Epsilon, or that no step reduces the
	// errors. Otherwise, Iterations was too small.
	Converged bool
}

// Refine moves views and points of the world, in place, so that the points appear where they were
// observed. It minimizes the sum of Huber's function of the errors, which are distances in
// undistorted pixels.
//
// The first fixed views, at least 1, do not move. Observations do not determine the scale, but the
// centers of two fixed views do. If all fixed views have the same center, the distance from it to
// the center farthest from it does not change; if there are only two views, for instance, that is
// the distance between them.
//
// An observation is ignored if its view has no ray for it, or if its point is not initially in
// front of its view. Steps keep points in front of all other views that see them. If errors is not
// nil, errors[i] is set to the distance, in undistorted pixels, between observation i and the
// projection of its point, or to infinity if the observation is ignored.
//
// If the observations that are not ignored do not determine the result, Refine returns an error and
// leaves views, points and errors unchanged. The error is [ErrObservations] if fewer than two views
// see a point, or if a view that is not fixed sees fewer than three points. It is [ErrDegenerate]
// if the points that such a view sees are on a line, if no observations connect it to the fixed
// views, or if no point has parallax because the camera only turned.
//
// The order of the observations makes no difference. Renumbering the views or points changes the
// last bits of the results.
//
// Refine panics if fixed is not 1 to len(views), if errors is neither nil nor as long as
// observations, if an index is out of range, if a coordinate is not finite or exceeds 1e100 in
// magnitude, if [camera.Camera.Check] returns an error, or if a [Pose] is invalid. It does not
// allocate in the steady state.
func (r *Refiner) Refine(views []View, fixed int, points []Vector, observations []Observation, errors []float64) (Refinement, error) {
	r.check()
	checkRefine(views, fixed, points, observations, errors)
	b := r.pool.Get().(*bundle)
	defer r.pool.Put(b)
	b.huber = r.opts.HuberThreshold
	b.begin(views, fixed, points, observations)
	if err := b.determined(); err != nil {
		return Refinement{}, err
	}
	result := b.minimize(&r.opts)
	b.keepScale()
	for i := range b.views {
		if i >= fixed {
			views[i].Pose = b.views[i].pose
		}
	}
	for i := range b.points {
		points[i] = b.points[i].at
	}
	b.setErrors(errors)
	return result, nil
}

// checkRefine panics unless the arguments are those of Refine.
func checkRefine(views []View, fixed int, points []Vector, observations []Observation, errors []float64) {
	if fixed < 1 || fixed > len(views) {
		panic(fmt.Sprintf("pose: %d fixed views of %d, not 1 to %[2]d", fixed, len(views)))
	}
	if errors != nil && len(errors) != len(observations) {
		panic(fmt.Sprintf("pose: room for %d errors of %d observations", len(errors), len(observations)))
	}
	for i := range views {
		views[i].check()
	}
	for i := range points {
		if !points[i].bounded() {
			panic(fmt.Sprintf("pose: point %d is not finite, or beyond 1e100", i))
		}
	}
	for i := range observations {
		o := &observations[i]
		if uint(o.View) >= uint(len(views)) || uint(o.Point) >= uint(len(points)) {
			panic(fmt.Sprintf("pose: observation %d is of view %d of %d and point %d of %d", i, o.View, len(views), o.Point, len(points)))
		}
		if !(math.Abs(o.At.X) <= farthest && math.Abs(o.At.Y) <= farthest) {
			panic(fmt.Sprintf("pose: observation %d is at a place that is not finite, or beyond 1e100", i))
		}
	}
}

const (
	// firstDamping is that of the first step, leastDamping and mostDamping are its limits.
	firstDamping, leastDamping, mostDamping = 1e-4, 1e-12, 1e10
	// rounding is by how much, in relation, costs may differ although they are the same.
	rounding = 1e-12
	// noDamping is so little that rounding errors are more.
	noDamping = 1e-15
	// littleDamping is that up to which a step is about as long as without.
	littleDamping = 0.01
	// leastPivot is the least pivot of an unknown of a pose, as a share of its element of the
	// diagonal: the unknown is not determined if the others explain all but less than that.
	// leastParallax is that of points.
	leastPivot, leastParallax = 1e-10, 1e-12
)

// minimize moves views and points by the method of Levenberg and Marquardt. The equations are
// those of where they are.
func (b *bundle) minimize(opts *RefinerOptions) (result Refinement) {
	cost := b.cost()
	n := float64(len(b.sightings))
	result.Before = math.Sqrt(cost / n)
	short := float64(opts.Epsilon * opts.Epsilon * n)
	damping, last := firstDamping, math.Inf(1)
	for result.Iterations < opts.Iterations && !result.Converged {
		result.Iterations++
		solved := b.solve(damping, leastPivot)
		next := math.Inf(1)
		if solved {
			b.move(damping)
			next = b.cost()
			result.Converged = damping <= littleDamping && b.motion <= short
		}
		// Near the minimum costs differ by rounding alone, and steps still tell.
		near := solved && b.gain <= float64(rounding*cost)
		if next < cost || near && next <= float64(cost*(1+rounding)) && b.motion < last {
			cost, last = next, b.motion
			damping = max(float64(damping*0.1), leastDamping)
			b.linearize()
			continue
		}
		if solved {
			b.moveBack()
		}
		damping = float64(damping * 10)
		if near || damping > mostDamping {
			result.Converged = true
		}
	}
	result.After = math.Sqrt(cost / n)
	return result
}
