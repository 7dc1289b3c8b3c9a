package pose

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// poseSize is the number of unknowns of a pose: a turn about the center of the camera, and a shift
// in its frame.
const poseSize = 6

// A block is a part of the equations, of two poses.
type block [poseSize][poseSize]float64

// A pointBlock is a part of the equations, of a pose and a point.
type pointBlock [poseSize]Vector

// A bundle is the state of a call of Refine, with memory that is used again for others.
//
// The unknowns of the points, three each, are eliminated from the normal equations: what is left,
// Schur's complement, has only those of the poses (D. Brown, "A solution to the general problem
// of multiple station analytical stereotriangulation", 1958; B. Triggs, P. McLauchlan, R. Hartley
// and A. Fitzgibbon, "Bundle adjustment - a modern synthesis", 1999).
type bundle struct {
	views     []viewpoint
	fixed     int
	points    []landmark
	sightings []observed   // those that count, by point, then by view
	links     []link       // of points and views that are not fixed, in the same order
	reduced   []pointBlock // of each link of one point, cross times the inverse of L^T
	offsets   []int        // of points among the observations
	order     []int        // of the observations, by point, then by view
	rays      sightlines   // of the observations
	blocks    []block      // Schur's complement: block i, k of poses that are not fixed at i*poses+k, i <= k
	matrix    [][]float64  // the same by rows
	memory    []float64    // of matrix
	right     []float64    // the right side, and the steps of the poses
	seen      []int        // the number of points that each pose sees
	whole     []float64    // the diagonal before points are eliminated
	huber     float64      // the error from which on Huber's function is a line
	scale     int          // the view whose distance from the first one is kept, or -1
	distance  float64      // that distance
	motion    float64      // the sum of squares of how much the step moves observations, in pixels
	gain      float64      // how much less the step makes the cost if it is as the equations say
}

// A viewpoint is a view and its part of the normal equations.
type viewpoint struct {
	pose, last Pose // where it is, and where it was before the last step
	fx, fy     float64
	a          block // the upper triangle
	b          [poseSize]float64
}

// A landmark is a point and its part of the normal equations.
type landmark struct {
	at, last  Vector
	sightings span
	links     span
	sum       pointSum
	factor    pointFactor
}

// A span is a part of a slice.
type span struct{ first, end int }

// A link is a point and a pose that is not fixed and sees it.
type link struct {
	pose  int        // from 0
	cross pointBlock // the equations' part of the pose's unknowns and the point's
}

// An observed is a sighting that counts.
type observed struct {
	sighting
	view, index int // of the Views and Observations
	link        int // unless the view is fixed
}

// begin takes the arguments of Refine.
func (b *bundle) begin(views []View, fixed int, points []Vector, observations []Observation) {
	b.fixed = fixed
	b.views = raster.Resize(b.views, len(views))
	for i := range views {
		v := &b.views[i]
		v.pose = views[i].Pose
		v.last, v.fx, v.fy = v.pose, views[i].Camera.Fx, views[i].Camera.Fy
	}
	b.points = raster.Resize(b.points, len(points))
	for i, p := range points {
		b.points[i].at, b.points[i].last = p, p
	}
	b.sort(observations)
	b.list(views, observations)
	poses := len(views) - fixed
	n := poseSize * poses
	b.blocks = raster.Resize(b.blocks, poses*poses)
	b.memory = raster.Resize(b.memory, n*n)
	b.matrix = raster.Resize(b.matrix, n)
	for i := range b.matrix {
		b.matrix[i] = b.memory[i*n : (i+1)*n]
	}
	b.right, b.whole = raster.Resize(b.right, n), raster.Resize(b.whole, n)
}

// list lists the sightings and links.
func (b *bundle) list(views []View, observations []Observation) {
	b.sightings, b.links = b.sightings[:0], b.links[:0]
	b.rays.set(views, observations)
	k, most := 0, 0
	for i := range b.points {
		p := &b.points[i]
		p.sightings.first, p.links.first = len(b.sightings), len(b.links)
		last := -1
		for ; k < b.offsets[i]; k++ {
			o := &observations[b.order[k]]
			v := &b.views[o.View]
			ray := b.rays.of(b.order[k])
			if !sees(ray) {
				continue
			}
			s := sighting{ray.X, ray.Y, v.fx, v.fy}
			if _, ok := s.appearance(&v.pose, &p.at); !ok {
				continue
			}
			if o.View != last && o.View >= b.fixed {
				b.links = append(b.links, link{pose: o.View - b.fixed})
			}
			last = o.View
			b.sightings = append(b.sightings, observed{s, o.View, b.order[k], len(b.links) - 1})
		}
		p.sightings.end, p.links.end = len(b.sightings), len(b.links)
		most = max(most, p.links.end-p.links.first)
	}
	b.reduced = raster.Resize(b.reduced, most)
}

