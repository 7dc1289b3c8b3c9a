package flow

import (
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

const (
	// block is the largest number of points that a worker follows at once. The processor can
	// work on some while others wait, and what it needs for them fits in its nearest cache.
	block = 4
	// workerPoints is the least number of points for each worker. To wake another processor
	// may take as long as to follow some.
	workerPoints = 16
	// workerBlocks is how many blocks a worker follows, or more. There are several, so that
	// none waits long for the others.
	workerBlocks = 8
)

// bandRows is the number of rows of an image whose points are followed together, so that the
// pixels of their windows do not leave the cache in the meantime.
const bandRows = 32

// A job is the memory of a call: points that are followed from one image to another. Positions are
// relative to the upper left pixels. It is used again for other points.
type job struct {
	tracker         *Tracker
	kernels         *kernels
	first, second   *Pyramid
	points, guesses []Point
	tracks          []Track
	lanes           worker.Lanes[lane]
	kept            kept
	order           []int // the indices of the points, from the top of the image to the bottom
	bands           []int // memory for counting them
	block           int   // how many points are followed at once
}

func newJob(t *Tracker) *job {
	return &job{tracker: t, lanes: worker.NewLanes("flow", func() *lane { return newLane(t) })}
}

// run follows all points.
func (j *job) run() {
	j.kernels = table.Best()
	j.arrange()
	workers := worker.For(j.tracker.opts.Workers, int64(len(j.points)/workerPoints))
	j.block = block
	if workers > 1 {
		j.block = min(max(len(j.points)/(workers*workerBlocks), 2), block)
	}
	for _, l := range j.lanes.AtLeast(workers) {
		l.prepare(j.kernels)
	}
	j.kept.begin(j)
	worker.Each(j, &j.lanes, workers, (len(j.points)+j.block-1)/j.block, (*job).followBlock)
	for _, l := range j.lanes.All() {
		l.release()
	}
}

// arrange sets the order, which is that of the points within a band of rows.
func (j *job) arrange() {
	height := j.first.height()
	band := func(p Point) int {
		y := p.Y - j.first.min.Y
		if !(y >= 0) { // NaN is not
			return 0
		}
		return min(int(min(y, float32(height))), height) / bandRows // float32 may round up
	}
	j.bands = raster.Resize(j.bands, height/bandRows+2)
	clear(j.bands)
	for _, p := range j.points {
		j.bands[band(p)+1]++
	}
	for i := range j.bands[1:] {
		j.bands[i+1] += j.bands[i]
	}
	j.order = raster.Resize(j.order, len(j.points))
	for i, p := range j.points {
		at := &j.bands[band(p)]
		j.order[*at] = i
		*at++
	}
}

// followBlock follows block i of the points.
func (j *job) followBlock(l *lane, i int) {
	l.follow(j, j.order[i*j.block:min((i+1)*j.block, len(j.order))])
}

// release puts j back, without what belongs to the caller. After a panic it is not called.
func (j *job) release() {
	j.first, j.second = nil, nil
	j.points, j.guesses, j.tracks = nil, nil, nil
	j.tracker.pool.Put(j)
}
