package match

import (
	"fmt"
	"math"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A comparison is a query set and a train set, and how they are compared. Workers take parts of the
// query set.
type comparison struct {
	query, train set
	long         []Descriptor // made of short ones, which the sets refer to then

	opts    *Options
	metric  metric
	kernels *kernels
	bits    int      // of the index in a key
	chunk   int      // the number of train descriptors of a chunk
	norms   []uint32 // of query vectors

	workers int
	lanes   worker.Lanes[lane]
}

// setSets gives c its sets, of which flat descriptors have the given number of bytes. It panics if
// those are not whole numbers of descriptors.
func setSets[D descriptor](c *comparison, query, train []D, length int) {
	q, t := &c.query, &c.train
	q.n, t.n = len(query), len(train)
	switch query := any(query).(type) {
	case []Descriptor:
		q.long, t.long = query, any(train).([]Descriptor)
	case []Descriptor32:
		c.long = appendLong(appendLong(c.long[:0], query), any(train).([]Descriptor32))
		q.long, t.long = c.long[:q.n], c.long[q.n:]
	case []Vector:
		q.vectors, t.vectors = query, any(train).([]Vector)
	case []byte:
		q.bytes, t.bytes = query, any(train).([]byte)
		c.setSize(length, 1)
	case []uint64:
		q.words, t.words = query, any(train).([]uint64)
		c.setSize(length, 8)
	}
}

// setSize divides the flat sets, whose elements have the given number of bytes, into descriptors.
func (c *comparison) setSize(length, element int) {
	q, t, size := &c.query, &c.train, length/element
	if q.n%size != 0 || t.n%size != 0 {
		panic(fmt.Sprintf("match: sets of %d and %d bytes, not multiples of Options.Length, which is %d", q.n*element, t.n*element, length))
	}
	q.n, q.size = q.n/size, size
	t.n, t.size = t.n/size, size
}

// start sets how the sets are compared, with no more workers than save time. It panics if indices
// do not fit into a Match.
func (c *comparison) start(opts *Options, m metric) {
	queries, trains := c.query.n, c.train.n
	if queries > math.MaxInt32 || trains > math.MaxInt32 {
		panic(fmt.Sprintf("match: sets of %d and %d descriptors, more than 2^31-1", queries, trains))
	}
	c.opts, c.metric, c.bits = opts, m, m.indexBits()
	c.kernels = table.Best()
	c.chunk = chunk
	share := c.kernels.share
	switch m {
	case flat:
		fit := len(Descriptor{}) * chunk / (8 * c.train.flatWords())
		c.chunk = min(chunk, fit/maxBlock*maxBlock)
	case l2:
		c.chunk = vectorChunk
		c.norms = raster.Resize(c.norms, queries)
		share = max(share/vectorShare, 1)
	}
	c.workers = worker.For(opts.Workers, int64(queries)*int64(trains)/int64(share))
}

// setTrains gives l the chunk of train descriptors from base on, and returns how many it
// has.
func (c *comparison) setTrains(l *lane, base int) int {
	end := min(base+c.chunk, c.train.n)
	switch c.metric {
	case l2:
		l.setVectors(c.kernels, c.train.vectors[base:end])
	case flat:
		l.setFlat(c.kernels, &c.train, base, end)
	default:
		l.setTrains(c.kernels, c.train.long[base:end], c.metric)
	}
	return end - base
}

// setQueries gives l n query descriptors, the first of which is at. It is called after setTrains.
func (c *comparison) setQueries(l *lane, at, n int) {
	switch c.metric {
	case l2:
		l.setQueryVectors(c.kernels, c.query.vectors[at:at+n], c.norms[at:at+n])
	case flat:
		l.setFlatQueries(&c.query, at, at+n)
	default:
		l.setQueries(c.query.long[at:at+n], c.metric)
	}
}

// prepare prepares the query descriptors from begin to end-1, which only one worker does.
func (c *comparison) prepare(l *lane, begin, end int) {
	if c.metric == l2 {
		l.vectors.setNorms(c.kernels, c.norms[begin:end], c.query.vectors[begin:end], c.kernels.vectors.middle)
	}
}

// empty reports whether there are no pairs to compare.
func (c *comparison) empty() bool { return c.query.n == 0 || c.train.n == 0 }

// release keeps nothing that belongs to the caller, but the memory that is used again.
func (c *comparison) release() {
	for _, l := range c.lanes.All() {
		l.release()
	}
	*c = comparison{long: c.long, norms: c.norms, lanes: c.lanes}
}
