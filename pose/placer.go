package pose

import (
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/consensus"
)

const (
	// thinnest is how thick points are, as a share of their width, that are on a plane: where they are
	// no thicker, all but rounding errors are in the plane. Points that are no wider, as a share of
	// their length, are on a line.
	thinnest = 1e-6
	// nearlyFlat is how thick points are, as a share of their width, at most, whose mirror image looks
	// similar.
	nearlyFlat = 0.25
	// nearCenter is how far the middle between opposite corners of a parallelogram is from its center,
	// as a share of the width, at most.
	nearCenter = 0.1
	// mostStarts is how many poses of three points are refined, at most.
	mostStarts = 4
	// placeSteps is the number of steps of a refinement, at most.
	placeSteps = 60
	// planar is how thick points are, as a share of their width, at most, that are said to be on a
	// plane.
	planar = 1e-3
	// samePlace is how far apart the elements of rotations are, at most, that are one. Translations
	// differ by as much in relation to their length.
	samePlace = 1e-3
	// surely is the square of how many standard deviations the worse of two poses is from being the
	// right one.
	surely = 16
)

// A placer is the memory of a call that finds poses by points that are all right.
type placer struct {
	rays   []geometry.Point
	points []Vector  // of the world, minus center, times scale, so that they are about 1 in size
	u, v   []float64 // the rays of the points
	fx, fy float64
	center Vector
	scale  float64
	axes   [3]Vector // in which the points extend, most first
	sizes  Vector    // the standard deviations along the axes

	minima [4]placed // the best first
	count  int
}

// A placed is a pose and the sum of its squared errors.
type placed struct {
	pose    Pose
	squares float64 // infinite if a point is not in front of the camera
}

// begin takes the pairs that count.
func (p *placer) begin(c *camera.Camera, world []Vector, image []geometry.Point) error {
	checkPairs(len(world), len(image), nil, nil)
	checkCamera(c)
	p.fx, p.fy = c.Fx, c.Fy
	p.rays = c.AppendRays(p.rays[:0], image)
	p.points, p.u, p.v, p.center = p.points[:0], p.u[:0], p.v[:0], Vector{}
	for i, at := range image {
		if w, ray := world[i], p.rays[i]; consensus.Usable(at.X, at.Y) && w.bounded() && sees(ray) {
			p.points, p.u, p.v = append(p.points, w), append(p.u, ray.X), append(p.v, ray.Y)
			p.center = p.center.Add(w)
		}
	}
	n := float64(len(p.points))
	if n < absoluteSize {
		return ErrPairs
	}
	p.center = p.center.Scale(1 / n)
	largest := 0.0
	for i, w := range p.points {
		d := w.Sub(p.center)
		p.points[i] = d
		largest = max(largest, math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2]))
	}
	if largest == 0 {
		return ErrDegenerate
	}
	_, exponent := math.Frexp(largest)
	p.scale = math.Ldexp(1, -exponent)
	var m moments
	for i := range p.points {
		p.points[i] = p.points[i].Scale(p.scale)
		m.add(&p.points[i])
	}
	p.axes, p.sizes = m.extent(n)
	if !(p.sizes[1] > thinnest*p.sizes[0]) {
		return ErrDegenerate
	}
	return nil
}

// inside returns what a pose is for the points of p.
func (p *placer) inside(pose Pose) Pose {
	pose.T = pose.T.Add(pose.R.apply(p.center)).Scale(p.scale)
	return pose
}

// placement returns what g is for the points that were given.
func (p *placer) placement(g *placed) Placement {
	pose := g.pose
	pose.T = pose.T.Scale(1 / p.scale).Sub(pose.R.apply(p.center))
	return Placement{pose, math.Sqrt(g.squares / float64(len(p.points)))}
}

