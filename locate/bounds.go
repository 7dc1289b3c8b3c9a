package locate

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// A boundSearch makes upper bounds of the scores of all places, by the means of blocks of the template, and
// then the scores of those places alone that may score enough.
//
//   - A bound is at least the score of a place.
//   - The threshold is what a place must score to be found: MinScore, or for Find the best score that is known,
//     if that is larger.
//   - A cutoff is what the bound of a place must exceed for its score to reach a threshold.
//   - An estimate is the score that a place is likely to have. The bar is the estimate that a place must exceed
//     to be among the first ones whose scores are made: a large score excludes more places.
type boundSearch struct {
	boundPlane
	// The other searches make all scores, and products also those of places that lie close together.
	products   *productSearch
	transforms *transformSearch

	side      int    // of the blocks, where it is not to be chosen
	highs     []high // of all rows
	ordered   []high
	threshold float64
}

// mostBoundValues is the largest number of values of pixels of a template for which bounds are made: the sum
// of the squares of a window's pixels less their rounded mean has 31 bits.
const mostBoundValues = 1 << 17

// sideOf returns the side of the blocks by which bounds are made, or 0 if none are.
func (s *boundSearch) sideOf() int {
	t := s.template
	side := min(t.w, t.h)
	switch {
	case t.valueCount > mostBoundValues || s.flat() || t.sum2 == 0:
		return 0
	case s.side > 0:
		return min(s.side, side)
	case side < s.kernels.boundSide:
		return 0
	case side >= 128:
		return min(side/8, 20) // sums of larger ones lose more bits
	case side >= 64:
		return 8
	}
	return 4
}

// prepare implements search: it makes the bounds. It reports whether the search is worth while: where bounds
// exclude too little, all scores had better be made.
func (s *boundSearch) prepare(c *crew) bool {
	side := s.sideOf()
	if side == 0 {
		return false
	}
	s.outline = s.template.outline(side, s.opts.Similarity == Correlation)
	if s.side == 0 && (2*s.outline.rest > s.template.n || s.transformsMask()) {
		return false // most of the mask is in no whole block, or the sums of its windows take too long
	}
	s.begin(c)
	if s.side == 0 && s.h >= leastSampled*s.sampleStep() && !s.sample(c) {
		return false
	}
	s.bound(c)
	first := s.setThreshold(c)
	if !s.pays() {
		return false
	}
	for _, l := range c.lanes.All() {
		l.scorer.best = first
	}
	return true
}

// begin prepares for bounds with the outline.
func (s *boundSearch) begin(c *crew) {
	o := s.outline
	s.planes = s.scene.cache.blocks(s.kernels, &s.scene.pixels, o.side, c.workers)
	s.exact = s.sumsExactly()
	s.bounds = raster.Resize(s.bounds, s.w*s.h)
	s.measures, s.measured, s.keeping = measurePlanes{}, false, false
	if of, ok := s.size(); ok {
		s.measures, s.measured = s.scene.cache.measures(of)
	}
}

// size returns what the measures of windows depend on. It reports whether they can be kept for other
// templates.
func (s *boundSearch) size() (of size, ok bool) {
	t := s.template
	return size{t.w, t.h, s.outline.side, s.outline.centered}, t.spans == nil
}

// mostExact is the largest number of values of pixels of a template, times the pixels of a block, with which what
// is left of a window has 32 bits: each is at most half of 255 from a mean.
const mostExact = 1 << 18

// exactSide is the largest side of blocks for which sums of two blocks have 15 bits.
const exactSide = 8

// sumsExactly reports whether the sums of blocks and of their squares are made exactly.
func (s *boundSearch) sumsExactly() bool {
	o := s.outline
	return s.kernels.sumBlocks != nil && o.blocks == nil && o.side <= exactSide && s.template.valueCount*int64(o.side*o.side) <= mostExact
}

const (
	// leastSampled is the least number of rows from which others are judged.
	leastSampled = 8
	// sampledShare is the share of places that may score enough by the bounds of some rows for those
	// of all rows to be made. The best place is hardly in one of these rows: it is taken to score at
	// least as much as halfway from MinScore to 1.
	sampledShare = 0.2
)

