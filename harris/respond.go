package harris

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// appendResponses appends the responses of all pixels to dst.
func (s *scratch) appendResponses(dst []float32) []float32 {
	s.kernels = table.Best()
	n, size := len(dst), s.plane.W*s.plane.H
	dst = slices.Grow(dst, size)[:n+size]
	s.responses = dst[n:]
	if min(s.plane.W, s.plane.H) < 2 {
		clear(s.responses)
		return dst
	}
	s.region = image.Rectangle{}
	s.share(0, (*scratch).respond)
	return dst
}

// share calls do for all parts of the image, in as many goroutines as the options say. Strips
// overlap by the given number of columns.
func (s *scratch) share(overlap int, do func(s *scratch, l *lane, part int)) {
	whole := image.Rect(0, 0, s.plane.W, s.plane.H)
	s.parts = raster.AppendParts(s.parts[:0], whole, s.bandRows(2), maxStrip, stripAlign, overlap)
	worker.Each(s, &s.lanes, s.workers(), len(s.parts), do)
}

// workers returns how many goroutines share the image.
func (s *scratch) workers() int {
	return worker.For(s.detector.opts.Workers, raster.Shares(s.plane.W, s.plane.H))
}

// bandRows returns the number of rows that a worker takes at a time, a multiple of align.
func (s *scratch) bandRows(align int) int {
	return raster.BandRows(s.plane.H, s.workers(), 2*maxBlock, align)
}

// respond computes the responses of part i, and the largest and the smallest of those that
// count.
func (s *scratch) respond(l *lane, i int) {
	part := s.parts[i]
	var rows [2][]float32
	y := part.Min.Y - 1
	p := s.pipeline(l)
	p.start(&s.plane, part.Min.X, part.Max.X, y)
	for ; y < part.Max.Y; y += 2 {
		for i := range rows {
			rows[i] = nil
			if y+i >= part.Min.Y && y+i < part.Max.Y {
				rows[i] = s.responses[(y+i)*s.plane.W:][part.Min.X:part.Max.X]
			}
		}
		p.pair(rows[0], rows[1])
		for i, row := range rows {
			if row != nil {
				s.count(l, row, part.Min.X, y+i)
			}
		}
	}
}

// count takes those responses of row y, from column x on, into account that count for the
// limit.
func (s *scratch) count(l *lane, responses []float32, x, y int) {
	r := s.region.Intersect(image.Rect(x, y, x+len(responses), y+1))
	if r.Empty() {
		return
	}
	responses = responses[r.Min.X-x : r.Max.X-x]
	l.extremes.row = responses
	switch {
	case s.mask.Pix != nil:
		mask := s.mask.Row(y)[r.Min.X:r.Max.X]
		for i, v := range responses {
			if mask[i] != 0 {
				l.extremes.count(v)
			}
		}
	case len(responses) < minWidth:
		extremes(l.extremes)
	default:
		s.kernels.extremes(l.extremes)
	}
	l.extremes.row = nil
}