// sort makes b.order the order of observations by point, by view and by place, and b.offsets the
// ends of those of each point.
func (b *bundle) sort(observations []Observation) {
	b.offsets = raster.Resize(b.offsets, len(b.points))
	clear(b.offsets)
	for i := range observations {
		b.offsets[observations[i].Point]++
	}
	begins(b.offsets)
	b.order = raster.Resize(b.order, len(observations))
	first := 0
	for i := range observations {
		p := observations[i].Point
		b.order[b.offsets[p]] = i
		b.offsets[p]++
	}
	for _, end := range b.offsets {
		for i := first + 1; i < end; i++ {
			for k := i; k > first && before(&observations[b.order[k]], &observations[b.order[k-1]]); k-- {
				b.order[k], b.order[k-1] = b.order[k-1], b.order[k]
			}
		}
		first = end
	}
}

// before is the order of observations of a point.
func before(o, p *Observation) bool {
	switch {
	case o.View != p.View:
		return o.View < p.View
	case o.At.X != p.At.X:
		return o.At.X < p.At.X
	}
	return o.At.Y < p.At.Y
}

// determined returns an error if the observations do not determine poses and points, and
// prepares the equations for the first step if they do.
func (b *bundle) determined() error {
	b.seen = raster.Resize(b.seen, len(b.views)-b.fixed)
	clear(b.seen)
	for i := range b.points {
		p := &b.points[i]
		n := p.links.end - p.links.first
		last := -1
		for _, s := range b.sightings[p.sightings.first:p.sightings.end] {
			if s.view < b.fixed && s.view != last {
				n++
			}
			last = s.view
		}
		if n < 2 && b.observed(i) {
			return fmt.Errorf("%w: fewer than 2 views count for point %d", ErrObservations, i)
		}
	}
	for i := range b.links {
		b.seen[b.links[i].pose]++
	}
	for i, n := range b.seen {
		if n < 3 {
			return fmt.Errorf("%w: fewer than 3 points count for view %d", ErrObservations, b.fixed+i)
		}
	}
	if len(b.sightings) == 0 {
		return fmt.Errorf("%w: there is none", ErrObservations)
	}
	b.chooseScale()
	b.linearize()
	parallax := false
	for i := range b.points {
		if _, ok := b.points[i].sum.factor(0, leastParallax); ok {
			parallax = true
			break
		}
	}
	if !parallax || !b.solve(noDamping, leastPivot) {
		return ErrDegenerate
	}
	return nil
}

// observed reports whether there are observations of point i, be it such that do not count.
func (b *bundle) observed(i int) bool {
	if i == 0 {
		return b.offsets[0] > 0
	}
	return b.offsets[i] > b.offsets[i-1]
}

// chooseScale chooses the view whose distance from the first one is kept.
func (b *bundle) chooseScale() {
	center := b.views[0].pose.Center()
	apart, best := 0.0, 0.0
	b.scale = -1
	for i := range b.views {
		d := b.views[i].pose.Center().Sub(center).Norm()
		if i < b.fixed {
			apart = max(apart, d)
		} else if d > best {
			b.scale, best = i, d
		}
	}
	b.distance = best
	if apart > 1e-9*best {
		b.scale = -1
	}
}

// keepScale makes the distance of the view that was chosen what it was, if one was.
func (b *bundle) keepScale() {
	if b.scale < 0 {
		return
	}
	center := b.views[0].pose.Center()
	s := b.distance / b.views[b.scale].pose.Center().Sub(center).Norm()
	for i := b.fixed; i < len(b.views); i++ {
		g := &b.views[i].pose
		g.T = g.T.Scale(s).Add(g.R.apply(center).Scale(s - 1))
	}
	for i := range b.points {
		if p := &b.points[i]; p.sightings.end > p.sightings.first {
			p.at = center.Add(p.at.Sub(center).Scale(s))
		}
	}
}

// cost returns the sum of Huber's function of the errors, or infinity if a point is not in front of
// a view that sees it. A point that the last step moved behind a view is moved back.
func (b *bundle) cost() float64 {
	sum := 0.0
	for i := range b.points {
		p := &b.points[i]
		c := b.costOf(p)
		if c == math.Inf(1) {
			p.at = p.last
			c = b.costOf(p)
		}
		sum += c
	}
	return sum
}

