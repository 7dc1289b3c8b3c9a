package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// findInBlocks finds corners in squares of any size, from all responses.
func (s *scratch) findInBlocks() {
	w, h := s.plane.W, s.plane.H
	s.memory = raster.Resize(s.memory, w*h)
	s.responses = s.memory
	s.parts = appendParts(s.parts[:0], w, h, 0, s.bandRows(2))
	s.each((*scratch).respond)
	s.setLimit()
	r := s.region
	if r.Empty() || s.largest <= s.limit {
		return
	}

	radius := min(s.detector.opts.SuppressionRadius, max(w, h))
	s.grid.Reset(s.responses[r.Min.Y*w+r.Min.X:], r.Dx(), r.Dy(), w, radius, false)
	// Parts are blocks here.
	rows := (s.bandRows(radius+1) + radius) / (radius + 1)
	s.parts = s.parts[:0]
	columns, end := s.grid.Blocks()
	for y := 0; y < end; y += rows {
		s.parts = append(s.parts, image.Rect(0, y, columns, min(y+rows, end)))
	}
	s.each((*scratch).maximize)
	s.each((*scratch).findLargest)
}

// maximize makes rows of blocks ready for findLargest.
func (s *scratch) maximize(l *lane, part image.Rectangle) {
	for row := part.Min.Y; row < part.Max.Y; row++ {
		l.finder.Maximize(&s.grid, row, part.Min.X, part.Max.X)
	}
}

// findLargest finds the corners of rows of blocks.
func (s *scratch) findLargest(l *lane, part image.Rectangle) {
	l.places = l.places[:0]
	for row := part.Min.Y; row < part.Max.Y; row++ {
		l.places = l.finder.Append(l.places, &s.grid, row, part.Min.X, part.Max.X, s.limit)
	}
	for _, p := range l.places {
		at := s.region.Min.Add(image.Pt(p.X, p.Y))
		if at.In(s.inner) && s.inMask(at.X, at.Y) {
			index := at.Y*s.plane.W + at.X
			l.keys = append(l.keys, newKey(s.responses[index], index))
		}
	}
}
