package pose

import (
	"errors"
	"math"

	"github.com/fastcorners/fast/geometry"
)

// These errors explain why there is no result.
var (
	// ErrPairs means that there are fewer pairs than the required number of inliers.
	ErrPairs = errors.New("pose: too few pairs")
	// ErrSupport means that too few pairs agree, or that they are in too few places.
	ErrSupport = errors.New("pose: too few pairs agree with any result")
	// ErrDegenerate means that the points are on a line or, for Fundamental, on a plane, or that
	// the camera only turned, so that many results fit. A geometry.Homography explains such pairs.
	ErrDegenerate = errors.New("pose: the points do not determine a result")
)

// A Motion describes how a camera moved between images A and B.
type Motion struct {
	// Pose maps points from the frame of camera A to that of camera B. The length of T is 1, since
	// images do not show how far a camera moved, or 0 if Turn is set.
	Pose Pose
	// Other explains the pairs nearly as well as Pose if Ambiguous is set, and is zero otherwise.
	Other Pose
	// Turn reports that the pairs show a rotation and no translation: the camera did not move, or
	// too little to tell in which direction.
	Turn bool
	// Planar reports that nine tenths of the inliers are on one plane.
	Planar bool
	// Ambiguous reports that Other explains the pairs nearly as well: it has at least nine tenths
	// of the support of Pose, or noise alone may make the difference of their errors, and it
	// differs from Pose by more than noise. This happens if the points are on a plane, and may
	// happen if many pairs are wrong and all points are in a narrow band, such as the horizon of a
	// road. A third image, the normal of the plane or the previous motion can show which of the two
	// is correct.
	Ambiguous bool
	// Inliers is the number of pairs that agree.
	Inliers int
	// Parallax is the number of inliers that a rotation alone does not explain.
	Parallax int
	// Samples is the number of samples of all pairs that were tried.
	Samples int
}

// A Fit is the pose of a camera.
type Fit struct {
	// Pose maps points of the world to the frame of the camera.
	Pose Pose
	// Error is the root of the mean squared distance, in undistorted pixels, between the points in the
	// image that agree and the projections of the points of the world.
	Error float64
	// Other is a second pose that explains the points, if those that agree are on a plane or nearly so
	// and it exists, and is zero otherwise. A plane that is small or far away looks similar if it is
	// tilted in the opposite direction.
	Other Pose
	// OtherError is the error of Other for the points that agree with Pose. It is infinite if Other
	// does not have all of them in front of the camera.
	OtherError float64
	// Planar reports that the points of the world that agree are on a plane.
	Planar bool
	// Ambiguous reports that noise, which is estimated from the errors, may have exchanged Pose and
	// Other.
	Ambiguous bool
	// Inliers is the number of points that agree.
	Inliers int
	// Samples is the number of samples of all points that were tried.
	Samples int
}

// An Epipolar is the geometry between two images taken by unknown cameras.
type Epipolar struct {
	// F is the fundamental matrix. The sum of the squares of its elements is 1.
	F Fundamental
	// Inliers is the number of pairs that agree.
	Inliers int
	// OffPlane is the number of inliers that are not on the plane that contains at least half of
	// the inliers. If there is no such plane, it is the number of inliers.
	OffPlane int
	// Samples is the number of samples of all pairs that were tried.
	Samples int
}

// Line returns the line in B that contains the partner of a: the points x, y for which l[0]*x +
// l[1]*y + l[2], the signed distance from the line, is 0. Its elements are not finite if a is the
// epipole.
func (e Epipolar) Line(a geometry.Point) Vector {
	m := matrix(e.F)
	l := m.apply(Vector{a.X, a.Y, 1})
	return l.Scale(1 / math.Sqrt(float64(l[0]*l[0])+float64(l[1]*l[1])))
}

// Epipoles returns where each image shows the camera of the other: as unit vectors x, y, w for the
// point x/w, y/w, which is at infinity if w is 0.
func (e Epipolar) Epipoles() (a, b Vector) {
	m := matrix(e.F)
	t := m.transposed()
	return t.epipole().unit(), m.epipole().unit()
}
