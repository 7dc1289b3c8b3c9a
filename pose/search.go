package pose

import "github.com/fastcorners/fast/internal/consensus"

// These numbers are the best that were found by measurements.
const (
	// leastSamples is the number of samples that are always drawn, since one of right pairs only
	// may lead to a wrong minimum.
	leastSamples = 12
	// localFrom is the number of samples from which on localSamples of its inliers follow a new
	// best one.
	localFrom, localSamples = 50, 20
	// formerBests is the number of candidates before the best that may be another motion.
	formerBests = 4
)

// A search finds the best candidate of samples.
type search struct {
	*fitter
	sampler consensus.Sampler
	draws   draws
	list    []int // the inliers of which samples are drawn
	needed  int   // how many inliers a result must have

	former [formerBests]candidate // that were the best before, without their masks
	solved bool                   // a sample determined a model
	onLine bool                   // a candidate had many inliers, but on a line
}

// begin begins with the pairs of a call. groups is nil unless samples can be solved in groups.
func (s *search) begin(opts *Options, p *pairs, groups groupSolver, needed int) {
	s.sampler.Size, s.sampler.Confidence = s.size, opts.Confidence
	s.sampler.Least, s.sampler.Most = leastSamples, opts.MaxSamples
	s.sampler.Begin(opts.Seed, &p.sorter, p.distances)
	s.draws.begin(&s.sampler, s.problem, groups)
	s.needed = needed
	s.former, s.solved, s.onLine = [formerBests]candidate{}, false, false
}

// best returns the best candidate of samples of all pairs, by the first ones.
func (s *search) best() (candidate, error) {
	var best candidate
	bests := 0
	s.draws.forget()
	for enough := s.sampler.Most; s.sampler.Drawn < enough; {
		old := best
		old.inliers = nil
		if s.try(s.draws.next(nil, s.size, enough-s.sampler.Drawn-1), &best) {
			s.former[bests%formerBests] = old
			bests++
			if s.sampler.Drawn > localFrom {
				s.local(&best)
			}
			enough = s.sampler.Enough(best.inliers, s.few)
		}
	}
	switch {
	case best.count > 0:
		return best, nil
	case s.onLine || !s.solved:
		return best, ErrDegenerate
	}
	return best, ErrSupport
}

// local replaces best by the best candidate of samples of its inliers, of which far more are
// right than of all pairs.
func (s *search) local(best *candidate) {
	s.listMembers(best.inliers)
	s.draws.forget()
	for rest := localSamples - 1; rest >= 0 && len(s.list) > s.size; rest-- {
		if s.try(s.draws.next(s.list, s.size, rest), best) {
			s.listMembers(best.inliers)
			s.draws.forget()
		}
	}
	s.draws.forget()
}

// listMembers sets the list to the pairs of a mask.
func (s *search) listMembers(mask []byte) {
	s.list = s.list[:0]
	for i := range members(mask) {
		s.list = append(s.list, i)
	}
}

// try replaces best by the best candidate of the models of a sample, refitted, if that is better and
// its inliers are spread out, and reports whether it did.
func (s *search) try(models []model, best *candidate) bool {
	found := false
	s.solved = s.solved || len(models) > 0
	for i := range models {
		c, ok := s.improves(best, &models[i], s.few, 1, true)
		if !ok {
			continue
		}
		spreadOut := s.problem.spreadOut(c.inliers)
		s.masks.give(c.inliers)
		if !spreadOut {
			s.onLine = s.onLine || c.count >= s.needed
			continue
		}
		if c = s.refit(c.model, s.few); c.support <= best.support || !s.problem.spreadOut(c.inliers) {
			s.masks.give(c.inliers)
			continue
		}
		s.masks.give(best.inliers)
		*best = c
		found = true
	}
	return found
}
