package pose

import (
	"math"

	"github.com/fastcorners/fast/geometry"
)

// planeSamples is the number of samples of pairs off a plane.
const planeSamples = 300

// parallax polishes best, and looks for a plane that at least half of its inliers are on. If there
// is one, samples of two pairs off it are tried, which take the place of those of seven inliers if
// nearly all of these are on the plane (O. Chum, T. Werner and J. Matas, "Two-view geometry
// estimation unaffected by a dominant plane", CVPR 2005). It returns the best candidate, the number
// of its inliers that are not on the plane, and that of all pairs that are not.
func (j *judge) parallax(f *fundamental, best candidate) (c candidate, off, others int) {
	c = j.beginPolish(best)
	h, ok := j.planeOfMatrix(f, &c)
	if !ok {
		c = j.finishPolish(c)
		return c, c.count, j.n
	}
	j.listOffPlane(&f.twoViews, &h, j.fineTolerance(&c))
	if len(j.off) >= 2 {
		f.plane, f.hasPlane = h, true
		c = j.score(c.model, j.few, 1)
		draws := &j.search.draws
		draws.forget()
		for range planeSamples {
			j.search.try(draws.next(j.off, 2, 0), &c)
		}
		f.hasPlane = false
		j.refine(c)
		c = j.mostValuable()
		if 5*j.countOffPlane(c.inliers) >= c.count {
			c = j.finishPolish(c)
		}
	}
	if c.count <= fewInliers {
		// The plane of the first inliers depends on the samples that led to them, which makes a
		// difference if they are few. That of the inliers that are known by now does not.
		if h, ok = j.planeOfMatrix(f, &c); !ok {
			return c, c.count, j.n
		}
		j.listOffPlane(&f.twoViews, &h, j.fineTolerance(&c))
	}
	return c, j.countOffPlane(c.inliers), len(j.off)
}

// planeOfMatrix returns the homography of the plane that at least half of the inliers of c are on.
func (j *judge) planeOfMatrix(f *fundamental, c *candidate) (h matrix, ok bool) {
	e := c.matrix.epipole().unit()
	r := skew(e.Scale(-1))
	r = r.mul(&c.matrix)
	// The tests of few inliers may miss the plane, and to look for it among few takes little time.
	if c.count > fewInliers && !j.nearPlane(&f.twoViews, c, &r, e) {
		return h, false
	}
	h, onPlane, ok := j.planes.find(&f.twoViews, c.inliers, j.planes.many)
	return h, ok && 2*onPlane >= c.count
}

// planeOfMotion returns the homography of the plane that at least half of the inliers of c are on, and
// how many are but for noise.
func (j *judge) planeOfMotion(r *relative, c *candidate) (h matrix, onPlane int, ok bool) {
	w := &r.twoViews
	if !j.nearPlane(w, c, c.pose.R.matrix(), c.pose.T) {
		return matrix{}, 0, false
	}
	h, onPlane, ok = j.planes.find(w, c.inliers, j.planes.few)
	if !ok || 2*onPlane < c.count {
		return matrix{}, 0, false
	}
	if j.tolerance(c) > 1 {
		onPlane = j.countOnPlane(w, &h, c)
	}
	return h, onPlane, true
}

// countOnPlane returns how many inliers of c a homography explains but for noise.
func (j *judge) countOnPlane(w *twoViews, h *matrix, c *candidate) int {
	inverse := h.cofactors()
	inverse = inverse.transposed()
	squared, count := j.tolerance(c), 0
	for i := range members(c.inliers) {
		if w.explains(h, &inverse, i, squared) {
			count++
		}
	}
	return count
}

// listOffPlane sets j.off to the pairs that a homography does not explain: in squared thresholds, their
// squared errors exceed squared.
func (j *judge) listOffPlane(w *twoViews, h *matrix, squared float64) {
	inverse := h.cofactors()
	inverse = inverse.transposed()
	j.off = j.off[:0]
	for i := range j.n {
		if !w.explains(h, &inverse, i, squared) {
			j.off = append(j.off, i)
		}
	}
}

// countOffPlane returns how many pairs of a mask are in j.off.
func (j *judge) countOffPlane(mask []byte) int {
	count := 0
	for _, i := range j.off {
		count += int(mask[i/8] >> (i % 8) & 1)
	}
	return count
}

// nearPlane reports whether more than half of some inliers of c are near to the plane of three of them.
// The matrix of the model is that of the cross product with t, times r. Then r + t n' maps what is on a
// plane, also where r is no rotation (Hartley and Zisserman, Multiple View Geometry, 13.6).
func (j *judge) nearPlane(w *twoViews, c *candidate, r *matrix, t Vector) bool {
	j.search.listMembers(c.inliers)
	list := j.search.list
	some := list[:min(len(list), planeTests)]
	limit := 4 * (w.thresholdA + w.thresholdB)
	for range planeTries {
		var sample [3]int
		j.search.sampler.DrawFrom(sample[:], list)
		var rays matrix
		var inverse Vector // of the depths
		for i, k := range sample {
			a, b := w.rays(k)
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
			x, y := w.run.x[k], w.run.y[k]
			depth := float64(n[0]*x) + float64(n[1]*y) + n[2]
			p := float64(r[0]*x) + float64(r[1]*y) + r[2] + float64(t[0]*depth)
			q := float64(r[3]*x) + float64(r[4]*y) + r[5] + float64(t[1]*depth)
			s := float64(r[6]*x) + float64(r[7]*y) + r[8] + float64(t[2]*depth)
			dx, dy := p-float64(w.run.u[k]*s), q-float64(w.run.v[k]*s)
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

// find returns the homography that most pairs of a mask agree with, and their number.
func (p *planes) find(w *twoViews, mask []byte, e *geometry.Estimator) (matrix, int, bool) {
	t := math.Sqrt((w.thresholdA + w.thresholdB) / 2)
	s := 1 / t
	p.a, p.b = p.a[:0], p.b[:0]
	for i := range members(mask) {
		a, b := w.rays(i)
		p.a = append(p.a, geometry.Point{X: float64(a[0] * s), Y: float64(a[1] * s)})
		p.b = append(p.b, geometry.Point{X: float64(b[0] * s), Y: float64(b[1] * s)})
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

// secondOfPlane returns the second motion that explains a homography (H. Longuet-Higgins, "The
// reconstruction of a plane surface from two perspective projections", 1986): H'H = (1 + n a')
// (1 + a n') is the same when the plane and the translation change places. On which side of the
// cameras the plane is then, and so the sign of the translation, is left open.
func secondOfPlane(h *matrix, p *Pose) (Pose, bool) {
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
