package locate

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A job is one search. It is used again for others.
type job struct {
	opts     *Options
	kernels  *kernels
	scene    *Scene
	template *Template
	w, h     int // the number of places in a row, and of rows

	goal     goal
	response []float32 // of all places

	parts       []image.Rectangle
	lanes       worker.Lanes[lane]
	single      single
	candidates  []candidate
	suppression suppression

	way way // if it is not to be chosen
	// Of a search by transforms. The squares of pixels, less 128, are for the sums of windows.
	spectra *spectra
	squares [3][]int16

	// Of a search by bounds:
	side    int // of the blocks, where it is not to be chosen
	outline *outline
	planes  *blockPlanes
	// measures are those of all windows, if they are measured, or are to be kept for other templates.
	measures          measures
	measured, keeping bool
	bounds            []float32 // of all places
	highs             []high    // of all rows
	ordered           []high
	theta             float64 // what places must score
}

// A goal is what becomes of scores.
type goal uint8

const (
	toRespond goal = iota // they are kept
	toFind                // the largest one is
	toFindAll             // the places of large ones are
)

// A way is how products are made. All have the same results.
type way uint8

const (
	unknown      way = iota // it is to be chosen
	directly                // by multiplication of all pixels
	transforming            // by transforms
)

func newJob() *job {
	return &job{lanes: worker.NewLanes("locate", newLane)}
}

// set prepares for a template in a scene.
func (j *job) set(o *Options, s *Scene, t *Template) {
	j.opts, j.kernels, j.scene, j.template = o, table.Best(), s, t
	j.w, j.h = max(s.bounds.Dx()-t.w+1, 0), max(s.bounds.Dy()-t.h+1, 0)
	if j.w == 0 || j.h == 0 {
		j.w, j.h = 0, 0
	}
}

// release puts j back, without what belongs to others.
func (j *job) release(l *Locator) {
	j.opts, j.kernels, j.scene, j.template, j.response = nil, nil, nil, nil, nil
	j.outline, j.planes, j.spectra, j.squares = nil, nil, nil, [3][]int16{}
	j.measures, j.measured, j.keeping = measures{}, false, false
	j.single.release()
	for _, l := range j.lanes.All() {
		l.release()
	}
	l.jobs.Put(j)
}

// set gives r the formula of a similarity with t, for products of its pixels less the centers of the
// channels.
func (r *scoreRun) set(s Similarity, t *Template, centers [3]int64) {
	r.channels = t.channels
	r.factor, r.centered, r.offsets = 1, 0, centers
	r.variation = float64(t.sum2)
	if s == Correlation {
		r.factor, r.centered = t.n, 1
		for c, sum := range t.sum1 {
			r.offsets[c] = t.n*centers[c] - sum
		}
		r.variation = float64(t.variation())
	}
	r.sum2, r.largest = t.sum2, float64(65025*t.area)
}

// makeScores makes the scores of r by the formula that it was set to.
func (j *job) makeScores(r *scoreRun) {
	switch {
	case j.opts.Similarity == Difference:
		j.kernels.differ(r)
	case r.variation == 0:
		clear(r.scores[:r.n])
	default:
		j.kernels.normalize(r)
	}
}

// flat reports whether all scores are 0 because the template does not vary.
func (j *job) flat() bool {
	switch j.opts.Similarity {
	case Correlation:
		return j.template.flat
	case Cosine:
		return j.template.sum2 == 0
	}
	return false
}

// scoreNothing makes the scores of a part of the places, which are 0.
func (j *job) scoreNothing(l *lane, part image.Rectangle) {
	l.scoreRun.scores = zeros(l.scoreRun.scores, part.Dx())
	for y := part.Min.Y; y < part.Max.Y; y++ {
		j.take(l, part.Min.X, y, l.scoreRun.scores)
	}
}

// score returns the score of the place in column x of row y.
func (j *job) score(x, y int) float64 {
	return j.single.score(j, x, y)
}

// match returns the Match of a candidate.
func (j *job) match(c candidate) Match {
	x, y := int(c.x), int(c.y)
	m := Match{X: j.scene.bounds.Min.X + x, Y: j.scene.bounds.Min.Y + y, Score: c.score}
	if x > 0 && x+1 < j.w {
		m.DX = peak(j.score(x-1, y), c.score, j.score(x+1, y))
	}
	if y > 0 && y+1 < j.h {
		m.DY = peak(j.score(x, y-1), c.score, j.score(x, y+1))
	}
	return m
}

