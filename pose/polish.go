package pose

import (
	"bytes"
	"math/bits"
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
	// rounds is the number of refits with weights, at most.
	rounds = 60
	// converged is how large the change of the last of them is, at most, and roughly that of models
	// that are only compared with others.
	converged, roughly = 1e-11, 1e-6
)

// A polisher refines candidates in full, and keeps what they become.
type polisher struct {
	*fitter
	search  *search
	settled []model     // what weighted least squares led to
	results []candidate // what these became
}

// polish returns the most valuable of what c, the best candidates before it and samples of the
// inliers become when they are refined in full. All of these are p.results then.
func (p *polisher) polish(c candidate) candidate {
	return p.finishPolish(p.beginPolish(c))
}

// beginPolish returns what c becomes when it is refined in full. It is the only one of p.results then.
func (p *polisher) beginPolish(c candidate) candidate {
	p.settled, p.results = p.settled[:0], p.results[:0]
	p.refine(c)
	return p.mostValuable()
}

// finishPolish is the rest of polish. c is what beginPolish returned.
func (p *polisher) finishPolish(c candidate) candidate {
	p.sharpen(&c)
	best := p.mostValuable()
	for i := range p.search.former {
		former := &p.search.former[i]
		if former.count == 0 {
			continue
		}
		// Another motion explains pairs that the best one does not.
		all := p.score(former.model, p.n, 1)
		others := countMissing(all.inliers, best.inliers)
		p.masks.give(all.inliers)
		if 10*others < best.count {
			continue
		}
		c := p.refit(former.model, p.n)
		if 10*c.support >= 7*best.support {
			p.weigh(&c.model, roughly)
		}
		p.masks.give(c.inliers)
	}
	return p.mostValuable()
}

// countMissing returns how many pairs of a mask are not in another one.
func countMissing(mask, other []byte) int {
	count := 0
	for i, m := range mask {
		count += bits.OnesCount8(m &^ other[i])
	}
	return count
}

// refine appends to p.results what c becomes when it is refined in full, and takes its mask.
func (p *polisher) refine(c candidate) {
	p.masks.give(c.inliers)
	c = p.refit(c.model, p.n)
	p.weigh(&c.model, converged)
	p.masks.give(c.inliers)
}

// weigh appends to p.results what m becomes by least squares with weights that fall to 0 at broad
// thresholds, until it changes by at most least, and then at wide standard deviations of the noise
// that the inliers show, if that is less. It reports false, and appends nothing, if the first of
// these leads to what is known.
func (p *polisher) weigh(m *model, least float64) bool {
	settled := p.settle(m, broad*broad, least)
	if p.isSettled(&settled) {
		return false
	}
	p.settled = append(p.settled, settled)
	p.results = append(p.results, p.narrow(&settled, least))
	return true
}

// narrow returns what m, to which the weights of broad thresholds led, becomes by those of the noise.
func (p *polisher) narrow(m *model, least float64) candidate {
	last := *m
	c := p.score(last, p.n, 1)
	p.masks.give(c.inliers)
	if squared := float64(wide * wide * p.variance(&c)); squared < broad*broad {
		last = p.settle(m, squared, least)
	}
	c = p.appraise(last)
	c.finished = least == converged
	return c
}

// finish makes result i what it becomes when nothing changes any more.
func (p *polisher) finish(i int) {
	if c := &p.results[i]; !c.finished {
		p.masks.give(c.inliers)
		settled := p.settle(&p.settled[i], broad*broad, converged)
		*c = p.narrow(&settled, converged)
	}
}

// mostValuable returns the most valuable result, finished. It remains the owner of its mask.
func (p *polisher) mostValuable() candidate {
	for {
		best := 0
		for i, c := range p.results {
			if c.value > p.results[best].value {
				best = i
			}
		}
		if c := p.results[best]; c.finished {
			return c
		}
		p.finish(best)
	}
}

// sharpen refines the best samples of the inliers of c. What they lead to depends little on the
// samples of the search.
func (p *polisher) sharpen(c *candidate) {
	squared := min(float64(sharp*sharp*p.variance(c)), 1)
	p.search.listMembers(c.inliers)
	enough := knownResults
	if float64(c.count) >= float64(clearShare*float64(p.n)) {
		enough = 1
	}
	inRow := 0
	for range starts {
		start, ok := p.start(squared)
		if !ok {
			break
		}
		if p.weigh(&start, roughly) {
			inRow = 0
		} else if inRow++; inRow == enough {
			break
		}
	}
}

// start returns the best model of some samples of the list, by the first pairs in the order.
func (p *polisher) start(squared float64) (model, bool) {
	draws, list := &p.search.draws, p.search.list
	var best candidate
	if len(list) <= p.size {
		return model{}, false
	}
	draws.forget()
	for rest := startSamples - 1; rest >= 0; rest-- {
		models := draws.next(list, p.size, rest)
		for i := range models {
			c, ok := p.improves(&best, &models[i], p.few, squared, false)
			if !ok {
				continue
			}
			if p.problem.spreadOut(c.inliers) {
				best, c = c, best
			}
			p.masks.give(c.inliers)
		}
	}
	p.masks.give(best.inliers)
	return best.model, best.count > 0
}

// isSettled reports whether m is known.
func (p *polisher) isSettled(m *model) bool {
	for i := range p.settled {
		if !m.differs(&p.settled[i], known) {
			return true
		}
	}
	return false
}

// settle returns what m becomes by least squares with weights that fall to 0 at the given error,
// repeated until it changes by at most least, if that fits about as well.
func (p *polisher) settle(m *model, squared, least float64) model {
	q, problem := &p.equations[0], p.problem
	mask, spare := p.masks.take(p.n), p.masks.take(p.n)
	problem.setModel(*m, squared)
	_, first, squares := problem.sum(q, p.n, byGain, mask)
	last, support := *m, first
	for range rounds {
		next, change, ok := problem.step(q, 0, overstep(squares, support))
		if !ok {
			break
		}
		last = next
		problem.setModel(last, squared)
		_, support, squares = problem.sum(q, p.n, byGain, spare)
		same := bytes.Equal(mask, spare)
		mask, spare = spare, mask
		if change <= least && same || change <= 10*known && least == roughly && squared == broad*broad && p.isSettled(&last) {
			break
		}
	}
	p.masks.give(mask)
	p.masks.give(spare)
	if support >= 0.95*first {
		return last
	}
	return *m
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