// place finds the minima.
func (p *placer) place() {
	p.count = 0
	n := len(p.points)
	if n == absoluteSize {
		p.keepTriple(0, 1, 2)
		return
	}
	flat, nearly := p.sizes[2] <= thinnest*p.sizes[1], p.sizes[2] <= nearlyFlat*p.sizes[1]
	if nearly {
		p.keepPlane()
	}
	// Sets of few points on a plane may have a third minimum, but those of parallelograms have not.
	if p.count == 0 || !flat || n < 8 && !p.isParallelogram() {
		p.keepTriples()
	}
	if p.count == 0 && !nearly {
		p.keepPlane()
	}
	if nearly && (p.count == 1 || p.count == 2 && n > 4) {
		p.keep(p.refine(mirrored(&p.minima[0].pose, &p.axes)))
	}
	p.count = min(p.count, 2)
}

// isParallelogram reports whether the points are the corners of a parallelogram or nearly so: whether
// the middle between two of four points is near to their center.
func (p *placer) isParallelogram() bool {
	if len(p.points) != 4 {
		return false
	}
	for _, x := range p.points[1:] {
		if p.points[0].Add(x).Norm()/2 <= nearCenter*p.sizes[1] {
			return true
		}
	}
	return false
}

// keep adds a minimum in its order unless it is known as well or better, has points behind the
// camera, or is worse than those that there is room for.
func (p *placer) keep(g placed) {
	if g.squares == math.Inf(1) {
		return
	}
	for i := range p.count {
		if q := &p.minima[i]; g.pose.R.near(&q.pose.R, samePlace) && g.pose.T.Sub(q.pose.T).Norm() <= samePlace*q.pose.T.Norm() {
			if !(g.squares < q.squares) {
				return
			}
			p.count--
			copy(p.minima[i:p.count], p.minima[i+1:])
			break
		}
	}
	at := 0
	for at < p.count && !(g.squares < p.minima[at].squares) {
		at++
	}
	if at == len(p.minima) {
		return
	}
	p.count = min(p.count+1, len(p.minima))
	copy(p.minima[at+1:p.count], p.minima[at:])
	p.minima[at] = g
}

// ambiguous reports whether noise, with the given standard deviation, may have exchanged the best two
// minima. Which of two predictions is right, only the noise along their difference shows. The sum of
// squares of the right one is larger by a or more in at most as many cases as a normal deviate exceeds
// the root of a; if the noise is estimated from the same errors, as Student's deviate does.
func (p *placer) ambiguous(noise float64) bool {
	if p.count < 2 {
		return false
	}
	a, b := p.minima[0].squares, p.minima[1].squares
	if noise > 0 {
		return b-a < float64(surely*noise*noise)
	}
	n := len(p.points)
	return n == absoluteSize || b < float64(a*leastRatio(n))
}

// leastRatio returns how many times the sum of squared errors of the best pose of n points that of
// another one is, at least, that is surely not right, if nothing else shows the noise: from the
// quantile of Student's distribution that is that of the root of surely of the normal one (D. Wallace,
// "Bounds on normal approximations to Student's and the chi-square distributions", 1959).
func leastRatio(n int) float64 {
	f := float64(max(2*n-7, 1)) // degrees of freedom, without the one along the difference
	r := (float64(8*f) + 3) / (float64(8*f) + 1)
	// The exponential of surely/f r r, by squares, without a function of the processor's.
	e := 1 + float64(surely/f*r*r)/1024
	for range 10 {
		e *= e
	}
	return e
}

// keepTriple refines the poses of three of the points.
func (p *placer) keepTriple(i, j, k int) {
	var memory [4]Pose
	for _, g := range p.triple(memory[:0], i, j, k) {
		p.keep(p.refine(g))
	}
}

// triple appends the poses of three of the points.
func (p *placer) triple(dst []Pose, i, j, k int) []Pose {
	var d, x [7]Vector
	for q, at := range [3]int{i, j, k} {
		d[q], x[q] = Vector{p.u[at], p.v[at], 1}.unit(), p.points[at]
	}
	return threePoints(dst, &d, &x)
}

