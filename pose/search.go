package pose

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

// These numbers are the best that were found by measurements.
const (
	// scored is the number of pairs that a sample is tested with, at most.
	scored = 2048
	// refits is the number of refits of a good sample.
	refits = 3
	// leastSamples is the number of samples that are always drawn, since one of right pairs only
	// may lead to a wrong minimum.
	leastSamples = 12
	// localFrom is the number of samples from which on localSamples of its inliers follow a new
	// best one.
	localFrom, localSamples = 50, 20
	// formerBests is the number of candidates before the best that may be another motion.
	formerBests = 4
	// mismatches is how often pairs are mixed up to see how many agree by chance, at most.
	mismatches = 8
	// nearByChance and aheadByChance are how likely a wrong pair is near enough to its epipolar
	// lines, and in front of both cameras, too, in units of the threshold over the side of an image.
	nearByChance, aheadByChance = 3.5, 1.5
)

// A model is what a sample determines: an essential or fundamental matrix, or a pose, or both.
type model struct {
	m    matrix
	pose Pose
}

// modelOf returns the model of a motion.
func modelOf(motion Pose) model { return model{motion.essential(), motion} }

// A candidate is a model and how well it fits.
type candidate struct {
	model
	count   int     // of the inliers
	support float64 // the sum of their gains
	value   float64 // what results are compared by

	finished bool // another refit would change nothing
}

// A problem is what models are looked for: one of the three methods.
type problem interface {
	// solve appends the models of a sample.
	solve(dst []model, sample []int) []model
	// begin makes m the model of score, sum and step. squared is how many squared thresholds
	// the squared error of an inlier may be.
	begin(m model, squared float64)
	// score sets the masks of pairs from begin, a multiple of consensus.Block, to end, and
	// returns the number of inliers and the sum of their gains. The gain is 1 minus the squared
	// error in units of the largest one.
	score(begin, end int, masks []byte) (count int, support float64)
	// sum is score for the first n pairs, and sets the equations for a better model, with the
	// weights flat + steep*gain*gain. squares is the sum of the squared gains.
	sum(q *equations, n int, flat, steep float64, masks []byte) (count int, support, squares float64)
	// step returns the model that the solution of equations leads to, multiplied by factor, and
	// how large a change is at most.
	step(q *equations, damping, factor float64) (m model, change float64, ok bool)
	// dimensions is the number of squared normal deviates in a squared error.
	dimensions() float64
	// determines reports whether the inliers among the first n pairs have spread.
	determines(masks []byte, n int) bool
}

// given are the pairs of a call: points of A or of the world, and of B.
type given struct {
	a, b      []geometry.Point
	world     []Vector
	distances []float64 // or nil
}

// Compare compares pairs for the order.
func (g *given) Compare(i, k int) int {
	var c int
	if g.world != nil {
		p, q := &g.world[i], &g.world[k]
		c = cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1]), cmp.Compare(p[2], q[2]))
	} else {
		p, q := g.a[i], g.a[k]
		c = cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y))
	}
	p, q := g.b[i], g.b[k]
	c = cmp.Or(c, cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y))
	if c == 0 && g.distances != nil {
		c = cmp.Compare(g.distances[i], g.distances[k])
	}
	return c
}

// A places has places in an image, in the order in which pairs are worked.
type places struct {
	x, y []float64
	box  consensus.Box
}

// set takes the points with the indices of order.
func (p *places) set(points []geometry.Point, order []int) {
	p.x, p.y = raster.Resize(p.x, len(order)), raster.Resize(p.y, len(order))
	p.box = consensus.NewBox()
	for k, i := range order {
		p.x[k], p.y[k] = points[i].X, points[i].Y
		p.box.Add(p.x[k], p.y[k])
	}
}

// side returns the side of the square that is as large as the box.
func (p *places) side() float64 {
	return math.Sqrt(float64((p.box.X1 - p.box.X0) * (p.box.Y1 - p.box.Y0)))
}

// A job is an estimate in the making, and memory that is used again.
type job struct {
	opts    Options // with all defaults
	given   given
	sorter  consensus.Sorter
	sampler consensus.Sampler
	cells   consensus.CellSet

	relative    relative
	absolute    absolute
	fundamental fundamental
	problem     problem // one of these

	// The rays of all pairs, in the order of the call; of Absolute only those of B.
	raysA, raysB []geometry.Point

	n      int     // how many pairs there are
	a, b   places  // where they are; of Absolute only b
	chance float64 // how likely a pair is near to a line by chance, or 0 for Absolute

	masks []byte // the inliers of the current candidate, a bit for each pair
	spare []byte // of another one
	kept  []byte // of the best result so far

	equations [2]equations
	draws     draws
	models    []model // of the sample whose turn it is
	list      []int   // the inliers of which samples are drawn
	solved    bool    // a sample determined a model
	flat      bool    // a candidate had many inliers, but on a line

	former  [formerBests]candidate // that were the best before
	settled []model                // what weighted least squares led to
	results []candidate            // what these became

	planes planes
}

