package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/pose"
)

// A Pair is two cameras that see the same boards, as [Calibrator.Pair] has found them.
type Pair struct {
	// A and B are the cameras.
	A, B camera.Camera
	// Pose maps the frame of A to that of B. Its T is in the unit of World.
	Pose pose.Pose
	// Poses map the World of each element of the views to the frame of A.
	Poses []pose.Pose
	// Bend is that of the boards: see [Calibration].Bend.
	Bend [2]float64
	// RMS and Sigma are the root mean square error of all points in both images, and the standard
	// deviation of the noise of a coordinate that the errors show, in pixels: see [Calibration].
	RMS, Sigma float64
	// Turn and Shift are the standard deviations that follow for Pose: of turns about the axes of B, in
	// radians, and of T.
	Turn, Shift pose.Vector
	// Iterations is the number of steps.
	Iterations int
	// Beyond is the number of points of the boards that lie at or beyond the end of a camera (see
	// [camera.Camera.End]): it should be 0.
	Beyond int
	// Converged reports that no further step would have reduced the errors noticeably. Otherwise,
	// Options.Iterations was too small.
	Converged bool
}

// Pair finds where camera B is relative to camera A: stereo calibration. Each element of views has what A
// and B see of a board at the same time; both have the same World. a and b are calibrations of the two
// cameras, or values with just a Camera that is known otherwise. The cameras stay as they are unless
// Options.RefineCameras is set.
//
// It minimizes the sum of squared distances between points and their projections in both images, as
// OpenCV's stereoCalibrate does, or of Huber's function of them.
//
// The error is [ErrViews] or [ErrDegenerate]. Pair panics if a View is malformed (see
// [Calibrator.Calibrate]), if the two of an element do not have the same World, if
// [camera.Camera.Check] returns an error for a camera, or, with RefineCameras, if a camera is not of
// Options.Model.
func (c *Calibrator) Pair(a, b Calibration, views [][2]View) (Pair, error) {
	c.check()
	cameras := [2]camera.Camera{a.Camera, b.Camera}
	for _, camera := range cameras {
		if err := camera.Check(); err != nil {
			panic(err.Error())
		}
		if c.opts.RefineCameras && camera.Model != c.opts.Model {
			panic(fmt.Sprintf("calibrate: camera of the model %v, not %v", camera.Model, c.opts.Model))
		}
	}
	sides, err := splitViews(views)
	if err != nil {
		return Pair{}, err
	}
	var poses [2][]pose.Pose
	for i, side := range sides {
		if poses[i], err = c.opts.poses(cameras[i], side); err != nil {
			return Pair{}, err
		}
	}
	var free freedom
	if c.opts.RefineCameras {
		free = c.opts.freedom()
	}
	j := newSolver(&c.opts, free, sides[0], sides[1])
	j.now.cameras, j.now.between, j.now.poses = cameras, middle(poses[0], poses[1]), poses[0]
	iterations, converged := j.minimize(c.opts.Iterations)
	if !(j.now.cost < math.Inf(1)) || !j.conclude(j.now) {
		return Pair{}, ErrDegenerate
	}
	variance := j.variance(j.now)
	result := Pair{
		A: j.now.cameras[0], B: j.now.cameras[1], Pose: j.now.between, Poses: j.now.poses, Bend: j.now.bend,
		RMS: j.rms(j.now), Sigma: math.Sqrt(variance), Iterations: iterations, Converged: converged,
	}
	covariance := inverse(j.factor, j.shared)
	for i := range 3 {
		result.Turn[i] = math.Sqrt(float64(variance * covariance[i*(j.shared+1)]))
		result.Shift[i] = math.Sqrt(float64(variance * covariance[(i+3)*(j.shared+1)]))
	}
	for k := range j.sensors {
		for i := range j.boards {
			_, beyond := j.errors(j.now, k, i)
			result.Beyond += beyond
		}
	}
	return result, nil
}

// splitViews returns the views of both cameras. It panics if one is malformed, or if their worlds differ.
func splitViews(views [][2]View) (sides [2][]View, err error) {
	for _, v := range views {
		for i := range sides {
			sides[i] = append(sides[i], v[i])
		}
	}
	for i := range sides {
		if err := checkViews(sides[i]); err != nil {
			return sides, err
		}
	}
	for i, v := range views {
		if !slices.Equal(v[0].World, v[1].World) {
			panic(fmt.Sprintf("calibrate: the two Views of element %d do not have the same World", i))
		}
	}
	return sides, nil
}

// poses returns the poses of flat boards that a known camera sees.
func (o *Options) poses(c camera.Camera, views []View) ([]pose.Pose, error) {
	flat := *o
	flat.Bend = false
	j := newSolver(&flat, freedom{}, views)
	starts := j.place(c)
	if len(starts) == 0 {
		return nil, ErrDegenerate
	}
	j.now.cameras[0], j.now.poses = c, starts[0].poses
	if j.minimize(o.Iterations); !(j.now.cost < math.Inf(1)) {
		return nil, ErrDegenerate
	}
	return j.now.poses, nil
}

// middle returns the pose between two cameras that a board shows: the one with the shift that is nearest
// to those that the others show.
func middle(a, b []pose.Pose) pose.Pose {
	between := make([]pose.Pose, len(a))
	for i := range a {
		between[i] = b[i].Mul(a[i].Inverse())
	}
	best, least := pose.Pose{}, math.Inf(1)
	for _, p := range between {
		sum := 0.0
		for _, q := range between {
			sum += p.T.Sub(q.T).Norm()
		}
		if sum < least {
			best, least = p, sum
		}
	}
	return best
}
