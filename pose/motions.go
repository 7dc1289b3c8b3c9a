package pose

// leastTurn is by how many radians two results differ at least, so that they are not the same.
const leastTurn = 0.02

// classify returns the motion of best and its inliers: whether there is only a turn, and whether most
// points are on a plane. Half of them on one are enough for its second motion to be tried, since the
// estimate may be that one.
func (j *judge) classify(r *relative, best candidate) (Motion, []byte) {
	motion, inliers := j.motion(r, &best)
	if motion.Turn {
		return motion, inliers
	}
	var plane *matrix
	if h, onPlane, ok := j.planeOfMotion(r, &best); ok {
		if other, ok := secondOfPlane(&h, &best.pose); ok {
			c := j.facing(other)
			j.weigh(&c.model, converged)
			j.masks.give(c.inliers)
			if better := j.mostValuable(); better.pose != best.pose {
				best = better
				if motion, inliers = j.motion(r, &best); motion.Turn {
					return motion, inliers
				}
				onPlane = j.countOnPlane(&r.twoViews, &h, &best)
			}
		}
		if motion.Planar = 10*onPlane >= 9*best.count; motion.Planar {
			plane = &h
		}
	}
	if other, ok := j.second(&best); ok {
		motion.Ambiguous, motion.Other = true, other
		return motion, inliers
	}
	first, other, ok := j.alike(r, &best, plane)
	if !ok {
		return motion, inliers
	}
	if first.pose != best.pose {
		if motion, inliers = j.motion(r, &first); motion.Turn {
			return motion, inliers
		}
		motion.Planar = true
	}
	motion.Ambiguous, motion.Other = true, other.pose
	return motion, inliers
}

// motion returns the motion of c and its inliers, or a turn and what that explains of them.
func (j *judge) motion(r *relative, c *candidate) (Motion, []byte) {
	rot, near := r.refineTurn(c.pose.R, c.inliers)
	motion := Motion{Pose: c.pose, Inliers: c.count, Parallax: c.count - near, Samples: j.search.sampler.Drawn}
	j.search.listMembers(c.inliers)
	if start, ok := r.turnOfTwo(&rot, j.search.list); ok {
		rot, near = r.refineTurn(start, c.inliers)
	}
	// Of the pairs that the turn does not explain, more must agree with one translation than do
	// by chance.
	squared := j.tolerance(c)
	_, explained := r.turnEquations(&rot, c.inliers, squared)
	if c.count-explained >= j.neededForEpipole(j.n-explained, inFrontByChance) {
		return motion, c.inliers
	}
	motion.Turn, motion.Pose = true, Pose{R: rot}
	motion.Inliers, motion.Parallax = explained, c.count-near
	inliers := j.masks.take(j.n)
	copy(inliers, c.inliers)
	r.keepTurned(&rot, inliers, squared)
	return motion, inliers
}

// facing returns the candidate of a motion or, if that has more inliers, of the same rotation with the
// opposite translation.
func (j *judge) facing(p Pose) candidate {
	c := j.score(modelOf(p), j.n, 1)
	p.T = p.T.Scale(-1)
	opposite := j.score(modelOf(p), j.n, 1)
	if opposite.count > c.count {
		c, opposite = opposite, c
	}
	j.masks.give(opposite.inliers)
	return c
}

// second returns the most valuable result that is another motion than best and has nine tenths of
// its value, finished. Motions are others if what is half-way between them has less than that: if
// not, they differ by noise.
func (j *judge) second(best *candidate) (Pose, bool) {
	at, value := -1, 0.0
	for i := range j.results {
		c := &j.results[i]
		if 10*c.value < 9*best.value || c.value <= value {
			continue
		}
		between := j.appraise(modelOf(halfway(&best.pose, &c.pose)))
		j.masks.give(between.inliers)
		if 10*between.value < 9*c.value {
			at, value = i, c.value
		}
	}
	if at < 0 {
		return Pose{}, false
	}
	j.finish(at)
	return j.results[at].pose, true
}

// halfway returns the motion half-way between two.
func halfway(p, q *Pose) Pose {
	var sum matrix
	for k := range sum {
		sum[k] = p.R[k] + q.R[k]
	}
	return Pose{orthonormal(&sum), p.T.Add(q.T).unit()}
}
