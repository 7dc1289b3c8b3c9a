package locate

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// slack is how much bounds are larger than what is computed, so that no rounding to float32 makes
// them too small. A bound is made of integers, which are exact, by two dozen operations with float32. As
// means of windows are subtracted from integers, no term is much larger than the norms of the
// template and of the window, so that the bound is off by less than 3e-6 of the sum of its two
// terms. These are at most about 1 each where the bound is not above 1 anyway.
const slack = 2e-5

// mostBounded is the largest number of values of pixels of a template for which bounds are made: the sum
// of the squares of a window's pixels less their rounded mean has 31 bits.
const mostBounded = 1 << 17

// A boundLane is the memory of a worker that makes bounds.
type boundLane struct {
	inner      windows
	measureRun measureRun
	measures   measures // of a row of places, if those of all are not kept
	boundRun   boundRun
	multiply   blockProductRun
	// The sums of blocks, which are exact or those of strideRun. Columns and squares of row y of places are in row
	// y%side.
	exact                 bool
	windowRun             blockSumRun
	columns               [3][]uint32
	strideRun             strideRun
	squareColumns         []uint32
	products              []int32 // of blocks, of a row of places
	bases                 []int32 // of all products
	ahead                 []int32 // the products of the rows of places from firstAhead to lastAhead-1
	firstAhead, lastAhead int
	squares               []uint32  // of a row of blocks of a mask
	best                  []float32 // the largest estimates of rows, up to tried of them
}

// sideOf returns the side of the blocks by which bounds are made, or 0 if none are.
func (j *job) sideOf() int {
	t := j.template
	side := min(t.w, t.h)
	switch {
	case t.area > mostBounded || j.flat() || t.sum2 == 0:
		return 0
	case j.side < 0: // none
		return 0
	case j.side > 0:
		return min(j.side, side)
	case side < j.kernels.bounded:
		return 0
	case side >= 128:
		return min(side/8, 20) // sums of larger ones lose more bits
	case side >= 64:
		return 8
	}
	return 4
}

// search finds the places that score at least MinScore by bounds, or with toFind the best one of them.
// It reports whether it did: where bounds exclude too little, all scores had better be made.
func (j *job) search(side int) bool {
	j.outline = j.template.outline(side, j.opts.Similarity == Correlation)
	if j.side == 0 && (2*j.outline.rest > j.template.n || j.transformsMask()) {
		return false // most of the mask is in no whole block, or the sums of its windows take too long
	}
	j.planes = j.scene.blocks(j.kernels, side, j.workers())
	j.bounds = raster.Resize(j.bounds, j.w*j.h)
	j.measures, j.measured, j.keeping = measures{}, false, false
	of, keeps := size{j.template.w, j.template.h, side, j.outline.centered}, j.template.spans == nil
	if keeps {
		j.measures, j.measured = j.scene.measures(of)
	}
	if j.side == 0 && j.h >= leastSampled*sampleStep(side) && !j.sample(side) {
		return false
	}
	if keeps && !j.measured {
		j.measures, j.keeping = j.scene.keep(of, j.w, j.h, j.outline.rest > 0)
	}
	j.highs = raster.Resize(j.highs, j.h)
	j.share((*job).bound)
	if j.keeping {
		j.scene.markMeasures(of)
	}
	first := j.setTheta()
	if !j.pays() {
		return false
	}
	for _, l := range j.lanes.All() {
		l.best = first
	}
	j.share((*job).examine)
	return true
}

