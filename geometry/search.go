package geometry

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// These numbers are the best that were found by measurements.
const (
	// loose is how many thresholds the threshold of the search and of the final refits is.
	loose = 2
	// scored is the number of pairs that a sample is tested with, at most.
	scored = 2048
	// block is the number of pairs after which it may be given up.
	block = 64
	// refits is the number of refits of a good sample.
	refits = 3
	// innerSamples is the number of samples of the inliers of a loose threshold.
	innerSamples = 50
	// finalRefits is the number of refits with weights, at most.
	finalRefits = 30
	// converged is how much elements may change in the last of them.
	converged = 1e-11
	// pairsPerInlier is the number of pairs for which one more inlier is demanded.
	pairsPerInlier = 50
)

// A job is an estimate in the making, and memory that is used again.
type job struct {
	opts    *Options
	kernels *kernels
	run     run
	frames  frames

	order []int   // the indices of the pairs, in the order in which they are worked
	pools int     // how many pools there are
	ranks []int   // the positions of pairs in order by distance, if there are several pools
	pool  []uint8 // the last pool that each pair is in, if there are several pools

	masks []byte // the inliers of the current candidate, a bit for each pair
	spare []byte // of another one

	random  random
	samples int  // that were drawn
	flat    bool // a candidate had many inliers, but at too few places

	keys, sorted []keyed
	bucket       bucket
	ends         []int
	list         []int
	cells        [][2]uint64
}

// limits are squared thresholds in both frames.
type limits struct{ a, b float64 }

// limits returns the squares of a number of thresholds.
func (j *job) limits(thresholds float64) limits {
	// More than this would be without effect.
	t := min(j.opts.InlierThreshold, 64*largest) * thresholds
	return limits{square(t * j.frames.a.scale), square(t * j.frames.b.scale)}
}

func square(v float64) float64 { return float64(v * v) }

// A candidate is a transform between the frames, and how well it fits.
type candidate struct {
	transform Transform
	support   float64 // the sum of the gains of the inliers
	count     int     // of the inliers
}

// estimate is Estimate without the checks. On success j.masks has the inliers.
func (j *job) estimate(opts *Options, a, b []Point, distances []float64) (Fit, error) {
	j.opts, j.kernels = opts, table.Best()
	j.random = random(opts.Seed)
	j.samples, j.flat = 0, false
	j.sort(a, b, distances)
	n := len(j.order)
	if n < max(opts.MinInliers, opts.Kind.Pairs()) {
		return Fit{}, ErrPairs
	}
	j.place(a, b)
	j.rank(distances)
	size := maskSize(n)
	j.masks, j.spare = raster.Resize(j.masks, size), raster.Resize(j.spare, size)
	clear(j.masks)
	clear(j.spare)

	best := j.search()
	if best.count == 0 {
		if j.flat || j.allFlat() {
			return Fit{}, ErrSpread
		}
		return Fit{}, ErrSupport
	}
	best = j.polish(best)
	if err := j.judge(best); err != nil {
		return Fit{}, err
	}
	return Fit{j.frames.out(&best.transform), best.count, j.samples}, nil
}

// needed returns the number of inliers that a transform must have: so many pairs do not agree
// by chance.
func (j *job) needed() int {
	n := len(j.order)
	return min(j.opts.MinInliers+(n+pairsPerInlier-1)/pairsPerInlier, n)
}

// search returns the best candidate of samples, by the first pairs in the order.
func (j *job) search() candidate {
	n := min(len(j.order), scored)
	l := j.limits(loose)
	var best candidate
	enough := j.opts.MaxSamples
	var sample [4]int
	for ; j.samples < enough; j.samples++ {
		of := len(j.order) >> (j.samples % j.pools)
		j.random.draw(sample[:j.opts.Kind.Pairs()], of)
		if j.pools > 1 {
			for i, rank := range sample[:j.opts.Kind.Pairs()] {
				sample[i] = j.ranks[rank]
			}
		}
		if j.try(&sample, &best, l, true) {
			enough = j.enoughSamples(n)
		}
	}
	return best
}

// try replaces best by the candidate of a sample, refitted, if that is better and its inliers
// have spread, and reports whether it did. If it did, j.masks has the inliers.
func (j *job) try(sample *[4]int, best *candidate, l limits, hasty bool) bool {
	n := min(len(j.order), scored)
	kind := j.opts.Kind
	var a, b [4]Point
	r := &j.run
	for i, k := range sample[:kind.Pairs()] {
		a[i], b[i] = Point{r.ax[k], r.ay[k]}, Point{r.bx[k], r.by[k]}
	}
	t, ok := exact(kind, &a, &b, j.frames.scale())
	if !ok || kind == Rigid && !fits(&t, a[0], b[0], l.b) || !j.set(&t) {
		return false
	}
	r.limitA, r.limitB = l.a, l.b
	r.support = [lanes]float64{}
	c := candidate{transform: t}
	for begin := 0; begin < n; begin += block {
		end := min(begin+block, n)
		c.count += j.score(begin, end)
		c.support = total(&r.support)
		if c.support+float64(n-end) <= best.support || hasty && 4*c.count*n < best.count*end {
			return false
		}
	}
	m := j.moments(n)
	if !j.spreads(&m, l) {
		j.flat = j.flat || c.count >= j.needed()
		return false
	}
	if c = j.refit(c, &m, n, l, refits); c.support <= best.support {
		return false
	}
	if m = j.moments(n); !j.spreads(&m, l) {
		return false
	}
	*best = c
	return true
}

