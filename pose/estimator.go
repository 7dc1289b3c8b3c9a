package pose

import (
	"fmt"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
)

// An Estimator finds motions and poses according to its Options. Create one with [New]. It is safe
// for concurrent use.
//
// Its methods set inliers[i] to whether pair i agrees, unless inliers is nil. If distances is not
// nil, distances[i] is the distance between the descriptors of pair i, or any other number that is
// smaller for pairs that are more likely to be correct: the order of the distances determines which
// pairs are tried first. Pairs are ignored, and are never inliers, if the distance is NaN, if a
// coordinate in an image is NaN or exceeds 2^24 in magnitude, or if the camera has no ray for a
// point (see [camera.Camera.Ray]). The order of the pairs makes no difference.
//
// If there is an error, the result is zero and there are no inliers. Methods panic if slices that
// are not nil have different lengths, or if [camera.Camera.Check] returns an error. They do not
// allocate in the steady state.
type Estimator struct {
	made option.Made
	opts Options // with the defaults
}

// New returns an Estimator. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Estimator, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	return &Estimator{true, opts}, nil
}

// check panics unless e was made by New.
func (e *Estimator) check() {
	e.made.Require("pose", "Estimator", "New")
}

// Options returns the options of e, filling in the defaults that are the same for all methods.
func (e *Estimator) Options() Options {
	e.check()
	return e.opts
}

// Relative returns the motion between two images of known cameras, in which a and b are where the
// same points appear. For pairs that agree with it, the point is in front of both cameras, and
// Sampson's error is at most the threshold, as a distance in undistorted pixels of both images.
//
// The error is ErrPairs, ErrSupport, or ErrDegenerate if all points are on a line.
func (e *Estimator) Relative(cameraA, cameraB camera.Camera, a, b []geometry.Point, distances []float64, inliers []bool) (Motion, error) {
	e.check()
	checkPairs(len(a), len(b), distances, inliers)
	checkCamera(&cameraA)
	checkCamera(&cameraB)
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	motion, found, err := j.findRelative(&e.opts, &cameraA, &cameraB, given{a: a, b: b, distances: distances})
	j.pairs.mark(inliers, found)
	return motion, err
}

// Absolute returns the pose of a camera c that sees the points of the world in world at the points
// in image with the same indices. If these points are on a plane or nearly so, it also returns the
// second pose that looks similar (see [Fit]). Points that agree are in front of the camera, and their
// projections are no farther than the threshold, in undistorted pixels, from their points in the
// image. Points of the world with a coordinate that is NaN or exceeds 1e100 in magnitude are
// ignored. If all points are known to be right, [LeastSquares] needs only three.
//
// The error is ErrPairs, ErrSupport, or ErrDegenerate if all points that agree are on a line or
// nearly so, in the world or in the image.
func (e *Estimator) Absolute(c camera.Camera, world []Vector, image []geometry.Point, distances []float64, inliers []bool) (Fit, error) {
	e.check()
	checkPairs(len(world), len(image), distances, inliers)
	checkCamera(&c)
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	fit, found, err := j.findAbsolute(&e.opts, &c, given{world: world, b: image, distances: distances})
	j.pairs.mark(inliers, found)
	return fit, err
}

// Fundamental returns the fundamental matrix of two images, in which a and b are where the same
// points appear, without distortion (see [camera.Camera.Undistort]). For pairs that agree with it,
// Sampson's error is at most the threshold, as a distance in both images.
//
// The error is ErrPairs, ErrSupport, or ErrDegenerate if all points are on a line or a plane, or
// the camera only turned.
func (e *Estimator) Fundamental(a, b []geometry.Point, distances []float64, inliers []bool) (Epipolar, error) {
	e.check()
	checkPairs(len(a), len(b), distances, inliers)
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	epipolar, found, err := j.findFundamental(&e.opts, given{a: a, b: b, distances: distances})
	j.pairs.mark(inliers, found)
	return epipolar, err
}

// checkPairs panics unless all slices have the same length, or may be nil and are.
func checkPairs(a, b int, distances []float64, inliers []bool) {
	if a != b {
		panic(fmt.Sprintf("pose: %d points, but %d partners", a, b))
	}
	if distances != nil && len(distances) != a {
		panic(fmt.Sprintf("pose: %d distances for %d pairs", len(distances), a))
	}
	if inliers != nil && len(inliers) != a {
		panic(fmt.Sprintf("pose: room for %d inliers of %d pairs", len(inliers), a))
	}
}