// keepTriples refines the best poses of some triples: of all of four points, or of those at the ends
// of four directions in the plane in which the points extend most.
func (p *placer) keepTriples() {
	at := [4]int{0, 1, 2, 3}
	if len(p.points) > 4 {
		for i, w := range [4][2]float64{{1, 0.3}, {-0.3, 1}, {-1, -0.3}, {0.3, -1}} {
			at[i] = p.farthest(w[0]/p.sizes[0], w[1]/p.sizes[1])
		}
	}
	var memory [4]Pose
	var starts startList
	for skip := range at {
		for _, g := range p.triple(memory[:0], at[(skip+1)%4], at[(skip+2)%4], at[(skip+3)%4]) {
			starts.add(placed{g, p.squares(&g)})
		}
	}
	for i := range starts.count {
		p.keep(p.refine(starts.list[i].pose))
	}
}

// farthest returns the point with the largest sum of its coordinates along the first two axes, with
// the given factors.
func (p *placer) farthest(a, b float64) int {
	at, best := 0, math.Inf(-1)
	for i := range p.points {
		q := &p.points[i]
		if v := float64(a*q.Dot(p.axes[0])) + float64(b*q.Dot(p.axes[1])); v > best {
			at, best = i, v
		}
	}
	return at
}

// A startList has the best of some poses that differ.
type startList struct {
	list  [mostStarts]placed
	count int
}

// add adds a pose unless there are better ones, or one that is nearly the same.
func (s *startList) add(g placed) {
	if g.squares == math.Inf(1) {
		return
	}
	worst := 0
	for i := range s.count {
		q := &s.list[i]
		if g.pose.R.near(&q.pose.R, 0.1) {
			if g.squares < q.squares {
				*q = g
			}
			return
		}
		if q.squares > s.list[worst].squares {
			worst = i
		}
	}
	if s.count < len(s.list) {
		s.list[s.count] = g
		s.count++
	} else if g.squares < s.list[worst].squares {
		s.list[worst] = g
	}
}

// keepPlane refines the two poses of a plane.
func (p *placer) keepPlane() {
	if both, ok := p.planePoses(); ok {
		for _, g := range both {
			p.keep(p.refine(g))
		}
	}
}

// planePoses returns the two poses that the homography of the plane of the points stands for where its
// center is (T. Collins and A. Bartoli, "Infinitesimal plane-based pose estimation", IJCV 2014).
func (p *placer) planePoses() (both [2]Pose, ok bool) {
	j, at, ok := p.homography()
	if !ok {
		return both, false
	}
	// Turned so that the ray of the center is the z axis, the first two columns of the rotation, without
	// their last row, are a times the depth of the center: what is at (at + J d, 1) is turned to x.(at +
	// J d, 1) / z.(at + J d, 1), the derivative of which is x.J/l, since x is orthogonal to (at, 1).
	ray := Vector{at[0], at[1], 1}
	l := ray.Norm()
	z := ray.Scale(1 / l)
	x, y := across(z)
	var a [4]float64
	for k := range 2 {
		d := Vector{j[k], j[2+k], 0}
		a[k], a[2+k] = x.Dot(d)/l, y.Dot(d)/l
	}
	xx, xy, yy := float64(a[0]*a[0])+float64(a[2]*a[2]), float64(a[0]*a[1])+float64(a[2]*a[3]), float64(a[1]*a[1])+float64(a[3]*a[3])
	h := (xx - yy) / 2
	gg := (xx+yy)/2 + math.Sqrt(float64(h*h)+float64(xy*xy)) // the square of the inverse of the depth
	if !(gg > 0) {
		return both, false
	}
	inverse := 1 / math.Sqrt(gg)
	for k := range a {
		a[k] = float64(a[k] * inverse)
	}
	// What the columns lack to be unit vectors that are orthogonal to each other.
	c, d := math.Sqrt(max(0, 1-xx/gg)), math.Sqrt(max(0, 1-yy/gg))
	if xy > 0 {
		d = -d
	}
	from := [3]Vector{p.axes[0], p.axes[1], p.axes[0].Cross(p.axes[1])}
	for i := range both {
		e := x.Scale(a[0]).Add(y.Scale(a[2])).Add(z.Scale(c)).unit()
		f := x.Scale(a[1]).Add(y.Scale(a[3])).Add(z.Scale(d))
		f = f.Sub(e.Scale(e.Dot(f))).unit()
		r := carrying(&from, &[3]Vector{e, f, e.Cross(f)})
		both[i] = Pose{r, p.shift(&r)}
		c, d = -c, -d
	}
	return both, true
}

