package harris

import (
	"image"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// appendResponses appends the responses of all pixels to dst.
func (j *job) appendResponses(dst []float32) []float32 {
	j.kernels = table.Best()
	n, size := len(dst), j.plane.W*j.plane.H
	dst = slices.Grow(dst, size)[:n+size]
	j.responses = dst[n:]
	if min(j.plane.W, j.plane.H) < 2 {
		clear(j.responses)
		return dst
	}
	j.region = image.Rectangle{}
	j.share(0, (*job).respond)
	return dst
}

// share calls do for all parts of the image, in as many goroutines as the options say. Strips
// overlap by the given number of columns.
func (j *job) share(overlap int, do func(j *job, l *lane, part int)) {
	whole := image.Rect(0, 0, j.plane.W, j.plane.H)
	j.parts = raster.AppendParts(j.parts[:0], whole, j.bandRows(2), maxStrip, stripAlign, overlap)
	worker.Each(j, &j.lanes, j.workers(), len(j.parts), do)
}

// workers returns how many goroutines share the image.
func (j *job) workers() int {
	return worker.For(j.detector.opts.Workers, raster.Shares(j.plane.W, j.plane.H))
}

// bandRows returns the number of rows that a worker takes at a time, a multiple of align.
func (j *job) bandRows(align int) int {
	return raster.BandRows(j.plane.H, j.workers(), 2*maxBlock, align)
}

// respond computes the responses of part i, and the largest and the smallest of those that
// count.
func (j *job) respond(l *lane, i int) {
	part := j.parts[i]
	var rows [2][]float32
	y := part.Min.Y - 1
	p := j.pipeline(l)
	p.start(&j.plane, part.Min.X, part.Max.X, y)
	for ; y < part.Max.Y; y += 2 {
		for i := range rows {
			rows[i] = nil
			if y+i >= part.Min.Y && y+i < part.Max.Y {
				rows[i] = j.responses[(y+i)*j.plane.W:][part.Min.X:part.Max.X]
			}
		}
		p.pair(rows[0], rows[1])
		for i, row := range rows {
			if row != nil {
				j.count(l, row, part.Min.X, y+i)
			}
		}
	}
}

// count takes those responses of row y, from column x on, into account that count for the
// limit.
func (j *job) count(l *lane, responses []float32, x, y int) {
	r := j.region.Intersect(image.Rect(x, y, x+len(responses), y+1))
	if r.Empty() {
		return
	}
	responses = responses[r.Min.X-x : r.Max.X-x]
	l.extremes.row = responses
	switch {
	case j.mask.Pix != nil:
		mask := j.mask.Row(y)[r.Min.X:r.Max.X]
		for i, v := range responses {
			if mask[i] != 0 {
				l.extremes.count(v)
			}
		}
	case len(responses) < minWidth:
		extremes(l.extremes)
	default:
		j.kernels.extremes(l.extremes)
	}
	l.extremes.row = nil
}
