package vpi

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A detection is the work on one image, in memory that is reused.
type detection struct {
	detector *Detector
	img      borderedImage
	pixels   []byte // with the border, for package fast
	found    []fast.Corner
	lanes    worker.Lanes[searcher]
	bands    []band
	corners  []Corner
	ranked   []uint64 // indices of corners, after bits that put the strongest first
}

// A band is a part of the rows that are tested, and what is found there.
type band struct {
	begin, end int
	corners    []Corner
}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *detection) release() {
	s.img = borderedImage{}
	s.detector.pool.Put(s)
}

// search appends the corners of img that the options ask for to dst, and returns how many
// there are in all.
func (s *detection) search(dst []Corner, img Image) ([]Corner, int) {
	o := &s.detector.opts
	s.corners = s.corners[:0]
	if !img.bounds.Empty() {
		s.img = newBorderedImage(img, o.Border, o.CircleRadius)
		s.find()
	}
	n := len(s.corners)
	kept := n
	if o.MaxCorners > 0 {
		kept = min(o.MaxCorners, n)
	}
	if !o.Strongest {
		return append(dst, s.corners[:kept]...), n
	}
	s.ranked = raster.Resize(s.ranked, n)
	for i, c := range s.corners {
		s.ranked[i] = uint64(math.MaxUint16-c.Score)<<32 | uint64(i)
	}
	slices.Sort(s.ranked)
	dst = slices.Grow(dst, kept)
	for _, r := range s.ranked[:kept] {
		dst = append(dst, s.corners[uint32(r)])
	}
	return dst, n
}

// find finds all corners, in raster order.
func (s *detection) find() {
	d := s.detector
	side := 2*d.opts.CircleRadius + 1
	switch {
	case min(s.img.w, s.img.h) < side || d.threshold > float64(formats[s.img.size].largest):
	case d.fast != nil && s.img.size == 1:
		s.findFast()
	default:
		s.share()
	}
}

// findFast is find by package fast.
func (s *detection) findFast() {
	img := &s.img
	gray := image.Gray{Pix: img.pix, Stride: img.stride, Rect: img.bounds}
	if img.margin > 0 || img.flip != 0 {
		s.pixels = raster.Resize(s.pixels, img.w*img.h)
		for y := range img.h {
			row := s.pixels[y*img.w:][:img.w]
			img.setRow(row, y)
			if img.flip != 0 {
				for i := range row {
					row[i] ^= byte(img.flip)
				}
			}
		}
		gray = image.Gray{Pix: s.pixels, Stride: img.w, Rect: image.Rect(0, 0, img.w, img.h)}
	}
	s.found = s.detector.fast.Append(s.found[:0], &gray)
	s.corners = raster.Resize(s.corners, len(s.found))
	move := img.bounds.Min.Sub(gray.Rect.Min).Sub(image.Pt(img.margin, img.margin))
	for i, c := range s.found {
		s.corners[i] = Corner{X: c.X + int32(move.X), Y: c.Y + int32(move.Y), Score: uint16(c.Score) + 1}
	}
}

// share is find by as many goroutines as Options.Workers says.
func (s *detection) share() {
	first := s.lanes.All()[0]
	first.start(s.detector, &s.img)
	workers := worker.For(s.detector.opts.Workers, raster.Shares(first.w, first.h))
	for _, l := range s.lanes.AtLeast(workers)[1:workers] {
		l.start(s.detector, &s.img)
	}
	rows := raster.BandRows(first.h, workers, 32, 1)
	s.bands = s.bands[:0]
	for y := 0; y < first.h; y += rows {
		s.bands = append(s.bands, band{begin: y, end: min(y+rows, first.h)})
	}
	worker.Each(s, &s.lanes, workers, len(s.bands), (*detection).searchBand)
	for _, b := range s.bands {
		s.corners = append(s.corners, b.corners...)
	}
}

// searchBand finds the corners of band i.
func (s *detection) searchBand(l *searcher, i int) {
	b, n := &s.bands[i], len(l.corners)
	l.search(b.begin, b.end)
	b.corners = l.corners[n:]
}