// setTheta sets what places must score after bounds have been made. With toFind it returns the place
// that scores so much, or one that scores less than any.
func (j *job) setTheta() candidate {
	j.theta = j.opts.MinScore
	first := candidate{score: -2}
	if j.goal == toFind {
		first = j.first()
		j.theta = max(j.theta, first.score)
	}
	return first
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
func sampleStep(side int) int { return (16 + side - 1) / side * side }

// Bounds of some rows are made in strips of sampleColumns columns, sampleApart columns apart.
const (
	sampleColumns = 128
	sampleApart   = 4 * sampleColumns
)

// sample makes the bounds of some places, and reports whether to make those of all: in the worst case
// bounds exclude nothing, and to make all of them for that takes half as long as all scores.
func (j *job) sample(side int) bool {
	j.parts = j.parts[:0]
	for x := 0; x < j.w; x += sampleApart {
		j.parts = append(j.parts, image.Rect(x, 0, min(x+sampleColumns, j.w), j.h))
	}
	step := sampleStep(side)
	rows := (j.h-1)/step + 1
	j.highs = raster.Resize(j.highs, rows*len(j.parts))
	j.each((*job).boundSome)
	j.setTheta()
	if j.goal == toFind {
		j.theta = max(j.theta, (j.opts.MinScore+1)/2)
	}
	survivors, all := 0, 0
	for _, part := range j.parts {
		for y := 0; y < j.h; y += step {
			survivors += countBounds(j.bounds[y*j.w+part.Min.X:y*j.w+part.Max.X], j.limit(j.theta))
			all += part.Dx()
		}
	}
	n := float64(survivors) / float64(all)
	if n > sampledShare {
		return false
	}
	// The places that FindAll examines are known by now.
	_, products := j.plan()
	return j.goal == toFind || n*float64(j.w*j.h)*j.products() <= products
}

// A high is the bounds of a row, or of a part of it.
type high struct {
	most float32 // the largest one
	// The place that is likely to have the largest score, and that score.
	x, y     int32
	estimate float32
}

// bound makes the bounds of a part of the places.
func (j *job) bound(l *lane, part image.Rectangle) {
	o, b := j.outline, &l.bounds
	b.begin(j, l, part)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		if !j.measured {
			b.advance(j, l, y)
			b.sumSquares(j, part, y)
		}
		if y == b.lastAhead && y+blockRows*o.side <= part.Max.Y && o.rows >= blockRows && j.kernels.multiplyBands != nil {
			b.multiplyAhead(j, part.Min.X, y)
		}
		j.highs[y] = b.row(j, l, part.Min.X, y)
	}
}

// boundSome makes the bounds of each row of a strip that is a multiple of sampleStep.
func (j *job) boundSome(l *lane, part image.Rectangle) {
	side := j.outline.side
	step := sampleStep(side)
	highs := j.highs[part.Min.X/sampleApart*((j.h-1)/step+1):]
	b := &l.bounds
	b.begin(j, l, part)
	for y := range j.h {
		if !j.measured {
			b.advance(j, l, y)
			if y%side == 0 {
				b.sumSquares(j, part, y)
			}
		}
		if y%step == 0 {
			highs[y/step] = b.row(j, l, part.Min.X, y)
		}
	}
}

// advance makes row y of places the one that measures are made of.
func (b *boundLane) advance(j *job, l *lane, y int) {
	l.windows.advance(j.kernels, y)
	if b.sumsInner(j) {
		b.inner.advance(j.kernels, y)
	}
}

// sumsInner reports whether sums of the pixels in whole blocks are to be made of pixels.
func (b *boundLane) sumsInner(j *job) bool { return j.outline.rest > 0 && !b.exact }

// measure sets measures from window i on to those of row y of places, for which the sums of squares are
// made.
func (b *boundLane) measure(j *job, l *lane, y int, to *measures, i int) {
	l.windows.sum(j.kernels, y)
	if b.sumsInner(j) {
		b.inner.sum(j.kernels, y)
	}
	r := &b.measureRun
	r.means, r.lacks, r.norms, r.rests = to.from(i)
	j.kernels.measure(r)
}

// row makes the bounds of row y of places, those from column x on.
func (b *boundLane) row(j *job, l *lane, x, y int) high {
	m, i := &b.measures, 0
	if j.measured || j.keeping {
		m, i = &j.measures, y*j.measures.stride+x
	}
	if !j.measured {
		b.measure(j, l, y, m, i)
	}
	r := &b.boundRun
	r.means, r.lacks, r.norms, r.rests = m.from(i)
	if y >= b.firstAhead && y < b.lastAhead {
		r.products = b.ahead[(y-b.firstAhead)*b.multiply.n:]
	} else {
		r.products = b.products
		b.multiplyAll(j, x, y)
	}
	r.bounds = j.bounds[y*j.w+x:]
	r.least = max(float32(j.opts.MinScore), b.leastTried())
	if r.n < leastBounds {
		bound(r)
	} else {
		j.kernels.bound(r)
	}
	b.keep(r.estimate)
	return high{r.most, int32(x + r.at), int32(y), r.estimate}
}

