package match

import (
	"sync"

	"github.com/fastcorners/fast/internal/worker"
)

const (
	// partQueries is the least number of query descriptors of a part that several
	// workers share: the chunks are packed for each part.
	partQueries = batch
	// workerParts is the largest number of parts for each worker. There are several, so
	// that no worker waits long for the others.
	workerParts = 4
)

// columnQueries is the number of query descriptors that the keys of columns can tell
// apart, if these have as many bits for an index. It is a variable for tests, and a multiple of
// group.
var columnQueries = 1 << indexBits

// slicedQueries and slicedTrains are the least numbers of query descriptors of a part and of train
// descriptors with which it saves time to slice these. They are variables for tests.
var slicedQueries, slicedTrains = 128, 640

// A nearest is the search for the nearest train descriptors.
type nearest struct {
	*comparison

	// The nearest train descriptor of each query descriptor and, unless second is empty,
	// the second nearest; unless columns is empty, the nearest query descriptor of each
	// train descriptor. Workers that compare all pairs lower columns one after the other.
	best, second, columns []pair
	lowering              sync.Mutex

	part int // the number of query descriptors that a worker takes at a time
}

// find finds the nearest of all train descriptors and, if they are wanted, the second nearest and
// columns.
func (n *nearest) find(second, columns bool) {
	worker.Each(n, &n.lanes, n.workers, n.begin(second, columns), (*nearest).findPart)
}

// begin prepares the results that are wanted, and returns the number of parts.
func (n *nearest) begin(second, columns bool) (parts int) {
	// size returns how many pairs there are of n if they are wanted.
	size := func(wanted bool, n int) int {
		if wanted {
			return n
		}
		return 0
	}
	queries := n.query.n
	n.best = filled(n.best, queries, noPair)
	n.second = filled(n.second, size(second, queries), noPair)
	n.columns = filled(n.columns, size(columns, n.train.n), noPair)
	n.part = queries
	if n.workers > 1 {
		n.part = max(partQueries, (queries-1)/(workerParts*n.workers)+1)
	}
	return (queries-1)/n.part + 1
}

// findPart finds the nearest of all train descriptors for a part.
func (n *nearest) findPart(l *lane, part int) {
	begin, end := n.bounds(part)
	if n.metric == hamming && len(n.columns) == 0 && n.kernels.slice != nil && end-begin >= slicedQueries && n.train.n >= slicedTrains {
		n.findSliced(l, begin, end)
	} else {
		n.findKeys(l, begin, end)
	}
}

// bounds returns where the query descriptors of a part begin and end.
func (n *nearest) bounds(part int) (begin, end int) {
	begin = part * n.part
	return begin, min(begin+n.part, n.query.n)
}

// findKeys is findPart with kernels that find keys.
func (n *nearest) findKeys(l *lane, begin, end int) {
	r := &l.run
	n.prepare(l, begin, end)
	columnQueries := min(columnQueries, 1<<n.bits)
	for base := 0; base < n.train.n; base += n.chunk {
		trains := n.setTrains(l, base)
		for first := begin; first < end; first += columnQueries {
			last := min(first+columnQueries, end)
			r.columns = nil
			if len(n.columns) > 0 {
				r.columns = l.columns[:len(r.index)]
				fill(r.columns, noKey)
			}
			for at := first; at < last; at += group {
				count := min(group, last-at)
				n.setQueries(l, at, count)
				r.firstQuery = uint32(at - first)
				r.second = nil
				if len(n.second) > 0 {
					r.second = l.second[:len(r.best)]
				}
				n.kernels.find[n.metric](r)
				n.lower(l, at, count, base)
			}
			if len(n.columns) > 0 {
				n.lowerColumns(r.columns[:trains], base, first)
			}
		}
	}
}