// fits reports whether an affine transform maps a to b, but for a squared distance up to limit.
func fits(t *Transform, a, b Point, limit float64) bool {
	dx, dy := t.row(0, a)-b.X, t.row(3, a)-b.Y
	return float64(dx*dx)+float64(dy*dy) <= limit
}

// set makes t the transform of the kernels. It reports false if t has no inverse.
func (j *job) set(t *Transform) bool {
	inverse := t.inverse()
	j.run.forward, j.run.backward = *t, inverse
	return t.finite() && inverse.finite()
}

// score scores pairs with the transform that was set, adds to the support, and returns the
// number of inliers. begin is a multiple of block.
func (j *job) score(begin, end int) int {
	r := &j.run
	r.begin, r.end = begin, min(end+lanes-1, len(r.ax))&^(lanes-1)
	r.masks = j.masks
	if j.opts.Kind == Homography {
		j.kernels.scoreProjective(r)
	} else {
		j.kernels.scoreAffine(r)
	}
	return count(j.masks[begin/8 : maskSize(end)])
}

// maskSize returns the number of bytes for the masks of n pairs, a multiple of 8.
func maskSize(n int) int {
	return (n + block - 1) / block * (block / 8)
}

// count returns how many bits are set. The length is a multiple of 8.
func count(masks []byte) int {
	n := 0
	for ; len(masks) >= 8; masks = masks[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(masks))
	}
	return n
}

// members returns the numbers of the first n bits that are set.
func (j *job) members(masks []byte, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, mask := range masks[:(n+7)/8] {
			for ; mask != 0; mask &= mask - 1 {
				if !yield(8*i + bits.TrailingZeros8(mask)) {
					return
				}
			}
		}
	}
}