// homography returns where the center of the plane of the points appears, and its derivatives, by the
// homography from coordinates in the plane to rays that fits best: least squares of the errors times
// the depth.
func (p *placer) homography() (j [4]float64, at [2]float64, ok bool) {
	// Along the axes and about the center of the points, with rays about their mean,
	//	(1 + g x + h y) u = a x + b y + c
	//	(1 + g x + h y) v = d x + e y + f
	// Sums of x, y and xy are 0, so that a to f are easily expressed by g and h, for which two
	// equations remain.
	n := float64(len(p.points))
	at = p.meanRay()
	var a [2][2]float64 // of the equations
	var b [2]float64
	var forms [2][3][3]float64 // a, b and c, or d, e and f, as sums of g and h with factors, and 1
	sizes := [3]float64{float64(n * p.sizes[0] * p.sizes[0]), float64(n * p.sizes[1] * p.sizes[1]), n}
	for image, rays := range [2][]float64{p.u, p.v} {
		weight := float64(p.fx * p.fx)
		if image == 1 {
			weight = float64(p.fy * p.fy)
		}
		form := &forms[image]
		for i := range p.points {
			x, y, u := p.points[i].Dot(p.axes[0]), p.points[i].Dot(p.axes[1]), rays[i]-at[image]
			ux, uy := float64(u*x), float64(u*y)
			form[0][0] += float64(ux * x)
			form[0][1] += float64(ux * y)
			form[0][2] += ux
			form[1][1] += float64(uy * y)
			form[1][2] += uy
			a[0][0] += float64(weight * ux * ux)
			a[0][1] += float64(weight * ux * uy)
			a[1][1] += float64(weight * uy * uy)
			b[0] -= float64(weight * ux * u)
			b[1] -= float64(weight * uy * u)
		}
		form[1][0] = form[0][1]
		form[2] = [3]float64{form[0][2], form[1][2], 0}
		for i := range form {
			f := &form[i]
			s := weight / sizes[i]
			a[0][0] -= float64(s * f[0] * f[0])
			a[0][1] -= float64(s * f[0] * f[1])
			a[1][1] -= float64(s * f[1] * f[1])
			b[0] += float64(s * f[0] * f[2])
			b[1] += float64(s * f[1] * f[2])
		}
	}
	det := float64(a[0][0]*a[1][1]) - float64(a[0][1]*a[0][1])
	if !(det > 1e-14*a[0][0]*a[1][1]) {
		return j, at, false
	}
	g := (float64(b[0]*a[1][1]) - float64(b[1]*a[0][1])) / det
	h := (float64(b[1]*a[0][0]) - float64(b[0]*a[0][1])) / det
	for image := range forms {
		var c [3]float64
		for i, f := range &forms[image] {
			c[i] = (float64(f[0]*g) + float64(f[1]*h) + f[2]) / sizes[i]
		}
		j[2*image], j[2*image+1] = c[0]-float64(c[2]*g), c[1]-float64(c[2]*h)
		at[image] += c[2]
	}
	return j, at, true
}

