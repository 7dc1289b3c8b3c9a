package match

import (
	"math"
	"sync"

	"github.com/fastcorners/fast/internal/worker"
)

// A job is the memory of a call: a comparison, and what the searches in it find. Its methods match,
// kNearest, within and near put it back.
type job struct {
	comparison
	nearest nearest
	lists   lists
}

var jobPool = sync.Pool{New: func() any {
	j := &job{comparison: comparison{lanes: worker.NewLanes("match", newLane)}}
	j.nearest.comparison, j.lists.comparison = &j.comparison, &j.comparison
	return j
}}

// release puts j back. It keeps nothing that belongs to the caller. After a panic it is not called.
func (j *job) release() {
	j.comparison.release()
	jobPool.Put(j)
}

// match appends the matches of the query descriptors with their nearest train descriptors
// to dst, except those that fail a test of the options.
func (j *job) match(dst []Match) []Match {
	if !j.empty() {
		j.nearest.find(j.opts.Ratio > 0, j.opts.CrossCheck)
		dst = j.nearest.appendMatches(dst, false)
	}
	j.release()
	return dst
}

// kNearest appends the nearest k train descriptors of each query descriptor to dst, those
// that are at a distance of up to MaxDistance.
func (j *job) kNearest(dst []Match, k int) []Match {
	switch k = min(k, j.train.n); {
	case k <= 0 || j.empty():
	case k <= 2:
		j.nearest.find(k == 2, false)
		dst = j.nearest.appendAll(dst)
	default:
		dst = j.lists.appendMatches(dst, j.opts.MaxDistance, k)
	}
	j.release()
	return dst
}

// within appends all train descriptors of each query descriptor to dst that are at a
// distance of up to radius and MaxDistance.
func (j *job) within(dst []Match, radius int) []Match {
	if radius >= 0 && !j.empty() {
		dst = j.lists.appendMatches(dst, min(radius, j.opts.MaxDistance), math.MaxInt)
	}
	j.release()
	return dst
}

// near is match where query descriptors have candidates: the train descriptors whose points in grid
// lie in their circles.
func (j *job) near(dst []Match, circles []Circle, grid *Grid) []Match {
	n := near{&j.nearest, circles, grid}
	n.check()
	if !j.empty() {
		n.find()
		dst = j.nearest.appendMatches(dst, true)
	}
	j.release()
	return dst
}