// leastTried returns the least estimate with which a place is among those that are tried.
func (b *boundLane) leastTried() float32 {
	if len(b.best) < tried {
		return -2
	}
	return b.best[0]
}

// keep adds an estimate to the best ones, the least of which is the first one.
func (b *boundLane) keep(estimate float32) {
	if estimate <= b.leastTried() {
		return
	}
	if len(b.best) < tried {
		b.best = append(b.best, estimate)
	} else {
		b.best[0] = estimate
	}
	for i, v := range b.best {
		if v < b.best[0] {
			b.best[0], b.best[i] = v, b.best[0]
		}
	}
}

// begin prepares for a part of the places, whose windows are those of l.
func (b *boundLane) begin(j *job, l *lane, part image.Rectangle) {
	t, o, r := j.template, j.outline, &b.boundRun
	n := padded(part.Dx())
	if !j.measured {
		b.beginMeasures(j, l, part)
	}
	r.channels, r.n, r.rest = t.channels, part.Dx(), int32(o.rest)
	b.products = raster.Resize(b.products, n)
	b.firstAhead, b.lastAhead = part.Min.Y, part.Min.Y
	r.slack, r.sum2, r.largest, r.error = slack, float32(t.sum2), float32(65025*t.area), float32(o.error)
	unit := 1.0
	if j.opts.Similarity != Difference {
		// The norm of the template is divided by beforehand.
		unit = 1 / o.t
		r.slack, r.largest = float32(slack+o.error*unit), 0
	}
	r.scale, r.margin, r.meanProducts = float32(o.scale*unit), float32(o.margin*unit), o.meanProducts
	r.offset = 0
	for c := range t.channels {
		r.meanOffsets[c], r.restMeans[c] = float32(o.meanOffsets[c]*unit), float32(o.restMeans[c]*unit)
		if r.meanOffsets[c] != 0 {
			r.offset = 1
		}
	}
	r.q, r.p = float32(o.q*unit), float32(max(o.p, 1)*unit)
	// A unit of 2 over the pixels of a block, or more, and if sums are not exact, for each block what is behind the
	// point, and what the shift takes: of a sum s of at most 255 a pixel up to 2^shift-1, and of its square over the
	// number of pixels up to 2*s times that over the number.
	r.lost = 2
	if !j.exact() {
		r.lost += float32(t.channels * o.rows * o.columns * (1 + 2*255*(1<<j.planes.shift-1)))
	}
	r.setFloor(j.limit(j.opts.MinScore))
	b.bases, b.best = raster.Resize(b.bases, n), b.best[:0]
	for x := range b.bases {
		b.bases[x] = o.base
	}
	m := &b.multiply
	m.columns, m.rows, m.step, m.down, m.n = o.pairs, o.rows, 2*o.side, o.side*j.planes.stride, n
}