// sampleStep returns how far apart rows are whose bounds are made first, a multiple of the side of
// blocks.
func (s *boundSearch) sampleStep() int {
	side := s.outline.side
	return (16 + side - 1) / side * side
}

// Bounds of some rows are made in strips of sampleColumns columns, sampleApart columns apart.
const (
	sampleColumns = 128
	sampleApart   = 4 * sampleColumns
)

// sample makes the bounds of some places, and reports whether to make those of all: in the worst case
// bounds exclude nothing, and to make all of them for that takes half as long as all scores.
func (s *boundSearch) sample(c *crew) bool {
	c.parts = c.parts[:0]
	for x := 0; x < s.w; x += sampleApart {
		c.parts = append(c.parts, image.Rect(x, 0, min(x+sampleColumns, s.w), s.h))
	}
	step := s.sampleStep()
	s.highs = raster.Resize(s.highs, s.sampleRows()*len(c.parts))
	c.each(sampleWork{s})
	s.setThreshold(c)
	if s.goal == toFind {
		s.threshold = max(s.threshold, (s.opts.MinScore+1)/2)
	}
	survivors, all := 0, 0
	for _, part := range c.parts {
		for y := 0; y < s.h; y += step {
			survivors += countBounds(s.bounds[y*s.w+part.Min.X:y*s.w+part.Max.X], cutoff(s.threshold))
			all += part.Dx()
		}
	}
	n := float64(survivors) / float64(all)
	if n > sampledShare {
		return false
	}
	// The places that FindAll examines are known by now.
	return s.goal == toFind || n*float64(s.w*s.h)*s.singleTime() <= s.allTime()
}

// sampleRows returns the number of rows of a strip whose bounds are made first.
func (s *boundSearch) sampleRows() int { return (s.h-1)/s.sampleStep() + 1 }

// A sampleWork is the work that makes the bounds of a sample of the places.
type sampleWork struct{ *boundSearch }

// part makes the bounds of some rows of a strip.
func (s sampleWork) part(l *lane, part image.Rectangle) {
	l.bounder.some(&s.boundPlane, part, s.sampleStep(), s.highs[part.Min.X/sampleApart*s.sampleRows():])
}

// A boundWork is the work that makes the bounds of all places.
type boundWork struct{ *boundSearch }

// part makes the bounds of a part of the places.
func (s boundWork) part(l *lane, part image.Rectangle) {
	l.bounder.all(&s.boundPlane, part, s.highs)
}

// bound makes the bounds of all places.
func (s *boundSearch) bound(c *crew) {
	of, ok := s.size()
	if ok && !s.measured {
		s.measures, s.keeping = s.scene.cache.keep(of, s.template.channels, s.w, s.h, s.outline.rest > 0)
	}
	s.highs = raster.Resize(s.highs, s.h)
	c.band(s.task)
	c.each(boundWork{s})
	if s.keeping {
		s.scene.cache.markMeasures(of)
	}
}

// setThreshold sets the threshold after bounds have been made. With toFind it returns the place that
// scores so much, or one that scores less than any.
func (s *boundSearch) setThreshold(c *crew) candidate {
	s.threshold = s.opts.MinScore
	first := candidate{score: -2}
	if s.goal == toFind {
		first = s.first(&c.lanes.All()[0].single)
		s.threshold = max(s.threshold, first.score)
	}
	return first
}

// first returns the best one of the places that are likely to have a large score.
func (s *boundSearch) first(one *single) candidate {
	slices.SortFunc(s.order(), func(a, b high) int {
		switch {
		case a.estimate > b.estimate:
			return -1
		case a.estimate < b.estimate:
			return 1
		}
		return int(a.y) - int(b.y)
	})
	best := candidate{score: -2}
	for _, h := range s.ordered[:min(tried, len(s.ordered))] {
		if c := (candidate{one.score(s.task, int(h.x), int(h.y)), h.x, h.y}); compare(c, best) < 0 {
			best = c
		}
	}
	return best
}

