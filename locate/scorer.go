package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// A finder takes from scores what the goal of a task is.
type finder struct {
	best  candidate
	found []candidate
}

// forget drops the results of other tasks.
func (f *finder) forget() {
	f.best = candidate{score: -2}
	f.found = f.found[:0]
}

// take does with the scores of a row of places, from column x on, what is the goal.
func (f *finder) take(t *task, x, y int, scores []float64) {
	switch t.goal {
	case toRespond:
		to := t.response[y*t.w+x:][:len(scores)]
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
		f.takeBest(candidate{scores[at], int32(x + at), int32(y)})
	case toFindAll:
		least := t.opts.MinScore
		for i, v := range scores {
			if v >= least {
				f.found = append(f.found, candidate{v, int32(x + i), int32(y)})
			}
		}
	}
}

// takeBest takes a candidate if it is the best one.
func (f *finder) takeBest(c candidate) {
	if compare(c, f.best) < 0 {
		f.best = c
	}
}

// A scorer makes the scores of a part of the places from their products, row by row, and has the finder take
// them.
type scorer struct {
	finder
	part image.Rectangle
	n    int // places in a row, padded

	windows  windows
	run      scoreRun
	exact    scoreRun    // of some places of a row
	isLow    bool        // whether low is for the places, instead of run
	low      lowScoreRun // likewise
	last     []float32   // the responses of a group
	products []int64     // memory for those that low has with 32 bits
}

// release drops what belongs to others.
func (s *scorer) release() {
	s.windows.release()
	s.low.responses = nil
}

// begin prepares for a part of the places, and for products of the template's pixels less the centers of
// the channels.
func (s *scorer) begin(t *task, part image.Rectangle, centers [3]int64) {
	s.part, s.n, s.isLow = part, padded(part.Dx()), false
	r := &s.run
	r.set(t.opts.Similarity, &t.template.pattern, centers)
	r.n, r.scores, r.responses = s.n, raster.Resize(r.scores, s.n), raster.Resize(r.responses, group)
}

// beginLow is begin for products of 32 bits.
func (s *scorer) beginLow(t *task, part image.Rectangle, centers [3]int64) {
	s.begin(t, part, centers)
	s.isLow = t.lowScores()
	all, r := &s.run, &s.low
	r.channels, r.n, r.factor, r.centered, r.variation = all.channels, all.n, int32(all.factor), -int32(all.centered), all.variation
	for c, v := range all.offsets {
		r.offsets[c] = int32(v)
	}
	s.last = raster.Resize(s.last, group)
}

// takeZeros takes the scores of a part of the places, which are 0.
func (s *scorer) takeZeros(t *task, part image.Rectangle) {
	s.run.scores = zeros(s.run.scores, part.Dx())
	for y := part.Min.Y; y < part.Max.Y; y++ {
		s.take(t, part.Min.X, y, s.run.scores)
	}
}

// score makes the scores of row y of places, with the sums of windows.
func (s *scorer) score(t *task, y int, products []int64) {
	s.windows.advance(t.kernels, y)
	s.windows.sum(t.kernels, y)
	r := &s.run
	r.products, r.sums, r.sums2 = products, s.windows.sums, s.windows.sums2
	s.scoreRow(t, y)
}

// scoreLow is score for products of 32 bits.
func (s *scorer) scoreLow(t *task, y int, products []int32) {
	s.windows.advance(t.kernels, y)
	s.windows.sum(t.kernels, y)
	r := &s.low
	r.products, r.sums, r.sums2 = products, s.windows.sums, s.windows.low
	switch {
	case !s.isLow:
		s.widen(&s.run, 0, s.n)
		s.scoreRow(t, y)
	case t.goal == toRespond:
		s.respondLow(t, t.response[y*t.w+s.part.Min.X:][:s.part.Dx()])
	default:
		s.seek(t, y)
	}
}

// scoreRow makes the scores of row y of places, whose products and sums are set.
func (s *scorer) scoreRow(t *task, y int) {
	r, x, n := &s.run, s.part.Min.X, s.part.Dx()
	switch {
	case t.kernels.respond == nil || t.opts.Similarity == Difference:
		t.score(r)
		s.take(t, x, y, r.scores[:n])
	case t.goal == toRespond:
		s.respond(t.kernels, t.response[y*t.w+x:][:n])
	default:
		s.seek(t, y)
	}
}

