package geometry

import (
	"cmp"
	"math"

	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

// These numbers are the best that were found by measurements.
const (
	// loose is how many thresholds the threshold of the search and of the final refits is.
	loose = 2
	// scored is the number of pairs that a sample is tested with, at most.
	scored = 2048
	// refits is the number of refits of a good sample.
	refits = 3
	// innerSamples is the number of samples of the inliers of a loose threshold.
	innerSamples = 50
	// pairsPerInlier is the number of pairs for which one more inlier is demanded.
	pairsPerInlier = 50
)

// A job is an estimate in the making, and memory that is used again.
type job struct {
	opts    *Options
	given   given
	sorter  consensus.Sorter
	sampler consensus.Sampler
	scorer  scorer
	cells   consensus.CellSet

	needed int   // how many inliers a transform must have: so many pairs do not agree by chance
	flat   bool  // a candidate had many inliers, but at too few places
	list   []int // the inliers of a loose threshold
}

// estimate is Estimate without the checks. On success the scorer has the inliers.
func (j *job) estimate(opts *Options, a, b []Point, distances []float64) (Fit, error) {
	j.opts, j.flat = opts, false
	j.sort(a, b, distances)
	n := len(j.sorter.Order)
	if n < opts.MinInliers {
		return Fit{}, ErrPairs
	}
	j.needed = min(opts.MinInliers+(n+pairsPerInlier-1)/pairsPerInlier, n)
	j.scorer.place(opts, j.sorter.Order, a, b)
	j.sampler.Size, j.sampler.Confidence, j.sampler.Most = opts.Kind.Pairs(), opts.Confidence, opts.MaxSamples
	j.sampler.Begin(opts.Seed, &j.sorter, distances)

	best := j.search()
	if best.count == 0 {
		if j.flat || j.allFlat() {
			return Fit{}, ErrDegenerate
		}
		return Fit{}, ErrSupport
	}
	best = j.polish(best)
	if err := j.judge(best); err != nil {
		return Fit{}, err
	}
	return Fit{j.scorer.frames.out(&best.transform), best.count, j.sampler.Drawn}, nil
}

// given are the pairs of a call.
type given struct {
	a, b      []Point
	distances []float64 // or nil
}

// Compare compares pairs for the order.
func (g *given) Compare(i, k int) int {
	p, q, r, t := g.a[i], g.a[k], g.b[i], g.b[k]
	c := cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(r.X, t.X), cmp.Compare(r.Y, t.Y))
	if c == 0 && g.distances != nil {
		c = cmp.Compare(g.distances[i], g.distances[k])
	}
	return c
}

// sort puts the usable pairs in order, by a hash of their coordinates.
func (j *job) sort(a, b []Point, distances []float64) {
	j.sorter.Begin(len(a))
	for i, p := range a {
		q := b[i]
		if !consensus.Usable(p.X, p.Y) || !consensus.Usable(q.X, q.Y) || distances != nil && math.IsNaN(distances[i]) {
			continue
		}
		j.sorter.Add(consensus.NewHash(p.X).With(p.Y).With(q.X).With(q.Y), i)
	}
	j.given = given{a, b, distances}
	j.sorter.Sort(&j.given)
	j.given = given{}
}

// mark marks the inliers of a successful estimate.
func (j *job) mark(inliers []bool) {
	for i := range consensus.Members(j.scorer.masks, j.scorer.n) {
		inliers[j.sorter.Order[i]] = true
	}
}

// search returns the best candidate of samples, by the first pairs in the order.
func (j *job) search() candidate {
	s := &j.scorer
	n := min(s.n, scored)
	l := s.limits(loose)
	var best candidate
	var sample [4]int
	for enough := j.opts.MaxSamples; j.sampler.Drawn < enough; {
		j.sampler.Draw(sample[:j.sampler.Size])
		if j.try(&sample, &best, l, true) {
			enough = j.sampler.Enough(s.masks, n)
		}
	}
	return best
}

// try replaces best by the candidate of a sample, refitted, if that is better and its inliers
// are spread out, and reports whether it did. If it did, the scorer has the inliers.
func (j *job) try(sample *[4]int, best *candidate, l limits, hasty bool) bool {
	s := &j.scorer
	n := min(s.n, scored)
	var a, b [4]Point
	for i, k := range sample[:j.sampler.Size] {
		a[i], b[i] = Point{s.run.ax[k], s.run.ay[k]}, Point{s.run.bx[k], s.run.by[k]}
	}
	t, ok := exact(s.kind, &a, &b, s.frames.scale())
	if !ok || s.kind == Rigid && !fits(&t, a[0], b[0], l.b) || !s.begin(&t, l) {
		return false
	}
	c := candidate{transform: t}
	for begin := 0; begin < n; begin += consensus.Block {
		end := min(begin+consensus.Block, n)
		c.count += s.score(begin, end)
		c.support = total(&s.run.support)
		if c.support+float64(n-end) <= best.support || hasty && 4*c.count*n < best.count*end {
			return false
		}
	}
	m := s.moments(n)
	if !m.determine(s.kind, l) {
		j.flat = j.flat || c.count >= j.needed
		return false
	}
	if c = s.refit(c, &m, n, l, refits); c.support <= best.support {
		return false
	}
	if m = s.moments(n); !m.determine(s.kind, l) {
		return false
	}
	*best = c
	return true
}

// polish returns the candidate that all pairs make of c: what fits loosely, what fits well
// among that, and what least squares with weights make of it.
func (j *job) polish(c candidate) candidate {
	s := &j.scorer
	wide, narrow := s.limits(loose), s.limits(1)
	c = s.refitAll(c, wide, 2)
	loosely := c.count
	j.list = raster.Resize(j.list, s.n)[:0]
	for i := range consensus.Members(s.masks, s.n) {
		j.list = append(j.list, i)
	}
	c = s.refitAll(c, narrow, refits)
	if 5*c.count < 4*loosely && len(j.list) > j.sampler.Size {
		c = j.inner(c, narrow)
	}
	return s.weigh(c, wide, narrow)
}

// inner returns c or a better candidate of samples of the pairs of j.list.
func (j *job) inner(c candidate, l limits) candidate {
	s := &j.scorer
	best := c
	if s.n > scored {
		best = s.rescore(best, scored, l)
	}
	found := false
	var sample [4]int
	for range innerSamples {
		j.sampler.DrawFrom(sample[:j.sampler.Size], j.list)
		found = j.try(&sample, &best, l, false) || found
	}
	if found {
		if best = s.refitAll(best, l, refits); best.support > c.support {
			return best
		}
	}
	return c
}

// allFlat reports whether all pairs together do not determine a transform.
func (j *job) allFlat() bool {
	s := &j.scorer
	for i := range s.n {
		s.masks[i/8] |= 1 << (i % 8)
	}
	m := s.moments(s.n)
	return !m.determine(s.kind, s.limits(1))
}

// judge returns an error unless c, the inliers of which the scorer has, has enough inliers in
// enough places that are not on a line.
func (j *job) judge(c candidate) error {
	if !c.transform.finite() || c.count < j.needed {
		return ErrSupport
	}
	s := &j.scorer
	m := s.moments(s.n)
	if !m.determine(s.kind, s.limits(1)) {
		return ErrDegenerate
	}
	r, t := &s.run, j.opts.InlierThreshold
	if !j.cells.Has(j.needed, s.masks, s.n, r.ax, r.ay, t*s.frames.a.Scale) || !j.cells.Has(j.needed, s.masks, s.n, r.bx, r.by, t*s.frames.b.Scale) {
		return ErrSupport
	}
	return nil
}
