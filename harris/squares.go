package harris

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// findInSquares finds the corners with any SuppressionRadius. It computes the responses of the
// whole image first.
func (j *job) findInSquares() {
	w, h := j.plane.W, j.plane.H
	j.memory = raster.Resize(j.memory, w*h)
	j.responses = j.memory
	j.share(0, (*job).respond)
	j.setLimit()
	r := j.region
	if r.Empty() || j.largest <= j.limit {
		return
	}

	radius := min(j.detector.opts.SuppressionRadius, max(w, h))
	j.grid.Reset(j.responses[r.Min.Y*w+r.Min.X:], r.Dx(), r.Dy(), w, radius, false)
	// The coordinates of parts are those of blocks from here on.
	columns, rows := j.grid.Blocks()
	j.parts = raster.AppendParts(j.parts[:0], image.Rect(0, 0, columns, rows), j.bandRows(radius+1)/(radius+1), columns, 1, 0)
	worker.Each(j, &j.lanes, j.workers(), len(j.parts), (*job).maximize)
	worker.Each(j, &j.lanes, j.workers(), len(j.parts), (*job).findLargest)
}

// maximize prepares the blocks of part i for findLargest.
func (j *job) maximize(l *lane, i int) {
	part := j.parts[i]
	for row := part.Min.Y; row < part.Max.Y; row++ {
		l.finder.Maximize(&j.grid, row, part.Min.X, part.Max.X)
	}
}

// findLargest finds the corners in the blocks of part i.
func (j *job) findLargest(l *lane, i int) {
	part := j.parts[i]
	l.places = l.places[:0]
	for row := part.Min.Y; row < part.Max.Y; row++ {
		l.places = l.finder.Append(l.places, &j.grid, row, part.Min.X, part.Max.X, j.limit)
	}
	for _, p := range l.places {
		at := j.region.Min.Add(image.Pt(p.X, p.Y))
		if at.In(j.inner) && j.inMask(at.X, at.Y) {
			index := at.Y*j.plane.W + at.X
			l.keys = append(l.keys, newKey(j.responses[index], index))
		}
	}
}
