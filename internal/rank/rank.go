// Package rank sorts the keys of corners, the strongest first, by as little as is needed.
//
// A key is a number whose high half is the bits of a response, which compare as responses do
// since these are not negative. The low half tells corners apart.
package rank

import (
	"iter"
	"math/bits"
	"slices"
)

// maxBuckets is how many buckets there are at most. They stay in a cache.
const maxBuckets = 1 << 12

// Buckets holds keys. Those of a bucket have larger responses than those of the next one.
// The zero value holds none.
type Buckets struct {
	keys []uint64
	ends []uint32 // of the buckets in keys
}

// Fill makes b hold those of the keys whose responses exceed low, by their bits. None exceeds
// high. The bits in flip are inverted in all keys that b holds.
func (b *Buckets) Fill(keys []uint64, low, high uint32, flip uint64) {
	size := min(1<<bits.Len(uint(len(keys))), maxBuckets)
	shift := max(bits.Len32(high-low)-bits.Len(uint(size-1)), 0)
	b.ends = slices.Grow(b.ends[:0], size)[:size]
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
	b.keys = slices.Grow(b.keys[:0], int(sum))[:sum]
	for _, key := range keys {
		if response := uint32(key >> 32); response > low {
			end := &b.ends[(high-response)>>shift]
			b.keys[*end] = key ^ flip
			*end++
		}
	}
}

// All yields the buckets, each in no order.
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
