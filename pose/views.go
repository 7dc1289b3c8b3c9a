package pose

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
)

// A View is a camera and its pose, which maps points of the world to the frame of the camera.
type View struct {
	Camera camera.Camera
	Pose   Pose
}

// check panics unless the view is one.
func (v *View) check() {
	checkCamera(&v.Camera)
	r := orthonormal(v.Pose.R.matrix())
	for i, want := range r {
		if !(math.Abs(v.Pose.R[i]-want) <= 1e-4) { // NaN is not, either
			panic("pose: View with a Pose whose R is not a rotation")
		}
	}
	if !v.Pose.T.bounded() {
		panic("pose: View with a Pose whose T is not finite, or beyond 1e100")
	}
}

// A sighting is where a view sees a point: the ray, in the frame of the camera.
type sighting struct {
	x, y   float64
	fx, fy float64 // pixels per unit of x and y
}

// A posed is a sighting and the pose of the view.
type posed struct {
	sighting
	pose Pose
}

// An appearance is where a point appears to a view.
type appearance struct {
	at     Vector  // the point in the frame of the camera
	px, py float64 // where its ray meets the plane at depth 1
	dx, dy float64 // from there to the sighting, in pixels
}

// appearance returns where p appears to a view at g. It reports false if p is not in front of the
// camera.
func (s *sighting) appearance(g *Pose, p *Vector) (a appearance, ok bool) {
	r, t := &g.R, &g.T
	z := float64(r[6]*p[0]) + float64(r[7]*p[1]) + float64(r[8]*p[2]) + t[2]
	if !(z > 0) {
		return a, false
	}
	x := float64(r[0]*p[0]) + float64(r[1]*p[1]) + float64(r[2]*p[2]) + t[0]
	y := float64(r[3]*p[0]) + float64(r[4]*p[1]) + float64(r[5]*p[2]) + t[1]
	inverse := 1 / z
	a = appearance{at: Vector{x, y, z}, px: float64(x * inverse), py: float64(y * inverse)}
	a.dx, a.dy = float64((s.x-a.px)*s.fx), float64((s.y-a.py)*s.fy)
	return a, true
}

// turnSlopes returns the derivatives of fx*px and fy*py by a turn w, where px and py are the coordinates
// at depth 1 of a point that a camera sees. v leads from the center of the turn to the point, which moves
// by the cross product of w and v. Either v or fx and fy are divided by the depth of the point.
func turnSlopes(px, py, vx, vy, vz, fx, fy float64) (x0, x1, x2, y0, y1, y2 float64) {
	return float64(-px * vy * fx), float64((vz + float64(px*vx)) * fx), float64(-vy * fx),
		float64(-(vz + float64(py*vy)) * fy), float64(py * vx * fy), float64(vx * fy)
}

// slopes returns the derivatives of px and py by the coordinates of the point, in pixels.
func (s *sighting) slopes(g *Pose, a *appearance) (sx, sy Vector) {
	r := &g.R
	gx, gy := s.fx/a.at[2], s.fy/a.at[2]
	sx = Vector{
		float64((r[0] - float64(a.px*r[6])) * gx),
		float64((r[1] - float64(a.px*r[7])) * gx),
		float64((r[2] - float64(a.px*r[8])) * gx),
	}
	sy = Vector{
		float64((r[3] - float64(a.py*r[6])) * gy),
		float64((r[4] - float64(a.py*r[7])) * gy),
		float64((r[5] - float64(a.py*r[8])) * gy),
	}
	return sx, sy
}

// A pointSum is the normal equations of a point: the matrix's elements 00, 01, 02, 11, 12 and 22,
// and the right side.
type pointSum struct {
	a [6]float64
	b Vector
}

// add adds what a sighting with the given weight says.
func (q *pointSum) add(w float64, a *appearance, sx, sy *Vector) {
	wx, wy := sx.Scale(w), sy.Scale(w)
	q.a[0] += float64(wx[0]*sx[0]) + float64(wy[0]*sy[0])
	q.a[1] += float64(wx[0]*sx[1]) + float64(wy[0]*sy[1])
	q.a[2] += float64(wx[0]*sx[2]) + float64(wy[0]*sy[2])
	q.a[3] += float64(wx[1]*sx[1]) + float64(wy[1]*sy[1])
	q.a[4] += float64(wx[1]*sx[2]) + float64(wy[1]*sy[2])
	q.a[5] += float64(wx[2]*sx[2]) + float64(wy[2]*sy[2])
	for k := range 3 {
		q.b[k] += float64(wx[k]*a.dx) + float64(wy[k]*a.dy)
	}
}

// A pointFactor is the matrix of a pointSum as LDL^T: L's elements 10, 20 and 21, and the inverses
// of D's.
type pointFactor struct {
	l, inverse Vector
}

// factor returns the factors of the matrix with its diagonal multiplied by 1 + damping. It
// reports false if a pivot is at most the given fraction of its element of the diagonal.
func (q *pointSum) factor(damping, least float64) (f pointFactor, ok bool) {
	d0 := float64(q.a[0] * (1 + damping))
	if !(d0 > 0) {
		return f, false
	}
	f.inverse[0] = 1 / d0
	f.l[0], f.l[1] = float64(q.a[1]*f.inverse[0]), float64(q.a[2]*f.inverse[0])
	a1 := float64(q.a[3] * (1 + damping))
	d1 := a1 - float64(f.l[0]*q.a[1])
	if !(d1 > float64(least*a1)) {
		return f, false
	}
	f.inverse[1] = 1 / d1
	rest := q.a[4] - float64(f.l[0]*q.a[2])
	f.l[2] = float64(rest * f.inverse[1])
	a2 := float64(q.a[5] * (1 + damping))
	d2 := a2 - float64(f.l[1]*q.a[2]) - float64(f.l[2]*rest)
	if !(d2 > float64(least*a2)) {
		return f, false
	}
	f.inverse[2] = 1 / d2
	return f, true
}