// meanRay returns the mean of the rays.
func (p *placer) meanRay() (mean [2]float64) {
	for i, u := range p.u {
		mean[0] += u
		mean[1] += p.v[i]
	}
	n := float64(len(p.u))
	return [2]float64{mean[0] / n, mean[1] / n}
}

// shift returns the best translation for a rotation, by least squares of the errors times the depth.
func (p *placer) shift(r *Rotation) Vector {
	// The depth of the center, z, moves each point by z along its ray. Then x and y follow from means.
	n := float64(len(p.points))
	mean := p.meanRay()
	var x, y, away, weights float64
	for i := range p.points {
		w := r.apply(p.points[i])
		px, py := float64(p.u[i]*w[2])-w[0], float64(p.v[i]*w[2])-w[1]
		x += px
		y += py
		u, v := float64(p.fx*(p.u[i]-mean[0])), float64(p.fy*(p.v[i]-mean[1]))
		away -= float64(u*p.fx*px) + float64(v*p.fy*py)
		weights += float64(u*u) + float64(v*v)
	}
	z := away / weights
	return Vector{x/n + float64(mean[0]*z), y/n + float64(mean[1]*z), z}
}

// squares returns the sum of the squared errors of a pose.
func (p *placer) squares(g *Pose) (sum float64) {
	r, t := &g.R, &g.T
	us, vs := p.u[:len(p.points)], p.v[:len(p.points)]
	for i := range p.points {
		x := &p.points[i]
		z := float64(r[6]*x[0]) + float64(r[7]*x[1]) + float64(r[8]*x[2]) + t[2]
		if !(z > 0) {
			return math.Inf(1)
		}
		inverse := 1 / z
		dx := float64(p.fx * (us[i] - float64((float64(r[0]*x[0])+float64(r[1]*x[1])+float64(r[2]*x[2])+t[0])*inverse)))
		dy := float64(p.fy * (vs[i] - float64((float64(r[3]*x[0])+float64(r[4]*x[1])+float64(r[5]*x[2])+t[1])*inverse)))
		sum += float64(dx*dx) + float64(dy*dy)
	}
	if !(sum < math.Inf(1)) {
		return math.Inf(1)
	}
	return sum
}

// refine returns the minimum near a pose, by the method of Levenberg and Marquardt. It turns about the
// center of the points.
func (p *placer) refine(g Pose) placed {
	squares := p.squares(&g)
	if squares == math.Inf(1) {
		return placed{g, squares}
	}
	const little = 1e-9 // what the last step promises to gain, at most, as a share of the sum
	damping := 1e-6
	var q poseEquations
	p.linearize(&q, &g)
	for range placeSteps {
		if d, ok := q.solve(damping); ok {
			gain := 0.0 // what the step promises to gain without the damping
			for k, v := range d {
				gain += float64(v * q.b[k])
			}
			w := cayley(Vector{d[0], d[1], d[2]})
			next := Pose{w.mul(&g.R), Vector{g.T[0] + d[3], g.T[1] + d[4], g.T[2] + d[5]}}
			s := p.squares(&next)
			better := s <= squares
			if better {
				g, squares = next, s
			}
			if gain <= max(float64(little*squares), 1e-20) {
				break
			}
			if better {
				damping = max(damping/10, 1e-12)
				p.linearize(&q, &g)
				continue
			}
		}
		if damping = float64(damping * 10); damping > 1e8 {
			break
		}
	}
	g.R = orthonormal(g.R.matrix())
	return placed{g, squares}
}

