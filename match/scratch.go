package match

import (
	"encoding/binary"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
)

// batch is the number of query descriptors that are compared with all chunks before the
// next ones are, where each has a list.
const batch = 64

// A scratch is the memory that a worker needs, besides what a job has for each
// descriptor. It is reused, so that matching does not allocate in the steady state.
type scratch struct {
	run run

	packed  []byte
	index   []uint32
	last    [maxBlock]Descriptor // of a chunk
	queries []Descriptor
	best    []uint32
	second  []uint32
	columns []uint32
	keys    []uint32
	flat    []flatDescriptor

	vectors                []Vector
	trainNorms, queryNorms []uint32
	room                   []byte
	center                 Vector
	all                    []int32 // the first numbers

	blocks [][planes]plane
	places []byte
	slice  sliceRun

	lists [batch][]pair
	found []Match // by the parts of this worker

	candidates []int32  // of a query descriptor
	list       []uint32 // distances from it
}

func newScratch() *scratch {
	s := &scratch{
		packed:     make([]byte, max(chunk*len(Descriptor{}), vectorChunk*len(Vector{}))),
		index:      make([]uint32, max(chunk, vectorChunk)),
		queries:    make([]Descriptor, group),
		best:       make([]uint32, group),
		second:     make([]uint32, group),
		columns:    make([]uint32, max(chunk, vectorChunk)),
		keys:       make([]uint32, max(keyGroup*chunk, maxAtOnce*vectorChunk)),
		flat:       make([]flatDescriptor, group),
		vectors:    make([]Vector, group),
		trainNorms: make([]uint32, vectorChunk),
		queryNorms: make([]uint32, group),
		room:       make([]byte, roomBytes),
		all:        make([]int32, vectorChunk),
	}
	for i := range s.all {
		s.all[i] = int32(i)
	}
	return s
}

var (
	scratchPool = sync.Pool{New: func() any { return newScratch() }}
	jobPool     = sync.Pool{New: func() any { return new(job) }}
)

// setTrains gives the run a chunk of train descriptors, those from begin to end-1 of a set.
func (s *scratch) setTrains(k *kernels, trains *set, begin, end int, m metric) {
	if m != flat {
		s.setBlocks(k.block, end-begin, len(Descriptor{}))
		s.pack(k, trains.long[begin:end], m)
		return
	}
	k.packFlat(s.packed, trains, begin, end)
	s.run.words = trains.flatWords()
	s.setBlocks(k.block, end-begin, 8*s.run.words)
}

// pack makes the blocks of the run.
func (s *scratch) pack(k *kernels, trains []Descriptor, m metric) {
	if k.pack == nil || m == hamming2 {
		k.place(s.packed, trains, m)
		return
	}
	n := len(trains) / k.block * k.block
	if n > 0 {
		s.run.trains = trains[:n]
		k.pack(&s.run)
	}
	if n < len(trains) {
		// The last block is packed with descriptors of earlier ones.
		copy(s.last[:], trains[n:])
		packed := s.run.packed
		s.run.packed, s.run.trains = packed[n*len(Descriptor{}):], s.last[:k.block]
		k.pack(&s.run)
		s.run.packed = packed
	}
	s.run.trains = nil
}

// setBlocks gives the run n train descriptors that are packed in blocks, each of the given
// size.
func (s *scratch) setBlocks(block, n, size int) {
	r := &s.run
	full := (n + block - 1) / block * block
	r.packed, r.index = s.packed[:full*size], s.index[:full]
	for i := range r.index {
		r.index[i] = uint32(i)
	}
	fill(r.index[n:], noKey)
}

// setQueries gives the run up to group query descriptors, those from begin to end-1 of a set,
// and the last one twice if their number is odd. It is called after setTrains.
func (s *scratch) setQueries(queries *set, begin, end int, m metric) {
	r, n := &s.run, end-begin
	if m == flat {
		s.setFlatQueries(queries, begin, end)
		r.flat = padded(s.flat, n, 2)
	} else {
		copy(s.queries, queries.long[begin:end])
		r.queries = padded(s.queries, n, 2)
	}
	if m == hamming2 {
		for i := range r.queries {
			r.queries[i] = split(&r.queries[i])
		}
	}
	s.setResults(n+n%2, keyGroup)
}

// padded returns the first n elements of list and the last of them again, as often as it takes to
// make their number a multiple of one that divides that of list.
func padded[D any](list []D, n, multiple int) []D {
	for ; n%multiple > 0; n++ {
		list[n] = list[n-1]
	}
	return list[:n]
}

// setFlatQueries copies flat query descriptors, with zeros behind their last bytes.
func (s *scratch) setFlatQueries(queries *set, begin, end int) {
	for i := begin; i < end; i++ {
		q := s.flat[i-begin][:8*s.run.words]
		if queries.words == nil {
			clear(q[copy(q, queries.flatBytes(i)):])
			continue
		}
		for at, word := range queries.flatWord(i) {
			binary.LittleEndian.PutUint64(q[8*at:], word)
		}
	}
}

// setResults gives the run memory for the results of n query descriptors, but for the keys of
// no more than keyGroup. Slicing panics if there is no room for what is written.
func (s *scratch) setResults(n, keyGroup int) {
	s.run.best, s.run.keys = s.best[:n], s.keys[:min(n, keyGroup)*len(s.run.index)]
}

// release puts s back.
func (s *scratch) release() {
	s.run = run{}
	s.found = s.found[:0]
	scratchPool.Put(s)
}

// filled returns a slice of n elements equal to v, in the memory of s if that has room.
func filled[E any](s []E, n int, v E) []E {
	s = raster.Resize(s, n)
	fill(s, v)
	return s
}

// fill sets all elements of s to v.
func fill[E any](s []E, v E) {
	for i := range s {
		s[i] = v
	}
}
