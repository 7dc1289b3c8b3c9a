package pose

import (
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

const (
	// clipped is how many standard deviations of the noise the errors are from which on they no longer
	// tell motions apart.
	clipped = 3
	// byNoise is how many standard deviations from 0 a sum of differences is, at most, that is due to
	// noise.
	byNoise = 3
	// barrier is by how much, in variances of the noise, the sum of squared errors half-way between two
	// motions exceeds those of both, at least.
	barrier = 20
	// distinct is by how many radians the motions of a plane differ from the best result, at least.
	distinct = 0.087
)

// alike returns two motions that explain the pairs alike but for noise, the more valuable one first. One
// of them is best, and the other one a result that is behind a barrier: what is half-way between the two
// explains the pairs worse. Or it is a motion of the plane that nearly all inliers are on, if its
// homography is not nil: in theory, a plane has two. If best is between these, they are the two.
func (j *judge) alike(r *relative, best *candidate, h *matrix) (first, other candidate, ok bool) {
	c := &j.comparison
	c.begin(r, best, j.n, j.variance(best))
	at := -1
	for i := range j.results {
		result := &j.results[i]
		if (at < 0 || result.value > j.results[at].value) && !result.pose.isNear(&best.pose, leastTurn) && c.explainsAlike(result) &&
			c.behindBarrier(&result.pose) {
			at = i
		}
	}
	if at >= 0 {
		j.finish(at)
		return *best, j.results[at], true
	}
	if h == nil {
		return *best, other, false
	}
	both, ok := motionsOfPlane(h)
	if !ok {
		return *best, other, false
	}
	var found [2]candidate
	count := 0
	for _, p := range both {
		facing := j.facing(p)
		j.masks.give(facing.inliers)
		m := j.appraise(facing.model)
		if m.pose.isNear(&best.pose, distinct) || !c.explainsAlike(&m) {
			j.masks.give(m.inliers)
			continue
		}
		found[count] = m
		count++
	}
	if count < 2 {
		return *best, found[0], count == 1
	}
	if found[1].value > found[0].value {
		found[0], found[1] = found[1], found[0]
	}
	return found[0], found[1], true
}

// isNear reports whether the rotations and the directions of two motions differ by less than about the
// given number of radians.
func (p *Pose) isNear(q *Pose, by float64) bool {
	squares := 0.0
	for i, v := range p.R {
		d := v - q.R[i]
		squares += float64(d * d)
	}
	return squares/2 < float64(by*by) && p.T.Sub(q.T).Norm() < by
}

// A comparison compares motions with the best one by the squared errors of all pairs, in units of the
// variance of the noise.
type comparison struct {
	relative *relative
	n        int
	best     Pose
	value    float64 // of the best motion
	variance float64 // in squared thresholds

	ofBest, ofOther, between []float64 // errors; those of the best motion are empty until they are needed
}

// begin begins with the best motion.
func (c *comparison) begin(r *relative, best *candidate, n int, variance float64) {
	c.relative, c.n, c.best, c.value, c.variance = r, n, best.pose, best.value, variance
	c.ofBest = c.ofBest[:0]
}

// explainsAlike reports whether a motion explains the pairs as well as the best one, but for noise. If
// so, its errors are c.ofOther.
func (c *comparison) explainsAlike(m *candidate) bool {
	if 10*m.value < 9*c.value {
		return false
	}
	if len(c.ofBest) == 0 {
		c.ofBest = c.errors(c.ofBest, &c.best)
	}
	c.ofOther = c.errors(c.ofOther, &m.pose)
	sum, root := differences(c.ofBest, c.ofOther)
	return sum <= float64(byNoise*(1+root))
}

// behindBarrier reports whether the motion half-way between the best one and another one, the errors of
// which are c.ofOther, explains the pairs worse than both.
func (c *comparison) behindBarrier(other *Pose) bool {
	middle := halfway(&c.best, other)
	c.between = c.errors(c.between, &middle)
	for _, end := range [2][]float64{c.ofBest, c.ofOther} {
		if sum, root := differences(end, c.between); sum < max(barrier, float64(byNoise*root)) {
			return false
		}
	}
	return true
}

// differences returns by how much the sum of the errors of b exceeds that of a, and the root of the sum
// of the squared differences. Each motion shows another part of the noise of a pair, so that even if
// both are right, the sums differ by about this root (Q. Vuong, "Likelihood ratio tests for model
// selection and non-nested hypotheses", 1989).
func differences(a, b []float64) (sum, root float64) {
	squares := 0.0
	for i, e := range a {
		d := b[i] - e
		sum += d
		squares += float64(d * d)
	}
	return sum, math.Sqrt(squares)
}

// errors returns the squared errors of a motion, at most those of clipped standard deviations or of the
// threshold, which pairs have that are not in front of both cameras.
func (c *comparison) errors(dst []float64, p *Pose) []float64 {
	dst = raster.Resize(dst, c.n)
	r := c.relative
	w := &r.run
	e := p.essential()
	limit := min(float64(clipped*clipped*c.variance), 1) // in squared thresholds
	far := 4 * (r.thresholdA + r.thresholdB)
	for i := range dst {
		x, y, u, v := w.x[i], w.y[i], w.u[i], w.v[i]
		l, k := e.apply(Vector{x, y, 1}), e.applyT(Vector{u, v, 1})
		s := float64(u*l[0]) + float64(v*l[1]) + l[2]
		d := float64(r.thresholdB*(float64(l[0]*l[0])+float64(l[1]*l[1]))) + float64(r.thresholdA*(float64(k[0]*k[0])+float64(k[1]*k[1])))
		ss, squared := float64(s*s), limit
		if ss < float64(limit*d) {
			if along, _ := front(&p.R, &p.T, x, y, u, v, far); along > 0 {
				squared = ss / d
			}
		}
		dst[i] = squared / c.variance
	}
	return dst
}

// motionsOfPlane returns the two motions that the homography of a plane, from rays to rays, stands for,
// if there are two, but for the signs of their translations (Y. Ma, S. Soatto, J. Kosecka and S. Sastry,
// "An invitation to 3-D vision", 2004, 5.3.3).
func motionsOfPlane(h *matrix) (both [2]Pose, ok bool) {
	ht := h.transposed()
	values, v := ht.mul(h).eigen()
	if !(values[1] > 0) {
		return both, false
	}
	// The second singular value becomes 1, and the determinant positive.
	m := h.scaled(1 / math.Sqrt(values[1]))
	if c := m.cofactors(); m.row(0).Dot(c.row(0)) < 0 {
		m = m.scaled(-1)
	}
	a, b := max(values[0]/values[1]-1, 0), max(1-values[2]/values[1], 0)
	if !(a+b > 1e-18) {
		return both, false
	}
	for i := range both {
		s := math.Sqrt(a / (a + b))
		if i == 1 {
			s = -s
		}
		// Along v[1] and u, which are in the plane, m keeps lengths. n is its normal.
		u := v[0].Scale(math.Sqrt(b / (a + b))).Add(v[2].Scale(s))
		n := v[1].Cross(u)
		to := [3]Vector{m.apply(v[1]), m.apply(u)}
		to[2] = to[0].Cross(to[1])
		r := carrying(&[3]Vector{v[1], u, n}, &to)
		t := m.apply(n).Sub(to[2])
		if !(t.Norm() > 1e-9) {
			return both, false
		}
		both[i] = Pose{orthonormal(r.matrix()), t.unit()}
	}
	return both, true
}
