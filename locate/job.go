package locate

import (
	"slices"

	"github.com/fastcorners/fast/internal/worker"
)

// A search is one of the ways to make the scores of places. All of them have the same results.
type search interface {
	// prepare makes what is the same for all parts of the places, and divides the places among a crew. It
	// reports false if another search had better be made.
	prepare(c *crew) bool
	// A part is of places that may score enough, for what the goal is.
	work
}

// A way says which search a job makes.
type way uint8

const (
	anyWay       way = iota // the fastest one
	byProducts              // products
	byTransforms            // transforms
)

// A job is the memory of a call. It is used again for others.
type job struct {
	task
	crew crew

	way        way
	bounds     boundSearch
	products   productSearch
	transforms transformSearch

	candidates  []candidate
	suppression suppression
}

func newJob() *job {
	j := &job{crew: crew{lanes: worker.NewLanes("locate", newLane)}}
	t := &j.task
	j.products.task, j.transforms.task, j.bounds.task = t, t, t
	j.bounds.products, j.bounds.transforms = &j.products, &j.transforms
	return j
}

// release drops what belongs to others.
func (j *job) release() {
	j.task = task{}
	j.bounds.release(&j.crew)
	j.transforms.release()
	for _, l := range j.crew.lanes.All() {
		l.release()
	}
}

// choose returns the search that makes the scores of all places in the least time.
func (j *job) choose() search {
	if !j.flat() && (j.way == byTransforms || j.way == anyWay && j.transforms.time() < j.products.time()) {
		return &j.transforms
	}
	return &j.products
}

// search makes the scores of the places that matter for a goal.
func (j *job) search(g goal) {
	j.goal = g
	j.crew.begin(&j.task)
	var s search = &j.bounds
	if g == toRespond || j.way != anyWay || !s.prepare(&j.crew) {
		s = j.choose()
		s.prepare(&j.crew)
	}
	j.crew.each(s)
}

// respond appends the scores of all places to dst.
func (j *job) respond(dst []float32) []float32 {
	n := len(dst)
	dst = slices.Grow(dst, j.w*j.h)[:n+j.w*j.h]
	j.response = dst[n:]
	if j.w > 0 {
		j.search(toRespond)
	}
	return dst
}

// find returns the best place and its score, if that is large enough.
func (j *job) find() (candidate, bool) {
	if j.w == 0 {
		return candidate{}, false
	}
	j.search(toFind)
	best := candidate{score: -2}
	for _, l := range j.crew.lanes.All() {
		if compare(l.scorer.best, best) < 0 {
			best = l.scorer.best
		}
	}
	return best, best.score >= j.opts.MinScore
}

// findAll returns the places that are kept, the best first.
func (j *job) findAll() []candidate {
	if j.w == 0 {
		return nil
	}
	j.search(toFindAll)
	j.candidates = j.candidates[:0]
	for _, l := range j.crew.lanes.All() {
		j.candidates = append(j.candidates, l.scorer.found...)
	}
	slices.SortFunc(j.candidates, compare)
	most := j.opts.MaxMatches
	if j.opts.Overlap == 1 {
		if most > 0 {
			return j.candidates[:min(most, len(j.candidates))]
		}
		return j.candidates
	}
	s := &j.suppression
	s.begin(j.template.w, j.template.h, j.w, j.h, j.opts.Overlap)
	for _, c := range j.candidates {
		if s.keep(c) && len(s.kept) == most {
			break
		}
	}
	return s.kept
}

// score returns the score of the place in column x of row y.
func (j *job) score(x, y int) float64 {
	return j.crew.lanes.All()[0].single.score(&j.task, x, y)
}

// match returns the Match of a candidate.
func (j *job) match(c candidate) Match {
	x, y := int(c.x), int(c.y)
	m := Match{X: j.scene.rect.Min.X + x, Y: j.scene.rect.Min.Y + y, Score: c.score}
	if x > 0 && x+1 < j.w {
		m.DX = peak(j.score(x-1, y), c.score, j.score(x+1, y))
	}
	if y > 0 && y+1 < j.h {
		m.DY = peak(j.score(x, y-1), c.score, j.score(x, y+1))
	}
	return m
}
