package pose

import (
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/consensus"
)

const (
	// turnRounds is the number of refits of a rotation, at most.
	turnRounds = 10
	// planeTries is how many planes are tried with planeTests inliers, at most.
	planeTries, planeTests = 20, 64
	// apart is how many times the variance of the noise a squared distance is that is no noise, but
	// for one pair of 1000.
	apart = 14
)

// classify returns the motion of best, the inliers of which j.masks has: whether there is only a
// turn, and whether most points are on a plane. Half of them on one are enough for its second motion
// to be tried, since the estimate may be that one.
func (j *job) classify(best candidate) Motion {
	motion := j.motion(best)
	if motion.Turn {
		return motion
	}
	if h, onPlane, ok := j.plane(best); ok {
		if other, ok := dual(&h, &best.pose); ok {
			j.weigh(j.ahead(other), converged)
			if better := j.mostValuable(); better.pose != best.pose {
				best = better
				if motion = j.motion(best); motion.Turn {
					return motion
				}
				onPlane = j.countOnPlane(&h, best)
			}
		}
		motion.Planar = 10*onPlane >= 9*best.count
	}
	if other, ok := j.second(best); ok {
		motion.Ambiguous, motion.Other = true, other.pose
	}
	j.rescore(best, j.n, 1)
	return motion
}

// motion returns the motion of c, the inliers of which j.masks has, or that there is only a turn.
// Then j.masks has those that it explains.
func (j *job) motion(c candidate) Motion {
	r := &j.relative
	rot, near := r.turn(c.pose.R, j.masks, j.n)
	motion := Motion{Pose: c.pose, Inliers: c.count, Parallax: c.count - near, Samples: j.sampler.Drawn}
	if start, ok := j.turnOfTwo(&rot); ok {
		rot, near = r.turn(start, j.masks, j.n)
	}
	// Of the pairs that the turn does not explain, more must agree with one translation than do
	// by chance.
	squared := j.blur(c)
	_, explained := r.turned(&rot, j.masks, j.n, squared)
	if c.count-explained < j.beyond(j.n-explained, aheadByChance) {
		motion.Turn = true
		motion.Pose = Pose{R: rot}
		motion.Inliers, motion.Parallax = explained, c.count-near
		r.keepTurned(&rot, j.masks, j.n, squared)
	}
	return motion
}

// turnOfTwo returns the rotation that two inliers show, if there is one that explains more than half
// of some of them, and rot does not. Where there is no translation, a rotation that is far from the
// right one may explain nearly as many pairs with one.
func (j *job) turnOfTwo(rot *Rotation) (Rotation, bool) {
	j.listInliers(j.n)
	some := j.list[:min(len(j.list), planeTests)]
	if j.turnsHalf(rot, some) {
		return Rotation{}, false
	}
	w := &j.relative.twoViews
	for k := 0; k+1 < len(some) && k < 2*planeTries; k += 2 {
		a, b := some[k], some[k+1] // the order is random
		from := axes(Vector{w.x[a], w.y[a], 1}, Vector{w.x[b], w.y[b], 1})
		to := axes(Vector{w.u[a], w.v[a], 1}, Vector{w.u[b], w.v[b], 1})
		to = to.inverse()
		if m := to.mul(&from); j.turnsHalf(&m, some) {
			return m, true
		}
	}
	return Rotation{}, false
}

// turnsHalf reports whether a rotation explains more than half of some pairs.
func (j *job) turnsHalf(rot *Rotation, some []int) bool {
	r := &j.relative
	g, limit := Pose{R: *rot}, 4*(r.thresholdA+r.thresholdB)
	far := 0
	for i := 0; i < len(some) && 2*far < len(some); i++ {
		if _, miss := r.swing(&g, some[i], limit); !(miss <= 1) {
			far++
		}
	}
	return 2*far < len(some)
}

// axes returns the rotation that takes p to the direction of x, and q to that of y or near to it.
func axes(p, q Vector) Rotation {
	x := p.unit()
	z := p.Cross(q).unit()
	y := z.Cross(x)
	return Rotation{x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]}
}

