package pose

import (
	"bytes"
	"math"

	"github.com/fastcorners/fast/internal/consensus"
)

const (
	// broad is how many thresholds the errors are at which the first weights are 0.
	broad = 2
	// wide is how many standard deviations of the noise they are at which the last ones are.
	wide = 5
	// sharp is how many standard deviations of the noise the threshold for samples of inliers is.
	sharp = 3
	// starts is how many models are refined at the end, at most, each the best one of
	// startSamples samples of inliers. It ends when so many in a row lead to what is known:
	// knownResults, or one if the share of inliers is at least clearShare.
	starts, startSamples, knownResults = 8, 8, 3
	clearShare                         = 0.8
	// known is how much a model differs from a known one that it leads to, at most.
	known = 1e-4
	// leastVariance is the least variance of the noise, in squared thresholds.
	leastVariance = 1e-6
	// rounds is the number of refits with weights, at most.
	rounds = 60
	// converged is how large the change of the last of them is, at most, and roughly that of models
	// that are only compared with others.
	converged, roughly = 1e-11, 1e-6
)

// refit returns c by the first n pairs, or a candidate that is better, after up to refits steps of
// least squares of the inliers. j.masks has its inliers then.
func (j *job) refit(c candidate, n int) candidate {
	q, other := &j.equations[0], &j.equations[1]
	p := j.problem
	p.begin(c.model, 1)
	c.count, c.support, _ = p.sum(q, n, 1, 0, j.masks)
	for range refits {
		improved, goOn := false, false
		for _, damping := range [2]float64{0, 0.1} {
			p.begin(c.model, 1)
			m, _, ok := p.step(q, damping, 1)
			if !ok {
				continue
			}
			next := candidate{model: m}
			p.begin(m, 1)
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

// polish returns the most valuable of what c, the best candidates before it and samples of the
// inliers become when they are refined in full. j.masks has its inliers then, and j.results all of
// these.
func (j *job) polish(c candidate) candidate {
	return j.polishFurther(j.beginPolish(c))
}

// beginPolish returns what c becomes when it is refined in full. It is the only one of j.results then,
// and j.masks has its inliers.
func (j *job) beginPolish(c candidate) candidate {
	j.settled, j.results = j.settled[:0], j.results[:0]
	j.weigh(j.refit(c, j.n), converged)
	return j.mostValuable()
}

// polishFurther is the rest of polish. c is what beginPolish returned.
func (j *job) polishFurther(c candidate) candidate {
	j.sharpen(c)
	best := j.mostValuable()
	copy(j.kept, j.masks)
	for _, c := range j.former {
		if c.count == 0 {
			continue
		}
		// Another motion explains pairs that the best one does not.
		if j.rescore(c, j.n, 1); 10*j.outside() < best.count {
			continue
		}
		if c = j.refit(c, j.n); 10*c.support >= 7*best.support {
			j.weigh(c, roughly)
		}
	}
	return j.mostValuable()
}

// weigh appends to j.results what c becomes by least squares with weights that fall to 0 at broad
// thresholds, until it changes by no more than is said, and then at wide standard deviations of the
// noise that the inliers show, if that is less. It reports false, and appends nothing, if the first
// of these leads to what is known.
func (j *job) weigh(c candidate, least float64) bool {
	c = j.settle(c, broad*broad, least)
	if j.isSettled(&c.model) {
		return false
	}
	j.settled = append(j.settled, c.model)
	j.results = append(j.results, j.narrow(c, least))
	return true
}

// narrow returns what c, to which the weights of broad thresholds led, becomes by those of the noise.
func (j *job) narrow(c candidate, least float64) candidate {
	c = j.rescore(c, j.n, 1)
	if squared := float64(wide * wide * j.variance(c)); squared < broad*broad {
		c = j.settle(c, squared, least)
	}
	c = j.appraise(c)
	c.finished = least == converged
	return c
}

// finish makes result i what it becomes when nothing changes any more.
func (j *job) finish(i int) {
	if c := &j.results[i]; !c.finished {
		*c = j.narrow(j.settle(candidate{model: j.settled[i]}, broad*broad, converged), converged)
	}
}

// appraise returns c by all pairs, with its value. Right pairs have smaller errors than those that
// agree by chance, so the support at half of the threshold counts, too.
func (j *job) appraise(c candidate) candidate {
	value := j.rescore(c, j.n, 0.25).support
	c = j.rescore(c, j.n, 1)
	c.value = value + c.support
	return c
}

// mostValuable returns the most valuable result, finished. j.masks has its inliers then.
func (j *job) mostValuable() candidate {
	for {
		best := 0
		for i, c := range j.results {
			if c.value > j.results[best].value {
				best = i
			}
		}
		if c := j.results[best]; c.finished {
			j.rescore(c, j.n, 1)
			return c
		}
		j.finish(best)
	}
}

// variance returns the mean of the squared errors of c, in squared thresholds.
func (j *job) variance(c candidate) float64 {
	v := float64(c.count) - c.support
	v /= float64(float64(max(c.count-j.sampler.Size, 1)) * j.problem.dimensions())
	return max(v, leastVariance)
}

// sharpen refines the best samples of the inliers of c. What they lead to depends little on the
// samples of the search.
func (j *job) sharpen(c candidate) {
	c = j.rescore(c, j.n, 1)
	squared := min(float64(sharp*sharp*j.variance(c)), 1)
	j.listInliers(j.n)
	enough := knownResults
	if float64(c.count) >= float64(clearShare*float64(j.n)) {
		enough = 1
	}
	inRow := 0
	for range starts {
		start, ok := j.start(squared)
		if !ok {
			break
		}
		if j.weigh(start, roughly) {
			inRow = 0
		} else if inRow++; inRow == enough {
			break
		}
	}
}

// start returns the best model of some samples of the list, by the first pairs in the order.
func (j *job) start(squared float64) (best candidate, ok bool) {
	n := min(j.n, scored)
	if len(j.list) <= j.sampler.Size {
		return best, false
	}
	j.redraw()
	for rest := startSamples - 1; rest >= 0; rest-- {
		models := j.draw(j.list, j.sampler.Size, rest)
		for i := range models {
			c, ok := j.rate(&models[i], n, squared, &best, false)
			if ok && j.problem.determines(j.masks, n) {
				best = c
			}
		}
	}
	return best, best.count > 0
}

// isSettled reports whether m is known.
func (j *job) isSettled(m *model) bool {
	for i := range j.settled {
		if !m.differs(&j.settled[i], known) {
			return true
		}
	}
	return false
}

// differs reports whether m and o differ by more than is said, but for the sign of matrices.
func (m *model) differs(o *model, by float64) bool {
	sign := math.Copysign(1, m.m.product(&o.m))
	for i, v := range m.m {
		if math.Abs(v-float64(sign*o.m[i])) > by {
			return true
		}
	}
	return m.pose.differs(&o.pose, by)
}

// settle returns what c becomes by least squares with weights that fall to 0 at the given error,
// repeated until it changes by no more than is said, if that fits about as well.
func (j *job) settle(c candidate, squared, least float64) candidate {
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
		if change <= least && same || change <= 10*known && least == roughly && squared == broad*broad && j.isSettled(&m) {
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
