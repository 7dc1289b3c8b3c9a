package locate

import (
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

// slack is how much bounds are larger than what is computed, so that no rounding to float32 makes
// them too small. A bound is made of integers, which are exact, by two dozen operations with float32. As
// means of windows are subtracted from integers, no term is much larger than the norms of the
// template and of the window, so that the bound is off by less than 3e-6 of the sum of its two
// terms. These are at most about 1 each where the bound is not above 1 anyway.
const slack = 2e-5

// cutoff returns the bound that places must exceed to reach a threshold.
func cutoff(threshold float64) float32 {
	return float32(threshold) - 1e-6
}

// A boundPlane is the bounds of all places, and what they are made of.
type boundPlane struct {
	*task
	outline *outline
	planes  *blockPlanes
	exact   bool // whether the sums of blocks and of their squares are
	// measures are those of all windows, if they are measured, or are to be kept for other templates.
	measures          measurePlanes
	measured, keeping bool
	bounds            []float32
}

// A high is what the bounds of a row of places, or of a part of it, come to.
type high struct {
	most float32 // the largest one
	// The place that is likely to have the largest score, and that score, or -2 if there is none.
	x, y     int32
	estimate float32
}

// A bounder is the memory of a worker that makes bounds, of a part of the places.
type bounder struct {
	run      boundRun
	windows  windows
	inner    windows
	measure  measureRun
	measures measurePlanes // of a row of places, if those of all are not kept
	multiply blockProductRun
	// The sums of blocks, exact ones or the others. Columns and squares of row y of places are in row y%side.
	sum                   blockSumRun
	stride                strideRun
	columns               [3][]uint32
	squareColumns         []uint32
	squares               []uint32 // of a row of blocks of a mask
	products              []int32  // of blocks, of a row of places
	bases                 []int32  // of all products
	ahead                 []int32  // the products of the rows of places from firstAhead to lastAhead-1
	firstAhead, lastAhead int
	best                  []float32 // the largest estimates of rows, up to tried of them
}

// release drops what belongs to others.
func (b *bounder) release() {
	b.windows.release()
	b.inner.release()
	b.run.bounds, b.run.measures, b.measure.measures = nil, measures{}, measures{}
	b.multiply.pairs, b.multiply.coefficients = nil, nil
	b.stride.entering, b.stride.leaving = [3][]uint32{}, [3][]uint32{}
	b.sum.entering, b.sum.leaving = [3][]uint32{}, [3][]uint32{}
}

// begin prepares for a part of the places.
func (b *bounder) begin(p *boundPlane, part image.Rectangle) {
	o, n := p.outline, padded(part.Dx())
	if !p.measured {
		b.beginMeasures(p, part)
	}
	b.run.n = part.Dx()
	b.run.set(p)
	b.products = raster.Resize(b.products, n)
	b.firstAhead, b.lastAhead = part.Min.Y, part.Min.Y
	b.bases, b.best = raster.Resize(b.bases, n), b.best[:0]
	for x := range b.bases {
		b.bases[x] = o.base
	}
	m := &b.multiply
	m.columns, m.rows, m.step, m.down, m.n = o.pairs, o.rows, 2*o.side, o.side*p.planes.stride, n
}

// set sets what bounds are given of the template of p.
func (r *boundTemplate) set(p *boundPlane) {
	t, o := p.template, p.outline
	r.channels, r.rest = t.channels, int32(o.rest)
	r.slack, r.sum2, r.largest, r.error = slack, float32(t.sum2), float32(65025*t.valueCount), float32(o.error)
	unit := 1.0
	if p.opts.Similarity != Difference {
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
	if !p.exact {
		r.lost += float32(t.channels * o.rows * o.columns * (1 + 2*255*(1<<p.planes.shift-1)))
	}
	r.setCutoff(cutoff(p.opts.MinScore))
}

// setCutoff sets which bounds are not needed: those less than the cutoff. Let n be the numerator of the means, q
// the norm of what is left of the template over its norm, and W and R the norms of a window and of what is left
// of it. What is left has at most R <= W, so that the bound is less if n < (cutoff-q)*W, and by Cauchy and
// Schwarz n + q*R is at most the root of n*n/(1-q*q) + R*R.
func (r *boundTemplate) setCutoff(cutoff float32) {
	r.cutoff, r.skipNumerator, r.skipMeans, r.skipAll = cutoff, -1, 0, -1
	least := float64(cutoff-r.slack) - 1e-5 // more than what rounding takes
	q := 1.001 * float64(r.q)               // since the norm of what is left is a little more
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

// beginMeasures prepares for the measures of a part of the places.
func (b *bounder) beginMeasures(p *boundPlane, part image.Rectangle) {
	t, o, r := p.template, p.outline, &b.measure
	n := padded(part.Dx())
	b.windows.beginLow(p.kernels, &p.scene.pixels, &t.shape, part, p.exact && o.rest == 0)
	b.measures.resize(t.channels, n, 1, o.rest > 0)
	r.channels, r.n, r.sums, r.sums2 = t.channels, n, b.windows.sums, b.windows.low
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
	if p.exact {
		b.beginExact(p, n)
		r.factor, r.unit = int32(o.side*o.side), 2/float32(o.side*o.side)
		if o.rest > 0 {
			r.inner = b.sum.sums
		} else {
			r.sums = b.sum.sums
		}
		return
	}
	if o.rest > 0 {
		b.inner.begin(p.kernels, &p.scene.pixels, &o.inner, part)
		r.inner = b.inner.sums
	}
	s := &b.stride
	s.side, s.blocks, s.n, s.sums = o.side, o.columns, n, r.squares
	s.count = padded(n + (o.columns-1)*o.side)
	s.channels, s.reciprocal = t.channels, p.planes.reciprocal
	b.squareColumns = zeros(b.squareColumns, s.side*s.count)
}

// beginExact prepares for exact sums of blocks for n places.
func (b *bounder) beginExact(p *boundPlane, n int) {
	o, s := p.outline, &b.sum
	s.channels, s.sums2 = p.template.channels, b.measure.squares
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

// all makes the bounds of a part of the places, and what they come to in each row.
func (b *bounder) all(p *boundPlane, part image.Rectangle, highs []high) {
	o := p.outline
	b.begin(p, part)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		if !p.measured {
			b.advance(p, y)
			b.sumSquares(p, part, y)
		}
		if y == b.lastAhead && y+blockRows*o.side <= part.Max.Y && o.rows >= blockRows && p.kernels.multiplyBands != nil {
			b.multiplyAhead(p, part.Min.X, y)
		}
		highs[y] = b.row(p, part.Min.X, y)
	}
}

// some makes the bounds of every step-th row of a strip of the places, and what they come to in each of these
// rows. The step is a multiple of the side of blocks.
func (b *bounder) some(p *boundPlane, part image.Rectangle, step int, highs []high) {
	b.begin(p, part)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		if !p.measured {
			b.advance(p, y)
			if y%p.outline.side == 0 {
				b.sumSquares(p, part, y)
			}
		}
		if y%step == 0 {
			highs[y/step] = b.row(p, part.Min.X, y)
		}
	}
}

// advance makes row y of places the one that measures are made of.
func (b *bounder) advance(p *boundPlane, y int) {
	b.windows.advance(p.kernels, y)
	if p.sumsInner() {
		b.inner.advance(p.kernels, y)
	}
}

// sumsInner reports whether sums of the pixels in whole blocks are to be made of pixels.
func (p *boundPlane) sumsInner() bool { return p.outline.rest > 0 && !p.exact }

// makeMeasures sets measures from window i on to those of row y of places, for which the sums of squares are
// made.
func (b *bounder) makeMeasures(p *boundPlane, y int, to *measurePlanes, i int) {
	b.windows.sum(p.kernels, y)
	if p.sumsInner() {
		b.inner.sum(p.kernels, y)
	}
	b.measure.measures = to.from(i)
	p.kernels.measure(&b.measure)
}

// row makes the bounds of row y of places, those from column x on.
func (b *bounder) row(p *boundPlane, x, y int) high {
	m, i := &b.measures, 0
	if p.measured || p.keeping {
		m, i = &p.measures, y*p.measures.stride+x
	}
	if !p.measured {
		b.makeMeasures(p, y, m, i)
	}
	r := &b.run
	r.measures = m.from(i)
	if y >= b.firstAhead && y < b.lastAhead {
		r.products = b.ahead[(y-b.firstAhead)*b.multiply.n:]
	} else {
		r.products = b.products
		b.multiplyAll(p, x, y)
	}
	r.bounds = p.bounds[y*p.w+x:]
	r.bar = max(float32(p.opts.MinScore), b.bar())
	if r.n < leastBounds {
		bound(r)
	} else {
		p.kernels.bound(r)
	}
	b.keep(r.estimate)
	return high{r.most, int32(x + r.at), int32(y), r.estimate}
}

// tried is the number of places that are likely to have a large score for which that is made first.
const tried = 32

// bar returns the estimate that places must exceed to be among those that are tried.
func (b *bounder) bar() float32 {
	if len(b.best) < tried {
		return -2
	}
	return b.best[0]
}

// keep adds an estimate to the best ones, the smallest of which is the first one.
func (b *bounder) keep(estimate float32) {
	if estimate <= b.bar() {
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

// sumSquares makes the sums of the squares of blocks for row y of places, and those of blocks if they are exact.
func (b *bounder) sumSquares(p *boundPlane, part image.Rectangle, y int) {
	o, planes := p.outline, p.planes
	row := func(y int) (pairs [3][]uint32) {
		for c := range p.template.channels {
			pairs[c] = planes.pairs[c][y*planes.stride+part.Min.X:]
		}
		return pairs
	}
	if o.blocks != nil {
		b.sumMaskSquares(p, row, y)
		return
	}
	leaving := row(len(planes.pairs[0])/planes.stride - 1)
	if y-part.Min.Y < o.side {
		for i := range o.rows - 1 {
			b.moveBlocks(p, y, row(y+i*o.side), leaving, 0)
		}
	} else {
		leaving = row(y - o.side)
	}
	b.moveBlocks(p, y, row(y+(o.rows-1)*o.side), leaving, padded(part.Dx()))
}

// moveBlocks moves the sums of columns of blocks for row y of places, and makes n sums.
func (b *bounder) moveBlocks(p *boundPlane, y int, entering, leaving [3][]uint32, n int) {
	phase := y % p.outline.side
	if !p.exact {
		s := &b.stride
		s.entering, s.leaving, s.columns, s.n = entering, leaving, b.squareColumns[phase*s.count:][:s.count], n
		p.kernels.stride(s)
		return
	}
	s := &b.sum
	s.entering, s.leaving, s.squares, s.n = entering, leaving, b.squareColumns[phase*s.count:][:s.count], n
	for c := range s.channels {
		s.columns[c] = b.columns[c][phase*s.count:][:s.count]
	}
	p.kernels.sumBlocks(s)
}

// sumMaskSquares is sumSquares for blocks of a mask. row returns the pairs of a channel in a row of blocks.
func (b *bounder) sumMaskSquares(p *boundPlane, row func(y int) [3][]uint32, y int) {
	o, s := p.outline, &b.stride
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
func (b *bounder) multiplyAll(p *boundPlane, x, y int) {
	m := &b.multiply
	m.products, m.apart = b.products, 0
	b.multiplyChannels(p, x, y, p.kernels.multiplyBlocks)
}

// multiplyAhead makes the products of all blocks for the rows of places from y on: blockRows for each row of a
// block.
func (b *bounder) multiplyAhead(p *boundPlane, x, y int) {
	m, side := &b.multiply, p.outline.side
	b.ahead = raster.Resize(b.ahead, blockRows*side*m.n)
	b.firstAhead, b.lastAhead = y, y+blockRows*side
	m.apart = side * m.n
	for i := range side {
		m.products = b.ahead[i*m.n:]
		b.multiplyChannels(p, x, y+i, p.kernels.multiplyBands)
	}
}

// multiplyChannels makes products of all channels with one of the kernels.
func (b *bounder) multiplyChannels(p *boundPlane, x, y int, kernel func(*blockProductRun)) {
	planes, m := p.planes, &b.multiply
	m.more, m.moreApart = b.bases, 0
	for c := range p.template.channels {
		m.coefficients, m.pairs = p.outline.coefficients[c], planes.pairs[c][y*planes.stride+x:]
		kernel(m)
		m.more, m.moreApart = m.products, m.apart
	}
}