// blur returns how many squared thresholds of both images the squared distance of two places in one
// of them is, at most, if they are the same but for noise, as the inliers of c show it: at least 1.
func (j *job) blur(c candidate) float64 {
	// Of noise that is not small, the threshold cuts off the largest errors. If they were all
	// alike up to there, the variance would be a third, and say nothing. With the cube the variance
	// of a normal distribution is right to 7 percent, up to a noise of 0.6 thresholds.
	v := j.variance(c)
	cut := min(float64(27*v*v*v), 0.5)
	return max(1, float64(apart*v)/(1-cut))
}

// plane returns the homography of the plane that at least half of the inliers, which j.masks has,
// are on, and how many are but for noise.
func (j *job) plane(best candidate) (h matrix, onPlane int, ok bool) {
	w := &j.relative.twoViews
	if !j.nearPlane(w, best.pose.R.matrix(), best.pose.T) {
		return matrix{}, 0, false
	}
	h, onPlane, ok = j.planes.find(w, j.masks, j.n, j.planes.few)
	if !ok || 2*onPlane < best.count {
		return matrix{}, 0, false
	}
	if j.blur(best) > 1 {
		onPlane = j.countOnPlane(&h, best)
	}
	return h, onPlane, true
}

// countOnPlane returns how many inliers of c, which j.masks has, a homography explains but for noise.
func (j *job) countOnPlane(h *matrix, c candidate) int {
	inverse := h.cofactors()
	inverse = inverse.transposed()
	squared, count := j.blur(c), 0
	for i := range consensus.Members(j.masks, j.n) {
		if j.relative.onPlane(h, &inverse, i, squared) {
			count++
		}
	}
	return count
}

// onPlane reports whether the transfer error of pair i is small enough for a homography or for its
// inverse: in squared thresholds, the squared error is at most squared.
func (w *twoViews) onPlane(h, inverse *matrix, i int, squared float64) bool {
	limit := float64(squared * (w.thresholdA + w.thresholdB))
	p := h.apply(Vector{w.x[i], w.y[i], 1})
	dx, dy := p[0]-float64(w.u[i]*p[2]), p[1]-float64(w.v[i]*p[2])
	if float64(dx*dx)+float64(dy*dy) <= float64(limit*p[2]*p[2]) {
		return true
	}
	q := inverse.apply(Vector{w.u[i], w.v[i], 1})
	dx, dy = q[0]-float64(w.x[i]*q[2]), q[1]-float64(w.y[i]*q[2])
	return float64(dx*dx)+float64(dy*dy) <= float64(limit*q[2]*q[2])
}

// ahead returns the candidate of g or, if that has more inliers, of g with the opposite translation.
func (j *job) ahead(g Pose) candidate {
	c := j.rescore(candidate{model: modelOf(g)}, j.n, 1)
	g.T = g.T.Scale(-1)
	if opposite := j.rescore(candidate{model: modelOf(g)}, j.n, 1); opposite.count > c.count {
		return opposite
	}
	return c
}

// nearPlane reports whether more than half of some inliers are near to the plane of three of them. The
// matrix of the model is that of the cross product with t, times r. Then r + t n' maps what is on a
// plane, also where r is no rotation (Hartley and Zisserman, Multiple View Geometry, 13.6).
func (j *job) nearPlane(w *twoViews, r *matrix, t Vector) bool {
	j.listInliers(j.n)
	some := j.list[:min(len(j.list), planeTests)]
	limit := 4 * (w.thresholdA + w.thresholdB)
	for range planeTries {
		var sample [3]int
		j.sampler.DrawFrom(sample[:], j.list)
		var rays matrix
		var inverse Vector // of the depths
		for i, k := range sample {
			a, b := Vector{w.x[k], w.y[k], 1}, Vector{w.u[k], w.v[k], 1}
			copy(rays[3*i:], a[:])
			c, d := b.Cross(r.apply(a)), b.Cross(t)
			inverse[i] = -c.Dot(d) / d.Dot(d)
		}
		// n'x is the inverse of the depth: 1 on the plane.
		c := rays.cofactors()
		n := c.applyT(inverse).Scale(1 / rays.row(0).Dot(c.row(0)))
		far := 0
		for i := 0; i < len(some) && 2*far < len(some); i++ {
			k := some[i]
			x, y := w.x[k], w.y[k]
			depth := float64(n[0]*x) + float64(n[1]*y) + n[2]
			p := float64(r[0]*x) + float64(r[1]*y) + r[2] + float64(t[0]*depth)
			q := float64(r[3]*x) + float64(r[4]*y) + r[5] + float64(t[1]*depth)
			s := float64(r[6]*x) + float64(r[7]*y) + r[8] + float64(t[2]*depth)
			dx, dy := p-float64(w.u[k]*s), q-float64(w.v[k]*s)
			if !(float64(dx*dx)+float64(dy*dy) <= float64(limit*float64(s*s))) {
				far++
			}
		}
		if 2*far < len(some) {
			return true
		}
	}
	return false
}

