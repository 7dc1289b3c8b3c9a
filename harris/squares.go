package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// findInSquares finds the corners with any SuppressionRadius. It computes the responses of the
// whole image first.
func (s *scratch) findInSquares() {
	w, h := s.plane.W, s.plane.H
	s.memory = raster.Resize(s.memory, w*h)
	s.responses = s.memory
	s.share(0, (*scratch).respond)
	s.setLimit()
	r := s.region
	if r.Empty() || s.largest <= s.limit {
		return
	}

	radius := min(s.detector.opts.SuppressionRadius, max(w, h))
	s.grid.Reset(s.responses[r.Min.Y*w+r.Min.X:], r.Dx(), r.Dy(), w, radius, false)
	// The coordinates of parts are those of blocks from here on.
	columns, rows := s.grid.Blocks()
	s.parts = raster.AppendParts(s.parts[:0], image.Rect(0, 0, columns, rows), s.bandRows(radius+1)/(radius+1), columns, 1, 0)
	worker.Each(s, &s.lanes, s.workers(), len(s.parts), (*scratch).maximize)
	worker.Each(s, &s.lanes, s.workers(), len(s.parts), (*scratch).findLargest)
}

// maximize prepares the blocks of part i for findLargest.
func (s *scratch) maximize(l *lane, i int) {
	part := s.parts[i]
	for row := part.Min.Y; row < part.Max.Y; row++ {
		l.finder.Maximize(&s.grid, row, part.Min.X, part.Max.X)
	}
}

// findLargest finds the corners in the blocks of part i.
func (s *scratch) findLargest(l *lane, i int) {
	part := s.parts[i]
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
