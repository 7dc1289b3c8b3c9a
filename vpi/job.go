package vpi

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A job is the memory of a call, for one image. It is used again for others.
type job struct {
	detector *Detector
	img      borderedImage
	pixels   []byte // with the border, for package fast
	found    []fast.Corner
	lanes    worker.Lanes[lane]
	bands    []band
	corners  []Corner
	ranked   []uint64 // indices of corners, after bits that put the strongest first
}

// A band is a part of the rows that are tested, and what is found there.
type band struct {
	begin, end int
	corners    []Corner
}

// release puts j back. It keeps nothing that belongs to the caller.
func (j *job) release() {
	j.img = borderedImage{}
	j.detector.pool.Put(j)
}

// search appends the corners of img that the options ask for to dst, and returns how many
// there are in all.
func (j *job) search(dst []Corner, img Image) ([]Corner, int) {
	o := &j.detector.opts
	j.corners = j.corners[:0]
	if !img.bounds.Empty() {
		j.img = newBorderedImage(img, o.Border, o.CircleRadius)
		j.find()
	}
	n := len(j.corners)
	kept := n
	if o.MaxCorners > 0 {
		kept = min(o.MaxCorners, n)
	}
	if !o.Strongest {
		return append(dst, j.corners[:kept]...), n
	}
	j.ranked = raster.Resize(j.ranked, n)
	for i, c := range j.corners {
		j.ranked[i] = uint64(math.MaxUint16-c.Score)<<32 | uint64(i)
	}
	slices.Sort(j.ranked)
	dst = slices.Grow(dst, kept)
	for _, r := range j.ranked[:kept] {
		dst = append(dst, j.corners[uint32(r)])
	}
	return dst, n
}

// find finds all corners, in raster order.
func (j *job) find() {
	d := j.detector
	side := 2*d.opts.CircleRadius + 1
	switch {
	case min(j.img.w, j.img.h) < side || d.threshold > float64(formats[j.img.size].largest):
	case d.fast != nil && j.img.size == 1:
		j.findFast()
	default:
		j.share()
	}
}

// findFast is find by package fast.
func (j *job) findFast() {
	img := &j.img
	gray := image.Gray{Pix: img.pix, Stride: img.stride, Rect: img.bounds}
	if img.margin > 0 || img.flip != 0 {
		j.pixels = raster.Resize(j.pixels, img.w*img.h)
		for y := range img.h {
			row := j.pixels[y*img.w:][:img.w]
			img.setRow(row, y)
			if img.flip != 0 {
				for i := range row {
					row[i] ^= byte(img.flip)
				}
			}
		}
		gray = image.Gray{Pix: j.pixels, Stride: img.w, Rect: image.Rect(0, 0, img.w, img.h)}
	}
	j.found = j.detector.fast.Append(j.found[:0], &gray)
	j.corners = raster.Resize(j.corners, len(j.found))
	move := img.bounds.Min.Sub(gray.Rect.Min).Sub(image.Pt(img.margin, img.margin))
	for i, c := range j.found {
		j.corners[i] = Corner{X: c.X + int32(move.X), Y: c.Y + int32(move.Y), Score: uint16(c.Score) + 1}
	}
}

// share is find by as many goroutines as Options.Workers says.
func (j *job) share() {
	first := j.lanes.All()[0]
	first.start(j.detector, &j.img)
	workers := worker.For(j.detector.opts.Workers, raster.Shares(first.w, first.h))
	for _, l := range j.lanes.AtLeast(workers)[1:workers] {
		l.start(j.detector, &j.img)
	}
	rows := raster.BandRows(first.h, workers, 32, 1)
	j.bands = j.bands[:0]
	for y := 0; y < first.h; y += rows {
		j.bands = append(j.bands, band{begin: y, end: min(y+rows, first.h)})
	}
	worker.Each(j, &j.lanes, workers, len(j.bands), (*job).searchBand)
	for _, b := range j.bands {
		j.corners = append(j.corners, b.corners...)
	}
}

// searchBand finds the corners of band i.
func (j *job) searchBand(l *lane, i int) {
	b, n := &j.bands[i], len(l.corners)
	l.search(b.begin, b.end)
	b.corners = l.corners[n:]
}
