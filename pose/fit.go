package pose

import (
	"math"

	"github.com/fastcorners/fast/internal/consensus"
)

const (
	// scored is the number of pairs that the models of samples are tested with, at most.
	scored = 2048
	// refits is the number of refits of a good sample.
	refits = 3
	// leastVariance is the least variance of the noise, in squared thresholds.
	leastVariance = 1e-6
	// apart is how many times the variance of the noise a squared distance is that is no noise, but
	// for one pair of 1000.
	apart = 14
	// fewInliers is how many inliers are few, at most: too few to do without those that are nearer to a
	// plane than the threshold.
	fewInliers = 32
	// leastTolerance is the least result of fineTolerance. Noise along epipolar lines does not show in
	// the errors, so that there may be more of it than they say.
	leastTolerance = 1. / 16
)

// A fitter finds how well models fit the pairs, and better models near them.
type fitter struct {
	problem   problem
	size      int // the number of pairs of a sample
	n         int // the number of all pairs
	few       int // the number of the first ones, which samples are tested with
	masks     maskPool
	equations [2]equations
}

// begin begins with n pairs.
func (f *fitter) begin(p problem, size, n int) {
	f.problem, f.size, f.n, f.few = p, size, n, min(n, scored)
	f.masks.begin(n)
}

// score returns how well m fits the first n pairs, with a mask of its own. squared is how many squared
// thresholds the squared error of an inlier may be.
func (f *fitter) score(m model, n int, squared float64) candidate {
	c := candidate{model: m, inliers: f.masks.take(n)}
	f.problem.setModel(m, squared)
	c.count, c.support = f.problem.score(0, n, c.inliers)
	return c
}

// tally is score for all pairs without a mask.
func (f *fitter) tally(m model, squared float64) (count int, support float64) {
	c := f.score(m, f.n, squared)
	f.masks.give(c.inliers)
	return c.count, c.support
}

// improves scores m by the first n pairs as long as it can be better than best. If hasty is set, it
// gives up where the inliers are far fewer. It reports whether m is better; if not, there is no
// candidate.
func (f *fitter) improves(best *candidate, m *model, n int, squared float64, hasty bool) (candidate, bool) {
	c := candidate{model: *m, inliers: f.masks.take(n)}
	f.problem.setModel(c.model, squared)
	for begin := 0; begin < n; begin += consensus.Block {
		end := min(begin+consensus.Block, n)
		count, support := f.problem.score(begin, end, c.inliers)
		c.count += count
		c.support += support
		if c.support+float64(n-end) <= best.support || hasty && 4*c.count*n < best.count*end {
			f.masks.give(c.inliers)
			return candidate{}, false
		}
	}
	return c, true
}

// refit returns m by the first n pairs, or a model that is better, after up to refits steps of least
// squares of the inliers.
func (f *fitter) refit(m model, n int) candidate {
	q, other := &f.equations[0], &f.equations[1]
	p := f.problem
	c, spare := candidate{model: m, inliers: f.masks.take(n)}, f.masks.take(n)
	p.setModel(m, 1)
	c.count, c.support, _ = p.sum(q, n, equal, c.inliers)
	for range refits {
		improved, goOn := false, false
		for _, damping := range [2]float64{0, 0.1} {
			p.setModel(c.model, 1)
			m, _, ok := p.step(q, damping, 1)
			if !ok {
				continue
			}
			next := candidate{model: m, inliers: spare}
			p.setModel(m, 1)
			next.count, next.support, _ = p.sum(other, n, equal, next.inliers)
			if next.support > c.support {
				goOn = next.support > c.support+float64(1e-4*float64(c.count))
				spare = c.inliers
				c, improved = next, true
				q, other = other, q
				break
			}
		}
		if !improved || !goOn {
			break
		}
	}
	f.masks.give(spare)
	return c
}

// appraise returns m by all pairs, with its value. Right pairs have smaller errors than those that
// agree by chance, so the support at half of the threshold counts, too.
func (f *fitter) appraise(m model) candidate {
	_, value := f.tally(m, 0.25)
	c := f.score(m, f.n, 1)
	c.value = value + c.support
	return c
}

// variance returns the mean of the squared errors of c, in squared thresholds.
func (f *fitter) variance(c *candidate) float64 {
	v := float64(c.count) - c.support
	v /= float64(float64(max(c.count-f.size, 1)) * f.problem.dimensions())
	return max(v, leastVariance)
}

// tolerance returns how many squared thresholds of both images the squared distance of two places in
// one of them is, at most, if they are the same but for noise, as the inliers of c show it: at least 1.
func (f *fitter) tolerance(c *candidate) float64 {
	// Of noise that is not small, the threshold cuts off the largest errors. If they were all
	// alike up to there, the variance would be a third, and say nothing. With the cube the variance
	// of a normal distribution is right to 7 percent, up to a noise of 0.6 thresholds.
	v := f.variance(c)
	cut := min(float64(27*v*v*v), 0.5)
	return max(1, float64(apart*v)/(1-cut))
}

// fineTolerance is tolerance also where that is 1 because the noise is small, if there are few inliers.
// Many are not all as exact as most of them, such as keypoints of several sizes. Few inliers may show
// less noise than there is, so its variance is taken to be the largest that shows as little in one of
// ten cases (E. Wilson and M. Hilferty, "The distribution of chi-square", 1931).
func (f *fitter) fineTolerance(c *candidate) float64 {
	squared := f.tolerance(c)
	if squared > 1 || c.count > fewInliers {
		return squared
	}
	q := 2 / (9 * float64(max(c.count-f.size, 1)))
	low := max(1-q-float64(1.28*math.Sqrt(q)), 0.3)
	return max(min(float64(apart*f.variance(c))/float64(low*low*low), 1), leastTolerance)
}
