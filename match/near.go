package match

import (
	"fmt"
	"sync/atomic"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// nearQueries is the least number of query descriptors with candidates for each worker.
const nearQueries = 1 << 10

// near is match where query descriptors have candidates.
func (j *job) near(dst []Match, circles []Circle, grid *Grid) []Match {
	switch {
	case grid == nil:
		panic("match: nil Grid")
	case len(circles) != j.query.n:
		panic(fmt.Sprintf("match: %d circles for %d query descriptors", len(circles), j.query.n))
	case grid.n != j.train.n:
		panic(fmt.Sprintf("match: a grid of %d points for %d train descriptors", grid.n, j.train.n))
	}
	if !j.empty() {
		j.circles, j.grid = circles, grid
		j.workers = worker.For(j.opts.Workers, int64(j.query.n/min(nearQueries, j.kernels.share)))
		j.nearest(j.opts.Ratio > 0, j.opts.CrossCheck, (*job).nearPart)
		dst = j.appendNearest(dst)
	}
	j.release()
	return dst
}

// nearPart does a part of nearest for the candidates.
func (j *job) nearPart(s *scratch, begin, end int) {
	for i := begin; i < end; i++ {
		s.candidates = j.grid.appendInside(s.candidates[:0], j.circles[i])
		s.list = raster.Resize(s.list, len(s.candidates))
		j.train.setDistances(s, j.kernels, j.metric, &j.query, i)
		candidates, distances := s.candidates, s.list[:len(s.candidates)]
		best, second := noPair, noPair
		for k, c := range candidates {
			p := pair(distances[k])<<32 | pair(c)
			second = min(second, max(best, p))
			best = min(best, p)
		}
		j.best[i] = best
		if j.second != nil {
			j.second[i] = second
		}
		if j.columns != nil {
			for k, c := range candidates {
				lower(&j.columns[c], pair(distances[k])<<32|pair(i))
			}
		}
	}
}

// lower lowers *to to p, whatever other workers lower it to.
func lower(to *pair, p pair) {
	at := (*uint64)(to)
	for {
		old := atomic.LoadUint64(at)
		if uint64(p) >= old || atomic.CompareAndSwapUint64(at, old, uint64(p)) {
			return
		}
	}
}