// beginMeasures prepares for the measures of a part of the places, whose windows are those of l.
func (b *boundLane) beginMeasures(j *job, l *lane, part image.Rectangle) {
	t, o, r := j.template, j.outline, &b.measureRun
	n := padded(part.Dx())
	b.exact = j.exact()
	l.windows.beginLow(j.kernels, j.scene, &t.shape, part, b.exact && o.rest == 0)
	b.measures.resize(t.channels, n, 1, o.rest > 0)
	r.channels, r.n, r.sums, r.sums2 = t.channels, n, l.windows.sums, l.windows.low
	r.squares = raster.Resize(r.squares, n)
	r.pixels, r.rest, r.reciprocal = int32(t.n), int32(o.rest), 1/float32(t.n)
	r.raw = 1
	if o.centered {
		r.raw = 0
	}
	if o.rest > 0 {
		r.restReciprocal = 1 / float32(o.rest)
	}
	r.factor, r.unit = 1, 2
	if b.exact {
		b.beginExact(j, n)
		r.factor, r.unit = int32(o.side*o.side), 2/float32(o.side*o.side)
		if o.rest > 0 {
			r.inner = b.windowRun.sums
		} else {
			r.sums = b.windowRun.sums
		}
		return
	}
	if o.rest > 0 {
		b.inner.begin(j.kernels, j.scene, &o.inner, part)
		r.inner = b.inner.sums
	}
	s := &b.strideRun
	s.side, s.blocks, s.n, s.sums = o.side, o.columns, n, r.squares
	s.count = padded(n + (o.columns-1)*o.side)
	s.channels, s.reciprocal = t.channels, j.planes.reciprocal
	b.squareColumns = zeros(b.squareColumns, s.side*s.count)
}

// beginExact prepares for exact sums of blocks for n places.
func (b *boundLane) beginExact(j *job, n int) {
	o, s := j.outline, &b.windowRun
	s.channels, s.sums2 = j.template.channels, b.measureRun.squares
	// The sums of pairs, or where the last one of a row is alone, of blocks.
	s.words, s.step, s.strides = math.MaxUint32, 2*o.side, o.pairs
	if o.columns%2 > 0 {
		s.words, s.step, s.strides = math.MaxUint16, o.side, o.columns
	}
	s.count = padded(n + (s.strides-1)*s.step)
	b.squareColumns = zeros(b.squareColumns, o.side*s.count)
	for c := range s.channels {
		s.sums[c] = raster.Resize(s.sums[c], n)
		b.columns[c] = zeros(b.columns[c], o.side*s.count)
	}
}

// mostExact is the largest number of values of pixels of a template, times the pixels of a block, with which what
// is left of a window has 32 bits: each is at most half of 255 from a mean.
const mostExact = 1 << 18

// exactSide is the largest side of blocks for which sums of two blocks have 15 bits.
const exactSide = 8

// exact reports whether the sums of blocks and of their squares are made exactly.
func (j *job) exact() bool {
	o := j.outline
	return j.kernels.sumBlocks != nil && o.blocks == nil && o.side <= exactSide && j.template.area*int64(o.side*o.side) <= mostExact
}

// setFloor sets which bounds are not needed: those less than floor. Let n be the numerator of the means, q the
// norm of what is left of the template over its norm, and W and R the norms of a window and of what is left of
// it. What is left has at most R <= W, so that the bound is less if n < (floor-q)*W, and by Cauchy and Schwarz
// n + q*R is at most the root of n*n/(1-q*q) + R*R.
func (r *boundRun) setFloor(floor float32) {
	r.floor, r.skipNumerator, r.skipMeans, r.skipAll = floor, -1, 0, -1
	least := float64(floor-r.slack) - 1e-5 // more than what rounding takes
	q := 1.001 * float64(r.q)              // since the norm of what is left is a little more
	if r.largest != 0 || least <= 0 {
		return
	}
	r.skipMeans = 1
	if least > q {
		r.skipNumerator = float32((least - q) * (least - q))
	}
	if q < 0.999 {
		r.skipMeans, r.skipAll = float32(1/(1-q*q)), float32(least*least)
	}
}

// release drops what belongs to others.
func (b *boundLane) release() {
	b.inner.release()
	b.boundRun.bounds, b.boundRun.norms, b.boundRun.rests = nil, nil, nil
	b.boundRun.means, b.boundRun.lacks = [3][]uint8{}, [3][]float32{}
	b.measureRun.norms, b.measureRun.rests = nil, nil
	b.measureRun.means, b.measureRun.lacks = [3][]uint8{}, [3][]float32{}
	b.multiply.pairs, b.multiply.coefficients = nil, nil
	b.strideRun.entering, b.strideRun.leaving = [3][]uint32{}, [3][]uint32{}
	b.windowRun.entering, b.windowRun.leaving = [3][]uint32{}, [3][]uint32{}
}