func newJob() *job { return &job{planes: newPlanes()} }

// begin begins with no pairs, for samples of the given size.
func (j *job) begin(opts *Options, size int, g given) {
	j.opts, j.given, j.solved, j.flat = opts.forSize(size), g, false, false
	j.sampler.Size, j.sampler.Confidence = size, j.opts.Confidence
	j.sampler.Least, j.sampler.Most = leastSamples, j.opts.MaxSamples
	j.sorter.Begin(len(g.b))
}

// add adds pair i, the Hash of which is that of its coordinates.
func (j *job) add(h consensus.Hash, i int) {
	if d := j.given.distances; d == nil || !math.IsNaN(d[i]) {
		j.sorter.Add(h, i)
	}
}

// sort puts the pairs that were added in order. It reports false if they are too few.
func (j *job) sort() bool {
	j.sorter.Sort(&j.given)
	order := j.sorter.Order
	j.n = len(order)
	if j.n < j.opts.MinInliers {
		return false
	}
	j.b.set(j.given.b, order)
	j.chance = 0
	if j.given.world == nil {
		j.a.set(j.given.a, order)
		j.chance = 1
		if a, b, t := j.a.side(), j.b.side(), j.opts.InlierThreshold; a > 0 && b > 0 {
			j.chance = min(1, (t/a+t/b)/2)
		}
	}
	size := consensus.MaskSize(j.n)
	j.masks, j.spare, j.kept = raster.Resize(j.masks, size), raster.Resize(j.spare, size), raster.Resize(j.kept, size)
	clear(j.masks)
	clear(j.spare)
	j.sampler.Begin(j.opts.Seed, &j.sorter, j.given.distances)
	return true
}

// mark marks the inliers of an estimate unless that failed, and lets go of its pairs.
func (j *job) mark(inliers []bool, err error) error {
	clear(inliers)
	if err == nil && inliers != nil {
		for i := range consensus.Members(j.masks, j.n) {
			inliers[j.sorter.Order[i]] = true
		}
	}
	j.given = given{}
	return err
}

// outside returns the number of inliers of j.masks that are none of j.kept.
func (j *job) outside() int {
	count := 0
	for i, mask := range j.masks[:consensus.MaskSize(j.n)] {
		count += bits.OnesCount8(mask &^ j.kept[i])
	}
	return count
}

// search returns the best candidate of samples, by the first pairs in the order.
func (j *job) search() (candidate, error) {
	n := min(j.n, scored)
	size := j.sampler.Size
	var best candidate
	j.former = [formerBests]candidate{}
	bests := 0
	j.redraw()
	for enough := j.opts.MaxSamples; j.sampler.Drawn < enough; {
		old := best
		if j.try(j.draw(nil, size, enough-j.sampler.Drawn-1), &best) {
			j.former[bests%formerBests] = old
			bests++
			if j.sampler.Drawn > localFrom {
				j.local(&best)
			}
			enough = j.sampler.Enough(j.masks, n)
		}
	}
	switch {
	case best.count > 0:
		return best, nil
	case j.flat || !j.solved:
		return best, ErrDegenerate
	}
	return best, ErrSupport
}

// local replaces best by the best candidate of samples of its inliers, of which far more are
// right than of all pairs.
func (j *job) local(best *candidate) {
	n := min(j.n, scored)
	j.listInliers(n)
	j.redraw()
	for rest := localSamples - 1; rest >= 0 && len(j.list) > j.sampler.Size; rest-- {
		if j.try(j.draw(j.list, j.sampler.Size, rest), best) {
			j.listInliers(n)
			j.redraw()
		}
	}
	j.redraw()
	j.rescore(*best, n, 1) // j.masks may be those of a sample that was worse
}

// listInliers sets the list to the inliers among the first n pairs.
func (j *job) listInliers(n int) {
	j.list = j.list[:0]
	for i := range consensus.Members(j.masks, n) {
		j.list = append(j.list, i)
	}
}

// try replaces best by the best candidate of the models of a sample, refitted, if that is better and
// its inliers have spread, and reports whether it did. If it did, j.masks has the inliers.
func (j *job) try(models []model, best *candidate) bool {
	n := min(j.n, scored)
	found := false
	j.solved = j.solved || len(models) > 0
	for i := range models {
		c, ok := j.rate(&models[i], n, 1, best, true)
		if !ok {
			continue
		}
		if !j.problem.determines(j.masks, n) {
			j.flat = j.flat || c.count >= j.needed()
			continue
		}
		if c = j.refit(c, n); c.support <= best.support || !j.problem.determines(j.masks, n) {
			continue
		}
		*best = c
		found = true
	}
	if found {
		j.rescore(*best, n, 1)
	}
	return found
}

