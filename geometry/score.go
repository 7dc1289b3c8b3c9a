package geometry

import (
	"math"

	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

// limits are squared thresholds in both frames.
type limits struct{ a, b float64 }

// A candidate is a transform between the frames, and how well it fits.
type candidate struct {
	transform Transform
	support   float64 // the sum of the gains of the inliers
	count     int     // of the inliers
}

// A scorer has the pairs, in the order in which they are worked and in their frames, and finds
// the inliers of transforms among them.
type scorer struct {
	kind      Kind
	threshold float64 // in pixels
	kernels   *kernels
	frames    frames
	run       run
	n         int    // how many pairs there are
	masks     []byte // the inliers of the current candidate, a bit for each pair
	spare     []byte // of another one
}

// place takes the pairs with the indices of order. NaN fill up the last group.
func (s *scorer) place(opts *Options, order []int, a, b []Point) {
	s.kind, s.kernels, s.n = opts.Kind, table.Best(), len(order)
	s.threshold = min(opts.InlierThreshold, 64*consensus.Largest) // more would be without effect
	boxA, boxB := consensus.NewBox(), consensus.NewBox()
	for _, i := range order {
		boxA.Add(a[i].X, a[i].Y)
		boxB.Add(b[i].X, b[i].Y)
	}
	s.frames = frames{frame{boxA.Frame()}, frame{boxB.Frame()}}
	filled := (s.n + lanes - 1) / lanes * lanes
	r := &s.run
	r.ax, r.ay = raster.Resize(r.ax, filled), raster.Resize(r.ay, filled)
	r.bx, r.by = raster.Resize(r.bx, filled), raster.Resize(r.by, filled)
	for k, i := range order {
		p, q := s.frames.a.to(a[i]), s.frames.b.to(b[i])
		r.ax[k], r.ay[k], r.bx[k], r.by[k] = p.X, p.Y, q.X, q.Y
	}
	for k := s.n; k < filled; k++ {
		r.ax[k], r.ay[k], r.bx[k], r.by[k] = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	size := consensus.MaskSize(s.n)
	s.masks, s.spare = raster.Resize(s.masks, size), raster.Resize(s.spare, size)
	clear(s.masks)
	clear(s.spare)
}

// limits returns the squares of a number of thresholds.
func (s *scorer) limits(thresholds float64) limits {
	t := s.threshold * thresholds
	return limits{square(t * s.frames.a.Scale), square(t * s.frames.b.Scale)}
}

func square(v float64) float64 { return float64(v * v) }

// begin makes t the transform of the kernels, and clears the support. It reports false if t has
// no inverse.
func (s *scorer) begin(t *Transform, l limits) bool {
	r := &s.run
	r.forward, r.backward = *t, t.inverse()
	r.limitA, r.limitB = l.a, l.b
	r.support = [lanes]float64{}
	return t.finite() && (*Transform)(&r.backward).finite()
}

// reach sets the pairs of the next call of a kernel. first is a multiple of consensus.Block.
func (s *scorer) reach(first, end int) *run {
	r := &s.run
	r.begin, r.end = first, min(end+lanes-1, len(r.ax))&^(lanes-1)
	r.masks = s.masks
	return r
}

// score scores pairs with the transform of begin, adds to the support, and returns the number
// of inliers. first is a multiple of consensus.Block.
func (s *scorer) score(first, end int) int {
	r := s.reach(first, end)
	if s.kind == Homography {
		s.kernels.scoreProjective(r)
	} else {
		s.kernels.scoreAffine(r)
	}
	return consensus.Count(s.masks[first/8 : consensus.MaskSize(end)])
}

// rescore returns c by the first n pairs.
func (s *scorer) rescore(c candidate, n int, l limits) candidate {
	s.begin(&c.transform, l)
	c.count = s.score(0, n)
	c.support = total(&s.run.support)
	return c
}

// sum finds the inliers of a local transform among the first n pairs and the equations for a
// better one. It reports false if it has no inverse.
func (s *scorer) sum(t Transform, n int, l limits) (candidate, equations, bool) {
	var e equations
	if !s.begin(&t, l) {
		return candidate{}, e, false
	}
	r := s.reach(0, n)
	used := affineSums
	if s.kind == Homography {
		used = sums
	}
	clear(r.sums[:used])
	if s.kind == Homography {
		s.kernels.sumProjective(r)
	} else {
		s.kernels.sumAffine(r)
	}
	for i := range used {
		e[i] = total(&r.sums[i])
	}
	return candidate{t, total(&r.support), consensus.Count(s.masks[:consensus.MaskSize(n)])}, e, true
}

// swap exchanges the inliers of the current candidate and of the other one.
func (s *scorer) swap() { s.masks, s.spare = s.spare, s.masks }

// moments returns those of the inliers among the first n pairs.
func (s *scorer) moments(n int) moments {
	var m moments
	r := &s.run
	inliers := 0.0
	for i := range consensus.Members(s.masks, n) {
		inliers++
		m.a.x += r.ax[i]
		m.a.y += r.ay[i]
		m.b.x += r.bx[i]
		m.b.y += r.by[i]
	}
	m.a.x, m.a.y, m.b.x, m.b.y = m.a.x/inliers, m.a.y/inliers, m.b.x/inliers, m.b.y/inliers
	for i := range consensus.Members(s.masks, n) {
		m.a.add(r.ax[i], r.ay[i])
		m.b.add(r.bx[i], r.by[i])
	}
	for _, s := range []*spread{&m.a, &m.b} {
		s.xx, s.xy, s.yy = s.xx/inliers, s.xy/inliers, s.yy/inliers
	}
	return m
}

// fits reports whether an affine transform maps a to b, but for a squared distance up to limit.
func fits(t *Transform, a, b Point, limit float64) bool {
	return squared(t.row(0, a)-b.X, t.row(3, a)-b.Y) <= limit
}
