// Package rank sorts the keys of corners, the strongest first, without sorting more of them
// than the caller needs.
//
// The upper half of a key is the bits of a response, which compare as responses do because
// responses are not negative here. The lower half tells corners apart.
package rank

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

const (
	// maxBuckets is the maximum number of buckets. They stay in a cache.
	maxBuckets = 1 << 12
	// maxCounts is the maximum number of all counts, which one goroutine adds, from the caches of the
	// others. That takes longer than to sort fewer and larger buckets.
	maxCounts = 1 << 14
	// workerKeys is the least number of keys for each worker.
	workerKeys = 1 << 11
)

// Buckets holds keys in buckets. The keys of a bucket have larger responses than those of
// the next bucket.
type Buckets struct {
	workers   int
	lanes     worker.Lanes[struct{}] // which need no memory
	lists     [][]uint64
	low, high uint32
	shift     int
	flip      uint64
	first     int
	sizes     []uint32   // of the buckets
	counts    [][]uint32 // for each list, how many of its keys a bucket has, and then where they go

	begin, end uint32   // the buckets that are loaded
	keys       []uint64 // in them
}

// NewBuckets returns Buckets without keys, for a package.
func NewBuckets(pkg string) *Buckets {
	return &Buckets{lanes: worker.NewLanes(pkg, func() *struct{} { return nil })}
}

// Fill makes b hold the keys of the lists whose responses exceed low, with the bits of flip
// inverted. No response may exceed high. Both limits are the bits of responses. The first keys are
// about as many as are likely to be needed, or 0 if all are. Up to the given number of workers
// share the work.
func (b *Buckets) Fill(workers int, lists [][]uint64, low, high uint32, flip uint64, first int) {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	b.workers, b.lists = worker.For(workers, int64(n/workerKeys)), lists
	size := min(1<<bits.Len(uint(n)), maxBuckets, max(maxCounts>>bits.Len(uint(len(lists))), 1))
	b.low, b.high, b.flip, b.first = low, high, flip, first
	b.shift = max(bits.Len32(high-low)-bits.Len(uint(size-1)), 0)
	for len(b.counts) < len(lists) {
		b.counts = append(b.counts, nil)
	}
	b.counts = b.counts[:len(lists)]
	for i := range b.counts {
		b.counts[i] = raster.Resize(b.counts[i], size)
		clear(b.counts[i])
	}
	worker.Each(b, &b.lanes, b.workers, len(lists), (*Buckets).count)
	b.sizes = raster.Resize(b.sizes, size)
	clear(b.sizes)
	for _, counts := range b.counts {
		for i, n := range counts {
			b.sizes[i] += n
		}
	}
}

// count counts the keys of a list by buckets.
func (b *Buckets) count(_ *struct{}, list int) {
	low, high, shift, counts := b.low, b.high, b.shift, b.counts[list]
	for _, key := range b.lists[list] {
		if response := uint32(key >> 32); response > low {
			counts[(high-response)>>shift]++
		}
	}
}

// move moves the keys of a list that are in the buckets to load to where they go.
func (b *Buckets) move(_ *struct{}, list int) {
	low, high, shift, flip, to, places := b.low, b.high, b.shift, b.flip, b.keys, b.counts[list]
	begin, end := b.begin, b.end
	for _, key := range b.lists[list] {
		response := uint32(key >> 32)
		if bucket := (high - response) >> shift; response > low && bucket >= begin && bucket < end {
			place := &places[bucket]
			to[*place] = key ^ flip
			*place++
		}
	}
}

// Sorted yields the buckets, once, the keys of each in ascending order.
func (b *Buckets) Sorted() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		batch := b.first
		if batch == 0 {
			batch = math.MaxInt
		}
		for begin, end := 0, 0; begin < len(b.sizes); begin = end {
			n := 0
			for ; end < len(b.sizes) && n < batch; end++ {
				n += int(b.sizes[end])
			}
			sorted := b.load(begin, end, n)
			at := uint32(0)
			for _, size := range b.sizes[begin:end] {
				bucket := b.keys[at : at+size]
				at += size
				if !sorted {
					slices.Sort(bucket)
				}
				if size > 0 && !yield(bucket) {
					return
				}
			}
			batch = max(batch, 4*n)
		}
	}
}

// load makes b.keys the n keys of buckets from begin up to end. It reports whether each bucket has
// been sorted, which several workers do if there are many.
func (b *Buckets) load(begin, end, n int) (sorted bool) {
	sum := uint32(0)
	for i := begin; i < end; i++ {
		for _, counts := range b.counts {
			counts[i], sum = sum, sum+counts[i] // as many go before those of the next list
		}
	}
	b.keys = raster.Resize(b.keys, n)
	b.begin, b.end = uint32(begin), uint32(end)
	worker.Each(b, &b.lanes, b.workers, len(b.lists), (*Buckets).move)
	workers := min(b.workers, n/(4*workerKeys))
	if workers <= 1 {
		return false
	}
	ends := b.counts[len(b.counts)-1][begin:end]
	parts := 4 * workers
	// first returns the first bucket of a part: the one that holds a key.
	first := func(part int) int {
		return sort.Search(len(ends), func(i int) bool { return int(ends[i]) > part*n/parts })
	}
	worker.Each(b, &b.lanes, workers, parts, func(b *Buckets, _ *struct{}, part int) {
		for i := first(part); i < first(part+1); i++ {
			at := uint32(0)
			if i > 0 {
				at = ends[i-1]
			}
			slices.Sort(b.keys[at:ends[i]])
		}
	})
	return true
}