// second returns the most valuable result that is another motion than best and has nine tenths of
// its value, finished. Motions are others if what is half-way between them has less than that: if
// not, they differ by noise.
func (j *job) second(best candidate) (other candidate, ok bool) {
	at := -1
	for i, c := range j.results {
		if 10*c.value < 9*best.value || c.value <= other.value {
			continue
		}
		var sum matrix
		for k := range sum {
			sum[k] = best.pose.R[k] + c.pose.R[k]
		}
		g := Pose{orthonormal(&sum), best.pose.T.Add(c.pose.T).unit()}
		between := j.appraise(candidate{model: modelOf(g)})
		if 10*between.value < 9*c.value {
			other, at = c, i
		}
	}
	if at < 0 {
		return other, false
	}
	j.finish(at)
	return j.results[at], true
}

// differs reports whether p and q differ by more than the given amount.
func (p *Pose) differs(q *Pose, by float64) bool {
	for i, v := range p.R {
		if math.Abs(v-q.R[i]) > by {
			return true
		}
	}
	d := p.T.Sub(q.T)
	return d.Dot(d) > float64(by*by)
}

// keepTurned removes from masks the pairs that a rotation does not explain.
func (r *relative) keepTurned(rot *Rotation, masks []byte, n int, squared float64) {
	g, limit := Pose{R: *rot}, float64((r.thresholdB+r.thresholdA)*squared)
	for i := range consensus.Members(masks, n) {
		if _, miss := r.swing(&g, i, limit); !(miss <= 1) {
			masks[i/8] &^= 1 << (i % 8)
		}
	}
}

// swing returns where a rotation takes the ray of pair i, from which that of B is a distance away,
// and the square of this distance as a share of a limit: infinity if that is behind the camera.
func (r *relative) swing(g *Pose, i int, limit float64) (a appearance, miss float64) {
	b := sighting{r.u[i], r.v[i], 1, 1}
	a, ok := b.appearance(g, &Vector{r.x[i], r.y[i], 1})
	if !ok {
		return a, math.Inf(1)
	}
	return a, (float64(a.dx*a.dx) + float64(a.dy*a.dy)) / limit
}

// turn refines the rotation that alone explains most inliers, by Gauss and Newton's method with
// weights, and returns it with the number of inliers that it explains.
func (r *relative) turn(rot Rotation, masks []byte, n int) (Rotation, int) {
	for range turnRounds {
		q, _ := r.turned(&rot, masks, n, 4)
		d, ok := q.solve(3, 0)
		if !ok {
			break
		}
		rot = rot.then(Vector{d[0], d[1], d[2]})
		if max(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])) <= converged {
			break
		}
	}
	_, count := r.turned(&rot, masks, n, 1)
	return rot, count
}

