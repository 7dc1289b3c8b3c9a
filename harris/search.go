package harris

import (
	"image"
	"math"
	"slices"
)

// appendCorners appends the corners of the image to dst.
func (j *job) appendCorners(dst []Corner, origin image.Point) []Corner {
	j.kernels = table.Best()
	w, h := j.plane.W, j.plane.H
	if min(w, h) < 2 {
		return dst
	}
	o := &j.detector.opts
	j.region = image.Rect(0, 0, w, h).Inset(min(max(o.Margin, 0), max(w, h)))
	j.inner = j.region
	if o.Margin == 0 {
		j.inner = j.region.Inset(1)
	}
	for _, l := range j.lanes.All() {
		l.keys = l.keys[:0]
		l.extremes.reset()
	}
	if o.SuppressionRadius == 1 && o.Margin == 0 && !o.qualityOfRange {
		j.share(2, (*job).findPeaks)
		j.setLimit()
	} else {
		j.findInSquares()
	}
	return j.appendBest(dst, origin)
}

// setLimit sets the limit that the options ask for, given all responses that count.
func (j *job) setLimit() {
	j.largest = 0
	smallest := float32(math.MaxFloat32)
	for _, l := range j.lanes.All() {
		j.largest = max(j.largest, maximum(&l.extremes.largest))
		smallest = min(smallest, slices.Min(l.extremes.smallest[:]))
	}
	j.limit = j.detector.opts.limit(j.largest, smallest)
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
func (j *job) findPeaks(l *lane, i int) {
	part, w, p := j.parts[i], j.plane.W, l.peaks
	p.start(part.Dx())
	inner := j.inner.Intersect(image.Rect(0, part.Min.Y, w, part.Max.Y))
	y := part.Min.Y - 1
	responses := j.pipeline(l)
	responses.start(&j.plane, part.Min.X, part.Max.X, y)
	largest := l.extremes.largest[0]
	for ; y <= part.Max.Y; y += 2 {
		j.step(l, responses, part.Min.X, y)
		if j.mask.Pix != nil {
			largest = l.extremes.largest[0]
		}
		// Peaks reach the threshold; corners will have to exceed the limit.
		threshold := max(j.detector.opts.limit(largest, 0), math.SmallestNonzeroFloat32)
		found := p.find(j.kernels.peaks, threshold)
		n := len(l.keys)
		l.keys = p.appendKeys(l.keys, (y-1)*w+part.Min.X, w)
		if y-1 < inner.Min.Y || y >= inner.Max.Y || j.mask.Pix != nil {
			l.keys = l.keys[:n+j.keep(l.keys[n:], inner)]
		}
		if j.mask.Pix == nil {
			largest = max(largest, found)
		}
	}
	l.extremes.largest[0] = largest
}

// step sets the last two rows of the peaksRun to the responses of rows y and y+1, from column
// x on.
func (j *job) step(l *lane, responses pipeline, x, y int) {
	l.peaks.next()
	var wanted [2][]float32
	for i, row := range l.peaks.rows[2:] {
		if y+i >= 0 && y+i < j.plane.H {
			wanted[i] = row
		} else {
			clear(row)
		}
	}
	if wanted[0] == nil && wanted[1] == nil {
		return
	}
	responses.pair(wanted[0], wanted[1])
	if j.mask.Pix != nil {
		for i, row := range wanted {
			if row != nil {
				j.count(l, row, x, y+i)
			}
		}
	}
}

// keep moves the keys of pixels in inner and in the mask to the beginning, and returns their
// number.
func (j *job) keep(keys []uint64, inner image.Rectangle) int {
	n := 0
	for _, key := range keys {
		x, y := j.place(key)
		if image.Pt(x, y).In(inner) && j.inMask(x, y) {
			keys[n] = key
			n++
		}
	}
	return n
}

// inMask reports whether the mask allows a corner at a pixel.
func (j *job) inMask(x, y int) bool {
	return j.mask.Pix == nil || j.mask.Row(y)[x] != 0
}

// place returns the coordinates of the pixel with the given key.
func (j *job) place(key uint64) (x, y int) {
	index, w := uint32(key), uint32(j.plane.W)
	return int(index % w), int(index / w)
}
