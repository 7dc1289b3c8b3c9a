package pose

import (
	"math"

	"github.com/fastcorners/fast/geometry"
)

// A Vector is a point in space or a direction: x to the right, y down, z forward.
type Vector [3]float64

// Add returns v + w.
func (v Vector) Add(w Vector) Vector { return Vector{v[0] + w[0], v[1] + w[1], v[2] + w[2]} }

// Sub returns v - w.
func (v Vector) Sub(w Vector) Vector { return Vector{v[0] - w[0], v[1] - w[1], v[2] - w[2]} }

// Scale returns v times s.
func (v Vector) Scale(s float64) Vector {
	return Vector{float64(v[0] * s), float64(v[1] * s), float64(v[2] * s)}
}

// Dot returns the dot product of v and w.
func (v Vector) Dot(w Vector) float64 {
	return float64(v[0]*w[0]) + float64(v[1]*w[1]) + float64(v[2]*w[2])
}

// Cross returns the cross product of v and w.
func (v Vector) Cross(w Vector) Vector {
	return Vector{float64(v[1]*w[2]) - float64(v[2]*w[1]), float64(v[2]*w[0]) - float64(v[0]*w[2]), float64(v[0]*w[1]) - float64(v[1]*w[0])}
}

// Norm returns the length of v.
func (v Vector) Norm() float64 { return math.Sqrt(v.Dot(v)) }

// A Rotation is a rotation matrix, by rows.
type Rotation [9]float64

// A Pose maps a point x of one frame to R x + T in another. The zero value is not useful.
type Pose struct {
	R Rotation
	T Vector
}

// Identity returns the pose that maps every point to itself.
func Identity() Pose { return Pose{R: Rotation{0: 1, 4: 1, 8: 1}} }

// An Essential is the essential matrix of a motion, by rows: b'Ea is 0 if a and b are the rays,
// with a third element of 1, by which two cameras see the same point.
type Essential [9]float64

// A Fundamental is a fundamental matrix, by rows: b'Fa is 0 for points a and b, in pixels with a
// third element of 1, at which two cameras see the same point. Its rank is 2.
type Fundamental [9]float64

// Apply returns R x + T.
func (p Pose) Apply(x Vector) Vector { return p.matrix().apply(x).Add(p.T) }

// Inverse returns the inverse of p.
func (p Pose) Inverse() Pose {
	g := p.rigid()
	return Pose{Rotation(g.r.transposed()), g.center()}
}

// Mul returns the pose that applies q and then p.
func (p Pose) Mul(q Pose) Pose {
	return Pose{Rotation(p.matrix().mul(q.matrix())), p.Apply(q.T)}
}

// Center returns the position of a camera in the world, -R'T, if p maps points of the world to the
// frame of the camera.
func (p Pose) Center() Vector {
	g := p.rigid()
	return g.center()
}

// Matrix returns p as a 4 by 4 matrix, by rows, that maps x, y, z, 1. Its last row is 0, 0, 0, 1.
func (p Pose) Matrix() [16]float64 {
	r, t := &p.R, &p.T
	return [16]float64{r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2], 15: 1}
}

// Essential returns the essential matrix of a motion, [T]R, where [T] maps v to the cross product
// of T and v.
func (p Pose) Essential() Essential { return Essential(essential(p.matrix(), p.T)) }

// Quaternion returns the unit quaternion of R. w is not negative.
func (p Pose) Quaternion() (w, x, y, z float64) {
	r := &p.R
	// Four times the squares of the elements, the largest of which is at least 1.
	squares := [4]float64{1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8]}
	k := 0
	for i, s := range squares {
		if s > squares[k] {
			k = i
		}
	}
	var q [4]float64
	switch k {
	case 0:
		q = [4]float64{squares[0], r[7] - r[5], r[2] - r[6], r[3] - r[1]}
	case 1:
		q = [4]float64{r[7] - r[5], squares[1], r[1] + r[3], r[2] + r[6]}
	case 2:
		q = [4]float64{r[2] - r[6], r[1] + r[3], squares[2], r[5] + r[7]}
	case 3:
		q = [4]float64{r[3] - r[1], r[2] + r[6], r[5] + r[7], squares[3]}
	}
	s := 1 / math.Sqrt(float64(q[0]*q[0])+float64(q[1]*q[1])+float64(q[2]*q[2])+float64(q[3]*q[3]))
	if q[0] < 0 {
		s = -s
	}
	return float64(q[0] * s), float64(q[1] * s), float64(q[2] * s), float64(q[3] * s)
}

// FromQuaternion returns the pose with the rotation of a quaternion, which need not have length 1,
// and a translation. It panics if the length is 0 or not finite.
func FromQuaternion(w, x, y, z float64, t Vector) Pose {
	n := float64(w*w) + float64(x*x) + float64(y*y) + float64(z*z)
	if !(n > 0 && n <= math.MaxFloat64) {
		panic("pose: quaternion with a length that is 0 or not finite")
	}
	s := 2 / n
	xx, yy, zz := float64(x*x*s), float64(y*y*s), float64(z*z*s)
	xy, xz, yz := float64(x*y*s), float64(x*z*s), float64(y*z*s)
	wx, wy, wz := float64(w*x*s), float64(w*y*s), float64(w*z*s)
	return Pose{Rotation{
		1 - (yy + zz), xy - wz, xz + wy,
		xy + wz, 1 - (xx + zz), yz - wx,
		xz - wy, yz + wx, 1 - (xx + yy),
	}, t}
}

// matrix returns R.
func (p *Pose) matrix() *matrix { return (*matrix)(&p.R) }

// A rigid is a Pose within the package, where a rotation is a matrix among others.
type rigid struct {
	r matrix
	t Vector
}

// rigid returns p for the package.
func (p *Pose) rigid() rigid { return rigid{*p.matrix(), p.T} }

// center returns where the camera is. A zero has no sign.
func (g *rigid) center() Vector { return Vector{}.Sub(g.r.applyT(g.t)) }

// pose returns g for others.
func (g *rigid) pose() Pose { return Pose{Rotation(g.r), g.t} }

// candidate returns g to be rated.
func (g rigid) candidate() candidate {
	return candidate{model: model{essential(&g.r, g.t), g}}
}

// A Motion describes how a camera moved between images A and B.
type Motion struct {
	// Pose maps points from the frame of camera A to that of camera B. The length of T is 1, since
	// images do not show how far a camera moved, or 0 if Turn is set.
	Pose Pose
	// Other explains nearly as many pairs as Pose if Ambiguous is set, and is zero otherwise.
	Other Pose
	// Turn reports that the pairs show a rotation and no translation: the camera did not move, or
	// too little to tell in which direction.
	Turn bool
	// Planar reports that nine tenths of the inliers are on one plane.
	Planar bool
	// Ambiguous reports that Other explains the pairs nearly as well: it has at least nine tenths
	// of the support of Pose, and differs from it by more than noise. This happens if the points
	// are on a plane, and may happen if many pairs are wrong and all points are in a narrow band,
	// such as the horizon of a road. A third image, the normal of the plane or the previous motion
	// can show which of the two is correct.
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
	return epipole(&t).unit(), epipole(&m).unit()
}
