package match

import (
	"encoding/binary"
	"fmt"
	"math/bits"
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
		j.workers = worker.Limit(j.opts.Workers, int64(j.query.n/min(nearQueries, j.kernels.share)), worker.ColdShares)
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
		s.pairs = raster.Resize(s.pairs, len(s.candidates))
		j.setPairs(s, i)
		best, second := noPair, noPair
		for _, p := range s.pairs {
			second = min(second, max(best, p))
			best = min(best, p)
		}
		j.best[i] = best
		if j.second != nil {
			j.second[i] = second
		}
		if j.columns != nil {
			for _, p := range s.pairs {
				lower(&j.columns[p.index()], p>>32<<32|pair(i))
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

// setPairs sets the pairs to those of query descriptor i with its candidates. For the few of them,
// packing for the kernels would take longer than what they save, except for vectors, which one of
// them takes as they are.
func (j *job) setPairs(s *scratch, i int) {
	candidates := s.candidates
	pairs := s.pairs[:len(candidates)]
	switch {
	case j.metric == l2:
		s.list = raster.Resize(s.list, len(candidates))
		r := &s.run
		r.center, r.others, r.candidates, r.list = &j.query.vectors[i], j.train.vectors, candidates, s.list
		j.kernels.distances(r)
		for k, c := range candidates {
			pairs[k] = pair(s.list[k])<<32 | pair(c)
		}
	case j.metric == hamming:
		q0, q1, q2, q3 := j.query.long[i].words()
		for k, c := range candidates {
			t0, t1, t2, t3 := j.train.long[c].words()
			d := bits.OnesCount64(q0^t0) + bits.OnesCount64(q1^t1) + bits.OnesCount64(q2^t2) + bits.OnesCount64(q3^t3)
			pairs[k] = pair(d)<<32 | pair(c)
		}
	case j.metric == hamming2:
		q0, q1, q2, q3 := j.query.long[i].words()
		for k, c := range candidates {
			t0, t1, t2, t3 := j.train.long[c].words()
			d := differentCells(q0^t0, q1^t1) + differentCells(q2^t2, q3^t3)
			pairs[k] = pair(d)<<32 | pair(c)
		}
	case j.query.words != nil:
		q := j.query.flatWord(i)
		for k, c := range candidates {
			d := 0
			for at, t := range j.train.flatWord(int(c)) {
				d += bits.OnesCount64(q[at] ^ t)
			}
			pairs[k] = pair(d)<<32 | pair(c)
		}
	default:
		q := j.query.flatBytes(i)
		for k, c := range candidates {
			pairs[k] = pair(differentBits(q, j.train.flatBytes(int(c))))<<32 | pair(c)
		}
	}
}

// differentCells returns the number of cells of two bits that are not 0 in two words.
func differentCells(a, b uint64) int {
	const lower = 0x5555555555555555
	return bits.OnesCount64((a|a>>1)&lower | (b|b<<1)&^lower)
}

// differentBits returns the number of bits that differ.
func differentBits(a, b []byte) (n int) {
	for ; len(a) >= 8; a, b = a[8:], b[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b))
	}
	return n + bits.OnesCount64(littleEndian(a)^littleEndian(b))
}
