package vpi

import (
	"cmp"
	"image"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/worker"
)

// A scratch is the memory for one image. It is reused.
type scratch struct {
	detector  *Detector
	src       source
	plane     []byte // of the source, for package fast
	found     []fast.Corner
	searchers []*searcher // of the workers
	bands     []band
	corners   []Corner
}

// A band is a part of the rows that are tested, and what is found there.
type band struct {
	begin, end int
	corners    []Corner
}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release() {
	s.src = source{}
	s.detector.pool.Put(s)
}

// search appends those corners of img to dst that the options ask for.
func (s *scratch) search(dst []Corner, img Image) ([]Corner, int) {
	o := &s.detector.opts
	s.corners = s.corners[:0]
	if !img.bounds.Empty() {
		s.src = newSource(img, o.Border, o.Radius)
		s.find()
	}
	if o.Strongest {
		slices.SortFunc(s.corners, func(a, b Corner) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
		})
	}
	kept := s.corners
	if o.Capacity > 0 {
		kept = kept[:min(o.Capacity, len(kept))]
	}
	return append(dst, kept...), len(s.corners)
}

// find lists all corners in raster order.
func (s *scratch) find() {
	d := s.detector
	side := 2*d.opts.Radius + 1
	switch {
	case min(s.src.w, s.src.h) < side || d.threshold > float64(formats[s.src.size].largest):
	case d.fast != nil && s.src.size == 1:
		s.findFast()
	default:
		s.share()
	}
}

// findFast is find by package fast.
func (s *scratch) findFast() {
	src := &s.src
	img := image.Gray{Pix: src.pix, Stride: src.stride, Rect: src.bounds}
	if src.margin > 0 || src.flip != 0 {
		s.plane = resize(s.plane, src.w*src.h)
		for y := range src.h {
			row := s.plane[y*src.w:][:src.w]
			src.setRow(row, y)
			if src.flip != 0 {
				for i := range row {
					row[i] ^= byte(src.flip)
				}
			}
		}
		img = image.Gray{Pix: s.plane, Stride: src.w, Rect: image.Rect(0, 0, src.w, src.h)}
	}
	s.found = s.detector.fast.Append(s.found[:0], &img)
	s.corners = resize(s.corners, len(s.found))
	move := src.bounds.Min.Sub(img.Rect.Min).Sub(image.Pt(src.margin, src.margin))
	for i, c := range s.found {
		s.corners[i] = Corner{X: c.X + int32(move.X), Y: c.Y + int32(move.Y), Score: uint16(c.Score) + 1}
	}
}

// share is find by as many goroutines as the options say.
func (s *scratch) share() {
	first := s.searchers[0]
	first.start(s.detector, &s.src)
	workers := worker.Count(s.detector.opts.Workers, first.w, first.h)
	if workers == 1 {
		first.search(0, first.h)
		s.corners = append(s.corners, first.corners...)
		return
	}
	rows := worker.Rows(first.h, workers, 32, 1)
	s.bands = s.bands[:0]
	for y := 0; y < first.h; y += rows {
		s.bands = append(s.bands, band{begin: y, end: min(y+rows, first.h)})
	}
	for len(s.searchers) < workers {
		s.searchers = append(s.searchers, new(searcher))
	}
	for _, searcher := range s.searchers[1:workers] {
		searcher.start(s.detector, &s.src)
	}
	worker.Share("vpi", workers, len(s.bands), func(worker, i int) {
		searcher, b := s.searchers[worker], &s.bands[i]
		n := len(searcher.corners)
		searcher.search(b.begin, b.end)
		b.corners = searcher.corners[n:]
	})
	for _, b := range s.bands {
		s.corners = append(s.corners, b.corners...)
	}
}
