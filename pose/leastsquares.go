package pose

import (
	"fmt"
	"math"
	"sync"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
)

// A Placement is a pose of a camera among known points, and its error.
type Placement struct {
	// Pose maps points of the world to the frame of the camera.
	Pose Pose
	// Error is the root of the mean squared distance, in undistorted pixels, between the points in
	// the image and the projections of the points of the world.
	Error float64
}

// A Solution has the poses that [LeastSquares] finds.
type Solution struct {
	// Minima are the poses at which the sum of squared errors has a minimum, the best one first: up
	// to four for three points, whose errors are 0 but for rounding, and the best one or two for
	// more.
	Minima []Placement
	// Ambiguous reports that noise may have exchanged the first two of the Minima: the second one is
	// the true pose more often than in one of 30,000 cases, or noise is not known well enough.
	Ambiguous bool
}

// LeastSquares returns where a camera c is that sees the points of the world in world at the points in
// image with the same indices, all of which are right but for noise, such as the corners of a marker.
// It finds all poses that fit three points, and the pose that minimizes the sum of squared distances
// between four or more points and their projections, in undistorted pixels. If the points of the world
// are on a plane or nearly so, a second minimum looks similar, and it finds both.
//
// noise is the standard deviation, in pixels, of a coordinate in the image. If it is 0, it is
// estimated from the errors, of which four or five points have so few that the Solution is nearly
// always Ambiguous if there are two minima. Pairs are ignored as by an [Estimator].
//
// The error is ErrPairs if fewer than three pairs count, or ErrDegenerate if the points of the world
// are on a line or no pose has them in front of the camera. LeastSquares panics if the slices have
// different lengths, if noise is negative or not finite, or if [camera.Camera.Check] returns an error.
// It allocates only the Minima, in the steady state.
//
// It computes two poses in closed form from the homography of the plane (T. Collins and A. Bartoli,
// "Infinitesimal plane-based pose estimation", IJCV 2014), or poses from triples of points, and refines
// them, and the mirror image of the best one, by the method of Levenberg and Marquardt.
func LeastSquares(c camera.Camera, world []Vector, image []geometry.Point, noise float64) (Solution, error) {
	if !(noise >= 0 && noise <= math.MaxFloat64) {
		panic(fmt.Sprintf("pose: noise is %g, not a finite number from 0", noise))
	}
	p := placers.Get().(*placer)
	defer placers.Put(p)
	if err := p.begin(&c, world, image); err != nil {
		return Solution{}, err
	}
	p.place()
	if p.count == 0 {
		return Solution{}, ErrDegenerate
	}
	found := Solution{Minima: make([]Placement, p.count), Ambiguous: p.ambiguous(noise)}
	for i := range found.Minima {
		found.Minima[i] = p.placement(&p.minima[i])
	}
	return found, nil
}

// Refine returns the pose near that of v at which the sum of squared distances between the points in
// image and the projections of the points of the world has a minimum, in undistorted pixels. All pairs
// must be right but for noise. It is for poses that are known approximately: [LeastSquares] finds the
// pose without that, and whether there are two.
//
// The error is ErrPairs if fewer than three pairs count, or ErrDegenerate if the points of the world
// are on a line or v does not see all of them in front of its camera. Refine panics if the slices have
// different lengths, if [camera.Camera.Check] returns an error, or if the Pose is invalid. It does not
// allocate in the steady state.
func (v View) Refine(world []Vector, image []geometry.Point) (Placement, error) {
	v.check()
	p := placers.Get().(*placer)
	defer placers.Put(p)
	if err := p.begin(&v.Camera, world, image); err != nil {
		return Placement{}, err
	}
	refined := p.refine(p.inside(v.Pose))
	if refined.squares == math.Inf(1) {
		return Placement{}, ErrDegenerate
	}
	return p.placement(&refined), nil
}

// placers are made once and used again.
var placers = sync.Pool{New: func() any { return new(placer) }}