// order returns the rows with a place that may score enough.
func (s *boundSearch) order() []high {
	s.ordered = s.ordered[:0]
	for _, h := range s.highs {
		if h.estimate > -2 {
			s.ordered = append(s.ordered, h)
		}
	}
	return s.ordered
}

// pays reports whether to make the scores of places whose bounds exceed the cutoff takes less time than to
// make all scores.
func (s *boundSearch) pays() bool {
	return s.side != 0 || float64(s.survivors(1+s.h/256))*s.singleTime() <= s.allTime()
}

// allTime returns the number of products that kernels make in the time of all scores.
func (s *boundSearch) allTime() float64 { return min(s.products.time(), s.transforms.time()) }

// singleTime returns the number of products that kernels make in the time of a single score: those of
// bytes make five times as many.
func (s *boundSearch) singleTime() float64 {
	n := float64(3*s.template.w*s.template.h*s.template.channels + 200)
	if s.kernels.bytes {
		n *= 5
	}
	return n
}

// survivors returns about how many places have bounds above the cutoff, by every step-th row.
func (s *boundSearch) survivors(step int) int {
	cutoff := cutoff(s.threshold)
	n := 0
	for y := 0; y < s.h; y += step {
		if s.highs[y].most > cutoff {
			n += countBounds(s.bounds[y*s.w:][:s.w], cutoff)
		}
	}
	return n * step
}

// countBounds returns the number of bounds above the cutoff, without branches.
func countBounds(bounds []float32, cutoff float32) int {
	var n uint32
	for _, b := range bounds {
		n += math.Float32bits(cutoff-b) >> 31 // the sign
	}
	return int(n)
}

// few is the number of places in a tile of group by blockRows for which single scores are made.
const few = 16

// part makes the scores of the places of a part whose bounds are large enough.
func (s *boundSearch) part(l *lane, part image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y += blockRows {
		rows := min(blockRows, part.Max.Y-y)
		cutoff := cutoff(max(s.threshold, l.scorer.best.score))
		if !slices.ContainsFunc(s.highs[y:y+rows], func(h high) bool { return h.most > cutoff }) {
			continue
		}
		many := image.Rect(part.Min.X, y, part.Min.X, y+rows) // the last tiles with many places
		for x := part.Min.X; x < part.Max.X; x += group {
			tile := image.Rect(x, y, min(x+group, part.Max.X), y+rows)
			n := s.count(tile, cutoff)
			if n > few {
				if many.Max.X < x {
					s.products.part(l, many)
					many.Min.X = x
				}
				many.Max.X = tile.Max.X
			} else if n > 0 {
				s.examine(l, tile)
			}
		}
		s.products.part(l, many)
	}
}

// count returns the number of places in a tile whose bounds are above the cutoff.
func (s *boundSearch) count(tile image.Rectangle, cutoff float32) int {
	n := 0
	for y := tile.Min.Y; y < tile.Max.Y; y++ {
		n += countBounds(s.bounds[y*s.w+tile.Min.X:y*s.w+tile.Max.X], cutoff)
	}
	return n
}

// examine makes the scores of the places of a tile whose bounds are large enough, one by one.
func (s *boundSearch) examine(l *lane, tile image.Rectangle) {
	f := &l.scorer.finder
	for y := tile.Min.Y; y < tile.Max.Y; y++ {
		for x := tile.Min.X; x < tile.Max.X; x++ {
			if s.bounds[y*s.w+x] <= cutoff(max(s.threshold, f.best.score)) {
				continue
			}
			score := [1]float64{l.single.score(s.task, x, y)}
			f.take(s.task, x, y, score[:])
		}
	}
}

// release drops what belongs to others, if the search has been prepared.
func (s *boundSearch) release(c *crew) {
	if s.outline == nil {
		return
	}
	for _, l := range c.lanes.All() {
		l.bounder.release()
	}
	s.outline, s.planes = nil, nil
	s.measures, s.measured, s.keeping = measurePlanes{}, false, false
}
