// Package rank sorts the keys of corners, the strongest first, without sorting more of them
// than the caller needs.
//
// The upper half of a key is the bits of a response, which compare as responses do because
// responses are not negative here. The lower half tells corners apart.
package rank

import (
	"iter"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// maxBuckets is the maximum number of buckets. They stay in a cache.
const maxBuckets = 1 << 12

// Buckets holds keys in buckets. The keys of a bucket have larger responses than those of
// the next bucket. The zero value holds no keys.
type Buckets struct {
	keys []uint64
	ends []uint32 // where the buckets end in keys
}

// Fill makes b hold the keys whose responses exceed low, with the bits of flip inverted. No
// response may exceed high. Both limits are the bits of responses.
func (b *Buckets) Fill(keys []uint64, low, high uint32, flip uint64) {
	size := min(1<<bits.Len(uint(len(keys))), maxBuckets)
	shift := max(bits.Len32(high-low)-bits.Len(uint(size-1)), 0)
	b.ends = raster.Resize(b.ends, size)
	clear(b.ends)
	for _, key := range keys {
		if response := uint32(key >> 32); response > low {
			b.ends[(high-response)>>shift]++
		}
	}
	sum := uint32(0)
	for i, count := range b.ends {
		b.ends[i] = sum // where the bucket begins
		sum += count
	}
	b.keys = raster.Resize(b.keys, int(sum))
	for _, key := range keys {
		if response := uint32(key >> 32); response > low {
			end := &b.ends[(high-response)>>shift]
			b.keys[*end] = key ^ flip
			*end++
		}
	}
}

// All yields the buckets, the keys of each in no particular order.
func (b *Buckets) All() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		begin := uint32(0)
		for _, end := range b.ends {
			if end > begin && !yield(b.keys[begin:end]) {
				return
			}
			begin = end
		}
	}
}
