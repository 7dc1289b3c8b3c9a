package pose

import (
	"bytes"

	"github.com/fastcorners/fast/internal/consensus"
)

const (
	// broad is how many thresholds the errors are at which the first weights are 0.
	broad = 2
	// wide is how many standard deviations of the noise they are at which the last ones are.
	wide = 5
	// sharp is how many standard deviations of the noise the threshold of sharpen is, and
	// sharpSamples the number of its samples.
	sharp, sharpSamples = 3, 50
	// leastVariance is the least variance of the noise, in squared thresholds.
	leastVariance = 1e-6
	// rounds is the number of refits with weights, at most.
	rounds = 30
	// converged is how large the change of the last of them is, at most.
	converged = 1e-11
)

// refit returns c by the first n pairs, or a candidate that is better, after up to refits steps of
// least squares of the inliers. j.masks has its inliers then.
func (j *job) refit(c candidate, n int, squared float64) candidate {
	q, other := &j.equations[0], &j.equations[1]
	p := j.problem
	p.begin(c.model, squared)
	c.count, c.support, _ = p.sum(q, n, 1, 0, j.masks)
	for range refits {
		improved, goOn := false, false
		for _, damping := range [2]float64{0, 0.1} {
			p.begin(c.model, squared)
			m, _, ok := p.step(q, damping, 1)
			if !ok {
				continue
			}
			next := candidate{model: m}
			p.begin(m, squared)
			next.count, next.support, _ = p.sum(other, n, 1, 0, j.spare)
			if next.support > c.support {
				goOn = next.support > c.support+float64(1e-4*float64(c.count))
				c, improved = next, true
				q, other = other, q
				j.masks, j.spare = j.spare, j.masks
				break
			}
		}
		if !improved || !goOn {
			break
		}
	}
	return c
}

// polish returns what all pairs make of c: least squares of the inliers, and then with weights.
func (j *job) polish(c candidate) candidate {
	return j.weigh(j.refit(c, j.n, 1))
}

// weigh returns what c becomes by least squares with weights that fall to 0 at broad thresholds,
// until it does not change any more, and then at wide standard deviations of the noise that the
// inliers show, if that is less. j.masks has the inliers at the threshold then.
func (j *job) weigh(c candidate) candidate {
	c = j.rescore(j.settle(c, broad*broad), j.n, 1)
	// The mean of the squared errors, in squared thresholds.
	variance := float64(c.count) - c.support
	variance /= float64(float64(max(c.count-j.sampler.Size, 1)) * j.problem.dimensions())
	variance = max(variance, leastVariance)
	if better, ok := j.sharpen(c, min(float64(sharp*sharp*variance), 1)); ok {
		c = j.settle(better, broad*broad)
	}
	if squared := float64(wide * wide * variance); squared < broad*broad {
		c = j.settle(c, squared)
	}
	return j.rescore(c, j.n, 1)
}

// sharpen returns what samples of the inliers of c, which j.masks has, lead to that fits better
// with a smaller threshold. It reports false if nothing does.
func (j *job) sharpen(c candidate, squared float64) (candidate, bool) {
	j.listInliers(j.n)
	best := j.rescore(c, min(j.n, scored), squared)
	found := false
	for range sharpSamples {
		if len(j.list) <= j.sampler.Size {
			break
		}
		sample := j.sample[:j.sampler.Size]
		j.sampler.DrawFrom(sample, j.list)
		found = j.try(sample, &best, squared, false) || found
	}
	return best, found
}

// settle returns what c becomes by least squares with weights that fall to 0 at the given error,
// repeated until it does not change, if that fits about as well.
func (j *job) settle(c candidate, squared float64) candidate {
	q, p := &j.equations[0], j.problem
	p.begin(c.model, squared)
	var squares float64
	c.count, c.support, squares = p.sum(q, j.n, 0, 1, j.masks)
	last := c
	for range rounds {
		m, change, ok := p.step(q, 0, overstep(squares, last.support))
		if !ok {
			break
		}
		last.model = m
		p.begin(m, squared)
		last.count, last.support, squares = p.sum(q, j.n, 0, 1, j.spare)
		same := bytes.Equal(j.masks[:consensus.MaskSize(j.n)], j.spare[:consensus.MaskSize(j.n)])
		j.masks, j.spare = j.spare, j.masks
		if change <= converged && same {
			break
		}
	}
	if last.support >= 0.95*c.support {
		return last
	}
	return c
}

// overstep returns by how much a change of the model is to be multiplied. The change is that for
// constant weights, but weights change with the model: the weight 3g*g - 2g in place of g*g takes
// account of that, g being the gain. The arguments are the sums of g*g and of g.
func overstep(squares, gains float64) float64 {
	if d := float64(3*squares) - float64(2*gains); d > squares/2 {
		return squares / d
	}
	return 2
}
