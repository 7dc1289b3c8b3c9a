package match

import "github.com/fastcorners/fast/internal/raster"

// batch is the number of query descriptors that are compared with all chunks before the
// next ones are, where each has a list.
const batch = 64

// A lane is the memory that a worker needs, besides what a job has for each descriptor. It is
// reused, so that matching does not allocate in the steady state.
type lane struct {
	run findRun

	// What run refers to, whatever the descriptors are.
	packed       []byte
	index        []uint32
	best, second []uint32
	columns      []uint32
	keys         []uint32

	// What only some of the descriptors need.
	bits    bitLane
	flat    flatLane
	vectors vectorLane
	sliced  slicedLane

	lists      listLane
	candidates candidateLane
}

// A listLane has lists of pairs.
type listLane struct {
	pairs [batch][]pair
	found []Match // of the batches of this worker
}

// A candidateLane has the candidates of a query descriptor.
type candidateLane struct {
	indices   []int32
	distances []uint32
}

func newLane() *lane {
	return &lane{
		packed:  make([]byte, max(chunk*len(Descriptor{}), vectorChunk*len(Vector{}))),
		index:   make([]uint32, max(chunk, vectorChunk)),
		best:    make([]uint32, group),
		second:  make([]uint32, group),
		columns: make([]uint32, max(chunk, vectorChunk)),
		keys:    make([]uint32, max(keyGroup*chunk, maxAtOnce*vectorChunk)),
		bits:    bitLane{queries: make([]Descriptor, group)},
		flat:    flatLane{queries: make([]flatDescriptor, group)},
		vectors: newVectorLane(),
	}
}

// setBlocks gives the run n train descriptors that are packed in blocks, each of the given
// size.
func (l *lane) setBlocks(block, n, size int) {
	r := &l.run
	full := (n + block - 1) / block * block
	r.packed, r.index = l.packed[:full*size], l.index[:full]
	for i := range r.index {
		r.index[i] = uint32(i)
	}
	fill(r.index[n:], noKey)
}

// setResults gives the run memory for the results of n query descriptors, but for the keys of
// no more than keyGroup. Slicing panics if there is no room for what is written.
func (l *lane) setResults(n, keyGroup int) {
	l.run.best, l.run.keys = l.best[:n], l.keys[:min(n, keyGroup)*len(l.run.index)]
}

// release keeps nothing that belongs to the caller.
func (l *lane) release() {
	l.run, l.bits.pack = findRun{}, packRun{}
	l.vectors.pack, l.vectors.distances = packVectorsRun{}, distancesRun{}
	l.lists.found = l.lists.found[:0]
}

// padded returns the first n elements of list and the last of them again, as often as it takes to
// make their number a multiple of one that divides that of list.
func padded[D any](list []D, n, multiple int) []D {
	for ; n%multiple > 0; n++ {
		list[n] = list[n-1]
	}
	return list[:n]
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
