package pose

import (
	"errors"
	"fmt"
	"sync"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
)

// The reasons why there is no result.
var (
	// ErrPairs means that there are fewer pairs than inliers are needed.
	ErrPairs = errors.New("pose: too few pairs")
	// ErrSupport means that too few pairs agree, or pairs in too few places.
	ErrSupport = errors.New("pose: too few pairs agree with any result")
	// ErrDegenerate means that the points are on a line or, for Fundamental, on a plane, or that
	// the camera only turned, so that many results fit. A geometry.Homography explains these
	// pairs.
	ErrDegenerate = errors.New("pose: the points do not determine a result")
)

// An Estimator finds motions and poses as its Options say. It is made by New and safe for
// concurrent use.
//
// Its methods set inliers[i] to whether pair i agrees, unless inliers is nil. If distances is
// not nil, distances[i] says how far apart the descriptors of pair i are, or anything else that
// is less the more likely the pair is right: the order of the distances decides which pairs are
// tried first. Pairs with a distance that is NaN, or a coordinate in an image that is NaN or
// beyond 2^24, or that the camera has no ray for, do not count, and are never inliers. The order
// of the pairs makes no difference.
//
// If there is an error the result is zero and there are no inliers. Methods panic if slices that
// are not nil have different lengths, or for a Camera whose methods would panic. They do not
// allocate in the steady state.
type Estimator struct {
	opts Options // with the defaults
	made bool
}

// New returns an Estimator. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Estimator, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	return &Estimator{opts, true}, nil
}

// check panics unless e was made by New.
func (e *Estimator) check() {
	option.RequireMade(e.made, "pose", "Estimator", "New")
}

// Options returns the options of e, with numbers in place of the defaults that are the same for
// all methods.
func (e *Estimator) Options() Options {
	e.check()
	return e.opts
}

// jobs are made once and used again.
var jobs = sync.Pool{New: func() any { return newJob() }}

// Relative returns the motion between two images, the cameras of which are known, from the places
// a and b of the same points. Of the pairs that agree with it, the points are in front of both
// cameras, and Sampson's error is at most the threshold, as distances in undistorted pixels of
// both images.
//
// The error is ErrPairs, ErrSupport, or ErrDegenerate if all points are on a line.
func (e *Estimator) Relative(cameraA, cameraB Camera, a, b []geometry.Point, distances []float64, inliers []bool) (Motion, error) {
	e.check()
	checkPairs(len(a), len(b), distances, inliers)
	cameraA.check()
	cameraB.check()
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	motion, err := j.findRelative(&e.opts, &cameraA, &cameraB, given{a: a, b: b, distances: distances})
	return motion, j.mark(inliers, err)
}

// Absolute returns the pose of a camera that sees points of the world at places in its image.
// Points that agree with it are in front of the camera and appear at most the threshold, in
// undistorted pixels, from their places. Points with a coordinate that is NaN or beyond 1e100 do
// not count.
//
// The error is ErrPairs, ErrSupport, or ErrDegenerate if all points are on a line.
func (e *Estimator) Absolute(camera Camera, world []Vector, image []geometry.Point, distances []float64, inliers []bool) (Fit, error) {
	e.check()
	checkPairs(len(world), len(image), distances, inliers)
	camera.check()
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	fit, err := j.findAbsolute(&e.opts, &camera, given{world: world, b: image, distances: distances})
	return fit, j.mark(inliers, err)
}

// Fundamental returns the fundamental matrix of two images from the places a and b of the same
// points, without distortion (see [Camera.Rays]). Sampson's error of the pairs that agree with
// it is at most the threshold, as distances in both images.
//
// The error is ErrPairs, ErrSupport, or ErrDegenerate if all points are on a line or a plane, or
// the camera only turned.
func (e *Estimator) Fundamental(a, b []geometry.Point, distances []float64, inliers []bool) (Epipolar, error) {
	e.check()
	checkPairs(len(a), len(b), distances, inliers)
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	epipolar, err := j.findFundamental(&e.opts, given{a: a, b: b, distances: distances})
	return epipolar, j.mark(inliers, err)
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
