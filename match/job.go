package match

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fastcorners/fast/internal/raster"
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

// A pair is a distance and, in the lower 32 bits, the index of the other descriptor.
// Like keys, pairs are ordered by distance and then by index.
type pair uint64

const noPair pair = math.MaxInt64 // greater than all pairs

// pairOf returns the pair of a key, of which the given number of bits are an index that counts from
// base.
func pairOf(key uint32, indexBits, base int) pair {
	if key == noKey {
		return noPair
	}
	return pair(key>>indexBits)<<32 | pair(uint32(base)+key&(1<<indexBits-1))
}

func (p pair) index() int    { return int(uint32(p)) }
func (p pair) distance() int { return int(p >> 32) }

// match returns the match of a query descriptor with the train descriptor of p.
func (p pair) match(query int) Match {
	return Match{Query: int32(query), Train: int32(p), Distance: int32(p >> 32)}
}

// A job is a query set and a train set that are compared. Workers take parts of the
// query set.
type job struct {
	opts    *Options
	kernels *kernels
	metric  metric
	bits    int     // of the index in a key
	ratio   float64 // of distances, or 0
	workers int
	part    int // the number of query descriptors of a part
	work    func(j *job, s *scratch, begin, end int)

	query, train set
	chunk        int // the number of train descriptors of a chunk

	// Unless grid is nil, a query descriptor has candidates: the train descriptors whose
	// points lie in its circle.
	circles []Circle
	grid    *Grid

	norms []uint32 // of query vectors

	// The nearest train descriptor of each query descriptor and, unless second is nil,
	// the second nearest; unless columns is nil, the nearest query descriptor of each
	// train descriptor.
	best, second, columns []pair

	// Lists have no distance above limit and, for each query descriptor, no more than
	// keep pairs.
	limit, keep int

	next atomic.Int64 // the first query descriptor that no worker has taken

	mu    sync.Mutex
	found []part     // the lists made so far, in any order
	used  []*scratch // what found refers to

	// Memory that is used again.
	bestMemory, secondMemory, columnMemory []pair
	long                                   []Descriptor // made of short ones
	normMemory                             []uint32
}

// A part holds the matches of the query descriptors from begin on.
type part struct {
	begin   int
	matches []Match
}

// start sets how the job compares its sets, and uses no more workers than save time. It
// panics if indices do not fit into a Match. The methods match, kNearest, within and near then
// put the job back.
func (j *job) start(opts *Options, m metric) {
	queries, trains := j.query.n, j.train.n
	if queries > math.MaxInt32 || trains > math.MaxInt32 {
		panic(fmt.Sprintf("match: sets of %d and %d descriptors, more than 2^31-1", queries, trains))
	}
	j.opts, j.metric, j.bits, j.ratio = opts, m, m.indexBits(), opts.Ratio
	j.kernels = table.Best()
	j.chunk = chunk
	share := j.kernels.share
	switch m {
	case flat:
		fit := len(Descriptor{}) * chunk / (8 * j.train.flatWords())
		j.chunk = min(chunk, fit/maxBlock*maxBlock)
	case l2:
		j.chunk = vectorChunk
		j.ratio *= opts.Ratio // since distances are squared
		j.normMemory = raster.Resize(j.normMemory, queries)
		j.norms = j.normMemory
		share = max(share/vectorShare, 1)
	}
	j.workers = worker.For(opts.Workers, int64(queries)*int64(trains)/int64(share))
}

// setTrains gives s the chunk of train descriptors from base on, and returns how many it
// has.
func (j *job) setTrains(s *scratch, base int) int {
	end := min(base+j.chunk, j.train.n)
	if j.metric == l2 {
		s.setVectors(j.kernels, j.train.vectors[base:end])
	} else {
		s.setTrains(j.kernels, &j.train, base, end, j.metric)
	}
	return end - base
}

// setQueries gives s n query descriptors, the first of which is at.
func (j *job) setQueries(s *scratch, at, n int) {
	if j.metric == l2 {
		s.setQueryVectors(j.kernels, j.query.vectors[at:at+n], j.norms[at:at+n])
	} else {
		s.setQueries(&j.query, at, at+n, j.metric)
	}
}

// prepare prepares the query descriptors of a part.
func (j *job) prepare(s *scratch, begin, end int) {
	if j.metric == l2 {
		s.setNorms(j.kernels, j.norms[begin:end], j.query.vectors[begin:end], j.kernels.vectors.middle)
	}
}

// empty reports whether there are no pairs to compare.
func (j *job) empty() bool { return j.query.n == 0 || j.train.n == 0 }

// newJob returns a job.
func newJob() *job { return jobPool.Get().(*job) }

