package harris

import (
	"image"
	"math"
	"slices"
)

// appendCorners appends the corners of the image to dst.
func (s *scratch) appendCorners(dst []Corner, origin image.Point) []Corner {
	s.kernels = table.Best()
	w, h := s.plane.W, s.plane.H
	if min(w, h) < 2 {
		return dst
	}
	o := &s.detector.opts
	s.region = image.Rect(0, 0, w, h).Inset(min(max(o.Margin, 0), max(w, h)))
	s.inner = s.region
	if o.Margin == 0 {
		s.inner = s.region.Inset(1)
	}
	for _, l := range s.lanes.All() {
		l.keys = l.keys[:0]
		l.extremes.reset()
	}
	if o.SuppressionRadius == 1 && o.Margin == 0 && !o.qualityOfRange {
		s.share(2, (*scratch).findPeaks)
		s.setLimit()
	} else {
		s.findInSquares()
	}
	return s.appendBest(dst, origin)
}

// setLimit sets the limit that the options ask for, given all responses that count.
func (s *scratch) setLimit() {
	s.largest = 0
	smallest := float32(math.MaxFloat32)
	for _, l := range s.lanes.All() {
		s.largest = max(s.largest, maximum(&l.extremes.largest))
		smallest = min(smallest, slices.Min(l.extremes.smallest[:]))
	}
	s.limit = s.detector.opts.limit(s.largest, smallest)
}

// limit returns the number that the responses of corners exceed, given the largest and the
// smallest response. It is not negative.
func (o *Options) limit(largest, smallest float32) float32 {
	switch {
	case o.MinResponse != 0:
		return max(float32(o.MinResponse), 0)
	case o.qualityOfRange:
		span := float64(largest) - float64(smallest)
		return max(float32(float64(smallest)+float64(o.Quality*span)), 0)
	}
	return float32(float64(largest) * o.Quality)
}

// findPeaks finds the corners of part i with a SuppressionRadius of 1, except in its first and
// last columns. It keeps only the last four rows of responses. Until the largest response is
// known, it also finds pixels whose responses do not reach the limit.
func (s *scratch) findPeaks(l *lane, i int) {
	part, w, p := s.parts[i], s.plane.W, l.peaks
	p.start(part.Dx())
	inner := s.inner.Intersect(image.Rect(0, part.Min.Y, w, part.Max.Y))
	y := part.Min.Y - 1
	responses := s.pipeline(l)
	responses.start(&s.plane, part.Min.X, part.Max.X, y)
	largest := l.extremes.largest[0]
	for ; y <= part.Max.Y; y += 2 {
		s.step(l, responses, part.Min.X, y)
		if s.mask.Pix != nil {
			largest = l.extremes.largest[0]
		}
		// Peaks reach the threshold; corners will have to exceed the limit.
		threshold := max(s.detector.opts.limit(largest, 0), math.SmallestNonzeroFloat32)
		found := p.find(s.kernels.peaks, threshold)
		n := len(l.keys)
		l.keys = p.appendKeys(l.keys, (y-1)*w+part.Min.X, w)
		if y-1 < inner.Min.Y || y >= inner.Max.Y || s.mask.Pix != nil {
			l.keys = l.keys[:n+s.keep(l.keys[n:], inner)]
		}
		if s.mask.Pix == nil {
			largest = max(largest, found)
		}
	}
	l.extremes.largest[0] = largest
}

// step sets the last two rows of the peaksRun to the responses of rows y and y+1, from column
// x on.
func (s *scratch) step(l *lane, responses pipeline, x, y int) {
	l.peaks.next()
	var wanted [2][]float32
	for i, row := range l.peaks.rows[2:] {
		if y+i >= 0 && y+i < s.plane.H {
			wanted[i] = row
		} else {
			clear(row)
		}
	}
	if wanted[0] == nil && wanted[1] == nil {
		return
	}
	responses.pair(wanted[0], wanted[1])
	if s.mask.Pix != nil {
		for i, row := range wanted {
			if row != nil {
				s.count(l, row, x, y+i)
			}
		}
	}
}

// keep moves the keys of pixels in inner and in the mask to the beginning, and returns their
// number.
func (s *scratch) keep(keys []uint64, inner image.Rectangle) int {
	n := 0
	for _, key := range keys {
		x, y := s.place(key)
		if image.Pt(x, y).In(inner) && s.inMask(x, y) {
			keys[n] = key
			n++
		}
	}
	return n
}

// inMask reports whether the mask allows a corner at a pixel.
func (s *scratch) inMask(x, y int) bool {
	return s.mask.Pix == nil || s.mask.Row(y)[x] != 0
}

// place returns the coordinates of the pixel with the given key.
func (s *scratch) place(key uint64) (x, y int) {
	index, w := uint32(key), uint32(s.plane.W)
	return int(index % w), int(index / w)
}
