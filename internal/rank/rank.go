// Package rank sorts the keys of corners, the strongest first, without sorting more of them
// than the caller needs.
//
// The upper half of a key is the bits of a response, which compare as responses do because
// responses are not negative here. The lower half tells corners apart.
package rank

import (
	"iter"
	"math/bits"
	"slices"
	"sort"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

const (
	// maxBuckets is the maximum number of buckets. They stay in a cache.
	maxBuckets = 1 << 12
	// sharedBuckets is the maximum number if several workers count the keys of buckets, each
	// for itself.
	sharedBuckets = 1 << 10
	// workerKeys is the least number of keys for each worker.
	workerKeys = 1 << 11
)

// Buckets holds keys in buckets. The keys of a bucket have larger responses than those of
// the next bucket. The zero value holds no keys.
type Buckets struct {
	pkg       string // that the workers are for
	workers   int
	low, high uint32
	shift     int
	flip      uint64
	keys      []uint64
	ends      []uint32   // where the buckets end in keys
	counts    [][]uint32 // for each list of keys, the numbers of keys of buckets, and then where they go
}

// Fill makes b hold the keys of the lists whose responses exceed low, with the bits of flip
// inverted. No response may exceed high. Both limits are the bits of responses. Up to the given
// number of workers share this and sorting, for a package.
func (b *Buckets) Fill(pkg string, workers int, lists [][]uint64, low, high uint32, flip uint64) {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	b.pkg, b.workers = pkg, max(min(workers, n/workerKeys), 1)
	size := min(1<<bits.Len(uint(n)), maxBuckets)
	if b.workers > 1 {
		size = sharedBuckets
	}
	b.low, b.high, b.flip = low, high, flip
	b.shift = max(bits.Len32(high-low)-bits.Len(uint(size-1)), 0)
	for len(b.counts) < len(lists) {
		b.counts = append(b.counts, nil)
	}
	b.counts = b.counts[:max(len(lists), 1)]
	for i := range b.counts {
		b.counts[i] = raster.Resize(b.counts[i], size)
		clear(b.counts[i])
	}
	if b.workers == 1 {
		for _, list := range lists {
			b.count(b.counts[0], list)
		}
	} else {
		worker.Share(pkg, b.workers, len(lists), func(_, i int) { b.count(b.counts[i], lists[i]) })
	}
	b.ends = raster.Resize(b.ends, size)
	sum := uint32(0)
	for i := range b.ends {
		for _, counts := range b.counts {
			counts[i], sum = sum, sum+counts[i] // as many go before the next list's
		}
		b.ends[i] = sum
	}
	b.keys = raster.Resize(b.keys, int(sum))
	if b.workers == 1 {
		for _, list := range lists {
			b.move(b.counts[0], list)
		}
	} else {
		worker.Share(pkg, b.workers, len(lists), func(_, i int) { b.move(b.counts[i], lists[i]) })
	}
}

// count counts the keys of buckets.
func (b *Buckets) count(counts []uint32, keys []uint64) {
	low, high, shift := b.low, b.high, b.shift
	for _, key := range keys {
		if response := uint32(key >> 32); response > low {
			counts[(high-response)>>shift]++
		}
	}
}

// move moves keys to where those of their buckets go.
func (b *Buckets) move(places []uint32, keys []uint64) {
	low, high, shift, flip, to := b.low, b.high, b.shift, b.flip, b.keys
	for _, key := range keys {
		if response := uint32(key >> 32); response > low {
			place := &places[(high-response)>>shift]
			to[*place] = key ^ flip
			*place++
		}
	}
}

// Sorted yields the buckets, the keys of each in ascending order.
func (b *Buckets) Sorted() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		begin, sorted := 0, 0 // in keys
		for _, end := range b.ends {
			end := int(end)
			if end == begin {
				continue
			}
			bucket := b.keys[begin:end]
			if b.workers == 1 {
				slices.Sort(bucket)
			} else if begin >= sorted {
				sorted = b.sort(begin)
			}
			if !yield(bucket) {
				return
			}
			begin = end
		}
	}
}

// sort has the workers sort the next buckets, the first of which begins at a key. It returns where
// the last one ends.
func (b *Buckets) sort(begin int) int {
	// bucket returns the first bucket that ends after a key.
	bucket := func(key int) int {
		return sort.Search(len(b.ends), func(i int) bool { return int(b.ends[i]) > key })
	}
	const parts = 4 // for each worker
	n, step := parts*b.workers, workerKeys/parts
	next := max(bucket(begin+n*step), bucket(begin)+1)
	worker.Share(b.pkg, b.workers, n, func(_, i int) {
		last := next
		if i < n-1 {
			last = bucket(begin + (i+1)*step)
		}
		for k := bucket(begin + i*step); k < last; k++ {
			at := uint32(0)
			if k > 0 {
				at = b.ends[k-1]
			}
			slices.Sort(b.keys[at:b.ends[k]])
		}
	})
	return int(b.ends[next-1])
}