// sumSquares makes the sums of the squares of blocks for row y of places, and those of blocks if they are exact.
func (b *boundLane) sumSquares(j *job, part image.Rectangle, y int) {
	o, p := j.outline, j.planes
	row := func(y int) (pairs [3][]uint32) {
		for c := range j.template.channels {
			pairs[c] = p.pairs[c][y*p.stride+part.Min.X:]
		}
		return pairs
	}
	if o.blocks != nil {
		b.sumMaskSquares(j, row, y)
		return
	}
	leaving := row(len(p.pairs[0])/p.stride - 1)
	if y-part.Min.Y < o.side {
		for i := range o.rows - 1 {
			b.moveBlocks(j, y, row(y+i*o.side), leaving, 0)
		}
	} else {
		leaving = row(y - o.side)
	}
	b.moveBlocks(j, y, row(y+(o.rows-1)*o.side), leaving, padded(part.Dx()))
}

// moveBlocks moves the sums of columns of blocks for row y of places, and makes n sums.
func (b *boundLane) moveBlocks(j *job, y int, entering, leaving [3][]uint32, n int) {
	phase := y % j.outline.side
	if !b.exact {
		s := &b.strideRun
		s.entering, s.leaving, s.columns, s.n = entering, leaving, b.squareColumns[phase*s.count:][:s.count], n
		j.kernels.stride(s)
		return
	}
	s := &b.windowRun
	s.entering, s.leaving, s.squares, s.n = entering, leaving, b.squareColumns[phase*s.count:][:s.count], n
	for c := range s.channels {
		s.columns[c] = b.columns[c][phase*s.count:][:s.count]
	}
	j.kernels.sumBlocks(s)
}

// sumMaskSquares is sumSquares for blocks of a mask. row returns the pairs of a channel in a row of blocks.
func (b *boundLane) sumMaskSquares(j *job, row func(y int) [3][]uint32, y int) {
	o, s := j.outline, &b.strideRun
	sums := s.sums[:s.n]
	clear(sums)
	b.squares = raster.Resize(b.squares, s.count)
	for i, blocks := 0, o.blocks; i < o.rows; i++ {
		clear(b.squares)
		pairs := row(y + i*o.side)
		for c := range s.channels {
			for x, v := range pairs[c][:s.count] {
				b.squares[x] += square(v, s.reciprocal)
			}
		}
		for len(blocks) > 0 && blocks[0].y == i {
			for x, v := range b.squares[blocks[0].x*o.side:][:len(sums)] {
				sums[x] += v
			}
			blocks = blocks[1:]
		}
	}
}

// multiplyAll makes the products of all blocks for row y of places, from column x on.
func (b *boundLane) multiplyAll(j *job, x, y int) {
	m := &b.multiply
	m.products, m.apart = b.products, 0
	b.multiplyChannels(j, x, y, j.kernels.multiplyBlocks)
}

// multiplyAhead makes the products of all blocks for the rows of places from y on: blockRows for each row of a
// block.
func (b *boundLane) multiplyAhead(j *job, x, y int) {
	m, side := &b.multiply, j.outline.side
	b.ahead = raster.Resize(b.ahead, blockRows*side*m.n)
	b.firstAhead, b.lastAhead = y, y+blockRows*side
	m.apart = side * m.n
	for i := range side {
		m.products = b.ahead[i*m.n:]
		b.multiplyChannels(j, x, y+i, j.kernels.multiplyBands)
	}
}

// multiplyChannels makes products of all channels with one of the kernels.
func (b *boundLane) multiplyChannels(j *job, x, y int, kernel func(*blockProductRun)) {
	p, m := j.planes, &b.multiply
	m.more, m.moreApart = b.bases, 0
	for c := range j.template.channels {
		m.coefficients, m.pairs = j.outline.coefficients[c], p.pairs[c][y*p.stride+x:]
		kernel(m)
		m.more, m.moreApart = m.products, m.apart
	}
}

// tried is the number of places that are likely to have a large score for which that is made first.
const tried = 32

