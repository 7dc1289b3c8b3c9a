package geometry

import "bytes"

const (
	// finalRefits is the number of refits with weights, at most.
	finalRefits = 30
	// converged is how much elements may change in the last of them.
	converged = 1e-11
)

// refit returns c, or a candidate that is better by the first n pairs, after up to so many
// steps of least squares of the inliers. s.masks must have the inliers of c, m being their
// moments, and then has those of the result.
func (s *scorer) refit(c candidate, m *moments, n int, l limits, steps int) candidate {
	s.center(m)
	s.run.flat, s.run.steep = 1, 0
	s.swap()
	local, e, ok := s.sum(s.local(&c.transform), n, l)
	if !ok {
		s.swap()
		return c
	}
	for range steps {
		t, _, ok := e.next(s.kind, &local.transform, 1, s.frames.scale())
		if !ok {
			break
		}
		s.swap()
		next, nextE, ok := s.sum(t, n, l)
		if !ok || !(next.support > local.support) {
			s.swap()
			break
		}
		goOn := next.support > local.support+float64(1e-4*float64(local.count))
		local, e = next, nextE
		if !goOn {
			break
		}
	}
	local.transform = s.global(&local.transform)
	return local
}

// refitAll returns c, or a candidate that is better by all pairs, after up to so many steps.
func (s *scorer) refitAll(c candidate, l limits, steps int) candidate {
	c = s.rescore(c, s.n, l)
	if c.count == 0 {
		return c
	}
	m := s.moments(s.n)
	return s.refit(c, &m, s.n, l, steps)
}

// weigh returns what c becomes by least squares with weights that fall to 0 at the limits
// wide, repeated until it does not change, if that fits about as well. The result does not
// depend on the samples that led to c. Its inliers are those within the limits narrow.
func (s *scorer) weigh(c candidate, wide, narrow limits) candidate {
	if c = s.rescore(c, s.n, wide); c.count > 0 {
		m := s.moments(s.n)
		s.center(&m)
		s.run.flat, s.run.steep = 0, 1
		first, e, ok := s.sum(s.local(&c.transform), s.n, wide)
		last := first
		for round := 0; ok && round < finalRefits; round++ {
			t, largest, determined := e.next(s.kind, &last.transform, overstep(e[0], last.support), s.frames.scale())
			if !determined {
				break
			}
			s.swap()
			var next candidate
			if next, e, ok = s.sum(t, s.n, wide); !ok {
				break
			}
			last = next
			if largest <= converged && bytes.Equal(s.masks, s.spare) {
				break
			}
		}
		if first.count > 0 && last.support >= 0.95*first.support {
			c.transform = s.global(&last.transform)
		}
	}
	return s.rescore(c, s.n, narrow)
}

// center has sumProjective subtract the centroids of inliers, so that its equations are well
// conditioned. sumAffine needs no such thing.
func (s *scorer) center(m *moments) {
	s.run.shift = [4]float64{}
	if s.kind == Homography {
		s.run.shift = [4]float64{m.a.x, m.a.y, m.b.x, m.b.y}
	}
}

// local returns a transform between the frames as one between those that are shifted by
// center, with an element 8 of 1. It is positive, since W is positive at all inliers.
func (s *scorer) local(t *Transform) Transform {
	v := &s.run.shift
	return t.shifted(v[0], v[1], v[2], v[3]).normalized()
}

// global undoes local.
func (s *scorer) global(t *Transform) Transform {
	v := &s.run.shift
	return t.shifted(-v[0], -v[1], -v[2], -v[3])
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
