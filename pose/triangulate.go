package pose

import (
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
)

// Triangulate returns the point that two cameras see at a and b, in the frame of camera A; p maps
// that frame to the frame of camera B. The point minimizes the sum of squared distances from the
// rays, in the planes at depth 1 (P. Lindstrom, "Triangulation made easy", CVPR 2010). It reports
// false if a or b has no ray, or if the point is not in front of both cameras or is infinitely far
// away. It panics if [camera.Camera.Check] returns an error.
func (p Pose) Triangulate(cameraA, cameraB camera.Camera, a, b geometry.Point) (Vector, bool) {
	x, y, okA := cameraA.Ray(a)
	u, v, okB := cameraB.Ray(b)
	if !okA || !okB {
		return Vector{}, false
	}
	return triangulate(p, x, y, u, v)
}

// triangulate is Triangulate for rays.
func triangulate(g Pose, x, y, u, v float64) (Vector, bool) {
	e := g.essential()
	// The directions across the epipolar lines in B and in A.
	n := [2]float64{float64(e[0]*x) + float64(e[1]*y) + e[2], float64(e[3]*x) + float64(e[4]*y) + e[5]}
	m := [2]float64{float64(e[0]*u) + float64(e[3]*v) + e[6], float64(e[1]*u) + float64(e[4]*v) + e[7]}
	a := float64(n[0]*(float64(e[0]*m[0])+float64(e[1]*m[1]))) + float64(n[1]*(float64(e[3]*m[0])+float64(e[4]*m[1])))
	b := (float64(n[0]*n[0]) + float64(n[1]*n[1]) + float64(m[0]*m[0]) + float64(m[1]*m[1])) / 2
	c := float64(u*n[0]) + float64(v*n[1]) + (float64(e[6]*x) + float64(e[7]*y) + e[8])
	d := math.Sqrt(max(float64(b*b)-float64(a*c), 0))
	if !(b+d > 0) {
		return Vector{}, false
	}
	l := c / (b + d)
	dn, dm := [2]float64{float64(l * n[0]), float64(l * n[1])}, [2]float64{float64(l * m[0]), float64(l * m[1])}
	n[0] -= float64(e[0]*dm[0]) + float64(e[1]*dm[1])
	n[1] -= float64(e[3]*dm[0]) + float64(e[4]*dm[1])
	m[0] -= float64(e[0]*dn[0]) + float64(e[3]*dn[1])
	m[1] -= float64(e[1]*dn[0]) + float64(e[4]*dn[1])
	s := float64(n[0]*n[0]) + float64(n[1]*n[1]) + float64(m[0]*m[0]) + float64(m[1]*m[1])
	if !(s > 0) {
		return Vector{}, false
	}
	l = l * 2 * d / s
	x, y, u, v = x-float64(l*m[0]), y-float64(l*m[1]), u-float64(l*n[0]), v-float64(l*n[1])
	p, w := g.R.apply(Vector{x, y, 1}), Vector{u, v, 1}
	k := w.Cross(p)
	kk := k.Dot(k)
	// The depths in A and B are those of both cross products along k, divided by kk.
	depth := -w.Cross(g.T).Dot(k)
	if !(kk > 0 && depth > 0 && p.Cross(g.T).Dot(k) < 0) {
		return Vector{}, false
	}
	depth /= kk
	q := Vector{float64(x * depth), float64(y * depth), depth}
	return q, depth <= math.MaxFloat64 && math.Abs(q[0]) <= math.MaxFloat64 && math.Abs(q[1]) <= math.MaxFloat64
}
