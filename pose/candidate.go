package pose

import "math"

// A problem is what models are searched for: one of the three methods.
type problem interface {
	// solve appends the models of a sample.
	solve(dst []model, sample []int) []model
	// setModel makes m the model of score, sum and step. squared is how many squared thresholds
	// the squared error of an inlier may be.
	setModel(m model, squared float64)
	// score sets the masks of pairs from begin, a multiple of consensus.Block, to end, and
	// returns the number of inliers and the sum of their gains. The gain is 1 minus the squared
	// error in units of the largest one.
	score(begin, end int, masks []byte) (count int, support float64)
	// sum is score for the first n pairs, and sets the equations for a better model. squares is
	// the sum of the squared gains.
	sum(q *equations, n int, w weights, masks []byte) (count int, support, squares float64)
	// step returns the model that the solution of equations leads to, multiplied by factor, and
	// how large a change is at most.
	step(q *equations, damping, factor float64) (m model, change float64, ok bool)
	// dimensions is the number of squared normal deviates in a squared error.
	dimensions() float64
	// spreadOut reports whether inliers are spread out, and not on a line.
	spreadOut(inliers []byte) bool
}

// A groupSolver is a problem that may solve several samples at once in less time than one after the
// other.
type groupSolver interface {
	// solvesGroups reports whether it does, for the samples that are drawn now.
	solvesGroups() bool
	// solveGroup solves up to groupSize samples.
	solveGroup(samples [][7]int)
	// solved appends the models of sample n of these.
	solved(dst []model, n int) []model
}

// A candidate is a model and how well it fits. Unless that is unknown, it has a mask of its own, which
// is given back when the candidate is given up.
type candidate struct {
	model
	count   int     // of the inliers
	support float64 // the sum of their gains
	value   float64 // what results are compared by
	inliers []byte  // masks of the pairs that were tested, with no bits beyond these

	finished bool // another refit would change nothing
}

// differs reports whether m and o differ by more than the given amount, but for the sign of matrices.
func (m *model) differs(o *model, by float64) bool {
	sign := math.Copysign(1, m.matrix.product(&o.matrix))
	for i, v := range m.matrix {
		if math.Abs(v-float64(sign*o.matrix[i])) > by {
			return true
		}
	}
	return m.pose.differs(&o.pose, by)
}

// differs reports whether p and q differ by more than the given amount.
func (p *Pose) differs(q *Pose, by float64) bool {
	for i, v := range p.R {
		if math.Abs(v-q.R[i]) > by {
			return true
		}
	}
	d := p.T.Sub(q.T)
	return d.Dot(d) > float64(by*by)
}