// linearize sets the equations of a better pose than g.
func (p *placer) linearize(q *poseEquations, g *Pose) {
	*q = poseEquations{}
	r, t := &g.R, &g.T
	a := &q.a
	us, vs := p.u[:len(p.points)], p.v[:len(p.points)]
	for i := range p.points {
		x := &p.points[i]
		rx := float64(r[0]*x[0]) + float64(r[1]*x[1]) + float64(r[2]*x[2])
		ry := float64(r[3]*x[0]) + float64(r[4]*x[1]) + float64(r[5]*x[2])
		rz := float64(r[6]*x[0]) + float64(r[7]*x[1]) + float64(r[8]*x[2])
		inverse := 1 / (rz + t[2])
		px, py := float64((rx+t[0])*inverse), float64((ry+t[1])*inverse)
		dx, dy := float64(p.fx*(us[i]-px)), float64(p.fy*(vs[i]-py))
		fx, fy := float64(p.fx*inverse), float64(p.fy*inverse)
		x0, x1, x2, y0, y1, y2 := turnSlopes(px, py, rx, ry, rz, fx, fy)
		x5, y5 := float64(-px*fx), float64(-py*fy) // the others are fx and 0, and 0 and fy
		a[0][0] += float64(x0*x0) + float64(y0*y0)
		a[0][1] += float64(x0*x1) + float64(y0*y1)
		a[0][2] += float64(x0*x2) + float64(y0*y2)
		a[0][3] += float64(x0 * fx)
		a[0][4] += float64(y0 * fy)
		a[0][5] += float64(x0*x5) + float64(y0*y5)
		a[1][1] += float64(x1*x1) + float64(y1*y1)
		a[1][2] += float64(x1*x2) + float64(y1*y2)
		a[1][3] += float64(x1 * fx)
		a[1][4] += float64(y1 * fy)
		a[1][5] += float64(x1*x5) + float64(y1*y5)
		a[2][2] += float64(x2*x2) + float64(y2*y2)
		a[2][3] += float64(x2 * fx)
		a[2][4] += float64(y2 * fy)
		a[2][5] += float64(x2*x5) + float64(y2*y5)
		a[3][3] += float64(fx * fx)
		a[3][5] += float64(fx * x5)
		a[4][4] += float64(fy * fy)
		a[4][5] += float64(fy * y5)
		a[5][5] += float64(x5*x5) + float64(y5*y5)
		q.b[0] += float64(x0*dx) + float64(y0*dy)
		q.b[1] += float64(x1*dx) + float64(y1*dy)
		q.b[2] += float64(x2*dx) + float64(y2*dy)
		q.b[3] += float64(fx * dx)
		q.b[4] += float64(fy * dy)
		q.b[5] += float64(x5*dx) + float64(y5*dy)
	}
}

// mirrored returns the pose that looks the same from far away: with the axes of nearly flat points
// mirrored in the plane across the line of sight to their center, which is at T.
func mirrored(g *Pose, axes *[3]Vector) Pose {
	z := g.T.unit()
	e, f := g.R.apply(axes[0]), g.R.apply(axes[1])
	e, f = e.Sub(z.Scale(2*e.Dot(z))), f.Sub(z.Scale(2*f.Dot(z)))
	from := [3]Vector{axes[0], axes[1], axes[0].Cross(axes[1])}
	r := carrying(&from, &[3]Vector{e, f, e.Cross(f)})
	return Pose{orthonormal(r.matrix()), g.T}
}

// moments are the sums of the products of coordinates of points about their center.
type moments struct{ xx, xy, xz, yy, yz, zz float64 }

func (m *moments) add(p *Vector) {
	m.xx += float64(p[0] * p[0])
	m.xy += float64(p[0] * p[1])
	m.xz += float64(p[0] * p[2])
	m.yy += float64(p[1] * p[1])
	m.yz += float64(p[1] * p[2])
	m.zz += float64(p[2] * p[2])
}

// extent returns the axes in which n points extend, most first, and their standard deviations along
// these.
func (m *moments) extent(n float64) (axes [3]Vector, sizes Vector) {
	values, axes := matrix{m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz}.eigen()
	for i, v := range values {
		sizes[i] = math.Sqrt(max(v, 0) / n)
	}
	return axes, sizes
}