// release puts j back. It keeps nothing that belongs to the caller. After a panic
// it is not called.
func (j *job) release() {
	clear(j.found)
	clear(j.used)
	*j = job{
		found: j.found[:0], used: j.used[:0],
		bestMemory: j.bestMemory, secondMemory: j.secondMemory, columnMemory: j.columnMemory,
		long: j.long, normMemory: j.normMemory,
	}
	jobPool.Put(j)
}

// match appends the matches of the query descriptors with their nearest train descriptors
// to dst, except those that fail a test of the options.
func (j *job) match(dst []Match) []Match {
	if !j.empty() {
		j.nearest(j.opts.Ratio > 0, j.opts.CrossCheck, (*job).allPart)
		dst = j.appendNearest(dst)
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
		dst = j.appendTwo(dst, j.opts.MaxDistance, k)
	default:
		dst = j.appendLists(dst, j.opts.MaxDistance, k)
	}
	j.release()
	return dst
}

// within appends all train descriptors of each query descriptor to dst that are at a
// distance of up to radius and MaxDistance.
func (j *job) within(dst []Match, radius int) []Match {
	if radius >= 0 && !j.empty() {
		dst = j.appendLists(dst, min(radius, j.opts.MaxDistance), math.MaxInt)
	}
	j.release()
	return dst
}

// appendNearest appends the matches of the query descriptors with best to dst, except those
// that fail a test of the options.
func (j *job) appendNearest(dst []Match) []Match {
	for i, p := range j.best {
		switch {
		case p.distance() > j.opts.MaxDistance:
		case j.second != nil && !j.distinct(p, j.second[i]):
		case j.columns != nil && j.columns[p.index()].index() != i:
		default:
			dst = append(dst, p.match(i))
		}
	}
	return dst
}

// distinct reports whether best is so much nearer than second as Options.Ratio asks for.
func (j *job) distinct(best, second pair) bool {
	if second == noPair {
		return j.grid != nil
	}
	return float64(best.distance()) < j.ratio*float64(second.distance())
}

// appendTwo appends the nearest k train descriptors, one or two, of each query descriptor
// to dst, those that are at a distance of up to limit.
func (j *job) appendTwo(dst []Match, limit, k int) []Match {
	j.nearest(k == 2, false, (*job).allPart)
	for i, p := range j.best {
		if p.distance() <= limit {
			dst = append(dst, p.match(i))
		}
		if k == 2 && j.second[i].distance() <= limit {
			dst = append(dst, j.second[i].match(i))
		}
	}
	return dst
}

// nearest makes best and, if they are wanted, second and columns. work does a part of that.
func (j *job) nearest(second, columns bool, work func(j *job, s *scratch, begin, end int)) {
	j.bestMemory = filled(j.bestMemory, j.query.n, noPair)
	j.best = j.bestMemory
	if second {
		j.secondMemory = filled(j.secondMemory, j.query.n, noPair)
		j.second = j.secondMemory
	}
	if columns {
		j.columnMemory = filled(j.columnMemory, j.train.n, noPair)
		j.columns = j.columnMemory
	}
	j.work = work
	j.part = j.query.n
	if j.workers > 1 {
		j.part = max(partQueries, (j.query.n-1)/(workerParts*j.workers)+1)
	}
	j.share()
}

// allPart does a part of nearest for all pairs.
func (j *job) allPart(s *scratch, begin, end int) {
	if j.metric == hamming && j.columns == nil && j.kernels.slice != nil && end-begin >= slicedQueries && j.train.n >= slicedTrains {
		j.slicedPart(s, begin, end)
	} else {
		j.nearestPart(s, begin, end)
	}
}

// nearestPart is allPart with kernels that find keys.
func (j *job) nearestPart(s *scratch, begin, end int) {
	r := &s.run
	j.prepare(s, begin, end)
	columnQueries := min(columnQueries, 1<<j.bits)
	for base := 0; base < j.train.n; base += j.chunk {
		trains := j.setTrains(s, base)
		for first := begin; first < end; first += columnQueries {
			last := min(first+columnQueries, end)
			r.columns = nil
			if j.columns != nil {
				r.columns = s.columns[:len(r.index)]
				fill(r.columns, noKey)
			}
			for at := first; at < last; at += group {
				n := min(group, last-at)
				j.setQueries(s, at, n)
				r.firstQuery = uint32(at - first)
				r.second = nil
				if j.second != nil {
					r.second = s.second[:len(r.best)]
				}
				j.kernels.find[j.metric](r)
				j.lower(r, at, n, base)
			}
			if j.columns != nil {
				j.lowerColumns(r.columns[:trains], base, first)
			}
		}
	}
}

