package pose

// leastWidth is the least standard deviation of the points of a target across a line, as a share of that
// along it.
const leastWidth = 0.01

// fit returns the Fit of best and its inliers. If these are on a plane or nearly so, the pose that looks
// similar is tried as well.
func (j *judge) fit(a *absolute, best candidate) (Fit, []byte, error) {
	var found Fit
	var other candidate
	two := false
	center, axes, sizes := a.extent(best.inliers)
	if sizes[1] > leastWidth*sizes[0] && sizes[2] <= nearlyFlat*sizes[1] {
		g := best.pose
		g.T = g.T.Add(g.R.apply(center)) // where the center is, as mirrored wants it
		g = mirrored(&g, &axes)
		g.T = g.T.Sub(g.R.apply(center))
		j.weigh(&model{pose: g}, converged)
		best = j.mostValuable()
		if other, two = j.otherRotation(&best); two {
			found.Ambiguous = j.rank(&best, &other)
		}
		_, _, sizes = a.extent(best.inliers)
		found.Planar = sizes[2] <= planar*sizes[1]
	}
	if err := j.accept(&best); err != nil {
		return Fit{}, nil, err
	}
	if !(sizes[1] > leastWidth*sizes[0]) {
		return Fit{}, nil, ErrDegenerate
	}
	found.Pose, found.Error = a.inWorld(best.pose), float64(j.threshold*a.errorOf(&best.pose, best.inliers))
	if two {
		found.Other, found.OtherError = a.inWorld(other.pose), float64(j.threshold*a.errorOf(&other.pose, best.inliers))
	}
	found.Inliers, found.Samples = best.count, j.search.sampler.Drawn
	return found, best.inliers, nil
}

// otherRotation returns the most valuable result with another rotation than best, finished. It reports
// false if there is none.
func (j *judge) otherRotation(best *candidate) (candidate, bool) {
	at := -1
	for i := range j.results {
		c := &j.results[i]
		if !c.pose.R.near(&best.pose.R, leastTurn) && (at < 0 || c.value > j.results[at].value) {
			at = i
		}
	}
	if at < 0 {
		return candidate{}, false
	}
	j.finish(at)
	return j.results[at], true
}

// rank swaps two candidates if the second one fits better, by the errors up to wide standard deviations
// of the noise, and reports whether noise may have exchanged them.
func (j *judge) rank(first, second *candidate) bool {
	v := j.variance(first)
	squared := min(float64(wide*wide*v), 1)
	_, a := j.tally(first.model, squared)
	_, b := j.tally(second.model, squared)
	d := float64((a-b)*squared) / v // the difference of the sums of squares, in variances of the noise
	if d < 0 {
		*first, *second = *second, *first
		d = -d
	}
	return d < float64(float64(max(2*first.count-7, 1))*(leastRatio(first.count)-1))
}
