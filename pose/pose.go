package pose

import "math"

// A Rotation is a rotation matrix, by rows.
type Rotation [9]float64

// A Pose maps a point x of one frame to R x + T in another. The zero value is not useful.
type Pose struct {
	R Rotation
	T Vector
}

// An Essential is the essential matrix of a motion, by rows: b'Ea is 0 if a and b are the rays,
// with a third element of 1, by which two cameras see the same point.
type Essential [9]float64

// A Fundamental is a fundamental matrix, by rows: b'Fa is 0 for points a and b, in pixels with a
// third element of 1, at which two cameras see the same point. Its rank is 2.
type Fundamental [9]float64

// Identity returns the pose that maps every point to itself.
func Identity() Pose { return Pose{R: Rotation{0: 1, 4: 1, 8: 1}} }

// Apply returns R x + T.
func (p Pose) Apply(x Vector) Vector { return p.R.apply(x).Add(p.T) }

// Inverse returns the inverse of p.
func (p Pose) Inverse() Pose { return Pose{p.R.inverse(), p.Center()} }

// Mul returns the pose that applies q and then p.
func (p Pose) Mul(q Pose) Pose {
	return Pose{p.R.mul(&q.R), p.Apply(q.T)}
}

// Center returns the position of a camera in the world, -R'T, if p maps points of the world to the
// frame of the camera.
func (p Pose) Center() Vector {
	return Vector{}.Sub(p.R.applyInverse(p.T)) // a zero has no sign
}

// Matrix returns p as a 4 by 4 matrix, by rows, that maps x, y, z, 1. Its last row is 0, 0, 0, 1.
func (p Pose) Matrix() [16]float64 {
	r, t := &p.R, &p.T
	return [16]float64{r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2], 15: 1}
}

// Essential returns the essential matrix of a motion, [T]R, where [T] maps v to the cross product
// of T and v.
func (p Pose) Essential() Essential { return Essential(p.essential()) }

// essential returns [T]R.
func (p *Pose) essential() matrix {
	s := skew(p.T)
	return s.mul(p.R.matrix())
}

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
