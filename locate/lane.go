package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/fft"
	"github.com/fastcorners/fast/internal/raster"
)

// A lane is the memory of a worker, which makes the scores of a part of the places after the
// other.
type lane struct {
	part image.Rectangle
	n    int // places in a row, padded

	multiplyRun multiplyRun
	windows     windows
	scoreRun    scoreRun
	exact       scoreRun   // of some places of a row
	products    []int64    // of blockRows rows
	more        []int64    // of another channel
	maskSums    [3][]int32 // of windows, where these are made by transforms
	maskSums2   []int64
	transform   fft.Scratch
	low         lowLane
	single      single
	bounds      boundLane

	best  candidate
	found []candidate
}

func newLane() *lane {
	l := new(lane)
	l.forget()
	return l
}

// forget drops the results of other jobs.
func (l *lane) forget() {
	l.best = candidate{score: -2}
	l.found = l.found[:0]
}

// release drops what belongs to others.
func (l *lane) release() {
	l.multiplyRun.pix, l.multiplyRun.values, l.multiplyRun.bytes = nil, nil, nil
	l.low.release()
	l.windows.release()
	l.single.release()
	l.bounds.release()
}

// begin prepares for a part of the places, and for products of the template's pixels less the centers of
// the channels.
func (l *lane) begin(j *job, part image.Rectangle, centers [3]int64) {
	t := j.template
	l.part, l.n, l.low.scored = part, padded(part.Dx()), false
	m, r := &l.multiplyRun, &l.scoreRun
	l.products = raster.Resize(l.products, blockRows*l.n)
	m.stride, m.apart, m.n, m.pairs, m.quads = j.scene.stride, l.n, l.n, (t.w+1)/2, (t.w+3)/4
	m.products, m.sums = l.products, raster.Resize(m.sums, l.n)
	r.set(j.opts.Similarity, t, centers)
	r.n, r.scores, r.responses = l.n, raster.Resize(r.scores, l.n), raster.Resize(r.responses, group)
}

// multiply adds the products of blockRows rows of places, from row y on, by a kernel.
func (l *lane) multiply(j *job, y int, kernel func(*multiplyRun)) {
	t, m := j.template, &l.multiplyRun
	// As many rows of pixels as their products have room in 31 bits.
	most := productPixels / (2 * m.pairs)
	for c := range t.channels {
		values, bytes := t.products(c, j.kernels.bytes)
		for row := 0; row < t.h+blockRows-1; row += m.rows {
			m.rows = min(most, t.h+blockRows-1-row)
			m.pix = j.scene.row(c, l.part.Min.X, y+row)
			if j.kernels.bytes {
				m.bytes = bytes[row*m.quads*4*blockRows:]
			} else {
				m.values = values[row*m.pairs*2*blockRows:]
			}
			kernel(m)
		}
	}
}

// score makes the scores of row y of places, whose products are set, with the sums of windows.
func (l *lane) score(j *job, y int) {
	l.windows.advance(j.kernels, y)
	l.windows.sum(j.kernels, y)
	l.scoreRun.sums, l.scoreRun.sums2 = l.windows.sums, l.windows.sums2
	l.scoreRow(j, y)
}

// scoreRow makes the scores of row y of places, whose products and sums are set.
func (l *lane) scoreRow(j *job, y int) {
	r, x, n := &l.scoreRun, l.part.Min.X, l.part.Dx()
	switch {
	case j.kernels.respond == nil || j.opts.Similarity == Difference:
		j.makeScores(r)
		j.take(l, x, y, r.scores[:n])
	case j.goal == toRespond:
		l.respond(j, j.response[y*j.w+x:][:n])
	default:
		l.seek(j, y)
	}
}

// respond sets the responses of a row of places. The last ones, which are no group, are made elsewhere.
func (l *lane) respond(j *job, to []float32) {
	r, e := &l.scoreRun, &l.exact
	whole := len(to) / group * group
	if whole > 0 {
		e.part(r, 0, whole)
		e.responses = to
		j.kernels.respond(e)
	}
	if whole < len(to) {
		e.part(r, whole, group)
		j.kernels.respond(e)
		copy(to[whole:], e.responses)
	}
	e.responses = nil
}

// part makes r that of n places of another one.
func (r *scoreRun) part(all *scoreRun, from, n int) {
	*r = *all
	r.n, r.products, r.sums2 = n, all.products[from:], all.sums2[from:]
	for c := range r.channels {
		r.sums[c] = all.sums[c][from:]
	}
}

// sought is the number of places, a multiple of group, whose scores are made where one of them is large
// enough.
const sought = 8 * group

// seek makes the scores of row y of places that are large enough, and of some others.
func (l *lane) seek(j *job, y int) {
	r, e, n := &l.scoreRun, &l.exact, l.part.Dx()
	for place := 0; place < n; place += e.n {
		least := j.opts.MinScore - seekMargin
		if j.goal == toFind {
			least = max(least, l.best.score-seekMargin)
		}
		if place = l.next(j, place, least); place >= n {
			return
		}
		place = place / group * group
		if count := min(sought, r.n-place); l.low.scored {
			*e = *r
			l.widen(e, place, count)
		} else {
			e.part(r, place, count)
		}
		j.kernels.normalize(e)
		j.take(l, l.part.Min.X+place, y, e.scores[:min(e.n, n-place)])
	}
}

// next returns the place of a score that is large enough, place or a later one, or one shortly before it.
func (l *lane) next(j *job, place int, least float64) int {
	switch r, low := &l.scoreRun, &l.low.scoreRun; {
	case least <= 0:
		return place
	case l.low.scored:
		low.place = place
		low.seek(j.kernels, least)
		return low.place
	default:
		r.place, r.least = place, least
		j.kernels.seek(r)
		return r.place
	}
}
