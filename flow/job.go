package flow

import (
	"sync/atomic"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

const (
	// block is the largest number of points that a worker follows at once. The processor can
	// work on some while others wait.
	block = 8
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

// A job is points that are followed from one image to another. Positions are relative to
// the upper left pixels. It is used again for other points.
type job struct {
	tracker         *Tracker
	kernels         *kernels
	first, second   *Pyramid
	points, guesses []Point
	tracks          []Track
	followers       []*follower // one for each worker
	order           []int       // the indices of the points, from the top of the image to the bottom
	bands           []int       // memory for counting them
	shares          []share     // one for each worker
	block           int         // how many points are followed at once
}

// A share is points that a worker is to follow. Those that have nothing left take from the shares
// of others.
type share struct {
	next atomic.Int64 // in the order, the first point that no worker has taken
	end  int
}

func newJob(t *Tracker) *job {
	return &job{tracker: t}
}

// run follows all points.
func (j *job) run() {
	j.kernels = table.Best()
	j.arrange()
	workers := max(min(j.tracker.opts.Workers, len(j.points)/workerPoints), 1)
	for len(j.followers) < workers {
		j.followers = append(j.followers, newFollower(j.tracker))
	}
	j.block = block
	if workers > 1 {
		j.block = min(max(len(j.points)/(workers*workerBlocks), 2), block)
	}
	j.shares = raster.Resize(j.shares, workers)
	for i := range j.shares {
		j.shares[i].next.Store(int64(len(j.points)) * int64(i) / int64(workers))
		j.shares[i].end = int(int64(len(j.points)) * int64(i+1) / int64(workers))
	}
	if workers == 1 {
		j.work(0)
		return
	}
	worker.Run("flow", workers, func() { j.work(0) }, j.work)
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

// work follows blocks of points, as one of the workers, until none is left.
func (j *job) work(w int) {
	f := j.followers[w]
	f.prepare(j.kernels)
	for i := range j.shares {
		share := &j.shares[(w+i)%len(j.shares)]
		for {
			begin := int(share.next.Add(int64(j.block))) - j.block
			if begin >= share.end {
				break
			}
			f.follow(j, j.order[begin:min(begin+j.block, share.end)])
		}
	}
	f.release()
}

// release puts j back, without what belongs to the caller. After a panic it is not called.
func (j *job) release() {
	j.first, j.second = nil, nil
	j.points, j.guesses, j.tracks = nil, nil, nil
	j.tracker.pool.Put(j)
}
