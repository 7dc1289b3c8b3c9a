package peers

import (
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// For motions and poses, the methods of USAC have 5000 samples, those of poses 10,000, and RANSAC
// has 1000. Of a camera the distortion does not count. The confidence is 0.999.

// Relative returns the motion that OpenCV's findEssentialMat and recoverPose find. It reports
// false if there is none.
func (p *Peers) Relative(m Method, threshold float64, c camera.Camera, a, b []geometry.Point) (pose.Pose, bool) {
	motion, n := p.calls.relative(m, threshold, c, a, b)
	return motion, n > 0
}

// Absolute returns the pose that OpenCV's solvePnPRansac finds, with SQPnP for RANSAC. It reports
// false if there is none.
func (p *Peers) Absolute(m Method, threshold float64, c camera.Camera, world []pose.Vector, image []geometry.Point) (pose.Pose, bool) {
	at, n := p.calls.absolute(m, threshold, c, world, image)
	return at, n > 0
}

// Fundamental returns the matrix that OpenCV's findFundamentalMat finds. It reports false if there
// is none.
func (p *Peers) Fundamental(m Method, threshold float64, a, b []geometry.Point) ([9]float64, bool) {
	f, n := p.calls.fundamental(m, threshold, a, b)
	return f, n > 0
}

// A PnP is a way in which OpenCV's solvePnPGeneric finds a pose.
type PnP int

// IPPE takes a plane of points, and IPPELM refines both of its poses by solvePnPRefineLM.
const (
	IPPE PnP = iota
	IPPELM
	SQPNP
	Iterative
)

// PnPs are all of them.
var PnPs = []PnP{IPPE, IPPELM, SQPNP, Iterative}

func (m PnP) String() string {
	return [...]string{"IPPE", "IPPE and solvePnPRefineLM", "SQPNP", "ITERATIVE"}[m]
}

// Solve returns the poses of a camera among points that are right. There are none where OpenCV fails.
func (p *Peers) Solve(m PnP, c camera.Camera, world []pose.Vector, image []geometry.Point) []pose.Pose {
	list, n := p.calls.solve(m, c, world, image)
	return list[:max(n, 0)]
}
