package calibrate

import (
	"fmt"
	"image"
	"math"
	"slices"
	"sync"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A Calibration is a camera that [Calibrator.Calibrate] has found. Its methods panic unless it was found
// so.
type Calibration struct {
	// Camera is the camera.
	Camera camera.Camera
	// Size is that of the images.
	Size image.Point
	// Poses map the World of each view to the frame of the camera.
	Poses []pose.Pose
	// Bend has the heights of the middle of the board above its edges, in the unit of World, if
	// Options.Bend is set: a point of the board has the z coordinate
	//
	//	Bend[0]*(1-x*x) + Bend[1]*(1-y*y)
	//
	// where x and y are -1 to 1 over the extent of all points of the views. It is what mrcal calls the
	// deformation of a calibration object.
	Bend [2]float64
	// RMS is the root mean square error of the points in pixels. With HuberThreshold, it is the square
	// root of the mean cost of a point. With Deviations, the mean is that with their weights.
	RMS float64
	// Sigma is the standard deviation of the noise of a coordinate, in pixels, that the errors show. It
	// takes account of the number of unknowns. With Deviations, it is that of a point with the mean
	// weight.
	Sigma float64
	// Iterations is the number of steps that were made from the best start.
	Iterations int
	// Beyond is the number of points of the boards that lie at or beyond the end of the Camera (see
	// [camera.Camera.End]): it should be 0.
	Beyond int
	// Converged reports that no further step would have reduced the errors noticeably. Otherwise,
	// Options.Iterations was too small.
	Converged bool

	found *findings
}

// findings are what a Calibration knows about itself.
type findings struct {
	opts       Options
	freedom    freedom
	extent     extent
	unknowns   int       // that all views share
	equations  []float64 // those of the unknowns, reduced
	inverse    []float64 // of equations
	covariance [numFields][numFields]float64
	parts      []part
	seen       [][]geometry.Point
	errors     [][]geometry.Point
	farView    func() *farView
}

// A part is what a view contributes to the reduced equations and to their right side.
type part struct {
	equations, right []float64
	cost             float64
	more             int // how many coordinates it has more than unknowns of its own
}

// goodEnough is the root mean square error, in pixels, up to which the first minimum is taken for the
// best one.
const goodEnough = 1.5

// Calibrate finds the camera of images of a size, in whose pixels, from 0, 0, the views are. The order of
// the points of a view makes no difference but for rounding.
//
// It minimizes the sum of squared distances, in pixels, between points and their projections, as OpenCV's
// calibrateCamera does, or of Huber's function of them. The method is that of Levenberg and Marquardt,
// from one of several focal lengths. Results are the same on every platform, to the bit.
//
// The error is [ErrViews], [ErrDegenerate] or [ErrFocal]; the Calibration is complete with ErrFocal, and
// zero with the others. Calibrate panics if a width or a height is not positive, if the slices of a view
// have different lengths, if a coordinate is not finite, if a z of World is not 0, or if one of the
// Deviations is not finite and positive.
func (c *Calibrator) Calibrate(size image.Point, views []View) (Calibration, error) {
	c.check()
	requireSize(size)
	if err := checkViews(views); err != nil {
		return Calibration{}, err
	}
	j := newSolver(&c.opts, c.opts.freedom(), views)
	best, err := j.search(&c.opts, size)
	if err != nil {
		return Calibration{}, err
	}
	result := j.calibration(&c.opts, size, best)
	if j.unsure(&c.opts, best.estimate) {
		return result, fmt.Errorf("%w: its standard deviation is %.1f %% of it", ErrFocal, 100*j.focalError(best.estimate))
	}
	return result, nil
}

// A minimum is where the search from a start has ended.
type minimum struct {
	*estimate
	iterations int
	converged  bool
}

// search returns the best minimum for images of a size. Its reduced equations are those of j.
func (j *solver) search(opts *Options, size image.Point) (best minimum, err error) {
	starts := j.starts(opts, size)
	if len(starts) > 4 {
		starts = starts[:4]
	}
	try := func(s *start) {
		j.now.cameras[0], j.now.bend = s.camera, [bendSize]float64{}
		copy(j.now.poses, s.poses)
		iterations, converged := j.minimize(opts.Iterations)
		if !(j.now.cost < math.Inf(1)) || best.estimate != nil && j.now.cost >= best.cost {
			return
		}
		last := best.estimate
		best = minimum{j.now, iterations, converged}
		if last == nil {
			last = j.newEstimate()
		}
		j.now = last
	}
	tried := 0
	for tried < min(3, len(starts)) && (best.estimate == nil || j.rms(best.estimate) >= goodEnough) {
		try(&starts[tried])
		tried++
	}
	if best.estimate == nil || !j.conclude(best.estimate) {
		return best, ErrDegenerate
	}
	if j.rms(best.estimate) < goodEnough && j.unsure(opts, best.estimate) {
		for i := tried; i < len(starts); i++ {
			try(&starts[i])
		}
		if !j.conclude(best.estimate) {
			return best, ErrDegenerate
		}
	}
	return best, nil
}

// conclude factors the reduced equations of e. It reports false if they are singular.
func (j *solver) conclude(e *estimate) bool { return j.reduce(e, 0) && j.regular() }

// finest is the least standard deviation of the noise, in pixels, that is believed. Without noise, as in
// drawings, the equations of views that do not determine a camera are hardly ever singular, and the errors
// are so small that any camera would seem to be certain.
const finest = 1e-4

// focalError returns the standard deviation of Fx as a share of Fx, or 0 if Fx is fixed. The reduced
// equations are those of e.
func (j *solver) focalError(e *estimate) float64 {
	if free := j.sensors[0].fields; len(free) == 0 || free[0] != fieldFx {
		return 0
	}
	clear(j.step)
	j.step[0] = 1
	forward(j.factor, j.step)
	squared := 0.0
	for _, v := range j.step {
		squared += float64(v * v)
	}
	return math.Sqrt(float64(squared*max(j.variance(e), finest*finest))) / e.cameras[0].Fx
}

// unsure reports whether the focal length of e is.
func (j *solver) unsure(opts *Options, e *estimate) bool {
	return opts.MaxFocalError >= 0 && j.focalError(e) > opts.MaxFocalError
}

// calibration returns the Calibration of a minimum, to which the equations belong.
func (j *solver) calibration(opts *Options, size image.Point, m minimum) Calibration {
	s := &j.sensors[0]
	variance := j.variance(m.estimate)
	f := &findings{
		opts:      *opts,
		freedom:   s.freedom,
		extent:    j.extent,
		unknowns:  j.shared,
		equations: j.reduced,
		inverse:   inverse(j.factor, j.shared),
		parts:     make([]part, j.boards),
		seen:      make([][]geometry.Point, j.boards),
		errors:    make([][]geometry.Point, j.boards),
	}
	result := Calibration{
		Camera:     m.cameras[0],
		Size:       size,
		Poses:      m.poses,
		Bend:       m.bend,
		RMS:        j.rms(m.estimate),
		Sigma:      math.Sqrt(variance),
		Iterations: m.iterations,
		Converged:  m.converged,
		found:      f,
	}
	f.covariance = s.spread(&result.Camera, f.inverse, f.unknowns, variance)
	for i := range f.parts {
		b := &m.blocks[i]
		b.subtract(b.shared, b.right)
		f.parts[i] = part{b.shared, b.right, b.cost, 2*len(s.views[i].Image) - poseSize}
		f.seen[i] = slices.Clone(s.views[i].Image)
		var beyond int
		f.errors[i], beyond = j.errors(m.estimate, 0, i)
		result.Beyond += beyond
	}
	lens := result.Camera
	f.farView = sync.OnceValue(func() *farView { return newFarView(&lens, &f.freedom, size) })
	return result
}

// check panics unless c was made by Calibrate.
func (c *Calibration) check() {
	if c.found == nil {
		panic("calibrate: Calibration not made by Calibrate")
	}
}

// StandardDeviations returns those of the fields of the camera, in the order of
// [camera.Derivatives].Field: Fx, Fy, Cx, Cy, K1, K2, P1, P2, K3, K4, K5, K6. They follow from the noise
// of the points, Sigma, and are 0 for fields that are fixed.
func (c *Calibration) StandardDeviations() [12]float64 {
	c.check()
	var deviations [numFields]float64
	for i := range deviations {
		deviations[i] = math.Sqrt(c.found.covariance[i][i])
	}
	return deviations
}

// Covariance returns that of fields i and j of the camera, 0 to 11 in the order of
// [Calibration.StandardDeviations]. It is 0 if one of them is fixed. It panics if i or j is out of range.
func (c *Calibration) Covariance(i, j int) float64 {
	c.check()
	return c.found.covariance[i][j]
}

// Errors returns, for each point of a view, the vector in pixels from its projection to where it was
// seen. It panics if there is no such view.
func (c *Calibration) Errors(view int) []geometry.Point {
	c.check()
	return slices.Clone(c.found.errors[view])
}