// respond sets the responses of a row of places. The last ones, which are no group, are made elsewhere.
func (s *scorer) respond(k *kernels, to []float32) {
	r, e := &s.run, &s.exact
	whole := len(to) / group * group
	if whole > 0 {
		e.part(r, 0, whole)
		e.responses = to
		k.respond(e)
	}
	if whole < len(to) {
		e.part(r, whole, group)
		k.respond(e)
		copy(to[whole:], e.responses)
	}
	e.responses = nil
}

// respondLow is respond for numbers of 32 bits.
func (s *scorer) respondLow(t *task, to []float32) {
	r := &s.low
	all := r.n
	r.n, r.responses = len(to)/group*group, to
	if r.n > 0 {
		t.kernels.respondLow(r)
	}
	if whole := r.n; whole < len(to) {
		last := *r
		last.part(whole)
		*r, r.responses, r.n = last, s.last, group
		t.kernels.respondLow(r)
		copy(to[whole:], s.last)
	}
	r.n = all
}

// part makes r that of n places of another one.
func (r *scoreRun) part(all *scoreRun, from, n int) {
	*r = *all
	r.n, r.products, r.sums2 = n, all.products[from:], all.sums2[from:]
	for c := range r.channels {
		r.sums[c] = all.sums[c][from:]
	}
}

// part makes r begin with a place.
func (r *lowScoreRun) part(from int) {
	r.products, r.sums2 = r.products[from:], r.sums2[from:]
	for c := range r.channels {
		r.sums[c] = r.sums[c][from:]
	}
}

// sought is the number of places, a multiple of group, whose scores are made where one of them is large
// enough.
const sought = 8 * group

// seek makes the scores of row y of places that are large enough, and of some others.
func (s *scorer) seek(t *task, y int) {
	r, e, n := &s.run, &s.exact, s.part.Dx()
	for place := 0; place < n; place += e.n {
		threshold := t.opts.MinScore - seekMargin
		if t.goal == toFind {
			threshold = max(threshold, s.best.score-seekMargin)
		}
		if place = s.next(t.kernels, place, threshold); place >= n {
			return
		}
		place = place / group * group
		if count := min(sought, r.n-place); s.isLow {
			*e = *r
			s.widen(e, place, count)
		} else {
			e.part(r, place, count)
		}
		t.kernels.normalize(e)
		s.take(t, s.part.Min.X+place, y, e.scores[:min(e.n, n-place)])
	}
}

// next returns the place of a score that reaches the threshold, place or a later one, or one shortly before
// it.
func (s *scorer) next(k *kernels, place int, threshold float64) int {
	switch r, low := &s.run, &s.low; {
	case threshold <= 0:
		return place
	case s.isLow:
		low.place = place
		low.seek(k, threshold)
		return low.place
	default:
		r.place, r.threshold = place, threshold
		k.seek(r)
		return r.place
	}
}

// lowSlack is more than what rounding makes of squares in seekLow.
const lowSlack = 1. / (1 << 20)

// seek moves place on to that of a score that may reach the threshold, more than 0.
func (r *lowScoreRun) seek(k *kernels, threshold float64) {
	// Two roundings of squares, and one of each factor, are less than lowSlack.
	r.threshold2 = float32(threshold * threshold * r.variation * (1 - lowSlack))
	k.seekLow(r)
}

// widen sets the products and sums of n places, from one on, to those of 32 bits.
func (s *scorer) widen(r *scoreRun, from, n int) {
	low := &s.low
	s.products = raster.Resize(s.products, n)
	r.products, r.sums2 = s.products, raster.Resize(s.windows.sums2, n)
	products, sums2 := low.products[from:][:n], low.sums2[from:][:n]
	for i, v := range products {
		r.products[i], r.sums2[i] = int64(v), int64(sums2[i])
	}
	for c := range low.channels {
		r.sums[c] = low.sums[c][from:]
	}
	r.n = n
}
