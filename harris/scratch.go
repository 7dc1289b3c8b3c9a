package harris

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/nms"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A scratch is the memory for one image. It is reused. Coordinates are those of its
// plane.
type scratch struct {
	detector  *Detector
	kernels   *kernels
	plane     plane
	mask      raster.Plane // without pixels where all count
	responses []float32
	parts     []image.Rectangle // of the image, for the workers
	lanes     []*lane           // of the workers

	region  image.Rectangle // what counts
	inner   image.Rectangle // where there may be corners
	largest float32         // response that counts, at least 0
	limit   float32         // that the responses of corners exceed

	memory  []float32 // for responses that the caller does not want
	grid    nms.Grid  // of the responses in the region
	luma    []float32 // of an image in color
	gray    []uint8   // the same, rounded
	ranking ranking
}

func newScratch(d *Detector) *scratch {
	return &scratch{detector: d, lanes: []*lane{newLane(d)}}
}

// A lane is the memory of a worker.
type lane struct {
	sources  []source // the fastest ones first; the last one serves all
	source   source   // which of them makes the responses of the image
	peaks    *peaksRun
	finder   nms.Finder
	places   []nms.Place
	keys     []uint64     // of the corners
	extremes *extremesRun // of the responses that count
}

func newLane(d *Detector) *lane {
	return &lane{sources: d.newSources(), peaks: newPeaksRun(), extremes: new(extremesRun)}
}

// choose chooses the source for images of a width.
func (l *lane) choose(k *kernels, w int) {
	for _, l.source = range l.sources {
		if l.source.serve(k, w) {
			break
		}
	}
}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release() {
	s.plane, s.mask, s.responses = plane{}, raster.Plane{}, nil
	for _, l := range s.lanes {
		for _, source := range l.sources {
			source.release()
		}
	}
	s.detector.pool.Put(s)
}

// workers returns how many goroutines share the image.
func (s *scratch) workers() int {
	return worker.Count(s.detector.opts.Workers, s.plane.W, s.plane.H)
}

// bandRows returns how many rows of the image a worker takes at a time, a multiple of
// align.
func (s *scratch) bandRows(align int) int {
	return worker.Rows(s.plane.H, s.workers(), 2*maxBlock, align)
}

// each calls do with all parts, in as many goroutines as the options say.
func (s *scratch) each(do func(s *scratch, l *lane, part image.Rectangle)) {
	workers := min(s.workers(), len(s.parts))
	if workers <= 1 {
		for _, part := range s.parts {
			do(s, s.lanes[0], part)
		}
		return
	}
	for len(s.lanes) < workers {
		s.lanes = append(s.lanes, newLane(s.detector))
	}
	worker.Share("harris", workers, len(s.parts), func(worker, i int) {
		do(s, s.lanes[worker], s.parts[i])
	})
}

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
	s.parts = appendParts(s.parts[:0], s.plane.W, s.plane.H, 0, s.bandRows(2))
	s.each((*scratch).respond)
	return dst
}

// respond makes the responses of a part, and finds the largest and smallest of those
// that count.
func (s *scratch) respond(l *lane, part image.Rectangle) {
	var rows [2][]float32
	y := part.Min.Y - 1
	l.choose(s.kernels, s.plane.W)
	l.source.start(&s.plane, part.Min.X, part.Max.X, y)
	for ; y < part.Max.Y; y += 2 {
		for i := range rows {
			rows[i] = nil
			if y+i >= part.Min.Y && y+i < part.Max.Y {
				rows[i] = s.responses[(y+i)*s.plane.W:][part.Min.X:part.Max.X]
			}
		}
		l.source.pair(rows[0], rows[1])
		for i, row := range rows {
			if row != nil {
				s.count(l, row, part.Min.X, y+i)
			}
		}
	}
}

// count makes those of the responses that count for the threshold do so. They are of
// row y from column x on.
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
