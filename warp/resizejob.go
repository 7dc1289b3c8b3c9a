package warp

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A resizeJob is one image that is made of another one of another size. It is used again for other
// images.
type resizeJob struct {
	opts *ResizerOptions
	// plans are those of the last images: of gray or colors and luma, and of chroma.
	plans [2]plan
	lanes worker.Lanes[resizeLane]
	parts []image.Rectangle

	plan     *plan
	dst, src plane
}

func newResizeJob(o *ResizerOptions) *resizeJob {
	return &resizeJob{opts: o, lanes: worker.NewLanes("warp", func() *resizeLane { return new(resizeLane) })}
}

// A resizeLane is the memory of a worker.
type resizeLane struct {
	half    halfRun
	area    areaRun
	linear  linearRun
	nearest nearestRun
	sums    []float32 // of areas
	along   []float32 // of areas, along a row
	lines   keptLines[int16]
	floats  keptLines[float32]
}

const (
	// workerBytes is the least number of bytes of both images for each worker.
	workerBytes = 1 << 20
	// minResizeRows is the least number of rows that a worker takes at a time.
	minResizeRows = 16
)

// run makes dst, which is not empty, with the plan of that number.
func (j *resizeJob) run(dst, src plane, size, number int) {
	j.dst, j.src, j.plan = dst, src, &j.plans[number]
	to, from := dst.rect.Size(), src.rect.Size()
	j.plan.prepare(planned{to, from, size, table.Best()}, j.opts.Interpolation)
	bytes := (int64(to.X)*int64(to.Y) + int64(from.X)*int64(from.Y)) * int64(size)
	workers := worker.For(j.opts.Workers, bytes/workerBytes)
	rows := raster.BandRows(to.Y, workers, minResizeRows, 1)
	j.parts = raster.AppendParts(j.parts[:0], image.Rectangle{Max: to}, rows, to.X, 1, 0)
	worker.Each(j, &j.lanes, workers, len(j.parts), (*resizeJob).part)
}

// part makes part i of the destination.
func (j *resizeJob) part(l *resizeLane, i int) {
	part := j.parts[i]
	j.plan.method.fill(l, &j.dst, &j.src, part.Min.Y, part.Max.Y)
}

// release puts j back, without what belongs to the caller. After a panic it is not called.
func (j *resizeJob) release(r *Resizer) {
	j.dst, j.src = plane{}, plane{}
	for _, l := range j.lanes.All() {
		l.half, l.area, l.linear, l.nearest = halfRun{}, areaRun{}, linearRun{}, nearestRun{}
	}
	r.jobs.Put(j)
}