// lower lowers best and second of count query descriptors, the first of which is at, to what l
// has found in the chunk that begins at base.
func (n *nearest) lower(l *lane, at, count, base int) {
	best, bits := n.best[at:][:count], n.bits
	if len(n.second) == 0 {
		for i := range best {
			best[i] = min(best[i], pairOf(l.run.best[i], bits, base))
		}
		return
	}
	second := n.second[at:][:count]
	for i := range best {
		p := pairOf(l.run.best[i], bits, base)
		second[i] = min(second[i], pairOf(l.run.second[i], bits, base), max(best[i], p))
		best[i] = min(best[i], p)
	}
}

// lowerColumns lowers columns of the chunk that begins at base to keys whose indices
// count from first.
func (n *nearest) lowerColumns(keys []uint32, base, first int) {
	n.lowering.Lock()
	defer n.lowering.Unlock()
	columns := n.columns[base:][:len(keys)]
	for i, k := range keys {
		columns[i] = min(columns[i], pairOf(k, n.bits, first))
	}
}

// findSliced is findKeys with sliced descriptors. It makes no columns.
func (n *nearest) findSliced(l *lane, begin, end int) {
	s := &l.sliced
	if s.blocks == nil {
		s.blocks, s.places = make([][planes]plane, slicedBlocks), make([]byte, 2*(descriptorBits+planesAtOnce))
	}
	r := &s.run
	for base := 0; base < n.train.n; base += slicedBlocks * lanes {
		r.setBlocks(s.blocks, n.train.long[base:min(base+slicedBlocks*lanes, n.train.n)])
		blocks := r.blocks
		for i := begin; i < end; i++ {
			most := r.setQuery(s.places, &n.query.long[i]) + noDistance
			bound := n.bound(i)
			r.blocks = blocks
			for first := base; len(r.blocks) > 0; first += lanes {
				r.setLimit(most - bound)
				n.kernels.slice(r)
				first += r.found * lanes
				if r.found == len(r.blocks) {
					break
				}
				r.blocks = r.blocks[r.found+1:]
				for r.above != (plane{}) {
					similarity, lane := r.largest()
					if most-similarity >= bound {
						break
					}
					n.insert(i, pair(most-similarity)<<32|pair(uint32(first+lane)))
					bound = n.bound(i)
					if len(n.second) == 0 {
						break
					}
					r.above[lane/64] &^= 1 << (lane % 64)
				}
			}
		}
	}
}

// bound returns what the distance of a train descriptor must be less than to be among the nearest ones
// of query descriptor i, if it follows those that were compared.
func (n *nearest) bound(i int) int {
	last := n.best
	if len(n.second) > 0 {
		last = n.second
	}
	return min(last[i].distance(), noDistance)
}

// insert makes p the nearest or the second nearest of query descriptor i, and p is one of them.
func (n *nearest) insert(i int, p pair) {
	if len(n.second) > 0 {
		n.second[i] = max(p, n.best[i])
	}
	n.best[i] = min(p, n.best[i])
}

// appendMatches appends the matches of the query descriptors with best to dst, except those
// that fail a test of the options. alone tells whether a match passes that has no second nearest.
func (n *nearest) appendMatches(dst []Match, alone bool) []Match {
	ratio := n.opts.Ratio
	if n.metric == l2 {
		ratio *= ratio // since distances are squared
	}
	for i, p := range n.best {
		switch {
		case p.distance() > n.opts.MaxDistance:
		case len(n.second) > 0 && !p.distinct(n.second[i], ratio, alone):
		case len(n.columns) > 0 && n.columns[p.index()].index() != i:
		default:
			dst = append(dst, p.match(i))
		}
	}
	return dst
}

// appendAll appends the matches of the query descriptors with best and second to dst, those that are
// at a distance of up to MaxDistance.
func (n *nearest) appendAll(dst []Match) []Match {
	limit := n.opts.MaxDistance
	for i, p := range n.best {
		if p.distance() <= limit {
			dst = append(dst, p.match(i))
		}
		if len(n.second) > 0 && n.second[i].distance() <= limit {
			dst = append(dst, n.second[i].match(i))
		}
	}
	return dst
}