// rate returns how well m fits the first n pairs, and reports whether that is better than best, and
// as soon as it can tell that it is not. j.masks has the inliers if it is.
func (j *job) rate(m *model, n int, squared float64, best *candidate, hasty bool) (candidate, bool) {
	c := candidate{model: *m}
	j.problem.begin(c.model, squared)
	for begin := 0; begin < n; begin += consensus.Block {
		end := min(begin+consensus.Block, n)
		count, support := j.problem.score(begin, end, j.masks)
		c.count += count
		c.support += support
		if c.support+float64(n-end) <= best.support || hasty && 4*c.count*n < best.count*end {
			return c, false
		}
	}
	return c, true
}

// rescore returns c by the first n pairs.
func (j *job) rescore(c candidate, n int, squared float64) candidate {
	j.problem.begin(c.model, squared)
	c.count, c.support = j.problem.score(0, n, j.masks)
	return c
}

// judge returns an error unless c, the inliers of which j.masks has, has enough of them in enough
// places that are not on a line.
func (j *job) judge(c candidate) error {
	want, t := j.needed(), j.opts.InlierThreshold
	if c.count < want || !j.cells.Has(want, j.masks, j.n, j.b.x, j.b.y, t) ||
		j.given.world == nil && !j.cells.Has(want, j.masks, j.n, j.a.x, j.a.y, t) {
		return ErrSupport
	}
	if !j.problem.determines(j.masks, j.n) {
		return ErrDegenerate
	}
	return nil
}

// judgeViews is judge for two views, the pairs of which w has. Points of photos are in crowds, so
// that more of them are near to lines by chance than of points anywhere.
func (j *job) judgeViews(w *twoViews, c candidate) error {
	if err := j.judge(c); err != nil {
		return err
	}
	m := j.mismatched(w, c)
	if c.count < j.opts.MinInliers+int(float64(7*math.Sqrt(m))+m) {
		return ErrSupport
	}
	return nil
}

// mismatched returns how many pairs are inliers of c, on average, if the places in B are those of
// other pairs: shifted in the order, which is random.
func (j *job) mismatched(w *twoViews, c candidate) float64 {
	u, v := w.u[:j.n], w.v[:j.n]
	shifts, by := min(mismatches, j.n-1), max(j.n/(mismatches+1), 1)
	count := 0
	for range shifts {
		shift(u, by)
		shift(v, by)
		count += j.rescore(c, j.n, 1).count
	}
	shift(u, j.n-shifts*by)
	shift(v, j.n-shifts*by)
	j.rescore(c, j.n, 1)
	return float64(count) / float64(shifts)
}

// shift moves all elements to the left, the first n to the end.
func shift(s []float64, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}

// needed returns how many inliers a model must have: more than are ever seen by chance.
func (j *job) needed() int {
	if j.chance == 0 {
		return j.opts.MinInliers + (j.n+49)/50
	}
	s := float64(float64(j.n) * j.chance)
	return j.opts.MinInliers + int(float64(14*math.Sqrt(s))+float64(5*s))
}

// beyond returns how many of n pairs that a turn or a plane does not explain must agree with an
// epipole: half of MinInliers besides those that chance explains. odds is how likely a wrong pair
// agrees, in units of chance. Any two pairs determine an epipole, and the one with which most of the
// others agree is found, so that many more do than with a given one. What chance explains is the
// largest number of others that at least one of all these epipoles is expected to have (as in
// L. Moisan and B. Stival, "A probabilistic criterion to detect Pose point matches between two
// images and estimate the fundamental matrix", IJCV 2004).
func (j *job) beyond(n int, odds float64) int {
	p, others := min(float64(odds*j.chance), 0.5), n-2
	epipoles := float64(float64(n)*float64(n-1)) / 2 // with as many: at most
	explained := max(int(float64(float64(others)*p)), 0)
	for ; explained < others; explained++ {
		// The tail of the binomial distribution falls by more than its terms do.
		epipoles *= float64(float64(others-explained)*p) / float64(float64(explained+1)*(1-p))
		if epipoles <= 1 {
			break
		}
	}
	return j.opts.MinInliers/2 + explained
}

// spread reports whether the variance of the first n points that masks choose, across the line
// that fits them best, exceeds a limit.
func spread(x, y []float64, masks []byte, n int, limit float64) bool {
	var count, mx, my float64
	for i := range consensus.Members(masks, n) {
		count++
		mx += x[i]
		my += y[i]
	}
	mx, my = mx/count, my/count
	var xx, xy, yy float64
	for i := range consensus.Members(masks, n) {
		dx, dy := x[i]-mx, y[i]-my
		xx += float64(dx * dx)
		xy += float64(dx * dy)
		yy += float64(dy * dy)
	}
	d := (xx - yy) / 2
	return (xx+yy)/2-math.Sqrt(float64(d*d)+float64(xy*xy)) > limit*count
}
