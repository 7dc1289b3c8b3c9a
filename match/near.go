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

// A near is a search for the nearest candidates: the train descriptors whose points in grid lie in the
// circle of a query descriptor.
type near struct {
	*nearest
	circles []Circle
	grid    *Grid
}

// check panics if the circles or the grid do not belong to the sets.
func (n near) check() {
	switch {
	case n.grid == nil:
		panic("match: nil Grid")
	case len(n.circles) != n.query.n:
		panic(fmt.Sprintf("match: %d circles for %d query descriptors", len(n.circles), n.query.n))
	case n.grid.n != n.train.n:
		panic(fmt.Sprintf("match: a grid of %d points for %d train descriptors", n.grid.n, n.train.n))
	}
}

// find finds what the options ask for.
func (n near) find() {
	n.workers = worker.For(n.opts.Workers, int64(n.query.n/min(nearQueries, n.kernels.share)))
	parts := n.begin(n.opts.Ratio > 0, n.opts.CrossCheck)
	worker.Each(n, &n.lanes, n.workers, parts, near.findPart)
}

// findPart finds the nearest candidates for a part.
func (n near) findPart(l *lane, part int) {
	c := &l.candidates
	begin, end := n.bounds(part)
	for i := begin; i < end; i++ {
		c.indices = n.grid.appendInside(c.indices[:0], n.circles[i])
		c.distances = raster.Resize(c.distances, len(c.indices))
		n.setDistances(l, i)
		distances := c.distances[:len(c.indices)]
		best, second := noPair, noPair
		for k, t := range c.indices {
			p := pair(distances[k])<<32 | pair(t)
			second = min(second, max(best, p))
			best = min(best, p)
		}
		n.best[i] = best
		if len(n.second) > 0 {
			n.second[i] = second
		}
		if len(n.columns) > 0 {
			for k, t := range c.indices {
				lower(&n.columns[t], pair(distances[k])<<32|pair(i))
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

// setDistances sets the distances of the candidates of query descriptor i. For the few of them, packing
// for the kernels would take longer than what they save, except for vectors, which one of them takes
// as they are.
func (n near) setDistances(l *lane, i int) {
	candidates, query, train := l.candidates.indices, &n.query, &n.train
	list := l.candidates.distances[:len(candidates)]
	switch {
	case n.metric == l2:
		r := &l.vectors.distances
		*r = distancesRun{&query.vectors[i], train.vectors, candidates, list}
		n.kernels.distances(r)
	case n.metric == hamming2:
		q0, q1, q2, q3 := query.long[i].words()
		for k, c := range candidates {
			t0, t1, t2, t3 := train.long[c].words()
			list[k] = uint32(differentCells(q0^t0, q1^t1) + differentCells(q2^t2, q3^t3))
		}
	case n.metric != flat:
		q0, q1, q2, q3 := query.long[i].words()
		for k, c := range candidates {
			t0, t1, t2, t3 := train.long[c].words()
			list[k] = uint32(bits.OnesCount64(q0^t0) + bits.OnesCount64(q1^t1) + bits.OnesCount64(q2^t2) + bits.OnesCount64(q3^t3))
		}
	case train.words != nil:
		q := query.flatWord(i)
		for k, c := range candidates {
			d := 0
			for at, t := range train.flatWord(int(c)) {
				d += bits.OnesCount64(q[at] ^ t)
			}
			list[k] = uint32(d)
		}
	default:
		q := query.flatBytes(i)
		for k, c := range candidates {
			list[k] = uint32(differentBits(q, train.flatBytes(int(c))))
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
