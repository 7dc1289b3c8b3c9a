package pose

import (
	"sync"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/internal/consensus"
)

// A job is the memory of a call of an Estimator.
type job struct {
	opts     Options // with all defaults
	pairs    pairs
	fitter   fitter
	search   search
	polisher polisher
	judge    judge

	// One of these is the problem.
	relative    relative
	absolute    absolute
	fundamental fundamental
}

// jobs are made once and used again.
var jobs = sync.Pool{New: func() any { return newJob() }}

func newJob() *job {
	j := new(job)
	j.search.fitter, j.polisher.fitter = &j.fitter, &j.fitter
	j.polisher.search = &j.search
	j.judge.polisher, j.judge.planes = &j.polisher, newPlanes()
	return j
}

// begin begins with no pairs, for samples of the given size.
func (j *job) begin(opts *Options, size int, g given) {
	j.opts = opts.forSize(size)
	j.pairs.begin(g)
}

// sort puts the pairs that were added in order. It reports false if they are too few.
func (j *job) sort() bool {
	j.pairs.sort()
	return j.pairs.n >= j.opts.MinInliers
}

// find returns the best candidate of samples. groups is the problem if it can solve samples in groups.
func (j *job) find(p problem, size int, groups groupSolver) (candidate, error) {
	j.fitter.begin(p, size, j.pairs.n)
	j.judge.begin(&j.opts, &j.pairs)
	j.search.begin(&j.opts, &j.pairs, groups, j.judge.needed())
	return j.search.best()
}

// findRelative is Relative without the checks. It returns the inliers, too.
func (j *job) findRelative(opts *Options, cameraA, cameraB *camera.Camera, g given) (Motion, []byte, error) {
	j.begin(opts, relativeSize, g)
	p := &j.pairs
	p.raysA, p.raysB = cameraA.AppendRays(p.raysA[:0], g.a), cameraB.AppendRays(p.raysB[:0], g.b)
	for i, a := range g.a {
		b := g.b[i]
		if consensus.Usable(a.X, a.Y) && consensus.Usable(b.X, b.Y) && sees(p.raysA[i]) && sees(p.raysB[i]) {
			p.add(consensus.NewHash(a.X).With(a.Y).With(b.X).With(b.Y), i)
		}
	}
	if !j.sort() {
		return Motion{}, nil, ErrPairs
	}
	r := &j.relative
	r.set(p, cameraA, cameraB, j.opts.InlierThreshold)
	best, err := j.find(r, relativeSize, nil)
	if err != nil {
		return Motion{}, nil, err
	}
	best = j.polisher.polish(best)
	if err := j.judge.acceptViews(&r.twoViews, &best); err != nil {
		return Motion{}, nil, err
	}
	motion, inliers := j.judge.classify(r, best)
	return motion, inliers, nil
}

// findAbsolute is Absolute without the checks. It returns the inliers, too.
func (j *job) findAbsolute(opts *Options, c *camera.Camera, g given) (Fit, []byte, error) {
	j.begin(opts, absoluteSize, g)
	p := &j.pairs
	p.raysB = c.AppendRays(p.raysB[:0], g.b)
	for i, b := range g.b {
		w := &g.world[i]
		if consensus.Usable(b.X, b.Y) && w.bounded() && sees(p.raysB[i]) {
			p.add(consensus.NewHash(w[0]).With(w[1]).With(w[2]).With(b.X).With(b.Y), i)
		}
	}
	if !j.sort() {
		return Fit{}, nil, ErrPairs
	}
	a := &j.absolute
	if !a.set(p, c, j.opts.InlierThreshold) {
		return Fit{}, nil, ErrDegenerate
	}
	best, err := j.find(a, absoluteSize, nil)
	if err != nil {
		return Fit{}, nil, err
	}
	return j.judge.fit(a, j.polisher.polish(best))
}

// findFundamental is Fundamental without the checks. It returns the inliers, too.
func (j *job) findFundamental(opts *Options, g given) (Epipolar, []byte, error) {
	j.begin(opts, fundamentalSize, g)
	p := &j.pairs
	for i, a := range g.a {
		if b := g.b[i]; consensus.Usable(a.X, a.Y) && consensus.Usable(b.X, b.Y) {
			p.add(consensus.NewHash(a.X).With(a.Y).With(b.X).With(b.Y), i)
		}
	}
	if !j.sort() {
		return Epipolar{}, nil, ErrPairs
	}
	f := &j.fundamental
	f.set(p, j.opts.InlierThreshold)
	best, err := j.find(f, fundamentalSize, f)
	if err != nil {
		return Epipolar{}, nil, err
	}
	best, off, others := j.judge.parallax(f, best)
	if err := j.judge.acceptViews(&f.twoViews, &best); err != nil {
		return Epipolar{}, nil, err
	}
	if off < j.judge.neededForEpipole(others, nearByChance) {
		return Epipolar{}, nil, ErrDegenerate
	}
	return Epipolar{f.inPixels(&best.matrix), best.count, off, j.search.sampler.Drawn}, best.inliers, nil
}
