package locate

// A single makes the scores of places one by one.
type single struct {
	placeRun placeRun
	scoreRun scoreRun
}

// release drops what belongs to others.
func (s *single) release() {
	s.placeRun.pix, s.placeRun.values, s.placeRun.mask = nil, nil, nil
}

// score returns the score of the place in column x of row y.
func (s *single) score(j *job, x, y int) float64 {
	t, p, r := j.template, &s.placeRun, &s.scoreRun
	r.set(j.opts.Similarity, t, t.mean)
	if r.scores == nil {
		r.products, r.sums2, r.scores = make([]int64, group), make([]int64, group), make([]float64, group)
		for c := range r.sums {
			r.sums[c] = make([]int32, group)
		}
	}
	p.stride, p.columns, p.maskStride = j.scene.stride, t.stride, t.maskStride
	r.products[0], r.sums2[0] = 0, 0
	for c := range t.channels {
		p.sum = 0
		for row := 0; row < t.h; row += p.rows {
			p.rows = min(t.h-row, placePixels/t.stride)
			p.pix = j.scene.row(c, x, y+row)
			p.values, p.mask = t.values[c][row*t.stride:], t.mask[row*t.maskStride:]
			p.product, p.sum2 = 0, 0
			j.kernels.place(p)
			r.products[0] += p.product
			r.sums2[0] += p.sum2
		}
		r.sums[c][0] = int32(p.sum)
	}
	r.n = 1
	j.makeScores(r)
	return r.scores[0]
}
