package locate

import "image"

// A transformSearch makes the scores of all places by transforms of tiles.
type transformSearch struct {
	*task
	spectra *spectra
	squares [3][]int16 // of the scene's pixels less 128, if they are for the sums of windows
}

// time returns the number of products that are made in the time that transforms take.
func (s *transformSearch) time() float64 {
	_, time := s.transformsTime()
	return s.kernels.transformed * (float64(s.template.channels)*time + min(s.spansTime(), s.maskTime(time)))
}

// prepare implements search.
func (s *transformSearch) prepare(c *crew) bool {
	size, _ := s.transformsTime()
	s.spectra = s.template.spectra(size)
	s.squares = [3][]int16{}
	if s.transformsMask() {
		s.squares = s.scene.cache.squaresOf(&s.scene.pixels)
	}
	step := s.spectra.channels[0].Block()
	c.parts = c.parts[:0]
	for y := 0; y < s.h; y += step.Y {
		for x := 0; x < s.w; x += step.X {
			c.parts = append(c.parts, image.Rect(x, y, min(x+step.X, s.w), min(y+step.Y, s.h)))
		}
	}
	return true
}

// release drops what belongs to others.
func (s *transformSearch) release() { s.spectra, s.squares = nil, [3][]int16{} }

// part makes the scores of a part of the places, a tile.
func (s *transformSearch) part(l *lane, part image.Rectangle) {
	r, v := &l.scorer, &l.convolver
	r.begin(s.task, part, s.template.mean)
	v.convolve(s.task, s.spectra, &s.squares, part, r.n)
	if s.squares[0] == nil {
		r.windows.begin(s.kernels, &s.scene.pixels, &s.template.shape, part)
	}
	for y := range part.Dy() {
		products := v.products[y*r.n:][:r.n]
		if s.squares[0] == nil {
			r.score(s.task, part.Min.Y+y, products)
			continue
		}
		r.run.products, r.run.sums2 = products, v.maskSums2[y*r.n:][:r.n]
		for c := range r.run.channels {
			r.run.sums[c] = v.maskSums[c][y*r.n:][:r.n]
		}
		r.scoreRow(s.task, part.Min.Y+y)
	}
}