// lower lowers best and second of n query descriptors, the first of which is at, to what r
// has found in the chunk that begins at base.
func (j *job) lower(r *run, at, n, base int) {
	best, bits := j.best[at:][:n], j.bits
	if j.second == nil {
		for i := range best {
			best[i] = min(best[i], pairOf(r.best[i], bits, base))
		}
		return
	}
	second := j.second[at:][:n]
	for i := range best {
		p := pairOf(r.best[i], bits, base)
		second[i] = min(second[i], pairOf(r.second[i], bits, base), max(best[i], p))
		best[i] = min(best[i], p)
	}
}

// lowerColumns lowers columns of the chunk that begins at base to keys whose indices
// count from first.
func (j *job) lowerColumns(keys []uint32, base, first int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	columns := j.columns[base:][:len(keys)]
	for i, k := range keys {
		columns[i] = min(columns[i], pairOf(k, j.bits, first))
	}
}

// appendLists appends, for each query descriptor, the first k of the train descriptors
// that are at a distance of up to limit, in the order of their pairs.
func (j *job) appendLists(dst []Match, limit, k int) []Match {
	j.limit, j.keep = limit, k
	if j.metric == hamming32 {
		j.metric = hamming // which counts no others of the long ones
	}
	j.part = batch
	j.work = (*job).listPart
	j.share()
	slices.SortFunc(j.found, func(a, b part) int { return a.begin - b.begin })
	n := 0
	for _, p := range j.found {
		n += len(p.matches)
	}
	dst = slices.Grow(dst, n)
	for _, p := range j.found {
		dst = append(dst, p.matches...)
	}
	for _, s := range j.used {
		s.release()
	}
	return dst
}

// listPart lists the matches of a batch.
func (j *job) listPart(s *scratch, begin, end int) {
	lists, bits := s.lists[:end-begin], j.bits
	var limits [batch]uint32 // that the keys of a list are below
	j.prepare(s, begin, end)
	for i := range lists {
		lists[i] = lists[i][:0]
		limits[i] = uint32(j.limit+1) << bits
	}
	for base := 0; base < j.train.n; base += j.chunk {
		trains := j.setTrains(s, base)
		group := j.metric.keyGroup()
		for at := 0; at < len(lists); at += group {
			n := min(group, len(lists)-at)
			j.setQueries(s, begin+at, n)
			j.kernels.keys[j.metric](&s.run)
			for i := at; i < at+n; i++ {
				list, limit := lists[i], limits[i]
				keys := s.run.keys[(i-at)*len(s.run.index):][:trains]
				for n := below(keys, limit); n < len(keys); n = below(keys, limit) {
					p := pairOf(keys[n], bits, base)
					keys = keys[n+1:]
					switch {
					case len(list) < j.keep-1:
						list = append(list, p)
						continue
					case len(list) == j.keep-1:
						list = append(list, p)
						slices.Sort(list)
						slices.Reverse(list) // which makes it a heap
					default:
						replaceFirst(list, p)
					}
					// What comes later has higher indices.
					limit = uint32(list[0].distance()) << bits
				}
				lists[i], limits[i] = list, limit
			}
		}
	}
	n := len(s.found)
	for i, list := range lists {
		slices.Sort(list)
		for _, p := range list {
			s.found = append(s.found, p.match(begin+i))
		}
	}
	j.mu.Lock()
	j.found = append(j.found, part{begin, s.found[n:]})
	j.mu.Unlock()
}

// below returns the index of the first key that is less than limit, or the number of keys if there is
// none. Most keys are not. It is not inlined, since its loop takes up to a quarter longer where a line
// of the cache ends within it.
//
//go:noinline
func below(keys []uint32, limit uint32) int {
	for i, k := range keys {
		if k < limit {
			return i
		}
	}
	return len(keys)
}

// replaceFirst replaces the first element of a heap, the greatest one, by a smaller one.
// No element i of a heap is smaller than the elements 2i+1 and 2i+2.
func replaceFirst(heap []pair, p pair) {
	i := 0
	for {
		next := 2*i + 1
		if next+1 < len(heap) && heap[next+1] > heap[next] {
			next++
		}
		if next >= len(heap) || heap[next] <= p {
			break
		}
		heap[i] = heap[next]
		i = next
	}
	heap[i] = p
}

// share has the workers do all parts.
func (j *job) share() {
	worker.Run("match", j, j.workers, (*job).takeParts, func(j *job, _ int) { j.takeParts() })
}

// takeParts does parts until none is left.
func (j *job) takeParts() {
	s := scratchPool.Get().(*scratch)
	for begin, end := j.take(); begin < end; begin, end = j.take() {
		j.work(j, s, begin, end)
	}
	if len(s.found) == 0 {
		s.release()
		return
	}
	j.mu.Lock()
	j.used = append(j.used, s)
	j.mu.Unlock()
}

// take takes a part. If none is left, it does not begin before its end.
func (j *job) take() (begin, end int) {
	end = int(j.next.Add(int64(j.part)))
	return end - j.part, min(end, j.query.n)
}
