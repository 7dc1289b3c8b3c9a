package pose

import (
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/consensus"
)

const (
	// mismatches is how often pairs are mixed up to see how many agree by chance, at most.
	mismatches = 8
	// nearByChance and inFrontByChance are how likely a wrong pair is near enough to its epipolar
	// lines, and in front of both cameras, too, in units of the threshold over the side of an image.
	nearByChance, inFrontByChance = 3.5, 1.5
)

// A judge says whether a result can be accepted, and what other results the pairs allow for.
type judge struct {
	*polisher
	pairs  *pairs
	planes planes
	cells  consensus.CellSet

	comparison comparison
	threshold  float64 // in pixels
	minInliers int
	chance     float64 // how likely a pair is near to a line by chance, or 0 for Absolute
	off        []int   // the pairs that are not on the plane that most inliers are on
}

// begin begins with the pairs of a call.
func (j *judge) begin(opts *Options, p *pairs) {
	j.pairs, j.threshold, j.minInliers, j.chance = p, opts.InlierThreshold, opts.MinInliers, 0
	if p.world == nil {
		j.chance = 1
		if a, b := p.a.side(), p.b.side(); a > 0 && b > 0 {
			j.chance = min(1, (j.threshold/a+j.threshold/b)/2)
		}
	}
}

// needed returns how many inliers a model must have: more than are ever seen by chance.
func (j *judge) needed() int {
	n := j.pairs.n
	if j.chance == 0 {
		return min(n, j.minInliers+(n+49)/50) // if all pairs agree, as few as MinInliers suffice
	}
	s := float64(float64(n) * j.chance)
	return j.minInliers + int(float64(14*math.Sqrt(s))+float64(5*s))
}

// accept returns an error unless c has enough inliers in enough places that are not on a line.
func (j *judge) accept(c *candidate) error {
	want, p := j.needed(), j.pairs
	if c.count < want || !j.cells.Has(want, c.inliers, p.n, p.b.x, p.b.y, j.threshold) ||
		p.world == nil && !j.cells.Has(want, c.inliers, p.n, p.a.x, p.a.y, j.threshold) {
		return ErrSupport
	}
	if !j.problem.spreadOut(c.inliers) {
		return ErrDegenerate
	}
	return nil
}

// acceptViews is accept for two views, the pairs of which w has. Points of photos are in crowds, so
// that more of them are near to lines by chance than of points anywhere.
func (j *judge) acceptViews(w *twoViews, c *candidate) error {
	if err := j.accept(c); err != nil {
		return err
	}
	m := j.mismatched(w, c)
	if c.count < j.minInliers+int(float64(7*math.Sqrt(m))+m) {
		return ErrSupport
	}
	return nil
}

// mismatched returns how many pairs are inliers of c, on average, if the places in B are those of
// other pairs: shifted in the order, which is random.
func (j *judge) mismatched(w *twoViews, c *candidate) float64 {
	u, v := w.run.u[:j.n], w.run.v[:j.n]
	shifts, by := min(mismatches, j.n-1), max(j.n/(mismatches+1), 1)
	sum := 0
	for range shifts {
		shift(u, by)
		shift(v, by)
		count, _ := j.tally(c.model, 1)
		sum += count
	}
	shift(u, j.n-shifts*by)
	shift(v, j.n-shifts*by)
	return float64(sum) / float64(shifts)
}

// shift moves all elements to the left, the first n to the end.
func shift(s []float64, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}

// neededForEpipole returns how many of n pairs that a turn or a plane does not explain must agree with
// an epipole: half of MinInliers besides those that chance explains. odds is how likely a wrong pair
// agrees, in units of chance. Any two pairs determine an epipole, and the one with which most of the
// others agree is found, so that many more do than with a given one. What chance explains is the
// largest number of others that at least one of all these epipoles is expected to have (as in
// L. Moisan and B. Stival, "A probabilistic criterion to detect rigid point matches between two
// images and estimate the fundamental matrix", IJCV 2004).
func (j *judge) neededForEpipole(n int, odds float64) int {
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
	return j.minInliers/2 + explained
}
