package locate

// set gives r the formula of a similarity with t, for products of its pixels less the centers of the
// channels.
func (r *scoreRun) set(s Similarity, t *pattern, centers [3]int64) {
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
	r.sum2, r.largest = t.sum2, float64(65025*t.valueCount)
}

// score makes the scores of r by the formula that it was set to.
func (t *task) score(r *scoreRun) {
	switch {
	case t.opts.Similarity == Difference:
		t.kernels.differ(r)
	case r.variation == 0:
		clear(r.scores[:r.n])
	default:
		t.kernels.normalize(r)
	}
}

// A single makes the scores of places one by one.
type single struct {
	place placeRun
	run   scoreRun
}

// release drops what belongs to others.
func (s *single) release() {
	s.place.pix, s.place.values, s.place.mask = nil, nil, nil
}

// score returns the score of the place in column x of row y.
func (s *single) score(t *task, x, y int) float64 {
	m, p, r := &t.template.pattern, &s.place, &s.run
	r.set(t.opts.Similarity, m, m.mean)
	if r.scores == nil {
		r.products, r.sums2, r.scores = make([]int64, group), make([]int64, group), make([]float64, group)
		for c := range r.sums {
			r.sums[c] = make([]int32, group)
		}
	}
	p.stride, p.columns, p.maskStride = t.scene.stride, m.stride, m.maskStride
	r.products[0], r.sums2[0] = 0, 0
	for c := range m.channels {
		p.sum = 0
		for row := 0; row < m.h; row += p.rows {
			p.rows = min(m.h-row, placePixels/m.stride)
			p.pix = t.scene.row(c, x, y+row)
			p.values, p.mask = m.values[c][row*m.stride:], m.mask[row*m.maskStride:]
			p.product, p.sum2 = 0, 0
			t.kernels.place(p)
			r.products[0] += p.product
			r.sums2[0] += p.sum2
		}
		r.sums[c][0] = int32(p.sum)
	}
	r.n = 1
	t.score(r)
	return r.scores[0]
}
