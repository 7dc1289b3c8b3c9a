package locate

import "image"

// A productSearch makes the scores of all places by products of all pixels.
type productSearch struct {
	*task
}

// time returns the number of products that are made, or could be in the time that everything takes.
func (s *productSearch) time() float64 {
	t := s.template
	each := float64((t.w + t.w%2) * (t.h + blockRows - 1))
	if s.low() && s.kernels.fold != nil {
		rows, quads := t.foldSize()
		each = float64(2*rows*4*quads) * foldLists / 16
	}
	products := float64(t.channels) * each * float64(padded(s.w)) * float64(s.h)
	return products + s.kernels.transformed*s.spansTime()
}

// prepare implements search.
func (s *productSearch) prepare(c *crew) bool {
	c.band(s.task)
	return true
}

// part makes the scores of a part of the places.
func (s *productSearch) part(l *lane, part image.Rectangle) {
	switch {
	case part.Empty():
	case s.flat():
		l.scorer.takeZeros(s.task, part)
	case s.low():
		s.lowPart(l, part)
	default:
		s.widePart(l, part)
	}
}

// centers returns what the pixels of the template are less by in products, for each channel.
func (s *productSearch) centers() [3]int64 {
	if s.kernels.bytes {
		return [3]int64{byteCenter, byteCenter, byteCenter}
	}
	return s.template.mean
}

// widePart makes the scores of a part by products of 64 bits.
func (s *productSearch) widePart(l *lane, part image.Rectangle) {
	r, m := &l.scorer, &l.multiplier
	r.begin(s.task, part, s.centers())
	m.begin(s.task, r.n)
	r.windows.begin(s.kernels, &s.scene.pixels, &s.template.shape, part)
	for y := part.Min.Y; y < part.Max.Y; y += blockRows {
		m.multiply(s.task, part.Min.X, y)
		for i := range min(blockRows, part.Max.Y-y) {
			r.score(s.task, y+i, m.products[i*r.n:][:r.n])
		}
	}
}

// foldPlaces and lowPlaces are the numbers of places in a row, multiples of group, whose products of 32 bits are
// made one row after the other, with folds and without: what they are made of stays in the first cache.
const foldPlaces, lowPlaces = 256, 512

// lowPart makes the scores of a part by products of 32 bits, strip by strip.
func (s *productSearch) lowPart(l *lane, part image.Rectangle) {
	places := lowPlaces
	if s.kernels.fold != nil {
		places = foldPlaces
	}
	for x := part.Min.X; x < part.Max.X; x += places {
		s.strip(l, image.Rect(x, part.Min.Y, min(x+places, part.Max.X), part.Max.Y))
	}
}

// strip makes the scores of a strip.
func (s *productSearch) strip(l *lane, part image.Rectangle) {
	r, m := &l.scorer, &l.multiplier
	r.beginLow(s.task, part, s.centers())
	m.beginLow(s.task, part)
	r.windows.beginLow(s.kernels, &s.scene.pixels, &s.template.shape, part, false)
	for y := part.Min.Y; y < part.Max.Y; y += blockRows {
		m.multiplyLow(s.task, part, y)
		for i := range min(blockRows, part.Max.Y-y) {
			r.scoreLow(s.task, y+i, m.lows[i*m.run.apart:][:r.n])
		}
	}
}