// turned returns the equations for a better rotation, and the number of pairs that it explains.
func (r *relative) turned(rot *Rotation, masks []byte, n int, squared float64) (equations, int) {
	var q equations
	g, limit := Pose{R: *rot}, float64((r.thresholdB+r.thresholdA)*squared)
	count := 0
	for i := range consensus.Members(masks, n) {
		a, m := r.swing(&g, i, limit)
		if !(m <= 1) {
			continue
		}
		count++
		w := float64((1 - m) * (1 - m))
		// The change of p by a turn w from the left: w x p.
		jx := [3]float64{float64(-a.px * a.py), 1 + float64(a.px*a.px), -a.py}
		jy := [3]float64{-1 - float64(a.py*a.py), float64(a.px * a.py), a.px}
		for s := range 3 {
			for t := s; t < 3; t++ {
				q.a[s][t] += float64(w * (float64(jx[s]*jx[t]) + float64(jy[s]*jy[t])))
			}
			q.b[s] += float64(w * (float64(jx[s]*a.dx) + float64(jy[s]*a.dy)))
		}
	}
	return q, count
}

// planes finds homographies.
type planes struct {
	few, many *geometry.Estimator // by their numbers of samples
	a, b      []geometry.Point
}

func newPlanes() planes {
	estimator := func(samples int) *geometry.Estimator {
		e, err := geometry.New(geometry.Options{InlierThreshold: 1, MaxSamples: samples})
		if err != nil {
			panic(err)
		}
		return e
	}
	return planes{few: estimator(50), many: estimator(200)}
}

// find returns the homography that most of the first n pairs that masks choose agree with, and
// their number.
func (p *planes) find(w *twoViews, masks []byte, n int, e *geometry.Estimator) (matrix, int, bool) {
	t := math.Sqrt((w.thresholdA + w.thresholdB) / 2)
	s := 1 / t
	p.a, p.b = p.a[:0], p.b[:0]
	for i := range consensus.Members(masks, n) {
		p.a = append(p.a, geometry.Point{X: float64(w.x[i] * s), Y: float64(w.y[i] * s)})
		p.b = append(p.b, geometry.Point{X: float64(w.u[i] * s), Y: float64(w.v[i] * s)})
	}
	fit, err := e.Estimate(p.a, p.b, nil, nil)
	if err != nil {
		return matrix{}, 0, false
	}
	h := matrix(fit.Transform)
	h[2], h[5] = float64(h[2]*t), float64(h[5]*t)
	h[6], h[7] = h[6]/t, h[7]/t
	return h, fit.Inliers, true
}

// dual returns the second motion that explains a homography (H. Longuet-Higgins, "The
// reconstruction of a plane surface from two perspective projections", 1986): H'H = (1 + n a')
// (1 + a n') is the same when the plane and the translation change places. On which side of the
// cameras the plane is then, and so the sign of the translation, is left open.
func dual(h *matrix, p *Pose) (Pose, bool) {
	a := p.R.applyInverse(p.T) // unit
	back := p.R.inverse()
	g := back.matrix().mul(h)
	// Across a, G is a multiple of the unit matrix.
	w1, w2 := across(a)
	scale := (w1.Dot(g.apply(w1)) + w2.Dot(g.apply(w2))) / 2
	if scale == 0 {
		return Pose{}, false
	}
	g = g.scaled(1 / scale)
	n := g.applyT(a).Sub(a)
	d := n.Norm()
	if !(d > 1e-9) {
		return Pose{}, false
	}
	n = n.Scale(1 / d)
	a = a.Scale(d)
	b := a.Add(n.Scale(d * d / 2))
	size := b.Norm()
	if !(size > 1e-9) {
		return Pose{}, false
	}
	n2 := b.Scale(1 / size)
	a2 := n.Scale(size).Sub(b.Scale(d * d / (2 * size)))
	f := 1 + n2.Dot(a2)
	if f == 0 {
		return Pose{}, false
	}
	inverse := matrix{}
	for i := range 3 {
		for j := range 3 {
			inverse[3*i+j] = -a2[i] * n2[j] / f
		}
		inverse[4*i] += 1
	}
	// R' = (R + t n') (1 - a2 n2'/f)
	m := matrix{}
	ra := p.R.apply(a)
	for i := range 3 {
		for j := range 3 {
			m[3*i+j] = p.R[3*i+j] + float64(ra[i]*n[j])
		}
	}
	m = m.mul(&inverse)
	rot := orthonormal(&m)
	t := rot.apply(a2)
	if !(t.Norm() > 1e-9) {
		return Pose{}, false
	}
	return Pose{rot, t.unit()}, true
}