// respond appends the scores of all places to dst.
func (j *job) respond(dst []float32) []float32 {
	n := len(dst)
	dst = slices.Grow(dst, j.w*j.h)[:n+j.w*j.h]
	j.response = dst[n:]
	j.begin(toRespond)
	if j.w > 0 {
		j.scoreAll()
	}
	return dst
}

// find returns the best place and its score, if that is large enough.
func (j *job) find() (candidate, bool) {
	if j.w == 0 {
		return candidate{}, false
	}
	j.begin(toFind)
	if side := j.sideOf(); side == 0 || !j.search(side) {
		j.scoreAll()
	}
	best := j.lanes.All()[0].best
	for _, l := range j.lanes.All()[1:] {
		if compare(l.best, best) < 0 {
			best = l.best
		}
	}
	return best, best.score >= j.opts.MinScore
}

// findAll returns the places that are kept, the best first.
func (j *job) findAll() []candidate {
	if j.w == 0 {
		return nil
	}
	j.begin(toFindAll)
	if side := j.sideOf(); side == 0 || !j.search(side) {
		j.scoreAll()
	}
	j.candidates = j.candidates[:0]
	for _, l := range j.lanes.All() {
		j.candidates = append(j.candidates, l.found...)
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

// minRows is the least number of rows of places that a worker takes at a time.
const minRows = 16

// begin drops the results of other jobs.
func (j *job) begin(g goal) {
	j.goal = g
	for _, l := range j.lanes.All() {
		l.forget()
	}
}

// share calls do for parts of all places, whose heights are multiples of blockRows.
func (j *job) share(do func(j *job, l *lane, part image.Rectangle)) {
	rows := raster.BandRows(j.h, j.workers(), max(minRows, j.template.h), blockRows)
	j.parts = raster.AppendParts(j.parts[:0], image.Rect(0, 0, j.w, j.h), rows, j.w, 1, 0)
	j.each(do)
}

// workers returns how many workers share the places.
func (j *job) workers() int { return worker.For(j.opts.Workers, raster.Shares(j.w, j.h)) }

// each calls do for the parts.
func (j *job) each(do func(j *job, l *lane, part image.Rectangle)) {
	worker.Each(partsOf{j, do}, &j.lanes, j.workers(), len(j.parts), partsOf.part)
}

// A partsOf is the parts of a job, and what is done with them.
type partsOf struct {
	*job
	do func(j *job, l *lane, part image.Rectangle)
}

// part does part i.
func (p partsOf) part(l *lane, i int) { p.do(p.job, l, p.parts[i]) }

// direct makes the scores of a part of the places by the products of all pixels.
func (j *job) direct(l *lane, part image.Rectangle) {
	if part.Empty() {
		return
	}
	centers := j.template.mean
	if j.kernels.bytes {
		centers = [3]int64{byteCenter, byteCenter, byteCenter}
	}
	if j.low() {
		j.directLow(l, part, centers)
		return
	}
	l.begin(j, part, centers)
	l.windows.begin(j.kernels, j.scene, &j.template.shape, part)
	for y := part.Min.Y; y < part.Max.Y; y += blockRows {
		clear(l.products)
		l.multiply(j, y, j.kernels.multiply)
		for i := range min(blockRows, part.Max.Y-y) {
			l.scoreRun.products = l.products[i*l.n:][:l.n]
			l.score(j, y+i)
		}
	}
}

// take does with the scores of a row of places, from column x on, what is the job's goal.
func (j *job) take(l *lane, x, y int, scores []float64) {
	switch j.goal {
	case toRespond:
		to := j.response[y*j.w+x:][:len(scores)]
		for i, v := range scores {
			to[i] = float32(v)
		}
	case toFind:
		at := 0
		for i, v := range scores {
			if v > scores[at] {
				at = i
			}
		}
		if c := (candidate{scores[at], int32(x + at), int32(y)}); compare(c, l.best) < 0 {
			l.best = c
		}
	case toFindAll:
		least := j.opts.MinScore
		for i, v := range scores {
			if v >= least {
				l.found = append(l.found, candidate{v, int32(x + i), int32(y)})
			}
		}
	}
}

// padded returns how many numbers a row of n places has.
func padded(n int) int {
	return (n + group - 1) / group * group
}

// zeros returns n zeros, in the memory of s if that has room.
func zeros[E any](s []E, n int) []E {
	s = raster.Resize(s, n)
	clear(s)
	return s
}