// first returns the best one of the places that are likely to have a large score.
func (j *job) first() candidate {
	slices.SortFunc(j.order(), func(a, b high) int {
		switch {
		case a.estimate > b.estimate:
			return -1
		case a.estimate < b.estimate:
			return 1
		}
		return int(a.y) - int(b.y)
	})
	best := candidate{score: -2}
	for _, h := range j.ordered[:min(tried, len(j.ordered))] {
		if c := (candidate{j.score(int(h.x), int(h.y)), h.x, h.y}); compare(c, best) < 0 {
			best = c
		}
	}
	return best
}

// order returns the rows with a place that may score enough.
func (j *job) order() []high {
	j.ordered = j.ordered[:0]
	for _, h := range j.highs {
		if h.estimate > -2 {
			j.ordered = append(j.ordered, h)
		}
	}
	return j.ordered
}

// pays reports whether to make the scores of places with a bound of theta takes less time than to
// make all scores.
func (j *job) pays() bool {
	if j.side != 0 {
		return true
	}
	_, all := j.plan()
	return float64(j.survivors(1+j.h/256))*j.products() <= all
}

// survivors returns about how many places may score theta, by every step-th row.
func (j *job) survivors(step int) int {
	limit := j.limit(j.theta)
	n := 0
	for y := 0; y < j.h; y += step {
		if j.highs[y].most > limit {
			n += countBounds(j.bounds[y*j.w:][:j.w], limit)
		}
	}
	return n * step
}

// countBounds returns the number of bounds that are more than limit, without branches.
func countBounds(bounds []float32, limit float32) int {
	var n uint32
	for _, b := range bounds {
		n += math.Float32bits(limit-b) >> 31 // the sign
	}
	return int(n)
}

// products returns the number of products that kernels make in the time of a single score: those of
// bytes make five times as many.
func (j *job) products() float64 {
	n := float64(3*j.template.w*j.template.h*j.template.channels + 200)
	if j.kernels.bytes {
		n *= 5
	}
	return n
}

// limit returns what the bounds of places that may score theta are more than.
func (j *job) limit(theta float64) float32 {
	return float32(theta) - 1e-6
}

// few is the number of places in a tile of group by blockRows for which single scores are made.
const few = 16

// examine makes the scores of the places of a part whose bounds are large enough.
func (j *job) examine(l *lane, part image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y += blockRows {
		rows := min(blockRows, part.Max.Y-y)
		limit := j.limit(max(j.theta, l.best.score))
		if !slices.ContainsFunc(j.highs[y:y+rows], func(h high) bool { return h.most > limit }) {
			continue
		}
		many := image.Rect(part.Min.X, y, part.Min.X, y+rows) // the last tiles with many places
		for x := part.Min.X; x < part.Max.X; x += group {
			tile := image.Rect(x, y, min(x+group, part.Max.X), y+rows)
			n := j.count(tile, limit)
			if n > few {
				if many.Max.X < x {
					j.direct(l, many)
					many.Min.X = x
				}
				many.Max.X = tile.Max.X
			} else if n > 0 {
				j.examineTile(l, tile)
			}
		}
		j.direct(l, many)
	}
}

// count returns the number of places in a tile whose bounds are more than limit.
func (j *job) count(tile image.Rectangle, limit float32) int {
	n := 0
	for y := tile.Min.Y; y < tile.Max.Y; y++ {
		n += countBounds(j.bounds[y*j.w+tile.Min.X:y*j.w+tile.Max.X], limit)
	}
	return n
}

// examineTile makes the scores of the places of a tile whose bounds are large enough, one by one.
func (j *job) examineTile(l *lane, tile image.Rectangle) {
	for y := tile.Min.Y; y < tile.Max.Y; y++ {
		for x := tile.Min.X; x < tile.Max.X; x++ {
			if j.bounds[y*j.w+x] <= j.limit(max(j.theta, l.best.score)) {
				continue
			}
			c := candidate{l.single.score(j, x, y), int32(x), int32(y)}
			switch {
			case j.goal == toFindAll && c.score >= j.opts.MinScore:
				l.found = append(l.found, c)
			case j.goal == toFind && compare(c, l.best) < 0:
				l.best = c
			}
		}
	}
}