// forward returns the solution of L x = b.
func (f *pointFactor) forward(b *Vector) Vector {
	x1 := b[1] - float64(f.l[0]*b[0])
	return Vector{b[0], x1, b[2] - float64(f.l[1]*b[0]) - float64(f.l[2]*x1)}
}

// solve returns the solution of LDL^T x = b.
func (f *pointFactor) solve(b *Vector) Vector {
	c := f.forward(b)
	x2 := float64(c[2] * f.inverse[2])
	x1 := float64(c[1]*f.inverse[1]) - float64(f.l[2]*x2)
	return Vector{float64(c[0]*f.inverse[0]) - float64(f.l[0]*x1) - float64(f.l[1]*x2), x1, x2}
}

// moved returns p moved by step, as a view at g sees it: where p appears changes as step
// says, and the inverse of its depth, not the depth, changes in proportion, so that it
// does not pass the camera. The depth becomes up to 10 times as large.
func moved(p, step Vector, g *Pose) Vector {
	forward := g.R.matrix().row(2)
	share := forward.Dot(step) / (forward.Dot(p) + g.T[2])
	if share < 0.9 {
		return p.Add(step.Scale(1 / (1 - share)))
	}
	return p.Add(step.Scale(9 / share))
}

// Triangulate returns the point of the world that the views see at the given points, one for each
// view. It minimizes the sum of squared distances, in undistorted pixels, from the given points to
// its projections. For two views of a camera with equal focal lengths, the result is that of
// [Pose.Triangulate].
//
// It reports false if there are fewer than two views, if a view has no ray for its point, if the
// point is not in front of all views, or if the views do not determine how far away it is because
// they have the same center or see it in the same direction. It panics if the numbers of points and
// views differ, if [camera.Camera.Check] returns an error, or if a [Pose] is invalid.
//
// It starts from the two views whose rays form the largest angle, and repeats Gauss-Newton steps,
// with Levenberg-Marquardt damping if the error would grow, until the point no longer moves.
func Triangulate(views []View, points []geometry.Point) (Vector, bool) {
	if len(views) != len(points) {
		panic(fmt.Sprintf("pose: %d views, but %d points", len(views), len(points)))
	}
	for i := range views {
		views[i].check()
	}
	var memory [20]posed
	seen := memory[:0]
	for i, p := range points {
		v := &views[i]
		x, y, ok := v.Camera.Ray(p)
		if !ok {
			return Vector{}, false
		}
		seen = append(seen, posed{sighting{x, y, v.Camera.Fx, v.Camera.Fy}, v.Pose})
	}
	p, ok := widest(seen)
	if !ok {
		return Vector{}, false
	}
	return settlePoint(p, seen)
}

// widest returns the point that the two sightings see whose rays have the greatest angle between
// them. It reports false if it is not in front of both.
func widest(seen []posed) (Vector, bool) {
	a, b, least := 0, 0, 1.0
	for i := range seen {
		p := seen[i].direction()
		for k := i + 1; k < len(seen); k++ {
			if cosine := p.Dot(seen[k].direction()); b == 0 || cosine < least {
				a, b, least = i, k, cosine
			}
		}
	}
	if b == 0 {
		return Vector{}, false
	}
	s, t := &seen[a], &seen[b]
	back := s.pose.R.inverse()
	g := Pose{R: t.pose.R.mul(&back)}
	g.T = t.pose.T.Sub(g.R.apply(s.pose.T))
	q, ok := triangulate(g, s.x, s.y, t.x, t.y)
	return back.apply(q.Sub(s.pose.T)), ok
}

// direction returns the unit vector of the ray in the world.
func (s *posed) direction() Vector {
	return s.pose.R.applyInverse(Vector{s.x, s.y, 1}.unit())
}

// squares returns the sum of squared errors of p, and the normal equations. It reports false if p
// is not in front of all cameras.
func squares(p *Vector, seen []posed) (sum float64, q pointSum, ok bool) {
	for i := range seen {
		s := &seen[i]
		a, ok := s.appearance(&s.pose, p)
		if !ok {
			return sum, q, false
		}
		sx, sy := s.slopes(&s.pose, &a)
		q.add(1, &a, &sx, &sy)
		sum += float64(a.dx*a.dx) + float64(a.dy*a.dy)
	}
	return sum, q, true
}

// settlePoint returns the point near p with the least sum of squared errors.
func settlePoint(p Vector, seen []posed) (Vector, bool) {
	cost, q, ok := squares(&p, seen)
	if !ok {
		return Vector{}, false
	}
	damping, last := 0.0, math.Inf(1)
	for range 100 {
		f, ok := q.factor(damping, 1e-14)
		if !ok {
			return Vector{}, false
		}
		next := moved(p, f.solve(&q.b), &seen[0].pose)
		at := seen[0].pose.R.apply(p).Add(seen[0].pose.T)
		change := next.Sub(p).Norm() / at.Norm()
		sum, following, ok := squares(&next, seen)
		// Near the fixed point sums differ by rounding alone, and steps still tell.
		if !ok || !(sum <= float64(cost*(1+1e-12)) || change <= 1e-8) {
			damping = max(1e-4, float64(10*damping))
			continue
		}
		if change <= 1e-6 && change >= last {
			break
		}
		p, cost, q, last = next, sum, following, change
		damping = float64(damping * 0.1)
		if change <= 1e-15 {
			break
		}
	}
	return p, p.bounded()
}