// costOf is cost for one point.
func (b *bundle) costOf(p *landmark) float64 {
	sum := 0.0
	seen := b.sightings[p.sightings.first:p.sightings.end]
	for k := range seen {
		s := &seen[k]
		a, ok := s.appearance(&b.views[s.view].pose, &p.at)
		if !ok {
			return math.Inf(1)
		}
		e := float64(a.dx*a.dx) + float64(a.dy*a.dy)
		if e > float64(b.huber*b.huber) {
			e = float64(b.huber * (float64(2*math.Sqrt(e)) - b.huber))
		}
		sum += e
	}
	return sum
}

// linearize makes the normal equations of where views and points are, with weights: Gauss and
// Newton's of Huber's function, 1 up to the threshold and in inverse proportion to the error
// beyond it.
func (b *bundle) linearize() {
	for i := range b.views {
		b.views[i].a, b.views[i].b = block{}, [poseSize]float64{}
	}
	for i := range b.links {
		b.links[i].cross = pointBlock{}
	}
	for i := range b.points {
		p := &b.points[i]
		p.sum = pointSum{}
		seen := b.sightings[p.sightings.first:p.sightings.end]
		for k := range seen {
			s := &seen[k]
			v := &b.views[s.view]
			a, _ := s.appearance(&v.pose, &p.at)
			weight := 1.0
			if e := float64(a.dx*a.dx) + float64(a.dy*a.dy); e > float64(b.huber*b.huber) {
				weight = b.huber / math.Sqrt(e)
			}
			sx, sy := s.slopes(&v.pose, &a)
			p.sum.add(weight, &a, &sx, &sy)
			if s.view >= b.fixed {
				v.add(weight, s, &a, &sx, &sy, &b.links[s.link].cross)
			}
		}
	}
}

// add adds what a sighting says of the pose, and to cross what it says of the pose and the point.
func (v *viewpoint) add(weight float64, s *observed, a *appearance, sx, sy *Vector, cross *pointBlock) {
	// A turn about the center of the camera and a shift.
	inverse := 1 / a.at[2]
	gx, gy := float64(s.fx*inverse), float64(s.fy*inverse)
	x0, x1, x2, y0, y1, y2 := turnSlopes(a.px, a.py, a.px, a.py, 1, s.fx, s.fy)
	jx := [poseSize]float64{x0, x1, x2, gx, 0, float64(-a.px * gx)}
	jy := [poseSize]float64{y0, y1, y2, 0, gy, float64(-a.py * gy)}
	for i := range poseSize {
		x, y := float64(weight*jx[i]), float64(weight*jy[i])
		row := &v.a[i]
		for k := i; k < poseSize; k++ {
			row[k] += float64(x*jx[k]) + float64(y*jy[k])
		}
		v.b[i] += float64(x*a.dx) + float64(y*a.dy)
		for k := range 3 {
			cross[i][k] += float64(x*sx[k]) + float64(y*sy[k])
		}
	}
}

// solve finds the steps of the poses, with the diagonal of the equations multiplied by 1 +
// damping. It reports false if a pivot is at most least of its element of the diagonal.
func (b *bundle) solve(damping, least float64) bool {
	if !b.eliminate(damping) {
		return false
	}
	b.addScale()
	return b.solvePoses(least)
}

// eliminate makes Schur's complement.
func (b *bundle) eliminate(damping float64) bool {
	poses := len(b.views) - b.fixed
	clear(b.blocks)
	for i := range poses {
		v := &b.views[b.fixed+i]
		d := &b.blocks[i*poses+i]
		*d = v.a
		for k := range poseSize {
			d[k][k] = float64(d[k][k] * (1 + damping))
			b.whole[i*poseSize+k] = d[k][k]
			b.right[i*poseSize+k] = v.b[k]
		}
	}
	for i := range b.points {
		p := &b.points[i]
		if p.sightings.first == p.sightings.end {
			continue
		}
		var ok bool
		if p.factor, ok = p.sum.factor(damping, leastParallax); !ok {
			if p.factor, ok = p.sum.factor(damping+leastParallax, 0); !ok {
				return false
			}
		}
		links := b.links[p.links.first:p.links.end]
		reduced := b.reduced[:len(links)]
		for k := range links {
			for r := range poseSize {
				reduced[k][r] = p.factor.forward(&links[k].cross[r])
			}
		}
		right := p.factor.forward(&p.sum.b)
		for k := range links {
			pose := links[k].pose
			var y pointBlock // times the inverse of D
			for r := range y {
				for c, v := range reduced[k][r] {
					y[r][c] = float64(v * p.factor.inverse[c])
				}
				b.right[pose*poseSize+r] -= y[r].Dot(right)
			}
			for l := k; l < len(links); l++ {
				subtract(&b.blocks[pose*poses+links[l].pose], &y, &reduced[l])
			}
		}
	}
	return true
}