// enoughSamples returns the number of samples after which one has only inliers, with the
// probability Confidence, if the shares of inliers among the first n pairs are those in the
// pools.
func (j *job) enoughSamples(n int) int {
	var inliers, all [maxPools]int
	if j.pools == 1 {
		inliers[0], all[0] = count(j.masks[:maskSize(n)]), n
	} else {
		for _, p := range j.pool[:n] {
			all[p]++
		}
		for i := range j.members(j.masks, n) {
			inliers[j.pool[i]]++
		}
		for p := j.pools - 2; p >= 0; p-- { // which the next pool is a part of
			inliers[p] += inliers[p+1]
			all[p] += all[p+1]
		}
	}
	miss := 1.0 // the probability that no sample of a cycle, one from each pool, is good
	for p := range j.pools {
		share := float64(inliers[p]) / float64(max(all[p], 1))
		miss *= 1 - power(share, j.opts.Kind.Pairs())
	}
	low, high := 1, j.opts.MaxSamples // cycles
	for low < high {
		if middle := (low + high) / 2; power(miss, middle) <= 1-j.opts.Confidence {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return min(low*j.pools, j.opts.MaxSamples)
}

// power returns v to the power of n.
func power(v float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 > 0 {
			p = float64(p * v)
		}
		v = float64(v * v)
	}
	return p
}

// refit returns c, or a candidate that is better by the first n pairs, after up to so many
// steps of least squares of the inliers. j.masks must have the inliers of c, m being their
// moments, and then has those of the result.
func (j *job) refit(c candidate, m *moments, n int, l limits, steps int) candidate {
	j.center(m)
	j.run.flat, j.run.steep = 1, 0
	j.spare, j.masks = j.masks, j.spare
	local, e, ok := j.sum(j.local(&c.transform), n, l)
	if !ok {
		j.spare, j.masks = j.masks, j.spare
		return c
	}
	for range steps {
		t, _, ok := e.next(j.opts.Kind, &local.transform, 1, j.frames.scale())
		if !ok {
			break
		}
		j.spare, j.masks = j.masks, j.spare
		next, nextE, ok := j.sum(t, n, l)
		if !ok || !(next.support > local.support) {
			j.spare, j.masks = j.masks, j.spare
			break
		}
		goOn := next.support > local.support+float64(1e-4*float64(local.count))
		local, e = next, nextE
		if !goOn {
			break
		}
	}
	local.transform = j.global(&local.transform)
	return local
}

// center has sumProjective subtract the centroids of inliers, so that its equations are well
// conditioned. sumAffine needs no such thing.
func (j *job) center(m *moments) {
	j.run.shift = [4]float64{}
	if j.opts.Kind == Homography {
		j.run.shift = [4]float64{m.a.x, m.a.y, m.b.x, m.b.y}
	}
}

// local returns a transform between the frames as one between those that are shifted by
// center, with an element 8 of 1. It is positive, since W is positive at all inliers.
func (j *job) local(t *Transform) Transform {
	s := &j.run.shift
	return t.shifted(s[0], s[1], s[2], s[3]).normalized()
}

// global undoes local.
func (j *job) global(t *Transform) Transform {
	s := &j.run.shift
	return t.shifted(-s[0], -s[1], -s[2], -s[3])
}

// sum finds the inliers of a local transform among the first n pairs and the equations for a
// better one. It reports false if it has no inverse.
func (j *job) sum(t Transform, n int, l limits) (candidate, equations, bool) {
	var e equations
	if !j.set(&t) {
		return candidate{}, e, false
	}
	r := &j.run
	r.limitA, r.limitB = l.a, l.b
	r.begin, r.end = 0, min(n+lanes-1, len(r.ax))&^(lanes-1)
	r.masks = j.masks
	r.support = [lanes]float64{}
	used := 12
	if j.opts.Kind == Homography {
		used = sums
	}
	clear(r.sums[:used])
	if j.opts.Kind == Homography {
		j.kernels.sumProjective(r)
	} else {
		j.kernels.sumAffine(r)
	}
	for i := range used {
		e[i] = total(&r.sums[i])
	}
	return candidate{t, total(&r.support), count(j.masks[:maskSize(n)])}, e, true
}

// rescore returns c by all pairs and other limits.
func (j *job) rescore(c candidate, l limits) candidate {
	n := len(j.order)
	j.run.limitA, j.run.limitB = l.a, l.b
	j.run.support = [lanes]float64{}
	j.set(&c.transform)
	c.count = j.score(0, n)
	c.support = total(&j.run.support)
	return c
}

// polish returns the candidate that all pairs make of c: what fits loosely, what fits well
// among that, and what least squares with weights make of it.
func (j *job) polish(c candidate) candidate {
	n := len(j.order)
	wide, narrow := j.limits(loose), j.limits(1)
	refit := func(c candidate, l limits, steps int) candidate {
		c = j.rescore(c, l)
		if c.count == 0 {
			return c
		}
		m := j.moments(n)
		return j.refit(c, &m, n, l, steps)
	}
	c = refit(c, wide, 2)
	loosely := c.count
	j.list = raster.Resize(j.list, n)[:0]
	for i := range j.members(j.masks, n) {
		j.list = append(j.list, i)
	}
	c = refit(c, narrow, refits)
	if kind := j.opts.Kind; 5*c.count < 4*loosely && len(j.list) > kind.Pairs() {
		c = j.inner(c, narrow, refit)
	}
	return j.weigh(c, wide, narrow)
}

// inner returns c or a better candidate of samples of the pairs of j.list.
func (j *job) inner(c candidate, l limits, refit func(c candidate, l limits, steps int) candidate) candidate {
	best := c
	n := min(len(j.order), scored)
	if n < len(j.order) {
		j.set(&best.transform)
		j.run.limitA, j.run.limitB = l.a, l.b
		j.run.support = [lanes]float64{}
		best.count = j.score(0, n)
		best.support = total(&j.run.support)
	}
	found := false
	var sample [4]int
	for range innerSamples {
		j.random.draw(sample[:j.opts.Kind.Pairs()], len(j.list))
		for i, k := range sample[:j.opts.Kind.Pairs()] {
			sample[i] = j.list[k]
		}
		found = j.try(&sample, &best, l, false) || found
	}
	if found {
		if best = refit(best, l, refits); best.support > c.support {
			return best
		}
	}
	return c
}

// weigh returns what c becomes by least squares with weights that fall to 0 at the limits
// wide, repeated until it does not change, if that fits about as well. The result does not
// depend on the samples that led to c. Its inliers are those within the limits narrow.
func (j *job) weigh(c candidate, wide, narrow limits) candidate {
	n := len(j.order)
	if c = j.rescore(c, wide); c.count > 0 {
		m := j.moments(n)
		j.center(&m)
		j.run.flat, j.run.steep = 0, 1
		first, e, ok := j.sum(j.local(&c.transform), n, wide)
		last := first
		for round := 0; ok && round < finalRefits; round++ {
			t, largest, determined := e.next(j.opts.Kind, &last.transform, overstep(e[0], last.support), j.frames.scale())
			if !determined {
				break
			}
			j.spare, j.masks = j.masks, j.spare
			var next candidate
			if next, e, ok = j.sum(t, n, wide); !ok {
				break
			}
			last = next
			if largest <= converged && bytes.Equal(j.masks, j.spare) {
				break
			}
		}
		if first.count > 0 && last.support >= 0.95*first.support {
			c.transform = j.global(&last.transform)
		}
	}
	return j.rescore(c, narrow)
}

// overstep returns by how much a change of the transform is to be multiplied. The change is
// that for constant weights, but weights change with the transform. For errors that are the
// same in all directions, the weight 3g*g - 2g in place of g*g takes account of that, g being
// the gain. The arguments are the sums of g*g, or nearly that, and of g.
func overstep(squares, gains float64) float64 {
	if d := float64(3*squares) - 2*gains; d > squares/2 {
		return squares / d
	}
	return 2
}

// A spread has the mean of points and their covariance.
type spread struct{ x, y, xx, xy, yy float64 }

// add adds to the covariance.
func (s *spread) add(x, y float64) {
	x, y = x-s.x, y-s.y
	s.xx += float64(x * x)
	s.xy += float64(x * y)
	s.yy += float64(y * y)
}

// exceeds reports whether the variance across the line that fits the points best, or for a
// Similarity or a Rigid transform along it, is more than a limit.
func (s *spread) exceeds(kind Kind, limit float64) bool {
	mean, root := float64((s.xx+s.yy)/2), math.Sqrt(square(float64((s.xx-s.yy)/2))+square(s.xy)) // of the eigenvalues
	if kind <= Similarity {
		return mean+root > limit
	}
	return mean-root > limit
}

// moments are those of inliers in both frames.
type moments struct{ a, b spread }

// moments returns those of the inliers in j.masks among the first n pairs.
func (j *job) moments(n int) moments {
	var m moments
	r := &j.run
	inliers := 0.0
	for i := range j.members(j.masks, n) {
		inliers++
		m.a.x += r.ax[i]
		m.a.y += r.ay[i]
		m.b.x += r.bx[i]
		m.b.y += r.by[i]
	}
	m.a.x, m.a.y, m.b.x, m.b.y = m.a.x/inliers, m.a.y/inliers, m.b.x/inliers, m.b.y/inliers
	for i := range j.members(j.masks, n) {
		m.a.add(r.ax[i], r.ay[i])
		m.b.add(r.bx[i], r.by[i])
	}
	for _, s := range []*spread{&m.a, &m.b} {
		s.xx, s.xy, s.yy = s.xx/inliers, s.xy/inliers, s.yy/inliers
	}
	return m
}

// spreads reports whether inliers determine a transform. A translation is determined by any.
func (j *job) spreads(m *moments, l limits) bool {
	kind := j.opts.Kind
	return kind == Translation || m.a.exceeds(kind, l.a) && m.b.exceeds(kind, l.b)
}

// allFlat reports whether all pairs together do not determine a transform.
func (j *job) allFlat() bool {
	for i := range j.order {
		j.masks[i/8] |= 1 << (i % 8)
	}
	m := j.moments(len(j.order))
	return !j.spreads(&m, j.limits(1))
}

// judge returns an error unless c, the inliers of which are in j.masks, has enough inliers in
// enough places that are not on a line.
func (j *job) judge(c candidate) error {
	n := len(j.order)
	if !c.transform.finite() || c.count < j.needed() {
		return ErrSupport
	}
	m := j.moments(n)
	if !j.spreads(&m, j.limits(1)) {
		return ErrSpread
	}
	r := &j.run
	if !j.places(r.ax, r.ay, j.opts.InlierThreshold*j.frames.a.scale) || !j.places(r.bx, r.by, j.opts.InlierThreshold*j.frames.b.scale) {
		return ErrSupport
	}
	return nil
}

// noCell marks an empty place in a set of cells. It is a NaN.
const noCell = math.MaxUint64

// places reports whether enough squares of the given side have inliers in them.
func (j *job) places(xs, ys []float64, side float64) bool {
	n := len(j.order)
	want := j.needed()
	size := 1 << bits.Len(uint(2*want))
	j.cells = raster.Resize(j.cells, size)
	for i := range j.cells {
		j.cells[i][0] = noCell
	}
	found := 0
	for i := range j.members(j.masks, n) {
		cell := [2]uint64{floatBits(math.Floor(xs[i] / side)), floatBits(math.Floor(ys[i] / side))}
		at := int(mix(mix(cell[0]+golden)^cell[1])) & (size - 1)
		for j.cells[at] != cell && j.cells[at][0] != noCell {
			at = (at + 1) & (size - 1)
		}
		if j.cells[at][0] == noCell {
			j.cells[at] = cell
			if found++; found == want {
				return true
			}
		}
	}
	return false
}
