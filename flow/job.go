package flow

import (
	"sync/atomic"

	"github.com/fastcorners/fast/internal/worker"
)

const (
	// block is the number of points that a worker follows at once. The processor can work
	// on some while others wait.
	block = 8
	// workerPoints is the least number of points for each worker. To wake another processor
	// can take 0.1 ms.
	workerPoints = 64
)

// A job is points that are followed from one image to another. Positions are relative to
// the upper left pixels. It is used again for other points.
type job struct {
	tracker         *Tracker
	kernels         *kernels
	first, second   *Pyramid
	points, guesses []Point
	tracks          []Track
	lanes           []*lane
	next            atomic.Int64 // the first point that no worker has taken
}

func newJob(t *Tracker) *job {
	return &job{tracker: t}
}

// run follows all points.
func (j *job) run() {
	j.kernels = table.Best()
	j.next.Store(0)
	workers := max(min(j.tracker.opts.Workers, len(j.points)/workerPoints), 1)
	for len(j.lanes) < workers {
		j.lanes = append(j.lanes, newLane(j.tracker))
	}
	if workers == 1 {
		j.work(0)
		return
	}
	worker.Run("flow", workers, func() { j.work(0) }, j.work)
}

// work follows blocks of points, in a lane, until none is left.
func (j *job) work(lane int) {
	l := j.lanes[lane]
	l.prepare(j.kernels)
	for {
		begin := int(j.next.Add(block)) - block
		if begin >= len(j.points) {
			break
		}
		l.follow(j, begin, min(begin+block, len(j.points)))
	}
	l.release()
}

// release puts j back, without what belongs to the caller. After a panic it is not called.
func (j *job) release() {
	j.first, j.second = nil, nil
	j.points, j.guesses, j.tracks = nil, nil, nil
	j.tracker.pool.Put(j)
}