// subtract subtracts the product of y and the transpose of z from d.
func subtract(d *block, y, z *pointBlock) {
	for i := range d {
		v, row := &y[i], &d[i]
		for k := range row {
			w := &z[k]
			row[k] -= float64(v[0]*w[0]) + float64(v[1]*w[1]) + float64(v[2]*w[2])
		}
	}
}

// addScale adds the equation that the distance of the view that was chosen does not change. No
// other one says anything about the scale, so that its weight does not change the solution.
func (b *bundle) addScale() {
	if b.scale < 0 {
		return
	}
	v := &b.views[b.scale]
	away := v.pose.T.Add(v.pose.R.apply(b.views[0].pose.Center())).unit()
	weight := max(v.a[3][3], v.a[4][4], v.a[5][5])
	i := b.scale - b.fixed
	d := &b.blocks[i*(len(b.views)-b.fixed)+i]
	for r := range 3 {
		for c := range 3 {
			d[3+r][3+c] += float64(weight * away[r] * away[c])
		}
	}
}

// solvePoses makes b.right the steps of the poses, by LDL^T.
func (b *bundle) solvePoses(least float64) bool {
	poses := len(b.views) - b.fixed
	for i := range poses {
		for k := i; k < poses; k++ {
			for r, row := range &b.blocks[i*poses+k] {
				copy(b.matrix[i*poseSize+r][k*poseSize:], row[:])
			}
		}
	}
	x := b.right
	for j, row := range b.matrix {
		pivot := row[j]
		if !(pivot > float64(least*b.whole[j])) {
			return false
		}
		for i := j + 1; i < len(row); i++ {
			f := row[i] / pivot
			if f == 0 {
				continue
			}
			from := row[i:]
			to := b.matrix[i][i:]
			to = to[:len(from)]
			for k, v := range from {
				to[k] -= float64(f * v)
			}
			x[i] -= float64(f * x[j])
		}
	}
	for j := len(x) - 1; j >= 0; j-- {
		row := b.matrix[j]
		sum := x[j]
		for k := j + 1; k < len(row); k++ {
			sum -= float64(row[k] * x[k])
		}
		x[j] = sum / row[j]
	}
	return true
}

// move moves views and points by the steps of the poses and by what follows for the points. It
// computes motion and gain.
func (b *bundle) move(damping float64) {
	along, damped := 0.0, 0.0 // the step times the right side, and the squares that damping adds
	for i := b.fixed; i < len(b.views); i++ {
		v := &b.views[i]
		step := (*[poseSize]float64)(b.right[(i-b.fixed)*poseSize:])
		for k, d := range step {
			along += float64(d * v.b[k])
			damped += float64(d * d * v.a[k][k])
		}
		v.last = v.pose
		turn := cayley(Vector{step[0], step[1], step[2]})
		r := turn.mul(&v.last.R)
		v.pose = Pose{orthonormal(r.matrix()), turn.apply(v.last.T).Add(Vector{step[3], step[4], step[5]})}
	}
	for i := range b.points {
		p := &b.points[i]
		p.last = p.at
		if p.sightings.first == p.sightings.end {
			continue
		}
		right := p.sum.b
		links := b.links[p.links.first:p.links.end]
		for k := range links {
			step := (*[poseSize]float64)(b.right[links[k].pose*poseSize:])
			for r, d := range step {
				right = right.Sub(links[k].cross[r].Scale(d))
			}
		}
		step := p.factor.solve(&right)
		for k, m := range [3]int{0, 3, 5} {
			along += float64(step[k] * p.sum.b[k])
			damped += float64(step[k] * step[k] * p.sum.a[m])
		}
		p.at = moved(p.last, step, &b.views[b.sightings[p.sightings.first].view].last)
	}
	damped = float64(damped * damping)
	b.motion, b.gain = along-damped, along+damped
}

// moveBack moves views and points back to where they were before the last step.
func (b *bundle) moveBack() {
	for i := range b.views {
		b.views[i].pose = b.views[i].last
	}
	for i := range b.points {
		b.points[i].at = b.points[i].last
	}
}

// setErrors sets errors to the distances of all observations from where their points appear.
func (b *bundle) setErrors(errors []float64) {
	if errors == nil {
		return
	}
	for i := range errors {
		errors[i] = math.Inf(1)
	}
	for i := range b.points {
		p := &b.points[i]
		for _, s := range b.sightings[p.sightings.first:p.sightings.end] {
			if a, ok := s.appearance(&b.views[s.view].pose, &p.at); ok {
				errors[s.index] = math.Sqrt(float64(a.dx*a.dx) + float64(a.dy*a.dy))
			}
		}
	}
}
